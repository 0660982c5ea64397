"""Signatures and bodies of webhooks, taken by actions."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.integration.whatsapp.actions.administration.webhook_bodies import (
    GLOBEX_WABA,
    body_of,
    queued,
    signature,
    with_other_app,
)
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    APP_SECRETS,
    GLOBEX,
    GLOBEX_PHONE,
    Actions,
)
from tests.integration.whatsapp.conftest import APP, PHONE, T0, text

__all__ = ["with_other_app"]  # fixtures


def test_a_signature_is_checked_over_the_raw_bytes(actions: Actions) -> None:
    raw = '{"text": "Zürich"}'.encode()
    good, body = signature(raw), raw.decode()
    encoded = {"body": base64.b64encode(raw).decode(), "bodyIsBase64": True}

    def ask(**given: Any) -> dict[str, Any]:
        result: dict[str, Any] = actions.run("validate_webhook_signature", given).result
        return result

    assert ask(signature=good, payload=body) == {"valid": True, "app": APP}
    assert ask(headers={"X-Hub-Signature-256": good}, **encoded) == {"valid": True, "app": APP}
    for wrong in (
        signature(raw, "another"),
        good.replace("sha256=", ""),
        "ü" * 64,
        "sha256=" + "0" * 64,
    ):
        assert ask(signature=wrong, payload=body) == {"valid": False}
    assert ask(signature=good, payload=f"{body} ") == {"valid": False}


@pytest.mark.parametrize(
    "body",
    [
        {"signature": "x"},
        {"payload": "x"},
        {"signature": "x", "headers": {}, "payload": "x"},
        {"signature": "x", "payload": "%%%", "bodyIsBase64": True},
    ],
)
def test_an_incomplete_signature_is_refused(actions: Actions, body: dict[str, Any]) -> None:
    assert actions.run("validate_webhook_signature", body).error == "invalid_input"
    given = body | {"appSecret": "x"}
    assert actions.run("validate_webhook_signature", given).error == "secret_not_accepted"


def test_the_self_test_covers_every_secret_and_signs_nothing_for_callers(actions: Actions) -> None:
    answer = actions.run("test_webhook_signature")

    assert answer.result == {"passed": True, "secrets": [{"app": APP, "number": 1, "passed": True}]}
    assert "sha256" not in json.dumps(answer.body)
    assert actions.run("test_webhook_signature", {"payload": "x"}).status == 400


def test_a_body_is_taken_again_and_what_is_known_is_not_stored_twice(actions: Actions) -> None:
    known, new = text("wamid.ada.1", at=T0), text("wamid.new", "Hello again", at=T0 + 5)

    taken = actions.run("process_webhook_event", {"webhookBody": body_of(known, new)}).result
    events = [json.loads(body) for body in queued(actions)]
    for event in events:
        actions.harness.handle(json.dumps(event))

    assert taken == {"taken": 2}
    assert {event["source"] for event in events} == {"replay"}
    assert actions.item("MSG#wamid.new")["company"] == "acme"
    assert actions.item(f"CONV#{PHONE}#{ADA}")["unreadCount"] == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (body_of(text("wamid.x"), waba=GLOBEX_WABA, phone=GLOBEX_PHONE), 404),
        (body_of(text("wamid.x"), phone=GLOBEX_PHONE), 404),
        (body_of(text("wamid.x"), waba="999999999999"), 404),
        ({"object": "page", "entry": [{}]}, 400),
        ({"entry": []}, 400),
        ({}, 400),
    ],
)
def test_a_body_of_another_account_or_without_events_is_refused(
    actions: Actions, body: dict[str, Any], status: int
) -> None:
    answer = actions.run("process_webhook_event", {"webhookBody": body})

    assert (answer.status, queued(actions)) == (status, [])


def test_one_entry_of_another_company_refuses_the_whole_body(actions: Actions) -> None:
    body = body_of(text("wamid.x"))
    body["entry"] += body_of(text("wamid.y"), waba=GLOBEX_WABA, phone=GLOBEX_PHONE)["entry"]

    assert actions.run("process_webhook_event", {"webhookBody": body}).status == 404
    assert queued(actions) == []


def test_a_signed_body_is_taken_with_its_app(actions: Actions) -> None:
    raw = json.dumps(body_of(text("wamid.signed", at=T0 + 9))).encode()
    given = {"headers": {"x-hub-signature-256": signature(raw)}, "body": raw.decode()}

    assert actions.run("process_secure_webhook", given).result == {"taken": 1}
    (event,) = queued(actions)
    assert (json.loads(event)["app"], json.loads(event)["source"]) == (APP, "meta")
    actions.harness.handle(event)
    assert actions.item("MSG#wamid.signed")["textBody"] == "hello"


def test_a_body_with_a_bad_signature_is_refused_and_nothing_is_taken(actions: Actions) -> None:
    raw = json.dumps(body_of(text("wamid.x"))).encode()
    forged = {"headers": {"x-hub-signature-256": signature(raw, "guess")}, "body": raw.decode()}
    others = json.dumps(body_of(text("wamid.x"), waba=GLOBEX_WABA, phone=GLOBEX_PHONE)).encode()
    foreign = {"headers": {"x-hub-signature-256": signature(others)}, "body": others.decode()}

    refused = actions.run("process_secure_webhook", forged)

    assert (refused.status, refused.error) == (403, "invalid_signature")
    assert actions.run("process_secure_webhook", {**forged, "headers": {}}).status == 403
    assert actions.run("process_secure_webhook", foreign).status == 404
    large = {"headers": {}, "body": "x" * (3 << 20) + "xx"}
    assert actions.run("process_secure_webhook", large).error == "payload_too_large"
    assert queued(actions) == []


def test_a_signature_of_an_app_of_another_company_is_like_one_of_no_app(
    actions: Actions, with_other_app: str
) -> None:
    raw = json.dumps(body_of(text("wamid.x"))).encode()
    foreign = signature(raw, "secret of globex")
    unknown = signature(raw, "an unknown secret")

    asked = [
        actions.run("validate_webhook_signature", {"signature": one, "payload": raw.decode()})
        for one in (foreign, unknown)
    ]
    taken = [
        actions.run(
            "process_secure_webhook",
            {"headers": {"x-hub-signature-256": one}, "body": raw.decode()},
        )
        for one in (foreign, unknown)
    ]

    assert [answer.result for answer in asked] == [{"valid": False}, {"valid": False}]
    assert {(answer.status, answer.error) for answer in taken} == {(403, "invalid_signature")}
    assert queued(actions) == []


@pytest.mark.parametrize("action", ["test_webhook_signature", "get_config"])
def test_apps_of_another_company_are_neither_named_nor_counted(
    actions: Actions, with_other_app: str, action: str
) -> None:
    with_both = actions.run(action).body["result"]
    actions.module.resources.webhook_secrets._value = APP_SECRETS
    alone = actions.run(action).body["result"]

    assert with_both == alone
    assert with_other_app not in json.dumps(with_both)


def test_the_self_test_of_a_company_without_an_app_does_not_pass(actions: Actions) -> None:
    initech = replace(GLOBEX, company="initech")

    answer = actions.run("test_webhook_signature", caller=initech)

    assert answer.result == {"passed": False, "secrets": []}
