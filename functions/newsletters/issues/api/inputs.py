"""Input models of issues and their limits."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, Strict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from newsletters.api.inputs import Flag, Language, Preview, Text, Version, is_line, is_text
from newsletters.issues.api import views
from newsletters.store.items import RecipientState
from shared.api.models.inputs import Change, Input
from shared.identity.addresses import AddressInvalid, email_address
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName

_LOCAL = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", re.ASCII)


def _address(text: str) -> str:
    try:
        return email_address(text)
    except AddressInvalid:
        raise PydanticCustomError("address", "must be an e-mail address") from None


def _local(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError("local", "must be a date and time as 2026-03-30T09:00") from None
    return text


def _is_unique(values: list[str]) -> list[str]:
    if len(set(values)) != len(values):
        raise PydanticCustomError("unique", "must not name an entry twice")
    return values


type Address = Annotated[str, Field(max_length=320), AfterValidator(_address)]
type Subject = Annotated[str, Field(min_length=1, max_length=150), AfterValidator(is_line)]
type Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(is_line)]
type Line = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(is_line)]
type ListId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
type ListIds = Annotated[list[ListId], Field(max_length=5), AfterValidator(_is_unique)]
type TemplateId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
type Local = Annotated[
    str,
    StringConstraints(
        pattern=patterns.worded(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$",
            "must be a time such as 2026-02-28T08:30",
        ),
        max_length=16,
    ),
    AfterValidator(_local),
]
type Statement = Annotated[Text, Field(min_length=10, max_length=500)]
type Basis = Literal["recorded", "attested"]


type Topic = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(is_line)]
type Topics = Annotated[list[Topic], Field(max_length=10), AfterValidator(_is_unique)]
type Title = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(is_line)]
type Described = Annotated[str, Field(max_length=500), AfterValidator(is_text)]
type Code = Annotated[str, Field(max_length=20), AfterValidator(str.upper)]
type Recipients = Annotated[
    list[Address], Field(min_length=1, max_length=10), AfterValidator(_is_unique)
]


type Limits = Annotated[
    list[Annotated[int, Strict(), Field(ge=1, le=10_000_000)]], Field(max_length=60)
]


class WelcomeInput(Input):
    """
    The mail that a reader gets once, after the confirmation of a sign-up: plain text, a blank line between paragraphs.
    `{{first_name|there}}` is the name that the reader has given.
    """

    subject: Subject
    text: Annotated[str, Field(min_length=1, max_length=5_000), AfterValidator(is_text)]


class PublicListInput(Change):
    """
    What the public sees of a list of contacts; absent fields keep their values. `version`: of the list as read,
    0 for a list that is not published. A new one needs title, sender, sender_name and postal_address. `is_open`: people
    may sign up. `has_archive`: sent issues are public. Readers choose among `topics`. `keeps_ip`: the evidence of
    consent has the reader's network address. `welcome: null`: no welcome mail.
    """

    view = views.PublicListView

    version: Version
    title: Title | None = None
    description: Described | None = None
    language: Language | None = None
    is_open: Flag | None = None
    has_archive: Flag | None = None
    topics: Topics | None = None
    keeps_ip: Flag | None = None
    welcome: WelcomeInput | None = None
    sender: Address | None = None
    sender_name: Name | None = None
    reply_to: Address | None = None
    postal_address: Line | None = None


class WarmUpInput(Change):
    """
    The plan of a sender's domain; absent fields keep their values. `version`: as read, 0 for the default plan.
    `limits`: the most mails of each day with mails; none: the domain is warm. To one mailbox provider go at most
    `provider_percent` of them.
    """

    view = views.WarmUpView

    version: Version
    limits: Limits | None = None
    provider_percent: Annotated[int, Strict(), Field(ge=50, le=100)] | None = None


class IssueTestInput(Input):
    """To whom an issue is sent as a test: addresses of domains that the company owns. `variant`: without one `a`."""

    addresses: Recipients
    variant: Literal["a", "b", "c", "d"] = "a"


class SubjectTestInput(Input):
    """
    Further variants, of which a sample of the readers decides; the issue's own subject and text are variant `a`. Each
    has one of `subjects`, and the text of the newsletter at the same place of `newsletter_codes`; without those, or
    where one is null, the issue's own text. After `wait_minutes` all others get the variant with the most clicks per
    mail, or the one that a person chooses.
    """

    subjects: Annotated[list[Subject], Field(min_length=1, max_length=3)]
    newsletter_codes: Annotated[list[Code | None], Field(max_length=3)] = Field(
        default_factory=list
    )
    sample_percent: Annotated[int, Strict(), Field(ge=5, le=50)]
    wait_minutes: Annotated[int, Strict(), Field(ge=30, le=2880)]
    decided_by: Literal["clicks", "person"]

    @model_validator(mode="after")
    def _has_a_text_for_each(self) -> Self:
        if self.newsletter_codes and len(self.newsletter_codes) != len(self.subjects):
            problem = "newsletter_codes: must have an entry for each of subjects, or none"
            raise PydanticCustomError("texts", problem)
        return self


class IssueFields(Input):
    """The sender of an issue as its readers see it, and its audience."""

    list_ids: ListIds = Field(default_factory=list)
    segment_ids: ListIds = Field(default_factory=list)
    sender: Address
    sender_name: Name
    reply_to: Address | None = None
    preheader: Preview = ""
    topics: Topics = Field(default_factory=list)
    postal_address: Line
    permission_line: Line
    consent: Basis = "recorded"
    consent_statement: Statement | None = None
    template_id: TemplateId | None = None
    subject_test: SubjectTestInput | None = None

    @model_validator(mode="after")
    def _has_audience_and_ground(self) -> Self:
        if not self.list_ids and not self.segment_ids:
            raise PydanticCustomError("audience", "list_ids, segment_ids: one must have an entry")
        if self.consent == "attested" and not self.consent_statement:
            raise PydanticCustomError("statement", "consent_statement: attested consent needs one")
        return self


class IssueInput(IssueFields):
    """
    An issue of a newsletter: what its readers see of the sender, and its audience. `attested` needs the statement on
    which ground the people of the lists are written to; `recorded` writes only to people who have opted in. `topics`
    are topics of the lists: readers who have chosen others only do not get the issue.
    """

    newsletter_code: Annotated[str, Field(max_length=20)]
    subject: Subject


class IssueChange(Change):
    """New values of an issue before its approval; absent ones stay. `version` is the issue's version as read."""

    view = views.IssueView

    version: Version
    list_ids: ListIds | None = None
    segment_ids: ListIds | None = None
    sender: Address | None = None
    sender_name: Name | None = None
    reply_to: Address | None = None
    subject: Subject | None = None
    preheader: Preview | None = None
    topics: Topics | None = None
    postal_address: Line | None = None
    permission_line: Line | None = None
    consent: Basis | None = None
    consent_statement: Statement | None = None
    template_id: TemplateId | None = None
    subject_test: SubjectTestInput | None = None


class IssueApproval(Input):
    """
    The version as read, and `content_id` of the checklist as read: another text or look is not approved unseen.
    `acknowledge_warnings`: the text's warnings were read, and it is sent with them.
    """

    version: Version
    content_id: Annotated[str, Field(min_length=1, max_length=64)]
    acknowledge_warnings: Flag = False


class IssueVersion(Input):
    """The version as read."""

    version: Version


class WinnerInput(Input):
    """The version as read, and the variant that all other readers get."""

    version: Version
    variant: Literal["a", "b", "c", "d"]


class IssueSchedule(Input):
    """
    When the issue is sent: a local time in a time zone, at least a minute ahead. `in_reader_zone`: at this time in each
    reader's zone, and in `timezone` for readers without one. `not_after`: a local time in `timezone` after which the
    issue does not begin any more, but is `missed`.
    """

    version: Version
    local: Local
    timezone: ZoneName
    in_reader_zone: Flag = False
    not_after: Local | None = None


class IssuesQuery(Input):
    """Position in the list of issues, newest first."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class RecipientsQuery(IssuesQuery):
    """Position in the ledger of an issue; `state` filters the page, which may be short then."""

    state: RecipientState | None = None
