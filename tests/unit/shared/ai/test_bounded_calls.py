"""The bounds of a run of an evaluation: what its calls may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from shared.ai import port as ai
from shared.ai.evaluation.bounded_calls import BoundedCalls
from shared.ai.evaluation.bounds import Bounds
from shared.ai.spending.prices import ModelPrice

PRICE = ModelPrice(1.0, 10.0)
REQUEST = ai.Request(
    "x" * 300, [ai.Message(ai.Role.USER, "?")], ai.Limits(most_tokens=100, within_ms=1_000)
)


@dataclass
class Failing:
    """A model that gives no answer."""

    may_be_billed: bool
    name: str = "failing"

    def reply(self, _: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        raise ai.Unavailable("timeout", may_be_billed=self.may_be_billed)


@pytest.mark.parametrize("may_be_billed", [True, False])
def test_a_call_without_an_answer_counts_its_longest_answer_if_it_may_be_billed(
    may_be_billed: bool,
) -> None:
    bounds = Bounds(calls=10, micros=1_000_000)

    with pytest.raises(ai.Unavailable):
        BoundedCalls(Failing(may_be_billed), PRICE, bounds).reply(REQUEST)

    assert bounds.used_calls == 1
    assert (bounds.used_micros >= 100 * 10) is may_be_billed


def test_files_and_broken_text_count_before_a_call_begins() -> None:
    file: Any = SimpleNamespace(tokens=5_000)
    asks = ai.Message(ai.Role.USER, "\ud83d", (file,))
    bounds = Bounds(calls=10, micros=2_000)

    with pytest.raises(ai.Unavailable, match="evaluation_bound"):
        BoundedCalls(Failing(may_be_billed=False), PRICE, bounds).reply(
            replace(REQUEST, history=[asks])
        )
