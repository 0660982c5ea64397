"""
Plays the scenarios of stored runs, one for each event. Nothing is sent to customers.

    result stored already        only the end of the run is noted
    set changed                  the scenario fails with that reason
    model fails for now          repeated by the queue, the last time the scenario fails; each try counts for the bounds
    function has no time left    the scenario fails
    bound of the run reached     it and all later scenarios fail
    limit of the company reached the scenario fails
    crash                        the scenario is played again; only its result counts, and what the first try has cost
                                 is not counted
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from shared.ai.evaluation.bounds import Bounds
from shared.ai.evaluation.sets.items import StoredResult
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.ai.evaluation.judge import Judgement
    from shared.ai.evaluation.sets.items import StoredRun
    from shared.ai.evaluation.sets.stored import Evaluations

SET_CHANGED: Final = "set_changed"
VERSION_GONE: Final = "version_gone"
NOT_PLAYABLE: Final = "not_playable"  # with the format of this release, or the settings
LONGEST_TEXT: Final = 4_000  # of all answers of a scenario, as stored
MOST_FAILURES: Final = 20


class Outcome(Protocol):
    """How a scenario went with one version."""

    @property
    def is_passed(self) -> bool:
        """Whether it went as expected, and all bad answers were caught."""

    @property
    def failures(self) -> Sequence[str]:
        """What went wrong, a line each."""

    @property
    def stopped(self) -> str | None:
        """The code of a failure that has ended it."""

    @property
    def may_pass(self) -> bool:
        """Whether a retry can help."""

    @property
    def said(self) -> str:
        """What the customer would have received."""

    @property
    def judged(self) -> Sequence[tuple[str, Judgement]]:
        """Questions with the judgement of a model."""

    @property
    def calls(self) -> int:
        """Calls of models."""

    @property
    def micros(self) -> int:
        """Their costs in micro-dollars, by list prices."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A scenario that was not played, for the reason *stopped*."""

    stopped: str
    may_pass: bool = False
    calls: int = 0
    micros: int = 0
    is_passed: bool = False
    said: str = ""
    judged: Sequence[tuple[str, Judgement]] = ()

    @property
    def failures(self) -> Sequence[str]:
        """The reason."""
        return [f"not run: {self.stopped}"]


@dataclass(frozen=True, slots=True)
class Play:
    """A scenario of a *run* that is to be played with each of its versions: *content* is its JSON."""

    run: StoredRun
    position: int
    content: str
    left: Bounds

    @property
    def unnamed(self) -> str:
        """The name of a scenario that cannot be read."""
        return f"scenario {self.position + 1}"


# Plays a scenario, and returns its name and its outcome with each version of the run.
type Player = Callable[[Play], tuple[str, Sequence[Outcome]]]


def play(stored: Evaluations, run_id: str, position: int, player: Player, *, is_last: bool) -> bool:
    """
    Play a scenario of a run unless it was played; False if there is no such run. *is_last*: the queue delivers the
    event no more. Raises Transient for a failure that may pass.
    """
    begun = stored.run(run_id)
    if begun is None:
        return False
    if not stored.has_result(run_id, position):
        name, outcomes = _outcomes(stored, begun, position, player)
        if any(one.may_pass for one in outcomes) and not is_last:
            calls, micros = sum(one.calls for one in outcomes), sum(one.micros for one in outcomes)
            stored.count_try(begun, calls, micros)
            raise Transient("model_unavailable")
        _store(stored, begun, position, name, outcomes)
    _note_end(stored, run_id)
    return True


def give_up(stored: Evaluations, run_id: str, position: int, reason: str) -> None:
    """Store that a scenario could not be played."""
    begun = stored.run(run_id)
    if begun is not None:
        outcomes = [Stopped(reason) for _ in begun.versions]
        _store(stored, begun, position, f"scenario {position + 1}", outcomes)
        _note_end(stored, run_id)


def _outcomes(
    stored: Evaluations, begun: StoredRun, position: int, player: Player
) -> tuple[str, Sequence[Outcome]]:
    scenarios = stored.scenarios(begun.set_name, begun.revision)
    if scenarios is None:
        return f"scenario {position + 1}", [Stopped(SET_CHANGED) for _ in begun.versions]
    left = Bounds(begun.most_calls - begun.used_calls, begun.most_micros - begun.used_micros)
    return player(Play(begun, position, scenarios[position], left))


def _store(
    stored: Evaluations, begun: StoredRun, position: int, name: str, outcomes: Sequence[Outcome]
) -> None:
    results = [_shown(number, one) for number, one in zip(begun.versions, outcomes, strict=True)]
    counts: Counter[str] = Counter(done=1)
    for field, one in zip(("passed", "passed_against"), outcomes, strict=False):
        counts[field] += one.is_passed
        counts["used_calls"] += one.calls
        counts["used_micros"] += one.micros
    result = StoredResult(position=position, name=name, results=results)
    stored.add_result(begun, result, {field: n for field, n in counts.items() if n})


def _shown(number: int, outcome: Outcome) -> dict[str, Any]:
    """Return the result with a version: what failed, and what the model has written."""
    judged = [
        {"question": question, **judgement.model_dump()} for question, judgement in outcome.judged
    ]
    shown = {
        "version": number,
        "passed": outcome.is_passed,
        "failures": list(outcome.failures[:MOST_FAILURES]),
        "stopped": outcome.stopped,
        "said": outcome.said[:LONGEST_TEXT],
        "judged": json.loads(json.dumps(judged), parse_float=str),
        "calls": outcome.calls,
        "micros": outcome.micros,
    }
    return {name: value for name, value in shown.items() if value not in (None, "", [])}


def _note_end(stored: Evaluations, run_id: str) -> None:
    """Note the versions that have passed the whole set. Repeatable. Recorded answers belong to no version."""
    ended = stored.run(run_id)
    if ended is None or ended.recorded or ended.done < ended.total:
        return
    for number, passed in zip(ended.versions, (ended.passed, ended.passed_against), strict=False):
        if passed == ended.total:
            stored.note_passed(ended, number)
