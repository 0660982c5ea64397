"""The edit distance of a draft in words."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from email_threads.replies.outcomes.corrections import edits_of
from tests.cases import each

TEXTS = st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join)


@each(
    ("written", "sent", "edits"),
    [
        ("The chair is red.", "The chair is red.", 0),
        ("The chair  is\nred.", "The chair is red.", 0),
        ("The chair is red.", "The chair is blue.", 1),
        ("The chair is red.", "The big chair is red.", 1),
        ("The chair is red.", "The chair.", 3),
        ("", "All of it is new.", 5),
        ("All of it is gone.", "", 5),
        ("a b c d", "b c d a", 2),
    ],
)
def test_inserted_removed_and_replaced_words_count(written: str, sent: str, edits: int) -> None:
    assert edits_of(written, sent) == edits


@given(TEXTS, TEXTS, TEXTS)
def test_it_is_a_distance(one: str, two: str, three: str) -> None:
    assert edits_of(one, two) == edits_of(two, one)
    assert (edits_of(one, two) == 0) == (one == two)
    assert edits_of(one, three) <= edits_of(one, two) + edits_of(two, three)


def test_of_long_texts_that_differ_it_is_the_words_of_the_longer_one() -> None:
    words = random.Random(1)  # noqa: S311 - a reproducible text, no secret
    written, sent = (" ".join(str(words.random()) for _ in range(n)) for n in (2_000, 8_000))

    assert edits_of(written, sent) == 8_000
    assert edits_of(sent, sent + " more") == 1
