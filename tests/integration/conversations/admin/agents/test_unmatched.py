"""Messages that match no conversation, and consent that agents record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.inbound import intake
from conversations.lifecycle.status import Status
from conversations.store import routes
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from conversations.store.items.routes import BusinessAddress
from conversations.store.recovery import unhandled
from shared.aws.sqs_standard import StandardQueue
from shared.events.exchange import InboundMessage
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import (
    ANN,
    COMPANY,
    OTHER_PROJECT,
    OURS,
    PROJECT,
    SECOND_COMPANY,
    Harness,
)
from tests.simulation.conversations.invocations import PERSON

INBOUND = "ConversationsInboundQueue"
STRANGER = "+447700900555"


def taking(harness: Harness) -> intake.IntakeDependencies:
    """The intake worker over the same tables."""
    booking_service = harness.module.deps
    files = StandardQueue(lambda: pytest.fail("no file may be requested"), "-")
    return intake.IntakeDependencies(
        resources=harness.resources, consents=booking_service.consents, files=files
    )


def came(harness: Harness, number: int = 1, **facts: Any) -> InboundMessage:
    """A stranger's SMS has arrived and matches no conversation."""
    owner = BusinessAddress(
        company_id=COMPANY, project_id=PROJECT, provider="twilio", account="AC1"
    )
    routes.add_address(harness.resources.log, "sms", "+12025550142", owner)
    known: dict[str, Any] = {
        "provider": "twilio",
        "provider_message_id": f"SM{number}",
        "account": "AC1",
        "channel_method": "sms",
        "business_address": "+12025550142",
        "customer_address": STRANGER,
        "received_at": harness.later(),
        "kind": "text",
        "text": f"Is anybody there? {number}",
    }
    event = InboundMessage(**(known | facts))
    assert intake.take(taking(harness), event) is intake.Taken.UNMATCHED
    return event


def waiting(harness: Harness, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = harness.call("GET /unmatched", query=query).result["messages"]
    return found


def attached(harness: Harness, shown_id: str, ref: str, **more: Any) -> Answer:
    line = "POST /unmatched/{unmatched_id}/attach"
    return harness.call(line, {"ref": ref}, names={"unmatched_id": shown_id}, **more)


# Unmatched messages


def test_unmatched_messages_are_listed_newest_first_in_three_pages(harness: Harness) -> None:
    for number in range(5):
        came(harness, number)

    pages: list[list[str]] = []
    cursor = None
    while not pages or cursor:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = harness.call("GET /unmatched", query=query)
        pages.append([one["text"][-1] for one in answer.result["messages"]])
        cursor = answer.body.get("cursor")

    assert pages == [["4", "3"], ["2", "1"], ["0"]]


def test_an_unmatched_message_shows_sender_text_and_business_address(harness: Harness) -> None:
    came(harness, profile_name="Ben")

    (shown,) = waiting(harness, project_id=PROJECT)

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
    assert waiting(harness, project_id=OTHER_PROJECT) == []


def test_an_attached_message_is_processed_as_if_it_had_matched_the_conversation(
    harness: Harness,
) -> None:
    ref, event = harness.begin(), came(harness)
    (shown,) = waiting(harness)

    answer = attached(harness, shown["id"], ref)

    assert (answer.status, answer.result) == (202, {"id": shown["id"], "ref": ref})
    (again,) = harness.queued(INBOUND)
    assert again["provider_message_id"] == event.provider_message_id
    assert intake.take(taking(harness), event) is intake.Taken.STORED
    log = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    assert [one["content"] for one in log] == ["Is anybody there? 1"]
    (trigger,) = harness.queued("ConversationsRepliesQueue")
    assert trigger["ref"] == ref
    assert waiting(harness) == []


def test_the_next_message_of_an_attached_sender_matches_the_conversation(
    harness: Harness,
) -> None:
    ref, event = harness.begin(), came(harness)
    (shown,) = waiting(harness)
    attached(harness, shown["id"], ref)
    intake.take(taking(harness), event)

    next_message = replace(
        event, provider_message_id="SM2", text="And now?", received_at=harness.later()
    )
    assert intake.take(taking(harness), next_message) is intake.Taken.STORED

    log = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    assert [one["content"] for one in log] == ["And now?", "Is anybody there? 1"]


def test_a_message_is_attached_once(harness: Harness) -> None:
    ref, other = harness.begin("req-1"), harness.begin("req-2")
    came(harness)
    (shown,) = waiting(harness)

    assert attached(harness, shown["id"], ref).status == 202
    assert attached(harness, shown["id"], ref).status == 202
    refused = attached(harness, shown["id"], other)

    assert (refused.status, refused.error) == (409, "already_attached")
    assert len(harness.queued(INBOUND)) == 1


def test_an_attachment_interrupted_before_the_queue_is_finished_by_its_repetition(
    harness: Harness,
) -> None:
    ref = harness.begin()
    came(harness)
    (shown,) = waiting(harness)
    harness.sqs.refuses = True
    assert attached(harness, shown["id"], ref, key="attach-1").status == 503
    harness.sqs.refuses = False

    assert attached(harness, shown["id"], ref, key="attach-1").status == 202
    assert len(harness.queued(INBOUND)) == 1


def test_a_message_whose_mark_was_never_written_can_be_attached(harness: Harness) -> None:
    """Its intake was interrupted between the message that agents see and the mark."""
    ref = harness.begin()
    event = came(harness)
    (shown,) = waiting(harness)
    where = {"pk": "IN#twilio#SM1", "sk": "#"}
    assert harness.resources.log.get(where) is not None
    harness.resources.log.delete(where)

    attached(harness, shown["id"], ref)

    assert intake.take(taking(harness), event) is intake.Taken.STORED
    assert len(harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]) == 1


def test_a_message_is_attached_on_its_own_channel_only(harness: Harness) -> None:
    ref = harness.begin(channel=ChannelMethod.WHATSAPP)
    came(harness)
    (shown,) = waiting(harness)

    assert attached(harness, shown["id"], ref).error == "other_channel"
    assert waiting(harness) == [shown]


@pytest.mark.parametrize("shown_id", ["x", "2026-01-01T12:00:01.000Z#1", "AAAA" * 12])
def test_an_unknown_id_is_not_found(harness: Harness, shown_id: str) -> None:
    ref = harness.begin()
    came(harness)

    assert attached(harness, shown_id, ref).status == 404


def test_an_unmatched_message_is_listed_until_it_expires(harness: Harness) -> None:
    came(harness)
    harness.later(31 * 86_400_000)

    assert waiting(harness) == []
    assert unhandled.unmatched(harness.resources.log, COMPANY, 10, None) == ([], None)


# Consent


CONSENT = {"recipient": ANN, "channels": ["*"], "evidence": "call of 1 January"}


def consent(harness: Harness, recipient: str = ANN) -> dict[str, str]:
    found = harness.call("POST /opt-outs/search", {"recipient": recipient}).result["channels"]
    return {one["channel"]: one["state"] for one in found}


EVERYWHERE_OUT = {"whatsapp": "opted_out", "sms": "opted_out", "email": "opted_out"}
UNKNOWN = dict.fromkeys(EVERYWHERE_OUT, "unknown")


def test_an_opt_out_is_recorded_with_or_without_a_conversation(harness: Harness) -> None:
    assert consent(harness) == UNKNOWN

    answer = harness.call("POST /opt-outs", CONSENT)

    assert answer.result == {"recorded": True, "channels": ["*"], "refs": []}
    assert consent(harness) == EVERYWHERE_OUT
    (shown, *_) = harness.call("POST /opt-outs/search", {"recipient": ANN}).result["channels"]
    assert shown == {
        "channel": "whatsapp",
        "state": "opted_out",
        "at": "2026-01-01T12:00:00.000Z",
        "source": "operator",
        "evidence": "call of 1 January",
        "recorded_by": f"human:{OURS.principal}",
        "principal": OURS.principal,
    }


def test_an_opt_out_ends_open_conversations_and_raises_the_fence(harness: Harness) -> None:
    ref = harness.begin()
    closed, bens = harness.begin("closed", Status.CLOSED), harness.begin("b", customer=STRANGER)
    fence = harness.state(ref).generation

    answer = harness.call("POST /opt-outs", CONSENT | {PERSON: "carol"})

    assert answer.result["refs"] == [ref]
    assert harness.standing(ref)[:2] == ("opted_out", Mode.CLOSED)
    assert harness.state(ref).generation == fence + 1
    assert harness.changes(ref)[-1].who == "human:carol"
    assert harness.item(closed).conversation_status == "closed"
    assert harness.item(bens).conversation_status == "reply_sent"
    assert harness.sqs.put == []


def test_an_opt_out_covers_every_known_address_of_the_person(harness: Harness) -> None:
    harness.begin()

    harness.call("POST /opt-outs", CONSENT)

    assert consent(harness, "ann.doe@example.com") == EVERYWHERE_OUT


def test_an_opt_out_of_one_channel_does_not_change_the_others(harness: Harness) -> None:
    sms = harness.begin("s")
    whatsapp = harness.begin("w", channel=ChannelMethod.WHATSAPP)

    harness.call("POST /opt-outs", CONSENT | {"channels": ["sms"]})

    assert consent(harness) == UNKNOWN | {"sms": "opted_out"}
    assert harness.item(sms).conversation_status == "opted_out"
    assert harness.item(whatsapp).conversation_status == "reply_sent"


def test_an_opt_in_lifts_the_opt_out_on_its_channels_and_restores_conversations(
    harness: Harness,
) -> None:
    sms = harness.begin("s", Status.INITIAL_MESSAGE_SENT)
    whatsapp = harness.begin("w", channel=ChannelMethod.WHATSAPP)
    harness.call("POST /opt-outs", CONSENT)
    harness.later()

    answer = harness.call("POST /opt-ins", CONSENT | {"channels": ["sms"]})

    assert answer.result["refs"] == [sms]
    assert consent(harness) == EVERYWHERE_OUT | {"sms": "opted_in"}
    assert harness.standing(sms)[:2] == ("initial_message_sent", Mode.AI)
    assert harness.item(whatsapp).conversation_status == "opted_out"


def test_consent_of_one_company_does_not_apply_to_another(harness: Harness) -> None:
    theirs = harness.begin(company=SECOND_COMPANY)

    harness.call("POST /opt-outs", CONSENT)

    assert harness.item(theirs).conversation_status == "reply_sent"


def test_a_repeated_opt_out_under_another_key_is_reported_as_already_recorded(
    harness: Harness,
) -> None:
    harness.call("POST /opt-outs", CONSENT)

    assert harness.call("POST /opt-outs", CONSENT).result["recorded"] is False
