"""
Shows a customer on WhatsApp, while the reply waits for further messages, that one follows.

It is shown only where an answer would be allowed now. As every receipt it is worth less than the answer, and what
fails here is left to the turn.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.lifecycle import conversation
from conversations.outbound.compose.texts import opening_times
from conversations.outbound.policy.gate import send_request_of
from conversations.outbound.providers import receipts
from conversations.store import messages
from conversations.store.items.log import Mode
from conversations.store.items.turn import TurnKind
from shared.policy.facts import Allowed
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from conversations.outbound.turns.plan import TurnDependencies
    from conversations.store.items.parts.state import State


def show(deps: TurnDependencies, ref: str, state: State, message_sk: str) -> None:
    """Mark the message with the sort key *message_sk* as read and show typing. Raises nothing."""
    if state.mode is not Mode.AI or state.turn is not None:
        return
    with suppress(Permanent, Transient, ClientError, BotoCoreError):
        opened = conversation.load(deps.resources, ref, state)
        request = send_request_of(opened, TurnKind.REPLY, message_sk)
        if not isinstance(deps.policy_gate.decide(opened, request), Allowed):
            return
        hours = opened.company.opening_hours
        if hours and hours.outside == "hand_off" and opening_times.is_closed(opened.company):
            return
        message = messages.get(deps.resources.log, ref, message_sk)
        if message is not None:
            receipts.show_typing(deps.gateway, opened, message)
