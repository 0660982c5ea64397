"""Parsing of provider JSON in its different spellings."""

from typing import Any

import pytest
from pydantic import Field

from richpanel.clients.calls import BadAnswer, refusal
from richpanel.clients.shapes import Flag, Id, Moment, ProviderModel, Some, parse_list, parse_object
from richpanel.clients.tickets import OrderLink, Tag, Ticket
from shared.providers.outcomes import InDoubt, NotSent, Refused
from tests.cases import each


class Thing(ProviderModel):
    id: Id | None = None
    is_operator: Flag = None
    created_at: Moment = None
    tags: Some[str] = Field(default_factory=list)


@pytest.mark.parametrize("key", ["is_operator", "isOperator", "IsOperator", "isoperator", "is_Operator"])  # fmt: skip
def test_a_field_is_recognised_in_every_spelling(key: str) -> None:
    assert Thing.model_validate({key: True}).is_operator is True


@pytest.mark.parametrize("key", ["appClientId", "appclient_id", "app_client_id", "appclientid"])
def test_the_client_of_an_order_has_four_spellings(key: str) -> None:
    link = OrderLink.model_validate({"orderId": 6001, key: "shop-1"})

    assert (link.order_id, link.app_client_id) == ("6001", "shop-1")


def test_our_spelling_wins_and_null_is_absent() -> None:
    assert Thing.model_validate({"isOperator": True, "is_operator": False}).is_operator is False
    assert Thing.model_validate({"isOperator": True, "is_operator": None}).is_operator is True


def test_unknown_fields_are_kept() -> None:
    read = Thing.model_validate({"id": "1", "customFields": {"a": [1]}})

    assert read.model_extra == {"customFields": {"a": [1]}}


@each(
    ("value", "flag"),
    [
        (True, True), ("true", True), ("True", True), (1, True), ("1", True), (False, False), ("false", False),
        (0, False), ("no", False), ("", None), ("perhaps", None), ([], None), (2, None),
    ],
)  # fmt: skip
def test_a_flag_is_true_false_or_none(value: object, flag: bool | None) -> None:
    assert Thing.model_validate({"is_operator": value}).is_operator is flag


@each(
    ("value", "moment_ms"),
    [
        ("2026-03-02T13:00:00Z", 1_772_456_400_000),
        ("2026-03-02T13:00:00.250Z", 1_772_456_400_250),
        ("2026-03-02T14:00:00+01:00", 1_772_456_400_000),
        ("2026-03-02T13:00:00", 1_772_456_400_000),
        ("2026-03-02", 1_772_409_600_000),
        ("2026-03-02T10:00:00.0000000", 1_772_445_600_000),
        (1_772_456_400, 1_772_456_400_000),
        (1_772_456_400.5, 1_772_456_400_500),
        (1_772_456_400_000, 1_772_456_400_000),
        ("1772456400", 1_772_456_400_000),
        ("1772456400000", 1_772_456_400_000),
        (True, None),
        ("yesterday", None),
        ("", None),
        (-1, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**30, None),
        ("9999-99-99", None),
        ("0001-01-01T00:00:00+14:00", None),
        ([], None),
        ({}, None),
    ],
)
def test_a_time_is_parsed_in_three_forms_and_otherwise_none(
    value: object, moment_ms: int | None
) -> None:
    assert Thing.model_validate({"created_at": value}).created_at == moment_ms


@pytest.mark.parametrize(
    ("given", "tags"),
    [
        ({"tags": ["a", "b"]}, ["a", "b"]),
        ({"tag": ["a"]}, ["a"]),
        ({"tag": "a"}, ["a"]),
        ({"tags": None}, []),
        ({}, []),
    ],
)
def test_a_list_may_be_a_single_value_null_or_under_its_singular_name(
    given: dict[str, Any], tags: list[str]
) -> None:
    assert Thing.model_validate(given).tags == tags


@pytest.mark.parametrize("payload", [{"ticket": {"id": 7}}, {"id": "7"}, {"id": "7", "ticket": None}])  # fmt: skip
def test_an_object_is_bare_or_wrapped(payload: dict[str, Any]) -> None:
    assert parse_object(Ticket, payload, "ticket").id == "7"


@each(
    "payload",
    [
        None, [], "", 0, {}, {"ticket": []}, {"ticket": {"id": None}}, {"id": {}}, {"id": "1", "comments": ["x"]},
    ],
)  # fmt: skip
def test_an_object_that_is_no_ticket_is_a_bad_answer(payload: object) -> None:
    with pytest.raises(BadAnswer):
        parse_object(Ticket, payload, "ticket")


@pytest.mark.parametrize(
    "payload",
    [
        [{"id": 1, "name": "a"}],
        {"tags": [{"id": "1", "name": "a"}]},
        {"tag": [{"Id": "1", "Name": "a"}]},
    ],
)
def test_a_list_is_bare_or_under_its_name(payload: object) -> None:
    assert [(tag.id, tag.name) for tag in parse_list(Tag, payload, "tags", "tag")] == [("1", "a")]


@pytest.mark.parametrize("payload", [None, {}, "", {"tags": None}, {"tags": {}}, [1], [{"id": 1}]])
def test_a_value_that_is_no_list_is_a_bad_answer(payload: object) -> None:
    with pytest.raises(BadAnswer):
        parse_list(Tag, payload, "tags", "tag")


def test_the_content_of_a_bad_answer_is_not_in_its_error() -> None:
    with pytest.raises(BadAnswer) as failure:
        parse_object(Ticket, {"id": {"name": "Jane"}}, "ticket")

    assert str(failure.value) == "bad_provider_answer"
    assert failure.value.__suppress_context__


@each(
    ("status", "kind"),
    [
        (200, None), (201, None), (204, None), (301, InDoubt), (302, InDoubt), (400, Refused), (401, NotSent),
        (403, NotSent), (404, Refused), (408, NotSent), (409, Refused), (422, Refused), (425, NotSent),
        (429, NotSent), (500, InDoubt), (502, InDoubt), (503, InDoubt), (599, InDoubt),
    ],
)  # fmt: skip
def test_an_http_status_is_mapped_to_its_outcome(status: int, kind: type[Exception] | None) -> None:
    failure = refusal("desk", status)

    assert type(failure) is (kind or type(None))
    if failure:
        assert failure.code == f"desk_{status}"
