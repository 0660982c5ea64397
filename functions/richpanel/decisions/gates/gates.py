"""The gates before an automatic reply. All are evaluated; the first shut gate is the reason for not replying."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from richpanel.classification.taxonomy import channels, thresholds
from richpanel.decisions.facts import Memory, ModelFailure, Newest, RouteOnly, Shop, Turn
from richpanel.decisions.gates.cooldowns import is_rate_limited, was_answered_before
from richpanel.decisions.readings import Reading, is_plain
from richpanel.decisions.replies.candidates import Candidate
from richpanel.decisions.routing import risk_flags_of
from richpanel.decisions.switches import OutboundScope, Switches
from richpanel.decisions.templates.wordings import has_wording


class Gate(StrEnum):
    """The gates in order: the first shut one is the reason. The values are reasons in audit rows."""

    SAFE_MODE = "safe_mode_route_only"
    AUTOMATION = "automation_disabled"
    CHANNEL = "channel_disabled"
    TEMPLATE = "template_disabled"
    TIER0 = "tier0_always_handoff"
    # A weak signal: an agent answers, the ticket is routed as usual.
    TIER0_SUSPECTED = "tier0_suspected"
    TICKET_OPEN = "ticket_closed"
    NO_PERSON = "person_active"
    UNASSIGNED = "assigned_to_person"
    TICKET_READ = "ticket_unreadable"
    IN_ORDER = "late_message"
    AUTHORS_KNOWN = "operator_flag_missing"
    SAME_TEXT = "payload_mismatch"
    NO_BACKFILL = "backfill"
    PLAIN = "modifier_present"
    FRESH = "stale"
    WITHIN_BOUNDS = "spending_limit"
    MODEL_VALID = "schema_invalid_fail_closed"
    VENDOR = "vendor_error_fail_closed"  # the model, or the order lookup
    CONFIDENT = "low_confidence"
    UNAMBIGUOUS = "ambiguous"
    UNANSWERED = "already_answered"
    RATE = "rate_limited"
    FIRST_REPLY = "followup"
    HAS_TEMPLATE = "no_template"
    LANGUAGE = "no_template_in_language"
    ASKS_LEFT = "flow_exhausted"
    ORDER_CONTEXT = "order_context_missing"
    VERIFIED = "tier2_verifier_failed"
    VARIABLES = "variable_missing"
    RECIPIENT = "recipient_not_allowed"
    AUTHOR = "author_missing"
    POLICY = "policy_refused"


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate, and whether it lets a reply pass."""

    gate: Gate
    is_open: bool


def evaluate_gates(
    turn: Turn,
    memory: Memory,
    *,
    reading: Reading,
    candidate: Candidate,
    switches: Switches,
    shop: Shop,
    now: datetime,
    is_tier0: bool,
) -> tuple[GateResult, ...]:
    """Evaluate every gate; return the results in the order of `Gate`."""
    is_open = (
        _operator_switches(turn, candidate, switches)
        | {Gate.TIER0: not is_tier0, Gate.TIER0_SUSPECTED: not turn.classification.suspected_tier0}
        | _ticket(turn, memory, now)
        | _confidence(turn, reading, candidate)
        | _history(turn, memory, reading, now)
        | _reply(candidate, reading, shop)
        | _delivery(turn, switches, shop)
    )
    return tuple(GateResult(gate, is_open[gate]) for gate in Gate)


def _operator_switches(turn: Turn, candidate: Candidate, switches: Switches) -> dict[Gate, bool]:
    can_answer = channels[turn.channel].can_answer
    return {
        Gate.SAFE_MODE: not switches.safe_mode,
        Gate.AUTOMATION: switches.automation_enabled,
        Gate.CHANNEL: can_answer and turn.channel in switches.automation_enabled_channels,
        Gate.TEMPLATE: candidate.template is None or switches.may_send(candidate.template),
    }


def _ticket(turn: Turn, memory: Memory, now: datetime) -> dict[Gate, bool]:
    oldest = channels[turn.channel].stale_after_seconds
    age = now - turn.message_at
    return {
        Gate.TICKET_OPEN: turn.ticket_is_open,
        Gate.NO_PERSON: not _is_with_person(turn, memory),
        Gate.UNASSIGNED: not turn.is_assigned_to_person,
        Gate.TICKET_READ: turn.route_only is not RouteOnly.TICKET_UNREADABLE,
        Gate.IN_ORDER: turn.route_only is not RouteOnly.LATE_MESSAGE,
        Gate.AUTHORS_KNOWN: turn.route_only is not RouteOnly.OPERATOR_FLAG_MISSING,
        Gate.SAME_TEXT: turn.route_only is not RouteOnly.PAYLOAD_MISMATCH,
        Gate.NO_BACKFILL: turn.route_only is not RouteOnly.BACKFILL,
        # If an earlier run of this turn failed, the memory already has this turn's own flags: they do not count here,
        # because they have separate gates.
        Gate.PLAIN: is_plain(turn.classification) and memory.risk_flags <= risk_flags_of(turn),
        Gate.FRESH: oldest is None or age <= timedelta(seconds=oldest),
    }


def _is_with_person(turn: Turn, memory: Memory) -> bool:
    """
    Return whether an agent has written in the ticket since it was last handed back.

    Every agent's comment counts, whatever it says: the customer expects that agent to go on.
    """
    if turn.newest is Newest.PERSON:
        return True
    handed_back_at = turn.message_at if turn.is_handed_back else memory.handed_back_at
    replied_at = turn.last_person_reply_at
    return replied_at is not None and (handed_back_at is None or replied_at > handed_back_at)


def _confidence(turn: Turn, reading: Reading, candidate: Candidate) -> dict[Gate, bool]:
    failure = turn.model.failure if turn.model else None
    sure = reading.routing_confidence >= thresholds.tier1_confidence
    vendor_failed = failure is ModelFailure.UNREACHABLE or candidate.lookup_failed
    return {
        Gate.WITHIN_BOUNDS: not turn.is_over_bound,
        Gate.MODEL_VALID: failure is not ModelFailure.INVALID,
        Gate.VENDOR: not vendor_failed,
        # An answer to our question may be too short for the classifier to recognise.
        Gate.CONFIDENT: sure and (reading.continues or not turn.classification.is_doubted),
        Gate.UNAMBIGUOUS: reading.margin >= thresholds.tier1_margin,
    }


def _history(turn: Turn, memory: Memory, reading: Reading, now: datetime) -> dict[Gate, bool]:
    limited = is_rate_limited(turn, memory, now, continues_flow=reading.continues)
    return {
        Gate.UNANSWERED: not turn.already_answered,
        Gate.RATE: not limited,
        Gate.FIRST_REPLY: reading.continues or not was_answered_before(turn, memory),
    }


def _reply(candidate: Candidate, reading: Reading, shop: Shop) -> dict[Gate, bool]:
    template = candidate.template
    return {
        Gate.HAS_TEMPLATE: candidate.has_template,
        Gate.LANGUAGE: template is None or has_wording(shop.wordings, template, reading.language),
        Gate.ASKS_LEFT: not candidate.is_exhausted,
        Gate.ORDER_CONTEXT: not candidate.context_missing,
        Gate.VERIFIED: not candidate.verifier_forbids,
        Gate.VARIABLES: not candidate.missing_variables,
    }


def _delivery(turn: Turn, switches: Switches, shop: Shop) -> dict[Gate, bool]:
    scope = switches.outbound_scope
    listed = scope is OutboundScope.ALLOWLIST and turn.recipient_is_listed
    return {
        Gate.RECIPIENT: scope is OutboundScope.ALL or listed,
        Gate.AUTHOR: shop.bot_author_id is not None,
        Gate.POLICY: turn.policy_refusal is None,
    }
