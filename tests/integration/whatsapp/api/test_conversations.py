"""GET /whatsapp/conversations: the inbox of a number, newest first."""

import pytest

from tests.integration.whatsapp.api.conftest import (
    ADA,
    CONVERSATION,
    Answer,
    Api,
    second_number,
)
from tests.integration.whatsapp.conftest import PHONE, Harness, text
from whatsapp import store
from whatsapp.store.items import Conversation


def test_a_conversation_is_listed_with_its_newest_message(harness: Harness, api: Api) -> None:
    harness.take({"contacts": [ADA], "messages": [text("wamid.1", at=1767268700)]})
    harness.take({"contacts": [ADA], "messages": [text("wamid.2", "Is it ready?", at=1767268701)]})

    answer = api.get()

    key = answer.body["result"]["conversations"][0].pop("key")
    head = harness.item(f"CONV#{PHONE}#447700900101")
    assert answer == Answer(
        200,
        {
            "Content-Type": "application/json",
            "X-Request-Id": "request-7",
            "Cache-Control": "no-store",
        },
        {
            "request_id": "request-7",
            "result": {
                "conversations": [
                    {
                        "phone": PHONE,
                        "customer": "447700900101",
                        "customerText": "+44 7700 900101",
                        "senderName": "Ada Byrne",
                        "senderPhone": "447700900101",
                        "unreadCount": 2,
                        "lastType": "text",
                        "lastPreview": "Is it ready?",
                        "lastMessageAt": "2026-01-01T11:58:21.999Z",
                        "position": head["lastKey"],
                        "archived": False,
                        "status": "open",
                        "labels": [],
                        "revision": 0,
                    }
                ]
            },
        },
    )
    assert "447700900101" not in key
    assert PHONE not in key


def test_a_conversation_says_until_when_the_customer_may_be_answered_freely(
    harness: Harness, api: Api
) -> None:
    harness.take({"messages": [text("wamid.1", at=1767268700)]})
    [listed] = api.conversations()

    shown = api.get(CONVERSATION, key=listed["key"]).body["result"]

    assert shown["windowUntil"] == "2026-01-02T11:57:20.999Z"
    assert listed == {name: shown[name] for name in shown if name != "windowUntil"}


@pytest.mark.parametrize(
    ("free_entry_until", "window_until"),
    [
        ("2026-01-04T10:00:00.000Z", "2026-01-04T09:59:00.000Z"),
        ("2026-01-01T10:00:00.000Z", "2026-01-02T11:57:20.999Z"),
    ],
)
def test_an_answered_ad_extends_the_window_and_never_shortens_it(
    harness: Harness, api: Api, free_entry_until: str, window_until: str
) -> None:
    harness.take({"messages": [text("wamid.1", at=1767268700)]})
    facts = Conversation.named(
        free_entry_until=free_entry_until,
        marketing_opt_out=True,
        marketing_opt_out_at="2026-01-01T09:00:00.000Z",
    )
    harness.resources.table.update({"pk": f"CONV#{PHONE}#447700900101"}, put=facts)
    [listed] = api.conversations()

    shown = api.get(CONVERSATION, key=listed["key"]).body["result"]

    assert shown["windowUntil"] == window_until
    assert shown["marketingOptOutAt"] == "2026-01-01T09:00:00.000Z"


def test_the_key_of_a_conversation_stays_the_same(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1")]})
    [before] = api.conversations()
    harness.take({"messages": [text("wamid.2")]})
    [after] = api.conversations()

    assert before["key"] == after["key"]
    assert [message["id"] for message in api.messages(before["key"])] == ["wamid.2", "wamid.1"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 8, 100])
def test_pages_of_any_size_together_list_every_conversation_once_newest_first(
    harness: Harness, api: Api, limit: int
) -> None:
    for number in range(14):
        sender = f"44770090010{number % 7}"
        harness.take({"messages": [text(f"wamid.{number}", sender=sender, at=1767268000 + number)]})

    pages = [page["conversations"] for page in api.pages(limit=limit)]

    assert [entry["customer"] for page in pages for entry in page] == [
        f"44770090010{number}" for number in (6, 5, 4, 3, 2, 1, 0)
    ]
    assert all(len(page) <= limit for page in pages)


def test_pages_may_differ_in_size(harness: Harness, api: Api) -> None:
    for number in range(5):
        harness.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number}")]})
    cursor = api.get(limit=2).body["cursor"]

    assert len(api.conversations(cursor=cursor, limit=3)) == 3


def test_archived_conversations_are_listed_separately_on_request(
    harness: Harness, api: Api
) -> None:
    for number in range(3):
        sender = f"44770090010{number}"
        harness.take({"messages": [text(f"wamid.{number}", sender=sender, at=1767268000 + number)]})
    api.change(api.conversations()[1]["key"], archived=True)

    def listed(**query: str) -> set[str]:
        return {entry["customer"][-1] for entry in api.conversations(**query)}

    assert listed() == {"0", "1", "2"}
    assert listed(archived="true") == {"1"}
    assert listed(archived="false") == {"0", "2"}


def test_a_company_with_several_numbers_has_to_name_one(harness: Harness, api: Api) -> None:
    store.phones.register(harness.resources.table, second_number())
    harness.take({"messages": [text("wamid.1")]})

    answer = api.get()

    assert (answer.status, answer.error) == (400, "phone_required")
    assert "details" not in answer.body["error"]
    assert len(api.conversations(phone=PHONE)) == 1
    assert api.conversations(phone="206540352242933") == []


@pytest.mark.parametrize("phone", [PHONE, "15550783881", "+15550783881", " 15550783881"])
def test_a_number_is_named_by_its_id_or_its_digits(harness: Harness, api: Api, phone: str) -> None:
    store.phones.register(harness.resources.table, second_number())
    harness.take({"messages": [text("wamid.1")]})

    assert [entry["phone"] for entry in api.conversations(phone=phone)] == [PHONE]


def test_the_inbox_of_a_disabled_number_stays_readable(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1")]})
    assert store.phones.set_enabled(harness.resources.table, PHONE, enabled=False)

    assert len(api.conversations()) == 1
