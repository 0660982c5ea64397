"""Stored messages that are sent again."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, GLOBEX_PHONE, Actions
from tests.integration.whatsapp.actions.messages.test_files import put
from tests.integration.whatsapp.actions.messages.test_templates import (
    VALUES,
    WITHOUT_POLICY,
    add_template,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, text

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
BUTTONS = {
    "body": {"text": "Choose."},
    "action": {"buttons": [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]},
}
SENT: dict[str, dict[str, Any]] = {
    "send_text": {"text": "Hello."},
    "send_location": {"latitude": 51.5, "longitude": -1, "name": "Shop"},
    "send_contact": {"contacts": [{"name": {"formatted_name": "Ann", "first_name": "Ann"}}]},
    "send_template": {"templateName": "bike_ready", "components": VALUES},
    "send_interactive": {"interactiveType": "button", "interactive": BUTTONS},
    "send_image": {"mediaId": "1003383421387256", "caption": "Yours"},
}


def content_of(sent: Any) -> Any:
    return sent.body["type"], sent.body[sent.body["type"]]


def resend(actions: Actions, message: str, **more: Any) -> Any:
    return actions.run("resend_message", {"messageId": message, **more})


@pytest.mark.parametrize("action", list(SENT))
def test_a_stored_message_is_sent_again_as_a_new_one(actions: Actions, action: str) -> None:
    add_template(actions)
    first = actions.send(action, SENT[action]).result
    answer = resend(actions, first["messagePk"])

    assert answer.result["messagePk"] != first["messagePk"]
    assert actions.item(answer.result["messagePk"])["resentFrom"] == first["messagePk"]
    before, after = actions.wire
    known = WITHOUT_POLICY if action == "send_template" else []
    assert wire.problems(after, "POST", MESSAGES) == known
    assert content_of(after) == content_of(before)
    assert after.body["to"] == f"+{ADA}"  # type: ignore[index] # JSON


def test_a_file_of_the_bucket_is_copied_and_sent_again(actions: Actions) -> None:
    first = actions.send("send_document", {"s3Key": put(actions, "document"), "filename": "a.pdf"})
    answer = resend(actions, first.result["actionId"])

    before, after = (actions.item(one.result["messagePk"]) for one in (first, answer))
    assert before["s3Key"] != after["s3Key"]
    assert after["s3Key"] in content_of(actions.wire[1])[1]["link"]
    assert after["filename"] == "a.pdf"


def test_a_message_is_sent_again_to_another_customer(actions: Actions) -> None:
    bob = text("wamid.bob.1", at=NOW // 1000 - 60, sender="447700900102")
    actions.harness.take({"messages": [bob]})
    first = actions.send("send_text", {"text": "Hello."}).result["messagePk"]

    answer = resend(actions, first, to="+447700900102")

    assert answer.result["conversationPk"].endswith("#447700900102")
    assert actions.wire[1].body["to"] == "+447700900102"  # type: ignore[index] # JSON
    assert resend(actions, first, dryRun=True).result["payload"]["text"] == {"body": "Hello."}


def test_a_message_whose_outcome_is_open_or_unknown_is_not_sent_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    doubtful = actions.send("send_text", {"text": "Hello."}).result["actionId"]
    answer = resend(actions, doubtful)
    assert (answer.status, answer.error, len(actions.wire)) == (409, "state_conflict", 1)

    first = actions.send("send_text", {"text": "Again."}).result["messagePk"]
    item = actions.item(first)
    del item["deliveryStatus"]
    actions.harness.resources.table.put(item | {"sendState": "unknown"})
    assert resend(actions, first).error == "state_conflict"


def test_received_deleted_foreign_and_missing_messages_are_not_sent_again(
    actions: Actions,
) -> None:
    first = actions.send("send_text", {"text": "Hello."}).result["messagePk"]
    foreign = actions.run("resend_message", {"messageId": first}, caller=GLOBEX)
    actions.harness.resources.table.put(actions.item(first) | {"revokedAt": "2026-01-01"})

    assert (foreign.status, resend(actions, "wamid.none").status) == (404, 404)
    assert resend(actions, "wamid.ada.1").error == "state_conflict"
    assert resend(actions, first).error == "state_conflict"
    assert len(actions.wire) == 1


def test_a_message_whose_content_is_gone_is_not_sent_again(actions: Actions) -> None:
    first = actions.send("send_interactive", SENT["send_interactive"]).result["messagePk"]
    table = actions.harness.resources.table
    for key in ("content/acme/gone.json", "content/globex/other.json"):
        actions.harness.resources.bucket.put("content/globex/other.json", b"{}")
        table.put(actions.item(first) | {"contentS3Key": key})
        assert resend(actions, first).error == "state_conflict"


def test_a_request_for_payment_is_not_sent_again(actions: Actions) -> None:
    first = actions.send("send_interactive", SENT["send_interactive"]).result["messagePk"]
    payment = actions.item(first) | {"content": {"type": "order_details", "action": {}}}
    actions.harness.resources.table.put(payment)

    assert resend(actions, first).error == "state_conflict"


def fail(actions: Actions, message_id: str, code: int) -> None:
    status = {"id": message_id, "status": "failed", "timestamp": str(NOW // 1000 + 1)}
    errors = [{"code": code, "title": "Failed"}]
    actions.harness.take({"statuses": [{**status, "recipient_id": ADA, "errors": errors}]})


def failed(actions: Actions, code: int, body: str = "Hello.") -> Any:
    message = actions.send("send_text", {"text": body}).result
    fail(actions, message["messageId"], code)
    return message["messagePk"]


def retry(actions: Actions, **more: Any) -> Any:
    return actions.run("retry_failed_messages", {"phoneNumberId": PHONE, **more})


def test_failed_messages_whose_error_passes_are_sent_again_once(actions: Actions) -> None:
    passing, final = failed(actions, 131056), failed(actions, 131026, "Other.")
    sent_before = len(actions.wire)

    answer = retry(actions)

    by_key = {one["messagePk"]: one for one in answer.result["messages"]}
    assert by_key[passing]["outcome"] == "sent"
    assert (by_key[final]["outcome"], by_key[final]["reason"]) == ("skipped", "error_is_final")
    assert (answer.result["sent"], answer.result["skipped"]) == (1, 1)
    repeated = actions.item(by_key[passing]["newMessagePk"])
    assert (repeated["resentFrom"], repeated["textBody"]) == (passing, "Hello.")
    assert wire.problems(actions.wire[-1], "POST", MESSAGES) == []

    again = retry(actions)
    reasons = {one["messagePk"]: one["reason"] for one in again.result["messages"]}
    assert reasons[passing] == "sent_again_before"
    assert len(actions.wire) == sent_before + 1


def test_final_errors_are_tried_on_request(actions: Actions) -> None:
    failed(actions, 131026)

    assert retry(actions, onlyRetryable=False).result["sent"] == 1


def test_messages_of_campaigns_and_of_other_companies_are_left_alone(actions: Actions) -> None:
    first, second = failed(actions, 131056), failed(actions, 131056, "Other.")
    table = actions.harness.resources.table
    table.put(actions.item(first) | {"campaignId": "c1"})
    table.put(actions.item(second) | {"company": "globex"})

    answer = retry(actions)
    assert [one["reason"] for one in answer.result["messages"]] == ["of_campaign"]
    foreign = actions.run("retry_failed_messages", {"phoneNumberId": GLOBEX_PHONE}, caller=GLOBEX)
    assert foreign.result["messages"] == []


def test_what_the_policy_or_the_provider_refuses_is_reported(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = failed(actions, 131056)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=400)
    rejected = retry(actions).result["messages"][0]
    assert (rejected["messagePk"], rejected["outcome"]) == (key, "rejected")

    failed(actions, 131056, "Other.")
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + 24 * 3_600_000)
    since = "2026-01-01T00:00:00Z"
    reasons = [one.get("reason") for one in retry(actions, since=since).result["messages"]]
    assert "window_closed" in reasons


def test_a_repetition_in_doubt_is_reported_and_not_made_again(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = failed(actions, 131056)
    sent_before = len(actions.wire)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    answer = retry(actions)
    again = retry(actions)

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    for result in (answer.result, again.result):
        assert [(one["messagePk"], one["outcome"]) for one in result["messages"]] == [
            (key, "in_doubt")
        ]
    assert len(actions.wire) == sent_before + 1


def test_the_number_of_messages_and_the_time_are_bounded(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(3):
        failed(actions, 131056, f"Hello {n}.")

    first = retry(actions, limit=2).result
    assert (first["sent"], first["isComplete"]) == (2, False)
    assert retry(actions, limit=101).fields == ["limit"]
    with monkeypatch.context() as patch:
        patch.setattr("whatsapp.actions.messages.resends.resends._NEEDED_MS", 60_000)
        late = retry(actions).result
    assert (late["messages"], late["isComplete"]) == ([], False)
    # A customer gets at most five messages in half a minute.
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + 60_000)
    last = retry(actions).result
    assert (last["sent"], last["skipped"], last["isComplete"]) == (1, 2, True)
