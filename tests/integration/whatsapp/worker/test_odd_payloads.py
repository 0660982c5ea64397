"""Shapes that no provider should send: stored or parked at the first attempt, never retried without end."""

from typing import Any

import pytest

from shared.runtime.failures import Permanent
from tests.integration.whatsapp.conftest import APP, NOW, PHONE, Harness, a_phone, text
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.recovery import parking


def deep(levels: int) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value


SYSTEM = {"id": "wamid.1", "from": "447700900101", "type": "system", "system": {"type": {}}}
LONG = "x" * 410_000
PICTURE = {"type": "image", "image": {"id": "1", "caption": LONG}}
UNSUPPORTED = {"type": "unsupported", "errors": [{"title": LONG}]}
ORDER = {"type": "order", "order": {"product_items": [{"price": 10**60}]}}
ODD: dict[str, dict[str, Any]] = {
    "a product that is a word": {"messages": [text("wamid.1", context={"referred_product": "x"})]},
    "a system type that is an object": {"messages": [SYSTEM]},
    "a contact whose number is a list": {"contacts": [{"wa_id": []}, {"user_id": {}}], "messages": [text("wamid.1")]},
    "a lone surrogate everywhere": {"field": "f\ud800", "news": {"\ud800": "\ud800"}},
    "a group id that is a number": {"messages": [text("wamid.1", group_id=123)]},
    "a huge referral": {"messages": [text("wamid.1", referral={"source_id": "a", "body": LONG})]},
    "a huge caption": {"messages": [text("wamid.1") | PICTURE]},
    "errors without end": {"messages": [text("wamid.1") | UNSUPPORTED]},
    "a wide payload in an unknown field": {"field": "next_year", "news": {str(n): [""] * 20 for n in range(9_000)}},
    "deep nesting": {"field": "next_year", "news": deep(60)},
    "a price of many digits": {"messages": [text("wamid.1") | ORDER]},
}  # fmt: skip


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_an_event_of_an_unknown_shape_is_stored(harness: Harness, value: dict[str, Any]) -> None:
    # Contacts that name no customer of the change are one more event.
    assert set(harness.outcomes(value)) == {Outcome.PERSISTED}


def test_a_payload_too_large_for_an_item_is_kept_whole_in_the_bucket(harness: Harness) -> None:
    harness.take({"field": "next_year", "news": "x" * 20_000})

    (key,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert b"x" * 20_000 in harness.resources.bucket.get(harness.item(key)["fullEvent"]["key"])


def test_an_event_that_a_bug_cannot_process_is_raised_for_a_retry_and_can_be_parked_whole(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*_: object) -> None:
        raise KeyError("447700900101")

    monkeypatch.setattr("whatsapp.inbound.content.describe", bug)
    (body,) = harness.bodies({"messages": [text("wamid.1")]})
    with pytest.raises(KeyError):
        harness.handle(body)

    event, origin = parking.park(harness.resources, body, Permanent("internal_error"))

    assert event is not None
    assert origin is not None
    assert event.id == "wamid.1"
    (key,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert harness.item(key)["reason"] == "internal_error"


def test_a_repeated_flagging_of_an_account_is_a_separate_event(harness: Harness) -> None:
    def flagged(day: int) -> Outcome:
        entry = {
            "id": "102290129340398",
            "time": NOW // 1000 + day,
            "changes": [{"field": "account_update", "value": {"event": "FLAGGED"}}],
        }
        (event,) = events_of({"entry": [entry]}, Delivery("meta", APP, NOW))
        return harness.handle(queue_entry(event).body).outcome

    assert [flagged(0), flagged(0), flagged(86_400)] == [
        Outcome.PERSISTED,
        Outcome.DUPLICATE,
        Outcome.PERSISTED,
    ]


def test_echoes_to_customers_known_by_user_id_are_separate_events(harness: Harness) -> None:
    for name in ("GB.alice", "GB.bob"):
        echo = {
            "id": f"wamid.{name}",
            "from": "15550783881",
            "to_user_id": name,
            "type": "text",
            "text": {"body": "hi"},
        }
        harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})

    assert {key for key in harness.keys() if key.startswith("CONV#")} == {
        f"CONV#{PHONE}#GB.alice",
        f"CONV#{PHONE}#GB.bob",
    }


def test_each_member_of_a_group_has_a_status(harness: Harness) -> None:
    echo = {
        "id": "wamid.e",
        "group_id": "G1",
        "from": "15550783881",
        "type": "text",
        "text": {"body": "hi"},
    }
    harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})
    for member in ("1", "2"):
        status = {
            "id": "wamid.e",
            "status": "read",
            "timestamp": str(NOW // 1000),
            "recipient_participant_id": member,
        }
        assert harness.outcomes({"statuses": [status]}) == [Outcome.PERSISTED]

    assert {key for key in harness.keys() if key.startswith("STATUS#")} == {
        f"STATUS#{PHONE}#wamid.e#read#1",
        f"STATUS#{PHONE}#wamid.e#read#2",
    }


def test_a_status_of_a_message_that_a_customer_wrote_is_parked(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})

    (handled,) = harness.take({"statuses": [{"id": "wamid.1", "status": "read"}]})

    assert handled.reason == "not_outbound"
    assert "deliveryStatus" not in harness.item("MSG#wamid.1")


def test_an_optional_attribute_is_absent_and_never_an_empty_string(harness: Harness) -> None:
    image = {"id": "77", "mime_type": "", "sha256": "", "caption": "", "filename": ""}
    edit = {"original_message_id": "wamid.1", "message": {"type": "text", "text": {"body": ""}}}
    empty = {"wa_id": "447700900101", "user_id": "", "parent_user_id": "", "identity_key_hash": ""}
    odd: list[dict[str, Any]] = [
        {"text": {"body": ""}, "from_user_id": "", "context": {"id": "", "from": ""}, "group_id": ""},
        {"type": "image", "image": image, "referral": {"source_id": ""}},
        {"type": "document", "document": image | {"id": ""}},
        {"type": "edit", "edit": edit},
        {"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": ""}},
        {"type": "button", "button": {"text": "", "payload": ""}},
        {"type": "system", "system": {"type": "user_changed_number", "body": "", "wa_id": "", "user_id": ""}},
    ]  # fmt: skip
    contact = empty | {"profile": {"name": "", "username": ""}}
    for number, parts in enumerate(odd, start=1):
        harness.take({"contacts": [contact], "messages": [text(f"wamid.{number}") | parts]})
    harness.take(
        {"statuses": [{"id": "wamid.1", "status": "read", "recipient_id": "", "errors": []}]}
    )
    echo = {"id": "wamid.e", "from": "", "to": "447700900101", "type": "text", "text": {"body": ""}}
    harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})

    for key in harness.keys():
        item = harness.item(key)
        assert "" not in item.values(), f"{key}: {[name for name in item if item[name] == '']}"


NAMELESS = {key: value for key, value in text("wamid.1").items() if key != "from"}


@pytest.mark.parametrize(
    ("contacts", "is_named"),
    [
        ([{"user_id": "GB.1", "profile": {"name": "Ada"}}], True),
        ([{"user_id": "GB.1", "wa_id": "447700900101"}], True),
        ([{"user_id": "GB.1", "profile": {"name": "Ada"}}] * 2, True),
        ([{"user_id": "GB.1"}, {"user_id": "GB.1", "wa_id": "447700900101"}], True),
        ([{"profile": {"name": "Ada"}}, {"user_id": "GB.1"}], True),
        ([{"user_id": "GB.1"}, {"wa_id": "447700900101"}], False),
        (
            [
                {"user_id": "GB.1", "wa_id": "447700900101"},
                {"user_id": "GB.1", "wa_id": "447700900199"},
            ],
            False,
        ),
        ([{"profile": {"name": "Ada"}}], False),
        ([{"user_id": "GB.1"}, {"user_id": "GB.2"}], False),
        ([], False),
    ],
)
def test_a_message_without_a_sender_is_of_the_only_contact_with_a_user_id(
    harness: Harness, contacts: list[dict[str, Any]], is_named: bool
) -> None:
    handled = harness.take({"contacts": contacts, "messages": [NAMELESS]})[0]

    assert handled.reason == (None if is_named else "no_sender")
    assert harness.item("MSG#wamid.1").get("senderUserId") == ("GB.1" if is_named else None)


@pytest.mark.parametrize(
    ("sender", "contacts"),
    [
        (447700900101, []),
        ("+44 7700 900-101", []),
        (" +44 (7700) 900101 ", []),
        (None, [{"wa_id": 447700900101}]),
        ("GB.1", [{"user_id": "GB.1", "wa_id": "447700900101"}, {"user_id": "GB.2"}]),
    ],
)
def test_a_sender_in_another_spelling_is_the_same_customer(
    harness: Harness, sender: object, contacts: list[dict[str, Any]]
) -> None:
    harness.take({"messages": [text("wamid.0")]})
    handled = harness.take({"contacts": contacts, "messages": [text("wamid.1") | {"from": sender}]})

    assert (handled[0].outcome, handled[0].reason) == (Outcome.PERSISTED, None)
    assert harness.item("MSG#wamid.1")["conversationPk"] == f"CONV#{PHONE}#447700900101"


def test_a_user_id_in_the_place_of_a_number_is_the_senders(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1") | {"from": "GB.1"}]})

    message = harness.item("MSG#wamid.1")
    assert (message["senderUserId"], "senderPhone" in message) == ("GB.1", False)


def test_a_reaction_that_is_no_text_is_parked_and_removes_none(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})
    part = {"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": "A"}}
    harness.take({"messages": [text("wamid.2") | part]})
    odd = part | {"reaction": {"message_id": "wamid.1", "emoji": {"code": 1}}}
    (handled,) = harness.take({"messages": [text("wamid.3") | odd]})

    assert handled.reason == "unknown_reaction"
    (shown,) = harness.item("MSG#wamid.1")["reactions"].values()
    assert shown["emoji"] == "A"


@pytest.mark.parametrize("field", ["messages", "calls", "user_preferences", "smb_message_echoes"])
@pytest.mark.parametrize("ids", [{"user_id": "GB.1"}, {"wa_id": "447700900101"}])
def test_what_names_nobody_is_of_the_only_contact(
    harness: Harness, field: str, ids: dict[str, str]
) -> None:
    items: dict[str, dict[str, Any]] = {
        "messages": NAMELESS,
        "calls": {"id": "wacid.1", "event": "connect", "timestamp": str(NOW // 1_000)},
        "user_preferences": {"category": "marketing_messages", "value": "stop", "timestamp": str(NOW // 1_000)},
        "smb_message_echoes": NAMELESS | {"from": "15550783881"},
    }  # fmt: skip
    array = "message_echoes" if field == "smb_message_echoes" else field
    handled = harness.take({"field": field, "contacts": [ids], array: [items[field]]})

    assert [(one.outcome, one.reason) for one in handled] == [(Outcome.PERSISTED, None)]
    assert harness.item(f"CONV#{PHONE}#{next(iter(ids.values()))}")


@pytest.mark.parametrize("sender", ["0", "123", "0447700900101", "1234567890123456", "9" * 40])
def test_a_sender_that_is_no_possible_number_is_no_phone(harness: Harness, sender: str) -> None:
    harness.take({"messages": [text("wamid.1") | {"from": sender}]})

    message = harness.item("MSG#wamid.1")
    assert (message["from"], "senderPhone" in message) == (sender, False)
    assert "senderPhone" not in harness.item(f"CONV#{PHONE}#{sender}")


@pytest.mark.parametrize(("changes", "of_each"), [(1, 1), (1, 3), (3, 1)])
def test_equal_messages_without_an_id_are_several_and_stay_so_when_delivered_again(
    harness: Harness, changes: int, of_each: int
) -> None:
    said = {key: value for key, value in text("wamid.1").items() if key != "id"}
    count = changes * of_each
    for _ in range(2):
        harness.take(*({"messages": [dict(said)] * of_each} for _ in range(changes)))

    assert len([key for key in harness.keys() if key.startswith("MSG#")]) == count
    assert harness.item(f"CONV#{PHONE}#447700900101")["unreadCount"] == count


def test_equal_messages_without_an_id_to_numbers_of_two_companies_are_both_kept(
    harness: Harness,
) -> None:
    other = a_phone(pk="PHONE#106540352249999", phone="106540352249999", company="globex",
                    phone_arn="arn:parley:whatsapp:::phone-number-id/106540352249999",
                    waba_meta_id="202290129340399")  # fmt: skip
    store.phones.register(harness.resources.table, other)
    store.phones.forget()
    said = {key: value for key, value in text("wamid.1").items() if key != "id"}
    to_globex = {"phone_number_id": "106540352249999", "display_phone_number": "15550789999"}
    handled = [
        *harness.take({"messages": [said]}),
        *harness.take({"metadata": to_globex, "messages": [said]}, waba="202290129340399"),
    ]

    assert [one.reason for one in handled] == [None, None]
    keys = [key for key in harness.keys() if key.startswith("MSG#")]
    assert {harness.item(key)["phone"] for key in keys} == {PHONE, "106540352249999"}
