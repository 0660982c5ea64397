"""Bad input to the API of newsletters on the deployed stack: what it answers, and that nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.newsletters.editors import Editor, company, editor

if TYPE_CHECKING:
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(scope="module")
def author(deployed: Deployed) -> Editor:
    return company(deployed.stack)


@pytest.fixture(scope="module")
def drafted(author: Editor) -> str:
    return author.drafted()


@pytest.fixture
def code(author: Editor) -> str:
    """A newsletter with selected topics and nothing else."""
    return author.create()


@pytest.mark.parametrize("wrong", ["NL-2026-XXXX", "NL-20261345-AAAA", "NL-20260101-0000", "x"])
def test_a_code_that_is_none_or_unknown_is_not_found(author: Editor, wrong: str) -> None:
    assert author.refused("GET", f"/newsletters/{wrong}")[:2] == (404, "not_found")


def test_a_newsletter_of_another_user_or_company_is_not_found(
    deployed: Deployed, author: Editor, code: str
) -> None:
    other = editor(deployed.stack, "other", "write")
    foreign = editor(deployed.stack, "foreign", "read", "write", "review", company="lowland")

    for stranger in (other, foreign):
        assert stranger.refused("GET", f"/newsletters/{code}")[:2] == (404, "not_found")
        assert stranger.refused("DELETE", f"/newsletters/{code}")[:2] == (404, "not_found")
    assert author.newsletter(code)["metadata"]["newsletter_code"] == code


def test_a_colleague_with_the_scope_reads_a_newsletter_and_may_not_change_it(
    deployed: Deployed, code: str
) -> None:
    colleague = editor(deployed.stack, "reader", "read", "write")
    change = {"version": 1, "title": "Mine"}

    assert colleague.newsletter(code)["metadata"]["newsletter_code"] == code
    assert colleague.refused("PATCH", f"/newsletters/{code}", change)[:2] == (403, "forbidden")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "a\u0000b"}, "title"),
        ({"title": "a\ud800b"}, "title"),
        ({"description": "x" * 2_001}, "description"),
        ({"tone_professional": 101}, "tone_professional"),
        ({"tone_professional": 1.5}, "tone_professional"),
        ({"frequency": "hourly"}, "frequency"),
        ({"target_audience": ["researchers", "researchers"]}, "target_audience"),
        ({"target_audience": ["Not A Word"]}, "target_audience.0"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_value_that_breaks_a_rule_is_named(author: Editor, body: Any, field: str) -> None:
    status, answer = author.ask("POST", "/newsletters", body)

    assert (status, answer["error"]["code"]) == (400, "invalid_input")
    assert field in [one["field"] for one in answer["error"]["details"]]


def test_an_unknown_type_and_one_named_twice_are_named(author: Editor, code: str) -> None:
    types = ["livestock", "Sports", "Livestock & Animal Health"]

    status, answer = author.ask(
        "PUT", f"/newsletters/{code}/topics", {"version": 1, "selected_types": types}
    )

    assert (status, answer["error"]["code"]) == (400, "invalid_input")
    assert [one["field"] for one in answer["error"]["details"]] == [
        "selected_types.1",
        "selected_types.2",
    ]


def test_a_step_is_not_started_before_the_one_above(author: Editor, code: str) -> None:
    for step in ("outline", "draft"):
        answer = author.refused("POST", f"/newsletters/{code}/{step}/start", {})
        assert answer[:2] == (409, "not_ready")
    assert author.refused("POST", f"/newsletters/{code}/sending/start", {})[0] == 404
    answer = author.refused("POST", f"/newsletters/{code}/exports", {"formats": ["pdf"]})
    assert answer[:2] == (409, "no_content")


def test_a_version_that_is_not_the_present_one_is_refused(author: Editor, drafted: str) -> None:
    change = {"version": 999, "content": "# Other"}

    assert author.refused("PUT", f"/newsletters/{drafted}/draft", change)[:2] == (
        409,
        "stale_version",
    )
    change = {"version": 999, "title": "Other"}
    assert author.refused("PATCH", f"/newsletters/{drafted}", change)[:2] == (409, "stale_version")


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        ("x" * 5_000_000, 413, "too_large"),
        ("x" * 200_001, 413, "too_large"),
        ("a\u0000b", 400, "invalid_input"),
        ("a\udfffb", 400, "invalid_input"),
        ("", 400, "invalid_input"),
    ],
)
def test_a_text_that_no_draft_may_have_changes_nothing(
    author: Editor, drafted: str, content: str, status: int, code: str
) -> None:
    before = author.newsletter(drafted)["draft"]

    answer = author.refused(
        "PUT", f"/newsletters/{drafted}/draft", {"version": before["version"], "content": content}
    )

    assert answer[:2] == (status, code)
    assert author.newsletter(drafted)["draft"] == before


def test_an_unknown_item_or_reference_is_named(author: Editor, drafted: str) -> None:
    outline = author.newsletter(drafted)["outline"]
    first = outline["sections"][0]

    for item, field in (
        ({"id": "item-99-1", "title": "One"}, "sections.0.items.0.id"),
        ({"title": "One", "rag_reference_ids": ["chunk-0123456789ab"]}, "sections.0.items.0"),
    ):
        section = {"id": first["id"], "name": first["name"], "items": [item]}
        status, answer = author.ask(
            "PUT",
            f"/newsletters/{drafted}/outline",
            {"version": outline["version"], "sections": [section]},
        )
        assert (status, answer["error"]["code"]) == (400, "invalid_input")
        assert answer["error"]["details"][0]["field"].startswith(field)


def test_nothing_is_drafted_if_every_item_is_excluded(author: Editor) -> None:
    code = author.create()
    for step in ("topics", "outline"):
        assert author.generate(code, step)["status"] == "completed"
    outline = author.newsletter(code)["outline"]
    sections = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [
                {"id": item["id"], "title": item["title"], "included": False}
                for item in section["items"]
            ],
        }
        for section in outline["sections"]
    ]
    change = {"version": outline["version"], "sections": sections}
    author.call("PUT", f"/newsletters/{code}/outline", change)

    answer = author.refused("POST", f"/newsletters/{code}/draft/start", {})

    assert answer[:2] == (409, "nothing_to_draft")


def test_a_company_without_documents_gets_no_results(deployed: Deployed) -> None:
    author = editor(deployed.stack, "empty", "write", company="lowland")
    code = author.create()

    state = author.generate(code, "topics")

    assert (state["status"], state["error_code"]) == ("failed", "no_results")


def test_edits_are_not_replaced_without_consent_and_an_older_step_needs_it_too(
    author: Editor,
) -> None:
    code = author.drafted()
    draft = author.newsletter(code)["draft"]
    edited = {"version": draft["version"], "content": "# Mine\n\nA text."}
    author.call("PUT", f"/newsletters/{code}/draft", edited)

    answer = author.refused("POST", f"/newsletters/{code}/draft/start", {})
    assert answer[:2] == (409, "has_user_edits")
    version = author.newsletter(code)["metadata"]["version"]
    author.call(
        "PATCH", f"/newsletters/{code}", {"version": version, "geographic_focus": "West Africa"}
    )
    answer = author.refused("POST", f"/newsletters/{code}/outline/start", {})
    assert answer[:2] == (409, "upstream_stale")
    state = author.generate(code, "draft", accept_stale=True, replace_edits=True)
    assert state["status"] == "completed"
    assert not author.newsletter(code)["draft"]["has_user_edits"]
