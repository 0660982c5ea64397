"""Messages and templates with a form."""

import json
from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    AWS_WABA,
    EUM_PHONE,
    EUM_WABA,
    WABA,
    Actions,
)
from tests.integration.whatsapp.actions.flows.forms import token_of
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp.store.items.contacts.customers import FlowToken

FLOW = "700000000000000"
FORM: dict[str, Any] = {
    "flowId": FLOW,
    "body": "Book a service",
    "flowActionPayload": {"screen": "SERVICE", "data": {"shop": "Leeds"}},
}
DAYS_30 = 30 * 86_400
TEMPLATE: dict[str, Any] = {
    "name": "service_form", "language": "en_US", "status": "APPROVED", "category": "UTILITY", "id": "1", "waba": WABA,
    "components": [
        {"type": "BODY", "text": "Hello {{1}}, book your service."},
        {"type": "BUTTONS", "buttons": [{"type": "FLOW", "text": "Book", "flow_id": int(FLOW)}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("action", ["send_flow_message", "send_flow"])
def test_a_form_is_sent_with_a_token_that_is_stored_first(actions: Actions, action: str) -> None:
    answer = actions.send(action, FORM | {"header": "Service", "footer": "Acme Bikes"})

    (sent,) = actions.wire
    token = token_of(actions)
    assert isinstance(sent.body, dict)
    assert sent.body["interactive"] == {
        "type": "flow",
        "header": {"type": "text", "text": "Service"},
        "body": {"text": "Book a service"},
        "footer": {"text": "Acme Bikes"},
        "action": {
            "name": "flow",
            "parameters": {
                "flow_message_version": "3",
                "flow_token": token,
                "flow_id": FLOW,
                "flow_cta": "Open",
                "flow_action": "navigate",
                "flow_action_payload": {"screen": "SERVICE", "data": {"shop": "Leeds"}},
            },
        },
    }
    assert wire.problems(sent, "POST", "/{Version}/{Phone-Number-ID}/messages") == []
    assert actions.item(FlowToken.of(token)) == {
        "pk": FlowToken.of(token),
        "itemType": "FLOW_TOKEN",
        "company": "acme",
        "flow": FLOW,
        "customerPhone": ADA,
        "createdAt": "2026-01-01T12:00:00.000Z",
        "phone": PHONE,
        "actionId": answer.result["actionId"],
        "screen": "SERVICE",
        "state": "open",
        "revision": 0,
        "ttl": NOW // 1000 + DAYS_30,
    }


def test_the_token_is_unguessable_and_in_no_message_of_the_inbox(actions: Actions) -> None:
    answer = actions.send("send_flow_message", FORM)
    token = token_of(actions)

    assert len(token) == 64
    message = actions.item(answer.result["messagePk"])
    assert (message["type"], message["textBody"]) == ("interactive", "Book a service")
    assert message["content"]["action"]["parameters"]["flow_id"] == FLOW
    items = [str(actions.item(key)) for key in actions.harness.keys()]
    assert not [item for item in items if token in item]
    assert token not in str(answer.body)


@pytest.mark.parametrize("action", ["send_flow_message", "send_flow", "send_flow_template"])
def test_a_repeat_sends_nothing_and_has_the_same_token(actions: Actions, action: str) -> None:
    actions.sandbox.templates.append(TEMPLATE)
    template = {"templateName": "service_form", "bodyParams": ["Ada"], "flowId": FLOW}
    body: dict[str, Any] = template if action == "send_flow_template" else FORM
    first = actions.send(action, body, key="key-form-1")
    before = actions.harness.keys()
    again = actions.send(action, body, key="key-form-1")

    assert (again.result, again.body["replayed"]) == (first.result, True)
    assert actions.harness.keys() == before
    assert len([sent for sent in actions.wire if sent.operation == "send_message"]) == 1


def test_a_retry_after_a_rate_limit_sends_the_same_token(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=429)
    refused = actions.send("send_flow_message", FORM, key="key-form-1")
    tokens = [key for key in actions.harness.keys() if key.startswith("FLOWTOKEN#")]
    sent = actions.send("send_flow_message", FORM, key="key-form-1")

    assert (refused.error, sent.result["state"]) == ("rate_limited", "sent")
    assert [FlowToken.of(token_of(actions))] == tokens


def test_a_lost_answer_is_left_in_doubt_and_never_sent_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    answer = actions.send("send_flow_message", FORM, key="key-form-1")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    actions.send("send_flow_message", FORM, key="key-form-1")
    assert len(actions.wire) == 1


def test_a_dry_run_stores_nothing(actions: Actions) -> None:
    before = actions.harness.keys()
    answer = actions.send("send_flow_message", FORM | {"dryRun": True, "mode": "draft"})

    parameters = answer.result["payload"]["interactive"]["action"]["parameters"]
    assert (parameters["flow_id"], parameters["mode"]) == (FLOW, "draft")
    assert (actions.harness.keys(), actions.wire) == (before, [])


def test_a_number_on_aws_sends_a_template_with_a_form(actions: Actions) -> None:
    actions.register_eum()
    actions.sandbox.templates.append(TEMPLATE | {"waba": AWS_WABA})
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    wrote = text("wamid.ada.2", at=NOW // 1000 - 60)
    actions.harness.take({"metadata": metadata, "messages": [wrote]}, waba=EUM_WABA)
    to = {"phoneNumberId": EUM_PHONE, "to": f"+{ADA}"}
    body = {"templateName": "service_form", "flowId": FLOW, "bodyParams": ["Ada"]}

    answer = actions.run("send_flow_template", to | body)

    sent = actions.wire[-1]
    assert isinstance(sent.body, dict)
    assert answer.result["state"] == "sent"
    assert sent.body["message"]["template"]["components"][1]["sub_type"] == "flow"
    assert actions.item(FlowToken.of(token_of(actions)))["phone"] == EUM_PHONE


def test_outside_the_window_a_form_is_refused(actions: Actions) -> None:
    wrote = text("wamid.b.1", at=NOW // 1000 - 90_000, sender="447700900102")
    actions.harness.take({"messages": [wrote]})
    answer = actions.run(
        "send_flow_message", FORM | {"phoneNumberId": PHONE, "to": "+447700900102"}
    )

    assert (answer.status, answer.body["error"]["reason"]) == (422, "window_closed")
    assert actions.wire == []


def test_a_token_of_the_caller_is_used_once(actions: Actions) -> None:
    own = FORM | {"flowToken": "booking-4711-x7f3k2q9"}
    first = actions.send("send_flow_message", own, key="key-form-1")
    other = actions.send("send_flow_message", own)
    foreign = FlowToken(pk=FlowToken.of("globex-4711-x7f3k2q9"), company="globex", flow=FLOW)
    actions.harness.resources.table.put(foreign.attributes())
    theirs = actions.send("send_flow_message", own | {"flowToken": "globex-4711-x7f3k2q9"})

    assert (first.result["state"], token_of(actions)) == ("sent", "booking-4711-x7f3k2q9")
    assert (other.error, theirs.error) == ("state_conflict", "state_conflict")
    assert len(actions.wire) == 1


def test_a_template_with_a_form_is_checked_and_sent(actions: Actions) -> None:
    actions.sandbox.templates.append(TEMPLATE)
    body = {"templateName": "service_form", "flowId": FLOW, "bodyParams": ["Ada"]}
    answer = actions.send(
        "send_flow_template", body | {"flowActionPayload": {"screen": "SERVICE", "data": {"a": 1}}}
    )

    sent = next(one for one in actions.wire if one.operation == "send_message")
    token = token_of(actions)
    assert isinstance(sent.body, dict)
    assert sent.body["template"] == {
        "name": "service_form",
        "language": {"code": "en_US"},
        "components": [
            {"type": "body", "parameters": [{"type": "text", "text": "Ada"}]},
            {
                "type": "button",
                "sub_type": "flow",
                "index": "0",
                "parameters": [
                    {
                        "type": "action",
                        "action": {"flow_token": token, "flow_action_data": {"a": 1}},
                    }
                ],
            },
        ],
    }
    assert sent.path == f"/v23.0/{PHONE}/messages"
    message = actions.item(answer.result["messagePk"])
    assert message["template"] == "service_form"
    assert token not in json.dumps(message, default=str)
    assert actions.item(FlowToken.of(token))["screen"] == "SERVICE"


@pytest.mark.parametrize(
    "body",
    [
        {"templateName": "service_form", "flowId": FLOW},
        {"templateName": "service_form", "flowId": FLOW, "bodyParams": ["Ada"], "buttonIndex": 1},
        {"templateName": "unknown", "flowId": FLOW},
    ],
)
def test_a_template_that_does_not_fit_is_not_sendable(
    actions: Actions, body: dict[str, Any]
) -> None:
    actions.sandbox.templates.append(TEMPLATE)
    answer = actions.send("send_flow_template", body)

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert "send_message" not in [sent.operation for sent in actions.wire]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"body": "x" * 1_025}, "body"),
        ({"flowCta": "x" * 31}, "flowCta"),
        ({"header": "x" * 61}, "header"),
        ({"footer": "x" * 61}, "footer"),
        ({"flowId": "form"}, "flowId"),
        ({"flowToken": "short"}, "flowToken"),
        ({"flowActionPayload": None}, "body"),
        ({"flowActionPayload": {"data": {}}}, "body"),
        ({"flowActionPayload": {"screen": "A", "colour": 1}}, "body"),
        ({"flowAction": "open"}, "flowAction"),
    ],
)
def test_bad_input_is_refused_with_its_field(
    actions: Actions, body: dict[str, Any], field: str
) -> None:
    answer = actions.send("send_flow_message", FORM | body)

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", [field])
    assert actions.wire == []
