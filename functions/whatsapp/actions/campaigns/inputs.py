"""Input models of campaigns."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.runtime.validation import patterns
from whatsapp.actions.calls import names
from whatsapp.actions.calls.inputs import (
    Components,
    Flag,
    Input,
    Language,
    Moment,
    PageInput,
    PhoneOrUserId,
    S3Key,
    SenderInput,
    TemplateName,
    Text,
    Ulid,
    WabaId,
    Whole,
)

MOST_INLINE = 1_000
_FIELD = patterns.worded(
    r"^(name|givenNames|organisation|language|zone|attributes\.[a-z][a-z0-9_]{0,39})$",
    "must be a field such as attributes.tier",
)
type AudienceId = Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,64}$")]
type Values = Annotated[list[Annotated[Text, Field(max_length=1_024)]], Field(max_length=50)]
type Outcome = Literal[
    "sent",
    "delivered",
    "read",
    "failed",
    "refused",
    "duplicate",
    "invalid",
    "in_doubt",
    "cancelled",
    "reached",
    "left_out",
]


class RecipientRow(Input):
    """One recipient; `components` or `bodyParams` are its values for the whole template, or for its body."""

    to: PhoneOrUserId = Field(validation_alias=names.CUSTOMER)
    components: Components | None = None
    body_params: Values | None = None
    text: Text | None = None
    ref: Annotated[Text, Field(max_length=64)] | None = None


class _Content(SenderInput):
    template_name: TemplateName | None = None
    language_code: Language = "en_US"
    components: Components | None = None
    text: Text | None = None


def _needs_content(kind: str, content: _Content) -> None:
    if kind == "template" and content.template_name is None:
        raise PydanticCustomError("content", "templateName is required for the type template")
    if kind == "text" and content.text is None:
        raise PydanticCustomError("content", "text is required for the type text")


class AudienceInput(Input):
    """A list or a segment of contacts (`GET /contacts/lists`, `GET /contacts/segments`): exactly one of both."""

    list: AudienceId | None = None
    segment: AudienceId | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.list is None) == (self.segment is None):
            raise PydanticCustomError("audience", "must have exactly one of list, segment")
        return self


class BodyFieldInput(Input):
    """
    The field of a contact that a variable shows: `name`, `givenNames`, `organisation`, `language`, `zone`, or
    `attributes.` and the name of a defined attribute. `default` is the text for people without it; without a default
    these are left out.
    """

    field: Annotated[str, Field(pattern=_FIELD)]
    default: Annotated[Text, Field(max_length=1_024)] | None = None


class TestedTemplate(Input):
    """The other template of a test, with its own values."""

    template_name: TemplateName
    language_code: Language = "en_US"
    components: Components | None = None
    body_fields: Annotated[list[BodyFieldInput], Field(default_factory=list, max_length=50)]


class TestInput(Input):
    """
    A test of two templates: the campaign's own is variant a, *template* variant b. `share` percent of the audience get
    one of them, half of them each, by a rule that gives a contact the same variant every time; the others get the
    better one.

    The variants are compared by *measure* four times in the *hours* after both are sent, the last time at their end.
    One is better if it has more by a two-sided test of proportions that errs in at most 100 - *confidence* percent of
    tests, over all comparisons, and at least *minimum* messages of each were sent. *decision*: `rule` sends the better
    one to the others by itself, `person` waits; without a winner a person decides in any case.
    """

    template: TestedTemplate
    share: Annotated[Whole, Field(ge=2, le=90)] = 20
    measure: Literal["delivered", "read", "replied"] = "read"
    minimum: Annotated[Whole, Field(ge=1, le=100_000)] = 100
    confidence: Literal[90, 95, 99] = 95
    hours: Annotated[Whole, Field(ge=1, le=72)] = 24
    decision: Literal["rule", "person"] = "rule"


class CreateCampaign(_Content):
    """
    A campaign: exactly one of `recipients`, `recipientsS3Key`, a list in the media bucket, and `audience`, the people
    of a list or segment of contacts. `bodyFields` are values of the template's body for each person of an audience.

    A list is JSON Lines (objects as in `recipients`, or a text that names the recipient), or CSV (RFC 4180,
    UTF-8 or UTF-16, separated by commas, semicolons or tabs) whose header has `to` or `recipient`, and maybe `ref`,
    `text`, and `1`, `2` ... for the values of the template's body, in any order. An empty text or value is invalid.

    `components` apply to every recipient without its own values.
    """

    campaign_name: Annotated[Text, Field(max_length=100)]
    recipients: (
        Annotated[list[RecipientRow | PhoneOrUserId], Field(min_length=1, max_length=MOST_INLINE)]
        | None
    ) = None
    recipients_s3_key: Annotated[S3Key | None, Field(alias="recipientsS3Key")] = None
    audience: AudienceInput | None = None
    body_fields: Annotated[list[BodyFieldInput], Field(default_factory=list, max_length=50)]
    test: TestInput | None = None
    type: Literal["template", "text"] = "template"
    scheduled_at: Moment | None = None
    messages_per_second: Annotated[Whole, Field(ge=1, le=1_000)] | None = None
    auto_start: Flag = False

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        sources = (self.recipients, self.recipients_s3_key, self.audience)
        if sum(one is not None for one in sources) != 1:
            raise PydanticCustomError(
                "recipients", "must have exactly one of recipients, recipientsS3Key, audience"
            )
        if self.body_fields and (self.audience is None or self.type != "template"):
            problem = "bodyFields are for a template to an audience"
            raise PydanticCustomError("body_fields", problem)
        if self.test and (self.audience is None or self.type != "template"):
            raise PydanticCustomError("test", "test is for a template to an audience")
        _needs_content(self.type, self)
        if self.scheduled_at is not None and self.auto_start:
            raise PydanticCustomError("start", "autoStart and scheduledAt exclude each other")
        return self


class BulkSend(_Content):
    """A campaign of up to 1,000 recipients that starts at once."""

    recipients: Annotated[list[PhoneOrUserId], Field(min_length=1, max_length=MOST_INLINE)]
    type: Literal["text", "template"]
    name: Annotated[Text, Field(max_length=100, description="a name for people")] = "bulk send"

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        _needs_content(self.type, self)
        return self


class OfCampaign(Input):
    """One campaign."""

    campaign_id: Ulid


class StopCampaign(OfCampaign):
    """A campaign, and the reason for stopping it."""

    reason: Annotated[Text, Field(max_length=200)] | None = None


class ListCampaigns(PageInput):
    """The campaigns of an account, maybe of one status."""

    meta_waba_id: WabaId
    status: Literal["draft", "scheduled", "running", "completed", "paused"] | None = None


class CampaignStats(Input):
    """The campaigns of an account, or one of them, by the days of their creation (inclusive, UTC)."""

    meta_waba_id: WabaId
    campaign_id: Ulid | None = None
    start_date: Annotated[str, Field(pattern=patterns.DATE)] | None = None
    end_date: Annotated[str, Field(pattern=patterns.DATE)] | None = None


class ListRecipients(PageInput, OfCampaign):
    """
    The recipients of a campaign, maybe of one outcome; `reached` and `left_out`: people of an audience before the
    campaign reads it.
    """

    outcome: Outcome | None = None
