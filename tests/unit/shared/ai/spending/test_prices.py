"""The price of what a call has used."""

import pytest

from shared.ai.port import Usage
from shared.ai.spending import prices


@pytest.mark.parametrize("model", ["gpt-5-mini", "anthropic.claude-sonnet-4-5", "an-unknown-model"])
def test_a_cached_token_costs_half_of_one_that_is_read(model: str) -> None:
    without = prices.price_of(model, Usage(10_000, 0))

    assert prices.price_of(model, Usage(10_000, 0, 10_000)) == -(-without // 2)
    assert prices.price_of(model, Usage(10_000, 0, 0)) == without


def test_the_sum_of_two_usages_has_the_cached_tokens_of_both() -> None:
    assert Usage(10, 2, 5) + Usage(20, 3, 7) == Usage(30, 5, 12)
