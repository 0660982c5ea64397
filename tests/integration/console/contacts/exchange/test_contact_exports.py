"""Contacts are exported as CSV and JSON lines: each person once, as the person who asks may see them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.contacts.exports import formats, job
from console.store.contacts import work as contact_work
from shared.runtime import clock
from tests.integration.console.contacts.exchange.imports import ADMIN, Files
from tests.integration.console.contacts.test_contact_changes import EDITOR, created
from tests.integration.console.contacts.test_contacts_api import ACME, people
from tests.integration.console.inbox.bulk import killed_at
from tests.integration.console.inbox.test_bulk_changes import error_of

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

__all__ = ["people"]  # a fixture
AFTER_LEASE_MS = 60_000


@pytest.fixture
def files(inbox: InboxSystem) -> Files:
    made = Files(inbox)
    kind = {"kind": "choice", "title": "Stufe", "choices": ["gold"], "filterable": True}
    assert made.ask("PUT /attributes/tier", kind).status == 200
    return made


def person(inbox: InboxSystem, number: int, name: str = "Lea Roy", **more: Any) -> str:
    phone = {"kind": "phone", "value": f"+4477009001{number:02}"}
    made: str = created(inbox, name, identifiers=[phone], **more)["contactId"]
    return made


def rows_of(text: str) -> list[dict[str, str]]:
    assert text.startswith(formats.BOM)
    return list(csv.DictReader(io.StringIO(text.removeprefix(formats.BOM), newline="")))


def names(text: str) -> list[str]:
    return sorted(one["name"] for one in rows_of(text))


def test_all_contacts_of_all_weeks_are_exported_once_also_merged_ones(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "PAGE", 2)
    now = clock.now_ms()
    ids = []
    for number in range(5):
        made = now - number * 30 * clock.DAY_SECONDS * clock.SECOND_MS
        monkeypatch.setattr(clock, "now_ms", lambda made=made: made)
        ids.append(person(inbox, number, f"Person {number}"))
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    files.ask(f"POST /contacts/{ids[0]}/merge", {"contactId": ids[3]})
    mail = {"kind": "email", "value": "one@example.com"}
    files.ask(f"POST /contacts/{ids[1]}/identifiers", mail)

    found = rows_of(files.exported())

    kept = min(ids[0], ids[3])
    assert len(found) == 4
    assert {one["contact_id"] for one in found} == {kept, ids[1], ids[2], ids[4]}
    (one,) = (each for each in found if each["contact_id"] == ids[1])
    assert (one["phone"], one["email"]) == ("+447700900101", "one@example.com")


def test_a_list_or_filters_name_the_contacts_and_json_has_all_that_the_api_shows(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "PAGE", 2)
    gold = {"attributes": {"tier": "gold"}}
    ids = [person(inbox, number, f"Person {number}", **gold) for number in range(3)]
    other = person(inbox, 7, "Other", labels=["vip"])
    files.ask(f"PATCH /contacts/{ids[2]}", {"attributes": {"tier": None}})
    regulars = files.ask("POST /contacts/lists", {"name": "Regulars"}).result["listId"]
    files.ask(f"POST /contacts/lists/{regulars}/members", {"contactIds": [*ids[:1], other]})
    files.ask(f"POST /contacts/{ids[0]}/merge", {"contactId": ids[1]})

    assert len(names(files.exported(attribute="tier:gold"))) == 1
    assert names(files.exported(label="vip")) == ["Other"]
    assert names(files.exported(list_id=regulars))[0] == "Other"
    lines = files.exported(format="jsonl", label="vip").splitlines()
    shown = inbox.get(ADMIN, f"/contacts/{other}").result
    (line,) = map(json.loads, lines)
    assert {name: value for name, value in line.items() if value is not None} == shown


def test_no_cell_is_a_formula_and_an_import_takes_the_file_back(
    inbox: InboxSystem, files: Files
) -> None:
    nasty = '=HYPERLINK("https://evil.example";"x")'
    person(inbox, 1, nasty, organisation="\uff20SUM(1)", labels=["-1+1"], given_names="A;=1+1;B")

    text = files.exported()
    (row,) = rows_of(text)

    assert (row["name"], row["organisation"], row["labels"]) == (
        f"'{nasty}",
        "'\uff20SUM(1)",
        "'-1+1",
    )
    assert row["given_names"] == "A;'=1+1;B"  # parted at semicolons in German
    assert row["phone"] == "+447700900101"
    path = files.uploaded(text)
    preview = files.ask(f"POST {path}/preview").result
    assert [one["outcome"] for one in preview["rows"]] == ["unchanged"]
    proposed = {one["name"]: one["field"] for one in preview["columns"] if "field" in one}
    assert proposed["attribute:tier"] == "attribute:tier"
    assert proposed["phone"] == "phone"


@pytest.mark.usefixtures("people")
def test_conversations_are_in_an_export_only_for_who_may_read_them(files: Files) -> None:
    of_mail = replace(ADMIN, scopes=ADMIN.scopes - {"whatsapp:read", "conversations:read"})
    assert len(rows_of(files.exported())) > len(rows_of(files.exported(of_mail))) > 0
    refused = files.ask("POST /contacts/exports", caller=EDITOR)
    assert (refused.status, refused.body["error"]["code"]) == (403, "forbidden")


def test_bad_calls_of_exports_are_refused(inbox: InboxSystem, files: Files) -> None:
    cases: list[tuple[dict[str, Any], tuple[int, str]]] = [
        ({"format": "xlsx"}, (400, "invalid_input")),
        ({"list_id": "none"}, (404, "list_not_found")),
        ({"list_id": "none", "label": "vip"}, (400, "invalid_input")),
        ({"attribute": "tier"}, (400, "invalid_input")),
    ]
    for body, expected in cases:
        answer = files.ask("POST /contacts/exports", body)
        assert (answer.status, answer.body["error"]["code"]) == expected, body
    made = files.ask("POST /contacts/exports").result
    path = f"/contacts/exports/{made['exportId']}"
    assert "link" not in inbox.get(ADMIN, path).result
    assert inbox.get(replace(ADMIN, company="globex"), path).status == 404
    assert inbox.get(ACME, path).status == 403


@pytest.mark.long
def test_a_company_has_ten_open_jobs_and_others_are_refused_nothing(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each job has a run at a time, and all companies share the runs of the account."""
    other = replace(ADMIN, company="globex")
    monkeypatch.setattr(contact_work, "MOST_OPEN", 3)
    path = files.uploaded("phone\n+447700900123\n")
    answers = [
        files.ask("POST /contacts/exports", key=f"export-number-{number}") for number in range(4)
    ]
    begun = files.ask(f"POST {path}/start", {"columns": ["phone"]})
    again = files.ask("POST /contacts/exports", key="export-number-2")
    of_other = files.ask("POST /contacts/exports", caller=other)
    files.runs.started.clear()  # lost
    monkeypatch.setattr(contact_work, "MOST_OPEN", 2)
    files.runs.look()

    assert [one.status for one in answers] == [202, 202, 202, 409]
    assert error_of(begun) == error_of(answers[3]) == (409, "too_many_requests_open")
    assert (again.status, of_other.status) == (202, 202)
    assert [one["job"]["job"]["company"] for one in files.runs.started] == ["acme"] * 2 + ["globex"]
    files.runs.drain()
    assert files.ask(f"POST {path}/start", {"columns": ["phone"]}).status == 202
    files.runs.drain()


@pytest.mark.long
def test_a_process_that_dies_at_any_call_exports_each_contact_once(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    monkeypatch.setattr(job, "PAGE", 1)
    for number in range(2):
        person(inbox, number, f"Person {number}", labels=["vip"])
    call, killed = 0, ["first"]
    while killed:
        call += 1
        for after in (False, True):
            made = files.ask("POST /contacts/exports", {"label": "vip"}).result["exportId"]
            with killed_at(call, after=after, bulk=files.runs, patch=monkeypatch) as killed:
                files.runs.drain()
            files.runs.started.clear()  # lost with the process
            now[0] += AFTER_LEASE_MS
            files.runs.wake()
            shown = inbox.get(ADMIN, f"/contacts/exports/{made}").result
            content = files.bucket.get(f"contacts/acme/exports/{made}/contacts.csv").decode()
            assert names(content) == ["Person 0", "Person 1"], (call, after, killed)
            assert shown["total"] == 2
    assert call > 15
