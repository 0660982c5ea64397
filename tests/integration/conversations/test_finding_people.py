"""Matching of senders: strangers, a person with two ids, a number with two spellings; and checks of the account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.store import routes
from conversations.store.items import identifiers
from conversations.store.items.routes import BusinessAddress
from events.conversations import cast, twilio
from events.conversations.twilio import SMS_NUMBER
from operations import arguments, projects
from shared.events import DeliveryStatus, InboundMessage
from shared.runtime import clock
from tests.integration.conversations.acts import (
    HOUR_MS,
    aside,
    last_sid,
    messages_of,
    stands,
    start_conversation,
    unmatched,
)
from tests.integration.conversations.test_intake import mail

if TYPE_CHECKING:
    from pathlib import Path

    from tests.simulation.conversations.world import World


USER_ID = "GB.20417733968512046377"


STRANGER = "+447700900456"


def write_as(
    world: World, sender: str, text: str = "Is the job still open?", name: str = "x"
) -> None:
    world.text(name, text, From=sender)
    world.work_off()


# Strangers


def test_a_stranger_may_begin_a_conversation_where_the_project_accepts_strangers(
    world: World,
) -> None:
    start_conversation(world)
    world.change(accept_inbound=True)

    write_as(world, STRANGER)

    (item,) = (row for key, row in world.rows().items() if key[:2] == ("conversations", STRANGER))
    ref = identifiers.ref_of(item["conversation_id"])
    assert item["request_id"].startswith("in-")
    assert len(item["request_id"]) == 27
    assert item["comms_consent"] is False
    assert stands(world, ref) == ("reply_sent", None)
    assert item["gsi_company_sms_number"] == SMS_NUMBER


def test_a_strangers_message_matches_a_project_stored_by_the_command(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        projects.TABLE: world.tables["company"],
        projects.LOG: world.tables["log"],
        projects.INBOX: "not read here",
        arguments.SWITCHES: "/parley/local/conversations",
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: names)
    file = tmp_path / "project.json"
    file.write_text(json.dumps(cast.project(accept_inbound=True)))
    assert projects.main(["put", str(file), "--stack", "parley-dev"]) == 0

    write_as(world, STRANGER)

    (item,) = (row for key, row in world.rows().items() if key[0] == "conversations")
    assert item["primary_channel"] == STRANGER
    assert stands(world, identifiers.ref_of(item["conversation_id"]))[0] == "reply_sent"


def test_two_messages_of_a_new_sender_are_one_conversation(world: World) -> None:
    start_conversation(world)
    world.change(accept_inbound=True)
    world.text("x", "Is the job", From=STRANGER)
    world.clock.ms += 20
    world.text("y", "still open?", From=STRANGER)

    world.work_off()

    assert len([key for key in world.rows() if key[:2] == ("conversations", STRANGER)]) == 1


def test_an_unmatched_message_is_stored_for_agents(world: World) -> None:
    start_conversation(world)

    write_as(world, STRANGER)
    write_as(world, STRANGER)  # Delivered twice.

    (item,) = unmatched(world)
    assert item["event"]["text"] == "Is the job still open?"
    assert (item["project_id"], item["channel_method"]) == (cast.PROJECT, "sms")
    assert item["ttl"] == world.clock.ms // 1_000 + 30 * 86_400
    assert len(world.sent()) == 1


def test_a_stop_of_a_stranger_is_recorded(world: World) -> None:
    start_conversation(world)

    write_as(world, STRANGER, "STOP")

    ref = start_conversation(
        world, request_id="req-2", recipient_tel=STRANGER, recipient_email=None
    )
    assert stands(world, ref) == ("blocked", "opted_out")


def test_with_two_projects_that_accept_strangers_a_message_is_unmatched(world: World) -> None:
    start_conversation(world)
    world.change(accept_inbound=True)
    other = cast.project(project_id="pi-bbb-002", accept_inbound=True)
    world.set_up(other)
    elsewhere = {"company_id": cast.COMPANY, "project_id": "pi-bbb-002"}
    world.ask(cast.request("sms", "req-2", company_data=elsewhere))
    world.work_off()

    write_as(world, STRANGER)

    assert len(unmatched(world)) == 1


# The account that reports the message


def test_a_message_to_an_unused_address_is_parked(world: World) -> None:
    world.text("a", "Hello")
    world.work_off()

    assert world.parked() == ["UNKNOWN_ADDRESS"]


def test_a_message_reported_by_another_account_is_parked(world: World) -> None:
    ref = start_conversation(world)
    other = "AC" + "6b1e" * 8
    world.keep_webhook_secret(twilio.SECRET["accounts"] | {other: {"auth_tokens": ["other"]}})

    world.webhook(twilio.post(twilio.text("a", "Hello", AccountSid=other), key="other"))
    world.work_off()

    assert world.parked() == ["TENANT_MISMATCH"]
    assert messages_of(world, ref) == []


def test_a_message_to_an_erased_conversation_restores_nothing(world: World) -> None:
    ref = start_conversation(world)
    world.text("a", "Which shift is it?")
    world.take_in()
    item = world.conversation(ref)
    world.remove("conversations", item["primary_channel"], item["conversation_id"])

    world.work_off()

    assert world.parked() == ["conversation_gone"]
    assert [key for key in world.rows() if key[0] == "conversations"] == []


# A sender address that many projects use


def shared_with(world: World, count: int, prefix: str = "pi") -> None:
    """Let so many other projects of the company use the WhatsApp number, too."""
    for number in range(count):
        owner = BusinessAddress(
            company_id=cast.COMPANY,
            project_id=f"{prefix}-{number}",
            provider="twilio",
            account=twilio.ACCOUNT,
        )
        routes.add_address(aside(world).log, "whatsapp", cast.WHATSAPP_SENDER, owner)


@pytest.mark.parametrize("count", [49, 60, 120])
def test_no_message_to_a_number_of_many_projects_is_lost(world: World, count: int) -> None:
    ref = start_conversation(world, "whatsapp")
    shared_with(world, count)

    world.whatsapp("a", "Which shift is it?", ExternalUserId=f"whatsapp:{USER_ID}")
    world.work_off()

    assert messages_of(world, ref) == ["Which shift is it?"]
    assert stands(world, ref)[0] == "reply_sent"


def test_a_project_is_found_beyond_the_first_page_of_owners(world: World) -> None:
    start_conversation(world, "whatsapp")
    shared_with(world, 560, prefix="p" * 900)

    owners = routes.owners(aside(world).log, "whatsapp", cast.WHATSAPP_SENDER)

    assert len(owners) == 561
    assert cast.PROJECT in {owner.project_id for owner in owners}


# One person, two ids


def test_a_message_with_both_ids_links_them(world: World) -> None:
    ref = start_conversation(world, "whatsapp")
    world.whatsapp("a", "Which shift is it?", ExternalUserId=f"whatsapp:{USER_ID}")
    world.work_off()

    world.whatsapp("b", "And which job?", From=f"whatsapp:{USER_ID}", WaId="")
    world.work_off()

    assert messages_of(world, ref) == ["Which shift is it?", "And which job?"]


def test_an_unknown_user_id_matches_no_customer(world: World) -> None:
    ref = start_conversation(world, "whatsapp")

    world.whatsapp("b", "Hello", From=f"whatsapp:{USER_ID}", WaId="")
    world.work_off()

    assert messages_of(world, ref) == []
    assert len(unmatched(world)) == 1


@pytest.mark.parametrize("sender", ["12345", "CUCUMBER", ""])
def test_a_sender_with_an_invalid_address_is_parked(world: World, sender: str) -> None:
    start_conversation(world)

    write_as(world, sender)

    assert world.parked() == ["bad_address"]


# One number, two spellings


@pytest.mark.parametrize(
    ("dialled", "wa_id"),
    [("+541155512345", "+5491155512345"), ("+525512345678", "+5215512345678")],
    ids=["Argentina", "Mexico"],
)
def test_a_wa_id_that_differs_from_the_dialled_number_matches_the_same_person(
    world: World, dialled: str, wa_id: str
) -> None:
    world.change(policy={"quiet_hours": None})
    ref = start_conversation(world, "whatsapp", recipient_tel=dialled)

    world.whatsapp("m", "Which shift is it?", From=f"whatsapp:{wa_id}", WaId=wa_id.lstrip("+"))
    world.work_off()

    assert messages_of(world, ref) == ["Which shift is it?"]
    assert stands(world, ref)[0] == "reply_sent"


def test_a_stop_and_a_start_apply_to_both_spellings(world: World) -> None:
    world.change(policy={"quiet_hours": None})
    start_conversation(world, "whatsapp", recipient_tel=STRANGER)  # The number is in use.
    dialled, wa_id = {"recipient_tel": "+541155512345"}, "whatsapp:+5491155512345"
    for name, word, expected in (
        ("one", "STOP", ("blocked", "opted_out")),
        ("two", "START", ("initial_message_sent", None)),
    ):
        world.clock.ms += HOUR_MS
        world.whatsapp(name, word, From=wa_id)
        world.work_off()
        assert (
            stands(world, start_conversation(world, "whatsapp", f"req-{name}", **dialled))
            == expected
        )


def at_aws(world: World) -> None:
    """Let AWS carry the project's WhatsApp; AWS has ids of its own besides Meta's."""
    channels = cast.project()["channel_config"]
    templates = {"invitation": cast.INVITATION | {"meta_name": "invitation"}}
    whatsapp = channels["whatsapp"] | {
        "provider": "aws_social",
        "account": "102290129340398",
        "phone_number_id": "phone-number-id-0123456789abcdef0123456789abcdef",
        "templates": templates,
        "reengagement_template": None,
    }
    world.change(channel_config=channels | {"whatsapp": whatsapp})


# One message, two ids


def test_a_quote_by_the_other_id_of_a_message_is_matched(world: World) -> None:
    at_aws(world)
    first = start_conversation(world, "whatsapp", "req-1")
    world.clock.ms += HOUR_MS
    second = start_conversation(world, "whatsapp", "req-2")
    message = next(m for m in world.log(first) if m["author"] == "ai")
    status = DeliveryStatus(
        provider="aws_social",
        provider_message_id="wamid.of-meta",
        account="102290129340398",
        channel_method="whatsapp",
        action_id=identifiers.action_id(first, message["turn_id"]),
        status="delivered",
        occurred_at=clock.to_text(world.clock.ms),
    )
    world.tell(status)
    world.work_off()

    world.tell(
        InboundMessage(
            provider="aws_social",
            provider_message_id="wamid.of-ann",
            account="102290129340398",
            company=cast.COMPANY,
            channel_method="whatsapp",
            business_address=cast.WHATSAPP_SENDER,
            customer_address=cast.CANDIDATE,
            received_at=clock.to_text(world.clock.ms),
            kind="text",
            text="Which shift is it?",
            reply_to="wamid.of-meta",
        )
    )
    world.work_off()

    assert messages_of(world, first) == ["Which shift is it?"]
    assert messages_of(world, second) == []
    shown = next(m for m in world.log(first) if m["author"] == "ai")
    assert shown["provider_message_id"] == message["provider_message_id"]


@pytest.mark.parametrize("quoted", ["whole", "bare"])
def test_an_answer_to_a_mail_is_matched_by_the_id_of_ses_with_and_without_its_host(
    world: World, quoted: str
) -> None:
    first = start_conversation(world, "email", "req-1")
    world.clock.ms += HOUR_MS
    second = start_conversation(world, "email", "req-2")
    message_id = last_sid(world, first)
    assert message_id.endswith(".amazonses.com")

    reply_to = message_id if quoted == "whole" else message_id.partition("@")[0]
    world.tell(mail(world, "m", "Which shift is it?", reply_to=reply_to))
    world.work_off()

    assert messages_of(world, first) == ["Which shift is it?"]
    assert messages_of(world, second) == []
