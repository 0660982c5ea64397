"""Messages in the inbox: stored, counted, and shown."""

import dataclasses

import pytest
from boto3.dynamodb.conditions import Key

from tests.integration.logs import counted
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from whatsapp.inbound.event import Outcome
from whatsapp.store.ordering import moment_of

ARN = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"
CONVERSATION = f"CONV#{PHONE}#447700900101"
CONTACT = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}


def test_a_message_is_stored_with_every_attribute_of_the_contract(harness: Harness) -> None:
    assert harness.outcomes(
        {"contacts": [CONTACT], "messages": [text("wamid.1", "Is it ready?", at=1767268700)]}
    ) == [Outcome.PERSISTED]

    stored = harness.item("MSG#wamid.1")
    assert len(stored.pop("payloadHash")) == 64
    assert stored == {
        "pk": "MSG#wamid.1",
        "itemType": "MESSAGE",
        "company": "acme",
        "phone": PHONE,
        "direction": "INBOUND",
        # The provider's second; then the acceptance, 100 seconds later; then the position in the webhook.
        "receivedAt": "2026-01-01T11:58:20.9990000007000000000Z",
        "senderPhone": "447700900101",
        "waTimestamp": "1767268700",
        "from": "447700900101",
        "fromPk": "447700900101",
        "to": "15550783881",
        "senderName": "Ada Byrne",
        "conversationPk": CONVERSATION,
        "inboxPk": ARN,
        "type": "text",
        "subtype": "text",
        "preview": "Is it ready?",
        "textBody": "Is it ready?",
    }


def test_a_conversation_shows_its_newest_message(harness: Harness) -> None:
    harness.take(
        {"contacts": [CONTACT], "messages": [text("wamid.1", "Is it ready?", at=1767268700)]}
    )

    head = harness.item(CONVERSATION)
    key = head.pop("lastKey")
    assert head.pop("recentKeys") == {key}
    assert head == {
        "pk": CONVERSATION,
        "itemType": "CONVERSATION",
        "company": "acme",
        "phone": PHONE,
        "inboxPk": ARN,
        "from": "447700900101",
        "senderName": "Ada Byrne",
        "senderPhone": "447700900101",
        "receivedAt": "2026-01-01T11:58:20.9990000007000000000Z",
        "lastInboundAt": "2026-01-01T11:58:20.999Z",
        "unreadCount": 1,
        "lastMessagePk": "MSG#wamid.1",
        "lastType": "text",
        "lastPreview": "Is it ready?",
        "archived": False,
        "wabaMetaId": "102290129340398",
        "businessAccountName": "Acme Bikes",
        "listPk": f"{PHONE}#open#unread",
    }


def test_the_same_message_again_changes_nothing(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})
    before = harness.item("MSG#wamid.1"), harness.item(CONVERSATION)

    assert harness.outcomes({"messages": [text("wamid.1")]}) == [Outcome.DUPLICATE]
    assert (harness.item("MSG#wamid.1"), harness.item(CONVERSATION)) == before


def test_a_repeated_id_with_other_content_is_parked_and_the_first_message_is_kept(
    harness: Harness,
) -> None:
    harness.take({"messages": [text("wamid.1", "the first")]})

    (handled,) = harness.take({"messages": [text("wamid.1", "another")]})

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "conflict")
    assert harness.item("MSG#wamid.1")["textBody"] == "the first"
    assert harness.item(CONVERSATION)["unreadCount"] == 1


def test_messages_in_any_order_are_all_counted_and_the_newest_is_shown(harness: Harness) -> None:
    for number in (3, 1, 4, 2, 3, 1):
        harness.take(
            {"messages": [text(f"wamid.{number}", f"text {number}", at=NOW // 1000 - 100 + number)]}
        )

    head = harness.item(CONVERSATION)
    assert (head["unreadCount"], head["lastPreview"]) == (4, "text 4")


def test_messages_of_one_second_are_ordered_by_their_position_in_the_webhook(
    harness: Harness,
) -> None:
    harness.take({"messages": [text(f"wamid.{n}", str(n), at=NOW // 1000) for n in range(3)]})

    times = [harness.item(f"MSG#wamid.{n}")["receivedAt"] for n in range(3)]
    assert times == sorted(times)
    assert harness.item(CONVERSATION)["lastPreview"] == "2"


def test_the_ring_of_a_long_conversation_stays_small_and_the_count_exact(harness: Harness) -> None:
    for number in range(60):
        harness.take({"messages": [text(f"wamid.{number}", at=NOW // 1000 - 100 + number)]})

    head = harness.item(CONVERSATION)
    assert head["unreadCount"] == 60
    assert len(head["recentKeys"]) <= 25
    assert head["ringFloor"] < min(head["recentKeys"])


def test_a_message_older_than_the_rings_range_is_counted_once(harness: Harness) -> None:
    for number in range(1, 40):
        harness.take({"messages": [text(f"wamid.{number}", at=NOW // 1000 - 100 + number)]})

    for _ in range(3):
        harness.take({"messages": [text("wamid.0", at=NOW // 1000 - 100)]})
        harness.take({"messages": [text("wamid.1", at=NOW // 1000 - 99)]})

    assert harness.item(CONVERSATION)["unreadCount"] == 40


def test_a_customer_known_by_user_id_keeps_the_conversation_when_a_phone_number_is_added(
    harness: Harness,
) -> None:
    only = text("wamid.1", from_user_id="GB.77") | {"from": None}
    both = text("wamid.2", from_user_id="GB.77")
    phone = text("wamid.3")

    for message in (only, both, phone):
        harness.take({"messages": [message]})

    assert harness.item(f"CONV#{PHONE}#GB.77")["unreadCount"] == 3
    assert harness.item(f"ALIAS#WAID#{PHONE}#447700900101")["target"] == "GB.77"


def test_a_customer_whose_phone_number_changed_keeps_the_conversation(harness: Harness) -> None:
    system = {
        "id": "wamid.s", "from": "447700900101", "timestamp": str(NOW // 1000), "type": "system",
        "system": {"type": "user_changed_number", "body": "changed", "wa_id": "447700900199"},
    }  # fmt: skip
    harness.take({"messages": [text("wamid.1")]})
    harness.take({"messages": [system]})
    harness.take(
        {
            "messages": [
                text("wamid.2", "from the new number", sender="447700900199", at=NOW // 1000 + 1)
            ]
        }
    )

    assert harness.item(CONVERSATION)["lastPreview"] == "from the new number"
    assert harness.item(f"CONV#{PHONE}#447700900199") == {}


def test_a_group_message_belongs_to_the_groups_conversation_and_index(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", group_id="Z3JvdXA")]})

    stored = harness.item("MSG#wamid.1")
    assert (stored["groupId"], stored["sentAt"]) == ("Z3JvdXA", stored["receivedAt"])
    assert harness.item(f"CONV#{PHONE}#Z3JvdXA")["unreadCount"] == 1


def test_a_message_of_a_group_names_its_sender_also_in_the_index(harness: Harness) -> None:
    contact = {"wa_id": "447700900101", "user_id": "GB.139", "profile": {"name": "Ada"}}
    said = text("wamid.1", group_id="Z3JvdXA", from_user_id="GB.139")
    harness.take({"contacts": [contact], "messages": [said]})

    stored = harness.item("MSG#wamid.1")
    assert (stored["from"], stored["fromPk"]) == ("447700900101", "447700900101")
    assert (stored["senderPhone"], stored["senderUserId"]) == ("447700900101", "GB.139")
    assert stored["conversationPk"] == f"CONV#{PHONE}#Z3JvdXA"
    assert harness.item(f"CONV#{PHONE}#Z3JvdXA")["from"] == "Z3JvdXA"
    found, _ = harness.resources.table.query("gsi_from", Key("fromPk").eq("447700900101"), limit=10)
    assert [entry["pk"] for entry in found] == ["MSG#wamid.1"]


def test_two_participants_of_a_group_are_two_senders_of_one_conversation(harness: Harness) -> None:
    for number, sender in enumerate(("447700900101", "447700900102")):
        harness.take({"messages": [text(f"wamid.{number}", sender=sender, group_id="Z3JvdXA")]})
        reaction = {"message_id": "wamid.0", "emoji": "👍"}
        reacted = {"type": "reaction", "reaction": reaction, "group_id": "Z3JvdXA"}
        harness.take({"messages": [text(f"wamid.r{number}", sender=sender) | reacted]})

    assert harness.item(f"CONV#{PHONE}#Z3JvdXA")["unreadCount"] == 2
    assert harness.item("MSG#wamid.0")["reactions"].keys() == {"447700900101", "447700900102"}


def test_a_text_over_4_096_characters_is_kept_whole_in_the_bucket(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", "x" * 4_096), text("wamid.2", "x" * 4_097)]})

    assert "contentS3Key" not in harness.item("MSG#wamid.1")
    assert "contentS3Key" in harness.item("MSG#wamid.2")


def test_fields_that_the_provider_adds_are_kept(harness: Harness) -> None:
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada", "pronouns": "she"}, "tier": 3}
    harness.take({"contacts": [contact], "messages": [text("wamid.1", mood={"is": ["calm"]})]})

    assert harness.item("MSG#wamid.1")["otherFields"] == {
        "mood": {"is": ["calm"]},
        "contact": {"profile": {"pronouns": "she"}, "tier": 3},
    }


def test_a_usual_text_has_no_attribute_for_other_fields(harness: Harness) -> None:
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada"}}
    harness.take({"contacts": [contact], "messages": [text("wamid.1")]})

    assert not {"otherFields", "contentS3Key"} & harness.item("MSG#wamid.1").keys()


def test_sparse_index_attributes_are_absent_from_an_inbound_message(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})

    absent = {
        "wabaMetaId",
        "tenantId",
        "customerPhone",
        "createdAt",
        "deliveryStatus",
        "sentAt",
        "groupId",
    }
    assert not absent & harness.item("MSG#wamid.1").keys()


def test_an_event_without_a_customer_is_parked(harness: Harness) -> None:
    (handled,) = harness.take({"messages": [text("wamid.1") | {"from": None}]})

    assert handled.reason == "no_sender"


def test_a_long_text_is_kept_whole_in_the_bucket(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", "ä" * 9_000)]})

    stored = harness.item("MSG#wamid.1")
    assert len(stored["textBody"].encode()) <= 2_000
    assert "ä" * 9_000 in harness.resources.bucket.get(stored["contentS3Key"]).decode()


def test_a_flow_answer_of_400_kb_stays_below_the_item_size_limit(harness: Harness) -> None:
    reply = {
        "type": "nfm_reply",
        "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "x" * 400_000},
    }
    message = {"id": "wamid.1", "from": "447700900101", "type": "interactive", "interactive": reply}

    assert harness.outcomes({"messages": [message]}) == [Outcome.PERSISTED]
    assert "contentS3Key" in harness.item("MSG#wamid.1")


def test_the_ad_referral_of_a_message_is_stored_whole(harness: Harness) -> None:
    harness.take(
        {"messages": [text("wamid.1", referral={"source_id": "ad7", "headline": "20 % off"})]}
    )

    stored = harness.item("MSG#wamid.1")
    assert (stored["adSource"], stored["referral"]["headline"]) == ("ad7", "20 % off")
    assert harness.item(CONVERSATION)["referralAt"] == moment_of(stored["receivedAt"])


def test_an_erased_message_stays_erased_when_it_is_delivered_again(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})
    stub = {
        k: v for k, v in harness.item("MSG#wamid.1").items() if k not in {"textBody", "preview"}
    }
    harness.resources.table.put(stub | {"erased": True})
    counted("TombstoneHits")

    assert harness.outcomes({"messages": [text("wamid.1")]}) == [Outcome.DUPLICATE]
    assert "textBody" not in harness.item("MSG#wamid.1")
    assert counted("TombstoneHits") == 1


def test_a_number_may_have_a_shorter_retention_than_the_others(harness: Harness) -> None:
    harness.resources.table.put(a_phone(message_ttl_days=1).attributes())

    harness.take({"messages": [text("wamid.1")]})

    assert harness.item("MSG#wamid.1")["ttl"] == NOW // 1000 + 86_400


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"enabled": False}, "phone_disabled"),
        ({"app_id": "999"}, "app_mismatch"),
    ],
)
def test_events_of_a_disabled_number_or_of_another_app_are_parked(
    harness: Harness, change: dict[str, object], reason: str
) -> None:
    harness.resources.table.put(a_phone(**change).attributes())

    (handled,) = harness.take({"messages": [text("wamid.1")]})

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, reason)
    assert harness.item("MSG#wamid.1") == {}


def test_a_parked_event_is_listed_without_its_content_and_stored_whole_in_the_bucket(
    harness: Harness,
) -> None:
    value = {"metadata": {"phone_number_id": "404"}, "messages": [text("wamid.1", "a secret wish")]}
    (handled,) = harness.take(value)

    assert handled.reason == "unknown_phone"
    (key,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    parked = harness.item(key)
    assert (parked["webhookEventType"], parked["reason"], parked["eventType"]) == (
        "parked",
        "unknown_phone",
        "message",
    )
    assert parked["payload"]["text"] == {"body": "<text of 13>"}
    assert "company" not in parked
    assert "secret wish" not in str(parked)
    assert b"a secret wish" in harness.resources.bucket.get(parked["fullEvent"]["key"])


def test_a_record_that_is_no_event_is_parked_too(harness: Harness) -> None:
    handled = harness.handle("not an event")

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "malformed_event")


def test_kinds_without_an_item_of_their_own_are_stored_under_their_field(harness: Harness) -> None:
    harness.take({"field": "a_field_of_next_year", "news": {"a": 1.5}})

    (key,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    kept = harness.item(key)
    assert (kept["webhookEventType"], kept["company"], kept["ttl"]) == (
        "a_field_of_next_year",
        "acme",
        NOW // 1000 + 30 * 86_400,
    )
    assert float(kept["payload"]["news"]["a"]) == 1.5


def test_with_the_event_log_on_messages_also_write_an_event(harness: Harness) -> None:
    harness.resources = dataclasses.replace(harness.resources, log_all_events=True)
    harness.take({"messages": [text("wamid.1")]})

    assert [key for key in harness.keys() if key.startswith("WEBHOOK#")]


def test_messages_expire_only_where_a_retention_is_set(harness: Harness) -> None:
    harness.resources = dataclasses.replace(harness.resources, message_ttl_days=90)
    harness.take({"messages": [text("wamid.1")]})

    assert harness.item("MSG#wamid.1")["ttl"] == NOW // 1000 + 90 * 86_400
