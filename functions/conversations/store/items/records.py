"""
Records outside of conversations: idempotency, rate limits, unmatched and parked events, tombstones.

    IDEMPOTENCY#<hash>    #             Answered    the answer to a request, for its retries
    RATE#<what>#<subject>  #            Rate        a rate-limit counter, see `shared.aws.tables.rate_limits`
    TURNS#<company>#<project>  #        TurnSlots   the reply turns of a project that are running
    THROTTLED#<sender>    #             Throttled   a business sender slowed down after its provider throttled it
    TOKENS#<company>#<project>  <day>  Spent       model tokens and dollars of a project on a day (UTC)
    UNMATCHED#<company>   <time>#<id>   Unmatched   a message that belongs to no conversation
    PARK#<day>            <time>#<id>   Parked      an event that can never be handled, with the reason
    STRAY#<subject>       <pk>|<sk>     Stray       index entry of an unmatched message or parked event, by subject
    FILE#<hash>           <account>#<file>  EarlyFile   a file stored before its message
    LETTER#<hash>         #             DeadLetter  why an event became a dead letter
    LISTED#<account>      <list>        ListPosition  how far the gap check has read a list of Twilio's messages
    ERASED#<company>#...  #             ErasedAddress  tombstone of an address: earlier events are refused
    ERASED#<hash>         #             ErasedMessage  tombstone of a message of an erased person
"""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import Field

from conversations.store.items.base import ONLY, LogItem, key, sort_key
from conversations.store.items.log import MARKER_DAYS
from shared.aws.dynamodb import Attributes


class Answered(LogItem):
    """
    An API request and its answer (`shared.api.idempotency`). `fingerprint` is a hash of the request; `owner` and
    `lease_until` (ms since 1970) are set while it is being processed.
    """

    item_type: ClassVar[str] = "IDEMPOTENCY"
    pk_pattern: ClassVar[str] = "IDEMPOTENCY#{hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = 35

    fingerprint: str
    owner: str | None = None
    lease_until: int | None = None
    answer: dict[str, Any] | None = Field(default=None, repr=False)

    @classmethod
    def request_key(cls, request: str) -> Attributes:
        """Return the whole key of a request's item; *request* is a hash."""
        return key(cls.partition(request))

    @classmethod
    def claimed(cls, request: str, *, fingerprint: str, owner: str, lease_until: int) -> Attributes:
        """Return a new item as it is stored."""
        item = cls(
            fingerprint=fingerprint,
            owner=owner,
            lease_until=lease_until,
            ttl=cls.time_to_live(),
        )
        return item.attributes(cls.request_key(request))


class Rate(LogItem):
    """A rate-limit counter; its attributes are defined by the counters of `shared.aws.tables.rate_limits`."""

    item_type: ClassVar[str] = "RATE"
    pk_pattern: ClassVar[str] = "RATE#{what}#{subject}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "one day longer than the limited period"


class Throttled(LogItem):
    """A business sender that its provider has throttled; it sends at a slower pace until the item expires."""

    item_type: ClassVar[str] = "THROTTLED"
    pk_pattern: ClassVar[str] = "THROTTLED#{sender}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "until the throttling ends"

    free_at: int | None = None  # ms since 1970, see `shared.aws.tables.rate_limits.gcra`


class TurnSlots(LogItem):
    """
    The reply turns of a project that are running, if the project limits them (`max_concurrent_turns`).

    A member of `turns` is `<lease end, ms since 1970>#<id of the worker>`. Until `older_until` (ms since 1970) a turn
    that has waited for long is about to be tried again: other turns take no slot.
    """

    item_type: ClassVar[str] = "TURN_SLOTS"
    pk_pattern: ClassVar[str] = "TURNS#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = 2  # far longer than any lease; every turn renews it

    turns: set[str] = Field(default_factory=set)
    older_until: int | None = None


class Spent(LogItem):
    """
    What models of a project used on one day (UTC): tokens, calls, and estimated micro-dollars. `is_warned`: the alarm
    before the end of the budget was raised.
    """

    item_type: ClassVar[str] = "SPENT"
    pk_pattern: ClassVar[str] = "TOKENS#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "{day}"
    ttl_days: ClassVar[int | None] = 400  # a year, and some time for reports on it

    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0
    is_warned: bool | None = None
    calls: int = 0

    @classmethod
    def sk(cls, day: str) -> str:
        """Return the sort key of a day, `YYYY-MM-DD`."""
        return sort_key(cls.sk_pattern, day)


class Unmatched(LogItem):
    """
    A customer's message that belongs to no conversation; agents can attach it to one.

    `attached_by` is the agent who attached it, `attached_principal` the authenticated caller.
    """

    item_type: ClassVar[str] = "UNMATCHED"
    pk_pattern: ClassVar[str] = "UNMATCHED#{company_id}"
    sk_pattern: ClassVar[str] = "{time}#{id}"
    ttl_days: ClassVar[int | None] = 30

    unmatched_id: str
    project_id: str
    channel_method: str
    received_at: str
    event: dict[str, Any] = Field(repr=False)  # the event as received
    attached_to: str | None = None
    attached_by: str | None = None
    attached_principal: str | None = None

    @classmethod
    def sk(cls, time: str, unmatched_id: str) -> str:
        """Return the sort key; text order is time order."""
        return sort_key(cls.sk_pattern, time, unmatched_id)


class ParkReason(StrEnum):
    """The reason why an event can never be handled."""

    MALFORMED = "malformed_event"
    WRONG_QUEUE = "wrong_queue"
    CONFLICT = "conflict"
    UNKNOWN_ADDRESS = "UNKNOWN_ADDRESS"
    TENANT_MISMATCH = "TENANT_MISMATCH"
    TOO_LARGE = "too_large"
    GONE = "conversation_gone"
    ERASED = "erased"
    OTHER = "other"


class Parked(LogItem):
    """An event that can never be handled. Contains only what a lookup needs: no text, no address."""

    item_type: ClassVar[str] = "PARKED"
    pk_pattern: ClassVar[str] = "PARK#{day}"
    sk_pattern: ClassVar[str] = "{time}#{id}"
    ttl_days: ClassVar[int | None] = 35

    parked_id: str
    reason: str
    source: str  # the queue that delivered it
    event_type: str | None = None
    company_id: str | None = None
    # Pointer (`shared.aws.stored_objects`) to the whole event, for a replay.
    body_object: dict[str, Any] | None = None
    replays: int | None = None  # number of replays; an event that is parked again is a new item
    replayed_at: str | None = None
    replayed_by: str | None = None  # the authenticated caller of the last replay
    subjects: list[str] = Field(default_factory=list)  # of the Stray items that point to this item

    @classmethod
    def sk(cls, time: str, parked_id: str) -> str:
        """Return the sort key; text order is time order."""
        return sort_key(cls.sk_pattern, time, parked_id)


class Stray(LogItem):
    """
    Index entry from a subject to an unmatched message or a parked event, so that a lookup reads no others.

    A subject is the hash of an address, the `ref` of a conversation, the hash of a provider message id, or the value
    that `privacy.subjects` defines for a company or for unreadable events. An entry whose item is gone expires with
    its `ttl`.
    """

    item_type: ClassVar[str] = "STRAY"
    pk_pattern: ClassVar[str] = "STRAY#{subject}"
    sk_pattern: ClassVar[str] = "{stray_pk}|{stray_sk}"
    ttl_note: ClassVar[str] = "one week longer than the indexed item"

    stray_pk: str
    stray_sk: str

    @classmethod
    def sk(cls, stray_pk: str, stray_sk: str) -> str:
        """Return the sort key, which orders the parked events of a subject by time."""
        return sort_key(cls.sk_pattern, stray_pk, stray_sk)


class EarlyFile(LogItem):
    """
    A file that is in the bucket before its message is in the log, keyed by the hash of the provider message id.

    Intake looks it up after it has stored the message. It is kept as long as a message can be redelivered. The
    reporting account is part of the key: another account can neither replace nor hide the file.
    """

    item_type: ClassVar[str] = "EARLY_FILE"
    pk_pattern: ClassVar[str] = "FILE#{message_hash}"
    sk_pattern: ClassVar[str] = "{account}#{file}"
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    provider_id: str | None = None  # id of the file in the message
    file_key: str
    account: str = ""
    business_address: str = ""

    @classmethod
    def sk(cls, account: str, provider_id: str | None) -> str:
        """Return the sort key of a file among the files of its message."""
        return sort_key(cls.sk_pattern, account or ONLY, provider_id or ONLY)


class DeadLetter(LogItem):
    """
    Why an event failed at its last attempt, by the hash of its body: the dead letter does not contain the reason.

    If it fails again after a redrive, the newest reason wins.
    """

    item_type: ClassVar[str] = "DEAD_LETTER"
    pk_pattern: ClassVar[str] = "LETTER#{body_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    reason: str
    source: str  # the worker whose last attempt failed
    attempts: int
    died_at: str


class ListPosition(LogItem):
    """
    How far the gap check has read one of its two lists of a Twilio account's messages; times are ms since 1970.

    With `page`, the path of the next page, the period from `since` to `until` is not read to its end. `until` of a
    complete period is the time up to which all messages were checked.
    """

    item_type: ClassVar[str] = "LIST_POSITION"
    pk_pattern: ClassVar[str] = "LISTED#{account}"
    sk_pattern: ClassVar[str] = "{list}"
    # An account that is checked again later begins with the newest messages.
    ttl_days: ClassVar[int | None] = 7

    since: int
    until: int
    page: str | None = None

    @classmethod
    def sk(cls, list_name: str) -> str:
        """Return the sort key of a list: `new` or `day_old`."""
        return sort_key(cls.sk_pattern, list_name)


class ErasedAddress(LogItem):
    """
    Tombstone of an address of an erased person: messages and requests from before that time are refused.

    It is kept as long as an event can arrive again: providers retry for a week, queues and dead letters for 28 days.
    """

    item_type: ClassVar[str] = "ERASED_ADDRESS"
    pk_pattern: ClassVar[str] = "ERASED#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    erased_at: str


class ErasedMessage(LogItem):
    """
    Tombstone of a message of an erased person, by the hash of the provider's id, which may contain a phone number.

    Some providers' webhooks carry no time: only this tombstone identifies them when they are delivered again.
    """

    item_type: ClassVar[str] = "ERASED_MESSAGE"
    pk_pattern: ClassVar[str] = "ERASED#{message_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    erased_at: str
