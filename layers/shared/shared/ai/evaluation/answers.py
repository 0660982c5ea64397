"""
Scenarios of one answer: a draft by mail, a decision on a ticket, a section of a newsletter.

A context makes the answer, with a recorded one of the model or with a model, and this module checks it. Each of
`bad_answers` must be caught: it breaks an expectation, or the context's own checks leave it to a person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field, ValidationError

from shared.ai import port as ai
from shared.ai.calls.model_calls import NO_TIME_LEFT, AnswerInvalid
from shared.ai.evaluation.expectations import broken_by
from shared.ai.evaluation.format import (
    Language,
    Questions,
    Strict,
    Texts,
    refused_by,
    unjudged,
)
from shared.runtime.validation.validation_errors import errors_of, rule_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shared.ai.evaluation.bounds import Bounds
    from shared.ai.evaluation.judge import Judge, Judgement


class Expected(Strict):
    """
    What an answer must have. *hands_off*: a person has to write or approve it, or the reason for it. A context adds
    names of `Made.facts`.
    """

    contains: Texts = Field(default_factory=list)
    contains_any: Texts = Field(default_factory=list)
    lacks: Texts = Field(default_factory=list)
    language: Language | None = None
    hands_off: bool | str | None = None
    judge: Questions = Field(default_factory=list)


class Scenario(Protocol):
    """A scenario of a context; its input is the context's."""

    @property
    def name(self) -> str:
        """Its name in the set."""

    @property
    def answer(self) -> Any:  # noqa: ANN401 - the words of the context
        """The recorded answer of the model; None: there is none."""

    @property
    def bad_answers(self) -> Sequence[Any]:
        """Recorded answers that must be caught."""

    @property
    def expect(self) -> Expected:
        """What the answer must have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """
    What follows from an answer of a model. *waits* is the reason why a person has to write or approve it; *facts* are
    compared with the expectations of the same names, *faults* are what the context's checks have found.
    """

    text: str | None = field(repr=False)
    waits: str | None = None
    facts: Mapping[str, str | Sequence[str] | None] = field(default_factory=dict, repr=False)
    faults: Sequence[str] = ()


class NotMade(Exception):
    """There is no answer. The message is a code; *may_pass*: a retry can help."""

    def __init__(self, code: str, *, may_pass: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.may_pass = may_pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a scenario went; see `sets.runs.Outcome`."""

    failures: Sequence[str]
    made: Made | None = None
    stopped: str | None = None
    may_pass: bool = False
    judged: Sequence[tuple[str, Judgement]] = ()
    calls: int = 0
    micros: int = 0

    @property
    def is_passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @property
    def said(self) -> str:
        """The text of the answer."""
        return (self.made.text if self.made else None) or ""


def recorded(scenario: Scenario, make: Callable[[Any], Made]) -> Outcome:
    """
    Check the recorded answer, then that each bad one is caught. *make* is given one of them. Raises as *make*, except
    for NotMade.
    """
    try:
        made = make(scenario.answer)
    except NotMade as failure:
        return Outcome(failures=[f"not run: {failure.code}"], stopped=failure.code)
    judged = [(one.question, one.recorded) for one in scenario.expect.judge]
    failures = [*_failures(scenario.expect, made), *_unconvinced(judged)]
    for number, bad in enumerate(scenario.bad_answers, start=1):
        if not _is_caught(scenario.expect, made, make(bad)):
            failures.append(f"bad answer {number} is not caught")
    found = [(question, judgement) for question, judgement in judged if judgement is not None]
    return Outcome(failures=failures, made=made, judged=found)


def asked(
    scenario: Scenario,
    make: Callable[[], Made],
    judge: Judge | None,
    about: Mapping[str, object],
    bounds: Bounds,
) -> Outcome:
    """
    Check the answer that *make* has from a model; a *judge* answers questions about it and *about*, its input.

    Calls count in *bounds*. Raises as *make*, except for NotMade and failures of models.
    """
    calls, micros = bounds.used_calls, bounds.used_micros

    def outcome(failures: Sequence[str], **more: Any) -> Outcome:  # noqa: ANN401 - fields of the outcome
        used_calls, used_micros = bounds.used_calls - calls, bounds.used_micros - micros
        return Outcome(failures=failures, calls=used_calls, micros=used_micros, **more)

    made: Made | None = None
    try:
        made = make()
        judged = [
            (one.question, _judgement(judge, one.question, made, about))
            for one in scenario.expect.judge
        ]
    except NotMade as failure:
        return _stopped(outcome, made, failure.code, may_pass=failure.may_pass)
    except ai.Unavailable as failure:
        may_pass = failure.repeat is ai.Repeat.LATER and failure.code != NO_TIME_LEFT
        return _stopped(outcome, made, failure.code, may_pass=may_pass)
    except AnswerInvalid:
        return _stopped(outcome, made, "judge_invalid", may_pass=False)
    failures = [*_failures(scenario.expect, made), *_unconvinced(judged)]
    found = [(question, one) for question, one in judged if one is not None]
    return outcome(failures, made=made, judged=found)


def _stopped(
    outcome: Callable[..., Outcome], made: Made | None, code: str, *, may_pass: bool
) -> Outcome:
    return outcome([f"not run: {code}"], made=made, stopped=code, may_pass=may_pass)


def _judgement(
    judge: Judge | None, question: str, made: Made, about: Mapping[str, object]
) -> Judgement | None:
    if judge is None:
        return None
    return judge.judgement(question, {**about, "answer": made.text, "left_to_a_person": made.waits})


def _unconvinced(judged: Sequence[tuple[str, Judgement | None]]) -> Iterator[str]:
    for question, judgement in judged:
        problem = unjudged(question) if judgement is None else refused_by(question, judgement)
        if problem is not None:
            yield problem


def _is_caught(expected: Expected, good: Made, bad: Made) -> bool:
    """Whether a bad answer breaks an expectation, or is left to a person where the good one is not."""
    is_left = bad.waits is not None and good.waits is None
    return is_left or any(_failures(expected, bad))


def _failures(expected: Expected, made: Made) -> Iterator[str]:
    yield from broken_by(expected, made.text or "")
    yield from made.faults
    wanted = expected.hands_off
    if wanted is not None and bool(wanted) != (made.waits is not None):
        yield "no hand-off" if wanted else f"a person has to act: {made.waits}"
    elif isinstance(wanted, str) and made.waits != wanted:
        yield f"a person has to act because of {made.waits} instead of {wanted}"
    for name, found in made.facts.items():
        own = getattr(expected, name)
        if isinstance(own, list):
            yield from (f"{name} lacks {one}" for one in own if one not in (found or ()))
        elif own not in {None, found}:
            yield f"the {name} is {found} instead of {own}"


def problems_of(
    kind: type[Strict], place: str, given: dict[str, Any], names: set[str]
) -> list[dict[str, str]]:
    """
    Return why a scenario of the class *kind* is refused: the field below *place*, and the rule. *names* are those of
    the scenarios before it, and get its own.
    """
    try:
        kind.model_validate(given)
    except ValidationError as refusal:
        return [
            {"field": ".".join([place, *map(str, one["loc"])]), "problem": rule_of(one)}
            for one in errors_of(refusal)
        ]
    if given["name"] in names:
        return [{"field": f"{place}.name", "problem": "is used twice"}]
    names.add(given["name"])
    return []
