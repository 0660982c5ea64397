"""Exports through the API: jobs and files of each format, what is outdated, and what is not rendered again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.store import jobs
from tests.integration.newsletters.api.author import ONE

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

PATH = f"{ONE}/exports"


def _shown(author: Author) -> dict[str, Any]:
    found: dict[str, Any] = author.do("GET", PATH)
    return found


def test_an_export_is_queued_rendered_and_downloaded_by_a_link(author: Author) -> None:
    author.at("drafted")
    assert _shown(author) == {"exports": {}, "jobs": {}, "missing_characters": ""}
    started = author.do("POST", PATH, {"formats": ["text", "html"]})

    assert {one["state"] for one in started["jobs"].values()} == {"queued"}
    assert started["status_url"] == f"/newsletters/{author.system.code}/exports"
    assert author.refused("GET", f"{PATH}/text") == (404, "not_found")
    author.system.settle()

    shown = _shown(author)
    assert {one["percent"] for one in shown["jobs"].values()} == {100}
    assert author.whole["metadata"]["status"] == "exported"
    link = author.do("GET", f"{PATH}/text")
    assert link["url"].startswith("https://")
    assert "=attachment" in link["url"]
    assert "X-Amz-Expires=900&" in f"{link['url']}&"
    quarter = datetime.fromtimestamp(author.system.clock.ms // 1_000, UTC) + timedelta(minutes=15)
    assert link["expires_at"] == f"{quarter:%Y-%m-%dT%H:%M:%SZ}"
    assert "=inline" in author.do("GET", f"{PATH}/text", query={"inline": "true"})["url"]
    assert link["file_size"] == shown["exports"]["text"]["file_size"] > 0
    assert not link["is_outdated"]


def test_the_characters_that_a_pdf_cannot_show_are_known_before_the_export(author: Author) -> None:
    author.at("drafted").save_draft("# Rain\n\n&#28450;字 ฝน 🌻 مطر बारिश")

    assert _shown(author)["missing_characters"] == "漢字ฝน🌻"


@pytest.mark.parametrize(
    "formats", [[], ["epub"], ["text", "text"], ["TEXT"], "text", None, ["text", "nothing"]]
)
def test_unknown_formats_and_those_given_twice_are_refused(author: Author, formats: Any) -> None:
    author.at("drafted")

    problems = author.problems("POST", PATH, {"formats": formats})

    assert {name.partition(".")[0] for name in problems} == {"formats"}
    assert author.refused("GET", f"{PATH}/epub") == (404, "not_found")


def test_a_job_that_is_done_is_shown_with_its_file_although_it_ended_during_the_call(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    author.at("drafted").do("POST", PATH, {"formats": ["text"]})

    def after_the_worker(*arguments: Any) -> Any:
        author.system.settle()
        return get_many(*arguments)

    get_many = jobs.get_many
    monkeypatch.setattr(jobs, "get_many", after_the_worker)
    shown = _shown(author)

    assert shown["jobs"]["text"]["state"] == "done"
    assert shown["exports"].keys() == {"text"}


def test_an_export_of_the_present_content_is_not_rendered_again(author: Author) -> None:
    author.at("drafted").export("text")
    first = _shown(author)

    again = author.do("POST", PATH, {"formats": ["text"]})

    assert again["jobs"]["text"]["job_id"] == first["jobs"]["text"]["job_id"]
    assert again["jobs"]["text"]["state"] == "done"
    author.system.settle()
    assert _shown(author) == first


def test_an_edit_and_another_title_make_exports_outdated_until_they_are_made_again(
    author: Author,
) -> None:
    author.at("drafted").export("text", "markdown")
    author.save_draft("# Mine\n\nText.\n")

    assert author.whole["metadata"]["status"] == "completed"
    assert all(one["is_outdated"] for one in _shown(author)["exports"].values())
    assert b"Text." in author.export("text")["text"]
    assert author.whole["metadata"]["status"] == "exported"
    outdated = {name: one["is_outdated"] for name, one in _shown(author)["exports"].items()}
    assert outdated == {"text": False, "markdown": True}
    author.patch(title="Another title")
    assert author.whole["metadata"]["status"] == "completed"
    assert author.do("GET", f"{PATH}/text")["is_outdated"]


def test_content_that_changes_while_it_is_rendered_leaves_an_outdated_export(
    author: Author,
) -> None:
    author.at("drafted").do("POST", PATH, {"formats": ["text"]})
    done = False

    def edit(operation: str, _: dict[str, Any]) -> None:
        nonlocal done
        if operation == "s3.PutObject" and not done:
            done = True
            author.save_draft("# Mine\n\nText.\n")

    author.system.interceptor.observer = edit
    try:
        author.system.settle()
    finally:
        author.system.interceptor.observer = lambda *_: None

    assert done
    assert _shown(author)["exports"]["text"]["is_outdated"]
    assert author.whole["metadata"]["status"] == "completed"
