"""The items of webhooks, in the live table: webhooks, waiting deliveries, the log of deliveries, what is due."""

import secrets
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import Item, filled
from shared.inbox.items import Context
from shared.inbox.live.items import PARTITION_KEY, SORT_KEY
from shared.runtime import clock

KEPT_DAYS: Final = 30  # in the log
WAITING_DAYS: Final = 7  # of deliveries whose webhook is paused
NEW: Final = "new"  # stands for the owner until a run has taken the webhook over
_TIME_DIGITS: Final = 13
_TOKEN_BYTES: Final = 8

type State = Literal["active", "paused"]
type Pause = Literal["person", "failures", "gone"]
type Result = Literal["delivered", "waiting", "failed", "dropped"]


class EventType(StrEnum):
    """What a webhook can be called for."""

    MESSAGE_RECEIVED = "message.received"
    MESSAGE_SENT = "message.sent"
    OPENED = "conversation.opened"
    REOPENED = "conversation.reopened"
    ASSIGNED = "conversation.assigned"
    RESOLVED = "conversation.resolved"  # or archived
    HANDED_OFF = "conversation.handed_off"
    OVERDUE = "conversation.overdue"
    FAILED = "conversation.failed"  # its first message could not be sent or delivered
    OPTED_OUT = "contact.opted_out"
    TEST = "webhook.test"


class SigningKey(BaseModel):
    """
    What a signing secret is derived from (`console.notifications.webhooks.signing_secrets`); it is stored nowhere.

    *number*: of the secret. *fingerprint*: of the identifier key. *until*: epoch seconds, None for the present one.
    *cause*: of the change that made it.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    number: int
    fingerprint: str
    cause: str
    until: int | None = None


@audited("name")
class Webhook(Item):
    """
    A webhook of a company. A run that delivers holds it by a lease (`owner`, `lease_until`).

    `failing_since`: the first failure since the last success; `failed_runs`: runs that gave up since then;
    `hold_until`: when the next one may try. Times in ms since 1970.
    """

    pk_pattern: ClassVar[str] = "WEBHOOKS#{company}"
    sk_pattern: ClassVar[str] = "{webhook}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company: str
    name: str
    url: str = Field(repr=False)
    types: set[EventType]
    contexts: set[Context]
    state: State = "active"
    paused_for: Pause | None = None
    created_at: str
    created_by: str
    signing: Annotated[list[SigningKey], Field(min_length=1)]
    delivered_at: str | None = None
    failing_since: int | None = None
    failed_runs: int = 0
    hold_until: int = 0
    owner: str = NEW
    lease_until: int = 0

    @classmethod
    def partition(cls, company: str) -> str:
        """Return the partition of a company's webhooks."""
        return filled(cls.pk_pattern, company)

    @classmethod
    def key(cls, company: str, webhook: str) -> Attributes:
        """Return the key of a webhook."""
        return {PARTITION_KEY: cls.partition(company), SORT_KEY: filled(cls.sk_pattern, webhook)}

    @property
    def own_key(self) -> Attributes:
        """The key of this webhook."""
        return {PARTITION_KEY: self.pk, SORT_KEY: self.sk}

    @property
    def wanted(self) -> list[str]:
        """What feeds compare with events: contexts and types."""
        return [*sorted(self.contexts), *sorted(self.types)]


class Delivery(Item):
    """
    An event for one webhook; it names no person. `entry`: the key of the conversation's entry, none in a test.

    `after_version`: the entry's version before the event. What is sent is read from a newer one.
    """

    sk_pattern: ClassVar[str] = "{ms}_{event}"
    indexes: ClassVar[tuple[str, ...]] = ()

    pk: str
    sk: str
    type: EventType
    entry: str | None = None
    after_version: int = 0
    attempts: int = 0
    ttl: int

    @classmethod
    def sort_key(cls, at_ms: int, event: str) -> str:
        """Return the place of an event's delivery; text order is time order."""
        return filled(cls.sk_pattern, f"{at_ms:0{_TIME_DIGITS}d}", event)

    @property
    def at_ms(self) -> int:
        """The time of the event."""
        return int(self.sk.partition("_")[0])

    @property
    def event(self) -> str:
        """The id of the event."""
        return self.sk.partition("_")[2]

    @property
    def own_key(self) -> Attributes:
        """The key of this item."""
        return {PARTITION_KEY: self.pk, SORT_KEY: self.sk}


class Waiting(Delivery):
    """A delivery that was not accepted yet. `next_at`: when it may be tried (ms since 1970)."""

    pk_pattern: ClassVar[str] = "WEBHOOK_WAITING#{company}#{webhook}"
    ttl_days: ClassVar[int | None] = WAITING_DAYS

    next_at: int = 0

    @classmethod
    def partition(cls, company: str, webhook: str) -> str:
        """Return the partition of a webhook's waiting deliveries."""
        return filled(cls.pk_pattern, company, webhook)

    @classmethod
    def of(
        cls,
        company: str,
        webhook: str,
        *,
        at_ms: int,
        event: str,
        type_: EventType,
        entry: str | None = None,
        after_version: int = 0,
    ) -> Self:
        """Return a delivery that was not tried."""
        return cls(
            pk=cls.partition(company, webhook),
            sk=cls.sort_key(at_ms, event),
            type=type_,
            entry=entry,
            after_version=after_version,
            ttl=clock.expires_in(WAITING_DAYS * clock.DAY_SECONDS),
        )


class Logged(Delivery):
    """
    A delivery in the log, as its last attempt left it. `status`: the answer's; `problem`: why there is none, or why it
    was not accepted.
    """

    pk_pattern: ClassVar[str] = "WEBHOOK_LOG#{company}#{webhook}"
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    result: Result
    status: int | None = None
    problem: str | None = None
    tried_at: str
    next_at: int | None = None

    @classmethod
    def partition(cls, company: str, webhook: str) -> str:
        """Return the partition of a webhook's log."""
        return filled(cls.pk_pattern, company, webhook)

    @classmethod
    def key(cls, company: str, webhook: str, delivery: str) -> Attributes:
        """Return the key of a delivery in the log."""
        return {PARTITION_KEY: cls.partition(company, webhook), SORT_KEY: delivery}


class Due(Item):
    """
    A webhook, of any company, that may have waiting deliveries: the schedule starts its run at `due_at` (ms).

    `token` is another one in each write, so that a run removes only the item whose deliveries it has seen.
    """

    pk_pattern: ClassVar[str] = "WEBHOOK_DUE"
    sk_pattern: ClassVar[str] = "{company}#{webhook}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str = pk_pattern
    sk: str
    company: str
    webhook: str
    due_at: int
    token: str

    @classmethod
    def of(cls, company: str, webhook: str, at_ms: int = 0) -> Self:
        """Return what is due for a webhook at a time, with a new token."""
        return cls(
            sk=filled(cls.sk_pattern, company, webhook),
            company=company,
            webhook=webhook,
            due_at=at_ms,
            token=secrets.token_hex(_TOKEN_BYTES),
        )

    @classmethod
    def key(cls, company: str, webhook: str) -> Attributes:
        """Return the key of what is due for a webhook."""
        return {
            PARTITION_KEY: cls.pk_pattern,
            SORT_KEY: filled(cls.sk_pattern, company, webhook),
        }
