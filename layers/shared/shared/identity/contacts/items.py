"""The items of the contacts table."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import Item, filled
from shared.identity.identifiers import IdentifierKind
from shared.runtime import clock

ACTIVITY_INDEX: Final = "gsi_company_activity"
WEEK_MS: Final = 7 * clock.DAY_SECONDS * clock.SECOND_MS
UNDO_DAYS: Final = 30
ID_CHARACTERS: Final = 26
CHANGE_DAYS: Final = 730
MARKER_DAYS: Final = 2  # longer than the answers of requests are kept
TICKET_DAYS: Final = 90  # as the state of a ticket
LONGEST_NOTE: Final = 4_000  # characters

type AttributeValue = bool | Decimal | str


class Details(BaseModel):
    """
    What people of the company say about a person. Each change stores all of it, on the contact's profile at that time.

    `covers`: ids of profiles with details of the same person that this change has read. `cause`: hash of the request.
    `attributes`: values by the names of the company's definitions (`shared.identity.contacts.attributes`).
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    name: str | None = Field(default=None, repr=False)
    given_names: str | None = Field(default=None, repr=False)
    language: str | None = None
    zone: str | None = None
    organisation: str | None = Field(default=None, repr=False)
    labels: set[str] | None = Field(default=None, repr=False)
    owner: str | None = Field(default=None, repr=False)
    attributes: dict[str, AttributeValue] | None = Field(default=None, repr=False)
    changed_at: str
    cause: str
    covers: set[str] | None = None


@audited(is_of_person=True)
class Profile(Item):
    """
    A contact, or one that was merged into another contact. Made of one identifier, whose keyed hash is the id.

    `merged_into` is the id of the contact that it was merged into, always a lesser id, so links have no circle; without
    it the profile is a contact. `members`: ids of all contacts merged into this one, also by way of another; an id may
    be among them before its profile has its link. `version` is larger after every write of links. A merged contact is
    in no index. `tokens` are hashes of the tokens that lead to this profile, listed before their items are written.

    `merges` are ids of merges by people of this contact and its members; the merge itself says whether it holds.
    `details` are what people have stored about the person, `details_version` counts their changes. `value` is the
    identifier, if people of the company have named it as this person's; `named_by` is the hash of their request.
    """

    pk_pattern: ClassVar[str] = "CONTACT#{company}#{id}"
    sk_pattern: ClassVar[str] = "PROFILE"
    activity_pattern: ClassVar[str] = "ACTIVITY#{company}#{week}"
    indexes: ClassVar[tuple[str, ...]] = (ACTIVITY_INDEX,)
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = sk_pattern
    company_id: str
    contact_id: str
    kind: IdentifierKind  # of the identifier that it is made of
    created_at: str
    activity_pk: str | None = None
    last_activity_at: str | None = None
    members: Annotated[set[str], Field(default_factory=set)]
    merged_into: str | None = None
    merges: Annotated[set[str], Field(default_factory=set)]
    tokens: Annotated[set[str], Field(default_factory=set)]
    details: Details | None = None
    details_version: int = 0
    value: str | None = Field(default=None, repr=False)
    named_by: str | None = None
    version: int = 1

    @classmethod
    def key(cls, company: str, contact_id: str) -> Attributes:
        """Return the key of a profile. Raises ValueError if a part is empty or the company's id contains `#`."""
        if "#" in company:
            raise ValueError("contact key: company must not contain #")
        return {"pk": filled(cls.pk_pattern, company, contact_id), "sk": cls.sk_pattern}

    @classmethod
    def activity_list(cls, company: str, at_ms: int) -> str:
        """Return the partition of gsi_company_activity: the company's contacts whose last activity is in this week."""
        return filled(cls.activity_pattern, company, clock.to_text(at_ms - at_ms % WEEK_MS)[:10])


class Merge(Item):
    """
    Two contacts that people of the company have declared to be one person, or a contact and an identifier.

    `kept` and `merged` are ids of contacts, `kept` the lesser one. With `undone_at` they are two people again.
    `identifier_id` is the id of the profile of an identifier that was added to `kept`; `merged` is its contact.
    `proven_at`: when an event named identifiers of both as one person's while people had decided about the two.
    """

    pk_pattern: ClassVar[str] = "MERGE#{company}#{id}"
    sk_pattern: ClassVar[str] = "MERGE"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = sk_pattern
    company_id: str
    merge_id: str
    kind: Literal["contacts", "identifier"]
    kept: str
    merged: str
    identifier_id: str | None = None
    at: str
    cause: str  # hash of the request
    undone_at: str | None = None
    proven_at: str | None = None

    @classmethod
    def key(cls, company: str, merge_id: str) -> Attributes:
        """Return the key of a merge."""
        return {"pk": filled(cls.pk_pattern, company, merge_id), "sk": cls.sk_pattern}

    @classmethod
    def id_of(cls, company: str, kind: str, kept: str, merged: str) -> str:
        """Return the id of the merge of two contacts: the same whichever of them is named first."""
        ends = sorted((kept, merged))
        return digest("merge", company, kind, *ends)[:ID_CHARACTERS]


class Found(Item):
    """
    A contact that a token finds (`shared.identity.contacts.tokens`); `hash` is the token's keyed hash.

    `contact` is the id of a profile, which may be merged into another one.
    """

    pk_pattern: ClassVar[str] = "TOKEN#{company}#{hash}"
    sk_pattern: ClassVar[str] = "{contact}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str

    @classmethod
    def list_of(cls, company: str, token_hash: str) -> str:
        """Return the partition of the contacts that have a token."""
        return filled(cls.pk_pattern, company, token_hash)

    @classmethod
    def of(cls, company: str, token_hash: str, contact_id: str) -> "Found":
        """Return the item of a contact that has a token."""
        return cls(pk=cls.list_of(company, token_hash), sk=contact_id, company_id=company)

    def key(self) -> Attributes:
        """Return the key of the item."""
        return {"pk": self.pk, "sk": self.sk}


class Record(Item):
    """An item beside a profile, in its partition. `sort` is the time (ms since 1970) with a hash of the request."""

    pk_pattern: ClassVar[str] = Profile.pk_pattern
    sk_pattern: ClassVar[str]
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str

    @classmethod
    def key(cls, company: str, contact_id: str, sort: str) -> Attributes:
        """Return the key of the record of a contact."""
        key = Profile.key(company, contact_id)
        return key | {"sk": filled(cls.sk_pattern, sort)}

    @classmethod
    def prefix(cls) -> str:
        """Return the text that the sort keys of all these records have at their beginning."""
        return cls.sk_pattern.partition("{")[0]

    @staticmethod
    def sort_of(at_ms: int, cause: str) -> str:
        """Return the sort of a record of this time that a request has made."""
        return f"{at_ms:013}-{digest('contact record', cause)[:ID_CHARACTERS]}"


class Note(Record):
    """
    A note of people of the company about a person; it is never sent. `by`: who wrote it, `edited_by` changed it last.

    `cause`: hash of the request that changed it last.
    """

    sk_pattern: ClassVar[str] = "NOTE#{id}"

    note_id: str
    text: str = Field(repr=False)  # at most LONGEST_NOTE characters
    by: str
    at: str
    edited_by: str | None = None
    edited_at: str | None = None
    cause: str
    version: int = 1


class What(StrEnum):
    """The data of a contact that people change."""

    CREATED = "created"
    CHANGED = "changed"
    IDENTIFIER_ADDED = "identifier_added"
    IDENTIFIER_REMOVED = "identifier_removed"
    MERGED = "merged"
    SEPARATED = "separated"
    NOTE_ADDED = "note_added"
    NOTE_CHANGED = "note_changed"
    NOTE_REMOVED = "note_removed"


class Change(Record):
    """A change of a contact by people: who, when, and the names of the changed fields. Holds no value."""

    sk_pattern: ClassVar[str] = "CHANGE#{id}"
    ttl_days: ClassVar[int | None] = CHANGE_DAYS

    what: What
    by: str
    at: str
    fields: Annotated[set[str], Field(default_factory=set)]
    ttl: int  # epoch seconds


class Ticket(Record):
    """A ticket of the help desk that the person has opened; it holds no text of it."""

    sk_pattern: ClassVar[str] = "THREAD#richpanel#{id}"
    ttl_days: ClassVar[int | None] = TICKET_DAYS

    ticket_id: str
    last_activity_at: str
    ttl: int  # epoch seconds


class Marker(Record):
    """A note that a request has written or removed: a repeat of the request finds it."""

    sk_pattern: ClassVar[str] = "REQUEST#{cause}"
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    note_id: str
    ttl: int  # epoch seconds
