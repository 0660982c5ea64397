"""Steps T5 to T8 of a turn: its message, or the messages of a divided answer one by one, and the end of the turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conversations.outbound.failures import consequence
from conversations.outbound.policy.gate import send_request_of
from conversations.outbound.results import Ended
from conversations.outbound.turns import parts, settlement, transmission
from conversations.outbound.turns.plan import Outcome
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.log import Delivery, Message
from shared.providers.action_ledger import State as Sending
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.configuration.resources import Run
    from conversations.lifecycle.conversation import Speaking
    from conversations.outbound.results import End
    from conversations.outbound.turns.plan import TurnDependencies
    from conversations.outbound.turns.transmission import Attempt

SEND_IN_DOUBT = "send_in_doubt"
DELIVERIES = {
    Ended.FAILED: Delivery.FAILED,
    Ended.UNKNOWN: Delivery.UNKNOWN,
    Ended.REFUSED: Delivery.BLOCKED,
}


@dataclass(slots=True)
class _Progress:
    """The messages of a turn that were accepted, and those that were not sent yet, in order."""

    unsent: list[Message]
    sent: list[Message] = field(default_factory=list)


def refusal(deps: TurnDependencies, speaking: Speaking, *, is_untried: bool) -> End | None:
    """Return why the policy refuses a message; None for an attempt already made, whose outcome must be determined."""
    opened, turn = speaking.opened, speaking.turn
    if not is_untried and transmission.was_tried(deps.resources, speaking.action_id):
        return None
    is_template = speaking.message.template is not None
    request = send_request_of(opened, turn.kind, turn.turn_id, is_template=is_template, takes=True)
    return deps.policy_gate.refusal(opened, request)


def send_all(deps: TurnDependencies, speaking: Speaking, run: Run, *, is_untried: bool) -> Outcome:
    """Run T5 to T8: send the message, or the messages of a divided answer until one is not accepted."""
    resources, opened, turn = deps.resources, speaking.opened, speaking.turn
    log, ref = resources.log, opened.ref
    progress = _Progress(parts.stored_apart(log, ref, turn.turn_id, speaking.message))
    while progress.unsent:
        message = progress.unsent.pop(0)
        action_id = identifiers.action_id(ref, message.turn_id or turn.turn_id)
        one = replace(speaking, message=message, action_id=action_id)
        refused = refusal(deps, one, is_untried=is_untried) if progress.sent else None
        if refused is not None:
            return _end_early(deps, one, progress, Ended.REFUSED, refused)
        try:
            made = transmission.attempt(resources, deps.gateway, one, run)
        except Transient as doubt:
            if doubt.reason not in transmission.IN_DOUBT:
                raise
            transmission.settle_later(resources, opened, turn)
            return Outcome(Ended.LATER, message, doubt.reason)
        if not made.has_arrived:
            action = resources.ledger.action(action_id)
            reason = (action.reason if action else None) or "refused"
            ended = Ended.UNKNOWN if made.standing is Sending.UNKNOWN else Ended.FAILED
            end = consequence(turn.kind, ended, SEND_IN_DOUBT if ended is Ended.UNKNOWN else reason)
            return _end_early(deps, one, progress, ended, end)
        progress.sent.append(_link(deps, one, made))
    first = progress.sent[0]
    _finish(deps, replace(speaking, message=first), progress.sent)
    return Outcome(Ended.SENT, first)


def _link(deps: TurnDependencies, speaking: Speaking, made: Attempt) -> Message:
    """T6: write the ledger's outcome of an accepted send to the log."""
    resources, sent = deps.resources, made.sent
    action = None if sent else resources.ledger.action(speaking.action_id)
    recorded_id = (action.provider_id or action.evidence) if action else None
    provider_id = sent.provider_id if sent else recorded_id
    segments = sent.segments if sent else None
    sender = made.sender if sent else transmission.sender_of(action)
    message = settlement.link(resources, speaking, provider_id, segments, sender)
    if provider_id:
        deps.gateway.announce(speaking.opened, message, speaking.action_id, provider_id)
    return message


def _finish(deps: TurnDependencies, speaking: Speaking, sent: Sequence[Message]) -> None:
    """T7 and T8 of a turn whose messages *sent* were accepted."""
    answered = settlement.finish(deps.resources, speaking, sent[1:])
    if answered is not None:
        *earlier, last = sent
        entries = [*answered, *map(messages.entry_of, earlier)]
        deps.mirror.add(replace(speaking, message=last), entries)


def _end_early(
    deps: TurnDependencies,
    speaking: Speaking,
    progress: _Progress,
    ended: Ended,
    end: End,
) -> Outcome:
    """
    End a turn at a message that was not accepted, for the reason of *end*; those after it are not sent.

    If messages before it were sent, the customer's messages are answered in part, and an agent goes on.
    """
    resources, opened, turn = deps.resources, speaking.opened, speaking.turn
    parts.discard(resources.log, opened.ref, progress.unsent)
    delivery = DELIVERIES[ended]
    if sent := progress.sent:
        facts = Message.named(delivery_status=delivery, error_code=end.reason)
        messages.update(resources.log, opened.ref, speaking.message.own_sk, facts)
        _finish(deps, replace(speaking, message=settlement.in_part(sent[0], end)), sent)
    else:
        settlement.give_up(resources, opened, turn, delivery, end)
    return Outcome(ended, speaking.message, end.reason)
