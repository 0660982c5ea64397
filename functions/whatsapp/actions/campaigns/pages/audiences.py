"""
The recipients of a campaign from a list or segment of contacts, or from the failed messages of another one, read when
it starts and cut into pages.

    lease    ->    people of the audience, in its order    ->    a page, with the position in the audience    ->    ...

A person is in one page. A worker that is killed leaves the position of the last page, from which the next one reads on:
the page that it may have begun is replaced. People without an address, with a withdrawn number, who have opted out, or
who lack a value for the template are left out and counted; the last check is made at every send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from shared.aws.tables import leases
from shared.contacts import audience
from shared.contacts.audience import Audience, AudiencePage
from shared.contacts.lists import ListNotFound
from shared.contacts.segments import SegmentNotFound
from shared.identity.addresses import USER_ID_PREFIX
from shared.identity.contacts.attributes import text_of
from shared.inbox.items import Channel
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.campaigns.pages import cutting, failures, parts, recipients
from whatsapp.privacy import tombstones
from whatsapp.store.campaigns import audience_readings, campaign_turns
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaign_tests import BodyField
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shared.contacts.audience import Recipient
    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.actions.campaigns.pages.recipients import Row
    from whatsapp.store.items import Phone
    from whatsapp.store.items.sending.campaigns import AudienceOfCampaign

# An erasure writes tombstones, and waits longer before it looks for the person in pages: what a turn has read before
# them is stored by then.
TURN_MS: Final = 45 * clock.SECOND_MS
MISSING: Final = "audience_missing"
NO_VALUE: Final = "missing_value"

type Person = tuple[str, Row | None, str]
type Fields = Sequence[BodyField]


def cut(
    resources: ActionResources,
    campaign: Campaign,
    owner: str,
    turn: int,
    remaining_ms: Callable[[], int],
) -> bool:
    """
    Cut further people of a campaign's audience into pages, or finish when all are; return whether some are left.

    Safe to repeat. Raises Transient after a concurrent change.
    """
    phone = store.phones.get(resources.table, campaign.phone)
    if campaign.status == "paused":
        campaign_turns.forget(resources.table, Campaign, campaign.pk, turn)
        return False
    if campaign.total_recipients is not None:
        drop_begun(resources, campaign)
        return False
    until = leases.expiry(remaining_ms())
    leased = audience_readings.lease(resources.table, campaign, owner=owner, turn=turn, until=until)
    if leased is None or leased.audience is None or phone is None:
        return False
    try:
        return _cut(resources, leased, phone, remaining_ms)
    except (ListNotFound, SegmentNotFound):
        _give_up(resources, campaign.campaign_id, MISSING)
    except _TooMany:
        _give_up(resources, campaign.campaign_id, "too_many_recipients")
    except Exception:
        audience_readings.release(resources.table, campaign.campaign_id, owner)
        raise
    return False


class _TooMany(Exception):
    """The audience has more people than a campaign may have."""


def _cut(
    resources: ActionResources,
    campaign: Campaign,
    phone: Phone,
    remaining_ms: Callable[[], int],
) -> bool:
    begun, ends = remaining_ms(), cutting.SPARE_MS
    part, left_out, of = cutting.Part.after(campaign), dict(campaign.left_out), _of(campaign)
    at_once = max(1, recipients.PAGE // 2)
    while not of.is_read:
        people, after = read(resources, campaign, of, limit=at_once)
        for _, row, reason in people:
            if row is not None:
                part.take(row, phone)
            else:
                left_out[reason] = left_out.get(reason, 0) + 1
        if part.number > recipients.MOST_ROWS:
            raise _TooMany
        of = of.model_copy(update={"after": after, "is_read": after is None or None})
        is_late = remaining_ms() < max(ends, begun - TURN_MS)
        if of.is_read or is_late or len(part.rows) + at_once > recipients.PAGE:
            position = campaign.position + 1
            further: dict[str, Any] = {"audience": of.as_stored(), "left_out": left_out or None}
            campaign = cutting.saved(resources, campaign, part, position, **further)
            campaign = campaign.model_copy(update={"audience": of, "left_out": left_out})
            part = cutting.Part.after(campaign)
        if is_late and not of.is_read:
            return True
    drop_begun(resources, campaign)
    cutting.finish(resources, campaign)
    return False


def read(
    resources: ActionResources, campaign: Campaign, of: AudienceOfCampaign, *, limit: int
) -> tuple[list[Person], str | None]:
    """
    Return the next people of an audience, at most *limit*, and the position after them, None at the end.

    A person is an id, of the contact or of the failed message, and a row; or None for the row, and the reason why the
    person is left out. Raises ListNotFound and SegmentNotFound.
    """
    if of.kind == "failed":
        messages, after = failures.read(resources, campaign, of, limit=limit)
        return list(failures.rows_of(resources, campaign, messages)), after
    wanted = Audience(kind=of.kind, id=of.id)
    found = audience.page(
        resources.people, str(campaign.company), wanted, Channel.WHATSAPP,
        limit=limit, after=of.after,
    )  # fmt: skip
    return list(_rows_of(resources, campaign, found)), found.after


def _rows_of(
    resources: ActionResources, campaign: Campaign, found: AudiencePage
) -> Iterator[Person]:
    fields = _of(campaign).body_fields
    for one in found.left_out:
        is_elsewhere = parts.is_elsewhere(campaign, one.contact_id)
        yield one.contact_id, None, parts.OTHER if is_elsewhere else one.reason
    for person in found.recipients:
        if parts.is_elsewhere(campaign, person.contact_id):
            yield person.contact_id, None, parts.OTHER
            continue
        own_id = person.address.removeprefix("+").removeprefix(USER_ID_PREFIX)
        until = tombstones.erased_until(resources.table, str(campaign.company), [own_id])
        # An erasure goes through the contexts, and removes contacts last.
        if person.proven_at <= until:
            yield person.contact_id, None, failures.ERASED
        else:
            yield person.contact_id, *_row(person, fields)


def _row(person: Recipient, fields: Fields) -> tuple[Row | None, str]:
    if person.consent.is_opted_out:
        return None, failures.OPTED_OUT
    texts = [_text(person, one) for one in fields]
    if None in texts:
        return None, NO_VALUE
    values = {"bodyParams": texts} if fields else {}
    return {"to": person.address.removeprefix(USER_ID_PREFIX), **values}, ""


def _text(person: Recipient, field: BodyField) -> str | None:
    """Return the text that a variable shows, on one line without repeated blanks; None without one."""
    value = person.values.get(field.field)
    text = " ".join(text_of(value).split()) if value is not None else ""
    return text or field.default


def _of(campaign: Campaign) -> AudienceOfCampaign:
    if campaign.audience is None:
        raise TypeError("the campaign has no audience")
    return campaign.audience


def drop_begun(resources: ActionResources, campaign: Campaign) -> None:
    """Delete the page after the last one, which a killed worker may have begun. Safe to repeat."""
    number = campaign.pages + 1
    key = recipients.page_key(str(campaign.company), campaign.campaign_id, number)
    resources.bucket.delete(key)
    resources.table.delete(pk(CampaignPage.of(campaign.campaign_id, number)))


def _give_up(resources: ActionResources, campaign_id: str, reason: str) -> None:
    """Pause a campaign whose audience cannot be read; it cannot go on, and its pages are cancelled."""
    campaign = records.get(resources.table, campaign_id)
    if campaign is None or not campaign.reads_audience:
        return
    drop_begun(resources, campaign)
    records.stop(
        resources.table, campaign_id, ["draft", "scheduled", "paused"], reason,
        outcome="cancelled", total_recipients=campaign.rows,
    )  # fmt: skip
