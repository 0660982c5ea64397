"""Questions that a project asks its customers: `clarificationPoints` of its project data."""

from collections.abc import Mapping, Sequence
from typing import Any

POINTS = "clarificationPoints"
MOST_ANSWERS = 32
_CONFIRMED = frozenset({"true", "yes", "1"})


def open_questions(
    project_data: Mapping[str, Any], recorded_answers: Mapping[str, str]
) -> list[str]:
    """
    Return the unanswered questions in order; none once MOST_ANSWERS answers are recorded.

    A question is answered if its `pointConfirmed` is true, if the project data has a key equal to its text, or if an
    answer is recorded.
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
