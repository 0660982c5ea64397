"""The end of a turn during which agents changed the conversation: when the mode follows the status of the turn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from conversations.outbound.turns import completion
from conversations.outbound.turns.completion import Ending
from conversations.store.items.log import Mode

PENDING, ACTIVE, SENT = Status.HANDOFF_PENDING, Status.HANDOFF_ACTIVE, Status.REPLY_SENT


@pytest.mark.parametrize(
    ("current", "of_turn", "mode", "is_moved"),
    [
        (PENDING, PENDING, Mode.AI, True),  # handed back meanwhile, but the turn's hand-off stands
        (PENDING, PENDING, Mode.HUMAN, False),  # the mode already follows
        (ACTIVE, PENDING, Mode.AI, False),  # agents have changed the status since
        (SENT, SENT, Mode.HUMAN, False),  # an agent is about to write another status
    ],
)
def test_the_mode_follows_only_a_current_hand_off_or_end_of_the_turn(
    current: Status, of_turn: Status, mode: Mode, is_moved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves: list[Status] = []

    def move(_: Any, opened: OpenConversation, status: Status, __: Cause) -> OpenConversation:
        moves.append(status)
        return opened

    monkeypatch.setattr(completion, "move", move)
    item: Any = SimpleNamespace(conversation_status=current)
    state: Any = SimpleNamespace(mode=mode)
    company: Any = None
    opened = OpenConversation(ref="r", conversation=item, state=state, company=company)
    cause = Cause(who="ai", what="turn-1")
    resources: Any = None

    completion._align_mode(
        resources, opened, Ending(changed=(item, item), status=of_turn, cause=cause)
    )

    assert moves == ([current] if is_moved else [])
