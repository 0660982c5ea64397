"""
The order of the questions before a send. The first one that objects decides.

    1 switches      safe mode stops every send, a project or channel that is off too; automation off stops the AI's
    2 consent       an opt-out stops all but its own confirmation; what the business begins needs consent
      address       what the channel does not reach is not tried again
    3 window        WhatsApp: 24 hours after the customer's newest message only templates may leave
    4 quiet hours   WhatsApp, SMS: what the business begins, and late answers of machines, wait for the morning
    5 rates         what a number and a pair of numbers may send
    6 caps          what the business begins per person; the AI's answers per conversation, its tokens per day

People are bound by all but 4 (for answers) and 6 (for answers): they know whom they write to, and when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared import clock
from shared.policy.facts import (
    Allowed,
    Author,
    Facts,
    Kind,
    Later,
    Reason,
    Refused,
    TemplateOnly,
)

if TYPE_CHECKING:
    from shared.policy.facts import Decision

MINUTE_MS = 60 * clock.SECOND_MS
# Meta closes the window 24 hours after the customer's message; the minute is for clocks and the way to Meta.
WINDOW_MS = 24 * clock.HOUR_MS - MINUTE_MS
# Who wrote just now is awake.
AWAKE_MS = 30 * MINUTE_MS
# First messages wait for the end of safe mode, but not for ever: what they say is old then.
SAFE_MODE_WAIT_MS = 24 * clock.HOUR_MS
SAFE_MODE_LOOK_MS = 15 * MINUTE_MS


def decide(facts: Facts) -> Decision:
    """Whether the message may leave now, and if not, why, and when to ask again. DESIGN.md, section 4."""
    for question in (_switches, _consent, _address, _window, _quiet_hours, _rates, _caps):
        objection = question(facts)
        if objection is not None:
            return objection
    return Allowed()


def _switches(facts: Facts) -> Decision | None:
    switches = facts.switches
    if switches.safe_mode:
        waits = facts.kind is Kind.FIRST and facts.now < facts.asked_at + SAFE_MODE_WAIT_MS
        return (
            Later(Reason.SAFE_MODE, facts.now + SAFE_MODE_LOOK_MS)
            if waits
            else Refused(Reason.SAFE_MODE)
        )
    if not switches.project_is_active:
        return Refused(Reason.PROJECT_INACTIVE)
    if not switches.channel_is_allowed:
        return Refused(Reason.CHANNEL_NOT_ALLOWED)
    if facts.author is Author.AI and not switches.automation:
        return Refused(Reason.AUTOMATION_OFF)
    return None


def _consent(facts: Facts) -> Decision | None:
    if facts.kind is Kind.OPT_OUT_CONFIRMATION:
        return None
    if facts.is_opted_out:
        return Refused(Reason.OPTED_OUT)
    # Who wrote to us may be answered, and no more than that.
    is_asked = facts.last_inbound_at is not None and not facts.is_begun_by_us
    return None if facts.has_consent or is_asked else Refused(Reason.NO_CONSENT)


def _address(facts: Facts) -> Decision | None:
    return Refused(Reason.ADDRESS_UNUSABLE) if facts.is_unreachable else None


def _window(facts: Facts) -> Decision | None:
    is_open = facts.channel != "whatsapp" or facts.is_template or facts.was_heard_within(WINDOW_MS)
    return None if is_open else TemplateOnly()


def _quiet_hours(facts: Facts) -> Decision | None:
    hours = facts.quiet_hours
    is_free = facts.author is Author.PERSON and not facts.is_begun_by_us
    if hours is None or facts.channel == "email" or is_free or facts.was_heard_within(AWAKE_MS):
        return None
    at = hours.free_at(facts.now, facts.zones or (facts.project_zone,))
    if at is None:
        # The zones have no common hour, as with long quiet hours in a wide country: as good as unknown.
        at = hours.free_at(facts.now, (facts.project_zone,))
    return Later(Reason.QUIET_HOURS, at) if at is not None and at > facts.now else None


def _rates(facts: Facts) -> Decision | None:
    at = facts.rate_free_at
    return Later(Reason.RATE_LIMITED, at) if at is not None and at > facts.now else None


def _caps(facts: Facts) -> Decision | None:
    at = facts.cap_free_at
    if at is not None and at > facts.now:
        if facts.is_begun_by_us:
            return Later(Reason.FREQUENCY_CAP, at)
        if facts.author is Author.AI:
            return Refused(Reason.LOOP_CAP)
    if facts.author is Author.AI and not facts.tokens_left:
        return Refused(Reason.TOKEN_CAP)
    return None
