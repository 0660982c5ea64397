"""
The checks before a send, in order. The first check that objects decides.

    1 switches      safe mode stops every send, as does an inactive project or channel; automation off stops the AI;
                    a limit of zero stops business-initiated messages
    2 consent       an opt-out stops all but its own confirmation; business-initiated messages need consent
      address       no further attempts for an address that the channel cannot reach
    3 window        WhatsApp: only templates may be sent once the window is closed (`shared.policy.window`)
    4 quiet hours   WhatsApp, SMS: business-initiated messages and late automatic answers wait for their end
    5 rates         limits per number and per pair of numbers
    6 caps          business-initiated messages per customer; the AI's answers per conversation, its tokens per day

Answers of human agents are exempt from 4 and 6 only: agents know the recipient and the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.policy import window
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
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.policy.facts import Decision

MINUTE_MS = 60 * clock.SECOND_MS
# A customer who has just written is awake.
AWAKE_MS = 30 * MINUTE_MS
# First messages wait for the end of safe mode for a limited time, after which their content is out of date.
SAFE_MODE_WAIT_MS = 24 * clock.HOUR_MS
SAFE_MODE_LOOK_MS = 15 * MINUTE_MS


def decide(facts: Facts) -> Decision:
    """Return whether the message may be sent now, and if not, why and when to check again. DESIGN.md, section 4."""
    for question in (_switches, _consent, _address, _window, _quiet_hours, _rates, _caps):
        objection = question(facts)
        if objection is not None:
            return objection
    return Allowed()


def _switches(facts: Facts) -> Decision | None:
    switches = facts.switches
    if switches.safe_mode:
        waits = facts.kind is Kind.FIRST and facts.now < facts.requested_at + SAFE_MODE_WAIT_MS
        return (
            Later(Reason.SAFE_MODE, facts.now + SAFE_MODE_LOOK_MS)
            if waits
            else Refused(Reason.SAFE_MODE)
        )
    if not switches.project_is_active:
        return Refused(Reason.PROJECT_INACTIVE)
    if not switches.channel_is_allowed:
        return Refused(Reason.CHANNEL_NOT_ALLOWED)
    if facts.is_begun_by_us and not switches.begins_conversations:
        return Refused(Reason.FREQUENCY_CAP)
    if facts.author is Author.AI and not switches.automation:
        return Refused(Reason.AUTOMATION_OFF)
    return None


def _consent(facts: Facts) -> Decision | None:
    if facts.kind is Kind.OPT_OUT_CONFIRMATION:
        return None
    if facts.is_opted_out:
        return Refused(Reason.OPTED_OUT)
    # A customer's message permits an answer, but no business-initiated message.
    is_answer = facts.last_inbound_at is not None and not facts.is_begun_by_us
    return None if facts.has_consent or is_answer else Refused(Reason.NO_CONSENT)


def _address(facts: Facts) -> Decision | None:
    return Refused(Reason.ADDRESS_UNUSABLE) if facts.is_unreachable else None


def _window(facts: Facts) -> Decision | None:
    is_open = (
        facts.channel != "whatsapp"
        or facts.is_template
        or window.is_open(facts.now, facts.last_inbound_at, facts.free_entry_until)
    )
    return None if is_open else TemplateOnly()


def _quiet_hours(facts: Facts) -> Decision | None:
    hours = facts.quiet_hours
    is_free = facts.author is Author.PERSON and not facts.is_begun_by_us
    if (
        hours is None
        or facts.channel == "email"
        or is_free
        or facts.has_customer_written_within(AWAKE_MS)
    ):
        return None
    at = hours.free_at(facts.now, facts.zones or (facts.project_zone,))
    if at is None:
        # The zones have no common free hour, as with long quiet hours in a wide country: treat them as unknown.
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
