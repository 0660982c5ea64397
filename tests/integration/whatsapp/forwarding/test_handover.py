"""Events of an automated number are handed over to the context that answers there; events of other numbers are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.aws.sqs_fifo import NotEnqueued
from shared.providers.action_ledger import Action, OnDoubt
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, Outbox, a_phone, text
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.store.items.accounts.phones import CONVERSATIONS

ENDS = {"from": "15550783881", "to": "447700900101", "timestamp": str(NOW // 1000 - 60)}
ECHO = ENDS | {"id": "wamid.e", "type": "text", "text": {"body": "Ready at five."}}
ECHOED = {"field": "smb_message_echoes", "message_echoes": [ECHO]}
IMAGE = {
    "id": "wamid.i", "from": "447700900101", "timestamp": str(NOW // 1000 - 60), "type": "image",
    "image": {"id": "77", "mime_type": "image/jpeg", "caption": "a dent"},
}  # fmt: skip


@pytest.fixture
def automated(harness: Harness) -> Harness:
    store.phones.register(harness.resources.table, a_phone(automation=CONVERSATIONS))
    store.phones.forget()
    return harness


def bodies(outbox: Outbox) -> list[dict[str, Any]]:
    return [json.loads(entry.body) for entry in outbox.entries]


def status(word: str, *, identity: str = "wamid.e", **more: Any) -> dict[str, Any]:
    facts = {"id": identity, "status": word, "timestamp": str(NOW // 1000)}
    return {"statuses": [facts | {"recipient_id": "447700900101"} | more]}


def reaction(emoji: str, *, identity: str = "wamid.r") -> dict[str, Any]:
    return {
        "id": identity, "from": "447700900101", "timestamp": str(NOW // 1000), "type": "reaction",
        "reaction": {"message_id": "wamid.1", "emoji": emoji},
    }  # fmt: skip


def test_a_message_is_handed_over_after_it_is_stored(automated: Harness) -> None:
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}
    said = text("wamid.1", "Is it ready?", at=1767268700)
    automated.take({"contacts": [contact], "messages": [said]})

    assert automated.item("MSG#wamid.1")["textBody"] == "Is it ready?"
    assert bodies(automated.inbound) == [
        {
            "type": "inbound_message",
            "v": 1,
            "provider": "meta",
            "provider_message_id": "wamid.1",
            "account": "102290129340398",
            "company": "acme",
            "channel_method": "whatsapp",
            "business_address": "+15550783881",
            "customer_address": "+447700900101",
            "profile_name": "Ada Byrne",
            "received_at": "2026-01-01T11:58:20.000Z",
            "kind": "text",
            "text": "Is it ready?",
        }
    ]
    assert bodies(automated.statuses) == []


def test_no_event_of_a_number_without_automation_is_handed_over(harness: Harness) -> None:
    harness.take(
        {"messages": [text("wamid.1")]}, ECHOED, status("read"), {"messages": [reaction("👍")]}
    )

    assert (harness.inbound.entries, harness.statuses.entries) == ([], [])


def test_no_event_is_handed_over_to_an_unknown_automation(harness: Harness) -> None:
    store.phones.register(harness.resources.table, a_phone(automation="another"))
    store.phones.forget()
    harness.take({"messages": [text("wamid.1")]}, status("read"))

    assert (harness.inbound.entries, harness.statuses.entries) == ([], [])


def test_a_message_at_a_number_on_aws_names_aws_as_its_provider(automated: Harness) -> None:
    aws_phone = "phone-number-id-" + "0" * 32
    phone = a_phone(automation=CONVERSATIONS, provider="eum", aws_phone=aws_phone)
    store.phones.register(automated.resources.table, phone)
    store.phones.forget()
    automated.take({"messages": [text("wamid.1")]}, source="eum", app="")

    assert bodies(automated.inbound)[0]["provider"] == "aws_social"


def test_a_repeated_message_is_handed_over_again_as_the_same(automated: Harness) -> None:
    """The previous run may have died between its Put and the queue."""
    assert automated.outcomes({"messages": [text("wamid.1")]}) == [Outcome.PERSISTED]
    assert automated.outcomes({"messages": [text("wamid.1")]}) == [Outcome.DUPLICATE]

    first, second = automated.inbound.entries
    assert first == second


def test_a_refused_enqueue_raises_so_that_the_event_is_delivered_again(
    automated: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise NotEnqueued("1 of 1 entries refused")

    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "send", refuse)
        with pytest.raises(NotEnqueued):
            automated.take({"messages": [text("wamid.1")]})
    automated.take({"messages": [text("wamid.1")]})

    assert len(automated.inbound.entries) == 1


def test_another_content_under_the_same_id_is_parked_and_not_handed_over(
    automated: Harness,
) -> None:
    automated.take({"messages": [text("wamid.1", "one")]})
    (handled,) = automated.take({"messages": [text("wamid.1", "two")]})

    assert handled.reason == "conflict"
    assert [body["text"] for body in bodies(automated.inbound)] == ["one"]


def test_the_history_is_not_handed_over_until_one_of_its_messages_arrives_live(
    automated: Harness,
) -> None:
    old = text("wamid.1")
    thread = {"id": "447700900101", "messages": [old, ENDS | {"id": "w2", "type": "text"}]}
    automated.take({"field": "history", "history": [{"threads": [thread]}]})
    assert automated.inbound.entries == []

    automated.take({"messages": [old]})
    assert [body["provider_message_id"] for body in bodies(automated.inbound)] == ["wamid.1"]


def test_a_message_that_the_business_writes_in_its_own_app_is_a_human_reply(
    automated: Harness,
) -> None:
    automated.take(ECHOED)

    (body,) = bodies(automated.inbound)
    expected = {
        "type": "human_reply", "provider_message_id": "wamid.e", "customer_address": "+447700900101",
        "business_address": "+15550783881", "text": "Ready at five.", "received_at": "2026-01-01T11:59:00.000Z",
    }  # fmt: skip
    assert {name: body[name] for name in expected} == expected


def test_messages_and_replies_between_two_addresses_have_one_message_group(
    automated: Harness,
) -> None:
    automated.take({"messages": [text("wamid.1")]}, ECHOED, {"messages": [reaction("👍")]})

    assert len({entry.group for entry in automated.inbound.entries}) == 1


def test_the_ids_of_queue_messages_contain_no_address_and_no_text(automated: Harness) -> None:
    automated.take({"messages": [text("wamid.1")]}, status("read"))
    entries = automated.inbound.entries + automated.statuses.entries

    assert len(entries) == 2
    ids = [one for entry in entries for one in (entry.group, entry.deduplication)]
    assert all(len(one) == 64 and set(one) <= set("0123456789abcdef") for one in ids)


def test_a_file_is_handed_over_by_its_id_and_once_stored_by_its_copy(automated: Harness) -> None:
    automated.take({"messages": [IMAGE]})
    store.messages.attach_file(
        automated.resources.table, "MSG#wamid.i", "77", "media", "media/acme/1/77/f"
    )
    automated.take({"messages": [IMAGE]})

    file = {"provider_id": "77", "mime_type": "image/jpeg"}
    first, second = bodies(automated.inbound)
    assert (first["kind"], first["text"], first["media"]) == ("media", "a dent", [file])
    assert second["media"] == [file | {"url": "s3://media/media/acme/1/77/f"}]
    (one, other) = automated.inbound.entries
    assert one.deduplication == other.deduplication


def test_a_reaction_is_handed_over_and_its_removal_is_not(automated: Harness) -> None:
    automated.take({"messages": [reaction("👍")]})
    automated.take({"messages": [reaction("", identity="wamid.s")]})

    (body,) = bodies(automated.inbound)
    assert (body["kind"], body["text"], body["reply_to"]) == ("reaction", "👍", "wamid.1")


def test_a_reaction_of_the_business_is_no_human_reply(automated: Harness) -> None:
    given = {"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": "👍"}}
    automated.take(ECHOED | {"message_echoes": [ENDS | {"id": "wamid.e"} | given]})

    assert automated.inbound.entries == []


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "system", "system": {"type": "user_changed_number", "body": "New number"}},
        {"type": "edit", "edit": {"original_message_id": "wamid.0", "message": {"type": "text"}}},
        {"type": "revoke", "revoke": {"original_message_id": "wamid.0"}},
        {"type": "text", "text": {"body": "to all"}, "group_id": "120363041234567890"},
        {"type": "reaction", "reaction": {"message_id": "w", "emoji": "👍"}, "group_id": "120363041234567890"},
    ],
)  # fmt: skip
def test_notices_changes_and_groups_are_not_handed_over(
    automated: Harness, payload: dict[str, Any]
) -> None:
    automated.take({"messages": [text("wamid.1") | payload]})

    assert automated.inbound.entries == []


def test_a_message_that_was_deleted_before_its_arrival_is_not_handed_over(
    automated: Harness,
) -> None:
    revoked = {"type": "revoke", "revoke": {"original_message_id": "wamid.1"}}
    automated.take({"messages": [text("wamid.2") | revoked]}, {"messages": [text("wamid.1")]})

    assert automated.item("MSG#wamid.1")["revokedAt"]
    assert automated.inbound.entries == []


def test_an_erased_message_is_not_handed_over_when_it_is_delivered_again(
    automated: Harness,
) -> None:
    elsewhere = {"biz_opaque_callback_data": "act1"}
    automated.take({"messages": [text("wamid.1")]}, ECHOED, status("sent", **elsewhere))
    for key in ("MSG#wamid.1", "MSG#wamid.e"):
        automated.resources.table.update({"pk": key}, put={"erased": True})
    handed = len(automated.inbound.entries), len(automated.statuses.entries)
    automated.take({"messages": [text("wamid.1")]}, ECHOED, status("read", **elsewhere))

    assert (len(automated.inbound.entries), len(automated.statuses.entries)) == handed == (2, 1)


def test_a_status_is_handed_over_with_the_action_that_sent_its_message(automated: Harness) -> None:
    error = {"code": 131026, "title": "Undeliverable"}
    automated.take(status("failed", biz_opaque_callback_data="act1", errors=[error]))

    assert bodies(automated.statuses) == [
        {
            "type": "delivery_status",
            "v": 1,
            "provider": "meta",
            "provider_message_id": "wamid.e",
            "account": "102290129340398",
            "channel_method": "whatsapp",
            "business_address": "+15550783881",
            "action_id": "act1",
            "status": "failed",
            "error_code": "131026",
            "occurred_at": "2026-01-01T12:00:00.000Z",
            "extra": {"errors": [error]},
        }
    ]


def test_a_status_is_handed_over_until_the_sender_of_its_message_is_known(
    automated: Harness,
) -> None:
    automated.take(status("sent"), ECHOED, status("read"), status("delivered"))

    assert [body["status"] for body in bodies(automated.statuses)] == ["sent"]
    assert automated.item("MSG#wamid.e")["deliveryStatus"] == "read"


def test_a_status_of_a_message_that_the_inbox_sent_is_not_handed_over(automated: Harness) -> None:
    action = Action(
        action_id="act-of-the-inbox",
        company="acme",
        channel="whatsapp",
        provider="meta",
        on_doubt=OnDoubt.AT_MOST_ONCE,
    )
    automated.resources.ledger.perform(
        action, owner="worker", remaining_ms=60_000, send=lambda: "wamid.of-the-inbox"
    )

    automated.take(status("delivered", biz_opaque_callback_data="act-of-the-inbox"))

    assert bodies(automated.statuses) == []


def test_a_status_that_is_no_word_is_parked_and_not_handed_over(automated: Harness) -> None:
    automated.take(status("tele#ported"))

    assert automated.statuses.entries == []


def test_a_message_of_an_unknown_number_is_parked_and_handed_over_by_its_replay(
    automated: Harness,
) -> None:
    value = {
        "metadata": {"phone_number_id": "999999", "display_phone_number": "15550000000"},
        "messages": [text("wamid.1")],
    }
    (handled,) = automated.take(value)
    assert (handled.reason, automated.inbound.entries) == ("unknown_phone", [])

    phone = a_phone(
        pk="PHONE#999999", phone="999999", display_phone="15550000000", automation=CONVERSATIONS,
        phone_arn="arn:parley:whatsapp:::phone-number-id/999999",
    )  # fmt: skip
    store.phones.register(automated.resources.table, phone)
    automated.take(value)

    assert bodies(automated.inbound)[0]["business_address"] == "+15550000000"


def test_the_conversation_is_shown_as_at_any_other_number(automated: Harness) -> None:
    automated.take({"messages": [text("wamid.1", "one")]}, ECHOED)

    head = automated.item(f"CONV#{PHONE}#447700900101")
    assert (head["unreadCount"], head["lastPreview"]) == (0, "Ready at five.")


@pytest.mark.parametrize("new", [{"wa_id": "447700900199"}, {"user_id": "GB.2"}])
def test_the_previous_number_of_a_notice_is_handed_over(
    automated: Harness, new: dict[str, str]
) -> None:
    system = {"type": "user_changed_number", "body": "New number", "previous_user_id": "GB.1"} | new
    automated.take({"messages": [text("wamid.1") | {"type": "system", "system": system}]})

    (body,) = bodies(automated.inbound)
    assert (body["type"], body["customer_address"]) == ("number_released", "+447700900101")
    assert body["customer_user_id"] == "GB.1"
