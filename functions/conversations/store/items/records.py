"""
The books beside conversations: requests that were answered, counters of limits, what nobody could place.

    IDEMPOTENCY#<hash>    #             Answered    the answer to a request, for its repetitions
    RATE#<what>#<subject>  #            Rate        how often something happened, see `shared.rate_limits`
    THROTTLED#<sender>    #             Throttled   a sender of ours is too fast for its provider, for the time being
    TOKENS#<company>#<project>  <day>  Spent       what models have read and written for a project on a day (UTC)
    UNMATCHED#<company>   <time>#<id>   Unmatched   a message that belongs to no conversation
    PARK#<day>            <time>#<id>   Parked      an event that can never be handled, and why
    STRAY#<subject>       <pk>|<sk>     Stray       an unmatched message or parked event, by whose it is
    UNREACHABLE#<company>#<hash>  <channel>  Unreachable  an address that a channel does not reach
    FILE#<hash>           <account>#<file>  EarlyFile   a file that is here before its message
    LETTER#<hash>         #             DeadLetter  why an event became a dead letter
    ERASED#<company>#...  #             ErasedAddress  what was of a person until a time is not taken again
    ERASED#<hash>         #             ErasedMessage  nor is this message of theirs
"""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import Field

from conversations.store.items.base import ONLY, LogItem, sort_key
from conversations.store.items.log import MARKER_DAYS


class Answered(LogItem):
    """
    A request of an API and its answer. `fingerprint` is a hash of what was asked; `owner` and `lease_until` (ms since
    1970) are there while it is being answered.
    """

    item_type: ClassVar[str] = "IDEMPOTENCY"
    pk_pattern: ClassVar[str] = "IDEMPOTENCY#{hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = 35

    fingerprint: str
    owner: str | None = None
    lease_until: int | None = None
    answer: dict[str, Any] | None = Field(default=None, repr=False)


class Rate(LogItem):
    """How often something happened; what stands in it is that of the counters of `shared.rate_limits`."""

    item_type: ClassVar[str] = "RATE"
    pk_pattern: ClassVar[str] = "RATE#{what}#{subject}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "a day longer than what it limits"


class Throttled(LogItem):
    """A sender of ours was too fast for its provider; as long as the item lives it keeps to a slower pace."""

    item_type: ClassVar[str] = "THROTTLED"
    pk_pattern: ClassVar[str] = "THROTTLED#{sender}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "as long as the slower pace"


class Spent(LogItem):
    """What models have read and written for a project on one day; `calls` is how often they were asked."""

    item_type: ClassVar[str] = "SPENT"
    pk_pattern: ClassVar[str] = "TOKENS#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "{day}"
    ttl_days: ClassVar[int | None] = 400  # a year, and time to look back at it

    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0

    @classmethod
    def sk(cls, day: str) -> str:
        """The sort key of a day, `YYYY-MM-DD`."""
        return sort_key(cls.sk_pattern, day)


class Unmatched(LogItem):
    """
    A customer's message that belongs to no conversation, for people to place.

    `attached_by` is the agent who placed it, `attached_principal` the authenticated caller.
    """

    item_type: ClassVar[str] = "UNMATCHED"
    pk_pattern: ClassVar[str] = "UNMATCHED#{company_id}"
    sk_pattern: ClassVar[str] = "{time}#{id}"
    ttl_days: ClassVar[int | None] = 30

    unmatched_id: str
    project_id: str
    channel_method: str
    received_at: str
    event: dict[str, Any] = Field(repr=False)  # the event as it came
    attached_to: str | None = None
    attached_by: str | None = None
    attached_principal: str | None = None

    @classmethod
    def sk(cls, time: str, unmatched_id: str) -> str:
        """The sort key, in order of time."""
        return sort_key(cls.sk_pattern, time, unmatched_id)


class ParkReason(StrEnum):
    """Why an event can never be handled."""

    UNREADABLE = "unreadable"
    WRONG_QUEUE = "wrong_queue"
    CONFLICT = "conflict"
    UNKNOWN_ADDRESS = "UNKNOWN_ADDRESS"
    TENANT_MISMATCH = "TENANT_MISMATCH"
    TOO_LARGE = "too_large"
    GONE = "conversation_gone"
    ERASED = "erased"
    OTHER = "other"


class Parked(LogItem):
    """An event that can never be handled. Only what is needed to find it again: no text, no address."""

    item_type: ClassVar[str] = "PARKED"
    pk_pattern: ClassVar[str] = "PARK#{day}"
    sk_pattern: ClassVar[str] = "{time}#{id}"
    ttl_days: ClassVar[int | None] = 35

    parked_id: str
    reason: str
    source: str  # the queue it came by
    event_type: str | None = None
    company_id: str | None = None
    # The pointer (`shared.aws.stored_objects`) to the whole event, for a replay.
    body_object: dict[str, Any] | None = None
    replays: int | None = (
        None  # how often it was put back on its queue; parked again it is another item
    )
    replayed_at: str | None = None
    subjects: list[str] = Field(default_factory=list)  # those of the Stray items that lead here

    @classmethod
    def sk(cls, time: str, parked_id: str) -> str:
        """The sort key, in order of time."""
        return sort_key(cls.sk_pattern, time, parked_id)


class Stray(LogItem):
    """
    Leads from a subject to an unmatched message or a parked event, so that no others have to be read to find it.

    A subject is the hash of an address, the `ref` of a conversation, the hash of a provider's message id, or what
    `subjects` has for a company and for events that cannot be read. An item that leads nowhere any more ends with its
    `ttl`.
    """

    item_type: ClassVar[str] = "STRAY"
    pk_pattern: ClassVar[str] = "STRAY#{subject}"
    sk_pattern: ClassVar[str] = "{stray_pk}|{stray_sk}"
    ttl_note: ClassVar[str] = "a week longer than what it leads to"

    stray_pk: str
    stray_sk: str

    @classmethod
    def sk(cls, stray_pk: str, stray_sk: str) -> str:
        """The sort key: parked events of a subject are in the order of time."""
        return sort_key(cls.sk_pattern, stray_pk, stray_sk)


class Unreachable(LogItem):
    """
    An address that a channel does not reach, as its provider said of a message: *reason* is the code, *at* when.

    Nothing is sent there until somebody writes from it, or the item ends: numbers and mailboxes change hands.
    """

    item_type: ClassVar[str] = "UNREACHABLE"
    pk_pattern: ClassVar[str] = "UNREACHABLE#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = "{channel_method}"
    ttl_days: ClassVar[int | None] = 365

    reason: str
    at: str
    evidence: str  # our id of the message

    @classmethod
    def sk(cls, channel_method: str) -> str:
        """The sort key: an address may be reached by one channel and not by another."""
        return sort_key(cls.sk_pattern, channel_method)


class EarlyFile(LogItem):
    """
    A file that lies in our bucket before the log has its message, by the hash of the provider's id of that one.

    Whoever stores the message looks here. It lives as long as anything brings a message again. The account that told
    of it is part of the key: another account can neither replace nor hide it.
    """

    item_type: ClassVar[str] = "EARLY_FILE"
    pk_pattern: ClassVar[str] = "FILE#{message_hash}"
    sk_pattern: ClassVar[str] = "{account}#{file}"
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    provider_id: str | None = None  # of the file, as the message names it
    file_key: str
    account: str = ""
    business_address: str = ""

    @classmethod
    def sk(cls, account: str, provider_id: str | None) -> str:
        """The sort key of a file among those of its message."""
        return sort_key(cls.sk_pattern, account or ONLY, provider_id or ONLY)


class DeadLetter(LogItem):
    """
    Why an event failed at its last attempt, by the hash of its body: the letter itself cannot say.

    When it dies again, after a redrive, the newest reason stands.
    """

    item_type: ClassVar[str] = "DEAD_LETTER"
    pk_pattern: ClassVar[str] = "LETTER#{body_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    reason: str
    source: str  # the queue it died in
    attempts: int
    died_at: str


class ErasedAddress(LogItem):
    """
    A person with this address was erased: what was said or asked before that time and comes late is not taken again.

    It lives as long as anything can come again: providers repeat for a week, queues and dead letters keep for 28 days.
    """

    item_type: ClassVar[str] = "ERASED_ADDRESS"
    pk_pattern: ClassVar[str] = "ERASED#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    erased_at: str


class ErasedMessage(LogItem):
    """
    A message of an erased person, by the hash of the provider's id, which may hold a number.

    Some providers' webhooks tell no time: of those that come again, only this says that they were there before.
    """

    item_type: ClassVar[str] = "ERASED_MESSAGE"
    pk_pattern: ClassVar[str] = "ERASED#{message_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    erased_at: str
