"""The routing of forms: only a company whose account has a form sets it."""

import json
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import AWS_WABA, GLOBEX, WABA, Actions, of_globex
from tests.integration.whatsapp.actions.flows.forms import PROVIDERS, create, made_elsewhere
from whatsapp import store

FLOW = "700000000000000"
BODY: dict[str, Any] = {
    "flowId": FLOW,
    "firstScreen": "A",
    "routes": {"A": "B", "B": "SUCCESS"},
}


@pytest.fixture
def with_globex(actions: Actions) -> Actions:
    """Globex has a token that reads every form, as the token of a partner of several businesses does."""
    tokens = json.dumps({"acme": "EAAtoken", "globex": "EAAtoken"})
    boto3.client("secretsmanager").put_secret_value(SecretId="tokens", SecretString=tokens)
    phone = of_globex().model_copy(update={"token_ref": "globex"})
    store.phones.register_unlisted(actions.harness.resources.table, phone)
    store.phones.forget()
    return actions


def test_routing_of_a_created_form_is_stored_and_replaced_without_the_provider(
    actions: Actions,
) -> None:
    assert create(actions) == FLOW
    actions.sandbox.forget_sent()
    first = actions.run("set_flow_routing", BODY)
    changed = actions.run(
        "set_flow_routing", BODY | {"routes": {"A": "C"}, "screenData": {"C": {"n": 1.5}}}
    )

    assert first.result["screensWithoutRoute"] == []
    assert changed.result["screensWithoutRoute"] == ["C"]
    stored = actions.item(f"FLOWCFG#{FLOW}")
    assert (stored["firstScreen"], stored["screens"]["A"]) == ("A", {"next": "C"})
    assert actions.wire == []


@PROVIDERS
def test_the_first_routing_of_a_form_made_elsewhere_asks_the_provider_for_it(
    actions: Actions, waba: str
) -> None:
    actions.register_eum()
    flow = made_elsewhere(actions, waba)

    first = actions.run("set_flow_routing", BODY | {"flowId": flow})
    asked = list(actions.wire)
    second = actions.run("set_flow_routing", BODY | {"flowId": flow, "routes": {"A": "SUCCESS"}})

    assert (first.status, second.status) == (200, 200)
    assert actions.item(f"FLOWCFG#{flow}")["screens"] == {"A": {"next": "SUCCESS"}}
    assert actions.wire == asked
    if waba == WABA:
        (sent,) = asked
        assert wire.problems(sent, "GET", "/{Version}/{Flow-ID}") == []
        assert "whatsapp_business_account" in sent.query["fields"]
    else:
        assert asked[-1].operation == "GetWhatsAppFlow"
        assert (asked[-1].query["id"], asked[-1].query["flowId"]) == (AWS_WABA, flow)


def test_a_form_of_another_company_is_not_found_even_if_it_is_readable(
    with_globex: Actions,
) -> None:
    actions, unknown = with_globex, BODY | {"flowId": "700000000000999"}
    flow = made_elsewhere(actions)

    foreign = actions.run("set_flow_routing", BODY | {"flowId": flow}, caller=GLOBEX)
    unknown_answer = actions.run("set_flow_routing", unknown, caller=GLOBEX)

    assert (foreign.status, foreign.error) == (404, "not_found")
    assert foreign.body["error"] == unknown_answer.body["error"]
    assert actions.item(f"FLOWCFG#{flow}") == {}
    assert actions.run("set_flow_routing", BODY | {"flowId": flow}).status == 200
    late = actions.run("set_flow_routing", BODY | {"flowId": flow}, caller=GLOBEX)
    assert late.body["error"] == foreign.body["error"]
    assert actions.item(f"FLOWCFG#{flow}")["company"] == "acme"


def test_a_deleted_form_has_no_routing(actions: Actions) -> None:
    flow = create(actions)
    assert actions.run("delete_flow", {"metaWabaId": WABA, "flowId": flow}).status == 200

    assert actions.run("set_flow_routing", BODY | {"flowId": flow}).status == 404
    assert "firstScreen" not in actions.item(f"FLOWCFG#{flow}")


def test_without_access_to_the_provider_nothing_is_claimed(actions: Actions) -> None:
    flow = made_elsewhere(actions)

    answer = actions.run("set_flow_routing", BODY | {"flowId": flow}, caller=GLOBEX)

    assert (answer.status, answer.error) == (409, "not_configured")
    assert actions.item(f"FLOWCFG#{flow}") == {}


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ({"kind": "status", "status": 429}, (429, "rate_limited")),
        ({"kind": "status", "status": 401}, (422, "provider_rejected")),
        ({"kind": "status", "status": 500, "times": 3}, (503, "provider_unavailable")),
        ({"kind": "lost_answer"}, (200, "")),
    ],
)
def test_a_failed_look_up_claims_nothing(
    actions: Actions, fault: dict[str, Any], expected: tuple[int, str]
) -> None:
    flow = made_elsewhere(actions)
    actions.sandbox.faults.add(provider="meta", operation="get_flow", **fault)

    answer = actions.run("set_flow_routing", BODY | {"flowId": flow})

    status, code = expected
    assert (answer.status, answer.body.get("error", {}).get("code", "")) == (status, code)
    assert bool(actions.item(f"FLOWCFG#{flow}")) == (status == 200)


@pytest.mark.parametrize(
    "body",
    [
        {"routes": {}},
        {"routes": {f"S{number}": "SUCCESS" for number in range(51)}},
        {"routes": {"A": "B"}, "screenData": {"B": {"text": "x" * 16_400}}},
        {"routes": {"A": "B"}, "screenData": {"C": {"text": "x"}}},
        {"routes": {"SUCCESS": "A"}},
        {"routes": {"A": 7}},
        {"routes": {"A": "x" * 101}},
        {"firstScreen": "SUCCESS"},
    ],
)
def test_routing_over_its_limits_is_refused(actions: Actions, body: dict[str, Any]) -> None:
    whole = {"flowId": FLOW, "firstScreen": "A", "routes": {"A": "SUCCESS"}} | body
    answer = actions.run("set_flow_routing", whole)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert actions.item(f"FLOWCFG#{FLOW}") == {}


def test_a_form_shows_the_routing_that_was_stored_and_hides_the_query_of_its_endpoint(
    actions: Actions,
) -> None:
    flow = create(actions)
    named = {"metaWabaId": WABA, "flowId": flow}
    assert "routing" not in actions.run("get_flow", named).result
    endpoint = {
        "url": "https://forms.example.com/screens?key=hidden",
        "secretReference": "parley/dev/companies/acme/forms",
    }
    data = {"screenData": {"A": {"n": 1.5, "list": [1]}}, "endpoint": endpoint}
    assert actions.run("set_flow_routing", BODY | data).status == 200

    shown = actions.run("get_flow", named)

    assert shown.result["routing"] == {
        "firstScreen": "A",
        "routes": {"A": "B", "B": "SUCCESS"},
        "screenData": {"A": {"n": 1.5, "list": [1]}},
        "endpointUrl": "https://forms.example.com/screens",
        "endpointHasQuery": True,
        "secretReference": "parley/dev/companies/acme/forms",
    }
    assert "hidden" not in json.dumps(shown.body)


def test_a_form_of_an_account_that_another_company_used_before_shows_no_routing_of_it(
    actions: Actions,
) -> None:
    flow = create(actions)
    actions.run("set_flow_routing", BODY | {"flowId": flow})
    table = actions.harness.resources.table
    config = store.forms.config(table, flow)
    assert config is not None
    table.put(config.model_copy(update={"company": "globex"}).attributes())

    shown = actions.run("get_flow", {"metaWabaId": WABA, "flowId": flow})

    assert (shown.status, "routing" in shown.result) == (200, False)
