"""Reservations of costs: bounded by sender, address, company and day, in units and dollars, each event once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from shared.ai.spending import ceilings, usage
from shared.ai.spending.bounds import DEFAULTS, KNOWN_FACTOR, STRANGERS_PERCENT, Kind, Scope
from shared.ai.spending.budget import Reached, Reservation, Spending
from tests.integration.shared.ai.spending.conftest import COMPANY, DATE, MAILBOX, NOON, Clock, cause

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

KIND = Kind.MAIL_ANALYSIS
BOUNDS = DEFAULTS[KIND]
DAY_MS = 86_400_000


def used(table: Table, kind: Kind = KIND) -> tuple[int, int]:
    """Units and micro-dollars of the company today."""
    days = usage.of_day(table, COMPANY, DATE, percent=100, most_percent=100)
    (day,) = [day for day in days if day.kind is kind]
    return day.units, day.micros


def test_a_cost_is_counted_for_company_and_address(table: Table, spending: Spending) -> None:
    assert isinstance(spending.reserve(KIND, cause("1"), 500), Reservation)

    (day,) = [
        day
        for day in usage.of_day(table, COMPANY, DATE, percent=100, most_percent=100)
        if day.units
    ]
    assert (day.kind, day.units, day.micros) == (KIND, 1, 500)
    assert day.addresses == {MAILBOX: (1, 500)}


def test_an_event_that_is_delivered_again_counts_once(table: Table, spending: Spending) -> None:
    for _ in range(3):
        assert isinstance(spending.reserve(KIND, cause("1"), 500), Reservation)

    assert used(table) == (1, 500)


def test_the_second_call_of_a_repeated_event_counts_its_price(
    table: Table, spending: Spending
) -> None:
    for _ in range(2):
        reserved = spending.reserve(KIND, cause("1"), 500)
        assert isinstance(reserved, Reservation)
        spending.settle(reserved, 300)

    assert used(table) == (1, 600)


def test_a_repeated_event_is_granted_when_the_bound_is_reached_meanwhile(
    spending: Spending,
) -> None:
    for number in range(BOUNDS.sender.units):
        spending.reserve(KIND, cause(str(number)), 1)

    assert isinstance(spending.reserve(KIND, cause("0"), 1), Reservation)
    assert isinstance(spending.reserve(KIND, cause("new"), 1), Reached)


def test_two_writes_and_one_read_are_made(table: Table, spending: Spending) -> None:
    called: list[str] = []
    table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: called.append(model.name), unique_id="spent"
    )
    spending.reserve(KIND, cause("1"), 500)
    table._client.meta.events.unregister("before-call.dynamodb", unique_id="spent")

    assert called == ["BatchGetItem", "UpdateItem", "UpdateItem"]


def test_a_sender_beyond_its_bound_writes_nothing(table: Table, spending: Spending) -> None:
    for number in range(BOUNDS.sender.units):
        spending.reserve(KIND, cause(str(number)), 1)
    table.forget_consumption()

    refused = spending.reserve(KIND, cause("new"), 1)

    assert isinstance(refused, Reached)
    assert (refused.scope, refused.free_at) == (Scope.SENDER, NOON - NOON % DAY_MS + DAY_MS)
    assert table.consumed_write_units == 0


@pytest.mark.parametrize("units", [1, 3])
def test_strangers_use_their_share_of_an_address_and_known_persons_the_rest(
    table: Table, spending: Spending, units: int
) -> None:
    number = 0
    while isinstance(
        spending.reserve(KIND, cause(str(number), f"s{number}"), 1, units), Reservation
    ):
        number += 1
    share = BOUNDS.address.part(STRANGERS_PERCENT).units
    assert used(table)[0] == share - share % units

    known = 0
    while isinstance(
        spending.reserve(KIND, cause(f"k{known}", f"k{known}", is_known=True), 1), Reservation
    ):
        known += 1
    assert used(table)[0] == BOUNDS.address.units
    assert known >= BOUNDS.address.units - share


def test_dollars_are_bounded_as_units_are(table: Table, spending: Spending) -> None:
    dear = BOUNDS.address.part(STRANGERS_PERCENT).micros // 2
    granted = [
        isinstance(spending.reserve(KIND, cause(str(n), f"s{n}"), dear), Reservation)
        for n in range(4)
    ]

    assert granted == [True, True, False, False]
    assert used(table)[1] == 2 * dear


def test_a_cost_above_the_whole_bound_is_refused(table: Table, spending: Spending) -> None:
    refused = spending.reserve(KIND, cause("1"), BOUNDS.company.micros + 1)

    assert isinstance(refused, Reached)
    assert used(table) == (0, 0)


def test_a_known_person_may_cause_more_than_a_stranger(spending: Spending) -> None:
    spending.remember(COMPANY, "a" * 40)
    most = BOUNDS.sender.units * KNOWN_FACTOR

    granted = [
        isinstance(spending.reserve(KIND, cause(str(n), is_proven=True), 1), Reservation)
        for n in range(most + 1)
    ]

    assert granted == [True] * most + [False]


def test_a_person_without_proof_is_a_stranger(spending: Spending) -> None:
    spending.remember(COMPANY, "a" * 40)

    granted = [
        isinstance(spending.reserve(KIND, cause(str(n)), 1), Reservation)
        for n in range(BOUNDS.sender.units + 1)
    ]

    assert granted[-1] is False


def test_persons_of_another_company_are_strangers(spending: Spending) -> None:
    spending.remember("other", "a" * 40)

    granted = [
        isinstance(spending.reserve(KIND, cause(str(n), is_proven=True), 1), Reservation)
        for n in range(BOUNDS.sender.units + 1)
    ]

    assert granted[-1] is False


def test_companies_kinds_and_days_are_counted_apart(
    table: Table, spending: Spending, time: Clock
) -> None:
    for number in range(BOUNDS.sender.units):
        spending.reserve(KIND, cause(str(number)), 1)

    assert isinstance(spending.reserve(KIND, cause("x"), 1), Reached)
    assert isinstance(spending.reserve(KIND, cause("x", company="other"), 1), Reservation)
    assert isinstance(spending.reserve(Kind.AI_ANSWER, cause("x"), 1), Reservation)
    time.now += DAY_MS
    assert isinstance(spending.reserve(KIND, cause("x"), 1), Reservation)


def test_a_settlement_after_midnight_counts_on_the_day_of_the_reservation(
    table: Table, spending: Spending, time: Clock
) -> None:
    reserved = spending.reserve(KIND, cause("1"), 500)
    time.now += DAY_MS
    assert isinstance(reserved, Reservation)

    spending.settle(reserved, 100)

    assert used(table) == (1, 100)


def test_the_settings_of_a_company_replace_the_percentage_of_the_deployment(
    table: Table, spending: Spending
) -> None:
    usage.set_percents(table, COMPANY, {KIND: 50}, by="a person")
    granted = [
        isinstance(spending.reserve(KIND, cause(str(n)), 1), Reservation)
        for n in range(BOUNDS.sender.units)
    ]

    assert sum(granted) == BOUNDS.sender.units // 2


def test_no_setting_exceeds_the_maximum_of_the_deployment(table: Table) -> None:
    usage.set_percents(table, COMPANY, {KIND: 5_000}, by="a person")
    spending = Spending(table, 100, 100)
    granted = [
        isinstance(spending.reserve(KIND, cause(str(n)), 1), Reservation)
        for n in range(BOUNDS.sender.units + 1)
    ]

    assert granted[-1] is False


@pytest.mark.parametrize("kind", Kind)
def test_a_percentage_of_zero_stops_a_cost(table: Table, kind: Kind) -> None:
    refused = Spending(table, 0, 1_000).reserve(kind, cause("1", is_known=True), 0)

    assert isinstance(refused, Reached)
    assert used(table, kind) == (0, 0)


def test_nothing_is_granted_if_the_counts_cannot_be_written(
    table: Table, spending: Spending, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ClientError({"Error": {"Code": "InternalServerError"}}, "UpdateItem")

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(table, "update", fail)

    with pytest.raises(ClientError):
        spending.reserve(KIND, cause("1"), 1)


@pytest.mark.parametrize(
    "address",
    ["help@shop.example", "a_b+c@x.example", "106540352242922", "+447700900123", "ü@x.example"],
)
def test_counts_of_an_address_are_shown_under_it(
    table: Table, spending: Spending, address: str
) -> None:
    spending.reserve(KIND, cause("1", address=address), 7)

    days = usage.of_day(table, COMPANY, DATE, percent=100, most_percent=100)
    assert next(day.addresses for day in days if day.kind is KIND) == {address: (1, 7)}


def models(table: Table) -> tuple[int, int]:
    """Micro-dollars of all models today and this month."""
    return ceilings.spent(table, COMPANY, DATE)


def limits(table: Table, **changes: int | None) -> None:
    usage.set_ceilings(table, COMPANY, changes, by="a person")


@pytest.mark.parametrize("limit", ["day_micros", "month_micros"])
def test_a_company_spends_at_models_at_most_its_ceiling(
    table: Table, spending: Spending, limit: str
) -> None:
    limits(table, **{"day_micros": 10_000, "month_micros": 10_000, limit: 1_000})
    assert isinstance(spending.reserve(KIND, cause("1"), 600), Reservation)
    for kind in (KIND, Kind.AI_ANSWER):
        refused = spending.reserve(kind, cause("2"), 401)
        assert isinstance(refused, Reached)
        assert refused.scope is Scope.COMPANY
    assert models(table) == (600, 600)
    assert isinstance(spending.reserve(Kind.AI_ANSWER, cause("3"), 400), Reservation)
    assert isinstance(spending.reserve(Kind.NOTICE, cause("4"), 5_000), Reservation)  # no model
    assert used(table) == (1, 600)


def test_a_settled_price_frees_or_fills_the_ceilings_also_of_a_repeated_event(
    table: Table, spending: Spending
) -> None:
    limits(table, day_micros=2_000, month_micros=2_000)
    for _ in range(2):
        reserved = spending.reserve(KIND, cause("1"), 500)
        assert isinstance(reserved, Reservation)
        spending.settle(reserved, 700)
    assert models(table) == (1_400, 1_400)


def test_what_another_bound_refuses_leaves_nothing_in_the_ceilings(
    table: Table, spending: Spending
) -> None:
    limits(table, day_micros=10**9, month_micros=10**9)
    reserved = [spending.reserve(KIND, cause(str(n)), 10) for n in range(BOUNDS.sender.units + 1)]
    assert isinstance(reserved[-1], Reached)
    assert isinstance(spending.reserve(KIND, cause("x"), BOUNDS.company.micros + 1), Reached)
    assert models(table) == (BOUNDS.sender.units * 10,) * 2


def test_the_alarm_of_a_ceiling_comes_once(
    table: Table, spending: Spending, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[str] = []
    add = "shared.ai.spending.ceilings.metrics.add_metric"
    monkeypatch.setattr(add, lambda name, *_: raised.append(name))
    limits(table, month_micros=1_000, warn_percent=50)
    found = []
    for number in range(4):
        spending.reserve(KIND, cause(str(number)), 200)
        found.append(len(raised))
    assert found == [0, 0, 1, 1]
    assert raised == ["SpendingWarned"]
    limits(table, month_micros=None)
    assert isinstance(spending.reserve(KIND, cause("5"), 5_000), Reservation)
