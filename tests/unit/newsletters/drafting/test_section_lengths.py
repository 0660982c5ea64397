"""A section that is much longer or shorter than planned has a warning."""

from __future__ import annotations

from newsletters.drafting.drafts.generation import PlannedText, length_warnings
from tests.cases import each
from tests.unit.newsletters.drafting.samples import item, section


@each(
    "words, is_off",
    [(0, True), (74, True), (75, False), (100, False), (125, False), (126, True), (300, True)],
)
def test_a_quarter_too_many_or_too_few_words_is_no_warning_yet(words: int, is_off: bool) -> None:
    planned = PlannedText("main", section("main", item("Rain")), 100, {})

    found = length_warnings(planned, "word " * words)

    assert [(one.code, one.section, one.text) for one in found] == (
        [("length_off_target", "main", f"{words} words, 100 planned")] if is_off else []
    )
