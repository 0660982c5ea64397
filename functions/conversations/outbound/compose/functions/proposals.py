"""Function calls that wait for approval: their entry in the log, and their outcome as reported to the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conversations.ai.functions import FAILED, REFUSED, UNKNOWN, Result, exchange
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.log import Message, of
from conversations.store.items.parts.function_result import FunctionResult
from conversations.store.items.proposal import Proposal, Verdict
from shared.ai import port as ai

if TYPE_CHECKING:
    from conversations.ai.functions import Call
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.transitions import Cause

_RESULTS = {Verdict.FAILED: FAILED, Verdict.UNKNOWN: UNKNOWN, Verdict.REFUSED: REFUSED}


def proposal_of(call: Call) -> Proposal:
    """Return the log's form of a call that was not executed."""
    return Proposal(call_id=call.call_id, name=call.name, arguments=call.canonical_arguments)


def call_of(proposal: Proposal) -> ai.ToolCall:
    """Return the call as the model made it."""
    return ai.ToolCall(proposal.call_id, proposal.name, proposal.arguments)


def verdict_of(result: Result) -> Verdict:
    """Map a function's result to the verdict of the proposal."""
    if not result.is_error:
        return Verdict.DONE
    return Verdict.UNKNOWN if result == UNKNOWN else Verdict.FAILED


def decide(
    resources: Resources, ref: str, message: Message, verdict: Verdict, cause: Cause
) -> None:
    """Write the verdict of a proposal and its author, unless it has a verdict already. Idempotent."""
    proposal = message.proposal
    if proposal is None or proposal.verdict is not None:
        return
    facts = {
        "verdict": verdict,
        "decided_by": cause.who,
        "decided_principal": cause.principal,
    }
    judged = proposal.model_copy(update=facts).model_dump(mode="json", exclude_none=True)
    messages.update(resources.log, ref, sk_of(message), Message.named(proposal=judged))


def refuse(resources: Resources, ref: str, sk: str, cause: Cause) -> None:
    """Write that an agent refused the proposal in this message, unless it has a verdict already."""
    message = messages.get(resources.log, ref, sk)
    if message is not None:
        decide(resources, ref, message, Verdict.REFUSED, cause)


def decided_call(resources: Resources, ref: str, sk: str) -> ai.Exchange | None:
    """Return the call in this message with its outcome, for the model; None if it no longer exists."""
    message = messages.get(resources.log, ref, sk)
    proposal = message.proposal if message else None
    if message is None or proposal is None:
        return None
    verdict = proposal.verdict or Verdict.REFUSED  # A killed hand-back leaves it unset.
    result = _RESULTS.get(verdict) or _result(resources, ref, message, proposal)
    # Models number their calls per turn, so calls of several turns could have equal ids.
    call = replace(call_of(proposal), call_id=message.entry_id)
    return exchange(call, result)


def sk_of(message: Message) -> str:
    """Return the sort key of a message."""
    return message.own_sk


def _result(resources: Resources, ref: str, message: Message, proposal: Proposal) -> Result:
    """Return the response of the company's system, which is stored for a month."""
    action = identifiers.action_id(ref, message.turn_id or "", proposal.name, proposal.arguments)
    item = resources.log.get(of(ref, FunctionResult.sk(action)))
    stored = FunctionResult.read(item) if item else None
    return Result(stored.text, is_error=stored.is_error) if stored else Result("{}")
