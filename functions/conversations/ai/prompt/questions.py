"""Questions that a project asks its customers: `clarificationPoints` of its project data."""

from collections.abc import Mapping, Sequence
from typing import Any

POINTS = "clarificationPoints"
MOST_ANSWERS = 32
_CONFIRMED = frozenset({"true", "yes", "1"})


def answerable_questions(
    project_data: Mapping[str, Any], recorded_answers: Mapping[str, str]
) -> list[str]:
    """
    Return the questions for which answers may be recorded: recorded ones, and open ones up to MOST_ANSWERS in total.

    A question has an answer of the company if its `pointConfirmed` is true, or if the project data has a key equal to
    its text.
    """
    questions = [
        entry["point"]
        for entry in _points(project_data)
        if str(entry.get("pointConfirmed")).casefold() not in _CONFIRMED
        and entry["point"] not in project_data
    ]
    recorded = [question for question in questions if question in recorded_answers]
    unanswered = [question for question in questions if question not in recorded_answers]
    return [*recorded, *unanswered[: max(0, MOST_ANSWERS - len(recorded_answers))]]


def questions_in(project_data: Mapping[str, Any]) -> list[str]:
    """Return all questions, answered or not."""
    return [entry["point"] for entry in _points(project_data)]


def _points(project_data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = project_data.get(POINTS)
    is_list = isinstance(entries, Sequence) and not isinstance(entries, str)
    return [
        entry
        for entry in (entries if is_list and entries else ())
        if isinstance(entry, Mapping) and isinstance(entry.get("point"), str)
    ]
