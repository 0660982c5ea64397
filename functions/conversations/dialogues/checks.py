"""Compares a played turn with its expectations. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversations.lifecycle.status import Status
from shared.ai.evaluation.expectations import broken_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conversations.dialogues.scenarios.format import Expected
    from conversations.dialogues.turn import Turn

_WITH_AGENTS = frozenset({Status.HANDOFF_PENDING, Status.HANDOFF_ACTIVE})
_OURS = ("ai", "system")
_LISTED = re.compile(r"^\[\d+\] ")  # before the title of a source


def failures(expected: Expected, turn: Turn) -> list[str]:
    """Return a line for each expectation that the turn breaks."""
    return [
        *_of_texts(expected, turn),
        *_of_all_texts(expected, turn),
        *_of_outcome(expected, turn),
        *_of_calls(expected, turn),
        *_of_model(expected, turn),
    ]


def _of_texts(expected: Expected, turn: Turn) -> Iterator[str]:
    said = "\n".join(turn.sent_by(*_OURS))
    yield from broken_by(expected, said)
    replies = len(turn.sent_by("ai"))
    if expected.replies not in {None, replies}:
        yield f"{replies} answers instead of {expected.replies}"


def _of_all_texts(expected: Expected, turn: Turn) -> Iterator[str]:
    said = "\n".join(turn.sent_by(*_OURS))
    sources = [_LISTED.sub("", line) for line in said.splitlines()]
    for title in expected.cites:
        if not any(line.startswith(title) for line in sources):
            yield f'the answer does not cite "{title}"'
    if expected.sends not in {None, bool(said)}:
        yield "nothing is sent" if expected.sends else "a message is sent"


def _of_outcome(expected: Expected, turn: Turn) -> Iterator[str]:
    is_with_agents = turn.status in _WITH_AGENTS
    wanted = expected.hands_off
    if wanted is not None and is_with_agents != bool(wanted):
        yield f"the status is {turn.status}: {'no hand-off' if wanted else 'handed off'}"
    elif isinstance(wanted, str) and turn.reason != wanted:
        yield f"handed off because of {turn.reason or 'nothing'} instead of {wanted}"
    if expected.status not in {None, turn.status}:
        yield f"the status is {turn.status} instead of {expected.status}"


def _of_calls(expected: Expected, turn: Turn) -> Iterator[str]:
    called = list(turn.calls)
    if expected.calls is not None and called != expected.calls:
        yield f"called {_listed(called)} instead of {_listed(expected.calls)}"
    for name in expected.calls_no:
        if name in called:
            yield f"called {name}"


def _of_model(expected: Expected, turn: Turn) -> Iterator[str]:
    if turn.model_inputs is None:
        return
    for text in expected.model_reads:
        if not any(text in one for one in turn.model_inputs):
            yield f'the model was not given "{text}"'
    calls = len(turn.model_inputs)
    if expected.model_calls not in {None, calls}:
        yield f"{calls} calls of the model instead of {expected.model_calls}"
    if turn.unused_answers:
        yield f"the model was not asked for the last {turn.unused_answers} of its answers"


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
