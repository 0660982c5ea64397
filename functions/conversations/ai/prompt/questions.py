"""The questions that a project wants answered: `clarificationPoints` of its project data."""

from collections.abc import Mapping, Sequence
from typing import Any

POINTS = "clarificationPoints"
MOST_ANSWERS = 32
_CONFIRMED = frozenset({"true", "yes", "1"})


def open_questions(
    project_data: Mapping[str, Any], recorded_answers: Mapping[str, str]
) -> list[str]:
    """
    The questions without an answer, in their order; none where as many answers are recorded as a conversation keeps.

    A question is answered where its `pointConfirmed` says so, where the project data have its text as a name, or where
    an answer is recorded.
    """
    if len(recorded_answers) >= MOST_ANSWERS:
        return []
    return [
        entry["point"]
        for entry in _points(project_data)
        if str(entry.get("pointConfirmed")).casefold() not in _CONFIRMED
        and entry["point"] not in project_data
        and entry["point"] not in recorded_answers
    ]


def questions_in(project_data: Mapping[str, Any]) -> list[str]:
    """All questions, answered or not."""
    return [entry["point"] for entry in _points(project_data)]


def _points(project_data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = project_data.get(POINTS)
    is_list = isinstance(entries, Sequence) and not isinstance(entries, str)
    return [
        entry
        for entry in (entries if is_list and entries else ())
        if isinstance(entry, Mapping) and isinstance(entry.get("point"), str)
    ]
