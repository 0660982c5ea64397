"""Shows played dialogues: as text for people, as JSON lines for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conversations.dialogues.evaluation import Outcome
    from conversations.dialogues.turn import Performance, Turn

_LONGEST = 400
_A_MILLION = 1_000_000


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
        {"is_as_expected": performance.is_as_expected} | asdict(performance),
        ensure_ascii=False,
        default=_plain,
    )


def summary(performances: Sequence[Performance]) -> str:
    """Return how many dialogues went as expected."""
    passed = sum(one.is_as_expected for one in performances)
    return f"{passed} passed, {len(performances) - passed} failed"


def of_outcome(outcome: Outcome, *, shows_all: bool = False) -> str:
    """Return the result of a dialogue of an evaluation: one line if it has passed."""
    played = outcome.performance
    shown = as_text(played, shows_all=shows_all) if played else f"NOT RUN {outcome.name}"
    if played and outcome.missed and played.is_as_expected:
        shown = f"FAILED  {outcome.name}"
    own = [*outcome.missed, *([outcome.stopped] if outcome.stopped else [])]
    return "\n".join([shown, *(f"        - {line}" for line in own)])


def outcome_as_json(version: str, outcome: Outcome) -> str:
    """Return the result of a dialogue and a version as one line of JSON, with all texts."""
    shown = {"version": version, "is_passed": outcome.is_passed, "failures": outcome.failures}
    return json.dumps(shown | asdict(outcome), ensure_ascii=False, default=_plain)


def side_by_side(of_versions: Mapping[str, Sequence[Outcome]]) -> str:
    """Return a line per dialogue with the result of each version, and what failed where they differ."""
    names = list(of_versions)
    lines = ["  ".join([*(f"{name[:12]:12}" for name in names), "dialogue"])]
    for row in zip(*of_versions.values(), strict=True):
        words = ["passed" if one.is_passed else "FAILED" for one in row]
        lines.append("  ".join([*(f"{word:12}" for word in words), row[0].name]))
        if len(set(words)) > 1:
            lines += [
                f"    {name}: {failure}"
                for name, one in zip(names, row, strict=True)
                for failure in one.failures
            ]
    return "\n".join(lines)


def totals(outcomes: Sequence[Outcome]) -> str:
    """Return how many dialogues have passed, and what the run has cost."""
    passed = sum(one.is_passed for one in outcomes)
    counts = f"{passed} passed, {len(outcomes) - passed} failed"
    calls = sum(one.calls for one in outcomes)
    dollars = sum(one.micros for one in outcomes) / _A_MILLION
    return f"{counts}, {calls} calls, ${dollars:.4f}" if calls else counts


def _plain(value: object) -> object:
    return value.model_dump() if isinstance(value, BaseModel) else str(value)


def _of_turn(number: int, turn: Turn) -> Iterator[str]:
    status = f"{turn.status} ({turn.reason})" if turn.reason else turn.status
    yield f"        turn {number}, {turn.at}: {status}"
    for line in turn.lines:
        unsent = "" if line.was_sent else " (not sent)"
        yield f"          {line.author}{unsent}: {_short(line.text)}"
    for call in turn.calls:
        yield f"          calls {call}"
    for question, judgement in turn.judgements:
        yield f"          judged {judgement.confidence:.2f} {judgement.passes}: {question}"
    for failure in turn.failures:
        yield f"          - {failure}"


def _short(text: str) -> str:
    plain = " / ".join(text.split("\n"))
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]} ..."
