"""Two people change one newsletter or issue at once, and items that are larger than this release writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from shared.aws.dynamodb import Table
from tests.integration.newsletters.api.author import ONE, TYPES

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author


def meanwhile(author: Author, path: str, body: dict[str, Any]) -> Any:
    """The change of a second editor right before the first write of the first one."""
    status: list[int] = []

    def observer(operation: str, _: Any) -> None:
        if operation == "dynamodb.TransactWriteItems" and not status:
            status.append(0)
            status[0] = author.call("PUT", path, body)[0]

    author.system.interceptor.observer = observer
    return status


@pytest.mark.parametrize("step", ["topics", "outline", "draft"])
def test_of_two_editors_at_the_same_moment_one_is_told_that_the_step_has_changed(
    author: Author, step: str
) -> None:
    author.at("drafted")
    sections = author.sections
    bodies: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "topics": ({"selected_types": [TYPES[0]]}, {"selected_types": [TYPES[1]]}),
        "outline": (
            {"sections": [{**sections[0], "name": "First"}, *sections[1:]]},
            {"sections": [{**sections[0], "name": "Second"}, *sections[1:]]},
        ),
        "draft": ({"content": "# The first text"}, {"content": "# The second text"}),
    }
    first, second = ({"version": author.version(step), **one} for one in bodies[step])

    other = meanwhile(author, f"{ONE}/{step}", second)
    status, answer = author.call("PUT", f"{ONE}/{step}", first)
    author.system.interceptor.observer = type(author.system.interceptor).observer

    assert other == [200]
    assert (status, answer["error"]["code"]) == (409, "stale_version")
    stored = json.dumps(author.whole[step])
    assert "econd" in stored or TYPES[1] in stored
    assert "The first text" not in stored
    assert author.version(step) == first["version"] + 1


def test_the_text_of_an_editor_who_was_faster_stays_as_a_revision(author: Author) -> None:
    author.at("drafted")
    author.save_draft("# The first text")
    author.save_draft("# The second text")

    newest = author.do("GET", f"{ONE}/draft/revisions")["revisions"][0]
    body = {"version": author.version("draft"), "revision": newest["version"]}
    author.do("POST", f"{ONE}/draft/restore", body)

    assert "The first text" in author.whole["draft"]["content"]


def test_two_hundred_topics_are_refused_by_their_number_and_change_nothing(author: Author) -> None:
    author.at("selected")
    before = author.whole["topics"]
    custom = [{"name": f"Topic {n}", "query": f"words {n}"} for n in range(200)]
    body = {
        "version": author.version("topics"),
        "selected_types": [one["name"] for one in custom],
        "custom_topics": custom,
    }

    problems = author.problems("PUT", f"{ONE}/topics", body)

    assert set(problems) == {"selected_types", "custom_topics"}
    assert author.whole["topics"] == before


def test_a_newsletter_of_another_writer_with_two_hundred_topics_is_read_and_exported(
    author: Author,
) -> None:
    author.at("drafted")
    table = Table(author.system.dynamodb, author.system.table)
    key = {"PK": f"NEWSLETTER#{author.system.code}", "SK": "TOPICS"}
    many = [f"Topic {n} of another writer" for n in range(200)]
    table.update(key, put={"selected_types": many})

    assert author.whole["topics"]["selected_types"] == many
    author.patch(description="changed")
    assert author.whole["topics"]["selected_types"] == many


def test_a_draft_of_400_kilobytes_of_another_writer_is_read_and_replaced_by_a_shorter_one(
    author: Author,
) -> None:
    author.at("drafted")
    table = Table(author.system.dynamodb, author.system.table)
    key = {"PK": f"NEWSLETTER#{author.system.code}", "SK": "DRAFT"}
    long = "word " * 70_000  # an item of DynamoDB has at most 400 KB
    table.update(key, put={"user_edits": long, "has_user_edits": True}, drop=["sections"])

    assert author.whole["draft"]["content"] == long
    author.save_draft("# Short again")
    assert author.whole["draft"]["content"].startswith("# Short again")
