"""The jobs that erase or export a person end with the same result, wherever a process is killed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from console.store.person_jobs import PersonJob
from conversations.store.items.parts.privacy_job import PrivacyJob as ConversationJob
from email_threads.store.items.privacy.privacy import PrivacyJob as EmailJob
from newsletters.store.items.privacy import PrivacyJob as NewsletterJob
from richpanel.store.items.privacy import PrivacyJob as HelpDeskJob
from shared.privacy import jobs
from shared.privacy.engine import work
from shared.privacy.jobs import ID_DIGITS, MOST_RECEIPTS, Job
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from tests.integration.shared.privacy.people import (
    ANN,
    BEN,
    CALL_MS,
    NOW,
    SETTLES_MS,
    Context,
    Killed,
    LetterJob,
    Letters,
    Process,
    a_context,
)
from tests.keyring import Keys, held
from whatsapp.store.items.contacts.privacy import PrivacyJob as WhatsAppJob

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.privacy.jobs import Kind

JOBS: list[type[Job]] = [
    *(WhatsAppJob, EmailJob, ConversationJob, NewsletterJob, HelpDeskJob, PersonJob)
]
COUNTS = {"drafts": 1, "inbox": 3}


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """Letters of Ann and Ben."""
    with mock_aws():
        made = a_context(monkeypatch)
        monkeypatch.setattr(clock, "now_ms", lambda: made.process.now)
        populate(made)
        yield made


def populate(context: Context) -> None:
    """Replace all letters, jobs and events."""
    for job_id in (context.job_id("erase"), context.job_id("export")):
        context.table.delete(LetterJob.key_of(job_id))
    for key in list(context.bucket.all_keys_under("exports/")):
        context.bucket.delete(key)
    letters = {
        f"{name}-{writer}-{number}": (name, writer)
        for name, count in COUNTS.items()
        for writer in (ANN, BEN)
        for number in range(count)
    }
    context.letters.__dict__.update(Letters(stored=letters).__dict__)
    context.process.__dict__.update(Process().__dict__)
    context.queue.clear()


def stored(context: Context, job: LetterJob) -> LetterJob:
    found = jobs.get(context.table, LetterJob, job.job_id)
    assert found is not None
    return found


def exported(context: Context, job: LetterJob) -> list[str]:
    folder = context.folder(job)
    lines = context.bucket.get(f"{folder.prefix}{folder.lines}").splitlines()
    return [json.loads(line)["item"]["letter"] for line in lines]


def outcome(context: Context, job: LetterJob) -> dict[str, Any]:
    """What a request leaves, without times and revisions."""
    done = stored(context, job)
    (receipt,) = done.receipts
    return {
        "state": done.state,
        "counts": done.counts,
        "receipt": {name: receipt[name] for name in ("run", "counts", "requested_by")},
        "left": sorted(context.letters.stored),
        "lines": sorted(exported(context, done)) if job.kind == "export" else [],
        "person": ANN in str(context.table.get(LetterJob.key_of(job.job_id))),
    }


@pytest.mark.long
@pytest.mark.parametrize("turn_ms", [0, 5_000])
@pytest.mark.parametrize("kind", ["erase", "export"])
def test_a_job_killed_at_any_call_ends_as_one_that_was_not(
    context: Context, kind: Kind, turn_ms: int
) -> None:
    context.turn_ms = turn_ms
    job = context.request(kind)
    first = context.process.calls
    last_of_turns = context.settle()
    last, clean = context.process.calls, outcome(context, job)
    assert clean["counts"] == COUNTS
    assert not clean["person"]
    assert last - first > 2 * len(COUNTS)

    for number in range(first + 1, last + 1):
        # After a call inside a turn the same is stored as before the next call.
        for moment in ("before", "after") if number in last_of_turns else ("before",):
            populate(context)
            context.request(kind)
            context.process.killed_at = (number, moment)
            context.settle()
            assert outcome(context, job) == clean, (number, moment)


def test_an_erasure_removes_what_is_stored_of_the_person_only(context: Context) -> None:
    context.request("erase")
    context.settle()

    assert context.letters.of(ANN) == set()
    assert len(context.letters.of(BEN)) == sum(COUNTS.values())


def test_an_export_has_each_letter_once_and_removes_none(context: Context) -> None:
    before = dict(context.letters.stored)
    job = context.request("export")
    context.settle()

    assert sorted(exported(context, stored(context, job))) == sorted(context.letters.of(ANN))
    assert context.letters.stored == before
    assert context.letters.fenced == set()
    assert "left" not in stored(context, job).receipts[0]


def test_a_letter_that_a_worker_adds_while_the_job_settles_is_removed(context: Context) -> None:
    context.request("erase")
    with pytest.raises(Transient, match="privacy_job_settles") as waits:
        context.turn()
    assert 0 < (waits.value.wait_ms or 0) <= SETTLES_MS
    assert context.letters.fenced == {ANN}
    context.letters.stored["inbox-late"] = ("inbox", ANN)

    context.settle()

    assert context.letters.of(ANN) == set()
    assert context.process.now >= NOW + SETTLES_MS


def test_an_erasure_removes_the_persons_exports(context: Context) -> None:
    context.request("export")
    context.settle()
    assert context.bucket.keys_under("exports/")

    context.request("erase")
    context.settle()

    assert context.bucket.keys_under("exports/") == []


def test_a_turn_ends_after_its_time_and_the_job_is_queued_again(context: Context) -> None:
    context.turn_ms = 5 * CALL_MS
    context.request("export")
    turns = []
    while context.queue:
        began = context.process.now
        context.turn()
        turns.append(context.process.now - began)

    assert len(turns) > 1
    assert max(turns) <= context.turn_ms + 10 * CALL_MS  # the step that passes the time


def test_a_request_killed_before_its_event_is_continued_by_the_next_one(context: Context) -> None:
    context.process.killed_at = (context.process.calls + 3, "before")  # get, put, queue
    with pytest.raises(Killed):
        context.request("erase")
    assert context.queue == []
    context.process.killed_at = None

    assert context.request("erase").run == 1
    context.settle()

    assert context.letters.of(ANN) == set()


def test_a_request_continues_a_run_and_begins_the_next_one_after_its_end(context: Context) -> None:
    for run in range(1, MOST_RECEIPTS + 3):
        context.request("export")
        assert context.request("export").run == run
        context.settle()

    receipts = stored(context, context.request("export")).receipts
    assert [one["run"] for one in receipts] == list(range(MOST_RECEIPTS + 2, 2, -1))


def test_of_two_workers_of_a_job_one_records_its_step(context: Context) -> None:
    job = context.request("erase")
    before = stored(context, job)
    with pytest.raises(Transient, match="settles"):
        context.turn()

    with pytest.raises(Transient, match="privacy_job_contended"):
        jobs.replace(context.table, before)


def test_a_job_that_is_done_is_not_done_again(context: Context) -> None:
    job = context.request("erase")
    context.settle()
    context.letters.stored["inbox-new"] = ("inbox", ANN)

    assert work(context.engine(), job.job_id) is None
    assert context.letters.of(ANN) == {"inbox-new"}


def test_an_event_without_a_job_is_refused(context: Context) -> None:
    with pytest.raises(Permanent, match="no_privacy_job"):
        work(context.engine(), "0" * 32)


def test_a_receipt_of_an_erasure_says_until_when_copies_remain(context: Context) -> None:
    job = context.request("erase")
    context.settle()

    done = stored(context, job)
    until = clock.to_text(clock.from_text(str(done.finished_at)) + 35 * clock.DAY_SECONDS * 1_000)
    assert done.receipts[0]["left"] == {"backups": until}


def test_an_erasure_removes_exports_from_before_a_rotation_of_the_keys(context: Context) -> None:
    with held(Keys("the old key")):
        context.request("export")
        context.settle()
        old = context.job_id("export")
    assert f"exports/{old}/1/letters.jsonl" in context.bucket.all_keys_under("exports/")

    with held(Keys("the new key", "the old key")):
        context.request("erase")
        context.settle()

    assert list(context.bucket.all_keys_under("exports/")) == []


@pytest.mark.parametrize("item", JOBS, ids=lambda item: item.context)
def test_the_id_of_a_job_which_outlives_its_run_is_a_keyed_hash(item: type[Job]) -> None:
    with held(Keys("the old key")):
        (old,) = item.ids_of("erase", "acme", "447700900101")
    with held(Keys("the new key", "the old key")):
        new, second = item.ids_of("erase", "acme", "447700900101")

    assert (second, len(new)) == (old, ID_DIGITS)
    assert new != old
