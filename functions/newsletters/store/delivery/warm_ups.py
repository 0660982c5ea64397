"""The warm-up of senders' domains: plans, and the counter of the present day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import WarmUp
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY, timestamp
from newsletters.store.items.recipients import MAILBOX_PROVIDERS
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from newsletters.store.items.company import LowerLimit
    from newsletters.store.items.recipients import MailboxProvider
    from shared.aws.dynamodb import Attributes, Table

EVENTS: Final = ("bounced", "complained", "delayed")  # that make a day bad
MOST_DOMAINS = 100  # of a company, in a list
_PREFIX = WarmUp.sort.partition("{")[0]


def get(table: Table, company_id: str, domain: str) -> WarmUp:
    """Return the warm-up of a domain; a new domain has the default plan."""
    key = WarmUp.key(company_id, domain)
    item = table.get(key)
    return WarmUp.read(item) if item else WarmUp(**key, company_id=company_id, domain=domain)


def of_company(table: Table, company_id: str) -> list[WarmUp]:
    """Return the warm-ups of a company's domains, by name."""
    condition = Key(PARTITION_KEY).eq(WarmUp.key(company_id, "-")[PARTITION_KEY])
    rows, _ = table.query(None, condition & Key(SORT_KEY).begins_with(_PREFIX), limit=MOST_DOMAINS)
    return [WarmUp.read(row) for row in rows]


def put_plan(
    table: Table, present: WarmUp, limits: Sequence[int], provider_percent: int, by: str
) -> WarmUp:
    """Replace the plan of a domain; its counts stay. Raises StaleVersion."""
    put = WarmUp.named(
        company_id=present.company_id,
        domain=present.domain,
        limits=[*limits],
        provider_percent=provider_percent,
        updated_at=timestamp(clock.now_ms()),
        updated_by=by,
        version=present.version + 1,
    )
    is_as_read: ConditionBase = WarmUp.attr("version").eq(present.version)
    if not present.version:
        is_as_read |= Attr(PARTITION_KEY).not_exists()
    try:
        stored = table.update(
            WarmUp.key(present.company_id, present.domain), put=put, when=is_as_read
        )
    except ConditionFailed:
        raise StaleVersion("version: the warm-up has changed; read it again") from None
    return WarmUp.read(stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    A place of a day (UTC) for a mail: at *step* of the plan, with at most *limit* mails, and *most* to the provider.
    *reason*: why the limit is not higher.
    """

    day: str
    step: int
    limit: int
    provider: MailboxProvider
    most: int
    reason: LowerLimit | None


def to_take(table: Table, warm_up: WarmUp, place: Place) -> Attributes:
    """
    Return the write that counts a mail, for a transaction. It is refused if the day has no such place, or if the
    counter was moved to another day.
    """
    key, provider = WarmUp.key(warm_up.company_id, warm_up.domain), place.provider
    if warm_up.day == place.day:
        has_place = _is_on(place.day, place.step)
        has_place &= WarmUp.attr("total").lt(place.limit)
        has_place &= WarmUp.attr(provider).lt(place.most)
        return table.to_update(key, add=WarmUp.named(total=1, **{provider: 1}), when=has_place)
    first = begun(warm_up, place)
    if warm_up.version == 0 and warm_up.day is None:
        fresh = warm_up.model_copy(update=first)
        return table.to_put(fresh.attributes(), when=Attr(PARTITION_KEY).not_exists())
    is_before: ConditionBase = WarmUp.attr("day").not_exists()
    if warm_up.day is not None:
        # The step follows from these counts: an event that was counted meanwhile has the day read again.
        is_before = _is_on(warm_up.day, warm_up.step)
        for name in EVENTS:
            counted = WarmUp.attr(name).eq(getattr(warm_up, name))
            is_before &= (
                counted if getattr(warm_up, name) else counted | WarmUp.attr(name).not_exists()
            )
    put = {name: value for name, value in WarmUp.named(**first).items() if value is not None}
    drop = [] if place.reason else [WarmUp.name_of("reason")]
    return table.to_update(key, put=put, drop=drop, when=is_before)


def begun(warm_up: WarmUp, place: Place) -> dict[str, Any]:
    """Return the fields of the first mail of a day."""
    return {
        **dict.fromkeys((*MAILBOX_PROVIDERS, *EVENTS), 0),
        place.provider: 1,
        "day": place.day,
        "step": place.step,
        "total": 1,
        "total_before": warm_up.total,
        "reason": place.reason,
    }


def to_count(table: Table, warm_up: WarmUp, count: str) -> Attributes | None:
    """Return the write that counts an event on the newest day with mails; None before the first one."""
    if warm_up.day is None:
        return None
    key = WarmUp.key(warm_up.company_id, warm_up.domain)
    return table.to_update(
        key, add=WarmUp.named(**{count: 1}), when=_is_on(warm_up.day, warm_up.step)
    )


def to_give_back(table: Table, warm_up: WarmUp, place: Place) -> Attributes:
    """Return the write that takes the count of a mail back which certainly was not sent, if the day is not over."""
    return table.to_update(
        WarmUp.key(warm_up.company_id, warm_up.domain),
        add=WarmUp.named(total=-1, **{place.provider: -1}),
        when=_is_on(place.day, place.step),
    )


def _is_on(day: str, step: int) -> ConditionBase:
    return WarmUp.attr("day").eq(day) & WarmUp.attr("step").eq(step)
