"""Shows played dialogues: as text for people, as JSON lines for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conversations.dialogues.turn import Performance, Turn

_LONGEST = 400


def as_text(performance: Performance, *, shows_all: bool = False) -> str:
    """Return the result of a dialogue: one line if it went as expected, else its turns up to the last broken one."""
    head = "ok      " if performance.is_as_expected else "FAILED  "
    lines = [f"{head}{performance.name}"]
    if performance.not_opened:
        lines.append(f"        - {performance.not_opened}")
    broken = [n for n, turn in enumerate(performance.turns) if turn.failures]
    shown = len(performance.turns) if shows_all else max(broken, default=-1) + 1
    if shown:
        lines += [f"          {line.author}: {_short(line.text)}" for line in performance.opening]
    for number, turn in enumerate(performance.turns[:shown], start=1):
        lines += _of_turn(number, turn)
    return "\n".join(lines)


def as_json(performance: Performance) -> str:
    """Return the result of a dialogue as one line of JSON, with all texts."""
    return json.dumps(
        {"is_as_expected": performance.is_as_expected} | asdict(performance), ensure_ascii=False
    )


def summary(performances: Sequence[Performance]) -> str:
    """Return how many dialogues went as expected."""
    passed = sum(one.is_as_expected for one in performances)
    return f"{passed} passed, {len(performances) - passed} failed"


def _of_turn(number: int, turn: Turn) -> Iterator[str]:
    status = f"{turn.status} ({turn.reason})" if turn.reason else turn.status
    yield f"        turn {number}, {turn.at}: {status}"
    for line in turn.lines:
        unsent = "" if line.was_sent else " (not sent)"
        yield f"          {line.author}{unsent}: {_short(line.text)}"
    for call in turn.calls:
        yield f"          calls {call}"
    for failure in turn.failures:
        yield f"          - {failure}"


def _short(text: str) -> str:
    plain = " / ".join(text.split("\n"))
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]} ..."
