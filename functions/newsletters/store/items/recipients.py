"""The ledger of an issue: its recipients, their counters, and the mails of its tests."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field

from newsletters.store.items.issues import SHARDS, Variant
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY, TableItem
from shared.aws.tables.items import filled, shard_of

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes


class RecipientState(StrEnum):
    """
    The state of one recipient.

        planned -> sending -> sent | failed | unknown
              '-> skipped
        sending -> planned: the provider certainly has not taken the mail
        unknown -> planned: a person sends it again
        unknown -> sent | failed: by a later event of the provider
    """

    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"
    SKIPPED = "skipped"
    FAILED = "failed"
    UNKNOWN = "unknown"


_TEST_TAG: Final = re.compile(r"test-(?P<test>[0-9a-f]{16})-(?P<number>\d{1,2})", re.ASCII)
ENDED: Final = frozenset(
    {
        RecipientState.SENT,
        RecipientState.SKIPPED,
        RecipientState.FAILED,
        RecipientState.UNKNOWN,
    }
)


class Recipient(TableItem):
    """
    One recipient of an issue. *address_hash* is the keyed hash of the address at the time of the snapshot, which is
    the only one that this recipient's mail goes to; None without an address. The address itself is with the contact.
    *mailbox_provider*: of the address (`mailbox_providers`), None for other domains.

    *attempt* is the number of the newest wire attempt, *owner* who makes it, *deadline_ms* (since 1970) when it is in
    doubt. *not_before* (ms since 1970): its time in the reader's zone. *rank*: of the reader's interest while the
    sender's domain is new (`interest_ranks`). A click within seconds of the delivery is likely automated. Times of the
    provider's events are its own.
    """

    partition: ClassVar[str] = "NLISSUE#{issue_id}#{shard}"
    sort: ClassVar[str] = "RCPT#{recipient}"
    ttl_days: ClassVar[int] = 400

    recipient: str
    contact_id: str
    list_id: str | None = None  # None: of a segment
    address_hash: str | None = None
    mailbox_provider: str | None = None
    state: RecipientState = RecipientState.PLANNED
    reason: str | None = None
    not_before: int | None = None
    rank: int | None = None
    variant: Variant | None = None  # of the sample of a subject test
    attempt: int = 0
    owner: str | None = None
    deadline_ms: int | None = None
    ses_id: str | None = None
    sent_at: str | None = None
    delivered_at: str | None = None
    delayed_at: str | None = None
    clicked_at: str | None = None
    likely_automated_at: str | None = None
    bounced_at: str | None = None
    complained_at: str | None = None
    unsubscribed_at: str | None = None
    ttl: int

    @property
    def is_in_doubt(self) -> bool:
        """Whether a mail may have been sent that the state does not show yet."""
        was_tried = self.state is RecipientState.PLANNED and self.attempt > 0
        return was_tried or self.state in {RecipientState.SENDING, RecipientState.UNKNOWN}

    @classmethod
    def shard_key(cls, issue_id: str, shard: int) -> str:
        """Return the partition of a shard of an issue's recipients."""
        return filled(cls.partition, issue_id, f"{shard:x}")

    @classmethod
    def key_of(cls, issue_id: str, recipient: str) -> Attributes:
        """Return the key of a recipient, by its name."""
        return {
            PARTITION_KEY: cls.shard_key(issue_id, shard_of(recipient, SHARDS)),
            SORT_KEY: filled(cls.sort, recipient),
        }

    def own_key(self) -> Attributes:
        """Return the key of this recipient."""
        return {PARTITION_KEY: self.PK, SORT_KEY: self.SK}


type Count = Literal[
    "audience", "sent", "skipped", "failed", "unknown", "delivered", "delayed", "bounced", "complained",
    "unsubscribed", "clicked", "likely_automated",
]  # fmt: skip


# Beside them, the addresses at all other domains.
type MailboxProvider = Literal["google", "microsoft", "yahoo", "apple", "other"]
MAILBOX_PROVIDERS: Final[tuple[MailboxProvider, ...]] = (
    "google", "microsoft", "yahoo", "apple", "other",
)  # fmt: skip
OTHER: Final[MailboxProvider] = "other"
PROVIDER_COUNTS: Final[tuple[Count, ...]] = (
    "sent", "delivered", "delayed", "bounced", "complained",
)  # fmt: skip


class IssueStats(TableItem):
    """
    A part of the counters of an issue, each the sum over all parts; written with the recipients that it counts. The
    names of counters of one mailbox provider begin with the provider.
    """

    partition: ClassVar[str] = "NLISSUE#{issue_id}"
    sort: ClassVar[str] = "STATS#{shard}"

    audience: int = 0
    sent: int = 0
    skipped: int = 0
    failed: int = 0
    unknown: int = 0
    delivered: int = 0
    delayed: int = 0
    bounced: int = 0
    complained: int = 0
    unsubscribed: int = 0
    clicked: int = 0
    likely_automated: int = 0
    google_waiting: int = 0
    google_sent: int = 0
    google_delivered: int = 0
    google_delayed: int = 0
    google_bounced: int = 0
    google_complained: int = 0
    microsoft_waiting: int = 0
    microsoft_sent: int = 0
    microsoft_delivered: int = 0
    microsoft_delayed: int = 0
    microsoft_bounced: int = 0
    microsoft_complained: int = 0
    yahoo_waiting: int = 0
    yahoo_sent: int = 0
    yahoo_delivered: int = 0
    yahoo_delayed: int = 0
    yahoo_bounced: int = 0
    yahoo_complained: int = 0
    apple_waiting: int = 0
    apple_sent: int = 0
    apple_delivered: int = 0
    apple_delayed: int = 0
    apple_bounced: int = 0
    apple_complained: int = 0
    other_waiting: int = 0
    other_sent: int = 0
    other_delivered: int = 0
    other_delayed: int = 0
    other_bounced: int = 0
    other_complained: int = 0

    @classmethod
    def counted(cls, provider: MailboxProvider, count: Count | Literal["waiting"]) -> str:
        """Return the field that counts the mails to one mailbox provider; `waiting`: recipients without an end."""
        return cls.name_of(f"{provider}_{count}")

    @classmethod
    def key_for(cls, issue_id: str, recipient: str) -> Attributes:
        """Return the key of the part that counts a recipient, another one for recipients of the same shard."""
        return cls.key(issue_id, f"{shard_of(f'stats {recipient}', SHARDS):02}")


VARIANT_COUNTS: Final = ("sent", "clicked", "complained", "unsubscribed")


class VariantStats(TableItem):
    """A part of the counters of a variant in the sample of a subject test; written with the recipients."""

    partition: ClassVar[str] = "NLISSUE#{issue_id}"
    sort: ClassVar[str] = "VARIANT#{variant}#{shard}"

    sent: int = 0
    clicked: int = 0
    complained: int = 0
    unsubscribed: int = 0


type TestOutcome = Literal["delayed", "delivered", "bounced", "complained", "rejected"]


class TestMail(TableItem):
    """
    A mail of a test of an issue to a person of the company: counted nowhere. *sealed* is its content, of a *variant*.
    States as of a recipient; *outcome* is what the provider has reported since. In its events *tag* stands for the
    recipient.
    """

    __test__ = False
    partition: ClassVar[str] = "NLISSUE#{issue_id}"
    sort: ClassVar[str] = "TEST#{test_id}#{number}"
    ttl_days: ClassVar[int] = 1

    test_id: str
    number: int
    address: str = Field(repr=False)
    sealed: dict[str, Any]
    variant: Variant = "a"
    state: RecipientState = RecipientState.PLANNED
    outcome: TestOutcome | None = None
    reason: str | None = None
    owner: str | None = None
    deadline_ms: int | None = None
    ttl: int

    @property
    def tag(self) -> str:
        """What names the mail in a tag of the provider; no hash of an address begins like it."""
        return f"test-{self.test_id}-{self.number}"

    @classmethod
    def named_by(cls, tag: str) -> tuple[str, str] | None:
        """Return the test and the number of the mail that a tag names; None for the tag of a recipient."""
        found = _TEST_TAG.fullmatch(tag)
        return (found["test"], found["number"]) if found else None
