"""Records of the ledger, sends of unknown outcome, and decisions about them."""

from typing import Any

import pytest

from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    Actions,
    Answer,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, T0, text
from whatsapp.jobs import unfinished_sends

HELLO = "Your bike is ready."


def unknown(actions: Actions, monkeypatch: pytest.MonkeyPatch) -> str:
    """Send a message whose answer is lost, and let the schedule give it up."""
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    return given_up(actions, monkeypatch, actions.send("send_text", {"text": HELLO}))


def given_up(actions: Actions, monkeypatch: pytest.MonkeyPatch, answer: Answer) -> str:
    """Let the schedule give up a send in doubt, and return its action id."""
    assert answer.result["state"] == "in_doubt"
    later = NOW + 3 * unfinished_sends.MINUTE_MS
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now_ms", lambda: later)
        resources = actions.harness.resources
        unfinished_sends.queue_due(resources.table, resources.queue, later, lambda: 10_000)
        bodies = [e.body for e in actions.harness.outbox.entries if "unfinished_send" in e.body]
        actions.harness.outbox.entries.clear()
        for each in bodies:
            actions.harness.handle(each)
    actions.sandbox.faults.clear()
    return str(answer.result["actionId"])


def listed(actions: Actions, **more: Any) -> list[str]:
    sends = actions.run("list_unknown_sends", more.pop("body", {}), **more).result["sends"]
    return [send["actionId"] for send in sends]


def resolve(actions: Actions, action_id: str, decision: str, **more: Any) -> Any:
    return actions.run(
        "resolve_unknown_send", {"actionId": action_id, "decision": decision}, **more
    )


def test_a_send_is_shown_with_its_record(actions: Actions) -> None:
    sent = actions.send("send_text", {"text": HELLO}).result

    record = actions.run("get_action", {"actionId": sent["actionId"]}).result

    assert (record["kind"], record["state"], record["messagePk"]) == (
        "send",
        "sent",
        sent["messagePk"],
    )
    assert (record["sentBy"], record["phone"], record["attempt"]) == ("api-key:acme", PHONE, 1)
    assert actions.run("get_action", {"actionId": sent["actionId"]}, caller=GLOBEX).status == 404
    assert actions.run("get_action", {"actionId": "nothing"}).status == 404


def test_an_unknown_send_is_listed_for_its_company_until_it_is_settled(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)

    (send,) = actions.run("list_unknown_sends", {"since": "2026-01-01T00:00:00Z"}).result["sends"]
    assert (send["actionId"], send["messagePk"], send["preview"]) == (
        action_id,
        f"MSG#{action_id}",
        HELLO,
    )
    assert listed(actions, caller=GLOBEX) == []
    assert listed(actions, body={"since": "2026-01-01T12:30:00Z"}) == []
    status = {"id": "wamid.late", "status": "delivered", "recipient_id": ADA, "timestamp": str(T0 + 3_700),
              "biz_opaque_callback_data": action_id}  # fmt: skip
    actions.harness.take({"statuses": [status]})
    assert listed(actions) == []


@pytest.mark.parametrize(
    ("decision", "state", "delivery"),
    [("was_sent", "confirmed", "sent"), ("was_not_sent", "failed", "failed")],
)
def test_a_decision_is_recorded_with_its_author_and_shown_at_the_message(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, decision: str, state: str, delivery: str
) -> None:
    action_id = unknown(actions, monkeypatch)
    body = {"actionId": action_id, "decision": decision, "note": "Ada called +447700900101"}
    requests = len(actions.wire)

    answer = actions.run("resolve_unknown_send", body, key="decide-1")
    again = actions.run("resolve_unknown_send", body, key="decide-1")

    assert (answer.result["state"], again.result) == (state, answer.result)
    record = actions.run("get_action", {"actionId": action_id}).result
    assert (record["state"], record["decision"], record["decidedBy"]) == (
        state,
        decision,
        "api-key:acme",
    )
    assert "7700900101" not in record["decisionNote"]
    message = actions.item(f"MSG#{action_id}")
    assert (message["deliveryStatus"], "sendState" in message) == (delivery, False)
    assert listed(actions) == []
    assert len(actions.wire) == requests
    assert resolve(actions, action_id, "was_sent").error == "state_conflict"


def test_a_resend_is_a_new_attempt_under_the_same_action(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)

    answer = resolve(actions, action_id, "resend", key="resend-1")

    assert answer.result == {
        "actionId": action_id,
        "decision": "resend",
        "state": "sent",
        "messagePk": f"MSG#{action_id}",
    }
    first, second = actions.wire
    assert second.body == first.body
    assert wire.problems(second, "POST", "/{Version}/{Phone-Number-ID}/messages") == []
    record = actions.run("get_action", {"actionId": action_id}).result
    assert (record["attempt"], record["state"], record["decision"]) == (2, "sent", "resend")
    message = actions.item(f"MSG#{action_id}")
    assert (message["deliveryStatus"], "sendState" in message) == ("sent", False)
    assert listed(actions) == []
    assert resolve(actions, action_id, "resend", key="resend-1").body["replayed"] is True
    assert len(actions.wire) == 2


def test_a_resend_from_a_number_on_aws_goes_there(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.register_eum()
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    value = {"metadata": metadata, "messages": [text("wamid.aws.1", at=T0)]}
    actions.harness.take(value, waba=EUM_WABA, source="eum", app="")
    operation = "SendWhatsAppMessage"
    actions.sandbox.faults.add(provider="socialmessaging", operation=operation, kind="lost_answer")
    body = {"phoneNumberId": EUM_PHONE, "to": f"+{ADA}", "text": HELLO}
    action_id = given_up(actions, monkeypatch, actions.run("send_text", body))

    assert resolve(actions, action_id, "resend").result["state"] == "sent"
    first, second = actions.wire
    assert (second.operation, second.body) == (operation, first.body)


def test_a_resend_whose_answer_is_lost_is_in_doubt_and_not_sent_again(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")

    answer = resolve(actions, action_id, "resend", key="resend-1")
    other = resolve(actions, action_id, "resend", key="resend-2")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert (other.status, other.error) == (409, "state_conflict")
    assert len(actions.wire) == 2


def test_a_resend_that_the_provider_refuses_marks_the_message_as_failed(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=400)

    assert resolve(actions, action_id, "resend").error == "provider_rejected"
    assert actions.item(f"MSG#{action_id}")["deliveryStatus"] == "failed"
    assert listed(actions) == []


def test_the_policy_is_asked_before_a_resend(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    actions.switch("true")

    assert resolve(actions, action_id, "resend").error == "policy_refused"
    assert listed(actions) == [action_id]
    assert len(actions.wire) == 1


def test_a_resend_that_was_refused_after_its_decision_can_be_decided_again(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=429)

    assert resolve(actions, action_id, "resend").error == "rate_limited"
    assert listed(actions) == [action_id]
    assert resolve(actions, action_id, "was_not_sent").result["state"] == "failed"
    assert listed(actions) == []


def test_a_template_is_sent_again_with_its_values(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    content = {
        "name": "ready",
        "language": {"code": "en_US"},
        "components": [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}],
    }
    actions.harness.resources.table.update(
        {"pk": f"MSG#{action_id}"},
        put={"type": "template", "content": content, "template": "ready"},
        drop=["textBody"],
    )
    monkeypatch.setattr("whatsapp.sending.templates.approval.check", lambda *_: "UTILITY")

    assert resolve(actions, action_id, "resend").result["state"] == "sent"
    body: Any = actions.wire[-1].body
    assert body["template"] == content


def test_a_message_that_is_not_stored_as_sent_cannot_be_sent_again(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    table = actions.harness.resources.table
    table.update({"pk": f"MSG#{action_id}"}, put={"type": "image"}, drop=["textBody"])

    assert resolve(actions, action_id, "resend").error == "not_supported"
    assert listed(actions) == [action_id]


def test_only_the_company_decides_and_only_with_the_scope(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    action_id = unknown(actions, monkeypatch)
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:r")
    sent = actions.send("send_text", {"text": "Known."}).result

    assert resolve(actions, action_id, "was_sent", caller=GLOBEX).status == 404
    assert resolve(actions, action_id, "was_sent", caller=reader).status == 403
    assert resolve(actions, action_id, "perhaps").status == 400
    assert resolve(actions, sent["actionId"], "was_not_sent").error == "state_conflict"
