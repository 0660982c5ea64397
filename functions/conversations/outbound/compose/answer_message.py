"""Converts the outcome of a model's turn to a message of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from conversations.ai.config import BuiltIn
from conversations.ai.functions import recorded_in
from conversations.ai.outcome import Cause
from conversations.outbound import failures
from conversations.outbound.compose.functions.proposals import proposal_of
from conversations.outbound.compose.limits import blank, fitted
from conversations.outbound.results import Noted
from conversations.outbound.unwritable import Unwritable
from conversations.store.items.log import Delivery
from conversations.store.items.proposal import FUNCTION
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from conversations.ai.outcome import Answer, Retrieved
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message


def message_of(opened: OpenConversation, answer: Answer, *, is_first: bool = False) -> Message:
    """Count the faults of a model's turn, and convert its outcome like `converted`."""
    if answer.faults:
        metrics.add_metric("ModelFailed", MetricUnit.Count, 1)
        logger.warning("model answer rejected", extra={"reason": ",".join(answer.faults)})
    return converted(opened, answer, is_first=is_first)


def converted(opened: OpenConversation, answer: Answer, *, is_first: bool = False) -> Message:
    """Convert the outcome of a model's turn to a message. Raises Unwritable if there is nothing to send."""
    names = [made.call.name for made in answer.calls]
    noted = Noted(names, _recorded(answer), sorted(opened.state.to_tell))
    if answer.hand_off is not None and answer.hand_off.cause is Cause.APPROVAL:
        call = answer.calls[-1].call
        waits = {"kind": FUNCTION, "proposal": proposal_of(call)}
        message = blank(opened, "ai", f"[{call.name}]")
        return message.model_copy(update=_facts_of(opened, answer, noted) | waits)
    if not answer.content.strip():
        if answer.hand_off is not None:
            cause, words = answer.hand_off.cause, answer.hand_off.reason
            raise Unwritable(cause, words=words, noted=noted)
        if BuiltIn.OPT_OUT in names:
            raise Unwritable(failures.OPTED_OUT_BY_MODEL, noted=noted)
        raise Unwritable("ai_invalid_output", noted=noted)
    hand_off = answer.hand_off
    facts = _facts_of(opened, answer, noted) | {
        "subject": answer.subject,
        "hand_off_reason": hand_off.reason if hand_off else None,
        "hand_off_cause": hand_off.cause if hand_off else None,
        "completes_task": (BuiltIn.COMPLETE in names) or None,
        "asks_again": answer.asks_again or None,
    }
    message = blank(opened, "ai", answer.content)
    message = message.model_copy(update=facts)
    return fitted(opened, message, is_first=is_first, is_divisible=not is_first)


def _facts_of(opened: OpenConversation, answer: Answer, noted: Noted) -> dict[str, Any]:
    """Return the version of the settings, cost, calls and answers of a model's turn as fields of its message."""
    cost = answer.cost
    return {
        "ai_version": opened.company.ai_version,
        "model": cost.model,
        "calls": cost.calls,
        "ai_prompt_tokens": cost.usage.tokens_in,
        "ai_completion_tokens": cost.usage.tokens_out,
        "ai_cached_tokens": cost.usage.cached_in or None,
        "ai_cost_micros": cost.usage.micros,
        "ai_total_tokens": cost.usage.tokens_in + cost.usage.tokens_out,
        "processing_time_ms": cost.ms,
        "functions": list(noted.functions),
        "done": list(answer.done),
        "answers": dict(noted.answers),
        "told": list(noted.reported_functions),
        "retrieved": [_retrieved(passage) for passage in answer.retrieved],
    }


def outdated(opened: OpenConversation, answer: Answer) -> Message:
    """Return the draft of a turn whose function was not executed: it is never sent, and keeps the cost of the turn."""
    is_discarded = {
        "kind": FUNCTION,
        "delivery_status": Delivery.DISCARDED,
        "error_code": answer.outdated,
    }
    cost = _facts_of(opened, answer, Noted())
    return blank(opened, "ai", answer.content).model_copy(update=cost | is_discarded)


def _retrieved(passage: Retrieved) -> dict[str, str]:
    cited = {"cited": "true"} if passage.is_cited else {}
    return {"chunk_id": passage.chunk_id, "score": f"{passage.score:.4f}", **cited}


def _recorded(answer: Answer) -> dict[str, str]:
    made = [m for m in answer.calls if m.call.name == BuiltIn.RECORD_ANSWER]
    calls = [m.call for m in made if m.result is not None and not m.result.is_error]
    return {key: value for call in calls for key, value in recorded_in(call).items()}
