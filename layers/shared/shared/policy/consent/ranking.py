"""Which of two events of one address and channel is stored. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.policy.consent.attested import Attested

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.policy.consent.items import Consent


def without(found: Consent, evidence: str) -> Consent | None:
    """Return an attested opt-in without an import; None if no other one attests it."""
    of_first = {name: getattr(found, name) for name in Attested.model_fields}
    kept = [
        one
        for one in (Attested(**of_first), *(found.also or ()))
        if not one.evidence.startswith(evidence)
    ]
    if not kept:
        return None
    first, *others = kept
    of_first = {name: getattr(first, name) for name in Attested.model_fields}
    return found.model_copy(update={**of_first, "also": others or None})


def is_newer(consent: Consent) -> ConditionBase:
    """
    Build the order of `Consent.rank` as a condition. What a file attests is recorded only where nothing is.

    There is no record, or:
      - the recorded event happened earlier;
      - or at the same time, and this event is an opt-out while the recorded one is an opt-in;
      - or both have the same state and time: then by evidence, so that the result is independent of arrival order.
    """
    at, state, evidence = Attr("at"), Attr("state"), Attr("evidence")
    if consent.is_attested:
        return at.not_exists()
    same_moment = at.eq(consent.at)
    same_event = same_moment & state.eq(consent.state)
    return (
        at.not_exists()
        | at.lt(consent.at)
        | (same_moment & state.lt(consent.state))
        | (same_event & evidence.lt(consent.evidence))
    )
