"""Delivery statuses: ordered by rank, with history, attached by any id of the message."""

import itertools
import json
from typing import Any

import pytest

from shared.providers.action_ledger import Action, OnDoubt
from tests.integration.logs import counted
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import Intent
from whatsapp.store.ordering import moment_of

CONVERSATION = f"CONV#{PHONE}#447700900101"
ECHO = {
    "id": "wamid.e", "from": "15550783881", "to": "447700900101", "timestamp": str(NOW // 1000 - 60),
    "type": "text", "text": {"body": "Ready at five."},
}  # fmt: skip


def echo(harness: Harness) -> None:
    harness.take({"field": "smb_message_echoes", "message_echoes": [ECHO]})


def status(
    word: str, *, at: int = NOW // 1000, identity: str = "wamid.e", **more: Any
) -> dict[str, Any]:
    return {
        "statuses": [
            {"id": identity, "status": word, "timestamp": str(at), "recipient_id": "447700900101"}
            | more
        ]
    }


def test_an_echo_is_an_outbound_message_that_the_business_wrote_in_its_app(
    harness: Harness,
) -> None:
    echo(harness)

    stored = harness.item("MSG#wamid.e")
    expected = {
        "direction": "OUTBOUND", "from": "15550783881", "fromPk": "15550783881", "to": "447700900101",
        "origin": "app", "deliveryStatus": "sent", "conversationPk": CONVERSATION,
    }  # fmt: skip
    assert {name: stored[name] for name in expected} == expected
    assert stored["sentAt"] == stored["receivedAt"]
    head = harness.item(CONVERSATION)
    assert (head["unreadCount"], head["lastPreview"], head["lastOutboundAt"]) == (
        0,
        "Ready at five.",
        moment_of(stored["sentAt"]),
    )
    assert head["from"] == "447700900101"


@pytest.mark.parametrize("order", list(itertools.permutations(["sent", "delivered", "read"])))
def test_the_furthest_status_wins_in_any_order_of_arrival(
    harness: Harness, order: tuple[str, ...]
) -> None:
    echo(harness)
    for word in order:
        harness.take(status(word))
        harness.take(status(word))

    assert harness.item("MSG#wamid.e")["deliveryStatus"] == "read"
    assert len(harness.item("MSG#wamid.e")["deliveryStatusHistory"]) <= 3
    assert {key for key in harness.keys() if key.startswith("STATUS#")} == {
        f"STATUS#{PHONE}#wamid.e#{word}" for word in order
    }


@pytest.mark.parametrize("order", list(itertools.permutations(["sent", "read"])))
def test_statuses_that_arrive_before_their_message_are_attached_later(
    harness: Harness, order: tuple[str, ...]
) -> None:
    for word in order:
        assert harness.outcomes(status(word)) == [Outcome.PERSISTED]
    assert harness.item(f"STATUS#{PHONE}#wamid.e#read")["ttl"] == NOW // 1000 + 35 * 86_400

    echo(harness)

    stored = harness.item("MSG#wamid.e")
    assert stored["deliveryStatus"] == "read"
    assert [entry["status"] for entry in stored["deliveryStatusHistory"]] == ["sent", "read"]


def test_failed_is_final_and_keeps_the_providers_error(harness: Harness) -> None:
    echo(harness)
    error = {"code": 131026, "title": "Undeliverable", "error_data": {"details": "x" * 900}}
    harness.take(status("failed", errors=[error]))
    harness.take(status("delivered"))

    stored = harness.item("MSG#wamid.e")
    assert (stored["deliveryStatus"], stored["statusError"]["code"]) == ("failed", 131026)
    assert len(stored["statusError"]["details"]) == 200
    assert f"STATUS#{PHONE}#wamid.e#delivered" in harness.keys()


CONVERSATION_OF_STATUS = {
    "id": "a75d17ad06104c51166f948319b03c6a",
    "origin": {"type": "service"},
    "expiration_timestamp": "1767355200",
}


def test_a_status_keeps_its_conversation_price_and_unknown_fields(harness: Harness) -> None:
    echo(harness)
    pricing = {"billable": True, "pricing_model": "PMP", "category": "service"}
    value = status("sent", conversation=CONVERSATION_OF_STATUS, pricing=pricing, news={"a": ["b"]})
    harness.take({"contacts": [{"wa_id": "447700900101", "profile": {"name": "Ada"}}]} | value)

    stored = harness.item(f"STATUS#{PHONE}#wamid.e#sent")
    assert (stored["conversation"], stored["pricing"]) == (CONVERSATION_OF_STATUS, pricing)
    assert stored["otherFields"]["news"] == {"a": ["b"]}
    assert stored["otherFields"]["recipient_id"] == "447700900101"
    assert stored["otherFields"]["contact"]["profile"]["name"] == "Ada"


@pytest.mark.parametrize("is_early", [False, True])
def test_errors_too_long_for_the_item_are_in_the_bucket(harness: Harness, is_early: bool) -> None:
    errors = [{"code": n, "title": "Undeliverable", "href": "x" * 2_000} for n in range(8)]
    if not is_early:
        echo(harness)
    harness.take(status("failed", errors=errors))
    if is_early:
        echo(harness)

    stored = harness.item(f"STATUS#{PHONE}#wamid.e#failed")
    whole = json.loads(harness.resources.bucket.get(stored["contentS3Key"]))
    assert whole["errors"] == errors
    assert stored["errors"] == [{"code": 0, "title": "Undeliverable"}]
    assert harness.item("MSG#wamid.e")["statusError"] == {"code": 0, "title": "Undeliverable"}


def test_played_counts_as_read_and_is_recorded(harness: Harness) -> None:
    echo(harness)
    harness.take(status("read"))
    harness.take(status("played", at=NOW // 1000 + 5))

    stored = harness.item("MSG#wamid.e")
    assert (stored["deliveryStatus"], stored["playedAt"]) == ("read", "2026-01-01T12:00:00.000Z")


def test_a_repeated_status_is_a_duplicate_and_costs_one_read(harness: Harness) -> None:
    echo(harness)
    harness.take(status("sent"))
    harness.resources.table.forget_consumption()

    assert harness.outcomes(status("sent")) == [Outcome.DUPLICATE]
    assert harness.resources.table.consumed_write_units == 0


def test_the_price_category_is_kept(harness: Harness) -> None:
    echo(harness)
    harness.take(status("sent", pricing={"billable": True, "category": "service"}))

    assert harness.item("MSG#wamid.e")["priceCategory"] == "service"


@pytest.mark.parametrize("word", ["", "x" * 65, "a#b", "gelesen ä"])
def test_a_status_that_is_no_word_is_parked(harness: Harness, word: str) -> None:
    echo(harness)
    (handled,) = harness.take(status(word))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "unknown_status")


WARNING = {"code": 131_059, "title": "Slow"}


@pytest.mark.parametrize("order", list(itertools.permutations(["warning", "read", "held back"])))
def test_a_word_without_a_rank_is_listed_and_the_known_statuses_stay_as_they_are(
    harness: Harness, order: tuple[str, ...]
) -> None:
    echo(harness)
    for word in (*order, *order):
        harness.take(status(word, errors=[WARNING] if word == "warning" else []))

    stored = harness.item("MSG#wamid.e")
    listed = [entry["status"] for entry in stored["deliveryStatusHistory"]]
    shown = next(e for e in stored["deliveryStatusHistory"] if e["status"] == "warning")
    first = next(word for word in order if word != "read")
    item = harness.item(f"STATUS#{PHONE}#wamid.e#other")
    assert (stored["deliveryStatus"], stored["statusRank"]) == ("read", 3)
    assert "statusError" not in stored
    assert [word for word in listed if word in order] == list(order)
    assert shown["code"] == "131059"
    assert (item["status"], len(item["furtherS3Keys"])) == (first, 1)


@pytest.mark.parametrize("kind", ["text", "audio"])
def test_words_without_a_rank_wait_for_their_message_as_the_known_ones_do(
    harness: Harness, kind: str
) -> None:
    words = ("warning", "played", "held back", "delivered", "warning")
    for word in words:
        assert harness.outcomes(status(word)) == [Outcome.PERSISTED]
    content = (
        {"text": {"id": "-"}}
        if kind == "text"
        else {"audio": {"id": "77", "mime_type": "audio/ogg"}}
    )
    harness.take(
        {"field": "smb_message_echoes", "message_echoes": [ECHO | {"type": kind} | content]}
    )

    stored = harness.item("MSG#wamid.e")
    listed = [entry["status"] for entry in stored["deliveryStatusHistory"]]
    known = (
        ["delivered", "played"] if kind == "audio" else ["delivered"]
    )  # no other message is played
    assert listed == ["warning", "held back", *known]
    assert stored["deliveryStatus"] == ("read" if kind == "audio" else "delivered")


def test_words_without_a_rank_leave_room_for_all_known_ones(harness: Harness) -> None:
    echo(harness)
    for n in range(20):
        harness.take(status(f"step {n}"))
    for word in ("delivered", "read", "failed"):
        harness.take(status(word))

    stored = harness.item("MSG#wamid.e")
    assert stored["deliveryStatus"] == "failed"
    assert 10 < len(stored["deliveryStatusHistory"]) <= 15


def reserve(harness: Harness, **owner: str) -> None:
    """The state after a crash directly after a send: a reserved action with the message to be stored."""
    action = Action(
        action_id="act1",
        channel="whatsapp",
        provider="graph",
        on_doubt=OnDoubt.AT_MOST_ONCE,
        **{"company": "acme", **owner},
    )
    reserved = {"owner": "dead worker", "reserved_at": NOW, "deadline": NOW + 1}
    harness.resources.ledger.enter(action.model_copy(update=reserved))
    message = {
        "direction": "OUTBOUND", "from": "15550783881", "fromPk": "15550783881", "to": "447700900101",
        "conversationPk": CONVERSATION, "inboxPk": "arn", "phone": PHONE, "type": "text",
        "textBody": "We open at nine.", "preview": "We open at nine.",
    }  # fmt: skip
    harness.resources.table.put(Intent(pk=Intent.key("act1"), message=message).attributes())


def test_a_status_with_parleys_action_id_creates_the_message_of_a_crashed_sender(
    harness: Harness,
) -> None:
    reserve(harness)
    harness.take(status("delivered", identity="wamid.new", biz_opaque_callback_data="act1"))

    assert harness.item("ACTION#act1")["state"] == "confirmed"
    assert harness.item("ACTION#act1")["messagePk"] == "MSG#wamid.new"
    assert harness.item("MSG#wamid.new")["deliveryStatus"] == "delivered"
    assert harness.item(CONVERSATION)["lastPreview"] == "We open at nine."
    assert harness.item("INTENT#act1") == {}


def test_another_id_of_the_same_send_becomes_an_alias(harness: Harness) -> None:
    reserve(harness)
    harness.take(status("sent", identity="wamid.new", biz_opaque_callback_data="act1"))
    harness.take(status("read", identity="wamid.other", biz_opaque_callback_data="act1"))
    harness.take(status("failed", identity="wamid.other"))

    assert harness.item(f"ALIAS#MSG#{PHONE}#wamid.other")["target"] == "MSG#wamid.new"
    assert harness.item("MSG#wamid.new")["deliveryStatus"] == "failed"
    assert harness.item("MSG#wamid.other") == {}


def test_a_failed_first_callback_fails_the_action(harness: Harness) -> None:
    reserve(harness)
    harness.take(status("failed", identity="wamid.new", biz_opaque_callback_data="act1"))

    assert harness.item("ACTION#act1")["state"] == "failed"


@pytest.mark.parametrize(
    "owner", [{"company": "other"}, {"business_address": "999"}], ids=["company", "number"]
)
@pytest.mark.parametrize(
    "identity", ["wamid.new", "wamid.e"], ids=["unknown message", "own message"]
)
def test_a_status_that_names_an_action_of_another_company_or_number_is_parked(
    harness: Harness, owner: dict[str, str], identity: str
) -> None:
    echo(harness)
    reserve(harness, **owner)
    harness.resources.table.delete({"pk": Intent.key("act1")})
    (handled,) = harness.take(status("failed", identity=identity, biz_opaque_callback_data="act1"))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "tenant_mismatch")
    assert harness.item("ACTION#act1")["state"] == "reserved"
    assert harness.item("MSG#wamid.new") == {}
    assert [key for key in harness.keys() if key.startswith(("STATUS#", "ALIAS#MSG"))] == []
    assert harness.item("MSG#wamid.e")["deliveryStatus"] == "sent"


def test_a_status_of_an_erased_message_is_stopped_by_its_tombstone(harness: Harness) -> None:
    echo(harness)
    harness.resources.table.update({"pk": "MSG#wamid.e"}, put={"erased": True})
    counted("TombstoneHits")

    assert harness.outcomes(status("read")) == [Outcome.DUPLICATE]
    assert counted("TombstoneHits") == 1
    assert harness.item(f"STATUS#{PHONE}#wamid.e#read") == {}
