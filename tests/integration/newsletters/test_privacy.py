"""What newsletters have of a user is exported and erased, and nothing of others; interrupted turns count once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.inbound.events import PrivacyRequested
from newsletters.privacy import jobs, requests
from newsletters.privacy.bylines import PAGE
from newsletters.privacy.jobs import ERASED
from newsletters.store.content.newsletters import change_metadata, get_metadata
from newsletters.store.items import PrivacyJob, Review, ReviewState
from shared.privacy import jobs as stored_jobs
from shared.runtime.failures import Permanent, Transient
from tests.integration.newsletters.deployment import (
    COLLEAGUE,
    COMPANY,
    OTHER_COMPANY,
    USER,
    many_chunks,
)

if TYPE_CHECKING:
    from shared.privacy.jobs import Kind
    from tests.integration.newsletters.deployment import Deployment


class Crash(BaseException):
    """The process is killed."""


def request(newsletters: Deployment, kind: Kind, user: str = USER) -> PrivacyJob:
    own = requests.jobs_of(newsletters.resources)
    return own.start(kind, COMPANY, requests.of_user(user), by="api-key:admin")


def finish(newsletters: Deployment, job: PrivacyJob) -> PrivacyJob:
    """All turns of a job."""
    while jobs.work(newsletters.resources, PrivacyRequested(job_id=job.job_id)):
        newsletters.pass_minutes(0.1)
    found = stored_jobs.get(newsletters.table, PrivacyJob, job.job_id)
    assert found is not None
    assert found.state == "done"
    return found


def review(newsletters: Deployment, code: str, reviewer: str) -> None:
    """A colleague approves the draft."""
    metadata = newsletters.read(code).metadata
    change_metadata(
        newsletters.table,
        metadata,
        {
            "review": Review(
                state=ReviewState.APPROVED,
                requested_by=metadata.user_id,
                requested_at="2026-11-02T12:00:00Z",
                content_hash="hash",
                decided_by=reviewer,
                decided_at="2026-11-02T12:00:00Z",
                decision_notes="Well written.",
            )
        },
    )


def exported(newsletters: Deployment, job: PrivacyJob) -> tuple[list[dict[str, Any]], set[str]]:
    """The lines of an export, and the names of its files."""
    prefix = f"subjects/{COMPANY}/{job.job_id}/{job.run:04d}/"
    objects = {
        key.removeprefix(prefix): body
        for key, body in newsletters.objects().items()
        if key.startswith(prefix)
    }
    lines = [json.loads(line) for line in objects[requests.LINES].splitlines()]
    return lines, {key for key in objects if key.startswith("files/")}


@pytest.fixture(autouse=True)
def _turns_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "TURN_MS", 0)


@pytest.fixture
def populated(newsletters: Deployment) -> Deployment:
    """Two newsletters of the user, one of a colleague that the user has reviewed, and newsletters of others."""
    first = newsletters.complete(cause="own-1", title="Own canary", user_name="Ann")
    newsletters.write(first, many_chunks(first))
    newsletters.store.bucket.put(f"newsletters/{first}/export.pdf", b"%PDF of Ann")
    newsletters.create("own-2", title="Second canary")
    reviewed = newsletters.complete(cause="colleague-1", user=COLLEAGUE, title="Reviewed")
    review(newsletters, reviewed, USER)
    newsletters.complete(cause="colleague-2", user=COLLEAGUE, title="Not reviewed")
    newsletters.complete(cause="other-1", company=OTHER_COMPANY, title="Of the other company")
    return newsletters


def titles(newsletters: Deployment) -> set[str]:
    return {
        item["title"]["S"]
        for item in newsletters.items().values()
        if "GSI1SK" in item and "title" in item
    }


def test_an_export_has_all_items_and_files_of_the_user_in_the_company_and_nothing_else(
    populated: Deployment,
) -> None:
    before = populated.items()

    job = finish(populated, request(populated, "export"))

    lines, files = exported(populated, job)
    heads = {line["title"]: line for line in lines if line.get("SK") == "METADATA"}
    assert set(heads) == {"Own canary", "Second canary"}
    own = heads["Own canary"]["PK"]
    assert {line["SK"] for line in lines if line.get("PK") == own} == {
        "METADATA",
        "TOPICS",
        "OUTLINE",
        "DRAFT",
    }
    (passages,) = [line["retrieved_content"] for line in lines if line.get("SK") == "TOPICS"]
    assert len(passages) == 75
    assert len(passages[0]["content"]) == 2_000
    code = heads["Own canary"]["newsletterCode"]
    assert f"files/newsletters/{code}/export.pdf" in files
    assert sorted(files) == sorted(line["file"] for line in lines if "file" in line)
    assert [line["decided_by"] for line in lines if "reviewed" in line] == [USER]
    text = json.dumps(lines)
    assert "Not reviewed" not in text
    assert "Of the other company" not in text
    assert job.counts == {"newsletter": 2, "review": 1}
    assert job.requested_for is None
    assert {key: populated.items()[key] for key in before} == before


def test_an_erasure_deletes_the_users_newsletters_and_name_and_nothing_of_others(
    populated: Deployment,
) -> None:
    populated.messages()

    job = finish(populated, request(populated, "erase"))

    assert titles(populated) == {"Reviewed", "Not reviewed", "Of the other company"}
    assert job.counts == {"newsletter": 2, "review": 1}
    assert job.receipts[0]["counts"] == job.counts
    purges = [one for one in populated.messages() if one["type"] == "newsletter.purge"]
    assert len(purges) == 2
    left = {
        key: item
        for key, item in populated.items().items()
        if USER in json.dumps(item) and item.get("company_id") != {"S": OTHER_COMPANY}
    }
    assert left == {}
    (reviewed,) = [
        item for item in populated.items().values() if item.get("title") == {"S": "Reviewed"}
    ]
    decision = reviewed["review"]["M"]
    assert decision["decided_by"] == {"S": ERASED}
    assert decision["decision_notes"] == {"S": "Well written."}


def test_an_erasure_deletes_earlier_exports_of_the_user_only(populated: Deployment) -> None:
    of_user = finish(populated, request(populated, "export"))
    of_colleague = finish(populated, request(populated, "export", COLLEAGUE))

    finish(populated, request(populated, "erase"))

    keys = populated.objects()
    assert not [key for key in keys if key.startswith(f"subjects/{COMPANY}/{of_user.job_id}/")]
    assert [key for key in keys if key.startswith(f"subjects/{COMPANY}/{of_colleague.job_id}/")]


@pytest.mark.parametrize("kind", ["export", "erase"])
def test_counts_and_results_are_right_if_every_turn_crashes_before_it_is_recorded(
    populated: Deployment, monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    job = request(populated, kind)
    replace = stored_jobs.replace
    crashes = 0

    def crash(*_: object) -> PrivacyJob:
        nonlocal crashes
        crashes += 1
        raise Crash

    while True:
        monkeypatch.setattr(stored_jobs, "replace", crash)
        before = crashes
        try:
            jobs.work(populated.resources, PrivacyRequested(job_id=job.job_id))
        except Crash:
            assert crashes == before + 1
        monkeypatch.setattr(stored_jobs, "replace", replace)
        if not jobs.work(populated.resources, PrivacyRequested(job_id=job.job_id)):
            break

    found = stored_jobs.get(populated.table, PrivacyJob, job.job_id)
    assert found is not None
    assert crashes >= 2  # an export writes a page in one step
    assert (found.state, found.counts) == ("done", {"newsletter": 2, "review": 1})
    if kind == "export":
        lines, _ = exported(populated, found)
        assert len([line for line in lines if line.get("SK") == "METADATA"]) == 2
    else:
        assert titles(populated) == {"Reviewed", "Not reviewed", "Of the other company"}


def test_several_pages_of_newsletters_are_all_found(newsletters: Deployment) -> None:
    for number in range(2 * PAGE + 3):
        newsletters.pass_minutes(1)
        newsletters.create(f"own-{number}")
        newsletters.create(f"colleague-{number}", user=COLLEAGUE)

    job = finish(newsletters, request(newsletters, "erase"))

    assert job.counts == {"newsletter": 2 * PAGE + 3}
    heads = [item for (_, sort), item in newsletters.items().items() if sort == "METADATA"]
    assert {item["user_id"]["S"] for item in heads} == {COLLEAGUE}
    assert len(heads) == 2 * PAGE + 3


def test_a_reviewer_who_decides_again_after_the_plan_keeps_the_name(
    populated: Deployment,
) -> None:
    job = request(populated, "erase")
    jobs.work(populated.resources, PrivacyRequested(job_id=job.job_id))  # plans
    (code,) = [
        item["newsletterCode"]["S"]
        for item in populated.items().values()
        if item.get("title") == {"S": "Reviewed"}
    ]
    review(populated, code, "api-key:carol")

    finish(populated, job)

    metadata = get_metadata(populated.table, code)
    assert metadata is not None
    assert metadata.review is not None
    assert metadata.review.decided_by == "api-key:carol"


@pytest.mark.parametrize("kind", ["export", "erase"])
def test_a_lost_object_of_a_newsletter_does_not_stop_a_request(
    populated: Deployment, kind: Any
) -> None:
    for key in populated.objects():
        if "/steps/" in key:
            populated.store.bucket.delete(key)

    job = finish(populated, request(populated, kind))

    assert job.counts == {"newsletter": 2, "review": 1}
    if kind == "export":
        lines, _ = exported(populated, job)
        (passages,) = [line["retrieved_content"] for line in lines if line.get("SK") == "TOPICS"]
        assert len(passages[0]["content"]) == 500


def test_a_second_request_continues_the_job_and_a_later_one_begins_a_new_run(
    populated: Deployment,
) -> None:
    first = request(populated, "export")
    jobs.work(populated.resources, PrivacyRequested(job_id=first.job_id))

    assert request(populated, "export").run == 1
    finish(populated, first)
    second = request(populated, "export")
    assert (second.job_id, second.run) == (first.job_id, 2)
    done = finish(populated, second)
    assert [receipt["run"] for receipt in done.receipts] == [2, 1]
    assert not jobs.work(populated.resources, PrivacyRequested(job_id=first.job_id))


def test_an_unknown_user_has_nothing_and_an_unknown_job_is_refused(
    populated: Deployment,
) -> None:
    before = titles(populated)

    assert finish(populated, request(populated, "erase", "api-key:unknown")).counts == {}

    assert titles(populated) == before
    with pytest.raises(Permanent, match="no_privacy_job"):
        jobs.work(populated.resources, PrivacyRequested(job_id="0" * 32))


def test_two_workers_on_the_same_turn_are_told_apart(populated: Deployment) -> None:
    job = request(populated, "erase")
    jobs.work(populated.resources, PrivacyRequested(job_id=job.job_id))

    with pytest.raises(Transient):
        stored_jobs.replace(populated.table, job)


@pytest.mark.parametrize("kind", ["export", "erase"])
def test_a_run_that_was_killed_before_its_end_ends(populated: Deployment, kind: Any) -> None:
    job = request(populated, kind)
    at_its_end = {"state": "running", "step": "finish", "counts": {"newsletter": 2}}
    populated.table.put(job.attributes() | at_its_end)

    assert finish(populated, job).counts == {"newsletter": 2}
