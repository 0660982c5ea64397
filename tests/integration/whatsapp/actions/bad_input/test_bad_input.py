"""Bad input of calls: each row of the table of bad input that concerns actions, as one behaviour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.whatsapp.actions.conftest import (
    ACME,
    ADA,
    GLOBEX,
    SCOPES,
    WABA,
    Actions,
    Answer,
)
from tests.integration.whatsapp.actions.messages.test_interactives import (
    buttons,
    card,
    cards,
    products,
    rows,
)
from tests.integration.whatsapp.actions.messages.test_templates import VALUES, add_template, late
from tests.integration.whatsapp.actions.payments.conftest import REFERENCE, captured, shop
from tests.integration.whatsapp.conftest import NOW, PHONE, a_phone
from whatsapp import store

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["captured", "shop"]  # fixtures
HELLO = {"text": "Your bike is ready."}
DAY_MS = 86_400_000


# Names, bodies and parameters


@pytest.mark.parametrize(
    ("named", "near"), [("SEND_TEXT", "send_text"), ("send_texts", "send_text"), ("no such", "")]
)
def test_an_unknown_action_is_not_found_and_near_names_are_told(
    actions: Actions, named: str, near: str
) -> None:
    answer = actions.run(named, HELLO)

    assert (answer.status, answer.error) == (404, "unknown_action")
    assert near in answer.body["error"]["message"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ('["text"]', "invalid_input"),
        ('"text"', "invalid_input"),
        ("null", "invalid_input"),
        ("{", "invalid_json"),
        ('{"text": -Infinity}', "invalid_json"),
        ('{"a": {"b": 1, "b": 2}}', "invalid_json"),
        ("[" * 50_000, "invalid_json"),
    ],
)
def test_a_body_that_is_no_strict_json_object_is_refused(
    actions: Actions, raw: str, code: str
) -> None:
    answer = actions.run("send_text", raw=raw)

    assert (answer.status, answer.error, actions.wire) == (400, code, [])


@pytest.mark.parametrize(
    ("more", "field"),
    [({"colour": "red"}, "colour"), ({"dryRun": "yes"}, "dryRun"), ({"text": ["a"]}, "text")],
)
def test_an_unknown_parameter_or_a_wrong_type_is_refused_with_its_name(
    actions: Actions, more: dict[str, Any], field: str
) -> None:
    answer = actions.send("send_text", HELLO | more)

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", [field])


@pytest.mark.parametrize(
    "name", ["token", "secret", "appSecret", "verifyToken", "password", "PIN", "credentials"]
)
@pytest.mark.parametrize("action", ["send_text", "set_webhook_config", "ping"])
def test_a_secret_is_never_a_parameter_and_its_value_is_not_repeated(
    actions: Actions, action: str, name: str
) -> None:
    answer = actions.run(action, {name: "s3cr3t-value"})

    assert (answer.status, answer.error) == (400, "secret_not_accepted")
    assert "s3cr3t-value" not in str(answer.body)


# Senders and recipients


@pytest.mark.parametrize("to", ["abc", "+1555", "12", "++447700900101", "+44 7700 900101 7700 900"])
def test_a_text_that_is_no_phone_number_is_refused(actions: Actions, to: str) -> None:
    answer = actions.send("send_text", HELLO | {"to": to})

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", ["to"])


@pytest.mark.parametrize("named", [{"to": f"+{ADA}", "recipient": "GB.abc"}, {}])
def test_both_kinds_of_recipients_or_none_are_refused(
    actions: Actions, named: dict[str, str]
) -> None:
    answer = actions.run("send_text", {"phoneNumberId": PHONE, **HELLO, **named})

    assert (answer.status, answer.error) == (400, "invalid_input")


def test_an_account_with_two_numbers_and_no_default_needs_a_named_number(actions: Actions) -> None:
    other = a_phone(
        pk="PHONE#406540352242955",
        phone="406540352242955",
        display_phone="15550783666",
        phone_arn="arn:parley:whatsapp:::phone-number-id/406540352242955",
        waba_meta_id=WABA,
        is_default=False,
    )
    store.phones.register(actions.harness.resources.table, other)
    actions.register(is_default=False)
    answer = actions.run("send_text", {"metaWabaId": WABA, "to": f"+{ADA}", **HELLO})

    assert (answer.status, answer.error, actions.wire) == (400, "phone_required", [])


def test_messages_orders_and_files_of_another_company_do_not_exist(
    captured: Callable[[], Actions],
) -> None:
    actions = captured()
    message = actions.send("send_text", HELLO).result["messageId"]
    actions.harness.resources.bucket.put("media/acme/1/file.jpg", b"\xff\xd8\xff")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("get_message", {"messageId": message}),
        ("get_delivery_status", {"messageId": message}),
        ("delete_message", {"messageId": message}),
        ("resend_message", {"messageId": message}),
        ("lookup_payment", {"referenceId": REFERENCE}),
        ("create_refund", {"paymentId": REFERENCE, "amount": 100}),
        ("get_media_url", {"s3Key": "media/acme/1/file.jpg"}),
    ]
    answers = {name: actions.run(name, body, caller=GLOBEX) for name, body in asked}

    known = {name: found.status for name, found in answers.items() if found.status != 404}
    assert known == {}
    assert all(found.error == "not_found" for found in answers.values())


# Limits of messages


def test_a_text_over_its_limit_is_refused_with_path_and_limit(actions: Actions) -> None:
    answer = actions.send("send_text", {"text": "x" * 4_097})

    assert (answer.status, answer.fields) == (400, ["text"])
    assert "4096" in answer.body["error"]["details"][0]["problem"]


@pytest.mark.parametrize(
    ("kind", "interactive", "path"),
    [
        ("button", buttons("a", "b", "c", "d"), "interactive.action.buttons"),
        ("list", rows(6, 5), "interactive.action"),
        ("product_list", products(31), "interactive.action.sections"),
        ("carousel", cards(card(0)), "interactive.action.cards"),
    ],
    ids=["4 buttons", "11 rows", "31 products", "1 card"],
)
def test_too_many_or_too_few_parts_are_refused_with_path_and_limit(
    actions: Actions, kind: str, interactive: dict[str, Any], path: str
) -> None:
    answer = actions.send("send_interactive", {"interactiveType": kind, "interactive": interactive})

    assert (answer.status, answer.error, actions.wire) == (400, "invalid_input", [])
    (problem,) = answer.body["error"]["details"]
    assert problem["field"].startswith(path)
    assert any(character.isdigit() for character in problem["problem"])


# The policy


def test_a_free_text_outside_the_window_is_refused_with_the_reason(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    late(monkeypatch)
    answer = actions.send("send_text", HELLO)

    assert (answer.status, answer.error) == (422, "policy_refused")
    assert (answer.body["error"]["reason"], actions.wire) == ("window_closed", [])


def test_a_customer_who_has_opted_out_and_safe_mode_are_reasons(actions: Actions) -> None:
    choice = {"contact": f"+{ADA}", "purpose": "all", "state": "opted_out", "evidence": "call 17"}
    actions.run("set_consent", choice)
    out = actions.send("send_text", HELLO)
    actions.switch("true")
    stopped = actions.send("send_text", HELLO)

    assert [one.status for one in (out, stopped)] == [422, 422]
    assert [one.body["error"]["reason"] for one in (out, stopped)] == ["opted_out", "safe_mode"]
    assert actions.wire == []


@pytest.mark.parametrize(
    ("stored", "asked", "says"),
    [
        ({}, {"templateName": "unheard_of"}, "unknown"),
        ({"status": "PAUSED"}, {}, "PAUSED"),
        ({}, {"languageCode": "de"}, "language"),
        ({}, {"components": []}, "1"),
        (
            {},
            {"components": [{"type": "body", "parameters": VALUES[0]["parameters"] * 2}]},  # type: ignore[operator] # a list
            "1",
        ),
    ],
    ids=["unknown", "not approved", "other language", "too few values", "too many values"],
)
def test_a_template_that_does_not_fit_is_not_sendable_and_the_answer_says_what_fits(
    actions: Actions, stored: dict[str, Any], asked: dict[str, Any], says: str
) -> None:
    add_template(actions, **stored)
    body = {"templateName": "bike_ready", "components": VALUES}
    answer = actions.send("send_template", body | asked)

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert says in answer.body["error"]["message"]
    assert [sent for sent in actions.wire if sent.operation == "send_message"] == []


# Repeats


def test_of_two_calls_with_one_key_at_once_one_is_refused(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = type(actions.module.resources.graph)
    post = graph.post_message
    second: list[Answer] = []

    def meanwhile(*given: Any, **more: Any) -> Any:
        if not second:
            second.append(actions.send("send_text", HELLO, key="key-at-once"))
        return post(*given, **more)

    monkeypatch.setattr(graph, "post_message", meanwhile)
    first = actions.send("send_text", HELLO, key="key-at-once")

    assert (first.status, first.result["state"]) == (200, "sent")
    assert (second[0].status, second[0].error) == (409, "request_in_progress")
    assert len(actions.wire) == 1


def test_a_refused_call_can_be_corrected_under_the_same_key(actions: Actions) -> None:
    refused = actions.send("send_text", {"text": "x" * 4_097}, key="key-corrected")
    actions.switch("true")
    stopped = actions.send("send_text", HELLO, key="key-corrected")
    actions.switch("false")
    sent = actions.send("send_text", HELLO, key="key-corrected")

    assert [one.status for one in (refused, stopped, sent)] == [400, 422, 200]


@pytest.mark.parametrize("key", ["short", "x" * 256, "with space", "größer-als-ascii"])
def test_an_idempotency_key_out_of_bounds_is_refused(actions: Actions, key: str) -> None:
    answer = actions.send("send_text", HELLO, key=key)

    assert (answer.status, answer.fields, actions.wire) == (400, ["Idempotency-Key"], [])


# Faults of the provider


@pytest.mark.parametrize(
    "fault", [{"kind": "lost_answer"}, {"kind": "status", "status": 500}], ids=["timeout", "500"]
)
def test_a_fault_of_the_provider_leaves_a_send_in_doubt_and_no_second_message_follows(
    actions: Actions, fault: dict[str, Any]
) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", **fault)
    first = actions.send("send_text", HELLO, key="key-fault")
    again = actions.send("send_text", HELLO, key="key-fault")

    assert (first.status, first.result["state"]) == (202, "in_doubt")
    assert again.status in {202, 409}
    assert len(actions.wire) <= 1


def test_a_send_that_the_provider_throttles_is_answered_as_too_fast(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=429)
    first = actions.send("send_text", HELLO, key="key-throttled")
    again = actions.send("send_text", HELLO, key="key-throttled")

    assert (first.status, first.error) == (429, "rate_limited")
    assert first.headers["Retry-After"] == str(first.body["error"]["retryAfterSeconds"])
    assert (again.status, len(actions.wire)) == (200, 1)


def test_an_answer_of_the_provider_without_an_id_leaves_a_change_in_doubt(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatsapp.actions.calls.remote.GraphAccount.attempt", lambda *_, **__: {})
    body = {"phoneNumberId": PHONE, "prefilledMessage": "Hello", "imageFormat": "PNG"}
    answer = actions.run("create_qr_code", body)

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")


# Cursors and access


def test_a_changed_cursor_or_one_of_others_or_of_yesterday_is_refused(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    cursor = actions.run("list_actions", {"limit": 1}).body["cursor"]
    colleague = replace(ACME, principal="api-key:other", scopes=SCOPES)
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    answers = [
        actions.run("list_actions", {"limit": 1, "cursor": changed}),
        actions.run("list_actions", {"limit": 1, "cursor": "x"}),
        actions.run("list_actions", {"limit": 1, "cursor": cursor}, caller=colleague),
        actions.run("list_actions", {"limit": 1, "cursor": cursor, "mode": "local"}),
    ]
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + DAY_MS + 1_000)
    answers.append(actions.run("list_actions", {"limit": 1, "cursor": cursor}))

    assert {(one.status, one.error) for one in answers} == {(400, "invalid_cursor")}


def test_an_action_of_graph_without_a_token_is_not_configured(actions: Actions) -> None:
    actions.register(token_ref=None)
    answer = actions.run("list_flows", {"metaWabaId": WABA})

    assert (answer.status, answer.error, actions.wire) == (409, "not_configured", [])


def test_what_no_provider_offers_is_not_supported(actions: Actions) -> None:
    body = {"metaWabaId": WABA, "name": "form", "categories": ["OTHER"]}
    flow = actions.run("create_flow", body).result["flowId"]
    change = {"metaWabaId": WABA, "flowId": flow, "useDataEndpoint": False}
    answer = actions.run("update_flow", change)

    assert (answer.status, answer.error) == (501, "not_supported")


def test_errors_have_no_values_of_the_request(
    actions: Actions, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"text": "x" * 4_090 + "Analytical", "to": "+4477Babbage", "note": "Lovelace"}
    answer = actions.send("send_text", body)
    told = str(answer.body) + capsys.readouterr().out

    assert answer.status == 400
    assert [word for word in ("Analytical", "Babbage", "Lovelace") if word in told] == []
