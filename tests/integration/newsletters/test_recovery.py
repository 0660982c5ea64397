"""Events that cannot be processed are parked, shown to their company and replayed; dead letters are redriven."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.inbound.events import (
    PrivacyRequested,
    PurgeRequested,
    StepRequested,
    entry,
)
from newsletters.store import jobs
from newsletters.store.items import JobState
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry, digest
from shared.events.queued_events import body_of
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

OTHER = "globex"
PARKED, LETTERS = "/newsletters/parked", "/newsletters/dead-letters"


def result(system: System, method: str, path: str, body: Any = None, **more: Any) -> Any:
    """The result of a call that succeeds."""
    status, answer = system.call(method, path, body, **more)
    assert status < 300, answer
    return answer["result"]


def table_of(system: System) -> Table:
    return Table(system.dynamodb, system.table)


def put(system: System, body: str, queue: str | None = None) -> None:
    """Queue a message as it is, and have the workers process it."""
    group = digest(body, str(system.clock.ms))
    system.fifo_queues.put(queue or system.steps_queue, Entry(body, group, group))
    system.drain()


def create(system: System, company: str = COMPANY) -> str:
    title = {"title": "Field notes", "target_audience": ["researchers"]}
    code: str = result(system, "POST", "/newsletters", title, company=company)["newsletter_code"]
    return code


def unreadable(code: str, **more: Any) -> str:
    """An event whose step does not exist."""
    event = StepRequested(code=code, step="topics", job_id="j")
    return json.dumps({**json.loads(body_of(event)), "step": "summary", **more})


def parked(system: System, **more: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = result(system, "GET", PARKED, **more)["events"]
    return events


def run_out_of_attempts(system: System, body: str, queue: str | None = None) -> None:
    """A message fails at every attempt, because the table does."""
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.GetItem")
    put(system, body, queue)
    system.interceptor.rewind()


@pytest.mark.parametrize("queue", ["steps", "exports"])
@pytest.mark.parametrize("body", ["no JSON", "[]", '{"type": "unknown"}', "[" * 100_000])
def test_an_event_that_cannot_be_read_is_parked_for_operators(
    system: System, queue: str, body: str
) -> None:
    put(system, body, getattr(system, f"{queue}_queue"))

    assert parked(system) == []
    (event,) = parked(system, scopes="operator")
    assert event["state"] == "open"
    assert "company" not in event
    assert system.fifo_queues.dead_letters == []


def test_an_event_that_names_a_newsletter_is_parked_for_its_company(system: System) -> None:
    code, other = create(system), create(system, OTHER)

    put(system, unreadable(code))
    system.clock.ms += 1_000
    put(system, unreadable(other))

    (own,) = parked(system)
    assert (own["company"], own["kind"], own["correlationId"]) == (COMPANY, "newsletter.step", code)
    assert [one["company"] for one in parked(system, company=OTHER)] == [OTHER]
    every = parked(system, scopes="operator")
    assert sorted(one["company"] for one in every) == [COMPANY, OTHER]


def test_the_same_event_is_parked_once(system: System) -> None:
    code = create(system)

    put(system, unreadable(code))
    system.clock.ms += 1_000
    put(system, unreadable(code))

    assert len(parked(system)) == 1


def test_a_parked_event_that_has_expired_does_not_hide_a_new_one(system: System) -> None:
    code = create(system)
    put(system, unreadable(code))
    system.clock.ms += 31 * 86_400_000
    assert parked(system) == []

    put(system, unreadable(code))

    assert len(parked(system)) == 1


def test_a_replay_is_queued_and_counts_as_open_when_it_is_parked_again(
    system: System,
) -> None:
    code = create(system)
    put(system, unreadable(code))
    (event,) = parked(system)

    replayed = result(system, "POST", f"{PARKED}/{event['eventId']}/replay", {})
    assert (replayed["state"], replayed["replayCount"]) == ("replayed", 1)
    system.drain()

    (again,) = parked(system)
    assert (again["eventId"], again["state"]) == (event["eventId"], "open")
    assert again["parkedAgainAt"]


def test_of_two_events_that_replace_each_other_one_is_open(system: System) -> None:
    code = create(system)
    put(system, unreadable(code))
    (first,) = parked(system)
    key = {"PK": f"NLPARKED#{first['eventId']}", "SK": "EVENT"}
    body = table_of(system).get(key)["body"]  # type: ignore[index] # it is parked
    too_new = json.dumps({**json.loads(body), "v": -1})
    table_of(system).update(key, put={"body": too_new})
    result(system, "POST", f"{PARKED}/{first['eventId']}/replay", {})
    system.drain()
    (second,) = parked(system)
    assert second["eventId"] != first["eventId"]
    key_of_second = {"PK": f"NLPARKED#{second['eventId']}", "SK": "EVENT"}
    table_of(system).update(key_of_second, put={"body": body})

    result(system, "POST", f"{PARKED}/{second['eventId']}/replay", {})
    system.drain()

    (left,) = parked(system)
    assert (left["eventId"], left["state"]) == (first["eventId"], "open")


def test_a_replay_that_is_processed_resolves_its_event(system: System) -> None:
    put(system, body_of(PrivacyRequested(job_id="0" * 32)))
    (event,) = parked(system, scopes="operator")
    assert event["reason"] == "no_privacy_job"
    job = result(system, "POST", "/newsletters/users/export", {"user_id": "u"})
    system.drain()
    key = {"PK": f"NLPARKED#{event['eventId']}", "SK": "EVENT"}
    table_of(system).update(key, put={"body": body_of(PrivacyRequested(job_id=job["id"]))})

    result(system, "POST", f"{PARKED}/{event['eventId']}/replay", {}, scopes="operator")
    system.drain()

    assert parked(system, scopes="operator") == []
    item = system.rows()[f"{key['PK']} EVENT"]
    assert "resolved_at" in item


def test_a_company_replays_its_own_events_only(system: System) -> None:
    code = create(system)
    put(system, unreadable(code))
    (event,) = parked(system)
    before = system.items()

    status, _ = system.call("POST", f"{PARKED}/{event['eventId']}/replay", {}, company=OTHER)

    assert status == 404
    all_of_other = result(system, "POST", f"{PARKED}/replay", {}, company=OTHER)
    assert all_of_other["replayed"] == []
    assert {key: system.items()[key] for key in before} == before


@pytest.mark.parametrize("replay", ["many", None, [], {"a": 1}])
def test_an_event_with_a_wrong_number_of_its_replay_is_parked(system: System, replay: Any) -> None:
    code = create(system)

    put(system, unreadable(code, replay_of="0" * 64, replay=replay))

    assert len(parked(system)) == 1
    assert system.fifo_queues.dead_letters == []


@pytest.mark.parametrize("queue", ["steps", "exports"])
def test_a_dead_letter_names_its_last_error_and_is_redriven_to_its_queue(
    system: System, queue: str
) -> None:
    code = create(system)
    body = (
        body_of(PurgeRequested(code=code))
        if queue == "steps"
        else json.dumps(
            {"type": "newsletter.export", "v": 1, "code": code, "format": "pdf", "job_id": "j"}
        )
    )
    run_out_of_attempts(system, body, getattr(system, f"{queue}_queue"))

    (letter,) = result(system, "GET", LETTERS, scopes="operator")["letters"]
    assert (letter["queue"], letter["attempts"]) == (queue, 5)
    assert letter["kind"] == json.loads(body)["type"]
    assert letter["reason"]
    redriven = result(
        system, "POST", f"{LETTERS}/redrive", {"ids": [letter["id"]]}, scopes="operator"
    )
    assert [one["queue"] for one in redriven["letters"]] == [queue]
    system.drain()
    assert result(system, "GET", LETTERS, scopes="operator")["letters"] == []
    assert system.fifo_queues.is_empty


def test_dead_letters_are_for_operators_only(system: System) -> None:
    assert system.call("GET", LETTERS)[0] == 403
    assert system.call("POST", f"{LETTERS}/redrive", {})[0] == 403


def test_the_schedule_goes_on_after_work_that_fails(system: System) -> None:
    codes = [create(system) for _ in range(3)]
    for code in codes:
        types = {"selected_types": ["research_findings"]}
        result(system, "PUT", f"/newsletters/{code}/topics", types)
        result(system, "POST", f"/newsletters/{code}/topics/start", {})
    system.fifo_queues.queues[system.steps_queue].messages.clear()  # lost
    system.clock.ms += 2 * 60_000
    system.interceptor.fails_if = lambda call: (
        call == (f"dynamodb.UpdateItem NLWORK#{codes[0]} JOB#topics")
    )

    system.run_schedule()

    system.interceptor.rewind()
    sent = system.fifo_queues.queues[system.steps_queue].messages
    assert sorted(json.loads(one.body)["code"] for one in sent) == sorted(codes[1:])
    system.run_schedule()
    system.drain()
    for code in codes:
        job = jobs.get(table_of(system), code, "topics")
        assert job is not None
        assert (job.state, job.error_code) == (JobState.FAILED, "no_results")


def test_an_event_of_a_job_that_does_not_exist_is_ignored(system: System) -> None:
    code = create(system)
    before = system.items()

    system.fifo_queues.put(
        system.steps_queue, entry(StepRequested(code=code, step="topics", job_id="unknown"))
    )
    system.drain()

    assert system.items() == before
