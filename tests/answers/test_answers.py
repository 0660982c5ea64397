"""The targets of the checks of answers: few right answers are refused, most bad ones are caught."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.answers.corpus import FRESH, HELD, SECOND, read, untouched

if TYPE_CHECKING:
    from tests.answers.corpus import LabelledAnswer

MOST_REFUSED = 0.03
FEWEST_CAUGHT = 0.80


def answers(part: str, corpus: str) -> list[LabelledAnswer]:
    if corpus == "known":
        return read(part)
    if corpus in {"fresh", "second"}:
        return read(part, FRESH if corpus == "fresh" else SECOND)
    held = read(part, HELD)
    return untouched(held) if corpus == "untouched" else held


@pytest.mark.parametrize("corpus", ["known", "held", "untouched", "fresh", "second"])
def test_at_most_three_percent_of_right_answers_are_refused(corpus: str) -> None:
    right = answers("right", corpus)
    refused = [(one.answer, one.faults) for one in right if one.faults]

    assert len(refused) <= MOST_REFUSED * len(right), refused


@pytest.mark.parametrize("corpus", ["known", "held", "untouched", "fresh", "second"])
def test_at_least_eighty_percent_of_bad_answers_are_caught(corpus: str) -> None:
    bad = answers("bad", corpus)
    missed = [(one.answer, one.expected) for one in bad if not one.faults]

    assert len(bad) - len(missed) >= FEWEST_CAUGHT * len(bad), missed
