"""Steps: what a start needs, running jobs, cancellation, progress, staleness, and failures that keep content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.newsletters.api.author import NEWSLETTER, ONE, STEPS, TYPES

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author


def _stale(author: Author) -> list[bool]:
    whole = author.whole
    return [whole[step]["is_stale"] for step in STEPS]


# Gates


def test_a_retrieval_needs_types_and_an_audience(author: Author) -> None:
    author.at("created")
    assert author.refused("POST", f"{ONE}/topics/start", {}) == (409, "not_ready")

    author.select(*TYPES)
    author.patch(target_audience=[])
    assert author.refused("POST", f"{ONE}/topics/start", {}) == (409, "not_ready")

    author.patch(target_audience=["farmers"])
    assert author.start("topics")["status"] == "queued"


def test_an_outline_needs_passages_and_a_draft_an_outline(author: Author) -> None:
    author.at("selected")
    for step in ("outline", "draft"):
        assert author.refused("POST", f"{ONE}/{step}/start", {}) == (409, "not_ready")

    author.start("topics")
    assert author.refused("POST", f"{ONE}/outline/start", {}) == (409, "step_processing")
    author.system.settle()

    author.start("outline")
    status, answer = author.call("POST", f"{ONE}/draft/start", {})
    assert (status, answer["error"]["code"]) == (409, "step_processing")
    assert answer["error"]["retryable"]  # the same call succeeds when the job has ended
    author.system.settle()
    author.start("draft")


def test_a_step_without_content_cannot_be_changed_or_exported(author: Author) -> None:
    author.at("retrieved")

    section = {"name": "Mine", "items": []}
    for method, path, body in (
        ("PUT", "outline", {"version": 0, "sections": [section]}),
        ("PUT", "draft", {"version": 0, "content": "Text"}),
        ("PUT", "draft/sections/introduction", {"version": 0, "content": "Text"}),
        ("DELETE", "draft/edits", {"version": 0}),
        ("POST", "exports", {"formats": ["text"]}),
        ("POST", "review/request", {"version": 1}),
        ("POST", "draft/restore", {"version": 0, "revision": 1}),
    ):
        assert author.refused(method, f"{ONE}/{path}", body) == (409, "no_content")


@pytest.mark.parametrize("path", ["status", "start", "cancel", "revisions", "restore"])
def test_a_step_of_another_name_is_not_found(author: Author, path: str) -> None:
    author.at("created")
    method = "GET" if path in {"status", "revisions"} else "POST"
    body = {"version": 1, "revision": 1} if path == "restore" else {}

    assert author.refused(method, f"{ONE}/metadata/{path}", body) == (404, "not_found")


# Staleness


def test_a_stale_step_above_needs_consent(author: Author) -> None:
    author.at("drafted").patch(geographic_focus="Kenya")

    assert _stale(author) == [True, True, True]
    for step in ("outline", "draft"):
        assert author.refused("POST", f"{ONE}/{step}/start", {}) == (409, "upstream_stale")
        assert author.start(step, accept_stale=True)["status"] == "queued"
        author.system.settle()


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"title": "Other"}, [False, False, False]),
        ({"description": "Other"}, [False, False, False]),
        ({"format_type": "web"}, [False, False, False]),
        ({"user_name": "Ann"}, [False, False, False]),
        ({"tone_technical": 90}, [False, True, True]),
        ({"tone_preset": "expert_analysis"}, [False, True, True]),
        ({"frequency": "quarterly"}, [True, True, True]),
        ({"length_preference": "deep_dive"}, [True, True, True]),
        ({"geographic_focus": "Kenya"}, [True, True, True]),
        ({"language": "de"}, [True, True, True]),
        ({"target_audience": ["farmers"]}, [True, True, True]),
    ],
)
def test_a_change_of_the_configuration_makes_the_steps_stale_that_depend_on_it(
    author: Author, change: dict[str, Any], stale: list[bool]
) -> None:
    author.at("drafted")
    before = author.whole

    author.patch(**change)

    after = author.whole
    assert _stale(author) == stale
    for step in STEPS:
        for name in before[step].keys() - {"is_stale"}:
            assert after[step][name] == before[step][name]
    back = {name: before["metadata"][name] for name in change if name in before["metadata"]}
    author.patch(**back)
    assert _stale(author) == [False, False, False]


def test_other_topics_make_all_steps_stale_and_delete_nothing(author: Author) -> None:
    author.at("drafted")
    before = author.whole

    assert author.select(*TYPES[:2])["is_stale"]

    after = author.whole
    assert _stale(author) == [True, True, True]
    assert after["topics"]["retrieved_content"] == before["topics"]["retrieved_content"]
    assert after["outline"]["sections"] == before["outline"]["sections"]
    assert after["draft"]["content"] == before["draft"]["content"]
    author.generate("topics")
    assert _stale(author) == [False, True, True]


def test_a_changed_outline_makes_the_draft_stale(author: Author) -> None:
    author.at("drafted")
    sections = author.sections
    sections[1]["items"][0]["user_notes"] = "Be brief."
    author.save_outline(sections)
    assert _stale(author) == [False, False, True]

    author.generate("draft")
    assert _stale(author) == [False, False, False]


def test_an_edit_of_the_draft_makes_no_step_stale(author: Author) -> None:
    author.at("drafted").save_draft("# Mine\n\nText.\n")

    assert _stale(author) == [False, False, False]


def test_cited_passages_that_a_new_retrieval_does_not_have_are_named(author: Author) -> None:
    author.at("planned")
    cited = {one["id"] for one in author.whole["outline"]["references"]}
    author.select("Funding Opportunities")
    author.generate("topics")

    outline = author.whole["outline"]

    present = {one["chunk_id"] for one in author.whole["topics"]["retrieved_content"]}
    assert set(outline["stale_references"]) == cited - present
    assert outline["stale_references"]
    author.save_outline(author.sections)  # the passages stay valid
    assert {one["id"] for one in author.whole["outline"]["references"]} == cited


# Failures


def test_a_failed_regeneration_keeps_content_status_of_use_and_progress(author: Author) -> None:
    author.at("drafted")
    before = author.whole
    author.patch(description="[[break:json]]")

    for step in ("outline", "draft"):
        ended = author.attempt(step)

        assert ended["status"] == "failed"
        assert ended["is_usable"]
        assert ended["error"].endswith("twice.")
        assert ended["job"]["state"] == "failed"
        assert ended["job"]["percent"] < 100
    after = author.whole
    assert after["outline"]["sections"] == before["outline"]["sections"]
    assert after["draft"]["content"] == before["draft"]["content"]
    assert after["metadata"]["current_step"] == 4
    author.patch(description="")
    assert author.generate("draft")["version"] == 2
    assert "error_code" not in author.status("draft")


def test_without_settings_of_a_model_an_outline_fails_with_a_code(author: Author) -> None:
    author.at("retrieved").do("PUT", "/newsletters/settings", {"version": 1, "ai": None})

    assert author.attempt("outline")["error_code"] == "ai_not_configured"


def test_the_daily_limit_of_the_company_ends_a_job(author: Author) -> None:
    author.at("planned")
    model = author.do("GET", "/newsletters/settings")["ai"]
    author.do("PUT", "/newsletters/settings", {"version": 1, "ai": model, "ai_daily_units": 2})

    assert author.attempt("draft")["error_code"] == "quota_exceeded"


def test_a_model_that_does_not_answer_is_asked_again_and_then_unavailable(author: Author) -> None:
    author.at("retrieved")
    author.system.sandbox.faults.add(provider="openai", kind="status", status=503, times=1)
    assert author.attempt("outline")["status"] == "completed"

    author.system.sandbox.faults.add(provider="openai", kind="status", status=503, times=1_000)
    ended = author.attempt("outline")
    author.system.sandbox.faults.clear()

    assert (ended["status"], ended["error_code"]) == ("failed", "ai_unavailable")
    assert ended["version"] == 1


def test_a_newsletter_in_another_language_has_sections_of_that_language(author: Author) -> None:
    assert NEWSLETTER["target_audience"] == ["field_staff"]
    author.at("retrieved").patch(language="de")

    names = [one["name"] for one in author.generate("outline", accept_stale=True)["sections"]]

    assert "Introduction" not in names
    assert author.generate("draft", accept_stale=True)["content"]
