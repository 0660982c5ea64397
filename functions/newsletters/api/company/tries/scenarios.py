"""
Scenarios of newsletters: an outline or a section, the recorded answer of a model, and what must follow.

Prompts, schemas, texts and checks are those of the worker (`drafting.tried_steps`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from newsletters.api.company.tries.written import SECTION, WrittenNewsletter
from newsletters.api.inputs import VersionedSettings
from newsletters.drafting.checks import claims
from newsletters.drafting.tried_steps import StepWork, TriedStep, severity_of
from newsletters.jobs.failures import StepFailed
from shared.ai import port as ai
from shared.ai.calls.model_calls import ModelCalls
from shared.ai.evaluation.answers import Expected, Made, NotMade
from shared.ai.evaluation.format import Strict, Texts
from shared.ai.settings import ModelSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BAD: Final = 10
LARGEST_ANSWER: Final = 100_000  # bytes
NOT_RECORDED: Final = "no_recorded_answer"
RECORDED: Final = ModelSettings(provider="openai", model="recorded", api_key_reference="none")
_COMPANY: Final = "trial"
_VERDICTS: Final = "verdicts"


def _is_small(value: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(value)) > LARGEST_ANSWER:
        raise ValueError(f"must be at most {LARGEST_ANSWER} bytes")
    return value


# What the model answers, in the words of its schema; `verdicts` beside it are those of the check of claims.
type Answer = Annotated[dict[str, Any], AfterValidator(_is_small)]


class ExpectedStep(Expected):
    """
    What a step must have: the titles of passages that it *cites*, and *findings*, the codes of its checks. With
    *hands_off* there is a warning, of this code, or no text.
    """

    cites: Texts = Field(default_factory=list)
    findings: Texts = Field(default_factory=list)


class NewsletterScenario(Strict):
    """A step of a newsletter. *settings* are those of a version; a stored set has none."""

    kind: Literal["newsletter"]
    name: str = Field(min_length=1, max_length=200)
    step: TriedStep
    settings: VersionedSettings = VersionedSettings()
    newsletter: WrittenNewsletter
    answer: Answer | None = None
    bad_answers: list[Answer] = Field(default_factory=list, max_length=MOST_BAD)
    expect: ExpectedStep

    @model_validator(mode="after")
    def _has_what_the_step_needs(self) -> Self:
        missing = self.newsletter.missing_for(self.step)
        if missing is not None:
            raise ValueError(f"newsletter.{missing} is needed for the step {self.step}")
        return self

    @property
    def about(self) -> dict[str, object]:
        """What a judge reads beside the text."""
        return {"newsletter": self.newsletter.model_dump(), "step": self.step}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A model that always gives the same answer, and the verdicts beside it on its statements."""

    answer: Mapping[str, Any]
    name: str = "recorded"

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        is_check = request.schema is not None and request.schema.name == claims.CLAIMS
        own = {name: one for name, one in self.answer.items() if (name == _VERDICTS) == is_check}
        return ai.Reply(json.dumps(own, ensure_ascii=False), ai.Stop.END)


def of_recorded(
    scenario: NewsletterScenario, answer: Answer | None, *, checks_claims: bool
) -> Made:
    """Return what follows from a recorded answer. Raises NotMade without one."""
    if answer is None:
        raise NotMade(NOT_RECORDED)
    model = Recorded(answer)
    return made(model, scenario, RECORDED, checks_claims=checks_claims)


def made(
    model: ai.Model,
    scenario: NewsletterScenario,
    configured: ModelSettings,
    *,
    checks_claims: bool,
    deadline_ms: int | None = None,
) -> Made:
    """Return what the step makes with *model*, *configured* as in a version. Raises ai.Unavailable."""
    given = scenario.newsletter
    work = StepWork(
        newsletter=given.as_newsletter(_COMPANY),
        step=scenario.step,
        configured=configured,
        checks_claims=checks_claims,
        section=SECTION,
        words=given.words,
    )
    try:
        found = work.made(ModelCalls(model=model, deadline_ms=deadline_ms))
    except StepFailed as failure:  # what the model has written cannot be used
        return Made(text=None, waits=failure.code, facts={"cites": [], "findings": []})
    codes = list(dict.fromkeys(one.code for one in found.warnings))
    waits = next((code for code in codes if severity_of(code) == "warning"), None)
    facts = {"cites": [one.title for one in found.cited], "findings": codes}
    return Made(text=found.text, waits=waits, facts=facts)
