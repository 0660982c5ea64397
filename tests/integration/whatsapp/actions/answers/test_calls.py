"""What all calls of actions share: envelope, scopes, idempotency, bad input, listing and direct invocation."""

import json

import pytest

from shared.api.auth import Caller
from tests.integration.logs import recorded
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import ACME, ADA, GLOBEX, SCOPES, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE, text

HELLO = {"text": "Your bike is ready."}


def test_a_text_is_sent_once_and_stored_with_its_conversation(actions: Actions) -> None:
    answer = actions.send("send_text", HELLO, key="key-text-1")

    assert (answer.status, answer.body["operation"], answer.body["mode"]) == (
        200,
        "send_text",
        "remote_eum",
    )
    assert answer.result["state"] == "sent"
    assert actions.item(answer.result["messagePk"])["textBody"] == HELLO["text"]
    assert actions.item(answer.result["conversationPk"])["lastPreview"] == HELLO["text"]
    again = actions.send("send_text", HELLO, key="key-text-1")
    assert (again.result, again.body["replayed"]) == (answer.result, True)
    assert [sent.operation for sent in actions.wire] == ["send_message"]
    assert wire.problems(actions.wire[0], "POST", "/{Version}/{Phone-Number-ID}/messages") == []


def test_the_same_key_with_another_body_is_refused(actions: Actions) -> None:
    actions.send("send_text", HELLO, key="key-text-1")
    answer = actions.send("send_text", {"text": "Something else."}, key="key-text-1")

    assert (answer.status, answer.error) == (409, "idempotency_key_reused")


def test_a_dry_run_shows_the_payload_and_stores_nothing(actions: Actions) -> None:
    before = actions.harness.keys()
    answer = actions.send("send_text", {**HELLO, "dryRun": True})

    assert answer.result["state"] == "dry_run"
    assert answer.result["payload"]["text"] == {"body": HELLO["text"]}
    assert (actions.harness.keys(), actions.wire) == (before, [])


def test_a_change_is_one_line_of_the_audit_log_reads_dry_runs_and_refusals_are_none(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = recorded(monkeypatch)
    actions.send("send_text", {**HELLO, "dryRun": True})
    actions.send("send_text", {**HELLO, "colour": "red"})
    actions.run("ping", {})
    actions.send("send_text", HELLO)

    [line] = [entry for entry in map(json.loads, log.getvalue().splitlines()) if "change" in entry]
    assert (line["change"], line["company"]) == ("send_text", "acme")
    assert line["principal"]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"text": "x" * 4_097}, 400, "invalid_input", "text"),
        ({**HELLO, "colour": "red"}, 400, "invalid_input", "colour"),
        ({**HELLO, "recipient": "GB.abc"}, 400, "invalid_input", "recipient"),
        ({**HELLO, "to": ""}, 400, "invalid_input", "to"),
        ({**HELLO, "to": "abc"}, 400, "invalid_input", "to"),
        ({**HELLO, "to": "+1555"}, 400, "invalid_input", "to"),
        ({**HELLO, "replyToMessageId": ""}, 400, "invalid_input", "replyToMessageId"),
        ({**HELLO, "text": 7}, 400, "invalid_input", "text"),
        ({**HELLO, "accessToken": "EAA"}, 400, "secret_not_accepted", ""),
        ({**HELLO, "phoneNumberId": "306540352242944"}, 404, "not_found", ""),
        ({**HELLO, "text": "a\u0000b"}, 400, "invalid_input", "text"),
    ],
)
def test_bad_input_is_refused_with_field_and_rule(
    actions: Actions, body: dict[str, object], status: int, code: str, field: str
) -> None:
    answer = actions.send("send_text", body)

    assert (answer.status, answer.error) == (status, code)
    assert answer.fields == ([field] if field else [])
    assert actions.wire == []


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("[1]", "invalid_input"),
        ("{", "invalid_json"),
        ('{"text": NaN}', "invalid_json"),
        ('{"text": 1e999}', "invalid_json"),
        ('{"text": "a", "text": "b"}', "invalid_json"),
        ('{"action": "send_media"}', "invalid_input"),
    ],
)
def test_a_body_that_is_no_plain_json_object_is_refused(
    actions: Actions, raw: str, code: str
) -> None:
    answer = actions.run("send_text", raw=raw)

    assert (answer.status, answer.error) == (400, code)


def test_other_content_types_and_large_bodies_are_refused(actions: Actions) -> None:
    other = actions.run("send_text", headers={"Content-Type": "text/xml"})
    large = actions.run("send_text", {"text": "x" * (4 << 20)})

    assert (other.status, other.error) == (415, "unsupported_media_type")
    assert (large.status, large.error) == (413, "payload_too_large")


def test_an_unknown_action_is_named_with_near_names(actions: Actions) -> None:
    answer = actions.run("Send_Text")

    assert (answer.status, answer.error) == (404, "unknown_action")
    assert "send_text" in answer.body["error"]["message"]


def test_a_call_needs_the_scope_of_its_action(actions: Actions) -> None:
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:r")

    refused = actions.send("send_text", HELLO, caller=reader)
    assert (refused.status, refused.error) == (403, "forbidden")
    assert actions.send("send_text", HELLO, caller=None).status == 401
    assert actions.send("send_text", HELLO, caller=GLOBEX).status == 404
    assert actions.run("ping", caller=reader).status == 200


def test_a_number_without_country_code_is_read_in_the_region_of_the_business(
    actions: Actions,
) -> None:
    neighbour = text("wamid.n", at=NOW // 1000 - 60, sender="12025550142")
    actions.harness.take({"messages": [neighbour]})

    digits = actions.send("send_text", {**HELLO, "to": ADA, "dryRun": True})
    national = actions.send("send_text", {**HELLO, "to": "(202) 555-0142", "dryRun": True})

    assert digits.result["payload"]["to"] == f"+{ADA}"
    assert national.result["payload"]["to"] == "+12025550142"


def test_a_lost_answer_is_left_in_doubt_and_never_sent_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    answer = actions.send("send_text", HELLO, key="key-doubt-1")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    again = actions.send("send_text", HELLO, key="key-doubt-1")
    assert again.status in {202, 409}
    assert len(actions.wire) == 1


def test_an_invocation_needs_company_and_scopes(actions: Actions) -> None:
    event = {"action": "send_text", "phoneNumberId": PHONE, "to": f"+{ADA}", **HELLO}

    assert actions.invoke(event).status == 401
    assert actions.invoke({**event, "company": "acme"}).status == 401
    assert actions.invoke({**event, "company": "acme", "scopes": ["whatsapp:fly"]}).status == 403
    sent = actions.invoke(
        {**event, "company": "acme", "scopes": "whatsapp:send", "requestId": "r-000001"}
    )
    assert (sent.status, sent.result["state"]) == (200, "sent")
    again = actions.invoke(
        {**event, "company": "acme", "scopes": ["whatsapp:send"], "requestId": "r-000001"}
    )
    assert again.body["replayed"] is True


def test_actions_are_listed_page_by_page_and_described(actions: Actions) -> None:
    first = actions.run("", method="GET", query={"limit": "2"})
    second = actions.run("", method="GET", query={"limit": "2", "cursor": first.body["cursor"]})
    described = actions.run("send_text", method="GET")

    names = [one["name"] for page in (first, second) for one in page.result["actions"]]
    assert names == sorted(names)
    assert len(names) == 4
    assert described.result["input"]["required"] == ["to", "text"]


def test_a_cursor_of_another_caller_or_query_is_refused(actions: Actions) -> None:
    cursor = actions.run("list_actions", {"limit": 1}).body["cursor"]
    colleague = Caller(company="acme", scopes=SCOPES, principal="api-key:other")

    altered = actions.run("list_actions", {"limit": 1, "cursor": cursor + "x"})
    others = actions.run("list_actions", {"limit": 1, "cursor": cursor}, caller=colleague)
    narrower = actions.run("list_actions", {"cursor": cursor, "mode": "local"})
    assert {answer.error for answer in (altered, others, narrower)} == {"invalid_cursor"}
    assert ACME.principal != colleague.principal


@pytest.mark.parametrize(
    "named", [{"phone": PHONE}, {"phone": "+15550783881"}, {"phoneNumberId": PHONE}]
)
@pytest.mark.parametrize("customer", [{"to": f"+{ADA}"}, {"to": ADA}])
def test_the_number_of_the_business_and_the_customer_have_one_name(
    actions: Actions, named: dict[str, str], customer: dict[str, str]
) -> None:
    answer = actions.run("send_text", {**named, **customer, "text": "Hello"})

    assert answer.result["state"] == "sent"
    assert answer.result["conversationPk"].endswith(ADA)


def test_a_user_id_is_a_customer_under_both_names(actions: Actions) -> None:
    for name in ("to", "recipient"):
        body = {"phone": PHONE, name: "GB.abc", "text": "Hello", "dryRun": True}
        shown = actions.run("send_text", body)
        assert shown.error == "policy_refused", shown.body  # no open window with an unknown person
