"""Delivery statuses: ordered by rank, with history, attached by any id of the message."""

import itertools
from typing import Any

import pytest

from shared.action_ledger import Action, OnDoubt
from tests.integration.logs import counted
from tests.integration.whatsapp.conftest import NOW, PHONE, Desk
from whatsapp.event import Outcome
from whatsapp.store.items import Intent

CONVERSATION = f"CONV#{PHONE}#447700900101"
ECHO = {
    "id": "wamid.e", "from": "15550783881", "to": "447700900101", "timestamp": str(NOW // 1000 - 60),
    "type": "text", "text": {"body": "Ready at five."},
}  # fmt: skip


def echo(desk: Desk) -> None:
    desk.take({"field": "smb_message_echoes", "message_echoes": [ECHO]})


def status(
    word: str, *, at: int = NOW // 1000, identity: str = "wamid.e", **more: Any
) -> dict[str, Any]:
    return {
        "statuses": [
            {"id": identity, "status": word, "timestamp": str(at), "recipient_id": "447700900101"}
            | more
        ]
    }


def test_an_echo_is_an_outbound_message_that_the_business_wrote_in_its_app(desk: Desk) -> None:
    echo(desk)

    stored = desk.item("MSG#wamid.e")
    expected = {
        "direction": "OUTBOUND", "from": "15550783881", "fromPk": "15550783881", "to": "447700900101",
        "origin": "app", "deliveryStatus": "sent", "conversationPk": CONVERSATION,
    }  # fmt: skip
    assert {name: stored[name] for name in expected} == expected
    assert stored["sentAt"] == stored["receivedAt"]
    head = desk.item(CONVERSATION)
    assert (head["unreadCount"], head["lastPreview"], head["lastOutboundAt"]) == (
        0,
        "Ready at five.",
        stored["sentAt"],
    )
    assert head["from"] == "447700900101"


@pytest.mark.parametrize("order", list(itertools.permutations(["sent", "delivered", "read"])))
def test_the_furthest_status_wins_in_any_order_of_arrival(
    desk: Desk, order: tuple[str, ...]
) -> None:
    echo(desk)
    for word in order:
        desk.take(status(word))
        desk.take(status(word))

    assert desk.item("MSG#wamid.e")["deliveryStatus"] == "read"
    assert len(desk.item("MSG#wamid.e")["deliveryStatusHistory"]) <= 3
    assert {key for key in desk.keys() if key.startswith("STATUS#")} == {
        f"STATUS#wamid.e#{word}" for word in order
    }


@pytest.mark.parametrize("order", list(itertools.permutations(["sent", "read"])))
def test_statuses_that_arrive_before_their_message_are_attached_later(
    desk: Desk, order: tuple[str, ...]
) -> None:
    for word in order:
        assert desk.outcomes(status(word)) == [Outcome.PERSISTED]
    assert desk.item("STATUS#wamid.e#read")["ttl"] == NOW // 1000 + 35 * 86_400

    echo(desk)

    stored = desk.item("MSG#wamid.e")
    assert stored["deliveryStatus"] == "read"
    assert [entry["status"] for entry in stored["deliveryStatusHistory"]] == ["sent", "read"]


def test_failed_is_final_and_keeps_the_providers_error(desk: Desk) -> None:
    echo(desk)
    error = {"code": 131026, "title": "Undeliverable", "error_data": {"details": "x" * 900}}
    desk.take(status("failed", errors=[error]))
    desk.take(status("delivered"))

    stored = desk.item("MSG#wamid.e")
    assert (stored["deliveryStatus"], stored["statusError"]["code"]) == ("failed", 131026)
    assert len(stored["statusError"]["details"]) == 200
    assert "STATUS#wamid.e#delivered" in desk.keys()


def test_played_counts_as_read_and_is_recorded(desk: Desk) -> None:
    echo(desk)
    desk.take(status("read"))
    desk.take(status("played", at=NOW // 1000 + 5))

    stored = desk.item("MSG#wamid.e")
    assert (stored["deliveryStatus"], stored["playedAt"]) == ("read", "2026-01-01T12:00:00.000Z")


def test_a_repeated_status_is_a_duplicate_and_costs_one_read(desk: Desk) -> None:
    echo(desk)
    desk.take(status("sent"))
    desk.resources.table.forget_consumption()

    assert desk.outcomes(status("sent")) == [Outcome.DUPLICATE]
    assert desk.resources.table.consumed_write_units == 0


def test_the_price_category_is_kept(desk: Desk) -> None:
    echo(desk)
    desk.take(status("sent", pricing={"billable": True, "category": "service"}))

    assert desk.item("MSG#wamid.e")["priceCategory"] == "service"


def test_a_status_without_a_rank_is_parked(desk: Desk) -> None:
    (handled,) = desk.take(status("teleported"))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "unknown_status")


def reserve(desk: Desk, **owner: str) -> None:
    """The state after a crash directly after a send: a reserved action with the message to be stored."""
    action = Action(
        action_id="act1",
        channel="whatsapp",
        provider="graph",
        on_doubt=OnDoubt.AT_MOST_ONCE,
        **{"company": "acme", **owner},
    )
    reserved = {"owner": "dead worker", "reserved_at": NOW, "deadline": NOW + 1}
    desk.resources.ledger.enter(action.model_copy(update=reserved))
    message = {
        "direction": "OUTBOUND", "from": "15550783881", "fromPk": "15550783881", "to": "447700900101",
        "conversationPk": CONVERSATION, "inboxPk": "arn", "phone": PHONE, "type": "text",
        "textBody": "We open at nine.", "preview": "We open at nine.",
    }  # fmt: skip
    desk.resources.table.put(Intent(pk=Intent.key("act1"), message=message).attributes())


def test_a_status_with_parleys_action_id_creates_the_message_of_a_crashed_sender(
    desk: Desk,
) -> None:
    reserve(desk)
    desk.take(status("delivered", identity="wamid.new", biz_opaque_callback_data="act1"))

    assert desk.item("ACTION#act1")["state"] == "confirmed"
    assert desk.item("ACTION#act1")["messagePk"] == "MSG#wamid.new"
    assert desk.item("MSG#wamid.new")["deliveryStatus"] == "delivered"
    assert desk.item(CONVERSATION)["lastPreview"] == "We open at nine."
    assert desk.item("INTENT#act1") == {}


def test_another_id_of_the_same_send_becomes_an_alias(desk: Desk) -> None:
    reserve(desk)
    desk.take(status("sent", identity="wamid.new", biz_opaque_callback_data="act1"))
    desk.take(status("read", identity="wamid.other", biz_opaque_callback_data="act1"))
    desk.take(status("failed", identity="wamid.other"))

    assert desk.item("ALIAS#MSG#wamid.other")["target"] == "MSG#wamid.new"
    assert desk.item("MSG#wamid.new")["deliveryStatus"] == "failed"
    assert desk.item("MSG#wamid.other") == {}


def test_a_failed_first_callback_fails_the_action(desk: Desk) -> None:
    reserve(desk)
    desk.take(status("failed", identity="wamid.new", biz_opaque_callback_data="act1"))

    assert desk.item("ACTION#act1")["state"] == "failed"


@pytest.mark.parametrize(
    "owner", [{"company": "other"}, {"business_address": "999"}], ids=["company", "number"]
)
@pytest.mark.parametrize(
    "identity", ["wamid.new", "wamid.e"], ids=["unknown message", "own message"]
)
def test_a_status_that_names_an_action_of_another_company_or_number_is_parked(
    desk: Desk, owner: dict[str, str], identity: str
) -> None:
    echo(desk)
    reserve(desk, **owner)
    desk.resources.table.delete({"pk": Intent.key("act1")})
    (handled,) = desk.take(status("failed", identity=identity, biz_opaque_callback_data="act1"))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "tenant_mismatch")
    assert desk.item("ACTION#act1")["state"] == "reserved"
    assert desk.item("MSG#wamid.new") == {}
    assert [key for key in desk.keys() if key.startswith(("STATUS#", "ALIAS#MSG"))] == []
    assert desk.item("MSG#wamid.e")["deliveryStatus"] == "sent"


def test_a_status_of_an_erased_message_is_stopped_by_its_tombstone(desk: Desk) -> None:
    echo(desk)
    desk.resources.table.update({"pk": "MSG#wamid.e"}, put={"erased": True})
    counted("TombstoneHits")

    assert desk.outcomes(status("read")) == [Outcome.DUPLICATE]
    assert counted("TombstoneHits") == 1
    assert desk.item("STATUS#wamid.e#read") == {}
