"""
Evaluates a version of a project's settings with a set of dialogues, without sending anything.

    recorded answers    the checks of Parley and the expectations of the set, without a model; each bad answer must be
                        caught: it breaks an expectation, or the turn's own checks reject it
    a model             the version writes the answers; questions are judged by a model
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conversations.dialogues.performance import play, recorded_judgement
from conversations.dialogues.rehearsal.rehearsal import Rehearsal, refuse_unplayable
from conversations.dialogues.scenarios.settings import project_of
from shared.ai import port as ai
from shared.ai.calls.model_calls import NO_TIME_LEFT, AnswerInvalid
from shared.ai.evaluation.bounded_calls import BoundedCalls
from shared.ai.evaluation.bounds import REACHED
from shared.ai.spending import prices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conversations.ai.config import AiConfig
    from conversations.configuration.projects import Company
    from conversations.dialogues.rehearsal.rehearsal import Models, Searches
    from conversations.dialogues.scenarios.files import Written
    from conversations.dialogues.turn import Performance, Turn
    from shared.ai.evaluation.bounds import Bounds
    from shared.ai.evaluation.format import Judged
    from shared.ai.evaluation.judge import Judge, Judgement
    from shared.ai.spending.prices import ModelPrice


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    How a dialogue went. *missed* names the bad answers that nothing has caught; *stopped* is the code of a failure that
    has ended it: of the model, or `evaluation_bound`; *may_pass*: a retry can help.
    """

    name: str
    performance: Performance | None = None
    missed: Sequence[str] = ()
    stopped: str | None = None
    may_pass: bool = False
    calls: int = 0
    micros: int = 0

    @property
    def is_passed(self) -> bool:
        """Whether it went as expected, and all bad answers were caught."""
        played = self.performance
        return played is not None and played.is_as_expected and not self.missed

    @property
    def failures(self) -> list[str]:
        """The failures, each with its turn."""
        turns = self.performance.turns if self.performance else ()
        found = [f"turn {n}: {one}" for n, turn in enumerate(turns, 1) for one in turn.failures]
        stopped = [f"not run: {self.stopped}"] if self.stopped else []
        opened = self.performance.not_opened if self.performance else None
        return [*stopped, *([opened] if opened else []), *found, *self.missed]

    @property
    def said(self) -> str:
        """The texts that the customer would have received."""
        turns = self.performance.turns if self.performance else ()
        return "\n\n".join("\n".join(turn.sent_by("ai", "system")) for turn in turns)

    @property
    def judged(self) -> Sequence[tuple[str, Judgement]]:
        """The questions with their judgements."""
        turns = self.performance.turns if self.performance else ()
        return [one for turn in turns for one in turn.judgements]


@dataclass(slots=True, kw_only=True, eq=False)
class Evaluation:
    """
    Evaluates one version within *bounds*. *settings* are its settings, None: the dialogues' own; the others are
    as in `Rehearsal`. *judge* is needed with *models*. A scenario that needs longer than *until_ms* is stopped.
    """

    bounds: Bounds
    settings: Mapping[str, object] | None = None
    item: Mapping[str, object] | None = None
    models: Models | None = None
    searches: Searches | None = None
    judge: Judge | None = field(default=None, repr=False)
    until_ms: int | None = None

    def check(self, written: Written) -> None:
        """Raise NotPlayable, or SettingsBroken, for a dialogue that cannot be played with the version."""
        refuse_unplayable(written)
        project_of(written.dialogue, self.settings, self.item)

    def run(self, written: Written) -> Outcome:
        """Play a dialogue. Raises like `check`."""
        calls, micros, name = self.bounds.used_calls, self.bounds.used_micros, written.dialogue.name
        try:
            performance = play(self._rehearsal(), written, self._judged)
            outcome = Outcome(name=name, performance=performance, missed=[*self._missed(written)])
        except ai.Unavailable as failure:
            may_pass = failure.repeat is ai.Repeat.LATER and failure.code != NO_TIME_LEFT
            outcome = Outcome(name=name, stopped=failure.code, may_pass=may_pass)
        except AnswerInvalid:
            outcome = Outcome(name=name, stopped="judge_invalid")
        return replace(
            outcome,
            calls=self.bounds.used_calls - calls,
            micros=self.bounds.used_micros - micros,
        )

    def _rehearsal(self) -> Rehearsal:
        return Rehearsal(
            settings=self.settings,
            item=self.item,
            models=self._bounded if self.models else None,
            searches=self.searches,
            until_ms=self.until_ms,
        )

    def _bounded(self, config: AiConfig, company: Company) -> ai.Model:
        assert self.models is not None  # noqa: S101 - for mypy: `_rehearsal` has checked it
        return BoundedCalls(self.models(config, company), dearest_price(config), self.bounds)

    def _judged(self, asked: Judged, turn: Turn) -> Judgement | None:
        if self.models is None:
            return recorded_judgement(asked, turn)
        if self.judge is None:
            return None
        said = [{"by": line.author, "text": line.text} for line in turn.lines if line.was_sent]
        return self.judge.judgement(asked.question, {"turn": said, "status": turn.status})

    def _missed(self, written: Written) -> Iterator[str]:
        """Yield each bad answer that is not caught; none of them is played with a model."""
        if self.models is not None:
            return
        turns = written.dialogue.turns
        for number, step in enumerate(turns):
            for position, bad in enumerate(step.bad_answers, 1):
                cut = [*turns[:number], step.model_copy(update={"answers": [bad]})]
                changed = written.dialogue.model_copy(update={"turns": cut})
                last = play(self._rehearsal(), replace(written, dialogue=changed), None).turns[-1]
                if not last.failures and not last.faults:
                    yield f"turn {number + 1}: bad answer {position} is not caught"


def is_bound_reached(outcome: Outcome) -> bool:
    """Whether a run has to end with this outcome."""
    return outcome.stopped == REACHED


def dearest_price(config: AiConfig) -> ModelPrice:
    """Return the price of the model, or of the second one if that is more expensive: either may answer."""
    found = map(prices.price_for, filter(None, (config, config.fallback)))
    return max(found, key=lambda one: one.token_out)
