"""Which screen follows a customer's answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatsapp.inbound.flows import routing
from whatsapp.inbound.flows.routing import Exchange, step
from whatsapp.store.items.contacts.customers import FlowConfig

CONFIG = FlowConfig(
    pk="FLOWCFG#700",
    company="acme",
    first_screen="SERVICE",
    screens={
        "SERVICE": {"next": "DATE", "data": {"services": ["full", "basic"]}},
        "DATE": {"next": "CONFIRM"},
        "CONFIRM": {"next": "SUCCESS"},
        "HELP": {},
    },
)


def exchange(action: str = "data_exchange", screen: str = "", **data: Any) -> Exchange:
    return Exchange(action=action, token="t-1", screen=screen, data=data)


def test_the_form_begins_at_the_first_screen_with_its_data() -> None:
    first = step(exchange("INIT"), CONFIG, {})

    assert first.answer == {"screen": "SERVICE", "data": {"services": ["full", "basic"]}}
    assert (first.screen, first.is_finished) == ("SERVICE", False)


def test_answers_of_screens_are_merged_until_the_form_ends() -> None:
    second = step(exchange(screen="SERVICE", service="full"), CONFIG, {})
    third = step(exchange(screen="DATE", date="2026-01-02"), CONFIG, second.answers)
    last = step(exchange(screen="CONFIRM", agreed=True), CONFIG, third.answers)

    assert (second.answer["screen"], third.answer["screen"]) == ("DATE", "CONFIRM")
    assert last.answers == {"service": "full", "date": "2026-01-02", "agreed": True}
    assert last.answer == {
        "screen": "SUCCESS",
        "data": {"extension_message_response": {"params": {"flow_token": "t-1"}}},
    }
    assert (last.is_finished, last.screen) == (True, "CONFIRM")


@pytest.mark.parametrize(
    ("at", "shown"), [("DATE", "SERVICE"), ("SERVICE", "SERVICE"), ("", "SERVICE")]
)
def test_back_shows_the_screen_before(at: str, shown: str) -> None:
    assert step(exchange("BACK", at), CONFIG, {}).answer["screen"] == shown


@pytest.mark.parametrize("config", [None, FlowConfig(pk="FLOWCFG#700", company="acme"), CONFIG])
def test_a_screen_without_route_stays_with_an_error_for_the_customer(
    config: FlowConfig | None,
) -> None:
    stays = step(exchange(screen="HELP", text="x"), config, {"service": "full"})

    assert stays.answer == {"screen": "HELP", "data": {"error_message": routing.NO_ROUTE}}
    assert (stays.answers, stays.is_missing_route) == ({"service": "full"}, True)


def test_answers_over_the_limit_are_not_taken() -> None:
    stays = step(exchange(screen="DATE", date="x" * 8_000), CONFIG, {"service": "full"})

    assert stays.answer["data"] == {"error_message": routing.TOO_LONG}
    assert (stays.answers, stays.is_finished) == ({"service": "full"}, False)


def test_a_health_check_and_an_error_notification_need_no_token() -> None:
    assert exchange("ping").without_token == {"data": {"status": "active"}}
    assert exchange(error="x", error_message="y").without_token == {"data": {"acknowledged": True}}
    assert exchange(screen="DATE").without_token is None


@given(
    st.dictionaries(
        st.sampled_from(["action", "flow_token", "screen", "data", "version"]),
        st.none() | st.integers() | st.text(max_size=200) | st.lists(st.text(), max_size=2)
        | st.dictionaries(st.text(), st.text(), max_size=3),
    )
)  # fmt: skip
def test_any_request_gets_an_answer(request: dict[str, Any]) -> None:
    read = Exchange.of(request)
    answer = read.without_token or step(read, CONFIG, {}).answer

    assert isinstance(answer["data"], dict)
