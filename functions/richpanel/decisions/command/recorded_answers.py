"""Answers of a language model, recorded in a file: decisions with a model can be measured without calling one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from richpanel.classification import Classification
from richpanel.decisions.facts import ModelFailure, ModelOpinion
from richpanel.decisions.model_answers import ModelDecision, merge
from shared.ai.calls.model_calls import AnswerInvalid


class RecordedAnswersInvalid(Exception):
    """A line of the file is not a recorded answer: the text names the file, the line, the field and the rule."""


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """The answers by message id: parsed, or the reason why the answer is outside its schema."""

    answers: Mapping[str, ModelDecision | AnswerInvalid]

    def opinion(
        self, sample_id: str | int, rules: Classification
    ) -> tuple[Classification, ModelOpinion]:
        """Merge the rules' result with the recorded answer; without a valid one, return *rules* and the failure."""
        answer = self.answers.get(str(sample_id))
        if answer is None:
            return rules, ModelOpinion(failure=ModelFailure.UNREACHABLE)
        if isinstance(answer, AnswerInvalid):
            return rules, ModelOpinion(failure=ModelFailure.INVALID)
        return merge(rules, answer)

    def problem(self, sample_id: str | int) -> str | None:
        """Return the reason why the message's answer is outside the schema, or None."""
        answer = self.answers.get(str(sample_id))
        return str(answer) if isinstance(answer, AnswerInvalid) else None


def read_answers(file: str) -> RecordedAnswers:
    """Read the file of JSON lines `{"id", "answer"}`. Raises OSError and RecordedAnswersInvalid."""
    answers: dict[str, ModelDecision | AnswerInvalid] = {}
    for number, line in enumerate(Path(file).read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            sample_id, answer = _recorded(line)
        except ValueError as error:
            raise RecordedAnswersInvalid(f"{file}, line {number}: {error}") from None
        if sample_id in answers:
            raise RecordedAnswersInvalid(f"{file}, line {number}: id: must not be repeated")
        try:
            answers[sample_id] = ModelDecision.parse(json.dumps(answer))
        except AnswerInvalid as invalid:
            answers[sample_id] = invalid
    return RecordedAnswers(answers)


def _recorded(line: bytes) -> tuple[str, Any]:
    """Return the id and the answer of a line. Raises ValueError with the field and the rule."""
    try:
        read = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ValueError("must be JSON in UTF-8") from None
    if not isinstance(read, dict):
        raise ValueError("must be a JSON object")  # noqa: TRY004 - the caller names the line
    sample_id = read.get("id")
    if isinstance(sample_id, bool) or not isinstance(sample_id, str | int):
        raise ValueError("id: must be a string or an integer")  # noqa: TRY004 - as above
    if "answer" not in read:
        raise ValueError("answer: is required")
    return str(sample_id), read["answer"]
