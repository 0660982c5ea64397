"""The encrypted data endpoint, called as WhatsApp's client does, with keys and forms made by actions."""

import json
from typing import Any

import boto3
import pytest

from events.whatsapp.direct import direct_event
from events.whatsapp.sample_data import APP_ID, APP_SECRET
from local.demo.flows import client
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA, EUM_WABA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.flows.forms import (
    DataEndpoint,
    create,
    published_key,
    token_of,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp import store
from whatsapp.store.items.contacts.customers import FlowConfig, FlowToken

FLOW = "700000000000000"
ROUTING: dict[str, Any] = {
    "flowId": FLOW,
    "firstScreen": "SERVICE",
    "routes": {"SERVICE": "DATE", "DATE": "SUCCESS"},
    "screenData": {"SERVICE": {"services": ["full", "basic"]}, "DATE": {"days": 7}},
}
MESSAGE = {"flowId": FLOW, "body": "Book a service", "flowAction": "data_exchange"}


@pytest.fixture
def endpoint(actions: Actions) -> DataEndpoint:
    return DataEndpoint(actions)


@pytest.fixture
def key(actions: Actions) -> str:
    """The public key of acme's number."""
    actions.run("set_flow_public_key", {"phoneNumberId": PHONE})
    return published_key(actions, PHONE)


@pytest.fixture
def token(actions: Actions) -> str:
    """The token of a form that ADA was sent."""
    assert create(actions) == FLOW
    assert actions.run("set_flow_routing", ROUTING).status == 200
    assert actions.send("send_flow_message", MESSAGE).result["state"] == "sent"
    return token_of(actions)


def stored(actions: Actions, token: str) -> dict[str, Any]:
    return actions.item(FlowToken.of(token))


def test_a_health_check_is_answered_with_the_key_that_was_published(
    endpoint: DataEndpoint, key: str
) -> None:
    assert endpoint.call(client.request("ping"), key) == (200, {"data": {"status": "active"}})


def test_an_error_notification_is_acknowledged(endpoint: DataEndpoint, key: str) -> None:
    told = client.request("data_exchange", "t", data={"error": "x", "error_message": "y"})

    assert endpoint.call(told, key) == (200, {"data": {"acknowledged": True}})


def test_a_form_goes_from_screen_to_screen_and_its_answers_reach_the_response(
    actions: Actions, endpoint: DataEndpoint, key: str, token: str
) -> None:
    first = endpoint.call(client.request("INIT", token), key)
    second = endpoint.call(
        client.request("data_exchange", token, screen="SERVICE", data={"service": "full"}), key
    )
    back = endpoint.call(client.request("BACK", token, screen="DATE"), key)
    submitted = client.request("data_exchange", token, screen="DATE", data={"date": "2026-01-02"})
    last = endpoint.call(submitted, key)

    assert first == (200, {"screen": "SERVICE", "data": {"services": ["full", "basic"]}})
    assert second == (200, {"screen": "DATE", "data": {"days": 7}})
    assert back[1]["screen"] == "SERVICE"
    assert last[1] == {
        "screen": "SUCCESS",
        "data": {"extension_message_response": {"params": {"flow_token": token}}},
    }
    assert stored(actions, token)["answers"] == {"service": "full", "date": "2026-01-02"}

    _complete(actions, token)

    response = actions.item(f"FLOW_RESPONSE#{FLOW}#wamid.done")
    assert {name: response[name] for name in response if name not in {"pk", "ttl"}} == {
        "itemType": "FLOW_RESPONSE",
        "company": "acme",
        "flowId": FLOW,
        "responseId": "wamid.done",
        "customerPhone": ADA,
        "screenId": "DATE",
        "data": {"service": "full", "date": "2026-01-02"},
        "completedAt": response["createdAt"],
        "createdAt": response["createdAt"],
        "wabaMetaId": WABA,
        "phone": PHONE,
        "messagePk": "MSG#wamid.done",
    }
    assert stored(actions, token)["state"] == "finished"
    _complete(actions, token)
    assert actions.item(f"FLOW_RESPONSE#{FLOW}#wamid.done") == response


def test_a_repeated_last_request_is_answered_again_and_any_other_is_over(
    actions: Actions, endpoint: DataEndpoint, key: str, token: str
) -> None:
    submitted = client.request("data_exchange", token, screen="DATE", data={"date": "today"})
    first = endpoint.call(submitted, key)
    before = stored(actions, token)

    assert endpoint.call(submitted, key) == first
    assert stored(actions, token) == before
    other = client.request("data_exchange", token, screen="DATE", data={"date": "tomorrow"})
    status, content = endpoint.call(other, key)
    assert (status, list(content)) == (427, ["error_msg"])


def test_a_repeated_request_of_an_open_form_changes_nothing(
    actions: Actions, endpoint: DataEndpoint, key: str, token: str
) -> None:
    asked = client.request("data_exchange", token, screen="SERVICE", data={"service": "full"})
    first = endpoint.call(asked, key)
    before = stored(actions, token)

    assert endpoint.call(asked, key) == first
    assert stored(actions, token)["answers"] == before["answers"] == {"service": "full"}


@pytest.mark.parametrize(("conflicts", "status"), [(2, 200), (3, 503)])
def test_a_concurrent_request_is_tried_again_and_then_unavailable(
    actions: Actions,
    endpoint: DataEndpoint,
    key: str,
    token: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    conflicts: int,
    status: int,
) -> None:
    real, calls = store.forms.advance, 0

    def contended(table: Any, advanced: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls <= conflicts:
            other = actions.harness.resources.table
            other.update({"pk": advanced.pk}, add={"revision": 1})
        return real(table, advanced)

    monkeypatch.setattr(store.forms, "advance", contended)
    asked = client.request("data_exchange", token, screen="SERVICE", data={"service": "full"})

    assert endpoint.call(asked, key)[0] == status
    answers = stored(actions, token).get("answers", {})
    assert answers == ({"service": "full"} if status == 200 else {})


def test_an_unknown_or_expired_token_is_over(
    actions: Actions,
    endpoint: DataEndpoint,
    key: str,
    token: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert endpoint.call(client.request("INIT", "unknown"), key)[0] == 427
    assert endpoint.call(client.request("INIT"), key)[0] == 427
    later = NOW + 31 * 86_400_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    assert endpoint.call(client.request("INIT", token), key)[0] == 427


def test_a_token_of_another_company_is_over(
    actions: Actions, endpoint: DataEndpoint, key: str
) -> None:
    item = FlowToken(pk=FlowToken.of("t-globex"), company="globex", flow=FLOW)
    actions.harness.resources.table.put(item.attributes())

    assert endpoint.call(client.request("INIT", "t-globex"), key)[0] == 427


def test_a_routing_of_another_company_is_not_used(
    actions: Actions, endpoint: DataEndpoint, key: str
) -> None:
    flow = "700000000000999"
    routing = FlowConfig(
        pk=FlowConfig.key(flow),
        company="globex",
        first_screen="SERVICE",
        screens={"SERVICE": {"data": {"secret": 1}}},
    )
    assert store.forms.replace_config(actions.harness.resources.table, routing)
    actions.send("send_flow_message", MESSAGE | {"flowId": flow})

    status, content = endpoint.call(client.request("INIT", token_of(actions)), key)

    assert (status, list(content["data"])) == (200, ["error_message"])


def test_a_missing_route_is_counted_and_shown_to_the_customer(
    actions: Actions,
    endpoint: DataEndpoint,
    key: str,
    token: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = client.request("data_exchange", token, screen="ELSEWHERE", data={"a": 1})
    status, content = endpoint.call(asked, key)

    assert (status, content["screen"]) == (200, "ELSEWHERE")
    assert "error_message" in content["data"]
    assert "FlowRouteMissing" in capsys.readouterr().out
    assert "answers" not in stored(actions, token) or stored(actions, token)["answers"] == {}


@pytest.mark.parametrize("secret", ["wrong", ""])
def test_a_bad_signature_is_refused_before_anything_is_decrypted(
    endpoint: DataEndpoint, key: str, secret: str
) -> None:
    assert endpoint.call(client.request("ping"), key, secret=secret) == (432, None)


@pytest.mark.parametrize("headers", [{}, {"X-Hub-Signature-256": "sha256=é"}])
def test_a_missing_or_malformed_signature_is_refused(
    endpoint: DataEndpoint, key: str, headers: dict[str, str]
) -> None:
    sent = client.encrypted(client.request("ping"), key)

    assert endpoint.send(sent, headers=headers) == (432, None)


@pytest.mark.parametrize("account", ["", EUM_WABA, "302290129340398", "../../x", "KEYS"])
def test_a_request_for_another_account_is_misdirected(
    endpoint: DataEndpoint, key: str, account: str
) -> None:
    assert endpoint.call(client.request("ping"), key, account=account) == (421, None)


def test_a_body_that_cannot_be_decrypted_is_misdirected(endpoint: DataEndpoint, key: str) -> None:
    sent = client.encrypted(client.request("ping"), key)
    altered = client.Exchange(sent.body.replace(b"initial_vector", b"vector"), sent.aes_key, b"")

    assert endpoint.send(altered) == (421, None)
    assert endpoint.send(client.Exchange(b"{}", b"", b"")) == (421, None)


def test_the_sample_request_is_misdirected(actions: Actions, key: str) -> None:
    assert key
    apps = json.dumps({"apps": {APP_ID: [APP_SECRET]}})
    boto3.client("secretsmanager").put_secret_value(SecretId="app-secrets", SecretString=apps)

    answer = DataEndpoint(actions).module.handler(direct_event("flow_request").event, None)

    assert (answer["statusCode"], answer["body"]) == (421, "")


def test_a_body_over_a_megabyte_is_refused(endpoint: DataEndpoint) -> None:
    assert endpoint.send(client.Exchange(b"x" * ((1 << 20) + 1), b"", b"")) == (413, None)


def test_a_missing_private_key_is_misdirected_and_a_broken_secret_unavailable(
    actions: Actions, endpoint: DataEndpoint, key: str
) -> None:
    parameter = f"{endpoint.module.settings.flow_keys_path}/{WABA}"
    boto3.client("ssm").delete_parameter(Name=parameter)
    assert endpoint.call(client.request("ping"), key) == (421, None)

    boto3.client("secretsmanager").put_secret_value(SecretId="app-secrets", SecretString="[]")
    assert DataEndpoint(actions).call(client.request("ping"), key) == (503, None)


def test_nothing_decrypted_is_logged(
    endpoint: DataEndpoint, key: str, token: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = {"name": "Augusta", "phone": "447700900199"}
    endpoint.call(client.request("data_exchange", token, screen="SERVICE", data=data), key)
    endpoint.call(client.request("data_exchange", "unknown-token", screen="S", data=data), key)

    logged = "".join(capfd.readouterr())
    assert not [
        word for word in ("Augusta", "447700900199", token, "unknown-token") if word in logged
    ]


def test_the_dry_run_answers_as_the_endpoint_and_stores_nothing(
    actions: Actions, endpoint: DataEndpoint, key: str, token: str
) -> None:
    before = stored(actions, token)
    body = {"flowToken": token, "flowId": FLOW, "screen": "SERVICE", "data": {"service": "full"}}

    tried = actions.run("flow_data_exchange", body)

    asked = client.request("data_exchange", token, screen="SERVICE", data={"service": "full"})
    assert stored(actions, token) == before
    assert endpoint.call(asked, key) == (200, tried.result)
    ping = actions.run("flow_data_exchange", {"flowToken": "x", "action_type": "ping"})
    assert ping.result == {"data": {"status": "active"}}
    for refused in ({"flowToken": "unknown"}, body | {"flowId": "700000000000999"}):
        assert actions.run("flow_data_exchange", refused).error == "not_found"
    assert actions.run("flow_data_exchange", body, caller=GLOBEX).error == "not_found"


def _complete(actions: Actions, token: str) -> None:
    """Deliver the message with which the client completes a form."""
    part = {"name": "flow", "body": "Sent", "response_json": f'{{"flow_token": "{token}"}}'}
    answer = {"type": "interactive", "interactive": {"type": "nfm_reply", "nfm_reply": part}}
    message = text("wamid.done", at=NOW // 1000 - 30) | answer
    del message["text"]
    actions.harness.take({"messages": [message]})
