"""Webhooks as administrators make them, and the events that go to them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from shared.inbox.items import Context
from shared.inbox.lists import partitions
from tests.cases import each
from tests.integration.console.notifications import webhooks
from tests.integration.console.notifications.webhooks import ADMIN, ALL, EVERY_TYPE, HOUR, is_signed
from tests.integration.console.system import ACME, GLOBEX

if TYPE_CHECKING:
    from tests.integration.console.notifications.webhooks import Hooked

hooked = webhooks.hooked

WAITS: dict[str, Any] = {"waiting_since": "2026-01-01T12:00:00.000Z", "unread_count": 1}
NAMES: dict[str, Any] = {
    "contact": "Ada Lovelace",
    "handle": "+447700900101",
    "preview": "my secret order",
}


def test_a_delivery_is_signed_and_has_ids_and_states_but_no_name_no_number_and_no_text(
    hooked: Hooked,
) -> None:
    made = hooked.create(types=["message.received"])

    hooked.feed("CONV#1#447700900101", **NAMES, received="m1", **WAITS)

    ((headers, body),) = hooked.receiver.got
    assert is_signed(headers, body, made["secret"])
    assert headers["content-type"] == "application/json"
    for text in (*NAMES.values(), "447700900101"):
        assert text.encode() not in body
    sent = json.loads(body)
    assert headers["webhook-id"] == sent["id"]
    (row,) = hooked.inbox.rows()
    assert sent["conversation"]["key"] == row["key"]
    assert sent["conversation"]["path"] == f"/whatsapp/conversations/{row['key']}"
    assert (sent["type"], sent["webhook"]) == ("message.received", made["webhook"]["webhookId"])
    assert sent["conversation"]["status"] == "open"


def test_each_change_of_a_conversation_is_one_event_of_its_kind(hooked: Hooked) -> None:
    hooked.create()
    mail: dict[str, Any] = {"context": Context.EMAIL_THREADS, "due_at": "2026-01-01T13:00:00.000Z"}
    first = {"received": "m1", **WAITS}
    steps: list[tuple[dict[str, Any], list[str]]] = [
        (first, ["message.received", "conversation.opened"]),
        (first | {"labels": {"vip"}}, []),
        (first | {"minute": 1, "received": "m2", "unread_count": 2}, ["message.received"]),
        (first | {"minute": 1, "received": "m3", "unread_count": 3}, ["message.received"]),
        ({"minute": 2, "received": "m3", "answered_at": "a1"}, ["message.sent"]),
        (
            {"minute": 2, "received": "m3", "answered_at": "a1", "assignee": "user:kim"},
            ["assigned"],
        ),
        ({"minute": 2, "received": "m3", "answered_at": "a1", "status": "resolved"}, ["both"]),
        (
            {"minute": 3, "received": "m4", "answered_at": "a1", **WAITS},
            ["message.received", "conversation.reopened"],
        ),
        (
            {"minute": 3, "received": "m4", "answered_at": "a1", "has_opted_out": True, **WAITS},
            ["contact.opted_out"],
        ),
    ]
    named = {
        "assigned": ["conversation.assigned"],
        "both": ["conversation.assigned", "conversation.resolved"],
    }

    for number, (facts, wanted) in enumerate(steps):
        at = "2026-01-01T12:02:00.000Z" if "answered_at" in facts else None
        hooked.feed("ada", **facts | ({"answered_at": at} if at else {}))
        expected = [one for name in wanted for one in named.get(name, [name])]
        assert sorted(hooked.receiver.types()) == sorted(expected), number

    hooked.feed("mail", **mail, due_for="resolution")
    hooked.receiver.taken()
    hooked.feed("mail", **mail, due_for="resolution", due_state="at_risk")
    assert hooked.receiver.types() == []
    hooked.feed("mail", **mail, due_for="resolution", due_state="overdue")
    assert hooked.receiver.types() == ["conversation.overdue"]


def test_an_ai_conversation_reports_its_hand_off_its_failure_and_an_opt_out(hooked: Hooked) -> None:
    hooked.create(contexts=["conversations"])
    talk: dict[str, Any] = {"context": Context.CONVERSATIONS, "project_id": "shop"}
    steps = [
        ("initial_message_sent", "open", ["conversation.opened"]),
        ("failed", "open", ["conversation.failed"]),
        ("handoff_pending", "open", ["conversation.handed_off"]),
        ("opted_out", "resolved", ["contact.opted_out", "conversation.resolved"]),
    ]

    for status, of_inbox, expected in steps:
        hooked.feed("talk", context_status=status, status=of_inbox, **talk)
        assert sorted(hooked.receiver.types()) == expected


def test_a_webhook_gets_only_the_types_and_contexts_that_it_wants(hooked: Hooked) -> None:
    hooked.create(types=["conversation.opened"], contexts=["email_threads"])

    hooked.feed("ada", received="m1", **WAITS)
    assert hooked.receiver.types() == []
    hooked.feed("mail", context=Context.EMAIL_THREADS, received="m1", **WAITS)
    assert hooked.receiver.types() == ["conversation.opened"]


def test_events_of_a_company_go_to_its_own_webhooks(hooked: Hooked) -> None:
    other = replace(GLOBEX, principal="user:gil", scopes=GLOBEX.scopes | {"access:admin"})
    made = hooked.create()

    hooked.create(other, name="Other")
    hooked.feed("ada", received="m1", **WAITS)

    assert {one["webhook"] for one in hooked.receiver.taken()} == {made["webhook"]["webhookId"]}
    path = f"{ALL}/{made['webhook']['webhookId']}"
    for action in ("", "/rotate", "/remove", "/test"):
        assert hooked.post(f"{path}{action}", {}, other).status == 404
    assert hooked.inbox.get(other, f"{path}/deliveries").status == 404
    assert [one["name"] for one in hooked.webhooks(other)] == ["Other"]


def test_a_company_without_webhooks_stores_nothing_and_reads_nothing_more(hooked: Hooked) -> None:
    partitions.written(hooked.inbox.table, "acme")  # as each feed does once a minute
    calls: list[str] = []
    client = hooked.inbox.module.live_table._client
    client.meta.events.register("before-call.dynamodb", lambda model, **_: calls.append(model.name))

    hooked.show("ada", received="m1", **WAITS)
    with_hook = list(calls)
    calls.clear()
    hooked.listed.show("ben", received="m1", **WAITS)

    assert with_hook == calls
    assert hooked.left() == []


def test_a_secret_is_shown_once_and_a_repeat_of_the_call_does_not_have_it(hooked: Hooked) -> None:
    given = {"name": "CRM", "url": hooked.receiver.url, "types": ["message.sent"]}
    first = hooked.post(ALL, given, key="the-same-call")
    again = hooked.post(ALL, given, key="the-same-call")

    assert first.result["secret"].startswith("whsec_")
    assert "secret" not in again.result
    assert "rotate" in again.result["notice"]
    assert again.result["webhook"] == first.result["webhook"]
    assert len(hooked.webhooks()) == 1
    table = hooked.inbox.module.live_table
    stored = json.dumps(table._client.scan(TableName=table.name)["Items"])
    assert first.result["secret"].removeprefix("whsec_") not in stored


def test_a_rotated_secret_signs_beside_the_one_before_until_that_ends(hooked: Hooked) -> None:
    made = hooked.create()
    path = f"{ALL}/{made['webhook']['webhookId']}"

    rotated = hooked.post(f"{path}/rotate", {"keepHours": 2}).result

    assert rotated["secret"] != made["secret"]
    assert rotated["webhook"]["oldSecretUntil"] == "2026-01-01T14:00:00.000Z"
    for hours, old in ((0, True), (3, False)):
        hooked.now[0] += hours * HOUR
        hooked.post(f"{path}/test")
        hooked.runs.drain()
        ((headers, body),) = hooked.receiver.got
        assert is_signed(headers, body, rotated["secret"])
        assert is_signed(headers, body, made["secret"]) is old
        hooked.receiver.got.clear()
    assert "oldSecretUntil" not in hooked.webhooks()[0]


def test_the_query_of_an_address_is_sent_and_never_shown(hooked: Hooked) -> None:
    made = hooked.create(url=f"{hooked.receiver.url}?code=key-of-the-receiver")

    assert made["webhook"]["url"] == hooked.receiver.url
    assert made["webhook"]["hasQuery"] is True
    assert "key-of-the-receiver" not in json.dumps(hooked.webhooks())
    hooked.post(f"{ALL}/{made['webhook']['webhookId']}/test")
    hooked.runs.drain()
    assert hooked.receiver.types() == ["webhook.test"]


@each(
    "given",
    [
        {"url": "http://hooks.acme.com/a"},
        {"url": "https://10.0.0.1/a"},
        {"url": "https://169.254.169.254/latest"},
        {"url": "https://hooks.internal/a"},
        {"url": "https://ada:secret@acme.com/a"},
        {"url": ""},
        {"types": []},
        {"types": ["message.deleted"]},
        {"types": ["webhook.test"]},
        {"contexts": []},
        {"name": "a\nb"},
        {"secret": "mine"},
    ],
)
def test_bad_input_names_the_field_and_makes_nothing(hooked: Hooked, given: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGE", "prod")
        made = {"name": "CRM", "url": "https://hooks.acme.com/a", "types": EVERY_TYPE} | given
        answer = hooked.post(ALL, made)

    assert answer.status == 400
    assert {one["field"] for one in answer.body["error"]["details"]} <= {
        *given,
        *(f"{name}.0" for name in given),
    }
    assert "secret@" not in json.dumps(answer.body)
    assert hooked.webhooks() == []


def test_an_eleventh_webhook_is_refused(hooked: Hooked) -> None:
    for number in range(10):
        hooked.create(name=f"Hook {number}")

    answer = hooked.post(ALL, {"name": "11", "url": hooked.receiver.url, "types": EVERY_TYPE})

    assert (answer.status, answer.body["error"]["code"]) == (409, "too_many_webhooks")


def test_only_administrators_see_and_change_webhooks(hooked: Hooked) -> None:
    made = hooked.create()
    path = f"{ALL}/{made['webhook']['webhookId']}"

    assert hooked.inbox.get(ACME, ALL).status == 403
    assert hooked.inbox.get(ACME, f"{path}/deliveries").status == 403
    for each_path in (ALL, path, f"{path}/rotate", f"{path}/remove", f"{path}/test"):
        assert hooked.post(each_path, {}, ACME).status in {400, 403}


def test_a_change_of_types_and_a_removal_hold_for_the_next_event(hooked: Hooked) -> None:
    made = hooked.create()
    path = f"{ALL}/{made['webhook']['webhookId']}"

    changed = hooked.post(path, {"types": ["conversation.resolved"], "name": "Shop"}).result
    hooked.feed("ada", received="m1", **WAITS)
    assert (changed["types"], changed["name"]) == (["conversation.resolved"], "Shop")
    assert hooked.receiver.types() == []
    assert hooked.post(f"{path}/remove").status == 200
    hooked.feed("ada", status="resolved")

    assert hooked.receiver.types() == []
    assert hooked.webhooks() == []
    assert hooked.post(path, {"name": "again"}, ADMIN).status == 404
    assert hooked.left() == []
