"""
The turn engine: one turn sends one message in a conversation, exactly once even if workers are killed. The messages of
an answer that is too long for one (see `parts`) pass T5 and T6 one after the other.

    T1 claim    the state names the turn and the key of its message         killed: the lease ends, claimed again
    T2 write    the model is called; its actions go through the ledger      killed: called again
    T3 draft    the message is stored                                       killed: the stored message is sent
    T4 fence    `sending`, unless the fence was raised since T1, or the
                customer has written (see `newer_messages`)                 killed: continues at T5
    T5 send     policy check again, the ledger, one attempt                 killed: in doubt, or sent
    T6 link     the provider's id is linked to the message                  repeated
    T7 item     the one update of the conversation                          entries have fixed ids: merged
    T8 release  the state is updated and the turn removed                   complete

Message and state contain all input of T6 to T8, so that any worker can finish a dead worker's turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conversations.lifecycle.conversation import Speaking
from conversations.outbound.failures import consequence
from conversations.outbound.results import Ended, Noted
from conversations.outbound.turns import fence, sends, settlement, transmission
from conversations.outbound.turns.plan import Outcome
from conversations.outbound.unwritable import Unwritable
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.log import Delivery, Message
from conversations.store.items.turn import Stage, Turn
from shared.aws.tables import leases
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.configuration.resources import Resources, Run
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.outbound.turns.plan import Plan, TurnDependencies

APPROVAL = "function_approval"


# Returns a message without the fields that its turn sets, or None if there is nothing to send. May raise Unwritable.
type Write = Callable[[], Message | None]


def take(
    deps: TurnDependencies, opened: OpenConversation, plan: Plan, run: Run, write: Write
) -> Outcome:
    """
    Run a turn or continue it. Raises Transient if another turn is in progress or nothing was sent yet.

    If another turn is sending and its worker's lease has expired, that turn is finished first.
    """
    resources = deps.resources
    done = _completed_outcome(resources, opened, plan)
    if done is not None:
        return done
    turn = _claim(deps, opened, plan, run)
    if turn is None:
        return Outcome(Ended.LATER)
    message = messages.get(resources.log, opened.ref, turn.message_sk)
    if message is None:
        return _compose(deps, opened, turn, run, write, read_until=plan.read_until)
    if turn.stage is Stage.CLAIMED and message.delivery_status is Delivery.FAILED:
        # The worker was killed before it settled the message as failed.
        return _end_without_message(
            deps, opened, turn, run, Unwritable(message.error_code or "unwritten")
        )
    return _send(deps, opened, turn, message, run, read_until=plan.read_until)


def resume(deps: TurnDependencies, opened: OpenConversation, run: Run) -> Outcome | None:
    """Finish a turn that is sending, if its worker's lease has expired; None if there is none."""
    turn = opened.state.turn
    if turn is None or turn.stage is not Stage.SENDING:
        return None
    if turn.owner != run.owner:
        if not turn.is_over:
            raise Transient("turn_busy", max(0, turn.lease_until - clock.now_ms()))
        lease = leases.expiry(run.remaining_ms())
        taken = states.take_sending(deps.resources.log, opened.ref, turn, run.owner, lease)
        if taken is None:
            raise Transient("turn_busy")
        turn = taken
    message = messages.get(deps.resources.log, opened.ref, turn.message_sk)
    if message is None:  # Erased meanwhile.
        states.release(deps.resources.log, opened.ref, turn)
        return None
    return _send(deps, opened, turn, message, run)


def _compose(
    deps: TurnDependencies,
    opened: OpenConversation,
    turn: Turn,
    run: Run,
    write: Write,
    *,
    read_until: str | None,
) -> Outcome:
    """Run T2 and T3, then T4 to T8."""
    resources = deps.resources
    try:
        written = write()
    except Unwritable as fault:
        return _end_without_message(deps, opened, turn, run, fault)
    if written is None:
        states.release(resources.log, opened.ref, turn)
        return Outcome(Ended.UNWRITTEN)
    message = messages.add(resources.log, opened.ref, _with_turn_fields(written, turn))
    return _send(deps, opened, turn, message, run, read_until=read_until)


def _end_without_message(
    deps: TurnDependencies, opened: OpenConversation, turn: Turn, run: Run, fault: Unwritable
) -> Outcome:
    """End a turn that has no message to send. Raises Transient if a retry can help."""
    if fault.may_pass and not run.is_last:
        raise Transient(fault.reason) from None
    end = consequence(turn.kind, Ended.UNWRITTEN, fault.reason)
    end = replace(end, words=fault.words, noted=fault.noted)
    if fault.unsent is not None:
        failed = {"delivery_status": Delivery.FAILED, "error_code": fault.reason}
        unsent = _with_turn_fields(fault.unsent, turn).model_copy(update=failed)
        messages.add(deps.resources.log, opened.ref, unsent)
    settlement.give_up(deps.resources, opened, turn, Delivery.FAILED, end)
    return Outcome(Ended.UNWRITTEN, None, fault.reason)


def _request_approval(
    deps: TurnDependencies, opened: OpenConversation, turn: Turn, message: Message
) -> Outcome:
    """End a turn in which the model requested a function that needs approval: nothing is sent."""
    end = consequence(turn.kind, Ended.UNWRITTEN, APPROVAL)
    end = replace(end, noted=Noted(message.functions, message.answers, message.told), proposes=True)
    settlement.give_up(deps.resources, opened, turn, Delivery.BLOCKED, end)
    return Outcome(Ended.UNWRITTEN, message, APPROVAL)


def _completed_outcome(
    resources: Resources, opened: OpenConversation, plan: Plan
) -> Outcome | None:
    """Return the outcome of a completed turn, found by *at_ms*; without it, the caller detects completed turns."""
    turn = opened.state.turn
    if plan.at_ms is None or (turn is not None and turn.turn_id == plan.turn_id):
        return None
    message = messages.get(resources.log, opened.ref, _message_sk(opened.ref, plan, plan.at_ms))
    if message is None or message.delivery_status in {Delivery.DRAFT, Delivery.DISCARDED}:
        return None
    ended = {delivery: ended for ended, delivery in sends.DELIVERIES.items()}
    return Outcome(ended.get(message.delivery_status or Delivery.SENT, Ended.SENT), message)


def _message_sk(ref: str, plan: Plan, at_ms: int) -> str:
    entry = identifiers.entry_id(identifiers.action_id(ref, plan.turn_id))
    return Message.sk(clock.to_text(at_ms), entry)


def _claim(deps: TurnDependencies, opened: OpenConversation, plan: Plan, run: Run) -> Turn | None:
    """T1. Return None if another turn is in doubt; this turn is retried once that one is settled."""
    resources, state = deps.resources, opened.state
    at_ms = plan.at_ms if plan.at_ms is not None else _after(state.last_message_at)
    turn = Turn(
        turn_id=plan.turn_id,
        kind=plan.kind,
        up_to=plan.up_to,
        message_sk=_message_sk(opened.ref, plan, at_ms),
        generation=state.generation,
        stage=Stage.CLAIMED,
        owner=run.owner,
        lease_until=leases.expiry(run.remaining_ms()),
    )
    try:
        claimed = states.claim(resources.log, opened.ref, state, turn)
    except states.Fenced:
        raise Transient("state_moved") from None
    except states.Busy as busy:
        if busy.turn.stage is Stage.CLAIMED:
            wait = max(0, busy.turn.lease_until - clock.now_ms())
            raise Transient("turn_busy", wait) from None
        if not busy.turn.is_over:
            transmission.settle_later(resources, opened, busy.turn)
            return None
        current = states.read(resources.log, opened.ref)
        if current is None or current.turn is None:
            raise Transient("state_moved") from None
        before = resume(deps, opened.with_state(current), run)
        if before is not None and before.ended is Ended.LATER:
            return None
        raise Transient("finished_another_turn", 0) from None
    if claimed.replaced is not None:
        fence.discard(resources, opened.ref, claimed.replaced.message_sk)
    return claimed.turn


def _send(
    deps: TurnDependencies,
    opened: OpenConversation,
    turn: Turn,
    message: Message,
    run: Run,
    *,
    read_until: str | None = None,
) -> Outcome:
    """Run T4 to T8; T4 only if the turn is not sending yet."""
    resources, ref = deps.resources, opened.ref
    if message.proposal is not None:
        return _request_approval(deps, opened, turn, message)
    is_untried = turn.stage is Stage.CLAIMED and message.delivery_status is Delivery.DRAFT
    if turn.stage is Stage.CLAIMED:
        passed = fence.pass_fence(resources, opened, turn, message, read_until)
        if isinstance(passed, Outcome):
            return passed
        state, turn = passed
        opened = opened.with_state(state)
    speaking = Speaking(
        opened=opened,
        turn=turn,
        message=message,
        action_id=identifiers.action_id(ref, turn.turn_id),
    )
    refused = sends.refusal(deps, speaking, is_untried=is_untried)
    if refused is not None:
        settlement.give_up(resources, opened, turn, Delivery.BLOCKED, refused)
        return Outcome(Ended.REFUSED, message, refused.reason)
    return sends.send_all(deps, speaking, run, is_untried=is_untried)


def _with_turn_fields(message: Message, turn: Turn) -> Message:
    """Return the message with the position, id and kind of its turn."""
    at, _, entry = turn.message_sk.removeprefix(Message.first_sk).partition("#")
    facts = {"turn_id": turn.turn_id, "turn_kind": turn.kind, "up_to": turn.up_to}
    return message.model_copy(update={"message_timestamp": at, "entry_id": entry, **facts})


def _after(last: str | None) -> int:
    now = clock.now_ms()
    return max(now, clock.from_text(last) + 1) if last else now
