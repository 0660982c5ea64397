"""Voice calls at both providers: permission, placing, control, settings and logs."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    AWS_PHONE,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, text

SENDER = {"phoneNumberId": PHONE}
SDP = "v=0\r\no=- 7614219274584779017 2 IN IP4 127.0.0.1\r\n"
OFFER = {"sdpType": "offer", "sdp": SDP}
ANSWER = {"sdpType": "answer", "sdp": SDP}
PLACED = {**SENDER, "to": f"+{ADA}", "session": OFFER}
EDGE = "/{Version}/{Phone-Number-ID}/calls"
HOURS = {
    "enabled": True,
    "timezone": "Europe/London",
    "weeklyOperatingHours": [
        {
            "dayOfWeek": "MONDAY",
            "openTime": {"hours": 9, "minutes": 0},
            "closeTime": {"hours": 17, "minutes": 30},
        }
    ],
    "holidaySchedule": [
        {
            "date": "2026-12-25",
            "startTime": {"hours": 0, "minutes": 0},
            "endTime": {"hours": 23, "minutes": 59},
        }
    ],
}
SETTINGS = {
    "callEnabled": True,
    "callIconVisibility": "DEFAULT",
    "callbackPermissionStatus": "ENABLED",
    "callHours": HOURS,
}


def permit(actions: Actions, who: str = ADA) -> None:
    actions.sandbox.objects["call permission"][who] = True


def ring(actions: Actions, call_id: str = "wacid.in") -> None:
    """ADA calls the business."""
    actions.sandbox.objects["call"][call_id] = "ringing"
    entry = {
        "id": call_id, "event": "connect", "timestamp": str(NOW // 1000 - 60), "from": ADA,
        "to": "15550783881", "direction": "USER_INITIATED",
        "session": {"sdp_type": "offer", "sdp": SDP},
    }  # fmt: skip
    actions.harness.take({"field": "calls", "calls": [entry]})


def test_a_call_is_placed_once_and_stored_without_its_session(actions: Actions) -> None:
    permit(actions)
    more = {"callReason": "Your order"}
    placed = actions.run("initiate_call", {**PLACED, **more}, key="key-call-1").result

    stored = actions.item(f"CALL#{placed['callId']}")
    assert (stored["status"], stored["from"], stored["to"]) == ("initiated", "15550783881", ADA)
    assert (stored["startedAt"], stored["wabaMetaId"]) == ("2026-01-01T12:00:00.000Z", WABA)
    assert (stored["agent"], stored["note"]) == ("api-key:acme", "Your order")
    assert "v=0" not in str(stored)
    asked, called = actions.wire
    assert wire.problems(asked, "GET", "/{Version}/{Phone-Number-ID}/call_permissions") == []
    assert wire.problems(called, "POST", EDGE) == []
    body: Any = called.body
    assert (body["to"], body["action"]) == (f"+{ADA}", "connect")
    assert body["session"] == {"sdp_type": "offer", "sdp": SDP}
    assert body["biz_opaque_callback_data"] == stored["actionId"]
    again = actions.run("initiate_call", {**PLACED, **more}, key="key-call-1")
    assert again.body["replayed"] is True
    assert len(actions.wire) == 2


def test_events_of_a_placed_call_merge_with_it(actions: Actions) -> None:
    permit(actions)
    call_id = actions.run("initiate_call", PLACED).result["callId"]
    base = {"id": call_id, "timestamp": str(NOW // 1000 + 5)}
    ends = {"from": "15550783881", "to": ADA, "direction": "BUSINESS_INITIATED"}
    end = base | ends | {"event": "terminate", "status": "COMPLETED", "duration": 30}
    actions.harness.take({"field": "calls", "calls": [end]})

    stored = actions.item(f"CALL#{call_id}")
    assert (stored["status"], stored["duration"], stored["agent"]) == ("ended", 30, "api-key:acme")
    assert stored["endedAt"] == "2026-01-01T12:00:05.000Z"


def test_without_permission_there_is_no_call(actions: Actions) -> None:
    answer = actions.run("initiate_call", PLACED)

    assert (answer.status, answer.error) == (422, "policy_refused")
    assert answer.body["error"]["reason"] == "call_permission_missing"
    assert "request_call_permission" in answer.body["error"]["message"]
    assert [sent.operation for sent in actions.wire] == ["get_call_permission"]


def test_safe_mode_stops_calls(actions: Actions) -> None:
    permit(actions)
    actions.switch("true")
    answer = actions.run("initiate_call", PLACED)

    assert (answer.status, answer.body["error"]["reason"]) == (422, "safe_mode")
    assert actions.wire == []


def test_a_lost_answer_to_a_call_is_in_doubt_and_never_repeated(actions: Actions) -> None:
    permit(actions)
    actions.sandbox.faults.add(provider="meta", operation="manage_call", kind="lost_answer")
    first = actions.run("initiate_call", PLACED, key="key-call-2")
    actions.run("initiate_call", PLACED, key="key-call-2")

    assert (first.status, first.result["state"]) == (202, "in_doubt")
    assert [sent.operation for sent in actions.wire].count("manage_call") == 1


def test_an_answer_without_the_id_of_the_call_is_in_doubt_and_stores_no_call(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    permit(actions)
    monkeypatch.setattr("whatsapp.actions.groups_and_calls.calls.post", lambda *_: None)
    answer = actions.run("initiate_call", PLACED)

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert [key for key in actions.harness.keys() if key.startswith("CALL#")] == []


def test_a_number_on_aws_calls_there(actions: Actions) -> None:
    actions.register_eum()
    permit(actions)
    sender = {"phoneNumberId": EUM_PHONE}
    actions.harness.take(
        {
            "messages": [text("wamid.aws", at=NOW // 1000 - 60)],
            "metadata": {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"},
        },
        waba=EUM_WABA,
    )
    placed = actions.run("initiate_call", {**PLACED, **sender}).result
    ended = actions.run("update_call_status", {"callId": placed["callId"], "status": "ended"})

    assert ended.result["status"] == "ended"
    asked, called, terminated = actions.wire
    assert asked.body == {
        "originationPhoneNumberId": AWS_PHONE,
        "destinationPhoneNumber": f"+{ADA}",
    }
    request: Any = called.body
    assert (request["originationPhoneNumberId"], request["metaApiVersion"]) == (AWS_PHONE, "v20.0")
    event: Any = request["callEvent"]
    assert event["action"] == "connect"
    end: Any = terminated.body
    assert end["callEvent"]["call_id"] == placed["callId"]


def test_permission_is_shown_with_its_limits_and_asked_for(actions: Actions) -> None:
    before = actions.run("get_call_permission", {**SENDER, "to": f"+{ADA}"}).result
    assert (before["canCall"], before["canAsk"]) == (False, True)
    asked = actions.send("request_call_permission", {"body": "May we call you?"})
    assert asked.result["state"] == "sent"
    assert wire.problems(actions.wire[-1], "POST", "/{Version}/{Phone-Number-ID}/messages") == []
    permit(actions)
    after = actions.run("get_call_permission", {**SENDER, "to": f"+{ADA}"}).result
    assert (after["canCall"], after["status"]) == (True, "granted")
    assert after["expiresAt"] == "2026-01-09T23:06:40.000Z"
    assert after["limits"] == [{"action": "start_call", "period": "24h", "used": 1, "most": 5}]


def test_a_customers_call_is_answered_and_ended(actions: Actions) -> None:
    ring(actions)
    prepared = actions.run(
        "update_call_status",
        {"callId": "wacid.in", "status": "answered", "preAccept": True, "session": ANSWER},
    )
    assert prepared.result["status"] == "initiated"
    accepted = actions.run(
        "update_call_status", {"callId": "wacid.in", "status": "answered", "session": ANSWER}
    )
    assert (accepted.result["status"], accepted.result["answeredAt"]) == (
        "answered",
        "2026-01-01T12:00:00.000Z",
    )
    ended = actions.run(
        "update_call_status", {"callId": "wacid.in", "status": "ended", "endReason": "Solved"}
    )
    assert (ended.result["status"], ended.result["missed"]) == ("ended", False)
    stored = actions.item("CALL#wacid.in")
    assert (stored["note"], stored["endedAt"]) == ("Solved", "2026-01-01T12:00:00.000Z")
    bodies: list[Any] = [sent.body for sent in actions.wire]
    assert [body["action"] for body in bodies] == ["pre_accept", "accept", "terminate"]
    assert [wire.problems(sent, "POST", EDGE) for sent in actions.wire] == [[], [], []]
    again = actions.run("update_call_status", {"callId": "wacid.in", "status": "ended"})
    assert (again.status, len(actions.wire)) == (200, 3)
    back = actions.run(
        "update_call_status", {"callId": "wacid.in", "status": "answered", "session": ANSWER}
    )
    assert (back.status, back.error) == (409, "state_conflict")


def test_a_rejected_call_is_missed(actions: Actions) -> None:
    ring(actions)
    rejected = actions.run("update_call_status", {"callId": "wacid.in", "status": "missed"}).result

    assert (rejected["status"], rejected["endReason"], rejected["missed"]) == (
        "ended",
        "REJECTED",
        True,
    )
    assert wire.problems(actions.wire[0], "POST", EDGE) == []


def test_what_only_the_provider_knows_is_refused(actions: Actions) -> None:
    permit(actions)
    call_id = actions.run("initiate_call", PLACED).result["callId"]
    answer = actions.run("update_call_status", {"callId": call_id, "status": "missed"})

    assert (answer.status, answer.error) == (409, "state_conflict")


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("initiate_call", {**PLACED, "session": ANSWER}, "session.sdpType"),
        ("initiate_call", {**PLACED, "callType": "video"}, "callType"),
        ("update_call_status", {"callId": "c", "status": "answered"}, "body"),
        ("update_call_status", {"callId": "c", "status": "ended", "preAccept": True}, "body"),
        ("update_call_settings", {**SENDER, "settings": {}}, "settings.callEnabled"),
        (
            "update_call_settings",
            {**SENDER, "settings": {**SETTINGS, "callHours": {**HOURS, "timezone": "Moon"}}},
            "settings.callHours.timezone",
        ),
        ("create_call_deeplink", {"phoneNumber": "+44 7700 900101", "text": "Hi"}, "body"),
        ("get_call_logs", {}, "body"),
    ],
)
def test_invalid_calls_are_refused_with_the_field(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    answer = actions.run(action, body)

    assert (answer.status, answer.fields) == (400, [field])
    assert actions.wire == []


def test_settings_are_written_and_read_on_graph(actions: Actions) -> None:
    updated = actions.run("update_call_settings", {**SENDER, "settings": SETTINGS}).result
    assert updated == SETTINGS
    sent: Any = actions.wire[0]
    assert sent.path == f"/v23.0/{PHONE}/settings"
    assert sent.body["calling"]["call_hours"]["weekly_operating_hours"] == [
        {"day_of_week": "MONDAY", "open_time": "0900", "close_time": "1730"}
    ]
    assert actions.item(f"PHONE#{PHONE}")["callSettings"] == SETTINGS
    assert actions.run("get_call_settings", SENDER).result == SETTINGS
    assert wire.problems(actions.wire[1], "GET", "/{Version}/{Phone-Number-ID}/settings") == []


def test_settings_are_written_and_read_on_aws(actions: Actions) -> None:
    actions.register_eum()
    sender = {"phoneNumberId": EUM_PHONE}
    actions.run("update_call_settings", {**sender, "settings": SETTINGS})

    assert actions.wire[0].operation == "UpdateLinkedWhatsAppBusinessAccountPhoneNumber"
    assert actions.wire[0].body == {"callSettings": SETTINGS}
    assert actions.run("get_call_settings", sender).result == SETTINGS
    shown = actions.run("get_phone_info", sender).result
    assert shown["callSettings"] == SETTINGS


def test_calls_are_listed_of_a_number_and_of_a_customer(actions: Actions) -> None:
    permit(actions)
    ring(actions, "wacid.1")
    ring(actions, "wacid.2")
    actions.run("update_call_status", {"callId": "wacid.1", "status": "missed"})
    placed = actions.run("initiate_call", PLACED).result["callId"]

    whole = actions.run("get_call_logs", SENDER).result
    assert {one["callId"] for one in whole["calls"]} == {placed, "wacid.1", "wacid.2"}
    assert whole["calls"][0]["callId"] == placed
    assert whole["totals"] == {"calls": 3, "answered": 0, "missed": 1, "duration": 0}
    first = actions.run("get_call_logs", {**SENDER, "limit": 2})
    second = actions.run("get_call_logs", {**SENDER, "limit": 2, "cursor": first.body["cursor"]})
    ids = [one["callId"] for page in (first, second) for one in page.result["calls"]]
    assert ids == [one["callId"] for one in whole["calls"]]
    both = actions.run("get_call_logs", {**SENDER, "toNumber": f"+{ADA}"}).result
    assert both["totals"]["calls"] == 3
    made = actions.run("get_call_logs", {"toNumber": f"+{ADA}"}).result
    assert made["totals"]["calls"] == 2
    by_agent = actions.run("get_call_logs", {**SENDER, "agentId": "api-key:acme"}).result
    assert [one["callId"] for one in by_agent["calls"]] == [placed]
    early = actions.run("get_call_logs", {**SENDER, "until": "2025-12-31T00:00:00Z"}).result
    assert early["calls"] == []


def test_links_open_calls_and_chats(actions: Actions) -> None:
    voice = actions.run("create_call_deeplink", {"phoneNumber": "+44 7700 900101"}).result
    chat = {"phoneNumber": "447700900101", "callType": "chat", "text": "Hi & hello"}

    assert voice == {"link": "https://wa.me/call/447700900101"}
    assert actions.run("create_call_deeplink", chat).result == {
        "link": "https://wa.me/447700900101?text=Hi%20%26%20hello"
    }


def test_calls_of_another_company_do_not_exist(actions: Actions) -> None:
    ring(actions)
    ended = {"callId": "wacid.in", "status": "ended"}

    assert actions.run("update_call_status", ended, caller=GLOBEX).status == 404
    assert actions.run("initiate_call", PLACED, caller=GLOBEX).status == 404
    assert actions.run("get_call_logs", SENDER, caller=GLOBEX).status == 404
    others = actions.run("get_call_logs", {"toNumber": f"+{ADA}"}, caller=GLOBEX)
    assert others.result["calls"] == []
    assert actions.wire == []
