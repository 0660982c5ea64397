"""Subscriptions, stored settings, signatures and bodies of webhooks."""

import json
from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.administration.webhook_bodies import GLOBEX_WABA, SECRET
from tests.integration.whatsapp.actions.conftest import APP_SECRETS, EUM_WABA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.conftest import APP, NOW, text
from whatsapp.store.items.accounts.accounts import WebhookConfig

URL = "https://api.example.com/v1/webhooks/whatsapp"
SUBSCRIBED = "/{Version}/{WABA-ID}/subscribed_apps"


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


def test_references_of_secrets_name_no_account_of_aws(actions: Actions) -> None:
    actions.module.resources.webhook_secrets._secret_id = (
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:parley/dev/app-secrets-AbCdEf"
    )
    actions.module.resources.webhook_secrets._value = APP_SECRETS
    actions.module.resources.webhook_secrets._read_at = clock.now_ms()
    config = actions.run("get_webhook_config", {"metaWabaId": WABA}).result

    assert config["verifyToken"] == "parley/dev/app-secrets-AbCdEf#verify_token"
    assert "123456789012" not in json.dumps(config)
