"""The items of the inbox table: entries of conversations, heads that could not be shown, unfinished rebuilds."""

from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.aws.dynamodb import Attributes
from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import Item, filled, shard_of
from shared.aws.tables.stored_answers import AnsweredOnce
from shared.identity.contacts.claims import Claim
from shared.identity.identifiers import Identifier
from shared.inbox.rounds import Round
from shared.inbox.tallies import Tally
from shared.runtime import clock

PARTITION_KEY: Final = "pk"
LIST_INDEX: Final = "gsi_list"
ASSIGNEE_INDEX: Final = "gsi_assignee"
CONTACT_INDEX: Final = "gsi_contact"
WEEK_MS: Final = 7 * clock.DAY_SECONDS * clock.SECOND_MS
ID_CHARACTERS: Final = 32
PARKED_DAYS: Final = 35
REBUILD_DAYS: Final = 7
# With these lengths an entry in a script of one or two bytes per character stays below 1 KB: one write unit in the
# table, and one for each change of an index.
LONGEST_NAME: Final = 80  # characters
LONGEST_PREVIEW: Final = 120
CUT: Final = "…"
_DATE_CHARACTERS: Final = len("2026-01-31")

type Status = Literal["open", "snoozed", "resolved", "archived"]

type DueState = Literal["at_risk", "overdue"]

type DueFor = Literal["first_response", "resolution", "follow_up"]

type Phase = Literal["heads", "entries", "contacts"]  # the scans of a rebuild

ENTRY_PHASES: Final[tuple[Phase, ...]] = ("heads", "entries")
CONTACT_PHASES: Final[tuple[Phase, ...]] = ("contacts",)
OPEN: Final = "open"
SNOOZED: Final = "snoozed"


class Context(StrEnum):
    """The contexts whose conversations are in the inbox."""

    WHATSAPP = "whatsapp"
    CONVERSATIONS = "conversations"
    EMAIL_THREADS = "email_threads"


class Channel(StrEnum):
    """The channel of a conversation."""

    WHATSAPP = "whatsapp"
    SMS = "sms"
    EMAIL = "email"


# Attributes of a head that its entry does not have.
_NOT_IN_ENTRY: Final = frozenset(
    {
        *("last_activity_at", "answered_at", "ended_at", "claims", "signed", "assigned_by"),
        *("ai_version", "language", "handed_off_for", "ratings", "tally"),
        *("received", "has_opted_out"),
    }
)
_MARK_CHARACTERS: Final = 8


class Marks(BaseModel):
    """
    What an entry keeps of its head so that the next one shows what is new; short names, since the entry must stay below
    1 KB. *received* and *sent*: hashes of the newest message of the customer, and of the company.
    """

    model_config = ConfigDict(extra="allow", populate_by_name=True, frozen=True)

    received: str | None = Field(default=None, alias="i")
    sent: str | None = Field(default=None, alias="s")
    opted_out: bool | None = Field(default=None, alias="o")

    @classmethod
    def of(cls, head: "Head") -> "Marks":
        """Return the marks of a head."""
        return cls(
            received=_mark_of(head.received),
            sent=_mark_of(head.answered_at),
            opted_out=head.has_opted_out or None,
        )


class Entry(Item):
    """
    A conversation in the inbox. Made from the head that its context stores, and never changed in another way.

    `reference` addresses the head in its context: the key of a WhatsApp head, the `ref` of a conversation, the id of a
    thread. `activity` is the time of the newest message with the entry's id, so that no two entries of a list are
    equal. `version` is larger after every write. `ttl` is the head's.

    `contact_id` is the contact that the head's claims named when they were resolved; it may be merged into another one
    since (`shared.identity.contacts.resolution.current`). `claims_mark` is the mark of these claims. `signed`: ids that
    the addresses in the customer's signature have as contacts; such a contact may be the same person. `contact_order`
    has the week of the newest message, so that most messages do not move the entry in the index of its contact.

    `round` is what reports have counted of the conversation; it is written with the counts, and not shown. `marks` show
    what is new in the next head, for webhooks.
    """

    pk_pattern: ClassVar[str] = "ENTRY#{context}#{id}"
    indexes: ClassVar[tuple[str, ...]] = (LIST_INDEX, ASSIGNEE_INDEX, CONTACT_INDEX)
    ttl_days: ClassVar[int | None] = None

    pk: str
    company_id: str
    context: Context
    reference: str = Field(repr=False)
    channel: Channel
    address: str = Field(repr=False)  # of the company: id or digits of a number, or a mailbox
    project_id: str | None = None
    list_pk: str
    assignee_pk: str | None = None
    activity: str
    status: Status
    context_status: str | None = (
        None  # the status in the words of the context, if it has more than these
    )
    snoozed_until: str | None = None
    assignee: str | None = None
    due_at: str | None = None  # of the next target that is not reached, or a reminder
    due_for: DueFor | None = None
    at_risk_at: str | None = None  # the time of the alarm before it
    due_state: DueState | None = None  # that the alarm was given, that it is too late
    waiting_since: str | None = None  # of an open one whose customer's message has no answer
    labels: Annotated[set[str], Field(repr=False)] = Field(default_factory=set)
    unread_count: int = 0
    contact: str | None = Field(default=None, repr=False)  # the customer's name, or a group's
    handle: str | None = Field(default=None, repr=False)  # number, address or user name
    user_id: str | None = Field(default=None, repr=False)  # on WhatsApp, of a hidden number
    subject: str | None = Field(default=None, repr=False)
    preview: str | None = Field(default=None, repr=False)  # the beginning of the newest message
    contact_id: str | None = None
    contact_order: str | None = None
    claims_mark: str | None = None
    signed: set[str] | None = None
    round: Round | None = None  # none: nothing was counted yet
    marks: Marks | None = None
    version: int = 0
    ttl: int | None = None  # epoch seconds

    @classmethod
    def key(cls, context: Context, reference: str) -> str:
        """Return the key of a conversation's entry. References contain addresses, so the key has a hash."""
        return filled(cls.pk_pattern, context, _id_of(context, reference))

    @classmethod
    def of(cls, head: "Head", partitions: int = 1) -> "Entry":
        """Return the entry of a head, without a version. *partitions*: of each list of its company."""
        is_unread = head.unread_count > 0
        shard = shard_of(_id_of(head.context, head.reference), partitions)
        listed = cls.list_of(head.company_id, head.status, unread=is_unread, shard=shard)
        assigned = (
            cls.assigned_list_of(head.company_id, head.assignee, head.status, unread=is_unread)
            if head.assignee
            else None
        )
        return cls(
            **head.model_dump(exclude={*_NOT_IN_ENTRY}),
            pk=cls.key(head.context, head.reference),
            list_pk=listed,
            assignee_pk=assigned,
            activity=f"{head.last_activity_at}#{_id_of(head.context, head.reference)}",
            marks=Marks.of(head),
        )

    @classmethod
    def list_of(cls, company: str, status: Status, *, unread: bool, shard: int = 0) -> str:
        """
        Return a partition of gsi_list: the company's conversations of this status, unread or read.

        Further partitions of the list have a number after the first one's name (`shared.inbox.lists.partitions`).
        """
        first = f"{company}#{_mark(status, unread=unread)}"
        return f"{first}#{shard}" if shard else first

    @classmethod
    def assigned_list_of(cls, company: str, assignee: str, status: Status, *, unread: bool) -> str:
        """Return the partition of gsi_assignee: the conversations of an agent."""
        return f"{company}#{assignee}#{_mark(status, unread=unread)}"

    @staticmethod
    def contact_order_of(context: Context, reference: str, at_ms: int) -> str:
        """Return the place of a conversation among its contact's; *at_ms*: the time of its newest message."""
        week = clock.to_text(at_ms - at_ms % WEEK_MS)[:_DATE_CHARACTERS]
        return f"{week}#{_id_of(context, reference)}"

    @property
    def last_activity_at(self) -> str:
        """The time of the newest message."""
        return self.activity.partition("#")[0]

    def state(self, now: str) -> Status:
        """Return the status at the time *now*: a snoozed conversation is open from `snoozed_until` on."""
        if self.status == SNOOZED and (self.snoozed_until or "") <= now:
            return OPEN
        return self.status

    def content(self) -> Attributes:
        """Return the shown attributes of the entry: all but the version and the round."""
        hidden = {"version", "round"}
        return {name: value for name, value in self.attributes().items() if name not in hidden}


class Head(Item):
    """
    The attributes of a conversation that its context reports. Fields have the meaning that they have in `Entry`.

    `answered_at`: the time of the newest message of the company; `ended_at`: when it was resolved or archived, None if
    the head does not say. `claims`: identifiers of its customer, the one that names the contact first; none if no
    identifier is proven. `signed`: addresses in the customer's signature. `assigned_by`: the principal who made the
    assignment, if the head says it. The entry has none of these.

    `received`: a text that is another one after each message of the customer, at least if its time is another one.
    `has_opted_out`: the customer wants no marketing in this conversation.

    Of an assistant's conversation: `ai_version` of its newest answer, the `language`, the code for which people got it,
    how often they gave each rating to its answers, and the further counts (`tally`) of its outcomes. The entry has none
    of these either.
    """

    company_id: str
    context: Context
    reference: str = Field(repr=False)
    channel: Channel
    address: str = Field(repr=False)
    project_id: str | None = None
    last_activity_at: str  # `YYYY-MM-DDTHH:MM:SS.mmmZ`, also with more digits
    answered_at: str | None = None
    received: str | None = Field(default=None, repr=False)
    has_opted_out: bool = False
    ended_at: str | None = None
    status: Status
    context_status: str | None = None
    snoozed_until: str | None = None
    assignee: str | None = None
    due_at: str | None = None  # of the next target that is not reached, or a reminder
    due_for: DueFor | None = None
    at_risk_at: str | None = None  # the time of the alarm before it
    due_state: DueState | None = None
    waiting_since: str | None = None  # of an open one whose customer's message has no answer
    labels: Annotated[set[str], Field(repr=False)] = Field(default_factory=set)
    unread_count: int = 0
    contact: str | None = Field(default=None, repr=False)
    handle: str | None = Field(default=None, repr=False)
    user_id: str | None = Field(default=None, repr=False)
    subject: str | None = Field(default=None, repr=False)
    preview: str | None = Field(default=None, repr=False)
    ttl: int | None = None
    claims: tuple[Claim, ...] = Field(default=(), repr=False)
    signed: tuple[Identifier, ...] = Field(default=(), repr=False)
    assigned_by: str | None = None
    ai_version: int | None = None
    language: str | None = None
    handed_off_for: str | None = None
    ratings: dict[str, int] = Field(default_factory=dict)
    tally: Tally | None = None


class OfContact(Item):
    """An entry in the index of its contact, which holds keys alone."""

    pk_pattern: ClassVar[str] = Entry.pk_pattern
    ttl_days: ClassVar[int | None] = None

    pk: str
    contact_id: str
    contact_order: str


class ParkedHead(Item):
    """
    A head that a feed could not show, for a reason that no retry removes: one item per conversation.

    Its entry is missing or outdated until `operations inbox rebuild` has shown the head.
    """

    pk_pattern: ClassVar[str] = "PARKED#{context}#{id}"
    indexes: ClassVar[tuple[str, ...]] = (LIST_INDEX,)
    ttl_days: ClassVar[int | None] = PARKED_DAYS

    pk: str
    list_pk: str
    activity: str  # when it was parked
    context: Context
    reference: str = Field(repr=False)
    reason: str
    ttl: int

    @classmethod
    def key(cls, context: Context, reference: str) -> str:
        """Return the key of a parked head."""
        return filled(cls.pk_pattern, context, _id_of(context, reference))

    @classmethod
    def list_of(cls, context: Context) -> str:
        """Return the partition of gsi_list with the parked heads of a context; no company has a blank in its id."""
        return f"parked {context}"


class InboxRequest(AnsweredOnce):
    """A change of the inbox or of contacts by a call, and its sealed answer (`shared.api.idempotency`)."""

    pk_pattern: ClassVar[str] = "REQUEST#{request}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = 1

    pk: str

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item."""
        return pk(filled(cls.pk_pattern, request))


class Rebuild(Item):
    """
    How far a segment of an unfinished rebuild of a context's entries has come, which expires.

    A rebuild of entries scans the heads of the context, then the entries; one of contacts scans the heads, and the
    states of the help desk's tickets (context `richpanel`). Each scan has `segments` parallel parts.
    """

    pk_pattern: ClassVar[str] = "REBUILD#{context}#{phase}#{segment}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = REBUILD_DAYS

    pk: str
    table: str  # of the scan
    segments: int
    position: dict[str, str] | None = Field(default=None, repr=False)  # the last key that was read
    is_done: bool = False
    ttl: int

    @classmethod
    def key(cls, context: str, phase: Phase, segment: int) -> str:
        """Return the key of a segment."""
        return filled(cls.pk_pattern, context, phase, str(segment))


def pk(value: str) -> Attributes:
    """Return the complete key of an item."""
    return {PARTITION_KEY: value}


def shortened(text: str | None, most: int) -> str | None:
    """Return the first *most* characters of a text on one line; None for an empty one."""
    line = " ".join((text or "").split())
    return (line if len(line) <= most else line[: most - 1] + CUT) or None


def _id_of(context: Context, reference: str) -> str:
    return digest("inbox", context, reference)[:ID_CHARACTERS]


def _mark_of(text: str | None) -> str | None:
    return digest("mark", text)[:_MARK_CHARACTERS] if text else None


def _mark(status: Status, *, unread: bool) -> str:
    return f"{status}#{'unread' if unread else 'read'}"
