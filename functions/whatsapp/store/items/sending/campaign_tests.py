"""The test of two templates that a campaign makes with a part of its audience."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import stored
from whatsapp.store.items.item import AtMost

type Measure = Literal["delivered", "read", "replied"]
type Verdict = Literal["significant", "not_significant", "too_few", "cancelled"]


class BodyField(BaseModel):
    """A field of a contact that a variable of the template's body shows, with the text for people without it."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", hide_input_in_errors=True
    )

    field: str
    default: str | None = None


class Variant(BaseModel):
    """One of the two templates, and the campaign that sends it to its part of the audience."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", hide_input_in_errors=True
    )

    campaign_id: str
    template_name: str
    language: str
    category: str | None = None
    components: Annotated[list[dict[str, Any]], AtMost(20)] | None = None
    body_fields: Annotated[list[BodyField], AtMost(50)] = []


class CampaignTest(BaseModel):
    """
    The rule of a test and how far it is.

    *share*: percent of the audience that get a variant, half of them each. *minimum*: messages of each variant without
    which nothing is decided. *confidence* in percent. *hours*: how long messages are observed after the last one of
    both variants was sent; *observed_from*: since when they are. *looks*: how often both were compared. *verdict*: why
    the comparison ended; without a winner a person decides. *decided_by*: the principal, none for the rule.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", hide_input_in_errors=True
    )

    share: int
    measure: Measure
    minimum: int
    confidence: int
    hours: int
    by_rule: bool
    variants: Annotated[list[Variant], AtMost(2)]
    begun_at: str | None = None
    observed_from: str | None = None
    looks: int = 0
    verdict: Verdict | None = None
    winner: Literal["a", "b"] | None = None
    decided_at: str | None = None
    decided_by: str | None = None

    def as_stored(self) -> Attributes:
        """Return it as the campaign's item has it."""
        return stored(self)

    @property
    def waits_for_person(self) -> bool:
        """Whether the comparison has ended without a winner."""
        return self.verdict is not None and self.winner is None
