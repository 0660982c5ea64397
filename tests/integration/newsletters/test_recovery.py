"""Events that cannot be processed are parked, shown to their company and replayed; dead letters are redriven."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.inbound.events import (
    PrivacyRequested,
    PurgeRequested,
    StepRequested,
    body_of,
    entry,
)
from newsletters.store import jobs
from newsletters.store.items import JobState
from shared.aws.sqs_fifo import Entry, digest
from tests.integration.newsletters.functions import COMPANY

if TYPE_CHECKING:
    from tests.integration.newsletters.functions import Functions

OTHER = "globex"
PARKED, LETTERS = "/newsletters/parked", "/newsletters/dead-letters"


def put(functions: Functions, body: str, queue: str | None = None) -> None:
    """Queue a message as it is, and have the workers process it."""
    group = digest(body, str(functions.clock.ms))
    functions.fifo_queues.put(queue or functions.steps, Entry(body, group, group))
    functions.drain()


def create(functions: Functions, company: str = COMPANY) -> str:
    title = {"title": "Field notes", "target_audience": ["researchers"]}
    code: str = functions.result("POST", "/newsletters", title, company=company)["newsletter_code"]
    return code


def unreadable(code: str, **more: Any) -> str:
    """An event whose step does not exist."""
    event = StepRequested(code=code, step="topics", job_id="j")
    return json.dumps({**json.loads(body_of(event)), "step": "summary", **more})


def parked(functions: Functions, **more: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = functions.result("GET", PARKED, **more)["events"]
    return events


def run_out_of_attempts(functions: Functions, body: str, queue: str | None = None) -> None:
    """A message fails at every attempt, because the table does."""
    functions.interceptor.fails_if = lambda call: call.startswith("dynamodb.GetItem")
    put(functions, body, queue)
    functions.interceptor.rewind()


@pytest.mark.parametrize("queue", ["steps", "exports"])
@pytest.mark.parametrize("body", ["no JSON", "[]", '{"type": "unknown"}', "[" * 100_000])
def test_an_event_that_cannot_be_read_is_parked_for_operators(
    functions: Functions, queue: str, body: str
) -> None:
    put(functions, body, getattr(functions, queue))

    assert parked(functions) == []
    (event,) = parked(functions, scopes="operator")
    assert event["state"] == "open"
    assert "company" not in event
    assert functions.fifo_queues.dead_letters == []


def test_an_event_that_names_a_newsletter_is_parked_for_its_company(functions: Functions) -> None:
    code, other = create(functions), create(functions, OTHER)

    put(functions, unreadable(code))
    functions.clock.ms += 1_000
    put(functions, unreadable(other))

    (own,) = parked(functions)
    assert (own["company"], own["kind"], own["correlationId"]) == (COMPANY, "newsletter.step", code)
    assert [one["company"] for one in parked(functions, company=OTHER)] == [OTHER]
    every = parked(functions, scopes="operator")
    assert sorted(one["company"] for one in every) == [COMPANY, OTHER]


def test_the_same_event_is_parked_once(functions: Functions) -> None:
    code = create(functions)

    put(functions, unreadable(code))
    functions.clock.ms += 1_000
    put(functions, unreadable(code))

    assert len(parked(functions)) == 1


def test_a_parked_event_that_has_expired_does_not_hide_a_new_one(functions: Functions) -> None:
    code = create(functions)
    put(functions, unreadable(code))
    functions.clock.ms += 31 * 86_400_000
    assert parked(functions) == []

    put(functions, unreadable(code))

    assert len(parked(functions)) == 1


def test_a_replay_is_queued_and_counts_as_open_when_it_is_parked_again(
    functions: Functions,
) -> None:
    code = create(functions)
    put(functions, unreadable(code))
    (event,) = parked(functions)

    replayed = functions.result("POST", f"{PARKED}/{event['eventId']}/replay", {})
    assert (replayed["state"], replayed["replayCount"]) == ("replayed", 1)
    functions.drain()

    (again,) = parked(functions)
    assert (again["eventId"], again["state"]) == (event["eventId"], "open")
    assert again["parkedAgainAt"]


def test_a_replay_that_is_processed_resolves_its_event(functions: Functions) -> None:
    put(functions, body_of(PrivacyRequested(job_id="0" * 32)))
    (event,) = parked(functions, scopes="operator")
    assert event["reason"] == "no_privacy_job"
    job = functions.result("POST", "/newsletters/users/export", {"user_id": "u"})
    functions.drain()
    key = {"PK": f"NLPARKED#{event['eventId']}", "SK": "EVENT"}
    functions.store.table.update(key, put={"body": body_of(PrivacyRequested(job_id=job["id"]))})

    functions.result("POST", f"{PARKED}/{event['eventId']}/replay", {}, scopes="operator")
    functions.drain()

    assert parked(functions, scopes="operator") == []
    item = functions.items()[key["PK"], "EVENT"]
    assert "resolved_at" in item


def test_a_company_replays_its_own_events_only(functions: Functions) -> None:
    code = create(functions)
    put(functions, unreadable(code))
    (event,) = parked(functions)
    before = functions.items()

    status, _ = functions.call("POST", f"{PARKED}/{event['eventId']}/replay", {}, company=OTHER)

    assert status == 404
    all_of_other = functions.result("POST", f"{PARKED}/replay", {}, company=OTHER)
    assert all_of_other["replayed"] == []
    assert {key: functions.items()[key] for key in before} == before


@pytest.mark.parametrize("replay", ["many", None, [], {"a": 1}])
def test_an_event_with_a_wrong_number_of_its_replay_is_parked(
    functions: Functions, replay: Any
) -> None:
    code = create(functions)

    put(functions, unreadable(code, replay_of="0" * 64, replay=replay))

    assert len(parked(functions)) == 1
    assert functions.fifo_queues.dead_letters == []


@pytest.mark.parametrize("queue", ["steps", "exports"])
def test_a_dead_letter_names_its_last_error_and_is_redriven_to_its_queue(
    functions: Functions, queue: str
) -> None:
    code = create(functions)
    body = (
        body_of(PurgeRequested(code=code))
        if queue == "steps"
        else json.dumps(
            {"type": "newsletter.export", "v": 1, "code": code, "format": "pdf", "job_id": "j"}
        )
    )
    run_out_of_attempts(functions, body, getattr(functions, queue))

    (letter,) = functions.result("GET", LETTERS, scopes="operator")["letters"]
    assert (letter["queue"], letter["attempts"]) == (queue, 5)
    assert letter["kind"] == json.loads(body)["type"]
    assert letter["reason"]
    redriven = functions.result(
        "POST", f"{LETTERS}/redrive", {"ids": [letter["id"]]}, scopes="operator"
    )
    assert [one["queue"] for one in redriven["letters"]] == [queue]
    functions.drain()
    assert functions.result("GET", LETTERS, scopes="operator")["letters"] == []
    assert functions.fifo_queues.is_empty


def test_dead_letters_are_for_operators_only(functions: Functions) -> None:
    assert functions.call("GET", LETTERS)[0] == 403
    assert functions.call("POST", f"{LETTERS}/redrive", {})[0] == 403


def test_the_schedule_goes_on_after_work_that_fails(functions: Functions) -> None:
    codes = [create(functions) for _ in range(3)]
    for code in codes:
        types = {"selected_types": ["research_findings"]}
        functions.result("PUT", f"/newsletters/{code}/topics", types)
        functions.result("POST", f"/newsletters/{code}/topics/start", {})
    functions.fifo_queues.queues[functions.steps].messages.clear()  # lost
    functions.clock.ms += 2 * 60_000
    functions.interceptor.fails_if = lambda call: (
        call == (f"dynamodb.UpdateItem NLWORK#{codes[0]} JOB#topics")
    )

    functions.run_schedule()

    functions.interceptor.rewind()
    sent = functions.fifo_queues.queues[functions.steps].messages
    assert sorted(json.loads(one.body)["code"] for one in sent) == sorted(codes[1:])
    functions.run_schedule()
    functions.drain()
    for code in codes:
        job = jobs.get(functions.store.table, code, "topics")
        assert job is not None
        assert (job.state, job.error_code) == (JobState.FAILED, "no_results")


def test_an_event_of_a_job_that_does_not_exist_is_ignored(functions: Functions) -> None:
    code = create(functions)
    before = functions.items()

    functions.fifo_queues.put(
        functions.steps, entry(StepRequested(code=code, step="topics", job_id="unknown"))
    )
    functions.drain()

    assert functions.items() == before
