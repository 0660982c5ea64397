"""Bad input of every kind is refused by name or has no effect; each row of the specification's table is a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.newsletters.api.author import (
    ONE,
    content_section,
    items_of,
)
from tests.simulation.newsletters.system import BEN

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

WRITER = "newsletters:write"


@pytest.mark.parametrize(
    "code",
    [
        "NL-20261345-ABCD",
        "NL-20260230-ABCD",
        "NL-00000101-ABCD",
        "NL-2026010-ABCD",
        "NL-20260101-ABCDE",
        "NL-20260101-AB D",
        "PROP-20260101-ABCD",
        "NL-20260101-ÄBCD",
        "NL-20260101-ABCD%0A",
        "..",
    ],
)
def test_a_code_of_a_wrong_shape_or_with_an_impossible_date_is_not_found(
    author: Author, code: str
) -> None:
    author.at("created")

    for method, path, body in (
        ("GET", "", None),
        ("DELETE", "", None),
        ("PATCH", "", {"version": 1, "title": "x"}),
        ("PUT", "/topics", {"selected_types": ["funding"]}),
        ("POST", "/topics/start", {}),
        ("GET", "/topics/status", None),
    ):
        found = author.refused(method, f"/newsletters/{code}{path}", body)
        assert found == (404, "not_found")


def test_a_code_is_found_in_any_case(author: Author) -> None:
    author.at("created")

    assert author.do("GET", f"/newsletters/{author.system.code.lower()}") == author.whole


def test_a_code_of_another_user_or_company_is_not_found(author: Author) -> None:
    author.at("created")

    for who in ({"user": BEN, "scopes": WRITER}, {"company": "globex"}):
        assert author.refused("GET", ONE, **who) == (404, "not_found")
        assert author.refused("DELETE", ONE, **who) == (404, "not_found")
        assert author.refused("POST", f"{ONE}/topics/start", {}, **who) == (404, "not_found")


def test_an_unknown_type_and_one_given_twice_by_id_and_name_are_named_by_their_position(
    author: Author,
) -> None:
    author.at("created")
    types = ["Policy Updates", "gossip", "FUNDING", "policy_updates", "funding opportunities"]

    problems = author.problems("PUT", f"{ONE}/topics", {"selected_types": types})

    assert problems == {
        "selected_types.1": "is neither a type nor a custom topic",
        "selected_types.3": "is the same type as entry 0",
        "selected_types.4": "is the same type as entry 2",
    }


def test_custom_topics_with_the_same_name_or_that_of_a_type_are_refused(author: Author) -> None:
    author.at("created")
    custom = [
        {"name": "Bee keeping", "query": "bees honey"},
        {"name": "bee  KEEPING", "query": "hives"},
        {"name": "Policy updates", "query": "laws"},
    ]

    body = {"selected_types": ["Bee keeping"], "custom_topics": custom}

    assert author.problems("PUT", f"{ONE}/topics", body) == {
        "custom_topics.1.name": "is the name of another custom topic",
        "custom_topics.2.name": "is the name of a type",
    }


def test_unknown_ids_in_an_outline_are_refused_by_their_place(author: Author) -> None:
    author.at("planned")

    def problem(change: str, value: Any) -> dict[str, str]:
        sections = author.sections
        if change == "section":
            sections[1]["id"] = value
        else:
            sections[1]["items"][0][change] = value
        body = {"version": author.version("outline"), "sections": sections}
        return author.problems("PUT", f"{ONE}/outline", body)

    twice = author.sections[0]["items"][0]["id"]
    place = "sections.1.items.0"
    assert problem("rag_reference_ids", ["chunk-0123456789ab"]) == {
        f"{place}.rag_reference_ids": "there is no passage with this id"
    }
    assert set(problem("rag_reference_ids", ["chunk-1"])) == {f"{place}.rag_reference_ids.0"}
    assert problem("id", "item-9-9") == {f"{place}.id": "there is no item with this id"}
    assert problem("id", twice) == {f"{place}.id": "occurs twice"}
    assert problem("section", "section-99") == {"sections.1.id": "there is no section with this id"}


def test_sections_are_renumbered_in_their_order_and_numbers_of_a_client_are_ignored(
    author: Author,
) -> None:
    author.at("planned")
    sections = list(reversed(author.sections))

    author.save_outline(sections[:1] + sections[2:])

    stored = author.whole["outline"]["sections"]
    assert [one["order"] for one in stored] == list(range(1, len(stored) + 1))
    assert [one["id"] for one in stored] == [one["id"] for one in sections[:1] + sections[2:]]
    author.save_outline([{**one, "order": 7} for one in author.sections])
    assert author.whole["outline"]["sections"] == stored


def test_with_every_item_excluded_there_is_nothing_to_draft(author: Author) -> None:
    author.at("planned")
    sections = author.sections
    for section in sections[1:-1]:
        for item in section["items"]:
            item["included"] = False

    author.save_outline(sections)

    assert author.refused("POST", f"{ONE}/draft/start", {}) == (409, "nothing_to_draft")


def test_an_empty_corpus_ends_with_no_results(author: Author) -> None:
    author.at("selected")
    for source in author.do("GET", "/newsletters/sources", query={"limit": "100"})["sources"]:
        author.do("DELETE", f"/newsletters/sources/{source['name']}")

    ended = author.attempt("topics")

    assert (ended["status"], ended["error_code"]) == ("failed", "no_results")
    assert ended["error"] == "No passages were found for the selected topics."
    assert not ended["is_usable"]
    assert author.refused("POST", f"{ONE}/outline/start", {}) == (409, "not_ready")


@pytest.mark.parametrize("words", [80_000, 1_000_000])
def test_a_draft_of_400_kilobytes_or_five_megabytes_is_too_large(
    author: Author, words: int
) -> None:
    author.at("drafted")
    body = {"version": author.version("draft"), "content": "word " * words}

    assert author.refused("PUT", f"{ONE}/draft", body) == (413, "too_large")
    key = author.whole["draft"]["section_order"][1]
    path = f"{ONE}/draft/sections/{key}"
    assert author.refused("PUT", path, body) == (413, "too_large")


def test_a_text_of_characters_of_several_bytes_is_measured_in_bytes(author: Author) -> None:
    author.at("drafted")

    body = {"version": author.version("draft"), "content": "é" * 100_001}
    assert author.refused("PUT", f"{ONE}/draft", body) == (413, "too_large")

    assert author.save_draft("é" * 100_000)["has_user_edits"]


@pytest.mark.parametrize("sign", ["\ud800", "\x00", "\x1b", "\x85", "\u2028"])
def test_lone_surrogates_and_control_characters_are_refused_by_the_name_of_their_field(
    author: Author, sign: str
) -> None:
    author.at("drafted")
    bad = f"ab{sign}cd"
    version = author.version("metadata")

    for name in ("title", "description", "geographic_focus", "user_name"):
        assert set(author.problems("POST", "/newsletters", {name: bad})) == {name}
        assert set(author.problems("PATCH", ONE, {"version": version, name: bad})) == {name}
    custom = [{"name": bad, "query": bad}]
    body: dict[str, Any] = {"version": 1, "selected_types": ["funding"], "custom_topics": custom}
    assert set(author.problems("PUT", f"{ONE}/topics", body)) == {
        "custom_topics.0.name",
        "custom_topics.0.query",
    }
    sections = author.sections
    sections[0]["items"][0]["user_notes"] = bad
    body = {"version": author.version("outline"), "sections": sections}
    assert set(author.problems("PUT", f"{ONE}/outline", body)) == {"sections.0.items.0.user_notes"}
    body = {"version": author.version("draft"), "content": bad}
    assert set(author.problems("PUT", f"{ONE}/draft", body)) == {"content"}
    body = {"version": version, "note": bad}
    assert set(author.problems("POST", f"{ONE}/review/request", body)) == {"note"}


def test_the_content_of_a_pdf_under_the_name_of_a_text_is_refused(author: Author) -> None:
    author.at("created")
    body = {"name": "a.md", "title": "A", "text": "%PDF-1.7\n1 0 obj << /Type /Catalog >>"}

    assert author.problems("POST", "/newsletters/sources", body) == {
        "text": "must be text: this is the content of a PDF file"
    }


def test_control_characters_in_a_document_are_refused_but_line_ends_are_not(
    author: Author,
) -> None:
    author.at("created")
    body = {"name": "a.md", "title": "A", "text": "one\r\ntwo\x0cthree"}
    assert author.do("POST", "/newsletters/sources", body) == {"name": "a.md"}

    for name in ("title", "text"):
        for sign in ("\x00", "\ud800", "\x1b"):
            broken = body | {name: f"a{sign}b"}
            assert set(author.problems("POST", "/newsletters/sources", broken)) == {name}


def test_the_excluded_items_of_an_outline_are_not_sent_to_the_model(author: Author) -> None:
    author.at("planned")
    sections = author.sections
    section = content_section(sections)
    gone = section["items"][0]
    gone["included"] = False
    gone["user_notes"] = "a note that is not sent"
    section["items"].append({"title": "An item of my own", "description": "Said by me."})
    author.save_outline(sections)

    draft = author.generate("draft")

    assert gone["title"] not in draft["content"]
    assert "An item of my own" in draft["content"]
    assert not any("a note that is not sent" in one for one in author.system.questions())
    assert gone["id"] in {one["id"] for one in items_of(author.sections)}
