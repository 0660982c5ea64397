"""What people edit in outlines and drafts, and what of it a new generation keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.drafting.content import word_count
from tests.integration.newsletters.api.author import ONE, content_section, items_of

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author


def _outline(author: Author) -> dict[str, Any]:
    found: dict[str, Any] = author.whole["outline"]
    return found


# The outline


@pytest.mark.long
def test_an_unchanged_outline_can_be_saved_and_modifies_nothing(author: Author) -> None:
    author.at("planned")
    before = _outline(author)

    author.save_outline(author.sections)

    after = _outline(author)
    assert after["sections"] == before["sections"]
    assert after["user_modifications"] == {
        "items_added": [], "items_removed": [], "items_edited": [],
    }  # fmt: skip
    assert after["version"] == before["version"] + 1


def test_an_outline_of_ids_and_titles_keeps_descriptions_notes_and_sources(author: Author) -> None:
    author.at("planned")
    before = _outline(author)
    short = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [{"id": one["id"], "title": one["title"]} for one in section["items"]],
        }
        for section in before["sections"]
    ]
    short[1]["items"][0]["included"] = False

    answer = author.save_outline(short)

    after = _outline(author)
    before["sections"][1]["items"][0]["included"] = False
    assert after["sections"] == before["sections"]
    assert after["references"] == before["references"]
    assert answer["warnings"] == after["warnings"] == []


def test_an_outline_can_be_sent_back_as_it_was_read_with_all_its_fields(author: Author) -> None:
    author.at("planned")
    read = _outline(author)

    author.do("PUT", f"{ONE}/outline", read)

    assert _outline(author)["sections"] == read["sections"]


def test_sections_that_are_given_by_id_alone_keep_name_and_items(author: Author) -> None:
    author.at("planned")
    before = _outline(author)["sections"]

    author.save_outline([{"id": one["id"]} for one in before])

    assert _outline(author)["sections"] == before


def test_a_new_item_needs_a_title_and_a_new_section_a_name(author: Author) -> None:
    author.at("planned")
    body = {"version": 1, "sections": [{"items": [{"description": "Without a title"}]}]}

    assert set(author.problems("PUT", f"{ONE}/outline", body)) == {"sections.0.items.0"}
    body = {"version": 1, "sections": [{"items": []}]}
    assert set(author.problems("PUT", f"{ONE}/outline", body)) == {"sections.0"}


def test_a_loss_of_sources_is_a_warning_that_names_the_item(author: Author) -> None:
    author.at("planned")
    section = content_section(author.sections)
    emptied, removed = section["items"][0], section["items"][-1]
    assert emptied["id"] != removed["id"]
    sections = author.sections
    changed = next(one for one in sections if one["id"] == section["id"])
    changed["items"][0]["rag_reference_ids"] = []
    changed["items"].pop()

    answer = author.save_outline(sections)

    lost = {(one["code"], one["item"]) for one in answer["warnings"]}
    assert lost == {("sources_lost", emptied["id"]), ("sources_lost", removed["id"])}
    assert all(one["section"] == section["id"] for one in answer["warnings"])
    assert emptied["title"] in [one["text"] for one in _outline(author)["warnings"]]
    author.save_outline(author.sections)
    assert _outline(author)["warnings"] == []


def test_a_passage_that_another_item_cites_now_is_not_lost(author: Author) -> None:
    author.at("planned")
    sections = author.sections
    section = content_section(sections)
    moved = section["items"].pop()
    new = {"title": "Mine", "rag_reference_ids": moved["rag_reference_ids"]}
    section["items"].append(new)

    assert author.save_outline(sections)["warnings"] == []


def test_items_are_added_edited_removed_and_excluded_and_listed_as_such(author: Author) -> None:
    author.at("planned")
    sections = author.sections
    section = content_section(sections)
    reference = section["items"][0]["rag_reference_ids"][0]
    removed = section["items"].pop()
    edited = items_of(sections)[0]
    edited["title"] = "A better title"
    excluded = items_of(sections)[-1]
    excluded["included"] = False
    section["items"].append({"title": "With a source", "rag_reference_ids": [reference] * 2})
    section["items"].append({"title": "Without one"})
    sections.append({"name": "My section", "items": []})

    answer = author.save_outline(sections)

    stored = {one["id"]: one for one in items_of(_outline(author)["sections"])}
    assert answer["user_modifications"] == {
        "items_added": ["custom-item-1", "custom-item-2"],
        "items_removed": [removed["id"]],
        "items_edited": [edited["id"], excluded["id"]],
    }
    first, second = stored["custom-item-1"], stored["custom-item-2"]
    assert (first["custom"], first["source"], first["rag_reference_id"]) == (
        True, "rag_content", reference,
    )  # fmt: skip
    assert first["rag_reference_ids"] == [reference]
    assert (second["custom"], second["source"], "rag_reference_id" in second) == (
        True, "ai_generated", False,
    )  # fmt: skip
    assert not stored[edited["id"]]["custom"]
    new = _outline(author)["sections"][-1]
    assert (new["name"], new["kind"], new["items"]) == ("My section", "main", [])
    assert new["id"] not in {one["id"] for one in sections if "id" in one}


def test_an_item_that_returns_to_its_generated_text_is_not_edited_any_more(author: Author) -> None:
    author.at("planned")
    original = author.sections
    changed = author.sections
    changed[0]["items"][0]["title"] = "Another one"
    author.save_outline(changed)

    answer = author.save_outline(original)

    assert answer["user_modifications"]["items_edited"] == []


def test_ids_of_removed_items_and_sections_are_never_used_again(author: Author) -> None:
    author.at("planned")
    sections = author.sections
    sections[1]["items"].append({"title": "First"})
    sections.append({"name": "Mine", "items": []})
    ids = author.save_outline(sections)["sections"]
    author.save_outline(author.sections[:-1])
    sections = author.sections
    sections[1]["items"][-1] = {"title": "Second"}
    sections.append({"name": "Mine", "items": []})

    again = author.save_outline(sections)["sections"]

    assert again[1]["items"][-1] == "custom-item-2"
    assert again[-1]["id"] != ids[-1]["id"]
    generated = author.generate("outline")["sections"]
    assert not {one["id"] for one in generated} & {one["id"] for one in again}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "x" * 201),
        ("description", "x" * 501),
        ("user_notes", "x" * 1_001),
        ("included", "yes"),
        ("included", None),
        ("rag_reference_ids", ["chunk-0123456789ab"] * 11),
        ("colour", "red"),
    ],
)
def test_an_item_that_breaks_a_rule_is_refused_by_its_place(
    author: Author, field: str, value: Any
) -> None:
    author.at("planned")
    sections = author.sections
    sections[1]["items"][0][field] = value
    body = {"version": author.version("outline"), "sections": sections}

    problems = author.problems("PUT", f"{ONE}/outline", body)

    assert all(one.startswith(f"sections.1.items.0.{field}") for one in problems)


def test_an_outline_has_at_most_12_sections_and_60_items(author: Author) -> None:
    author.at("planned")
    version = author.version("outline")
    empty = {"name": "One", "items": []}
    full = {"name": "One", "items": [{"title": "An item"}] * 31}

    def problems(sections: list[Any]) -> set[str]:
        body = {"version": version, "sections": sections}
        return set(author.problems("PUT", f"{ONE}/outline", body))

    assert problems([empty] * 13) == {"sections"}
    assert problems([full, full]) == {"sections"}
    assert problems([]) == {"sections"}
    author.save_outline([{"name": "One", "items": full["items"][:30]}] * 2 + [empty] * 10)


def test_a_new_outline_keeps_custom_and_edited_items_and_not_the_removed_ones(
    author: Author,
) -> None:
    author.at("planned")
    sections = author.sections
    main = content_section(sections)
    removed = main["items"].pop(0)
    edited = main["items"][0]
    edited["user_notes"] = "Say more about this."
    excluded = sections[-2]["items"][0]
    excluded["included"] = False
    main["items"].append({"title": "My own item", "description": "Mine"})
    author.save_outline(sections)
    kinds = {
        item["id"]: one["kind"] for one in _outline(author)["sections"] for item in one["items"]
    }

    for _ in range(2):
        generated = author.generate("outline")
        stored = {one["id"]: one for one in items_of(generated["sections"])}
        titles = [one["title"] for one in stored.values()]
        assert removed["title"] not in titles
        assert removed["rag_reference_ids"] not in [
            one["rag_reference_ids"] for one in stored.values()
        ]
        assert stored[edited["id"]]["user_notes"] == "Say more about this."
        assert not stored[excluded["id"]]["included"]
        assert titles.count("My own item") == titles.count(edited["title"]) == 1
        for section in generated["sections"]:
            for item in section["items"]:
                if item["id"] in kinds and not item["id"].startswith("item-1-"):
                    assert kinds[item["id"]] == section["kind"]
        assert generated["user_modifications"]["items_added"] == ["custom-item-1"]
        assert set(generated["user_modifications"]["items_edited"]) == {
            edited["id"], excluded["id"],
        }  # fmt: skip


def test_a_new_outline_of_many_kept_items_can_still_be_saved(author: Author) -> None:
    author.at("planned")
    sections = author.sections
    free = 60 - len(items_of(sections))
    sections[1]["items"] += [{"title": f"My item {number}"} for number in range(free)]
    author.save_outline(sections)
    for item in items_of(changed := author.sections):
        item["user_notes"] = "Keep this."
    author.save_outline(changed)

    generated = author.generate("outline")

    assert len(items_of(generated["sections"])) == 60
    author.save_outline(author.sections)


# The draft


def test_an_edited_draft_is_shown_with_its_own_counts_and_the_generated_text_stays(
    author: Author,
) -> None:
    author.at("drafted")
    generated = author.whole["draft"]
    assert generated["word_count"] == word_count(generated["generated_content"])

    answer = author.save_draft("# Mine\n\nSix words, as people count [[1]](#source-1).\n")

    draft = author.whole["draft"]
    assert (draft["has_user_edits"], draft["word_count"]) == (True, 6)
    assert draft["estimated_read_time"] == answer["estimated_read_time"] == "1 minute"
    assert draft["content"].startswith("# Mine")
    assert draft["generated_content"] == generated["generated_content"]
    assert author.save_draft("word " * 251)["estimated_read_time"] == "2 minutes"


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t"])
def test_a_draft_without_text_is_refused(author: Author, text: str) -> None:
    author.at("drafted")
    key = author.whole["draft"]["section_order"][0]
    body = {"version": 1, "content": text}

    for path in ("draft", f"draft/sections/{key}"):
        assert set(author.problems("PUT", f"{ONE}/{path}", body)) == {"content"}


def test_each_section_can_be_edited_without_touching_the_others(author: Author) -> None:
    author.at("drafted")
    keys = author.whole["draft"]["section_order"]

    for number, key in enumerate(keys):
        before = author.whole["draft"]["content"]
        body = {"version": author.version("draft"), "content": f"New text {number} of mine."}
        author.do("PUT", f"{ONE}/draft/sections/{key}", body)
        after = author.whole["draft"]["content"]
        kept = [line for line in before.split("\n") if line.startswith("#")]
        assert f"New text {number} of mine." in after
        assert [line for line in kept if line.startswith(("# ", "## "))] == [
            line for line in after.split("\n") if line.startswith(("# ", "## "))
        ]
    assert author.whole["draft"]["word_count"] == word_count(author.whole["draft"]["content"])
    assert all(f"New text {n} of mine." in after for n in range(len(keys)))


def test_a_section_whose_heading_was_removed_cannot_be_edited_by_its_key(author: Author) -> None:
    author.at("drafted")
    key = author.whole["draft"]["section_order"][1]
    body = {"version": 1, "content": "Text"}
    assert author.refused("PUT", f"{ONE}/draft/sections/nothing", body) == (
        409, "section_not_found",
    )  # fmt: skip
    author.save_draft("# Mine\n\nNo sections here.\n")

    body = {"version": 2, "content": "Text"}
    assert author.refused("PUT", f"{ONE}/draft/sections/{key}", body) == (409, "section_not_found")


def test_discarded_edits_become_a_revision_and_the_generated_text_comes_back(
    author: Author,
) -> None:
    author.at("drafted")
    generated = author.whole["draft"]
    author.save_draft("# Mine\n\nText.\n")

    answer = author.do("DELETE", f"{ONE}/draft/edits", {"version": 2})

    assert (answer["version"], answer["has_user_edits"]) == (3, False)
    assert answer["word_count"] == generated["word_count"]
    assert author.whole["draft"]["content"] == generated["content"]
    found = author.do("GET", f"{ONE}/draft/revisions")["revisions"]
    assert [(one["version"], one["cause"]) for one in found] == [(2, "discarded"), (1, "edited")]


def test_without_edits_nothing_is_discarded(author: Author) -> None:
    author.at("drafted")
    before = author.kept()

    assert author.do("DELETE", f"{ONE}/draft/edits", {"version": 1})["version"] == 1
    assert author.kept() == before
    assert author.refused("DELETE", f"{ONE}/draft/edits", {"version": 7}) == (409, "stale_version")
