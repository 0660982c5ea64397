"""Messages that match no conversation, and consent that agents record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.configuration.credentials import Credentials
from conversations.inbound import intake
from conversations.inbound.attachments import AttachmentDependencies
from conversations.lifecycle.status import Status
from conversations.store import routes, unhandled
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from conversations.store.items.routes import BusinessAddress
from shared.events import InboundMessage
from tests.integration.conversations.agency import (
    ANN,
    COMPANY,
    NEIGHBOUR,
    OTHER_PROJECT,
    OURS,
    PROJECT,
    Agency,
    Answer,
)

INBOUND = "ConversationsInboundQueue"
STRANGER = "+447700900555"


def taking(agency: Agency) -> intake.IntakeDependencies:
    """The intake worker over the same tables."""
    office = agency.module.deps
    credentials = Credentials(lambda: pytest.fail("no secret may be read"))
    nowhere = AttachmentDependencies(
        resources=agency.resources, origins=(), credentials=credentials, twilio_url=""
    )
    return intake.IntakeDependencies(
        resources=agency.resources, consents=office.consents, attachments=nowhere
    )


def came(agency: Agency, number: int = 1, **facts: Any) -> InboundMessage:
    """A stranger's SMS has arrived and matches no conversation."""
    owner = BusinessAddress(
        company_id=COMPANY, project_id=PROJECT, provider="twilio", account="AC1"
    )
    routes.add_address(agency.resources.log, "sms", "+12025550142", owner)
    known: dict[str, Any] = {
        "provider": "twilio",
        "provider_message_id": f"SM{number}",
        "account": "AC1",
        "channel_method": "sms",
        "business_address": "+12025550142",
        "customer_address": STRANGER,
        "received_at": agency.later(),
        "kind": "text",
        "text": f"Is anybody there? {number}",
    }
    event = InboundMessage(**(known | facts))
    assert intake.take(taking(agency), event) is intake.Taken.UNMATCHED
    return event


def waiting(agency: Agency, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = agency.call("GET /unmatched", query=query).result["messages"]
    return found


def attached(agency: Agency, shown_id: str, ref: str, **more: Any) -> Answer:
    line = "POST /unmatched/{unmatched_id}/attach"
    return agency.call(line, {"ref": ref}, names={"unmatched_id": shown_id}, **more)


# Unmatched messages


def test_unmatched_messages_are_listed_newest_first_in_three_pages(agency: Agency) -> None:
    for number in range(5):
        came(agency, number)

    pages: list[list[str]] = []
    cursor = None
    while not pages or cursor:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = agency.call("GET /unmatched", query=query)
        pages.append([one["text"][-1] for one in answer.result["messages"]])
        cursor = answer.body.get("cursor")

    assert pages == [["4", "3"], ["2", "1"], ["0"]]


def test_an_unmatched_message_shows_sender_text_and_business_address(agency: Agency) -> None:
    came(agency, profile_name="Ben")

    (shown,) = waiting(agency, project_id=PROJECT)

    assert {name: shown[name] for name in shown if name != "id"} == {
        "project_id": PROJECT,
        "channel_method": "sms",
        "received_at": "2026-01-01T12:00:01.000Z",
        "kind": "text",
        "text": "Is anybody there? 1",
        "files": 0,
        "business_address": "+12025550142",
        "customer_address": STRANGER,
        "profile_name": "Ben",
    }
    assert waiting(agency, project_id=OTHER_PROJECT) == []


def test_an_attached_message_is_processed_as_if_it_had_matched_the_conversation(
    agency: Agency,
) -> None:
    ref, event = agency.begin(), came(agency)
    (shown,) = waiting(agency)

    answer = attached(agency, shown["id"], ref)

    assert (answer.status, answer.result) == (202, {"id": shown["id"], "ref": ref})
    (again,) = agency.queued(INBOUND)
    assert again["provider_message_id"] == event.provider_message_id
    assert intake.take(taking(agency), event) is intake.Taken.STORED
    log = agency.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    assert [one["content"] for one in log] == ["Is anybody there? 1"]
    (trigger,) = agency.queued("ConversationsRepliesQueue")
    assert trigger["ref"] == ref
    assert waiting(agency) == []


def test_the_next_message_of_an_attached_sender_matches_the_conversation(
    agency: Agency,
) -> None:
    ref, event = agency.begin(), came(agency)
    (shown,) = waiting(agency)
    attached(agency, shown["id"], ref)
    intake.take(taking(agency), event)

    next_message = replace(
        event, provider_message_id="SM2", text="And now?", received_at=agency.later()
    )
    assert intake.take(taking(agency), next_message) is intake.Taken.STORED

    log = agency.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    assert [one["content"] for one in log] == ["And now?", "Is anybody there? 1"]


def test_a_message_is_attached_once(agency: Agency) -> None:
    ref, other = agency.begin("req-1"), agency.begin("req-2")
    came(agency)
    (shown,) = waiting(agency)

    assert attached(agency, shown["id"], ref).status == 202
    assert attached(agency, shown["id"], ref).status == 202
    refused = attached(agency, shown["id"], other)

    assert (refused.status, refused.error) == (409, "already_attached")
    assert len(agency.queued(INBOUND)) == 1


def test_an_attachment_interrupted_before_the_queue_is_finished_by_its_repetition(
    agency: Agency,
) -> None:
    ref = agency.begin()
    came(agency)
    (shown,) = waiting(agency)
    agency.sqs.refuses = True
    assert attached(agency, shown["id"], ref, key="attach-1").status == 503
    agency.sqs.refuses = False

    assert attached(agency, shown["id"], ref, key="attach-1").status == 202
    assert len(agency.queued(INBOUND)) == 1


def test_a_message_whose_mark_was_never_written_can_be_attached(agency: Agency) -> None:
    """Its intake was interrupted between the message that agents see and the mark."""
    ref = agency.begin()
    event = came(agency)
    (shown,) = waiting(agency)
    where = {"pk": "IN#twilio#SM1", "sk": "#"}
    assert agency.resources.log.get(where) is not None
    agency.resources.log.delete(where)

    attached(agency, shown["id"], ref)

    assert intake.take(taking(agency), event) is intake.Taken.STORED
    assert len(agency.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]) == 1


def test_a_message_is_attached_on_its_own_channel_only(agency: Agency) -> None:
    ref = agency.begin(channel=ChannelMethod.WHATSAPP)
    came(agency)
    (shown,) = waiting(agency)

    assert attached(agency, shown["id"], ref).error == "other_channel"
    assert waiting(agency) == [shown]


@pytest.mark.parametrize("shown_id", ["x", "2026-01-01T12:00:01.000Z#1", "AAAA" * 12])
def test_an_unknown_id_is_not_found(agency: Agency, shown_id: str) -> None:
    ref = agency.begin()
    came(agency)

    assert attached(agency, shown_id, ref).status == 404


def test_an_unmatched_message_is_listed_until_it_expires(agency: Agency) -> None:
    came(agency)
    agency.later(31 * 86_400_000)

    assert waiting(agency) == []
    assert unhandled.unmatched(agency.resources.log, COMPANY, 10, None) == ([], None)


# Consent


CONSENT = {"recipient": ANN, "channels": ["*"], "evidence": "call of 1 January"}


def consent(agency: Agency, recipient: str = ANN) -> dict[str, str]:
    found = agency.call("POST /opt-outs/search", {"recipient": recipient}).result["channels"]
    return {one["channel"]: one["state"] for one in found}


EVERYWHERE_OUT = {"whatsapp": "opted_out", "sms": "opted_out", "email": "opted_out"}
UNKNOWN = dict.fromkeys(EVERYWHERE_OUT, "unknown")


def test_an_opt_out_is_recorded_with_or_without_a_conversation(agency: Agency) -> None:
    assert consent(agency) == UNKNOWN

    answer = agency.call("POST /opt-outs", CONSENT)

    assert answer.result == {"recorded": True, "channels": ["*"], "refs": []}
    assert consent(agency) == EVERYWHERE_OUT
    (shown, *_) = agency.call("POST /opt-outs/search", {"recipient": ANN}).result["channels"]
    assert shown == {
        "channel": "whatsapp",
        "state": "opted_out",
        "at": "2026-01-01T12:00:00.000Z",
        "source": "operator",
        "evidence": "call of 1 January",
        "recorded_by": f"human:{OURS.principal}",
        "principal": OURS.principal,
    }


def test_an_opt_out_ends_open_conversations_and_raises_the_fence(agency: Agency) -> None:
    ref = agency.begin()
    closed, bens = agency.begin("closed", Status.CLOSED), agency.begin("b", customer=STRANGER)
    fence = agency.state(ref).generation

    answer = agency.call("POST /opt-outs", CONSENT | {"agent_id": "carol"})

    assert answer.result["refs"] == [ref]
    assert agency.standing(ref)[:2] == ("opted_out", Mode.CLOSED)
    assert agency.state(ref).generation == fence + 1
    assert agency.changes(ref)[-1].who == "human:carol"
    assert agency.item(closed).conversation_status == "closed"
    assert agency.item(bens).conversation_status == "reply_sent"
    assert agency.sqs.put == []


def test_an_opt_out_covers_every_known_address_of_the_person(agency: Agency) -> None:
    agency.begin()

    agency.call("POST /opt-outs", CONSENT)

    assert consent(agency, "ann.doe@example.com") == EVERYWHERE_OUT


def test_an_opt_out_of_one_channel_does_not_change_the_others(agency: Agency) -> None:
    sms = agency.begin("s")
    whatsapp = agency.begin("w", channel=ChannelMethod.WHATSAPP)

    agency.call("POST /opt-outs", CONSENT | {"channels": ["sms"]})

    assert consent(agency) == UNKNOWN | {"sms": "opted_out"}
    assert agency.item(sms).conversation_status == "opted_out"
    assert agency.item(whatsapp).conversation_status == "reply_sent"


def test_an_opt_in_lifts_the_opt_out_on_its_channels_and_restores_conversations(
    agency: Agency,
) -> None:
    sms = agency.begin("s", Status.INITIAL_MESSAGE_SENT)
    whatsapp = agency.begin("w", channel=ChannelMethod.WHATSAPP)
    agency.call("POST /opt-outs", CONSENT)
    agency.later()

    answer = agency.call("POST /opt-ins", CONSENT | {"channels": ["sms"]})

    assert answer.result["refs"] == [sms]
    assert consent(agency) == EVERYWHERE_OUT | {"sms": "opted_in"}
    assert agency.standing(sms)[:2] == ("initial_message_sent", Mode.AI)
    assert agency.item(whatsapp).conversation_status == "opted_out"


def test_consent_of_one_company_does_not_apply_to_another(agency: Agency) -> None:
    theirs = agency.begin(company=NEIGHBOUR)

    agency.call("POST /opt-outs", CONSENT)

    assert agency.item(theirs).conversation_status == "reply_sent"


def test_a_repeated_opt_out_under_another_key_is_reported_as_already_recorded(
    agency: Agency,
) -> None:
    agency.call("POST /opt-outs", CONSENT)

    assert agency.call("POST /opt-outs", CONSENT).result["recorded"] is False
