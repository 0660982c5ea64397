"""Lists of messages and conversations: their filters, pages and owners."""

from typing import Any

import pytest
from boto3.dynamodb.conditions import ConditionExpressionBuilder

from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    EUM_PHONE,
    GLOBEX,
    GLOBEX_PHONE,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, T0, text
from whatsapp.store.items import Conversation, Message

BOB = "447700900202"
SINCE = "2026-01-01T00:00:00Z"
ARN = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"
ADAS = Conversation.key(PHONE, ADA)


def write(actions: Actions, count: int, sender: str = ADA, word: str = "hello") -> None:
    """Deliver messages of a customer, a second apart, after the one of the fixture."""
    for number in range(count):
        message = text(
            f"wamid.{sender}.x{number}", f"{word} {number}", at=T0 + 1 + number, sender=sender
        )
        actions.harness.take({"messages": [message]})


def of_globex(actions: Actions, identity: str = "wamid.globex.1") -> None:
    """Deliver a message to the number of another company."""
    metadata = {"phone_number_id": GLOBEX_PHONE, "display_phone_number": "15550783777"}
    value = {"metadata": metadata, "messages": [text(identity, "secret", at=T0)]}
    actions.harness.take(value, waba="302290129340398")


def ids(messages: list[dict[str, Any]]) -> list[str]:
    return [message["id"] for message in messages]


def all_pages(actions: Actions, action: str, body: dict[str, Any], name: str) -> list[Any]:
    """The entries of all pages of a list."""
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(30):
        answer = actions.run(action, body | ({"cursor": cursor} if cursor else {}))
        found += answer.result[name]
        cursor = answer.body.get("cursor")
        if cursor is None:
            return found
    raise AssertionError("the list has no end")


@pytest.mark.parametrize(
    "body",
    [
        {"phoneNumberId": PHONE},
        {"phoneNumberId": ARN, "direction": "INBOUND"},
        {"direction": "INBOUND", "since": SINCE},
        {"fromNumber": f"+{ADA}"},
        {"fromNumber": f"+{ADA}", "phoneNumberId": PHONE},
    ],
)
def test_messages_are_listed_newest_first_without_those_of_other_companies(
    actions: Actions, body: dict[str, Any]
) -> None:
    write(actions, 3)
    of_globex(actions)

    found = ids(all_pages(actions, "get_messages", body | {"limit": 2}, "messages"))

    assert found == [f"wamid.{ADA}.x2", f"wamid.{ADA}.x1", f"wamid.{ADA}.x0", "wamid.ada.1"]


def test_messages_to_a_customer_are_the_outbound_ones_of_the_conversation(actions: Actions) -> None:
    sent = actions.send("send_text", {"text": "Your bike is ready."}).result

    found = actions.run("get_messages", {"toNumber": f"+{ADA}"}).result["messages"]

    assert [message["messagePk"] for message in found] == [sent["messagePk"]]
    assert found[0]["direction"] == "OUTBOUND"


def test_a_time_range_bounds_the_list(actions: Actions) -> None:
    write(actions, 3)
    body = {
        "phoneNumberId": PHONE,
        "since": "2026-01-01T11:00:01Z",
        "until": "2026-01-01T11:00:02.999Z",
    }

    found = actions.run("get_messages", body).result["messages"]

    assert ids(found) == [f"wamid.{ADA}.x1", f"wamid.{ADA}.x0"]


def test_a_range_that_ends_before_it_begins_is_empty(actions: Actions) -> None:
    backwards = {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}

    messages = actions.run("get_messages", {"phoneNumberId": PHONE, **backwards})
    events = actions.run("get_webhook_events", {"eventType": "flows", **backwards})

    assert (messages.body["result"], "cursor" in messages.body) == ({"messages": []}, False)
    assert events.result == {"events": []}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "invalid_input"),
        ({"direction": "INBOUND"}, 400, "invalid_input"),
        ({"direction": "SIDEWAYS", "since": SINCE}, 400, "invalid_input"),
        ({"fromNumber": ADA, "toNumber": ADA}, 400, "invalid_input"),
        ({"fromNumber": "abc"}, 400, "invalid_input"),
        ({"phoneNumberId": GLOBEX_PHONE}, 404, "not_found"),
        ({"phoneNumberId": PHONE, "cursor": "forged"}, 400, "invalid_cursor"),
        ({"phoneNumberId": PHONE, "limit": 101}, 400, "invalid_input"),
        ({"phoneNumberId": PHONE, "since": "yesterday"}, 400, "invalid_input"),
    ],
)
def test_lists_of_messages_refuse_bad_input(
    actions: Actions, body: dict[str, Any], status: int, code: str
) -> None:
    answer = actions.run("get_messages", body)

    assert (answer.status, answer.error) == (status, code)


def test_messages_of_a_direction_are_read_from_the_lists_of_the_companys_numbers_only(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(actions, 2)
    queried: set[tuple[str | None, str]] = set()
    query = Table.query

    def watched(table: Table, index: str | None, condition: Any, **more: Any) -> Any:
        built = ConditionExpressionBuilder().build_expression(condition, is_key_condition=True)
        queried.update((index, str(one)) for one in built.attribute_value_placeholders.values())
        return query(table, index, condition, **more)

    monkeypatch.setattr(Table, "query", watched)
    found = actions.run("get_messages", {"direction": "INBOUND", "since": SINCE}).result["messages"]

    assert {one["direction"] for one in found} == {"INBOUND"}
    assert {index for index, _ in queried} == {"gsi_inbox"}
    assert ("gsi_inbox", ARN) in queried


def test_a_company_with_many_numbers_names_one_for_a_direction(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatsapp.actions.conversations.message_lists.MOST_PHONES", 0)

    answer = actions.run("get_messages", {"direction": "INBOUND", "since": SINCE})

    assert (answer.status, answer.error) == (400, "phone_required")


def test_a_cursor_belongs_to_its_caller_and_parameters_and_ends_after_a_day(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(actions, 2)
    body = {"direction": "INBOUND", "since": SINCE, "limit": 1}
    cursor = actions.run("get_messages", body).body["cursor"]

    others = actions.run("get_messages", body | {"cursor": cursor}, caller=GLOBEX)
    changed = actions.run("get_messages", body | {"direction": "OUTBOUND", "cursor": cursor})
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 25 * clock.HOUR_MS)
    late = actions.run("get_messages", body | {"cursor": cursor})

    assert {one.error for one in (others, changed, late)} == {"invalid_cursor"}


def test_a_page_may_be_short_and_carry_a_cursor(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatsapp.actions.conversations.message_lists.ENTRIES_PER_CALL", 2)
    write(actions, 3)
    actions.send("send_text", {"text": "Hello."})

    body = {"phoneNumberId": PHONE, "direction": "OUTBOUND"}
    first = actions.run("get_messages", body)
    found = all_pages(actions, "get_messages", body, "messages")

    assert "cursor" in first.body
    assert len(found) == 1


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_timeline_is_listed_in_both_orders_with_linked_conversations_and_calls(
    actions: Actions, order: str
) -> None:
    write(actions, 3)
    write(actions, 2, sender=BOB)
    table = actions.harness.resources.table
    table.update({"pk": ADAS}, put={"linkedConversations": {Conversation.key(PHONE, BOB)}})
    ring = {"id": "wacid.1", "from": ADA, "to": "15550783881", "event": "connect", "direction": "USER_INITIATED",
            "timestamp": str(T0 + 40)}  # fmt: skip
    actions.harness.take({"field": "calls", "calls": [ring]})

    body = {"conversationPk": ADAS, "order": order, "limit": 2}
    entries = all_pages(actions, "get_conversation_messages", body, "entries")

    times = [one.get("message", one.get("call"))["receivedAt"] for one in entries]
    assert times == sorted(times, reverse=order == "desc")
    assert len(entries) == 7
    assert [one["call"]["callId"] for one in entries if "call" in one] == ["wacid.1"]


def test_a_conversation_is_found_by_key_or_by_number_and_customer(actions: Actions) -> None:
    by_key = actions.run("get_conversation", {"conversationPk": ADAS}).result
    by_number = actions.run("get_conversation", {"phoneId": PHONE, "fromNumber": f"+{ADA}"}).result

    assert by_key == by_number
    assert (by_key["conversationPk"], by_key["from"], by_key["unreadCount"]) == (ADAS, ADA, 1)
    assert by_key["window"] == {
        "open": True,
        "reason": "customer_wrote",
        "until": "2026-01-02T10:59:00.999Z",
        "lastInboundAt": by_key["window"]["lastInboundAt"],
    }


@pytest.mark.parametrize(
    "action", ["get_conversation", "get_conversation_messages", "get_service_window"]
)
def test_a_conversation_of_another_company_is_not_found(actions: Actions, action: str) -> None:
    assert actions.run(action, {"conversationPk": ADAS}, caller=GLOBEX).status == 404
    assert actions.run(action, {"conversationPk": f"CONV#{PHONE}#{BOB}"}).status == 404
    assert actions.run(action, {}).status == 400
    assert actions.run(action, {"conversationPk": ADAS, "phoneId": PHONE}).status == 400


def test_the_window_says_until_when_and_why(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = actions.harness.resources.table

    def ask() -> tuple[bool, str]:
        window = actions.run("get_service_window", {"conversationPk": ADAS}).result
        return window["open"], window["reason"]

    assert ask() == (True, "customer_wrote")
    table.update({"pk": ADAS}, put={"freeEntryUntil": "2026-01-04T11:30:00.000Z"})
    assert ask() == (True, "free_entry_point")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 80 * clock.HOUR_MS)
    assert ask() == (False, "expired")
    table.update({"pk": ADAS}, drop=["freeEntryUntil", "lastInboundAt"])
    assert ask() == (False, "never_wrote")


def test_conversations_of_a_number_are_listed_with_or_without_the_archived_ones(
    actions: Actions,
) -> None:
    write(actions, 1, sender=BOB)
    actions.run("archive_conversation", {"conversationPk": ADAS})
    actions.run("mark_conversation_read", {"phoneId": PHONE, "fromNumber": f"+{BOB}"})

    def listed(action: str, **body: Any) -> list[str]:
        found = all_pages(actions, action, {"limit": 1, **body}, "conversations")
        return [head["from"] for head in found]

    assert listed("get_conversations", inboxPk=ARN) == [BOB]
    assert listed("get_conversations", metaWabaId=WABA, archived=True) == [ADA]
    assert listed("get_conversations", unreadOnly=True) == []
    assert listed("get_archived_conversations") == [ADA]
    assert actions.run("get_conversations", {"inboxPk": GLOBEX_PHONE}).status == 404


def test_several_numbers_need_a_named_one(actions: Actions) -> None:
    actions.register_eum()

    assert actions.run("get_archived_conversations").error == "phone_required"
    assert actions.run("get_conversations", {"phoneNumberId": EUM_PHONE}).result == {
        "conversations": []
    }


def test_unread_messages_are_added_page_by_page(actions: Actions) -> None:
    write(actions, 3, sender=BOB)

    first = actions.run("get_unread_count", {"phoneId": PHONE, "limit": 1})
    rest = actions.run(
        "get_unread_count", {"phoneId": PHONE, "limit": 1, "cursor": first.body["cursor"]}
    )

    assert first.result == {"unreadCount": 3, "conversations": 1, "complete": False}
    assert rest.result == {"unreadCount": 1, "conversations": 1, "complete": True}
    assert actions.run("get_unread_count", {}).status == 400


def test_an_exact_count_corrects_the_stored_number(actions: Actions) -> None:
    write(actions, 20)
    table = actions.harness.resources.table
    table.update({"pk": ADAS}, put={"unreadCount": 99})
    body = {"phoneId": PHONE, "fromNumber": f"+{ADA}"}

    stored = actions.run("get_unread_count", body).result
    exact = actions.run("get_unread_count", {**body, "exact": True}).result

    assert (stored["unreadCount"], exact["unreadCount"], exact["repaired"]) == (99, 21, True)
    assert actions.item(ADAS)["unreadCount"] == 21
    assert actions.run("get_unread_count", {**body, "exact": True}).result["repaired"] is False


def test_failed_messages_have_the_meaning_of_their_code(actions: Actions) -> None:
    sent = actions.send("send_text", {"text": "Hello."}).result
    status = {"id": sent["messageId"], "status": "failed", "recipient_id": ADA, "timestamp": str(T0 + 3_600),
              "errors": [{"code": 131047, "title": "Re-engagement message"}]}  # fmt: skip
    actions.harness.take({"statuses": [status]})
    of_others = Message.read(
        actions.item(sent["messagePk"]) | {"pk": "MSG#theirs", "company": "globex"}
    )
    actions.harness.resources.table.put(of_others.attributes())

    (failed,) = actions.run("get_failed_messages", {"phoneNumberId": PHONE}).result["messages"]

    assert (failed["messagePk"], failed["code"]) == (sent["messagePk"], "131047")
    assert "24 hours" in failed["meaning"]
    assert "template" in failed["advice"]
    early = {"until": "2026-01-01T00:00:00Z"}
    assert actions.run("get_failed_messages", early).result["messages"] == []
