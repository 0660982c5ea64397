"""Titles of the newsletters of a series, which are the subjects of its issues unless the series names one."""

from __future__ import annotations

import re
from typing import Final

LONGEST_SUBJECT: Final = 150
_DIGIT: Final = re.compile(r"\d", re.ASCII)
_DAY: Final = "0000-00-00"


def of_run(title: str, planned: str) -> str:
    """Return the title of the newsletter of a run on a day (YYYY-MM-DD)."""
    return f"{title}, {planned}"


def subject_of(newsletter_title: str) -> str:
    """Return the subject of an issue without one of its own."""
    return newsletter_title[:LONGEST_SUBJECT]


def may_be_of_run(title: str, subject: str) -> bool:
    """Whether a subject can be that of a run of a series without a subject of its own."""
    day = subject_of(of_run(title, _DAY))[len(title) :]
    return subject.startswith(title) and _DIGIT.sub("0", subject[len(title) :]) == day
