"""Bounds in dollars are counted in micro-dollars: smaller ones are refused, since nothing could be spent below them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from shared.ai.evaluation.sets.inputs import RunInput
from shared.ai.trials.inputs import TrialInput

TRIAL = {"mode": "shadow", "version": 2}


@pytest.mark.parametrize("dollars", [0, 0.000_000_4, 0.000_000_9, -1])
@pytest.mark.parametrize("model", [RunInput, TrialInput])
def test_a_bound_below_a_micro_dollar_is_refused_with_its_field(
    model: type[RunInput | TrialInput], dollars: float
) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(
            TRIAL | {"most_dollars": dollars} if model is TrialInput else {"most_dollars": dollars}
        )
    assert [one["loc"] for one in refused.value.errors()] == [("most_dollars",)]


def test_the_smallest_bound_is_one_micro_dollar() -> None:
    assert RunInput(most_dollars=0.000_001).most_dollars == 0.000_001
