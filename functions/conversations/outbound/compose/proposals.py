"""Functions that wait for people: how one stands in the log, and what the model is told of it afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conversations.ai.functions import FAILED, REFUSED, UNKNOWN, Result, exchange
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.log import FunctionResult, Message, of
from conversations.store.items.proposal import Proposal, Verdict
from shared import ai

if TYPE_CHECKING:
    from conversations.ai.functions import Call
    from conversations.resources import Resources
    from conversations.transitions import Cause

_TOLD = {Verdict.FAILED: FAILED, Verdict.UNKNOWN: UNKNOWN, Verdict.REFUSED: REFUSED}


def proposal_of(call: Call) -> Proposal:
    """A call that nobody has carried out, as the log keeps it."""
    return Proposal(call_id=call.call_id, name=call.name, arguments=call.canonical_arguments)


def call_of(proposal: Proposal) -> ai.ToolCall:
    """The call as the model made it."""
    return ai.ToolCall(proposal.call_id, proposal.name, proposal.arguments)


def verdict_of(result: Result) -> Verdict:
    """What a result of the function means for the proposal."""
    if not result.is_error:
        return Verdict.DONE
    return Verdict.UNKNOWN if result == UNKNOWN else Verdict.FAILED


def decide(here: Resources, ref: str, message: Message, verdict: Verdict, cause: Cause) -> None:
    """Write what came of a proposal and who decided, unless it is written. Safe to repeat."""
    proposal = message.proposal
    if proposal is None or proposal.verdict is not None:
        return
    facts = {
        "verdict": verdict,
        "decided_by": cause.who,
        "decided_principal": cause.principal,
    }
    judged = proposal.model_copy(update=facts).model_dump(mode="json", exclude_none=True)
    messages.update(here.log, ref, sk_of(message), Message.named(proposal=judged))


def refuse(here: Resources, ref: str, sk: str, cause: Cause) -> None:
    """Write that people decided against the proposal in this message, unless something else came of it."""
    message = messages.get(here.log, ref, sk)
    if message is not None:
        decide(here, ref, message, Verdict.REFUSED, cause)


def told_of(here: Resources, ref: str, sk: str) -> ai.Exchange | None:
    """The call in this message and what came of it, for the model; None where it is gone."""
    message = messages.get(here.log, ref, sk)
    proposal = message.proposal if message else None
    if message is None or proposal is None:
        return None
    verdict = proposal.verdict or Verdict.REFUSED  # The hand-back's worker died before it wrote so.
    result = _TOLD.get(verdict) or _result(here, ref, message, proposal)
    # Models name their calls anew in each turn: of several the names would be the same.
    call = replace(call_of(proposal), call_id=message.entry_id)
    return exchange(call, result)


def sk_of(message: Message) -> str:
    """The sort key of a message."""
    return message.sk(message.message_timestamp, message.entry_id)


def _result(here: Resources, ref: str, message: Message, proposal: Proposal) -> Result:
    """What the company's system answered, as it is kept for a month."""
    action = identifiers.action_id(ref, message.turn_id or "", proposal.name, proposal.arguments)
    item = here.log.get(of(ref, FunctionResult.sk(action)))
    stored = FunctionResult.read(item) if item else None
    return Result(stored.text, is_error=stored.is_error) if stored else Result("{}")
