"""The review of a draft: requested by its author, decided by a colleague, outdated by an edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.newsletters.api.author import ONE
from tests.simulation.newsletters.system import BEN, MODEL

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

SETTINGS = "/newsletters/settings"
REVIEWER = {"user": BEN, "scopes": "newsletters:review"}


def _request(author: Author, note: str = "Please look.") -> Any:
    body = {"version": author.version("metadata"), "note": note}
    return author.do("POST", f"{ONE}/review/request", body)


def _decision(author: Author, **values: Any) -> dict[str, Any]:
    return {"version": author.version("metadata"), **values}


@pytest.mark.long
def test_a_colleague_sees_the_note_and_approves_with_notes_that_the_author_sees(
    author: Author,
) -> None:
    author.at("drafted")
    assert _request(author)["review"] == "requested"

    seen = author.do("GET", ONE, **REVIEWER)
    assert seen["metadata"]["review"]["note"] == "Please look."
    assert seen["draft"]["content"] == author.whole["draft"]["content"]
    body = _decision(author, notes="Well done.")
    answer = author.do("POST", f"{ONE}/review/approve", body, **REVIEWER)

    review = author.whole["metadata"]["review"]
    assert answer["review"] == review["state"] == "approved"
    assert (review["decided_by"], review["decision_notes"]) == (BEN, "Well done.")
    assert review["decided_at"] >= review["requested_at"]
    assert not review["is_outdated"]


def test_a_returned_draft_is_edited_and_requested_again(author: Author) -> None:
    author.at("drafted")
    _request(author)
    path = f"{ONE}/review/return"
    for notes in ({}, {"notes": ""}, {"notes": " \n"}, {"notes": "x" * 1_001}):
        problems = author.problems("POST", path, _decision(author, **notes), **REVIEWER)
        assert set(problems) == {"notes"}

    body = _decision(author, notes="Shorter, please.")
    author.do("POST", path, body, **REVIEWER)

    review = author.whole["metadata"]["review"]
    assert (review["state"], review["decision_notes"]) == ("returned", "Shorter, please.")
    author.save_draft("# Mine\n\nShort.\n")
    assert _request(author, "Shorter now.")["review"] == "requested"
    review = author.whole["metadata"]["review"]
    assert (review["note"], "decided_by" in review, review["is_outdated"]) == (
        "Shorter now.", False, False,
    )  # fmt: skip


def test_an_edit_or_another_title_makes_a_request_and_an_approval_outdated(author: Author) -> None:
    author.at("drafted")
    _request(author)
    author.save_draft("# Mine\n\nText.\n")

    assert author.whole["metadata"]["review"]["is_outdated"]
    found = author.refused("POST", f"{ONE}/review/approve", _decision(author), **REVIEWER)
    assert found == (409, "wrong_review_state")
    _request(author)
    author.do("POST", f"{ONE}/review/approve", _decision(author), **REVIEWER)
    author.patch(title="Another title")
    assert author.whole["metadata"]["review"]["is_outdated"]


def test_a_decision_needs_a_request_the_present_version_and_the_scope(author: Author) -> None:
    author.at("drafted")
    path = f"{ONE}/review/approve"

    assert author.refused("POST", path, _decision(author), **REVIEWER) == (
        409, "wrong_review_state",
    )  # fmt: skip
    _request(author)
    writer = {"user": BEN, "scopes": "newsletters:write newsletters:read"}
    assert author.refused("POST", path, _decision(author), **writer) == (403, "forbidden")
    assert author.refused("POST", path, {"version": 1}, **REVIEWER) == (409, "stale_version")
    stranger = REVIEWER | {"company": "globex"}
    assert author.refused("POST", path, _decision(author), **stranger) == (404, "not_found")
    author.do("POST", path, _decision(author), **REVIEWER)
    for verb in ("approve", "return"):
        body = _decision(author, notes="Again.")
        found = author.refused("POST", f"{ONE}/review/{verb}", body, **REVIEWER)
        assert found == (409, "wrong_review_state")


def test_only_the_owner_requests_a_review(author: Author) -> None:
    author.at("drafted")
    colleague = {"user": BEN, "scopes": "newsletters:write newsletters:read"}

    body = {"version": author.version("metadata")}

    assert author.refused("POST", f"{ONE}/review/request", body, **colleague) == (403, "forbidden")


def test_with_four_eyes_the_author_may_not_decide(author: Author) -> None:
    author.at("drafted")
    _request(author)
    author.do("PUT", SETTINGS, {"version": 1, "ai": MODEL, "four_eyes": True})

    for verb in ("approve", "return"):
        body = _decision(author, notes="Mine.")
        assert author.refused("POST", f"{ONE}/review/{verb}", body) == (403, "forbidden")
    author.do("PUT", SETTINGS, {"version": 2, "four_eyes": False})
    assert author.do("POST", f"{ONE}/review/approve", _decision(author))["review"] == "approved"


def test_a_reviewer_reads_and_cannot_change_anything_else(author: Author) -> None:
    author.at("drafted")
    scopes = "newsletters:review newsletters:write"

    for method, path, body in (
        ("PATCH", "", {"version": 1, "title": "Mine"}),
        ("PUT", "/draft", {"version": 1, "content": "Mine"}),
        ("DELETE", "", None),
        ("POST", "/exports", {"formats": ["text"]}),
    ):
        found = author.refused(method, f"{ONE}{path}", body, user=BEN, scopes=scopes)
        assert found == (403, "forbidden")
