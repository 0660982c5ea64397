"""The documented cost of the help desk's language model is the measured one, at the documented price."""

from __future__ import annotations

from pathlib import Path

import pytest

from richpanel.clients.language_model import LIMITS
from shared.ai.calls.model_calls import ATTEMPTS
from tests.cost.richpanel.model_calls import CHARACTERS_A_TOKEN, Call, Price, markdown, measure

PAGE = Path(__file__).parents[3] / "docs" / "connect" / "richpanel.md"
PRICE = Price(tokens_in=1, tokens_out=5)
WORKER_MS = 60_000
CALLS_A_MESSAGE = 2  # a classification and a verdict


@pytest.mark.long
def test_the_page_has_the_measured_tokens_and_their_cost() -> None:
    assert markdown(measure(), PRICE) in PAGE.read_text("utf-8")


@pytest.mark.long
def test_a_long_message_costs_at_most_the_tokens_of_its_bound() -> None:
    average, longest, _ = measure()

    assert longest.tokens_in <= average.tokens_in + 4_000 / CHARACTERS_A_TOKEN + 100


def test_a_price_is_for_a_million_tokens() -> None:
    assert Call("one", tokens_in=1_000, tokens_out=100).dollars(Price(1, 5)) == 1.5


def test_all_attempts_of_all_calls_for_a_message_fit_into_the_run_of_the_worker() -> None:
    assert CALLS_A_MESSAGE * ATTEMPTS * LIMITS.within_ms <= WORKER_MS * 0.6
