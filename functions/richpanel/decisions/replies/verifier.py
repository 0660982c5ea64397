"""
The rule-based verifier of Tier 2: facts of an order are stated only if the message concerns the sender's own order and
nothing else.
"""

from richpanel.classification import Classification, Doubt
from richpanel.classification.taxonomy import Level, intents
from richpanel.decisions.facts import Downgrade, Verdict, VerdictReason
from richpanel.decisions.readings import Reading

SURE = 0.90  # confidence of a verdict without a doubt; 0 with one
_REASON_OF_DOUBT = {
    Doubt.DISPUTES_ANSWER: VerdictReason.ESCALATION_PRESENT,
    Doubt.CHANGE_REQUEST: VerdictReason.CONFLICTING_INTENT,
    Doubt.OTHER_OWNER: VerdictReason.TOO_AMBIGUOUS,
    Doubt.SEVERAL_ORDERS: VerdictReason.TOO_AMBIGUOUS,
}


def verify(answer: Classification, reading: Reading, *, is_matched: bool) -> Verdict:
    """Return whether facts of one order may be stated: with confidence `SURE`, or 0 and the first reason against."""
    reason = _refusal(answer, reading)
    if reason is None and not is_matched:
        reason = VerdictReason.DETERMINISTIC_MATCH_FALSE
    if reason is None:
        return Verdict(True, SURE, VerdictReason.OK)
    return Verdict(False, 0.0, reason, Downgrade.TIER_1)


def _refusal(answer: Classification, reading: Reading) -> VerdictReason | None:
    if not intents[reading.intent].tier2:
        return VerdictReason.NOT_ORDER_STATUS
    if answer.modifiers or answer.is_resolution or answer.risk_flags:
        return VerdictReason.ESCALATION_PRESENT
    # P0 to P2 count with any score; less urgent intents count if they are present.
    urgent = any(intents[scored.intent].level <= Level.P2 for scored in answer.intents)
    if urgent or any(not intents[scored.intent].tier2 for scored in answer.present):
        return VerdictReason.CONFLICTING_INTENT
    for doubt, reason in _REASON_OF_DOUBT.items():
        if doubt in answer.doubts:
            return reason
    # A bare number in a flow has no known intent; it refers to the requested order.
    about_own = answer.names_own_order or not answer.present
    if not about_own or len(answer.order_numbers) > 1:
        return VerdictReason.TOO_AMBIGUOUS
    return None
