"""Calls: their events are merged into one item in the timeline, and a customer's call opens the window."""

from itertools import permutations
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from tests.integration.whatsapp.worker.test_ownership import deliver_from_other_company
from whatsapp.inbound.event import Outcome

AT = NOW // 1000 - 600
CONVERSATION = f"CONV#{PHONE}#447700900101"
SDP = {"sdp_type": "offer", "sdp": "v=0 o=- 7614219274584779017 IN IP4 127.0.0.1"}


def call(event: str, at: int, **more: Any) -> dict[str, Any]:
    ends = {"from": "447700900101", "to": "15550783881", "direction": "USER_INITIATED"}
    entry = {"id": "wacid.1", "event": event, "timestamp": str(AT + at), **ends} | more
    return {"field": "calls", "calls": [entry]}


def status(word: str, at: int, **more: Any) -> dict[str, Any]:
    entry = {"id": "wacid.2", "type": "call", "status": word, "timestamp": str(AT + at)}
    return {"field": "calls", "statuses": [entry | {"recipient_id": "447700900101"} | more]}


CONNECT = call("connect", 0, session=SDP)
COMPLETED = call(
    "terminate", 63, status="COMPLETED", start_time=str(AT + 3), end_time=str(AT + 63), duration=60
)
OURS = {"from": "15550783881", "to": "447700900101", "direction": "BUSINESS_INITIATED"}
OF_OURS = (
    call("connect", 0, id="wacid.2", session=SDP, biz_opaque_callback_data="action-1", **OURS),
    status("RINGING", 2),
    status("ACCEPTED", 5),
    call("terminate", 9, id="wacid.2", status="COMPLETED", duration=4, **OURS),
)


def test_a_call_of_a_customer_is_kept_with_its_times_in_the_timeline(harness: Harness) -> None:
    assert harness.outcomes(CONNECT, COMPLETED) == [Outcome.PERSISTED, Outcome.PERSISTED]

    stored = harness.item("CALL#wacid.1")
    assert (stored["status"], stored["endReason"], stored["duration"]) == ("ended", "COMPLETED", 60)
    assert stored["startedAt"] == stored["receivedAt"] == "2026-01-01T11:50:00.000Z"
    assert stored["answeredAt"] == "2026-01-01T11:50:03.000Z"
    assert stored["endedAt"] == "2026-01-01T11:51:03.000Z"
    assert (stored["from"], stored["fromPk"]) == ("447700900101", "447700900101")
    assert (stored["to"], stored["conversationPk"]) == ("15550783881", CONVERSATION)
    assert stored["inboxPk"] == f"arn:parley:whatsapp:::phone-number-id/{PHONE}"


def test_events_of_a_call_give_the_same_item_in_any_order(harness: Harness) -> None:
    left = []
    for order in permutations(OF_OURS):
        for value in order:
            harness.take(value)
        left.append({k: v for k, v in harness.item("CALL#wacid.2").items() if k != "revision"})
        harness.resources.table.delete({"pk": "CALL#wacid.2"})

    assert len(left) == 24
    assert all(item == left[0] for item in left)
    assert (left[0]["status"], left[0]["from"], left[0]["to"]) == (
        "ended",
        "15550783881",
        "447700900101",
    )
    assert left[0]["actionId"] == "action-1"


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (OF_OURS[:1], ("initiated", None)),
        (OF_OURS[:2], ("ringing", None)),
        (OF_OURS[:3], ("answered", None)),
        ((status("REJECTED", 4), OF_OURS[3]), ("ended", "REJECTED")),
        ((call("terminate", 9, id="wacid.2", status=["FAILED"], **OURS),), ("failed", "FAILED")),
    ],
)
def test_the_furthest_event_of_a_call_is_its_status(
    harness: Harness, values: tuple[dict[str, Any], ...], shown: tuple[str, str | None]
) -> None:
    harness.take(*values)

    stored = harness.item("CALL#wacid.2")
    assert (stored["status"], stored.get("endReason")) == shown


def test_a_repeated_call_event_is_a_duplicate(harness: Harness) -> None:
    harness.take(CONNECT, COMPLETED)
    before = harness.item("CALL#wacid.1")

    assert harness.outcomes(CONNECT, COMPLETED) == [Outcome.DUPLICATE, Outcome.DUPLICATE]
    assert harness.item("CALL#wacid.1") == before


def head(harness: Harness) -> dict[str, Any]:
    return harness.item(CONVERSATION)


def shown(harness: Harness) -> tuple[str, str, int, str]:
    item = head(harness)
    return item["lastType"], item["lastPreview"], item["unreadCount"], item["receivedAt"]


def test_a_call_opens_the_window_and_is_shown_in_its_conversation(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", at=AT - 60)]})

    harness.take(CONNECT)

    assert head(harness)["lastInboundAt"] == "2026-01-01T11:50:00.000Z"
    assert head(harness)["lastMessagePk"] == "CALL#wacid.1"
    assert shown(harness) == ("call", "[incoming call]", 1, "2026-01-01T11:50:00.000Z")


def test_a_call_of_a_new_customer_lists_a_conversation(harness: Harness) -> None:
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}
    harness.take(CONNECT | {"contacts": [contact]}, COMPLETED)

    assert head(harness)["listPk"].endswith("#open#read")
    assert (head(harness)["from"], head(harness)["senderName"]) == ("447700900101", "Ada Byrne")
    assert shown(harness) == ("call", "[incoming call, 1:00]", 0, "2026-01-01T11:51:03.000Z")


MISSED = call("terminate", 30, status="COMPLETED")


@pytest.mark.parametrize("events", list(permutations((CONNECT, MISSED, MISSED))))
def test_a_missed_call_counts_once_as_unread_in_any_order_of_its_events(
    harness: Harness, events: tuple[dict[str, Any], ...]
) -> None:
    harness.take({"messages": [text("wamid.1", at=AT - 60)]})

    harness.take(*events)

    assert shown(harness) == ("call", "[missed call]", 2, "2026-01-01T11:50:30.000Z")
    assert head(harness)["listPk"].endswith("#open#unread")


def test_a_missed_call_below_the_ring_is_counted_again_with_the_messages(harness: Harness) -> None:
    harness.take(CONNECT, MISSED)
    for number in range(40):
        harness.take({"messages": [text(f"wamid.{number}", at=AT + 60 + number)]})
    assert head(harness)["unreadCount"] == 41

    harness.take({"messages": [text("wamid.old", at=AT - 60)]})

    assert head(harness)["unreadCount"] == 42


@pytest.mark.parametrize("events", list(permutations(OF_OURS, 4))[::5])
def test_a_call_of_the_business_is_shown_but_not_counted_and_opens_no_window(
    harness: Harness, events: tuple[dict[str, Any], ...]
) -> None:
    harness.take(*events)

    assert shown(harness) == ("call", "[outgoing call, 0:04]", 0, "2026-01-01T11:50:09.000Z")
    assert "lastInboundAt" not in head(harness)


def test_a_call_that_nobody_answered_is_shown_as_such(harness: Harness) -> None:
    harness.take(OF_OURS[0], status("REJECTED", 4))

    assert head(harness)["lastPreview"] == "[outgoing call, not answered]"


def test_a_message_during_a_call_is_shown_until_the_call_ends(harness: Harness) -> None:
    harness.take(CONNECT, {"messages": [text("wamid.1", "here is my address", at=AT + 30)]})
    assert head(harness)["lastPreview"] == "here is my address"

    harness.take(COMPLETED)

    assert head(harness)["lastPreview"] == "[incoming call, 1:00]"


def test_a_message_older_than_a_call_is_counted_and_does_not_move_the_window_back(
    harness: Harness,
) -> None:
    harness.take(CONNECT)

    harness.take({"messages": [text("wamid.1", at=AT - 60)]})
    harness.take({"messages": [text("wamid.1", at=AT - 60)]})

    assert shown(harness) == ("call", "[incoming call]", 1, "2026-01-01T11:50:00.000Z")
    assert head(harness)["lastInboundAt"] == "2026-01-01T11:50:00.000Z"


@pytest.mark.parametrize("registered", [True, False])
def test_the_connection_data_of_a_call_are_not_stored(harness: Harness, registered: bool) -> None:
    if not registered:
        harness.resources.table.delete({"pk": f"PHONE#{PHONE}"})
        harness.take(CONNECT | {"errors": [{"session": SDP}]})
    else:
        harness.take(CONNECT, call("hold", 1, connection={"webrtc": SDP}))

    stored = str([harness.item(key) for key in harness.keys()])
    s3 = boto3.client("s3")
    bucket = harness.resources.bucket.name
    for found in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
        stored += s3.get_object(Bucket=bucket, Key=found["Key"])["Body"].read().decode()
    assert "WEBHOOK#" in stored
    assert "7614219274584779017" not in stored


@pytest.mark.parametrize("event", [None, "", [], {}, 7, "x" * 65])
def test_a_call_event_without_a_word_is_parked(harness: Harness, event: Any) -> None:
    (handled,) = harness.take(call(event, 1))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "unknown_call_event")


@pytest.mark.parametrize(
    "word", ["hold", "call_recording_available", "call_transcription_available", "next_year"]
)
def test_an_unknown_word_of_a_call_is_a_step_and_changes_no_status(
    harness: Harness, word: str
) -> None:
    more = {"recording": {"id": "77", "mime_type": "audio/ogg"}}
    for value in (CONNECT, COMPLETED, call(word, 70, **more)):
        assert harness.outcomes(value) == [Outcome.PERSISTED]

    stored = harness.item("CALL#wacid.1")
    assert (stored["status"], stored["endReason"]) == ("ended", "COMPLETED")
    assert stored["steps"][word] == "2026-01-01T11:51:10.000Z"
    # What the call does not show is kept as received.
    assert harness.events_kept() == 1


def test_a_status_without_a_customer_is_parked_unless_its_call_is_known(harness: Harness) -> None:
    (lost,) = harness.take(status("RINGING", 2, recipient_id=""))
    harness.take(OF_OURS[0])
    (found,) = harness.take(status("ACCEPTED", 3, recipient_id=""))

    assert (lost.reason, found.reason) == ("no_customer", None)
    assert harness.item("CALL#wacid.2")["status"] == "answered"


def test_a_call_of_another_company_is_not_changed(harness: Harness) -> None:
    harness.take(CONNECT)
    before = harness.item("CALL#wacid.1")

    assert deliver_from_other_company(harness, COMPLETED) == "foreign_call"
    assert harness.item("CALL#wacid.1") == before
