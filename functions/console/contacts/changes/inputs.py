"""Input models of the changes of contacts."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from console.contacts.views import AttributeDefinition, ContactNote, ContactView
from shared.api.models.agent_inputs import MOST_LABELS, Assignee, Label
from shared.api.models.inputs import Change, Input
from shared.identity.contacts.attributes import MOST_CHOICES, Kind
from shared.identity.contacts.items import LONGEST_NOTE
from shared.policy.consent.unreachable import LiftReason
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName

LONGEST_NAME = 100
MOST_IDENTIFIERS = 5
_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)

# Characters that end a line, or make a page show a text in another order.
_UNFIT = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
type Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_NAME,
        pattern=patterns.worded(
            rf"^[^{_UNFIT}]*[^\s{_UNFIT}][^{_UNFIT}]*$",
            "must be one line of visible characters, without marks of direction",
        ),
    ),
]
type LanguageTag = Annotated[str, Field(max_length=35, pattern=patterns.LANGUAGE)]
# Values by the names of the company's definitions, which say what they may be; null removes one.
type Values = dict[str, object]
type NoteText = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NOTE, pattern=patterns.NOT_BLANK)
]
type Labels = Annotated[list[Label], Field(max_length=MOST_LABELS)]


class IdentifierInput(Input):
    """An identifier in any spelling. `region` (ISO 3166) is where a national phone number is dialled."""

    kind: Literal["phone", "email", "external"]
    value: Annotated[str, Field(min_length=1, max_length=254, repr=False)]
    region: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None


class CreateContactInput(Input):
    """A new contact, with at least one identifier that no other contact has."""

    model_config = _IN_CAMEL

    identifiers: Annotated[list[IdentifierInput], Field(min_length=1, max_length=MOST_IDENTIFIERS)]
    name: Name
    given_names: Name | None = None
    language: LanguageTag | None = None
    zone: ZoneName | None = None
    organisation: Name | None = None
    labels: Labels | None = None
    owner: Assignee | None = None
    attributes: Values | None = None


class ChangeContactInput(Change):
    """
    Changes of what is stored about a person; null removes a value. `attributes` that are not named keep their values.
    With `version` the change is made only if nothing has changed since the read that returned it.
    """

    model_config = _IN_CAMEL
    view: ClassVar[type[BaseModel] | None] = ContactView

    name: Name | None = None
    given_names: Name | None = None
    language: LanguageTag | None = None
    zone: ZoneName | None = None
    organisation: Name | None = None
    labels: Labels | None = None
    owner: Assignee | None = None
    attributes: Values | None = None
    version: Annotated[int, Field(ge=0)] | None = None


class MergeInput(Input):
    """The contact to merge with. `dryRun`: only show what would move."""

    model_config = _IN_CAMEL

    contact_id: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z2-7A-Z0-9]+$")]
    dry_run: bool = False


class NoteInput(Input):
    """The text of a note."""

    text: NoteText = Field(repr=False)


class ChangeNoteInput(Change):
    """The new text of a note. With `version` the note is changed only if it is still the one that was read."""

    view: ClassVar[type[BaseModel] | None] = ContactNote

    text: NoteText = Field(repr=False)
    version: Annotated[int, Field(ge=1)] | None = None


class DefinitionInput(Change):
    """
    An attribute of contacts. Only the kind `choice` has `choices`. Contacts are found by values of a `filterable`
    one, which a boolean or a choice can be. `kind` and `filterable` of a defined attribute stay, and so do `choices`
    without new ones.
    """

    view: ClassVar[type[BaseModel] | None] = AttributeDefinition

    kind: Kind
    title: Name
    choices: Annotated[list[Name], Field(default_factory=list, max_length=MOST_CHOICES)]
    filterable: bool = False


class LiftInput(Input):
    """
    Why an address is reached again although the provider has reported the opposite at the time `since`: the person has
    confirmed it, the address was repaired, or the provider was wrong; and what proves it.
    """

    channel: Literal["whatsapp", "sms", "email"]
    value: Annotated[str, Field(min_length=1, max_length=320, repr=False)]
    since: Annotated[str, Field(min_length=1, max_length=40)]
    reason: LiftReason
    evidence: Annotated[
        str, Field(min_length=1, max_length=500, pattern=patterns.NOT_BLANK, repr=False)
    ]


class ConsentInput(Input):
    """
    A choice of a person about a channel, with what proves it. It is recorded for all identifiers of the person on the
    channel. An opt-out may name all channels (`*`).
    """

    channel: Literal["whatsapp", "sms", "email", "*"]
    state: Literal["opted_in", "opted_out"]
    evidence: Annotated[
        str, Field(min_length=1, max_length=500, pattern=patterns.NOT_BLANK, repr=False)
    ]
