"""Matching of senders: strangers, a person with two ids, a number with two spellings; and checks of the account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.store import routes
from conversations.store.items import identifiers
from conversations.store.items.routes import BusinessAddress
from events.conversations import sample_data, twilio
from events.conversations.twilio import SMS_NUMBER
from operations.command_line import arguments
from operations.projects import cli as projects
from shared.events.exchange import DeliveryStatus, InboundMessage
from shared.runtime import clock
from tests.integration.conversations.inbound.test_intake import mail
from tests.integration.conversations.steps import (
    HOUR_MS,
    direct_resources,
    last_sid,
    messages_of,
    start_conversation,
    status_of,
    unmatched,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.simulation.conversations.system import System


USER_ID = "GB.20417733968512046377"


STRANGER = "+447700900456"


def write_as(
    system: System, sender: str, text: str = "Is the job still open?", name: str = "x"
) -> None:
    system.text(name, text, From=sender)
    system.drain()


# Strangers


def test_a_stranger_may_begin_a_conversation_where_the_project_accepts_strangers(
    system: System,
) -> None:
    start_conversation(system)
    system.change(accept_inbound=True)

    write_as(system, STRANGER)

    (item,) = (row for key, row in system.rows().items() if key[:2] == ("conversations", STRANGER))
    ref = identifiers.ref_of(item["conversation_id"])
    assert item["request_id"].startswith("in-")
    assert len(item["request_id"]) == 27
    assert item["comms_consent"] is False
    assert status_of(system, ref) == ("reply_sent", None)
    assert item["gsi_company_sms_number"] == SMS_NUMBER


def test_a_strangers_message_matches_a_project_stored_by_the_command(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        projects.TABLE: system.tables["company"],
        projects.LOG: system.tables["log"],
        projects.INBOX: "not read here",
        projects.TWILIO_URL: system.sandbox.url,
        arguments.SWITCHES: "/parley/local/conversations",
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: names)
    monkeypatch.setattr(arguments, "parameters_of", lambda _: {})
    file = tmp_path / "project.json"
    file.write_text(json.dumps(sample_data.project(accept_inbound=True)))
    assert projects.main(["put", str(file), "--stack", "parley-dev"]) == 0

    write_as(system, STRANGER)

    (item,) = (row for key, row in system.rows().items() if key[0] == "conversations")
    assert item["primary_channel"] == STRANGER
    assert status_of(system, identifiers.ref_of(item["conversation_id"]))[0] == "reply_sent"


def test_two_messages_of_a_new_sender_are_one_conversation(system: System) -> None:
    start_conversation(system)
    system.change(accept_inbound=True)
    system.text("x", "Is the job", From=STRANGER)
    system.clock.ms += 20
    system.text("y", "still open?", From=STRANGER)

    system.drain()

    assert len([key for key in system.rows() if key[:2] == ("conversations", STRANGER)]) == 1


def test_an_unmatched_message_is_stored_for_agents(system: System) -> None:
    start_conversation(system)

    write_as(system, STRANGER)
    write_as(system, STRANGER)  # Delivered twice.

    (item,) = unmatched(system)
    assert item["event"]["text"] == "Is the job still open?"
    assert (item["project_id"], item["channel_method"]) == (sample_data.PROJECT, "sms")
    assert item["ttl"] == system.clock.ms // 1_000 + 30 * 86_400
    assert len(system.sent()) == 1


def test_a_stop_of_a_stranger_is_recorded(system: System) -> None:
    start_conversation(system)

    write_as(system, STRANGER, "STOP")

    ref = start_conversation(
        system, request_id="req-2", recipient_tel=STRANGER, recipient_email=None
    )
    assert status_of(system, ref) == ("blocked", "opted_out")


def test_with_two_projects_that_accept_strangers_a_message_is_unmatched(system: System) -> None:
    start_conversation(system)
    system.change(accept_inbound=True)
    other = sample_data.project(project_id="pi-bbb-002", accept_inbound=True)
    system.set_up(other)
    elsewhere = {"company_id": sample_data.COMPANY, "project_id": "pi-bbb-002"}
    system.ask(sample_data.request("sms", "req-2", company_data=elsewhere))
    system.drain()

    write_as(system, STRANGER)

    assert len(unmatched(system)) == 1


# The account that reports the message


def test_a_message_to_an_unused_address_is_parked(system: System) -> None:
    system.text("a", "Hello")
    system.drain()

    assert system.parked() == ["UNKNOWN_ADDRESS"]


def test_a_message_reported_by_another_account_is_parked(system: System) -> None:
    ref = start_conversation(system)
    other = "AC" + "6b1e" * 8
    system.put_webhook_secret(twilio.SECRET["accounts"] | {other: {"auth_tokens": ["other"]}})

    system.webhook(twilio.post(twilio.text("a", "Hello", AccountSid=other), key="other"))
    system.drain()

    assert system.parked() == ["TENANT_MISMATCH"]
    assert messages_of(system, ref) == []


def test_a_message_to_an_erased_conversation_restores_nothing(system: System) -> None:
    ref = start_conversation(system)
    system.text("a", "Which shift is it?")
    system.run_intake()
    item = system.conversation(ref)
    system.remove("conversations", item["primary_channel"], item["conversation_id"])

    system.drain()

    assert system.parked() == ["conversation_gone"]
    assert [key for key in system.rows() if key[0] == "conversations"] == []


# A sender address that many projects use


def shared_with(system: System, count: int, prefix: str = "pi") -> None:
    """Let so many other projects of the company use the WhatsApp number, too."""
    for number in range(count):
        owner = BusinessAddress(
            company_id=sample_data.COMPANY,
            project_id=f"{prefix}-{number}",
            provider="twilio",
            account=twilio.ACCOUNT,
        )
        routes.add_address(
            direct_resources(system).log, "whatsapp", sample_data.WHATSAPP_SENDER, owner
        )


@pytest.mark.long
@pytest.mark.parametrize("count", [49, 60, 120])
def test_no_message_to_a_number_of_many_projects_is_lost(system: System, count: int) -> None:
    ref = start_conversation(system, "whatsapp")
    shared_with(system, count)

    system.whatsapp("a", "Which shift is it?", ExternalUserId=f"whatsapp:{USER_ID}")
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?"]
    assert status_of(system, ref)[0] == "reply_sent"


@pytest.mark.long
def test_a_project_is_found_beyond_the_first_page_of_owners(system: System) -> None:
    start_conversation(system, "whatsapp")
    shared_with(system, 560, prefix="p" * 900)

    owners = routes.owners(direct_resources(system).log, "whatsapp", sample_data.WHATSAPP_SENDER)

    assert len(owners) == 561
    assert sample_data.PROJECT in {owner.project_id for owner in owners}


# One person, two ids


def test_a_message_with_both_ids_links_them(system: System) -> None:
    ref = start_conversation(system, "whatsapp")
    system.whatsapp("a", "Which shift is it?", ExternalUserId=f"whatsapp:{USER_ID}")
    system.drain()

    system.whatsapp("b", "And which job?", From=f"whatsapp:{USER_ID}", WaId="")
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?", "And which job?"]


def test_an_unknown_user_id_matches_no_customer(system: System) -> None:
    ref = start_conversation(system, "whatsapp")

    system.whatsapp("b", "Hello", From=f"whatsapp:{USER_ID}", WaId="")
    system.drain()

    assert messages_of(system, ref) == []
    assert len(unmatched(system)) == 1


@pytest.mark.parametrize("sender", ["12345", "CUCUMBER", ""])
def test_a_sender_with_an_invalid_address_is_parked(system: System, sender: str) -> None:
    start_conversation(system)

    write_as(system, sender)

    assert system.parked() == ["bad_address"]


# One number, two spellings


@pytest.mark.parametrize(
    ("dialled", "wa_id"),
    [("+541155512345", "+5491155512345"), ("+525512345678", "+5215512345678")],
    ids=["Argentina", "Mexico"],
)
def test_a_wa_id_that_differs_from_the_dialled_number_matches_the_same_person(
    system: System, dialled: str, wa_id: str
) -> None:
    system.change(policy={"quiet_hours": None})
    ref = start_conversation(system, "whatsapp", recipient_tel=dialled)

    system.whatsapp("m", "Which shift is it?", From=f"whatsapp:{wa_id}", WaId=wa_id.lstrip("+"))
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?"]
    assert status_of(system, ref)[0] == "reply_sent"


def test_a_stop_and_a_start_apply_to_both_spellings(system: System) -> None:
    system.change(policy={"quiet_hours": None})
    start_conversation(system, "whatsapp", recipient_tel=STRANGER)  # The number is in use.
    dialled, wa_id = {"recipient_tel": "+541155512345"}, "whatsapp:+5491155512345"
    for name, word, expected in (
        ("one", "STOP", ("blocked", "opted_out")),
        ("two", "START", ("initial_message_sent", None)),
    ):
        system.clock.ms += HOUR_MS
        system.whatsapp(name, word, From=wa_id)
        system.drain()
        assert (
            status_of(system, start_conversation(system, "whatsapp", f"req-{name}", **dialled))
            == expected
        )


def at_aws(system: System) -> None:
    """Let AWS carry the project's WhatsApp; AWS has ids of its own besides Meta's."""
    channels = sample_data.project()["channel_config"]
    templates = {"invitation": sample_data.INVITATION | {"meta_name": "invitation"}}
    whatsapp = channels["whatsapp"] | {
        "provider": "aws_social",
        "account": "102290129340398",
        "phone_number_id": "phone-number-id-0123456789abcdef0123456789abcdef",
        "templates": templates,
        "reengagement_template": None,
    }
    system.change(channel_config=channels | {"whatsapp": whatsapp})


# One message, two ids


def test_a_quote_by_the_other_id_of_a_message_is_matched(system: System) -> None:
    at_aws(system)
    first = start_conversation(system, "whatsapp", "req-1")
    system.clock.ms += HOUR_MS
    second = start_conversation(system, "whatsapp", "req-2")
    message = next(m for m in system.log(first) if m["author"] == "ai")
    status = DeliveryStatus(
        provider="aws_social",
        provider_message_id="wamid.of-meta",
        account="102290129340398",
        channel_method="whatsapp",
        action_id=identifiers.action_id(first, message["turn_id"]),
        status="delivered",
        occurred_at=clock.to_text(system.clock.ms),
    )
    system.forward(status)
    system.drain()

    system.forward(
        InboundMessage(
            provider="aws_social",
            provider_message_id="wamid.of-ann",
            account="102290129340398",
            company=sample_data.COMPANY,
            channel_method="whatsapp",
            business_address=sample_data.WHATSAPP_SENDER,
            customer_address=sample_data.CANDIDATE,
            received_at=clock.to_text(system.clock.ms),
            kind="text",
            text="Which shift is it?",
            reply_to="wamid.of-meta",
        )
    )
    system.drain()

    assert messages_of(system, first) == ["Which shift is it?"]
    assert messages_of(system, second) == []
    shown = next(m for m in system.log(first) if m["author"] == "ai")
    assert shown["provider_message_id"] == message["provider_message_id"]


@pytest.mark.parametrize("quoted", ["whole", "bare"])
def test_an_answer_to_a_mail_is_matched_by_the_id_of_ses_with_and_without_its_host(
    system: System, quoted: str
) -> None:
    first = start_conversation(system, "email", "req-1")
    system.clock.ms += HOUR_MS
    second = start_conversation(system, "email", "req-2")
    message_id = last_sid(system, first)
    assert message_id.endswith(".amazonses.com")

    reply_to = message_id if quoted == "whole" else message_id.partition("@")[0]
    system.forward(mail(system, "m", "Which shift is it?", reply_to=reply_to))
    system.drain()

    assert messages_of(system, first) == ["Which shift is it?"]
    assert messages_of(system, second) == []
