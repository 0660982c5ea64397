"""Revisions: replaced content of each step is listed and comes back, also large content; the newest twenty are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.store.bucket import revisions
from newsletters.store.content.newsletters import get_newsletter_full
from tests.integration.newsletters.api.author import ONE, STEPS, TYPES
from tests.simulation.newsletters.system import ANN, BEN

if TYPE_CHECKING:
    from newsletters.store.items import StepName
    from tests.integration.newsletters.api.author import Author

CONTENT = {
    "topics": ("selected_types", "custom_topics", "retrieved_content", "queries"),
    "outline": ("sections", "references", "user_modifications"),
    "draft": ("content", "generated_content", "sections", "section_order", "citations", "warnings"),
}


def _listed(author: Author, step: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = author.do("GET", f"{ONE}/{step}/revisions", **more)["revisions"]
    return found


def _restore(author: Author, step: str, revision: int) -> Any:
    body = {"version": author.version(step), "revision": revision}
    return author.do("POST", f"{ONE}/{step}/restore", body)


def _change(author: Author, step: str) -> None:
    match step:
        case "topics":
            author.select(TYPES[0])
        case "outline":
            sections = author.sections
            sections[1]["items"].append({"title": "Mine"})
            author.save_outline(sections)
        case _:
            author.save_draft("# Mine\n\nText.\n")


@pytest.mark.long
@pytest.mark.parametrize("step", STEPS)
def test_a_new_generation_keeps_the_content_before_which_can_be_restored_and_back(
    author: Author, step: StepName
) -> None:
    author.at("drafted")
    _change(author, step)
    before = author.whole
    author.generate(step, replace_edits=True, accept_stale=True)
    between = author.whole

    revision = _listed(author, step)[0]
    assert (revision["version"], revision["by"], revision["cause"]) == (
        before[step]["version"], ANN, "generated",
    )  # fmt: skip
    restored = _restore(author, step, revision["version"])

    after = author.whole
    assert restored["version"] == between[step]["version"] + 1 == after[step]["version"]
    for name in CONTENT[step]:
        assert after[step][name] == before[step][name]
    assert after[step]["is_stale"] == before[step]["is_stale"]
    newest = _listed(author, step)[0]
    assert (newest["version"], newest["cause"]) == (between[step]["version"], "restored")
    _restore(author, step, newest["version"])
    for name in CONTENT[step]:
        assert author.whole[step][name] == between[step][name]


@pytest.mark.parametrize("step", ["outline", "draft"])
def test_what_an_edit_replaces_can_be_restored(author: Author, step: StepName) -> None:
    author.at("drafted")
    _change(author, step)
    edited = author.whole[step]
    if step == "outline":
        sections = author.sections
        del sections[1]["items"][0]
        author.save_outline(sections)
    else:
        author.save_draft("# Another\n\nText.\n")

    assert [one["cause"] for one in _listed(author, step)] == ["edited", "edited"]
    _restore(author, step, edited["version"])

    for name in CONTENT[step]:
        assert author.whole[step][name] == edited[name]


def test_a_text_that_is_saved_unchanged_is_no_edit_and_no_revision(author: Author) -> None:
    author.at("drafted")
    draft = author.whole["draft"]
    before = author.kept()

    author.save_draft(draft["content"])
    key = draft["section_order"][-1]
    body = {"version": draft["version"], "content": draft["sections"][key]}
    author.do("PUT", f"{ONE}/draft/sections/{key}", body)

    assert author.kept() == before


def test_a_text_without_a_marker_names_the_lost_citations(author: Author) -> None:
    author.at("drafted")
    draft = author.whole["draft"]
    assert draft["lost_citations"] == []

    answer = author.save_draft("# Mine\n\nText.\n")

    cited = [one["n"] for one in draft["citations"]]
    assert answer["lost_citations"] == author.whole["draft"]["lost_citations"] == cited
    author.save_draft(draft["content"])
    assert author.whole["draft"]["lost_citations"] == []


def test_a_restored_draft_has_its_counts_and_the_status_of_its_exports(author: Author) -> None:
    author.at("drafted").export("text")
    words = author.whole["draft"]["word_count"]
    assert author.whole["metadata"]["status"] == "exported"
    author.save_draft("# Mine\n\nText.\n")
    author.generate("draft", replace_edits=True)

    _restore(author, "draft", 2)

    assert (author.whole["metadata"]["status"], author.whole["draft"]["word_count"]) == (
        "completed", 2,
    )  # fmt: skip
    author.do("DELETE", f"{ONE}/draft/edits", {"version": author.version("draft")})
    assert author.whole["draft"]["word_count"] == words
    assert author.whole["metadata"]["status"] == "exported"


def test_a_restore_that_is_impossible_changes_nothing(author: Author) -> None:
    author.at("drafted").save_draft("# Mine\n\nText.\n")
    author.generate("draft", replace_edits=True)
    path = f"{ONE}/draft/restore"

    assert author.refused("POST", path, {"version": 3, "revision": 9}) == (404, "not_found")
    assert author.refused("POST", path, {"version": 2, "revision": 2}) == (409, "stale_version")
    assert set(author.problems("POST", path, {"version": 3, "revision": 0})) == {"revision"}
    author.start("draft")
    assert author.refused("POST", path, {"version": 3, "revision": 2}) == (409, "step_processing")


def test_ids_of_an_outline_are_not_used_again_after_a_restore(author: Author) -> None:
    author.at("planned")
    author.generate("outline")
    _change(author, "outline")
    assert author.whole["outline"]["user_modifications"]["items_added"] == ["custom-item-1"]
    _restore(author, "outline", 1)

    _change(author, "outline")

    assert author.whole["outline"]["user_modifications"]["items_added"] == ["custom-item-2"]


def test_colleagues_with_the_scope_see_revisions_and_cannot_restore(author: Author) -> None:
    author.at("drafted").generate("draft")
    scopes = "newsletters:read newsletters:write"

    assert _listed(author, "draft", user=BEN, scopes=scopes) == _listed(author, "draft")
    body = {"version": 2, "revision": 1}
    found = author.refused("POST", f"{ONE}/draft/restore", body, user=BEN, scopes=scopes)
    assert found == (403, "forbidden")


def test_large_content_is_kept_whole(author: Author) -> None:
    author.at("drafted")
    text = "# Mine\n\n" + "🌾 wheat " * 18_000
    author.save_draft(text)
    author.generate("draft", replace_edits=True)

    _restore(author, "draft", 2)

    assert author.whole["draft"]["content"] == text


@pytest.mark.long
def test_of_edits_and_of_other_changes_the_newest_twenty_are_kept_with_their_objects(
    author: Author,
) -> None:
    author.at("drafted")
    store = author.system.api.resources.store
    author.save_draft("# Mine\n\nText.\n")
    for number in range(22):
        author.do("DELETE", f"{ONE}/draft/edits", {"version": author.version("draft")})
        author.save_draft(f"# Mine\n\nText {number}.\n")
        _restore(author, "draft", author.version("draft") - 2)

    author.generate("draft", replace_edits=True)

    found = revisions._found(store.table, author.system.code, "draft")
    versions = [one.version for one in found]
    assert [one.cause == "edited" for one in found].count(True) == 20
    assert len(versions) == 40
    assert versions == sorted(versions, reverse=True)
    assert versions[0] == author.version("draft") - 1
    assert [one["version"] for one in _listed(author, "draft")] == versions
    objects = [key for key in author.system.objects() if "revisions" in key]
    assert len(objects) == 40
    oldest = versions[-1]
    assert _restore(author, "draft", oldest)["version"] == versions[0] + 2
    newsletter = get_newsletter_full(store, author.system.code)
    assert newsletter is not None


def test_a_draft_of_an_earlier_release_keeps_its_markers_until_it_is_generated_again(
    author: Author,
) -> None:
    author.at("drafted")
    row = author.system.row("DRAFT")
    number = int(row["citations"][0]["n"])
    text = f"# Mine\n\nRain fell \\[{number}\\], see sys.argv[{number}].\n"
    _replace(author, "DRAFT", {"generated_content": text}, "has_source_links")
    _replace(author, "METADATA", {}, "preview")

    exported = author.export("text")["text"].decode()
    assert f"Rain fell [{number}], see sys.argv[{number}]." in exported
    assert "Sources" in exported
    assert author.whole["metadata"]["status"] == "exported"

    earlier = author.version("draft")
    author.generate("draft")
    assert author.system.row("DRAFT")["has_source_links"] is True
    body = {"version": author.version("draft"), "revision": earlier}
    author.do("POST", f"{ONE}/draft/restore", body)
    assert author.system.row("DRAFT")["has_source_links"] is False


def _replace(author: Author, name: str, values: dict[str, Any], removed: str) -> None:
    """Store an item as an earlier release has written it: without the attribute *removed*."""
    row = author.system.row(name)
    table = author.system.worker.resources.store.table
    table.update({"PK": row["PK"], "SK": row["SK"]}, put=values, drop=[removed])
