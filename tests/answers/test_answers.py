"""The targets of the checks of answers: few right answers are refused, most bad ones are caught."""

from tests.answers.corpus import read

MOST_REFUSED = 0.03
FEWEST_CAUGHT = 0.80


def test_at_most_three_percent_of_right_answers_are_refused() -> None:
    right = read("right")
    refused = [(one.answer, one.faults) for one in right if one.faults]

    assert len(refused) <= MOST_REFUSED * len(right), refused


def test_at_least_eighty_percent_of_bad_answers_are_caught() -> None:
    bad = read("bad")
    missed = [(one.answer, one.expected) for one in bad if not one.faults]

    assert len(bad) - len(missed) >= FEWEST_CAUGHT * len(bad), missed
