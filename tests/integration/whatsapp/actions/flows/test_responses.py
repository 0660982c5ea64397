"""Completed forms, by account and by customer."""

import json
from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.flows.forms import token_of
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp.store.items.contacts.customers import FlowResponse, FlowToken

FLOW = "700000000000000"
OTHER = "700000000000999"


def respond(actions: Actions, identity: str, answers: dict[str, Any], at: int = 0) -> None:
    """Deliver a completed form of ADA."""
    part = {"name": "flow", "body": "Sent", "response_json": json.dumps(answers)}
    message = text(identity, at=NOW // 1000 - 600 + at)
    del message["text"]
    interactive = {"type": "nfm_reply", "nfm_reply": part}
    actions.harness.take(
        {"messages": [message | {"type": "interactive", "interactive": interactive}]}
    )


def a_token(actions: Actions, token: str, flow: str = FLOW, **more: Any) -> str:
    item = FlowToken(
        pk=FlowToken.of(token), company="acme", flow=flow, customer_phone=ADA, phone=PHONE, **more
    )
    actions.harness.resources.table.put(item.attributes())
    return token


def ids(answer: Any) -> list[str]:
    return [one["responseId"] for one in answer.result["responses"]]


def test_responses_are_listed_by_account_and_by_customer(actions: Actions) -> None:
    for number in range(3):
        token = a_token(actions, f"token-{number}", FLOW if number else OTHER)
        respond(actions, f"wamid.{number}", {"flow_token": token, "n": number}, number)

    by_account = actions.run("get_flow_responses", {"flowId": FLOW, "metaWabaId": WABA})
    of_all = actions.run("get_flow_responses", {"flowId": FLOW})
    by_customer = actions.run("get_flow_responses", {"flowId": FLOW, "customerPhone": f"+{ADA}"})

    assert sorted(ids(by_account)) == sorted(ids(of_all)) == ["wamid.1", "wamid.2"]
    assert ids(by_customer) == ["wamid.2", "wamid.1"]
    assert by_customer.result["responses"][0] == {
        "flowId": FLOW,
        "responseId": "wamid.2",
        "customerPhone": ADA,
        "data": {"n": 2},
        "completedAt": "2026-01-01T11:50:02.999Z",
        "phone": PHONE,
        "messagePk": "MSG#wamid.2",
    }
    later = actions.run("get_flow_responses", {"flowId": FLOW, "since": "2026-01-01T11:50:02Z"})
    assert ids(later) == ["wamid.2"]


@pytest.mark.parametrize("filtered", [{}, {"metaWabaId": WABA}, {"customerPhone": ADA}])
def test_pages_hold_each_response_once(actions: Actions, filtered: dict[str, str]) -> None:
    for number in range(5):
        respond(
            actions, f"wamid.{number}", {"flow_token": a_token(actions, f"token-{number}")}, number
        )
    asked = {"flowId": FLOW, "limit": 2} | filtered

    found: list[str] = []
    answer = actions.run("get_flow_responses", asked)
    found += ids(answer)
    while "cursor" in answer.body:
        answer = actions.run("get_flow_responses", asked | {"cursor": answer.body["cursor"]})
        found += ids(answer)

    assert sorted(found) == [f"wamid.{number}" for number in range(5)]
    changed = actions.run("get_flow_responses", asked | {"flowId": OTHER, "cursor": "x"})
    assert changed.error == "invalid_cursor"


def test_responses_of_other_companies_are_not_shown(actions: Actions) -> None:
    foreign = FlowResponse(
        pk=FlowResponse.key(FLOW, "wamid.g"), company="globex", flow_id=FLOW, response_id="wamid.g",
        customer_phone=ADA, completed_at="2026-01-01T11:00:00.000Z", created_at="2026-01-01T11:00:00.000Z",
        waba_meta_id=WABA,
    )  # fmt: skip
    actions.harness.resources.table.put(foreign.attributes())

    assert ids(actions.run("get_flow_responses", {"flowId": FLOW, "metaWabaId": WABA})) == []
    assert ids(actions.run("get_flow_responses", {"flowId": FLOW, "customerPhone": ADA})) == []
    other = actions.run("get_flow_responses", {"flowId": FLOW, "metaWabaId": WABA}, caller=GLOBEX)
    assert other.status == 404


def test_long_answers_are_read_from_the_bucket(actions: Actions) -> None:
    story = "word " * 8_000
    respond(actions, "wamid.1", {"flow_token": a_token(actions, "token-1"), "story": story})

    (shown,) = actions.run("get_flow_responses", {"flowId": FLOW}).result["responses"]

    assert "dataS3Key" in actions.item(f"FLOW_RESPONSE#{FLOW}#wamid.1")
    assert shown["data"] == {"story": story}


def test_a_completion_from_elsewhere_is_stored_once(actions: Actions) -> None:
    token = a_token(actions, "token-1", screen="DATE", answers={"service": "full"})
    body = {"flowToken": token, "responseJson": {"date": "today"}, "responseId": "booking-1"}

    first = actions.run("flow_completion", body)
    again = actions.run("flow_completion", body)

    assert first.result == again.result
    assert (first.result["screenId"], first.result["responseId"]) == ("DATE", "booking-1")
    stored = actions.item(f"FLOW_RESPONSE#{FLOW}#booking-1")
    assert stored["data"] == {"service": "full", "date": "today"}
    assert (stored["wabaMetaId"], stored["customerPhone"], stored["phone"]) == (WABA, ADA, PHONE)
    assert actions.item(FlowToken.of(token))["state"] == "finished"
    other = actions.run("flow_completion", body | {"responseJson": {"date": "tomorrow"}})
    assert (other.status, other.error) == (409, "state_conflict")


def test_a_completion_needs_a_token_of_the_company_and_form(actions: Actions) -> None:
    token = a_token(actions, "token-1")
    body = {"flowToken": token, "responseJson": {"a": 1}, "responseId": "booking-1"}

    assert actions.run("flow_completion", body | {"flowToken": "unknown"}).error == "not_found"
    assert actions.run("flow_completion", body | {"flowId": OTHER}).error == "not_found"
    assert actions.run("flow_completion", body, caller=GLOBEX).error == "not_found"
    long = actions.run("flow_completion", body | {"responseJson": {"a": "x" * 33_000}})
    assert (long.error, long.fields) == ("invalid_input", ["responseJson"])
    assert actions.item(f"FLOW_RESPONSE#{FLOW}#booking-1") == {}


def test_the_first_screen_of_a_sent_form_is_its_last_known_one(actions: Actions) -> None:
    payload = {"screen": "SERVICE"}
    actions.send(
        "send_flow_message", {"flowId": FLOW, "body": "Book", "flowActionPayload": payload}
    )
    respond(actions, "wamid.1", {"flow_token": token_of(actions), "service": "full"})

    (shown,) = actions.run("get_flow_responses", {"flowId": FLOW}).result["responses"]

    assert (shown["screenId"], shown["data"]) == ("SERVICE", {"service": "full"})
