"""Starts of steps while their job runs, its progress, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.newsletters.api.author import ONE, STEPS, TYPES

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

MINUTE_MS = 60_000


def _work_once(author: Author) -> None:
    """One delivery of each waiting message."""
    for queue, message in author.system.fifo_queues.receive():
        author.system.run_worker(queue, message)


# Edits and running jobs


def test_a_draft_with_edits_is_replaced_with_consent_only_and_becomes_a_revision(
    author: Author,
) -> None:
    author.at("drafted").save_draft("# Mine\n\nText.\n")

    assert author.refused("POST", f"{ONE}/draft/start", {}) == (409, "has_user_edits")
    draft = author.generate("draft", replace_edits=True)

    assert not draft["has_user_edits"]
    assert "Text." not in draft["content"]
    found = author.do("GET", f"{ONE}/draft/revisions")["revisions"]
    assert [(one["version"], one["cause"]) for one in found] == [(2, "generated"), (1, "edited")]


def test_a_start_with_the_same_options_returns_the_running_job_and_other_options_are_refused(
    author: Author,
) -> None:
    author.at("retrieved")
    first = author.start("outline")

    status, answer = author.call("POST", f"{ONE}/outline/start", {})

    assert (status, answer["result"]["job_id"]) == (202, first["job_id"])
    assert answer["result"]["status_url"] == f"/newsletters/{author.system.code}/outline/status"
    body = {"accept_stale": True}
    assert author.refused("POST", f"{ONE}/outline/start", body) == (409, "step_processing")
    author.system.settle()
    assert author.status("outline")["version"] == 1


def test_people_cannot_write_a_step_while_a_job_works_on_it(author: Author) -> None:
    author.at("drafted")
    sections = author.sections
    for step in reversed(STEPS):  # each needs that the one before it is not being made
        author.start(step)

    for method, path, body in (
        ("PUT", "topics", {"version": author.version("topics"), "selected_types": ["funding"]}),
        ("PUT", "outline", {"version": 1, "sections": sections}),
        ("PUT", "draft", {"version": 1, "content": "Text"}),
        ("PUT", "draft/sections/introduction", {"version": 1, "content": "Text"}),
        ("POST", "exports", {"formats": ["text"]}),
        ("POST", "review/request", {"version": 1}),
    ):
        assert author.refused(method, f"{ONE}/{path}", body) == (409, "step_processing")


def test_a_step_whose_first_content_is_being_made_says_so(author: Author) -> None:
    author.at("retrieved").start("outline")
    body = {"version": author.version("outline"), "sections": [{"name": "Mine", "items": []}]}
    assert author.refused("PUT", f"{ONE}/outline", body) == (409, "step_processing")
    author.system.settle()

    author.start("draft")
    version = author.version("draft")
    for method, path, given in (
        ("PUT", "draft", {"version": version, "content": "Text"}),
        ("DELETE", "draft/edits", {"version": version}),
        ("POST", "draft/restore", {"version": version, "revision": 1}),
        ("POST", "exports", {"formats": ["text"]}),
        ("POST", "review/request", {"version": version}),
    ):
        assert author.refused(method, f"{ONE}/{path}", given) == (409, "step_processing"), path


def test_a_cancelled_step_keeps_its_content_and_may_start_again(author: Author) -> None:
    author.at("drafted")
    before = author.whole["draft"]
    job = author.start("draft")

    cancelled = author.do("POST", f"{ONE}/draft/cancel", {})

    assert cancelled == {"job_id": job["job_id"], "status": "cancelled"}
    shown = author.status("draft")
    assert (shown["status"], shown["job"]["state"], shown["job"]["doing"]) == (
        "completed", "cancelled", "cancelled",
    )  # fmt: skip
    assert shown["job"]["percent"] < 100
    author.system.settle()
    assert author.whole["draft"]["content"] == before["content"]
    assert author.whole["draft"]["version"] == before["version"]
    assert author.do("POST", f"{ONE}/draft/cancel", {}) == {"status": "idle"}
    assert author.generate("draft")["version"] == before["version"] + 1


def test_a_cancelled_first_generation_leaves_a_pending_step(author: Author) -> None:
    author.at("retrieved").start("outline")
    author.do("POST", f"{ONE}/outline/cancel", {})
    author.system.settle()

    shown = author.status("outline")
    assert (shown["status"], shown["is_usable"], shown["version"]) == ("pending", False, 0)


# Progress


def test_a_step_that_was_never_begun_is_pending_without_a_job(author: Author) -> None:
    author.at("created")

    for step in STEPS:
        shown = author.status(step)
        assert (shown["status"], shown["version"], shown["is_stale"]) == ("pending", 0, False)
        assert not shown["is_usable"]
        assert "job" not in shown


def test_a_queued_job_has_no_progress_and_a_finished_one_all(author: Author) -> None:
    author.at("selected").start("topics")

    queued = author.status("topics")
    assert (queued["status"], queued["is_usable"]) == ("processing", False)
    job = queued["job"]
    assert (job["state"], job["doing"], job["percent"], job["units_done"]) == (
        "queued", "queued", 0, 0,
    )  # fmt: skip
    assert "ended_at" not in job
    author.system.settle()

    done = author.status("topics")
    job = done["job"]
    assert (done["status"], done["is_usable"], done["version"]) == ("completed", True, 2)
    assert done["completed_at"] >= done["started_at"]
    assert (job["state"], job["doing"], job["percent"]) == ("done", "done", 100)
    assert job["units"] == job["units_done"] == len(TYPES)
    assert job["ended_at"] >= job["started_at"]


def test_the_progress_of_a_draft_grows_with_each_section_and_says_what_is_done(
    author: Author,
) -> None:
    author.at("planned")
    count = len(author.whole["outline"]["sections"])
    seen: list[dict[str, Any]] = []
    author.start("draft")

    def observe(operation: str, parameters: dict[str, Any]) -> None:
        values = parameters.get("ExpressionAttributeValues", {})
        texts = [one.get("S", "") for one in values.values() if isinstance(one, dict)]
        if any(text.startswith("writing section") for text in texts):
            seen.append({"operation": operation, "doing": texts})

    author.system.interceptor.observer = observe
    try:
        author.system.fifo_queues.receive()
        author.system.settle()
    finally:
        author.system.interceptor.observer = lambda *_: None

    said = [text for one in seen for text in one["doing"] if text.startswith("writing section")]
    assert said == [f"writing section {n} of {count}" for n in range(1, count + 1)]
    job = author.status("draft")["job"]
    assert (job["units"], job["units_done"], job["percent"]) == (count, count, 100)


def test_a_draft_that_waits_for_the_model_shows_the_sections_that_are_written(
    author: Author,
) -> None:
    author.at("planned")
    count = len(author.whole["outline"]["sections"])
    author.start("draft")
    faults = author.system.sandbox.faults
    written = len(author.system.questions())
    author.system.interceptor.fails_if = lambda name: (
        "responses" in name and len(author.system.questions()) - written >= 2
    )

    _work_once(author)

    shown = author.status("draft")
    assert (shown["status"], shown["job"]["state"]) == ("processing", "running")
    assert shown["job"]["units"] == count
    assert shown["job"]["units_done"] in {0, 2}
    assert shown["job"]["percent"] == 100 * shown["job"]["units_done"] // count
    author.system.interceptor.fails_if = lambda _: False
    faults.clear()
    author.system.settle()
    assert author.status("draft")["status"] == "completed"


def test_past_its_deadline_a_job_reads_as_failed(author: Author) -> None:
    author.at("planned").start("draft")
    author.system.clock.ms += 21 * MINUTE_MS

    shown = author.status("draft")

    assert (shown["status"], shown["error_code"]) == ("failed", "timeout")
    assert (shown["job"]["state"], shown["job"]["error_code"]) == ("failed", "timeout")
    assert shown["job"]["percent"] < 100
    author.system.settle()
    assert author.status("draft")["job"]["doing"] == "failed"
    assert author.generate("draft")["version"] == 1
