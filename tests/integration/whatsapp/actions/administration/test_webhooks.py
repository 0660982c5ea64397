"""Subscriptions, stored settings, signatures and bodies of webhooks."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import boto3
import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    APP_SECRETS,
    EUM_WABA,
    GLOBEX,
    GLOBEX_PHONE,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import APP, NOW, PHONE, T0, text
from whatsapp.store.items.accounts.accounts import WebhookConfig

SECRET = APP_SECRETS["apps"][APP][0]
URL = "https://api.example.com/v1/webhooks/whatsapp"
SUBSCRIBED = "/{Version}/{WABA-ID}/subscribed_apps"
GLOBEX_WABA = "302290129340398"
OTHER_APP = "5550001"


def body_of(*messages: dict[str, Any], waba: str = WABA, phone: str = PHONE) -> dict[str, Any]:
    value = {
        "metadata": {"phone_number_id": phone, "display_phone_number": "15550783881"},
        "messages": list(messages),
    }
    changes = [{"field": "messages", "value": value}]
    return {"object": "whatsapp_business_account", "entry": [{"id": waba, "changes": changes}]}


def signature(raw: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()


def queued(actions: Actions) -> list[str]:
    """The events that the action put on the queue of the worker."""
    url = actions.module.settings.whatsapp_queue_url
    answer = boto3.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [message["Body"] for message in answer.get("Messages", [])]


def test_a_webhook_is_registered_with_our_address_and_the_stored_token(actions: Actions) -> None:
    answer = actions.run("register_webhook", {"metaWabaId": WABA})

    (sent,) = actions.wire
    assert sent.body == {"override_callback_uri": URL, "verify_token": "verify me"}
    assert wire.problems(sent, "POST", SUBSCRIBED) == []
    assert answer.result == {"metaWabaId": WABA, "webhookUrl": URL}
    item = actions.item(WebhookConfig.key(WABA))
    assert item == {
        "pk": f"WEBHOOK_CONFIG#{WABA}",
        "itemType": "WEBHOOK_CONFIG",
        "company": "acme",
        "wabaMetaId": WABA,
        "verifyToken": "app-secrets#verify_token",
        "appSecret": f"app-secrets#apps.{APP}",
        "enabled": True,
        "updatedAt": "2026-01-01T12:00:00.000Z",
    }


def test_named_fields_are_set_for_the_app_first(actions: Actions) -> None:
    body = {"metaWabaId": WABA, "subscribedEvents": ["messages", "calls"], "webhookUrl": URL}
    answer = actions.run("register_webhook", body)

    fields, subscription = actions.wire
    assert (fields.path, subscription.path) == (
        f"/v23.0/{APP}/subscriptions",
        f"/v23.0/{WABA}/subscribed_apps",
    )
    assert fields.body == {
        "object": "whatsapp_business_account",
        "callback_url": URL,
        "fields": "calls,messages",
        "verify_token": "verify me",
    }
    assert answer.result["fields"] == ["calls", "messages"]
    assert SECRET not in json.dumps(answer.body)


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"webhookUrl": "https://evil.example.org/v1/webhooks/whatsapp"}, 400, "invalid_input"),
        ({"webhookUrl": "http://api.example.com/x"}, 400, "invalid_input"),
        ({"verifyToken": "mine"}, 400, "secret_not_accepted"),
        ({"subscribedEvents": ["everything"]}, 400, "invalid_input"),
        ({"metaWabaId": GLOBEX_WABA}, 404, "not_found"),
    ],
)
def test_another_address_or_token_is_refused(
    actions: Actions, more: dict[str, Any], status: int, code: str
) -> None:
    answer = actions.run("register_webhook", {"metaWabaId": WABA} | more)

    assert (answer.status, answer.error, actions.wire) == (status, code, [])


def test_an_account_without_access_to_graph_is_not_configured(actions: Actions) -> None:
    actions.register_eum(token_ref=None)
    direct = {
        "action": "register_webhook",
        "company": "acme",
        "scopes": "whatsapp:admin",
        "metaWabaId": WABA,
    }

    assert actions.run("register_webhook", {"metaWabaId": EUM_WABA}).error == "not_configured"
    assert actions.invoke(direct).error == "not_configured"


@pytest.mark.parametrize(("status", "code"), [(429, "rate_limited"), (400, "provider_rejected")])
def test_a_failed_subscription_is_not_recorded(actions: Actions, status: int, code: str) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="subscribe_app", kind="status", status=status, times=3
    )

    assert actions.run("register_webhook", {"metaWabaId": WABA}).error == code
    assert actions.item(WebhookConfig.key(WABA)) == {}


def test_a_lost_answer_is_asked_for_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="subscribe_app", kind="lost_answer")

    assert actions.run("register_webhook", {"metaWabaId": WABA}).status == 200
    assert [sent.operation for sent in actions.wire] == ["subscribe_app", "subscribe_app"]


def test_subscriptions_are_shown_and_ended(actions: Actions) -> None:
    actions.run("register_webhook", {"metaWabaId": WABA})
    shown = actions.run("get_webhook_subscriptions", {"metaWabaId": WABA}).result
    ended = actions.run("unregister_webhook", {"metaWabaId": WABA, "confirm": True}).result

    assert shown["data"][0]["override_callback_uri"] == URL
    assert ended["enabled"] is False
    assert wire.problems(actions.wire[1], "GET", SUBSCRIBED) == []
    assert wire.problems(actions.wire[2], "DELETE", SUBSCRIBED) == []
    assert actions.run("get_webhook_subscriptions", {"metaWabaId": WABA}).result == {"data": []}
    assert actions.run("unregister_webhook", {"metaWabaId": WABA}).status == 400
    assert actions.run("unregister_webhook", {"metaWabaId": WABA, "confirm": False}).status == 400


def test_settings_hold_references_and_show_how_many_secrets_are_active(actions: Actions) -> None:
    before = actions.run("get_webhook_config", {"metaWabaId": WABA}).result
    stored = actions.run("set_webhook_config", {"metaWabaId": WABA, "enabled": True}).result
    after = actions.run("get_webhook_config", {"metaWabaId": WABA}).result

    assert (before["enabled"], "updatedAt" in before) == (False, False)
    assert stored == {name: value for name, value in after.items() if name != "lastMessageAt"}
    assert (after["activeVerifyTokens"], after["activeAppSecrets"]) == (1, 1)
    assert SECRET not in json.dumps(after)
    for body in ({"appSecret": "x"}, {"verifyToken": "x"}):
        refused = actions.run("set_webhook_config", {"metaWabaId": WABA} | body)
        assert refused.error == "secret_not_accepted"
    assert actions.run("set_webhook_config", {"metaWabaId": GLOBEX_WABA}).status == 404
    assert actions.run("get_webhook_config", {"metaWabaId": WABA}, caller=GLOBEX).status == 404


def test_what_came_last_is_the_newest_message_of_a_customer_and_no_event_of_the_account(
    actions: Actions,
) -> None:
    def last() -> str:
        found = actions.run("get_webhook_config", {"metaWabaId": WABA}).result
        return str(found.get("lastMessageAt"))

    before = last()
    actions.harness.receive_account_change("account_review_update", {"decision": "APPROVED"}, 60)
    actions.send("send_text", {"metaWabaId": WABA, "to": "447700900101", "text": "Hi"})
    assert last() == before
    actions.harness.take({"messages": [text("wamid.HB", "Hello", at=NOW // 1_000 + 5)]})
    assert last()[:19] == "2026-01-01T12:00:05" != before[:19]


def test_settings_that_do_not_change_are_not_written_again(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.run("set_webhook_config", {"metaWabaId": WABA})
    before = actions.item(WebhookConfig.key(WABA))
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 60_000)
    actions.run("set_webhook_config", {"metaWabaId": WABA})

    assert actions.item(WebhookConfig.key(WABA)) == before


@pytest.mark.parametrize(
    ("query", "accepted"),
    [
        ({"hub.mode": "subscribe", "hub.verify_token": "verify me", "hub.challenge": "7"}, True),
        ({"hub.mode": "subscribe", "hub.verify_token": "wrong", "hub.challenge": "7"}, False),
        ({"hub.mode": "other", "hub.verify_token": "verify me", "hub.challenge": "7"}, False),
        ({}, False),
    ],
)
def test_a_handshake_is_compared_with_the_stored_tokens(
    actions: Actions, query: dict[str, str], accepted: bool
) -> None:
    answer = actions.run("verify_webhook", {"queryStringParameters": query}).result

    assert answer == {"accepted": accepted} | ({"challenge": "7"} if accepted else {})
    refused = actions.run("verify_webhook", {"queryStringParameters": query, "expectedToken": "x"})
    assert refused.status == 400


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


def test_stored_events_are_listed_by_type_and_by_account_without_personal_data(
    actions: Actions,
) -> None:
    value = {"event": "ALERT", "owner": "call +14155552671 or ada@example.com"}
    for second in range(3):
        actions.harness.receive_account_change("account_alerts", value | {"n": second}, second)
    body = {"eventType": "account_alerts"}

    by_type = actions.run("get_webhook_events", body).result["events"]
    by_account = actions.run("get_webhook_events", {"metaWabaId": WABA}).result["events"]

    assert [event["type"] for event in by_type] == ["account_alerts"] * 3
    assert {event["eventId"] for event in by_account} == {event["eventId"] for event in by_type}
    assert "4155552671" not in json.dumps(by_type)
    assert "ada@example.com" not in json.dumps(by_type)
    assert actions.run("get_webhook_events").result["events"] == by_account
    assert actions.run("get_webhook_events", body, caller=GLOBEX).result == {"events": []}
    assert actions.run("get_webhook_events", {"metaWabaId": WABA}, caller=GLOBEX).status == 404
    late = body | {"since": "2026-01-02T00:00:00Z"}
    assert actions.run("get_webhook_events", late).result == {"events": []}
    page = actions.run("get_webhook_events", body | {"limit": 2})
    rest = actions.run("get_webhook_events", body | {"limit": 2, "cursor": page.body["cursor"]})
    assert len(page.result["events"] + rest.result["events"]) == 3


def test_events_of_several_accounts_need_a_named_one(actions: Actions) -> None:
    actions.register_eum()

    assert actions.run("get_webhook_events").fields == ["metaWabaId"]
    assert actions.run("get_webhook_events", {"eventType": "parked#globex"}).status == 400


@pytest.fixture
def with_other_app(actions: Actions) -> str:
    """The secret of the deployment also has an app of globex."""
    client = boto3.client("secretsmanager")
    apps = {**APP_SECRETS["apps"], OTHER_APP: ["secret of globex", "older secret of globex"]}
    client.put_secret_value(
        SecretId="app-secrets", SecretString=json.dumps(APP_SECRETS | {"apps": apps})
    )
    actions.module.resources.webhook_secrets._value = None
    return OTHER_APP


def test_a_signature_of_an_app_of_another_company_is_like_one_of_no_app(
    actions: Actions, with_other_app: str
) -> None:
    raw = json.dumps(body_of(text("wamid.x"))).encode()
    foreign = signature(raw, "secret of globex")
    unknown = signature(raw, "secret of nobody")

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


def test_references_of_secrets_name_no_account_of_aws(actions: Actions) -> None:
    actions.module.resources.webhook_secrets._secret_id = (
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:parley/dev/app-secrets-AbCdEf"
    )
    actions.module.resources.webhook_secrets._value = APP_SECRETS
    actions.module.resources.webhook_secrets._read_at = clock.now_ms()
    config = actions.run("get_webhook_config", {"metaWabaId": WABA}).result

    assert config["verifyToken"] == "parley/dev/app-secrets-AbCdEf#verify_token"
    assert "123456789012" not in json.dumps(config)
