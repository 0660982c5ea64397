"""Parked events: their list and their replay, for one company only."""

import json
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.actions.conftest import GLOBEX, Actions
from tests.integration.whatsapp.conftest import T0, text

CONFLICT = "conflict"


def park(actions: Actions, count: int = 1) -> list[str]:
    """Park events of acme: the same message ids with other content. Returns the ids, newest first."""
    for number in range(count):
        first = text(f"wamid.p{number}", "first", at=T0 + number)
        actions.harness.take({"messages": [first]})
        actions.harness.take({"messages": [first | {"text": {"body": "another"}}]})
    found: list[dict[str, Any]] = actions.run("list_parked_events").result["events"]
    return [event["eventId"] for event in found]


def queued(actions: Actions) -> list[dict[str, Any]]:
    url = actions.module.settings.whatsapp_queue_url
    answer = boto3.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [json.loads(message["Body"]) for message in answer.get("Messages", [])]


def test_parked_events_are_listed_with_reason_and_outline(actions: Actions) -> None:
    (event_id,) = park(actions)

    (event,) = actions.run("list_parked_events", {"reason": CONFLICT}).result["events"]

    assert (event["eventId"], event["reason"], event["state"]) == (event_id, CONFLICT, "open")
    assert "another" not in json.dumps(event)
    assert actions.run("list_parked_events", {"reason": "other"}).result == {"events": []}
    assert actions.run("list_parked_events", caller=GLOBEX).result == {"events": []}
    early = {"until": "2026-01-01T00:00:00Z"}
    assert actions.run("list_parked_events", early).result == {"events": []}
    late = {"since": "2026-01-02T00:00:00Z"}
    assert actions.run("list_parked_events", late).result == {"events": []}


@pytest.mark.parametrize("by", ["eventIds", "reason", "since"])
def test_parked_events_are_queued_again_once(actions: Actions, by: str) -> None:
    ids = park(actions, 2)
    bodies: dict[str, dict[str, Any]] = {
        "eventIds": {"eventIds": ids},
        "reason": {"reason": CONFLICT},
        "since": {"since": "2026-01-01T00:00:00Z"},
    }
    body = bodies[by]

    answer = actions.run("replay_parked_events", body, key="replay-1")
    again = actions.run("replay_parked_events", body, key="replay-1")

    assert {one["eventId"] for one in answer.result["replayed"]} == set(ids)
    assert (answer.result["refused"], again.result) == ([], answer.result)
    assert {event["replayOf"] for event in queued(actions)} == set(ids)
    stored = [actions.item(f"WEBHOOK#{each}") for each in ids]
    assert {item["replayedBy"] for item in stored} == {"api-key:acme"}
    if by != "eventIds":
        assert actions.run("replay_parked_events", body).result["replayed"] == []


def test_a_call_stops_before_its_time_ends_and_goes_on_with_its_cursor(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = park(actions, 2)
    monkeypatch.setattr("whatsapp.actions.accounts.administration.parked.SPARE_MS", 30_000)
    body = {"reason": CONFLICT}

    first = actions.run("replay_parked_events", body)
    rest = actions.run("replay_parked_events", body | {"cursor": first.body["cursor"]})

    found = [one["eventId"] for one in first.result["replayed"] + rest.result["replayed"]]
    assert sorted(found) == sorted(ids)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"until": "2026-01-01T00:00:00Z"},
        {"eventIds": ["x"]},
        {"eventIds": ["a" * 64], "reason": CONFLICT},
        {"reason": CONFLICT, "limit": 1_001},
    ],
)
def test_a_replay_must_be_narrowed(actions: Actions, body: dict[str, Any]) -> None:
    assert actions.run("replay_parked_events", body).error == "invalid_input"


def test_events_of_another_company_are_not_found(actions: Actions) -> None:
    (event_id,) = park(actions)

    replay = actions.run("replay_parked_events", {"eventIds": [event_id]}, caller=GLOBEX)
    retry = actions.run("webhook_retry", {"webhookEventId": event_id}, caller=GLOBEX)

    assert (replay.status, retry.status, queued(actions)) == (404, 404, [])


def test_an_event_whose_body_is_gone_is_refused(actions: Actions) -> None:
    (event_id,) = park(actions)
    bucket = actions.harness.resources.bucket
    for key in bucket.keys_under("parked/"):
        bucket.delete(key)

    answer = actions.run("replay_parked_events", {"eventIds": [event_id]}).result
    retry = actions.run("webhook_retry", {"webhookEventId": event_id})

    assert answer == {"replayed": [], "refused": [{"eventId": event_id, "why": "gone"}]}
    assert retry.error == "state_conflict"


def test_an_event_is_retried_at_most_five_times(actions: Actions) -> None:
    (event_id,) = park(actions)
    body = {"webhookEventId": event_id}

    answers = [actions.run("webhook_retry", body) for _ in range(6)]

    assert [answer.status for answer in answers] == [200] * 5 + [409]
    assert [answer.result["replayCount"] for answer in answers[:5]] == [1, 2, 3, 4, 5]
    assert answers[5].error == "state_conflict"
    assert actions.item(f"WEBHOOK#{event_id}")["replayCount"] == 5


def test_a_handled_event_is_not_retried(actions: Actions) -> None:
    (event_id,) = park(actions)
    table = actions.harness.resources.table
    table.update({"pk": f"WEBHOOK#{event_id}"}, put={"resolvedAt": "2026-01-01T12:00:00.000Z"})

    assert actions.run("webhook_retry", {"webhookEventId": event_id}).error == "state_conflict"
    assert queued(actions) == []
