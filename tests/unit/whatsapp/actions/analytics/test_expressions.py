"""Field expressions, conversion events and funnels, with any input."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api.errors import InvalidInput
from whatsapp.actions.accounts.analytics import conversion_events, fields, funnels
from whatsapp.actions.accounts.analytics.periods import Period

DATES = st.dates(date(2020, 1, 1), date(2030, 1, 1))


@given(DATES, st.integers(0, 92), st.lists(st.from_regex(r"\A[1-9][0-9]{5,14}\Z"), max_size=3))
def test_an_expression_has_whole_days_and_reads_back(
    first: date, days: int, numbers: list[str]
) -> None:
    period = Period.of(first, first + timedelta(days=days))
    found = fields.expression("pricing_analytics", period, "DAILY", phone_numbers=numbers)

    name, _, rest = found.partition(".")
    filters = dict(re.findall(r"(\w+)\(([^()]*)\)", rest))
    assert name == "pricing_analytics"
    assert int(filters["end"]) - int(filters["start"]) == 86_400 * (days + 1)
    assert json.loads(filters.get("phone_numbers", "[]")) == numbers


def test_an_expression_leaves_out_empty_lists() -> None:
    period = Period(date(1970, 1, 1), date(1970, 1, 1))

    found = fields.expression("analytics", period, "DAY", dimensions=["A", "B"])
    assert found == 'analytics.start(0).end(86400).granularity(DAY).dimensions(["A","B"])'


@given(DATES, st.integers(93, 400))
def test_a_longer_period_is_refused(first: date, days: int) -> None:
    with pytest.raises(InvalidInput):
        Period.of(first, first + timedelta(days=days))


@pytest.mark.parametrize(
    ("value", "currency", "amount"), [(3_950, "USD", 39.5), (3_950, "JPY", 3_950), (0, "EUR", 0)]
)
def test_the_value_of_a_conversion_is_in_whole_units(
    value: int, currency: str, amount: float
) -> None:
    body = conversion_events.event_of(
        name="Purchase",
        event_id="1",
        seconds=1,
        waba="2",
        click="c",
        value=value,
        currency=currency,
    )

    assert body["data"][0]["custom_data"] == {"value": amount, "currency": currency}


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_drops_of_a_funnel_add_up(sent: int, replied: int) -> None:
    first, last = funnels.steps_of({"sent": sent, "replied": replied})

    assert first.drop is None
    assert first.count - (last.drop or 0) == last.count
