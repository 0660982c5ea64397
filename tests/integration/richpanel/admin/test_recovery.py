"""Parked events of the help desk over the admin API: listed with their reasons and replayed per conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from richpanel.worker import pipeline
from shared.api.auth import Caller
from tests.integration.richpanel.admin.conftest import (
    CONVERSATION,
    HOST,
    LETTERS,
    OPERATOR,
    PARKED,
    READER,
    REDRIVE,
    REPLAY_ALL,
    REPLAY_PARKED,
    Admin,
    caller,
)
from tests.integration.richpanel.admin.test_replay import park


def shown(admin: Admin, who: Caller = READER, **query: Any) -> list[dict[str, Any]]:
    answer = admin.call(f"GET {PARKED}", who, **query)
    assert answer.status == 200
    events: list[dict[str, Any]] = answer.result["events"]
    return events


def drained(admin: Admin) -> int:
    """Process the queued events with the worker; returns their number."""
    queued = admin.events()
    for event in queued:
        admin.harness.handle(json.dumps(event))
    return len(queued)


def test_a_parked_event_is_open_then_replayed_then_resolved_and_sends_nothing_twice(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    (event,) = shown(admin)
    assert (event["eventId"], event["state"]) == (key, "open")
    assert (event["reason"], event["correlationId"]) == ("too_large", "t-1")

    answer = admin.call(f"POST {REPLAY_PARKED}", event_id=key)

    assert (answer.status, answer.result["state"]) == (202, "replayed")
    (event,) = shown(admin)
    assert (event["state"], event["replayCount"], event["reason"]) == ("replayed", 1, "too_large")
    assert drained(admin) == 1
    assert shown(admin) == []
    (event,) = shown(admin, state="all")
    assert event["state"] == "resolved"
    assert admin.harness.row(key)["replayed_by"] == OPERATOR.principal
    assert [one["event"] for one in admin.traces() if one["change"] == "replay"] == [key]
    assert len(admin.harness.replies()) == 1


def test_an_event_that_is_parked_again_is_open_again_and_replayed_under_the_next_number(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    admin.call(f"POST {REPLAY_PARKED}", event_id=key)
    with monkeypatch.context() as patch:
        patch.setattr(
            pipeline,
            "_already_done",
            lambda resources, case: pipeline._parked(resources, case, "too_large", None),
        )
        assert drained(admin) == 1

    (event,) = shown(admin)
    assert (event["eventId"], event["state"], event["replayCount"]) == (key, "open", 1)
    again = admin.call(f"POST {REPLAY_ALL}").result["replayed"]
    assert [(one["eventId"], one["replay"]) for one in again] == [(key, 2)]


def test_all_open_events_of_a_reason_are_replayed_and_not_twice(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    park(admin, monkeypatch)
    admin.harness.handle("no event")

    none = admin.call(f"POST {REPLAY_ALL}", body={"reason": "another"}).result
    some = admin.call(f"POST {REPLAY_ALL}").result
    again = admin.call(f"POST {REPLAY_ALL}").result

    assert none == {"replayed": [], "refused": []}
    assert [one["replay"] for one in some["replayed"]] == [1]
    assert [one["why"] for one in some["refused"]] == ["unreadable"]
    assert again["replayed"] == []
    assert len(admin.events()) == 1


def test_a_queue_that_refuses_leaves_the_event_open(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    with monkeypatch.context() as patch:
        refused = {"Failed": [{"Id": "0", "Code": "InternalError", "SenderFault": False}]}
        patch.setattr(
            admin.module.deps.queues.mail.client, "send_message_batch", lambda **_: refused
        )
        assert admin.call(f"POST {REPLAY_PARKED}", event_id=key).error == "not_enqueued"

    (event,) = shown(admin)
    assert event["state"] == "open"
    assert len(admin.call(f"POST {REPLAY_ALL}").result["replayed"]) == 1


def test_the_event_of_an_erased_conversation_cannot_be_replayed(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)
    admin.call(f"DELETE {CONVERSATION}")

    answer = admin.call(f"POST {REPLAY_PARKED}", event_id=key)

    assert (answer.status, answer.error) == (409, "not_replayable")
    assert "erased" in answer.body["error"]["message"]
    assert admin.events() == []


@pytest.mark.parametrize("event_id", ["evt:rp:t-1:unknown", "sys:switches", "act:rp_reply:t-1:m-1"])
def test_an_event_that_is_not_parked_is_not_found(admin: Admin, event_id: str) -> None:
    assert admin.call(f"POST {REPLAY_PARKED}", event_id=event_id).error == "not_found"


def test_readers_cannot_replay_and_dead_letters_require_an_operator_of_the_deployment(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = park(admin, monkeypatch)

    assert admin.call(f"POST {REPLAY_PARKED}", READER, event_id=key).error == "forbidden"
    assert admin.call(f"POST {REPLAY_ALL}", READER).error == "forbidden"
    for line in (f"GET {LETTERS}", f"POST {REDRIVE}"):
        assert admin.call(line, OPERATOR).error == "forbidden"
    for line in (f"GET {PARKED}", f"POST {REPLAY_ALL}"):
        assert admin.call(line, caller("whatsapp:admin")).error == "forbidden"
    assert len(shown(admin, HOST)) == 1
    assert admin.events() == []


def test_an_operator_of_any_company_sees_the_events_of_the_accounts_company(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    park(admin, monkeypatch)
    object.__setattr__(admin.module.recovery.parked, "company", lambda: "globex")
    object.__setattr__(admin.module.routes, "company", lambda: "globex")

    assert [event["company"] for event in shown(admin, HOST)] == ["globex"]
    assert shown(admin, HOST, company="acme") == []
    assert admin.call(f"GET {LETTERS}", HOST).status == 200
