"""The share of personal data that redaction replaces, and of other text that it replaces by mistake."""

import pytest

from shared.runtime.redaction import redact
from tests.redaction.corpus import HIDDEN, SEED, corpus, figures, part_wrong
from tests.redaction.left_alone import LEFT_ALONE

pytestmark = pytest.mark.long

LEAST_RECALL = 0.99
MOST_FALSE_POSITIVES = 0.02


@pytest.mark.parametrize("seed", [SEED, 1, 2])
def test_nearly_all_secrets_are_redacted_and_almost_no_other_text(seed: int) -> None:
    found = figures(redact, seed)

    assert sum(found[kind].count for kind in HIDDEN) >= 2_000
    assert 1 - part_wrong(found, HIDDEN) >= LEAST_RECALL
    assert part_wrong(found, LEFT_ALONE) <= MOST_FALSE_POSITIVES


def test_no_kind_is_found_at_the_expense_of_another() -> None:
    found = figures(redact)

    assert [kind for kind in HIDDEN if part_wrong(found, [kind]) > 0.03] == []


def test_only_cases_with_personal_data_expect_a_mask() -> None:
    for case in corpus():
        assert (case.text != case.expected) == (case.kind in HIDDEN), case


def test_redacted_text_is_not_changed_again() -> None:
    again = [case for case in corpus() if redact(redact(case.text)) != redact(case.text)]

    assert again == []


def test_a_redactor_that_masks_nothing_or_everything_fails() -> None:
    assert part_wrong(figures(lambda text: text), HIDDEN) == 1
    assert part_wrong(figures(lambda text: text), LEFT_ALONE) == 0
    assert part_wrong(figures(lambda _: "***"), LEFT_ALONE) == 1
