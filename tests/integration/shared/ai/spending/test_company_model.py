"""A model for the work that a company's people ask for: its calls count for the ceilings of the company."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from shared.ai import port as ai
from shared.ai.spending import ceilings, usage
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import Cause
from shared.ai.spending.company_model import CompanyModel
from shared.ai.spending.models import BoundedModel
from shared.ai.spending.prices import ModelPrice, model_price
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from tests.integration.shared.ai.spending.conftest import COMPANY, DATE, MAILBOX, NOON, Clock

if TYPE_CHECKING:
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table

PRICE = ModelPrice(1.0, 10.0)
REQUEST = ai.Request(
    "x" * 300, [ai.Message(ai.Role.USER, "?")], ai.Limits(most_tokens=100, within_ms=1_000)
)
ESTIMATE = 101 + 1_000
USED = ai.Usage(40, 6)
COST = 40 + 60


@dataclass
class PlayedModel:
    """A model that answers, or fails."""

    failure: Exception | None = None
    calls: int = 0
    name: str = "played"

    def reply(self, _request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        self.calls += 1
        if self.failure:
            raise self.failure
        return ai.Reply("Yes.", ai.Stop.END, USED)


def asks(table: Table, played: PlayedModel, company: str = COMPANY) -> ai.Reply:
    return CompanyModel(played, PRICE, table, company).reply(REQUEST)


def limited(table: Table, day: int | None, month: int | None = None) -> None:
    usage.set_ceilings(table, COMPANY, {"day_micros": day, "month_micros": month}, by="a person")


def spent(table: Table) -> tuple[int, int]:
    return ceilings.spent(table, COMPANY, DATE)


def test_a_call_counts_its_real_price_in_the_day_and_the_month(table: Table) -> None:
    limited(table, 10_000, 20_000)

    asks(table, PlayedModel())

    assert spent(table) == (COST, COST)


@pytest.mark.parametrize("limits", [(ESTIMATE + COST - 1, None), (None, ESTIMATE + COST - 1)])
def test_a_call_whose_longest_answer_does_not_fit_is_not_made(
    table: Table, limits: tuple[int | None, int | None]
) -> None:
    limited(table, *limits)
    played = PlayedModel()
    asks(table, played)

    with pytest.raises(ai.Unavailable) as refused:
        asks(table, played)

    assert (refused.value.code, refused.value.repeat) == ("spending_limit", ai.Repeat.NEVER)
    assert played.calls == 1
    assert set(spent(table)) == {COST, 0}


def test_a_new_day_has_room_again(table: Table, time: Clock) -> None:
    limited(table, ESTIMATE)
    asks(table, PlayedModel())
    time.now = NOON + 86_400_000

    assert asks(table, PlayedModel()).usage == USED


@pytest.mark.parametrize(("may_be_billed", "left"), [(False, 0), (True, ESTIMATE)])
def test_a_failed_call_is_free_unless_its_outcome_is_unknown(
    table: Table, may_be_billed: bool, left: int
) -> None:
    limited(table, 10_000)
    failure = ai.Unavailable("throttled", may_be_billed=may_be_billed)

    with pytest.raises(ai.Unavailable, match="throttled"):
        asks(table, PlayedModel(failure))

    assert spent(table) == (left, 0)


@pytest.mark.parametrize(
    "failure", [SecretUnreadable("empty"), Misconfigured("not_owned"), NotSent("unreachable")]
)
def test_a_call_for_which_the_key_cannot_be_read_is_free(table: Table, failure: Exception) -> None:
    limited(table, 10_000)

    with pytest.raises(type(failure)):
        asks(table, PlayedModel(failure))

    assert spent(table) == (0, 0)


def test_without_limits_and_with_another_company_s_nothing_is_counted(table: Table) -> None:
    limited(table, 0)

    assert asks(table, PlayedModel(), "globex").usage == USED

    assert ceilings.spent(table, "globex", DATE) == (0, 0)


def test_an_answer_is_kept_if_its_price_cannot_be_counted(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(table, 10_000)

    def fails(*_: object) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "UpdateItem")

    monkeypatch.setattr(ceilings, "add", fails)

    assert asks(table, PlayedModel()).usage == USED
    assert spent(table) == (ESTIMATE, 0)


def test_what_is_only_tried_leaves_the_rest_from_the_alarm_on_to_others(table: Table) -> None:
    limited(table, 2 * ESTIMATE)
    usage.set_ceilings(table, COMPANY, {"warn_percent": 40}, by="a person")
    played = PlayedModel()

    with pytest.raises(ai.Unavailable, match="spending_limit"):
        CompanyModel(played, PRICE, table, COMPANY, spares=True).reply(REQUEST)

    assert played.calls == 0
    assert asks(table, played).usage == USED


@dataclass
class SlowModel:
    """A model that answers once all calls have begun or were refused; each answer costs *price* micro-dollars."""

    barrier: threading.Barrier
    price: int
    calls: int = 0
    name: str = "slow"

    def reply(self, _request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        self.calls += 1
        self.barrier.wait(20)
        return ai.Reply("Yes.", ai.Stop.END, ai.Usage(0, 0, micros=self.price))


@pytest.mark.parametrize("price", [COST, 5 * ESTIMATE])
def test_a_ceiling_is_never_exceeded_by_more_than_the_calls_in_flight(
    table: Table, price: int
) -> None:
    limited(table, 3 * ESTIMATE + 7)
    asking, refused = 8, []
    slow = SlowModel(threading.Barrier(asking), price)

    def ask() -> None:
        try:
            CompanyModel(slow, PRICE, table, COMPANY).reply(REQUEST)
        except ai.Unavailable as failure:
            refused.append(failure.code)
            slow.barrier.wait(20)

    with ThreadPoolExecutor(asking) as pool:
        for one in [pool.submit(ask) for _ in range(asking)]:
            one.result()

    assert (slow.calls, refused) == (3, ["spending_limit"] * 5)
    assert spent(table) == (3 * price, 0)
    beyond = 3 * max(0, price - ESTIMATE)
    assert spent(table)[0] <= 3 * ESTIMATE + 7 + beyond


@dataclass
class CostlyModel:
    """A model each of whose answers costs more than its estimate; *seen* has what was counted before each call."""

    table: Table
    seen: list[int]
    name: str = "played"

    def reply(self, _request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        self.seen.append(spent(self.table)[0])
        return ai.Reply("Yes.", ai.Stop.END, ai.Usage(0, 0, micros=50_000))


def test_a_turn_counts_what_its_calls_have_used_beyond_the_reservation_after_each_of_them(
    table: Table, spending: Spending
) -> None:
    limited(table, 10_000_000)
    cause = Cause(company=COMPANY, address=MAILBOX, sender="a", event="1", is_known=True)
    model = CostlyModel(table, [])
    bounded = BoundedModel(model, spending, Kind.AI_ANSWER, cause, model_price("gpt-5-mini"))

    for _ in range(3):
        bounded.reply(REQUEST)
    bounded.settle()

    assert model.seen[1:] == [50_000, 100_000]
    assert spent(table) == (150_000, 0)
