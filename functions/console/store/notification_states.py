"""Read marks of a person's notifications, and their settings: one item in the inbox table for each person."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final, Literal
from zoneinfo import ZoneInfo

from boto3.dynamodb.conditions import Key
from pydantic import Field

from shared.aws.audited import audited
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item, filled
from shared.inbox.items import LIST_INDEX, pk
from shared.inbox.notifications.items import NotificationKind  # noqa: TC001 - field of an item
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Table

DIGESTS: Final = "notification digests"  # partition of gsi_list; no company has a blank in its id
type Language = Literal["en", "de", "ar"]
_ATTEMPTS: Final = 3  # against changes at the same time


@audited()
class NotificationState(Item):
    """
    What a person has read, and how they want to be notified.

    All notifications up to `read_to` are read, and the newer ones in `read_later`, by their sort keys. The
    person is not disturbed until `quiet_until`, nor from `quiet_from` to `quiet_to` in `zone`.

    A person who wants mails while absent is in the partition DIGESTS of gsi_list, by the time of the next one
    (`activity`): at most one in `digest_hours`, about notifications after `digest_since`. `lacks_address`: the mails
    have ended because the person had no proven address.
    """

    pk_pattern: ClassVar[str] = "NOTIFIED#{company}#{principal}"
    indexes: ClassVar[tuple[str, ...]] = (LIST_INDEX,)
    ttl_days: ClassVar[int | None] = None

    pk: str
    company_id: str
    principal: str
    revision: int = 0
    read_to: str = ""
    read_later: set[str] = Field(default_factory=set)
    muted: set[NotificationKind] = Field(default_factory=set)
    quiet_until: str | None = None
    quiet_from: str | None = None  # HH:MM
    quiet_to: str | None = None
    zone: str | None = None
    digest_hours: int | None = None
    digest_since: str = ""
    lacks_address: bool = False
    language: Language = "en"
    list_pk: str | None = None
    activity: str | None = None

    @classmethod
    def key(cls, company: str, principal: str) -> str:
        """Return the key of a person's state."""
        return filled(cls.pk_pattern, company, principal)

    def has_read(self, key: str) -> bool:
        """Whether the person has read the notification with this sort key."""
        return key.partition("#")[0] <= self.read_to or key in self.read_later

    def is_quiet(self, now_ms: int) -> bool:
        """Whether the person is not to be disturbed now. `quiet_from` to `quiet_to` may go over midnight."""
        if self.quiet_until is not None and clock.from_text(self.quiet_until) > now_ms:
            return True
        if not (self.quiet_from and self.quiet_to and self.zone):
            return False
        at = datetime.fromtimestamp(now_ms / clock.SECOND_MS, ZoneInfo(self.zone)).strftime("%H:%M")
        if self.quiet_from <= self.quiet_to:
            return self.quiet_from <= at < self.quiet_to
        return at >= self.quiet_from or at < self.quiet_to


def get(table: Table, company: str, principal: str) -> NotificationState:
    """Return the state of a person; it is not stored before the person's first change."""
    key = NotificationState.key(company, principal)
    found = table.get_many([pk(key)])
    if found:
        return NotificationState.read(found[0])
    return NotificationState(pk=key, company_id=company, principal=principal)


def change(
    table: Table,
    company: str,
    principal: str,
    made: Callable[[NotificationState], NotificationState],
) -> NotificationState:
    """
    Store what *made* makes of a person's state, and return it. Safe to repeat if *made* is.

    Raises Transient if others change it again and again meanwhile.
    """
    for _ in range(_ATTEMPTS):
        before = get(table, company, principal)
        after = made(before)
        if after == before:
            return before
        after = after.model_copy(update={"revision": before.revision + 1})
        revision = NotificationState.attr("revision")
        unchanged = revision.eq(before.revision) if before.revision else revision.not_exists()
        try:
            table.put(after.attributes(), when=unchanged)
        except ConditionFailed:
            continue
        return after
    raise Transient("notifications_changed_meanwhile")


def with_digest(state: NotificationState, hours: int, first: str, now: str) -> NotificationState:
    """Return the state of a person who wants mails; *first*: the time of the first one if the interval is new."""
    is_same = state.digest_hours == hours
    return state.model_copy(
        update={
            "digest_hours": hours,
            "lacks_address": False,
            "digest_since": state.digest_since if is_same else now,
            "list_pk": DIGESTS,
            "activity": state.activity if is_same else first,
        }
    )


def without_digest(state: NotificationState) -> NotificationState:
    """Return the state of a person who wants no mails."""
    update = {"digest_hours": None, "lacks_address": False, "list_pk": None, "activity": None}
    return state.model_copy(update=update)


def without_address(state: NotificationState) -> NotificationState:
    """Return the state of a person who wants mails and has no proven address."""
    return without_digest(state).model_copy(update={"lacks_address": True})


def due(table: Table, now: str, limit: int) -> list[NotificationState]:
    """Return up to *limit* states whose mail is due, the oldest first. Writes of the last second may be missing."""
    listed = Key(NotificationState.name_of("list_pk")).eq(DIGESTS)
    condition = listed & Key(NotificationState.name_of("activity")).lte(now)
    items, _ = table.query(LIST_INDEX, condition, limit=limit)
    return [NotificationState.read(item) for item in items]


def claim(
    table: Table, state: NotificationState, next_at: str, since: str
) -> NotificationState | None:
    """Take the mail of a state as it was read: set the next time. None if the state has changed meanwhile."""
    return _write(table, state, {"activity": next_at, "digest_since": since})


def give_back(table: Table, claimed: NotificationState, since: str) -> None:
    """Let the next mail tell of what a mail that was not sent would have told, unless the state has changed."""
    _write(table, claimed, {"digest_since": since})


def _write(
    table: Table, state: NotificationState, values: dict[str, str]
) -> NotificationState | None:
    after = state.model_copy(update={**values, "revision": state.revision + 1})
    try:
        table.put(after.attributes(), when=NotificationState.attr("revision").eq(state.revision))
    except ConditionFailed:
        return None
    return after
