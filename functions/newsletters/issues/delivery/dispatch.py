"""
The mails of an issue, a batch of recipients at a time.

    planned --check right before the wire--> skipped; passed over until its time, or a day with room for it
       '----reserve--> sending --one wire attempt--> sent, failed, or planned again
                          '-- the answer is lost: in doubt, until an event of the provider or the settlement

The place of the issue moves on only behind a batch without planned recipients. So a repeated batch finds those
that are left, and each person gets one mail at most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from newsletters.issues import content, links
from newsletters.issues.delivery import provider, subject_tests, waits
from newsletters.issues.delivery.limits.allowance import Stop
from newsletters.issues.delivery.recipients import audience
from newsletters.issues.delivery.recipients.audience import Writable
from newsletters.issues.links import LEAVE, PREFERENCES, VIEW, Link
from newsletters.issues.pace import days, warm_up
from newsletters.store import issues
from newsletters.store.items import RecipientState, SendPace
from newsletters.store.items.issues import SHARDS
from newsletters.store.items.item import timestamp
from newsletters.store.readers import recipients
from newsletters.store.readers.recipients import NoPlace
from shared.aws.tables.rate_limits.gcra import Pace
from shared.policy.consent.subscriptions import NEWSLETTERS
from shared.providers.outcomes import InDoubt, Misconfigured, NotSent, Refused, Unrecognised
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.configuration.resources import SendingResources
    from newsletters.issues.content import Sealed
    from newsletters.issues.delivery.limits.allowance import Allowance
    from newsletters.issues.pace.warm_up import DayRoom
    from newsletters.store.items import Issue, Recipient
    from newsletters.store.items.issues import Variant
    from shared.aws.dynamodb import Table
    from shared.providers.email.ses import Mail

BATCH: Final = 25  # recipients: a pause takes effect within one batch
WIRE_MS: Final = 60 * clock.SECOND_MS  # after which an attempt without a result is in doubt
MOST_DOUBTS: Final = 3  # of a batch, after which the issue waits: the provider is in trouble
DOUBTS, THROTTLED, OUT_OF_TIME = "doubts", "throttled", "out_of_time"
NOT_YET: Final = "not_yet"
DAY_SPENT: Final = "ses_LimitExceededException"  # passes by itself


@dataclass(frozen=True, slots=True)
class Batch:
    """The place after a batch, and why it has ended early, if it has."""

    issue: Issue
    stop: Stop | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """
    What all mails of a turn share. *sealed* has the parts of the issue as `a`, and of variants with a text of their
    own. *owner* makes the attempts, until *until_ms* (since 1970). *room*: of the day, while the sender's domain is in
    its warm-up.
    """

    resources: SendingResources
    issue: Issue
    sealed: Mapping[Variant, Sealed]
    owner: str
    until_ms: int
    allowance: Allowance
    room: DayRoom | None = None


def send_batch(sending: Sending) -> Batch:
    """Send to the next recipients, and return the issue at its next place. Raises LeaseLost."""
    issue, table = sending.issue, sending.resources.store.table
    if issue.shard >= SHARDS:
        return _end_of_round(table, issue)
    found, after = recipients.page(
        table, issue.issue_id, issue.shard, limit=BATCH, after=issue.after_recipient
    )
    held = waits.held(table, issue.company_id, found)
    room = warm_up.room_today(table, issue.company_id, issue.sender)
    sending = replace(sending, room=room)
    doubts, ends = 0, [issue.waits_until] if issue.waits_until is not None else []
    rates = sending.allowance.to_providers
    for one in _due(issue, found, room):
        if room is not None and room.is_full:
            return Batch(issue, Stop(NOT_YET, until_ms=days.next_day_ms()))
        waits_until = _wait_of(one, held, room) or waits.of_pace(table, issue, rates, one, held)
        if waits_until is not None:
            ends.append(waits_until)
            continue
        try:
            result = _send(sending, one)
        except NoPlace:  # Another issue of the domain has taken the last one.
            ends.append(days.next_day_ms())
            continue
        if isinstance(result, Stop):
            return Batch(issue, result)
        doubts += not result
        if doubts >= MOST_DOUBTS:
            return Batch(issue, Stop(DOUBTS))
    if held and (until := waits.only_held_until(table, issue, held)) is not None:
        return Batch(issue, Stop(NOT_YET, until_ms=until))
    waits_until = min(ends, default=None)
    if after is not None:
        place: dict[str, Any] = {"after_recipient": after}
    else:
        place = {"shard": issue.shard + 1, "after_recipient": None}
    return Batch(issues.advance(table, issue, waits_until=waits_until, **place))


def _due(issue: Issue, found: Sequence[Recipient], room: DayRoom | None) -> list[Recipient]:
    """
    Return the planned recipients: of an open subject test its sample, of a new domain those up to the present rank. The
    last round has all: a page that was planned again after a crash may have stored a rank that the issue does not name.
    """
    is_open = subject_tests.is_open(issue)
    is_ordered = room is not None and any(one > issue.rank for one in issue.ranks)
    planned = (one for one in found if one.state is RecipientState.PLANNED)
    return [
        one
        for one in planned
        if (one.variant is not None or not is_open)
        and (not is_ordered or (one.rank or 0) <= issue.rank)
    ]


def _wait_of(
    recipient: Recipient, held: Mapping[str | None, int], room: DayRoom | None
) -> int | None:
    """Return until when a planned recipient is passed over (ms since 1970), None for one whose time it is."""
    times = [recipient.not_before, held.get(recipient.mailbox_provider)]
    if room is not None and not room.has_place(recipients.provider_of(recipient)):
        times.append(days.next_day_ms())
    return max((one for one in times if one is not None and one > clock.now_ms()), default=None)


def _end_of_round(table: Table, issue: Issue) -> Batch:
    """Go on to the settlement, or to the next round at the time of the recipients that were passed over."""
    place: dict[str, Any] = {"shard": 0, "after_recipient": None}
    later = [one for one in issue.ranks if one > issue.rank]
    if later:
        return Batch(issues.advance(table, issue, **place, rank=later[0]))
    start = {**place, "waits_until": None, "rank": min(issue.ranks, default=0)}
    until_ms = issue.waits_until
    if until_ms is None and issue.subject_test is not None and subject_tests.is_open(issue):
        # A repeated round, after a crash, does not wait anew.
        wait_ms = issue.subject_test.wait_minutes * 60 * clock.SECOND_MS
        until_ms = issue.decide_at or clock.now_ms() + wait_ms
        start["decide_at"] = until_ms
    if until_ms is None:
        return Batch(issues.advance(table, issue, phase="settlement", **start))
    return Batch(issues.advance(table, issue, **start), Stop(NOT_YET, until_ms=until_ms))


def _send(sending: Sending, recipient: Recipient) -> Stop | bool:
    """Send to one recipient; False if the result is in doubt. Raises NoPlace if the day has none left."""
    resources, issue = sending.resources, sending.issue
    table = resources.store.table
    if not _wait_for_turn(sending):
        return Stop(OUT_OF_TIME)
    found = audience.checked(resources, issue, recipient)
    if not isinstance(found, Writable):
        recipients.skip(table, issue.issue_id, recipient, found)
        return True
    deadline_ms = clock.now_ms() + WIRE_MS
    if sending.room is None:
        reserved = recipients.reserve(table, recipient, sending.owner, deadline_ms)
    else:
        reserved = sending.room.reserve(recipient, sending.owner, deadline_ms)
    return True if reserved is None else _attempt(sending, reserved, found)


def _attempt(sending: Sending, reserved: Recipient, to: Writable) -> Stop | bool:
    """Make the wire attempt of a reserved recipient; False if the result is in doubt."""
    resources, issue = sending.resources, sending.issue
    table = resources.store.table
    place = sending.room.place_back(reserved) if sending.room is not None else None
    try:
        sent = provider.send(resources, _mail(sending, reserved, to), sending.allowance.tenant)
    except Misconfigured as refusal:
        recipients.give_back(table, reserved, place)
        return Stop(refusal.code, pauses=refusal.code != DAY_SPENT)
    except NotSent:
        recipients.give_back(table, reserved, place)
        return Stop(THROTTLED)
    except Unrecognised as answer:  # The mail is in doubt, and no other one is tried.
        return Stop(answer.code, pauses=True)
    except InDoubt:
        return False
    except Refused as refusal:
        state, facts = RecipientState.FAILED, {"reason": refusal.code}
    else:
        state = RecipientState.SENT
        facts = {"ses_id": sent.provider_id, "sent_at": timestamp(clock.now_ms())}
    recipients.settle(table, issue.issue_id, reserved, state, **facts)
    return True


def _wait_for_turn(sending: Sending) -> bool:
    """Wait until the company's pace permits a mail; False if that is after the end of the turn."""
    table = sending.resources.store.table
    pace = Pace(table, SendPace.key)
    while (at_ms := pace.take(sending.issue.company_id, sending.allowance.rate)) is not None:
        if at_ms >= sending.until_ms:
            return False
        clock.sleep_ms(max(1, at_ms - clock.now_ms()))
    return clock.now_ms() < sending.until_ms


def _configuration_set(sending: Sending) -> str:
    resources = sending.resources
    tracks_clicks = sending.issue.tracks_clicks
    return resources.click_configuration_set if tracks_clicks else resources.configuration_set


def _mail(sending: Sending, recipient: Recipient, to: Writable) -> Mail:
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - few runs send mails

    resources, issue = sending.resources, sending.issue
    own = Link(
        purpose=LEAVE,
        company_id=issue.company_id,
        issue_id=issue.issue_id,
        list_id=recipient.list_id or "",
        recipient=recipient.recipient,
    )
    variant = recipient.variant or issue.winner or "a"
    shown = variant if issue.sealed_variants else ""
    shared = replace(own, purpose=VIEW, list_id=shown, recipient="")
    choose = links.ending(replace(own, purpose=PREFERENCES))
    leave = links.url_of(resources.public_url, own)
    urls = {
        content.UNSUBSCRIBE: leave,
        content.PREFERENCES: links.url_of(resources.public_url, choose),
        content.WEB_VIEW: links.url_of(resources.public_url, shared),
    }
    domain = issue.sender.rpartition("@")[2]
    return Mail(
        sender=issue.sender,
        sender_name=issue.sender_name,
        to=to.address,
        reply_to=issue.reply_to,
        subject=content.subject_for(issue, to.names, recipient.variant),
        body=content.body_for(sending.sealed.get(variant, sending.sealed["a"]), urls, to.names),
        auto_submitted=None,
        unsubscribe=[leave],
        one_click=True,
        list_id=f"{recipient.list_id or NEWSLETTERS}.{domain}",
        feedback_id=f"{issue.issue_id}:{recipient.list_id or NEWSLETTERS}:newsletter:parley",
        suppress_auto_replies=True,
        configuration_set=_configuration_set(sending) or None,
        action_id=f"nl-{issue.issue_id}-{recipient.recipient[:32]}",
        tags={"issue": issue.issue_id, "recipient": recipient.recipient},
    )
