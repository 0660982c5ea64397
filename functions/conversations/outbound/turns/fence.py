"""Step T4 of a turn: the fence, after which its message may be sent; and drafts that are discarded before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.outbound.policy import newer_messages
from conversations.outbound.results import Ended
from conversations.outbound.turns.plan import Outcome
from conversations.store import messages, states
from conversations.store.items.log import Delivery, Message
from conversations.store.items.turn import TurnKind

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.parts.state import State
    from conversations.store.items.turn import Turn

_OF_SILENCE = frozenset({TurnKind.FOLLOW_UP, TurnKind.SATISFACTION})


def pass_fence(
    resources: Resources,
    opened: OpenConversation,
    turn: Turn,
    message: Message,
    read_until: str | None,
) -> tuple[State, Turn] | Outcome:
    """T4. Return the state and the turn; or the outcome of a turn that may not send, whose draft is discarded."""
    log, ref = resources.log, opened.ref
    until = read_until if newer_messages.may_be_discarded(message) else None
    is_outdated = newer_messages.is_outdated(message)  # The worker was killed before the release.
    while not is_outdated:
        try:
            return states.pass_fence(log, ref, turn, read_until=until)
        except states.Fenced:
            discard(resources, ref, turn.message_sk)
            states.release(log, ref, turn)
            return Outcome(Ended.FENCED, message)
        except states.Overtaken as overtaken:
            # Any message of the customer ends the silence that a follow-up is about, and an end that is asked about.
            is_outdated = turn.kind in _OF_SILENCE or newer_messages.are_waiting(
                log, ref, overtaken.state, until=until, up_to=turn.up_to
            )
            until = overtaken.state.last_inbound_at
    discard(resources, ref, turn.message_sk, newer_messages.NEWER_MESSAGE)
    states.release(log, ref, turn)
    return Outcome(Ended.OUTDATED, message, newer_messages.NEWER_MESSAGE)


def discard(resources: Resources, ref: str, sk: str, reason: str | None = None) -> None:
    """Mark a draft as discarded; agents see it as a suggestion, with the code *reason*."""
    facts = Message.named(delivery_status=Delivery.DISCARDED, error_code=reason)
    drafted = [Delivery.DRAFT, Delivery.DISCARDED]
    messages.update(resources.log, ref, sk, facts, only_from=drafted)
