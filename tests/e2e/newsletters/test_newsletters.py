"""Newsletters on the deployed stack: documents in; topics, outline, draft, review and files over HTTP."""

from __future__ import annotations

import io
import re
import time
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
import urllib3

from tests.e2e.newsletters.editors import (
    FORMATS,
    ITEM_FIELDS,
    PATIENCE_SECONDS,
    Editor,
    company,
    editor,
    http,
)

if TYPE_CHECKING:
    from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
# The contract's attributes of each item, without the optional ones.
CONTRACT = {
    "METADATA": {
        *("id", "newsletterCode", "title", "description", "status", "user_id", "user_email"),
        *("user_name", "created_at", "updated_at", "target_audience", "tone_professional"),
        *("tone_technical", "format_type", "length_preference", "frequency", "geographic_focus"),
        *("current_step", "GSI1PK", "GSI1SK"),
    },
    "TOPICS": {
        *("selected_types", "retrieval_status", "retrieval_started_at", "retrieval_completed_at"),
        *("retrieval_error", "retrieved_content", "total_chunks_retrieved", "updated_at"),
    },
    "OUTLINE": {
        *("outline_status", "outline_started_at", "outline_completed_at", "outline_error"),
        *("sections", "user_modifications", "generated_at", "updated_at"),
    },
    "DRAFT": {
        *("draft_status", "draft_started_at", "draft_completed_at", "draft_error"),
        *("generated_content", "sections", "user_edits", "has_user_edits", "word_count"),
        *("estimated_read_time", "generated_at", "updated_at", "exports"),
    },
}
KINDS = {"target_audience": "L", "current_step": "N", "retrieved_content": "L", "exports": "M"}
KINDS |= {"retrieval_error": "NULL", "outline_error": "NULL", "draft_error": "NULL"}
KINDS |= {"user_modifications": "M", "has_user_edits": "BOOL", "word_count": "N", "title": "S"}


@pytest.fixture(scope="module")
def author(deployed: Deployed) -> Editor:
    return company(deployed.stack)


@pytest.fixture(scope="module")
def code(author: Editor) -> str:
    """A newsletter with an edited outline and a draft."""
    code = author.create(title="Highland Farms: the season")
    assert author.generate(code, "topics")["status"] == "completed"
    assert author.generate(code, "outline")["status"] == "completed"
    _edit_outline(author, code)
    assert author.generate(code, "draft")["status"] == "completed"
    return code


def _edit_outline(author: Editor, code: str) -> None:
    outline = author.newsletter(code)["outline"]
    sections = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [{name: item[name] for name in ITEM_FIELDS} for item in section["items"]],
        }
        for section in outline["sections"]
    ]
    main = next(one for one in sections if len(one["items"]) > 1)
    main["items"][-1]["included"] = False
    main["items"].append({"title": "Questions of our readers"})
    change = {"version": outline["version"], "sections": sections}
    changed = author.call("PUT", f"/newsletters/{code}/outline", change)
    assert changed["user_modifications"]["items_added"] == ["custom-item-1"]


def items_of(author: Editor, code: str) -> dict[str, dict[str, Any]]:
    """The contract's items as they are stored, by sort key."""
    stack = author.stack
    found = stack.client("dynamodb").query(
        TableName=stack.tables["newsletters"],
        KeyConditionExpression="PK = :code",
        ExpressionAttributeValues={":code": {"S": f"NEWSLETTER#{code}"}},
    )["Items"]
    return {item["SK"]["S"]: dict(item) for item in found}


def objects_of(author: Editor, code: str) -> list[str]:
    stack = author.stack
    listed = stack.client("s3").list_objects_v2(
        Bucket=stack.buckets["newsletters"], Prefix=f"newsletters/{code}/"
    )
    return [one["Key"] for one in listed.get("Contents", [])]


def download(author: Editor, code: str, name: str) -> urllib3.BaseHTTPResponse:
    link = author.call("GET", f"/newsletters/{code}/exports/{name}")
    return http.request("GET", link["url"])


def test_a_draft_cites_dated_passages_and_has_the_items_that_were_included(
    author: Editor, code: str
) -> None:
    newsletter = author.newsletter(code)
    draft, topics = newsletter["draft"], newsletter["topics"]

    assert draft["content"].startswith("# Highland Farms: the season\n")
    assert draft["citations"]
    assert all(f"[{one['n']}]" in draft["content"] for one in draft["citations"])
    found = {chunk["chunk_id"] for chunk in topics["retrieved_content"]}
    assert {one["chunk_id"] for one in draft["citations"]} <= found
    assert newsletter["metadata"]["status"] in {"completed", "exported"}
    assert not [name for name in ("topics", "outline", "draft") if newsletter[name]["is_stale"]]


def test_an_outline_never_fills_a_section_with_what_its_author_excluded(
    author: Editor, code: str
) -> None:
    outline = author.newsletter(code)["outline"]
    items = [item for section in outline["sections"] for item in section["items"]]

    assert [item["id"] for item in items if not item["included"]]
    assert [item["source"] for item in items if item["id"] == "custom-item-1"] == ["ai_generated"]


def test_the_stored_items_have_the_attributes_of_the_contract(author: Editor, code: str) -> None:
    items = items_of(author, code)

    assert items.keys() == CONTRACT.keys()
    for name, attributes in CONTRACT.items():
        assert attributes - items[name].keys() == set()
        wrong = {
            one: items[name][one]
            for one in attributes & KINDS.keys()
            if KINDS[one] not in items[name][one]
        }
        assert wrong == {}
        assert "ttl" not in items[name]
    metadata = items["METADATA"]
    assert metadata["GSI1PK"]["S"] == f"USER#{metadata['user_id']['S']}"
    assert metadata["GSI1SK"]["S"] == f"NEWSLETTER#{metadata['created_at']['S']}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["updated_at"]["S"])
    assert metadata["current_step"]["N"] == "4"


def test_every_format_is_rendered_and_can_be_downloaded(author: Editor, code: str) -> None:
    exported = author.export(code, *FORMATS)

    assert exported["exports"].keys() == set(FORMATS)
    files = {name: download(author, code, name) for name in FORMATS}
    sizes = {name: len(file.data) for name, file in files.items()}
    assert sizes == {name: one["file_size"] for name, one in exported["exports"].items()}
    assert files["pdf"].data.startswith(b"%PDF-")
    assert files["pdf"].headers["Content-Type"] == "application/pdf"
    with zipfile.ZipFile(io.BytesIO(files["docx"].data)) as docx:
        assert "word/document.xml" in docx.namelist()
    assert b"<!doctype html>" in files["html"].data[:100].lower()
    assert files["html"].data != files["email"].data
    assert files["markdown"].data.startswith(b"# Highland Farms: the season\n")
    assert author.newsletter(code)["metadata"]["status"] == "exported"
    stored = items_of(author, code)["DRAFT"]["exports"]["M"]["pdf"]["M"]
    assert stored["s3_key"]["S"] == f"newsletters/{code}/export.pdf"


def test_an_edit_outdates_the_files_and_the_approval(deployed: Deployed, author: Editor) -> None:
    code = author.drafted()
    colleague = editor(deployed.stack, "colleague", "review")
    author.export(code, "text")
    _approved(author, colleague, code)
    draft = author.newsletter(code)["draft"]

    edited = {"version": draft["version"], "content": f"{draft['content']}\n\nOne more line."}
    author.call("PUT", f"/newsletters/{code}/draft", edited)

    metadata = author.newsletter(code)["metadata"]
    assert (metadata["status"], metadata["review"]["is_outdated"]) == ("completed", True)
    assert author.call("GET", f"/newsletters/{code}/exports")["exports"]["text"]["is_outdated"]


def test_an_edited_text_that_a_generation_replaced_comes_back_from_its_revision(
    author: Editor,
) -> None:
    code = author.drafted()
    draft = author.newsletter(code)["draft"]
    edited = {"version": draft["version"], "content": "# Mine\n\nA text."}
    version = author.call("PUT", f"/newsletters/{code}/draft", edited)["version"]
    assert author.generate(code, "draft", replace_edits=True)["status"] == "completed"
    newest = author.call("GET", f"/newsletters/{code}/draft/revisions")["revisions"][0]
    assert (newest["version"], newest["cause"]) == (version, "generated")

    present = author.newsletter(code)["draft"]["version"]
    restore = {"version": present, "revision": version}
    author.call("POST", f"/newsletters/{code}/draft/restore", restore)

    restored = author.newsletter(code)["draft"]
    assert (restored["content"], restored["has_user_edits"]) == ("# Mine\n\nA text.", True)
    revisions = author.call("GET", f"/newsletters/{code}/draft/revisions")["revisions"]
    assert [one["cause"] for one in revisions] == ["restored", "generated", "edited"]


def _approved(author: Editor, colleague: Editor, code: str) -> None:
    version = author.newsletter(code)["metadata"]["version"]
    request = {"version": version, "note": "Ready?"}
    asked = author.call("POST", f"/newsletters/{code}/review/request", request)
    decision = {"version": asked["version"]}
    assert author.refused("POST", f"/newsletters/{code}/review/approve", decision)[:2] == (
        403,
        "forbidden",
    )
    decided = colleague.call("POST", f"/newsletters/{code}/review/approve", decision)
    assert decided["review"] == "approved"
    assert colleague.refused("DELETE", f"/newsletters/{code}")[0] == 403


def test_a_running_step_is_cancelled_and_writes_nothing_afterwards(author: Editor) -> None:
    code = author.create()
    assert author.generate(code, "topics")["status"] == "completed"
    fault = {"kind": "delay", "provider": "openai", "seconds": 15}
    answer = http.request("POST", f"{author.stack.sandbox_url}/_faults", json=fault)
    assert answer.status == 201, answer.data
    started = author.call("POST", f"/newsletters/{code}/outline/start", {})
    author.wait(started["status_url"], lambda state: state["job"]["state"] == "running")
    assert author.refused("PUT", f"/newsletters/{code}/outline", _an_outline())[:2] in {
        (409, "no_content"),
        (409, "step_processing"),
    }

    cancelled = author.call("POST", f"/newsletters/{code}/outline/cancel")

    assert cancelled == {"job_id": started["job_id"], "status": "cancelled"}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while author.stack.messages_on(["newsletter_steps"]):  # until the model's answer has come
        assert time.monotonic() < deadline
        time.sleep(0.3)
    state = author.call("GET", started["status_url"])
    assert (state["status"], state["job"]["state"], state["version"]) == ("pending", "cancelled", 0)
    assert author.generate(code, "outline")["status"] == "completed"


def _an_outline() -> dict[str, Any]:
    return {"version": 0, "sections": [{"name": "News", "items": [{"title": "One"}]}]}


def test_a_deleted_newsletter_leaves_no_objects_and_its_code_is_not_found(author: Editor) -> None:
    code = author.drafted()
    author.export(code, "markdown")
    assert objects_of(author, code)

    assert author.call("DELETE", f"/newsletters/{code}") == {"code": code, "deleted": True}

    assert author.refused("GET", f"/newsletters/{code}")[:2] == (404, "not_found")
    assert items_of(author, code) == {}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (left := objects_of(author, code)) and time.monotonic() < deadline:
        time.sleep(0.3)
    assert left == []


@pytest.mark.parametrize(
    ("rule", "step", "code"),
    [("json", "outline", "outline_invalid"), ("refuse", "outline", "ai_refused")],
)
def test_an_answer_that_breaks_the_rules_fails_the_step_and_keeps_its_content(
    author: Editor, rule: str, step: str, code: str
) -> None:
    newsletter = author.create(description=f"[[break:{rule}]]")
    assert author.generate(newsletter, "topics")["status"] == "completed"

    state = author.generate(newsletter, step)

    assert (state["status"], state["error_code"], state["is_usable"]) == ("failed", code, False)
    assert author.newsletter(newsletter)["topics"]["is_usable"]
