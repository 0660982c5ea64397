"""Which disturbances of several scenarios are alike, and happen once."""

from __future__ import annotations

import pytest

from tests.simulation.crashes import disturbances
from tests.simulation.crashes.disturbances import after_new_beginnings, deaths, kind_of, unlike
from tests.simulation.interceptor import When

CLAIM = "dynamodb.PutItem IDEMPOTENCY#5000fc43f5524eea5d7b38684722a097"
POST = "HTTP.POST /v23.0/106540352242922/messages"
ANSWER = "dynamodb.UpdateItem IDEMPOTENCY#5000fc43f5524eea5d7b38684722a097"
STORE = "dynamodb.PutItem MSG#wamid.HCY1NSb4"
TEXT = (CLAIM, "dynamodb.GetItem CONV#1#2", POST, STORE, ANSWER)


def after(*numbers: int) -> list[tuple[int, When]]:
    return [(number, When.AFTER) for number in numbers]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (STORE, "dynamodb.PutItem MSG"),
        ("dynamodb.UpdateItem CONFIG#CAMPAIGNS", "dynamodb.UpdateItem CONFIG CAMPAIGNS"),
        ("dynamodb.PutItem ORDER#ref-1#TX#pay_ref-1", "dynamodb.PutItem ORDER TX"),
        (POST, "HTTP.POST messages"),
        ("s3.PutObject media/acme/1065/file.jpg", "s3.PutObject media acme file.jpg"),
        ("dynamodb.BatchGetItem", "dynamodb.BatchGetItem"),
    ],
)
def test_the_kind_of_a_call_has_no_ids(call: str, kind: str) -> None:
    assert kind_of(call) == kind


def test_the_first_scenario_is_disturbed_everywhere() -> None:
    assert unlike(deaths(TEXT), TEXT) == [(1, When.BEFORE), *after(1, 3, 4, 5)]


def test_a_scenario_with_the_same_calls_is_disturbed_at_its_effect_only() -> None:
    image = tuple(call.replace("5000fc43", "8b1bc210") for call in TEXT)

    assert unlike(deaths(image), image, [(deaths(TEXT), TEXT)]) == after(3)


def test_a_scenario_is_disturbed_at_its_own_calls_and_beside_them() -> None:
    order = (*TEXT[:4], "dynamodb.PutItem ORDER#ref-1", ANSWER)

    assert unlike(deaths(order), order, [(deaths(TEXT), TEXT)]) == after(3, 4, 5, 6)


def test_calls_that_differ_in_their_keys_only_are_disturbed_once() -> None:
    erased = (CLAIM, *(f"dynamodb.DeleteItem NOTE#{number}" for number in range(9)), ANSWER)

    assert unlike(deaths(erased), erased) == [(1, When.BEFORE), *after(1, 2, 3, 10, 11)]


def test_a_scenario_is_disturbed_where_its_beginning_is_new_and_at_its_effect() -> None:
    order = (*TEXT[:3], "dynamodb.PutItem ORDER#ref-1", ANSWER)
    late = ("dynamodb.GetItem CONV#1#2", *TEXT)
    earlier = [(deaths(TEXT), TEXT)]

    assert after_new_beginnings(deaths(order), order, earlier) == after(3, 4, 5)
    assert after_new_beginnings(deaths(late), late, earlier) == deaths(late)
    assert after_new_beginnings(deaths(TEXT), TEXT, earlier) == after(3)


def test_more_effort_disturbs_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disturbances, "EFFORT", 2)

    for chosen in (unlike, after_new_beginnings):
        assert chosen(deaths(TEXT), TEXT, [(deaths(TEXT), TEXT)]) == deaths(TEXT)
