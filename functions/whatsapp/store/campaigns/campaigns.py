"""Campaigns and their pages: leases with the owner as fence, and progress that is written with the cursor."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.campaigns import campaign_turns
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.sending.campaigns import (
    Campaign,
    CampaignPage,
    CampaignStatus,
    OpenCampaigns,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes
    from whatsapp.store.items.sending.campaign_tests import CampaignTest

MESSAGES_INDEX = "gsi_campaign"
ACCOUNT_INDEX = "gsi_waba_itemtype"
_of, _page = Campaign.attr, CampaignPage.attr


class TooMany(Exception):
    """As many campaigns are open as the schedule looks after."""


def get(table: Table, campaign: str) -> Campaign | None:
    """Return a campaign (strongly consistent read)."""
    item = table.get(pk(Campaign.key(campaign)))
    return Campaign.read(item) if item else None


def add(table: Table, campaign: Campaign) -> Campaign:
    """Write a new campaign; return the stored one if it exists. Safe to repeat."""
    try:
        table.put(campaign.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Campaign.read(refusal.existing)
    return campaign


def change(
    table: Table,
    campaign: str,
    from_: Sequence[CampaignStatus],
    *,
    when_test: CampaignTest | None = None,
    **fields: Any,  # noqa: ANN401 - values of any field
) -> Campaign | None:
    """
    Set fields of a campaign in one of the states *from_*; None in any other. `None` removes a field.

    *when_test*: only if its test is still this one.
    """
    when: ConditionBase = _of("status").is_in(list(from_))
    if when_test is not None:
        when &= _of("test").eq(when_test.as_stored())
    return _changed(table, campaign, when, fields)


def stop(
    table: Table,
    campaign: str,
    from_: Sequence[CampaignStatus],
    reason: str,
    **fields: Any,  # noqa: ANN401 - as above
) -> Campaign | None:
    """Pause a campaign that stops by itself, not by a person. The first time counts until it runs again."""
    return _changed(table, campaign, _of("status").is_in(list(from_)), fields, reason)


def pause(table: Table, campaign: str, company: str, reason: str, at: str) -> None:
    """
    Pause a running campaign for a problem that was reported at *at*. Safe to repeat.

    A report that is older than its last start changes nothing: a person has decided to go on.
    """
    runs = _of("status").eq("running") & _of("running_since").lte(at)
    _changed(table, campaign, runs & _of("company").eq(company), {}, reason)


def _changed(
    table: Table,
    campaign: str,
    when: ConditionBase,
    fields: Mapping[str, Any],
    stopped: str | None = None,
) -> Campaign | None:
    """*stopped*: why the campaign pauses by itself."""
    given = {name: value for name, value in fields.items() if value is not None}
    once: Attributes = {}
    if stopped is not None:
        given |= {"status": "paused", "pause_reason": stopped}
        once = Campaign.named(stopped_at=clock.to_text(clock.now_ms()))
    try:
        return Campaign.read(
            table.update(
                pk(Campaign.key(campaign)),
                put=Campaign.named(**given),
                put_once=once,
                drop=[Campaign.name_of(name) for name, value in fields.items() if value is None],
                when=when,
            )
        )
    except ConditionFailed:
        return None


def cut(
    table: Table,
    seen: Campaign,
    new: Iterable[CampaignPage],
    /,
    **fields: Any,  # noqa: ANN401 - values of any field
) -> None:
    """
    Write further pages, each once, then the position in the list or audience that they end at.

    Raises Transient after a concurrent cut.
    """
    for page in new:
        if (
            seen.audience is not None
        ):  # Only one worker reads it, and another one before it has read others.
            table.put(page.attributes())
            continue
        with suppress(ConditionFailed):
            table.put(page.attributes(), when=Attr(PARTITION_KEY).not_exists())
    given = {name: value for name, value in fields.items() if value is not None}
    dropped = [Campaign.name_of(name) for name, value in fields.items() if value is None]
    try:
        table.update(
            pk(seen.pk),
            put=Campaign.named(**given),
            drop=dropped,
            when=_of("pages").eq(seen.pages)
            & _of("position").eq(seen.position)
            & _of("total_recipients").not_exists(),
        )
    except ConditionFailed:
        raise Transient("campaign_contended") from None


def name_retry(table: Table, first: Campaign, retry: str) -> bool:
    """
    Name the retry of a campaign in it, in place of the one that is seen there; False if another is named meanwhile.
    Safe to repeat.
    """
    named, before = _of("retried_by"), first.retried_by
    when = named.eq(before) if before else named.not_exists()
    try:
        table.update(
            pk(first.pk), put=Campaign.named(retried_by=retry), when=when | named.eq(retry)
        )
    except ConditionFailed:
        return False
    return True


def fold(
    table: Table,
    seen: Campaign,
    open_from: int,
    tallies: Mapping[str, int],
    **fields: Any,  # noqa: ANN401 - as above
) -> None:
    """Sum up the pages below *open_from*. An older view of the campaign, or a concurrent one, changes nothing."""
    try:
        table.update(
            pk(seen.pk),
            put=Campaign.named(open_from=open_from, tallies=dict(tallies), **fields),
            when=_of("open_from").eq(seen.open_from) & _of("status").eq(seen.status),
        )
    except ConditionFailed:
        return


def count(table: Table, seen: Campaign, **counts: int) -> None:
    """Set counters of a campaign, if they changed. Safe to repeat."""
    changed = {n: value for n, value in counts.items() if getattr(seen, n) != value}
    if changed:
        table.update(pk(seen.pk), put=Campaign.named(**changed), when=Attr(PARTITION_KEY).exists())


def of_account(
    table: Table, waba: str, *, limit: int, start: Attributes | None
) -> tuple[list[Campaign], Attributes | None]:
    """Return a page of an account's campaigns, in no order, and the position after it."""
    name = Campaign.name_of
    when = Key(name("waba_meta_id")).eq(waba) & Key("itemType").eq(Campaign.item_type)
    entries, last = table.query(ACCOUNT_INDEX, when, limit=limit, start=start)
    items = table.get_many([pk(entry[PARTITION_KEY]) for entry in entries])
    return [Campaign.read(item) for item in items], last


def messages_of(
    table: Table, campaign: str, *, limit: int, start: Attributes | None
) -> tuple[list[Message], Attributes | None]:
    """Return a page of a campaign's messages, the newest first, and the position after it."""
    when = Key(Message.name_of("campaign_id")).eq(campaign)
    entries, last = table.query(MESSAGES_INDEX, when, limit=limit, start=start, newest_first=True)
    items = table.get_many([pk(entry[PARTITION_KEY]) for entry in entries])
    return [Message.read(item) for item in items], last


def pages(table: Table, campaign: str, numbers: Iterable[int]) -> list[CampaignPage]:
    """Return pages by number, at most a hundred, in order (strongly consistent read)."""
    keys = [CampaignPage.of(campaign, number) for number in numbers]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [CampaignPage.read(items[key]) for key in keys if key in items]


def lease(
    table: Table, campaign: str, number: int, *, owner: str, until: int, turn: int = 0
) -> CampaignPage | None:
    """Lease a page that is pending, or whose lease has expired, in its current *turn*; None for any other."""
    mine = _page("owner").eq(owner)  # Our own write, whose response was lost.
    try:
        item = table.update(
            pk(CampaignPage.of(campaign, number)),
            put=CampaignPage.named(state="leased", owner=owner, lease_until=until),
            drop=[CampaignPage.name_of("queued_until")],
            when=(campaign_turns.without_worker() & campaign_turns.is_turn(CampaignPage, turn))
            | mine,
        )
    except ConditionFailed:
        return None
    return CampaignPage.read(item)


def save(
    table: Table,
    seen: CampaignPage,
    *,
    cursor: int,
    tallies: Mapping[str, int],
    outcomes: Mapping[str, str],
    places: Mapping[str, int] | None = None,
    state: str = "leased",
    queued_until: int | None = None,
) -> CampaignPage | None:
    """
    Save the progress of a leased page; with another *state* its lease ends. None if another worker has taken over.

    A page that becomes pending is in its next turn, whose event is on the queue until *queued_until*.

    Runs twice when the SDK lost the first response: the condition then fails on the first write, which is returned.
    """
    lease_fields = ("owner", "lease_until") if state != "leased" else ()
    progress = {
        "cursor": cursor,
        "tallies": dict(tallies),
        "outcomes": dict(outcomes),
        "places": dict(places or {}),
        "turn": (seen.turn or 0) + 1 if state == "pending" else None,
    }
    try:
        item = table.update(
            pk(seen.pk),
            put=CampaignPage.named(state=state, queued_until=queued_until, **progress),
            drop=[CampaignPage.name_of(name) for name in lease_fields],
            when=_page("owner").eq(seen.owner) & _page("cursor").eq(seen.cursor),
        )
    except ConditionFailed as refusal:
        stored = CampaignPage.read(refusal.existing) if refusal.existing else None
        is_own = stored is not None and (stored.cursor, stored.tallies, stored.state) == (
            cursor, dict(tallies), state,
        )  # fmt: skip
        return stored if is_own else None
    return CampaignPage.read(item)


def open_(table: Table, campaign: str) -> None:
    """Let the schedule look after a campaign. Safe to repeat. Raises TooMany."""
    ids = OpenCampaigns.attr("ids")
    room = ids.not_exists() | ids.size().lt(OpenCampaigns.most) | ids.contains(campaign)
    try:
        table.update(
            pk(OpenCampaigns.pk_pattern),
            put_once={"itemType": OpenCampaigns.item_type},
            add=OpenCampaigns.named(ids={campaign}),
            when=room,
        )
    except ConditionFailed:
        raise TooMany(f"there are {OpenCampaigns.most} open campaigns") from None


def close(table: Table, campaign: str) -> None:
    """End that. Safe to repeat."""
    table.update(pk(OpenCampaigns.pk_pattern), take_from_set=OpenCampaigns.named(ids={campaign}))
