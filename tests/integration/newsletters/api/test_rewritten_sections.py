"""Sections of a draft that are written again alone: the others, edits of people and numbers of sources stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.newsletters.api.author import ONE, content_section, items_of

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

EDIT = "A line of mine."


def keys_of(author: Author) -> list[str]:
    found: list[str] = author.whole["draft"]["section_order"]
    return found


def edit(author: Author, key: str) -> None:
    body = {"version": author.version("draft"), "content": EDIT + key}
    author.do("PUT", f"{ONE}/draft/sections/{key}", body)


def again(author: Author, *keys: str, **options: Any) -> dict[str, Any]:
    return author.generate("draft", sections=list(keys), **options)


def test_a_section_is_written_again_and_edits_of_the_others_stay(author: Author) -> None:
    before = author.at("drafted").whole["draft"]
    first, second = keys_of(author)[1:3]
    edit(author, first)
    edit(author, second)

    after = again(author, first)

    assert EDIT + first not in after["content"]
    assert EDIT + second in after["content"]
    assert after["has_user_edits"]
    for name in ("generated_content", "sections", "section_order", "citations"):
        assert after[name] == before[name], name
    assert author.status("draft")["job"]["units"] == 1
    revisions = author.do("GET", f"{ONE}/draft/revisions")["revisions"]
    assert revisions[0]["cause"] == "generated"
    author.do(
        "POST",
        f"{ONE}/draft/restore",
        {"version": after["version"], "revision": revisions[0]["version"]},
    )
    assert EDIT + first in author.whole["draft"]["content"]


def test_new_sources_of_a_section_get_numbers_behind_those_of_the_draft(author: Author) -> None:
    sections = author.at("planned").sections
    section = content_section(sections)
    place = sections.index(section)
    (new,) = section["items"][1]["rag_reference_ids"]
    section["items"][1]["included"] = False
    author.save_outline(sections)
    before = author.generate("draft")
    section["items"][1]["included"] = True
    author.save_outline(sections)
    key = keys_of(author)[place]
    known = before["citations"]
    assert new not in {one["chunk_id"] for one in known}

    after = again(author, key)

    citations = {one["chunk_id"]: one["n"] for one in after["citations"]}
    assert citations[new] == len(known) + 1
    assert f"[[{citations[new]}]](#source-{citations[new]})" in after["sections"][key]
    assert after["citations"][: len(known)] == known
    others = {one: text for one, text in before["sections"].items() if one != key}
    assert {one: after["sections"][one] for one in others} == others
    assert after["is_stale"]  # the text of the frame is of the outline before


def test_warnings_of_the_other_sections_stay(author: Author) -> None:
    before = author.at("drafted").whole["draft"]
    key = keys_of(author)[1]
    mine = [one for one in before["warnings"] if one["section"] == key]
    assert mine
    assert len(mine) < len(before["warnings"])

    after = again(author, key)

    assert sorted(map(str, after["warnings"])) == sorted(map(str, before["warnings"]))


def test_a_section_that_is_not_there_once_is_refused_by_its_place(author: Author) -> None:
    author.at("drafted")
    first, second = keys_of(author)[1:3]
    body = {"sections": [first, "nothing"]}
    assert author.problems("POST", f"{ONE}/draft/start", body).keys() == {"sections.1"}
    assert author.problems("POST", f"{ONE}/outline/start", {"sections": [first]}).keys() == {
        "sections"
    }
    assert author.problems("POST", f"{ONE}/draft/start", {"sections": [first, first]}).keys() == {
        "sections"
    }
    assert author.problems("POST", f"{ONE}/draft/start", {"sections": []}).keys() == {"sections"}
    author.save_draft("# Mine\n\nNo sections here.\n")
    assert author.problems("POST", f"{ONE}/draft/start", {"sections": [first]}).keys() == {
        "sections.0"
    }
    author.at("drafted")
    sections = author.sections
    place = keys_of(author).index(second)
    sections[place]["name"] = "Another name"
    author.save_outline(sections)
    assert author.problems("POST", f"{ONE}/draft/start", {"sections": [second]}).keys() == {
        "sections.0"
    }


def test_a_draft_without_text_has_no_sections(author: Author) -> None:
    author.at("planned")
    body = {"sections": ["introduction"]}
    assert author.refused("POST", f"{ONE}/draft/start", body) == (409, "no_content")


def test_an_outline_that_changes_before_the_job_begins_fails_it_and_keeps_the_text(
    author: Author,
) -> None:
    before = author.at("drafted").whole["draft"]
    key = keys_of(author)[1]
    sections = author.sections
    author.start("draft", sections=[key])
    for item in items_of(sections[1:2]):
        item["included"] = False
    author.save_outline(sections)

    author.system.settle()

    status = author.status("draft")
    assert (status["status"], status["error_code"]) == ("failed", "outline_changed")
    assert author.whole["draft"]["content"] == before["content"]
