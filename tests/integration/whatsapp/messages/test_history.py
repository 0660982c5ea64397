"""The message history of a number, synchronised later: shown, never counted, never processed further."""

from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from whatsapp import store
from whatsapp.inbound.event import Outcome

CUSTOMER = "447700900101"
AT = NOW // 1000 - 86_400
CONVERSATION = f"CONV#{PHONE}#{CUSTOMER}"


def history(*messages: dict[str, Any], **chunk: Any) -> dict[str, Any]:
    thread = {"id": CUSTOMER, "messages": list(messages)}
    return {
        "field": "history",
        "history": [{"metadata": {"phase": 0}, "threads": [thread]} | chunk],
    }


def asked(identity: str = "wamid.q", at: int = AT, **more: Any) -> dict[str, Any]:
    return text(identity, "are you open?", at=at) | {"history_context": {"status": "READ"}} | more


def answered(status: str = "DELIVERED", **more: Any) -> dict[str, Any]:
    written = text("wamid.a", "until six", at=AT + 60, sender="15550783881")
    return written | {"history_context": {"status": status}} | more


def test_a_message_of_the_history_is_shown_and_neither_counted_nor_processed_further(
    harness: Harness,
) -> None:
    assert harness.outcomes(history(asked())) == [Outcome.PERSISTED]

    stored, head = harness.item("MSG#wamid.q"), harness.item(CONVERSATION)
    assert (stored["origin"], stored["direction"], stored["from"]) == (
        "history",
        "INBOUND",
        CUSTOMER,
    )
    assert (head["unreadCount"], head["lastPreview"]) == (0, "are you open?")
    assert not {"lastInboundAt", "lastOutboundAt", "recentKeys"} & head.keys()
    assert harness.outbox.entries == []


def test_a_message_of_the_business_in_the_history_belongs_to_the_customer_of_its_thread(
    harness: Harness,
) -> None:
    harness.take(history(answered()))

    stored = harness.item("MSG#wamid.a")
    assert (stored["direction"], stored["to"], stored["conversationPk"]) == (
        "OUTBOUND",
        CUSTOMER,
        CONVERSATION,
    )
    assert stored["sentAt"] == stored["receivedAt"]
    assert stored["receivedAt"].startswith("2025-12-31T12:01:00.")


@pytest.mark.parametrize(
    ("display_phone", "sender"),
    [
        ("5511987654321", "551187654321"),
        ("551187654321", "+5511987654321"),
        ("525512345678", "5215512345678"),
    ],
)
def test_a_message_of_the_business_is_known_by_each_spelling_of_its_number(
    harness: Harness, display_phone: str, sender: str
) -> None:
    store.phones.register(harness.resources.table, a_phone(display_phone=display_phone))
    store.phones.forget()
    harness.take(history(answered() | {"from": sender}))

    assert harness.item("MSG#wamid.a")["direction"] == "OUTBOUND"


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("PENDING", ("sent", 0)),
        ("sent", ("sent", 1)),
        ("DELIVERED", ("delivered", 2)),
        ("READ", ("read", 3)),
        ("PLAYED", ("read", 3)),
        ("ERROR", ("failed", 9)),
        ("HOPED", ("sent", 0)),
    ],
)
def test_the_delivery_state_of_a_business_message_in_the_history_is_stored(
    harness: Harness, word: str, shown: tuple[str, int]
) -> None:
    harness.take(history(answered(word)))

    stored = harness.item("MSG#wamid.a")
    assert (stored["deliveryStatus"], stored["statusRank"]) == shown


def test_statuses_that_arrived_before_a_message_of_the_history_are_attached_to_it(
    harness: Harness,
) -> None:
    read = {"id": "wamid.a", "status": "read", "recipient_id": CUSTOMER, "timestamp": str(AT + 90)}
    harness.take({"statuses": [read]})

    harness.take(history(answered("SENT")))

    assert harness.item("MSG#wamid.a")["deliveryStatus"] == "read"


def test_repeated_history_in_any_grouping_changes_nothing(harness: Harness) -> None:
    harness.take(history(asked(), answered()))
    before = {key: harness.item(key) for key in harness.keys()}

    assert harness.outcomes(history(answered()), history(asked())) == [Outcome.DUPLICATE] * 2
    assert {key: harness.item(key) for key in harness.keys()} == before


def test_the_head_moves_forward_only(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.new", "live", at=NOW // 1000 - 60)]})
    before = harness.item(CONVERSATION)

    harness.take(history(asked(), answered()))

    assert harness.item(CONVERSATION) == before


def test_a_message_that_arrived_live_is_not_changed_by_the_history(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.q", "are you open?", at=AT)]})
    before = {key: harness.item(key) for key in harness.keys()}

    assert harness.outcomes(history(asked())) == [Outcome.DUPLICATE]
    assert {key: harness.item(key) for key in harness.keys()} == before


def test_a_message_of_the_history_that_also_arrives_live_is_counted_then(harness: Harness) -> None:
    harness.take(history(asked()))

    assert harness.outcomes({"messages": [text("wamid.q", "are you open?", at=AT)]}) == [
        Outcome.DUPLICATE
    ]
    assert harness.item(CONVERSATION)["unreadCount"] == 1


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_file_that_is_announced_later_is_attached_to_its_message_and_not_fetched(
    harness: Harness, is_reversed: bool
) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "h", "caption": "the tyre"}
    bare = {"id": "wamid.i", "from": CUSTOMER, "timestamp": str(AT)}
    placeholder = history(bare | {"type": "media_placeholder"})
    file_message = {"field": "history", "messages": [bare | {"type": "image", "image": image}]}

    for value in [file_message, placeholder] if is_reversed else [placeholder, file_message]:
        harness.take(value)

    stored = harness.item("MSG#wamid.i")
    assert (stored["type"], stored["mediaId"], stored["caption"]) == ("image", "77", "the tyre")
    assert "content" not in stored
    assert harness.item(CONVERSATION)["lastPreview"] == "the tyre"
    assert harness.outbox.entries == []


def test_a_declined_history_sharing_is_stored(harness: Harness) -> None:
    declined = [{"code": 2593109, "title": "History sync is turned off by the business"}]
    harness.take({"field": "history", "history": [{"errors": declined}]})
    harness.take(history(asked(), errors=[{"code": 2593109, "title": "of this part only"}]))

    kept = [harness.item(key) for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert len(kept) == 2
    assert all(item["webhookEventType"] == "history" and "2593109" in str(item) for item in kept)


@pytest.mark.long
def test_a_recount_excludes_the_history(harness: Harness) -> None:
    harness.take(history(asked("wamid.old", at=AT - 500)))
    for number in range(30):
        harness.take({"messages": [text(f"wamid.{number}", at=AT + number)]})

    harness.take({"messages": [text("wamid.late", at=AT - 100)]})  # older than the ring's range

    assert harness.item(CONVERSATION)["unreadCount"] == 31
