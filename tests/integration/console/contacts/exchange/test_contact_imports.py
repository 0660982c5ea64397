"""Contacts are imported from a file, each once, over refusals, repetitions and kills."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from console.contacts.imports import files as import_files
from console.contacts.imports import job
from shared.contacts import lists
from shared.identity.contacts import merges
from shared.runtime import clock
from tests.integration.console.contacts.exchange.imports import ADMIN, Files, files
from tests.integration.console.contacts.test_contact_changes import EDITOR, created
from tests.integration.console.contacts.test_contacts_api import ACME
from tests.integration.console.inbox.bulk import killed_at

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

__all__ = ["files"]  # fixtures

PEOPLE = (
    "Vorname;Nachname;Telefon;E-Mail;Tags;Stufe\r\n"
    "Zoë;Roy;07700 900101;zoe@example.com;vip,new;Gold\r\n"
    '"Li";"Wu\r\nII";07700 900102;;;\r\n'
    "Ann;Doe;0770;;;\r\n"
    "Bob;Mill;07700 900103;bob@;;\r\n"
    "Cy;;;;;\r\n"
    "Zoë;Roy;+44 7700 900101;;;silver\r\n"
    "Eve;Poe;07700 900104;;;lead\r\n"
    "short;row\r\n"
)
COLUMNS = ("given_names", "family_name", "phone", "email", "labels", "attribute:tier")
AFTER_LEASE_MS = 60_000


def contacts(inbox: InboxSystem, q: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = inbox.get(ADMIN, "/contacts", q=q).result["contacts"]
    return found


def stored_contacts(inbox: InboxSystem) -> list[dict[str, Any]]:
    """The names and identifiers of all contacts, as they are stored."""
    items = boto3.client("dynamodb").scan(TableName=inbox.tables.contacts.name)["Items"]
    return [one for one in items if one["sk"]["S"] == "PROFILE"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_preview_proposes_columns_and_shows_what_the_first_rows_would_do(
    inbox: InboxSystem, files: Files, encoding: str
) -> None:
    path = files.uploaded(PEOPLE.encode(encoding))

    proposed = files.ask(f"POST {path}/preview", {"region": "GB"}).result

    assert tuple(one["field"] for one in proposed["columns"]) == COLUMNS
    rows = [(one["line"], one["outcome"], one.get("column")) for one in proposed["rows"]]
    assert rows == [
        (2, "created", None),
        (3, "refused", 2),  # a name with a line break
        (5, "refused", 3),
        (6, "refused", 4),
        (7, "refused", None),
        (8, "created", None),
        (9, "refused", 6),
        (10, "refused", 3),  # the row has two cells
    ]
    without = ["given_names", *[None] * 4, "attribute:tier"]
    other = files.ask(f"POST {path}/preview", {"columns": without}).result
    assert {one["outcome"] for one in other["rows"]} == {"refused"}
    assert stored_contacts(inbox) == []


@pytest.mark.parametrize(
    "cell",
    [
        "ann@a.example, bob@b.example",
        "ann@a.example bob@b.example",
        '"ann@a.example;bob@b.example"',
    ],
)
def test_a_row_with_two_addresses_in_a_cell_is_refused_and_names_the_column(
    inbox: InboxSystem, files: Files, cell: str
) -> None:
    path = files.imported(
        f"\ufeffName;E-Mail\r\nAnn;{cell}\r\nZoe;zoe@example.com\r\n", "name", "email"
    )

    assert files.counts(path) == ("done", 1, 0, 0, 1)
    assert [one[:3] for one in files.rows(path, outcome="refused")] == [(2, "refused", 2)]
    assert [one["name"] for one in contacts(inbox, "zoe")] == ["Zoe"]


def test_rows_create_and_update_contacts_and_refused_ones_name_line_column_and_rule(
    inbox: InboxSystem, files: Files
) -> None:
    path = files.imported(PEOPLE, *COLUMNS, region="GB")

    assert files.counts(path) == ("done", 1, 1, 0, 6)
    refused = files.rows(path, outcome="refused")
    assert refused[1] == (
        5,
        "refused",
        3,
        "must be a phone number; a national one needs the region of the import",
    )
    assert [one[1] for one in files.rows(path)].count("created") == 1
    (zoe,) = contacts(inbox, "zoe")
    assert (zoe["name"], zoe["labels"], zoe["attributes"]) == (
        "Zoë Roy",
        ["new", "vip"],
        {"tier": "silver"},
    )
    assert {one["value"] for one in zoe["identifiers"]} == {"+447700900101", "zoe@example.com"}
    again = files.imported(PEOPLE, *COLUMNS, region="GB", fills=True)
    assert files.counts(again) == ("done", 0, 0, 2, 6)
    assert list(files.bucket.keys_under("contacts/acme/imports/")) == []


def test_a_file_joins_no_contacts_and_adds_identifiers_to_the_one_that_it_finds(
    inbox: InboxSystem, files: Files
) -> None:
    one = created(inbox, "One", identifiers=[{"kind": "phone", "value": "+447700900101"}])
    created(inbox, "Two", identifiers=[{"kind": "email", "value": "two@example.com"}])
    text = "phone,email\n+447700900101,two@example.com\n+447700900101,one@example.com\n"

    path = files.imported(text, "phone", "email")

    assert files.counts(path) == ("done", 0, 1, 0, 1)
    (found,) = contacts(inbox, "one@example.com")
    assert (found["contactId"], found["name"]) == (one["contactId"], "One")


BAD_FILES: list[tuple[bytes, str]] = [
    (b"phone,phone\n1,2\n", "line 1, column 2"),
    (b"phone,\n1,2\n", "line 1, column 2"),
    ("phone,Phone\u200b\n1,2\n".encode(), "line 1, column 2"),
    (b"phone,name\n+447700900101,Zo\x07e\n", "line 2, column 2"),
    ("phone,name\n+447700900101,\u202eZoe\n".encode(), "line 2, column 2"),
    ("phone,näme\n+447700900101,x\n".encode("latin-1"), "UTF-8"),
    ("phone,name\n+447700900101,Zoë\n".encode("latin-1"), "line 2, column 2"),
    (b"phone,name\n", "no row"),
    (b"", "no row"),
    (b"phone,name\n0770,x\n", "line 2, column 1: no row can be imported"),
    (b'phone,name\n+447700900101,"x', "line 2"),
    (b'phone,name\n+447700900101,"Zo\ne"\n', "line 2"),
    (b"name;name\nx;y\n", "line 1, column 2"),
    (b"phone,name\n" + b"+447700900101,x\n" * 4, "more than 3 rows"),
]


@pytest.mark.parametrize(("content", "place"), BAD_FILES)
def test_a_file_that_cannot_be_imported_is_refused_and_nothing_is_stored(
    inbox: InboxSystem,
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    place: str,
) -> None:
    monkeypatch.setattr(import_files, "MOST_ROWS", 3)
    path = files.uploaded(content)

    answer = files.ask(f"POST {path}/start", {"columns": ["phone", "name"]})

    assert answer.status == 422, answer.body
    (problem,) = answer.body["error"]["details"]
    assert (problem["field"], place in problem["problem"]) == ("file", True), problem
    assert files.runs.started == []
    assert inbox.get(ADMIN, path).result["stage"] == "new"


def test_bad_calls_of_imports_are_refused(inbox: InboxSystem, files: Files) -> None:
    path = files.uploaded("phone,name\n+447700900101,Zoe\n")
    empty = f"/contacts/imports/{files.ask('POST /contacts/imports').result['importId']}"
    right: dict[str, Any] = {"columns": ["phone", "name"]}
    foreign = replace(ADMIN, company="globex")
    cases: list[tuple[str, dict[str, Any], Any, tuple[int, str]]] = [
        ("POST /contacts/imports", {}, EDITOR, (403, "forbidden")),
        (f"POST {path}/start", {"columns": ["phone"]}, ADMIN, (400, "invalid_input")),
        (f"POST {path}/start", {"columns": ["name", None]}, ADMIN, (400, "invalid_input")),
        (f"POST {path}/start", {"columns": ["phone", "owner"]}, ADMIN, (400, "invalid_input")),
        (f"POST {path}/start", {"columns": ["name", "name"]}, ADMIN, (400, "invalid_input")),
        (f"POST {path}/start", {**right, "list_id": "none"}, ADMIN, (404, "list_not_found")),
        (f"POST {path}/start", right, foreign, (404, "import_not_found")),
        (f"POST {path}/preview", {}, foreign, (404, "import_not_found")),
        (f"POST {empty}/preview", {}, ADMIN, (404, "file_not_found")),
        (f"POST {empty}/start", right, ADMIN, (404, "file_not_found")),
    ]
    for line, body, caller, expected in cases:
        answer = files.ask(line, body, caller=caller)
        assert (answer.status, answer.body["error"]["code"]) == expected, line
    wide = files.uploaded("phone,name,other\n+447700900101,Zoe,Zora\n")
    doubled = files.ask(f"POST {wide}/start", {"columns": ["phone", "name", "name"]})
    assert doubled.problems == {"columns.2": "another column has it"}
    for one in (path, f"{path}/rows"):
        assert inbox.get(foreign, one).status == 404
        assert inbox.get(ACME, one).status == 403
    assert files.ask(f"POST {path}/start", right, key="one-key-of-a-start").status == 202
    assert files.ask(f"POST {path}/start", right, key="one-key-of-a-start").status == 202
    again = files.ask(f"POST {path}/start", right)
    assert (again.status, again.body["error"]["code"]) == (409, "import_started")


def test_a_running_import_is_stopped_before_its_next_rows_and_stays_in_the_list(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "SAVED_EVERY", 2)
    new = files.uploaded("phone\n")
    rows = "".join(f"+4477009001{number:02},Person\n" for number in range(8))
    path = files.started(f"phone,name\n{rows}", "phone", "name")
    times = iter([29_000, 29_000, 0])
    files.runs.left_ms = lambda: next(times, 0)
    files.runs.drain_one()

    asked = files.ask(f"POST {path}/stop").result
    files.runs.left_ms = lambda: 29_000
    files.runs.wake()

    assert (asked["stage"], asked["isStopping"], asked["handled"]) == ("running", True, 2)
    assert files.counts(path) == ("stopped", 2, 0, 0, 0)
    for one in (path, new):
        assert files.ask(f"POST {one}/stop").result["isStopping"] is False
    assert list(files.bucket.keys_under(f"{path[1:].replace('imports', 'acme/imports')}")) == []
    first = inbox.get(ADMIN, "/contacts/imports", limit=1)
    rest = inbox.get(ADMIN, "/contacts/imports", limit=1, cursor=first.body["cursor"])
    listed = [*first.result["imports"], *rest.result["imports"]]
    # Both were made at the same moment.
    assert {(one["stage"], one.get("outcome")) for one in listed} == {
        ("done", "stopped"),
        ("new", None),
    }
    assert len(listed) == 2
    foreign = replace(ADMIN, company="globex")
    assert inbox.get(foreign, "/contacts/imports").result == {"imports": []}
    assert files.ask(f"POST {path}/stop", caller=foreign).status == 404


def test_an_import_whose_file_is_gone_ends_and_says_so(files: Files) -> None:
    path = files.started("phone\n+447700900101\n", "phone")
    for key in list(files.bucket.keys_under("contacts/acme/imports/")):
        files.bucket.delete(key)
    files.runs.drain()

    assert files.counts(path) == ("file_missing", 0, 0, 0, 0)


@pytest.mark.long
def test_a_process_that_dies_at_any_call_imports_each_contact_once_and_reports_the_same(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    monkeypatch.setattr(job, "SAVED_EVERY", 2)
    regulars = files.ask("POST /contacts/lists", {"name": "Regulars"}).result["listId"]
    call, killed, rounds = 0, ["first"], 0
    while killed:
        call += max(1, call // 4)
        for after in (False, True):
            rounds += 1
            number = f"+4477009{rounds:05}"
            text = (
                f"phone,email,name\n{number},p{rounds}@example.com,Zoe\n{number},,Zoe B\n"
                f",q{rounds}@example.com,Li\n{number},q{rounds}@example.com,X\n{number},,Zoe B\n"
            )
            path = files.started(text, "phone", "email", "name", list_id=regulars)
            with killed_at(call, after=after, bulk=files.runs, patch=monkeypatch) as killed:
                files.runs.drain()
            files.runs.started.clear()  # lost with the process
            now[0] += AFTER_LEASE_MS
            files.runs.wake()
            outcomes = [one[1] for one in files.rows(path)]
            expected = ["created", "updated", "created", "refused", "unchanged"]
            assert outcomes == expected, (call, after, killed)
            assert files.counts(path) == ("done", 2, 1, 1, 1), (call, after, killed)
            (zoe,) = contacts(inbox, f"p{rounds}@example.com")
            assert (zoe["name"], len(zoe["identifiers"])) == ("Zoe B", 2), (call, after, killed)
    assert call > 30
    members, _ = lists.member_ids(inbox.tables.contacts, "acme", regulars, limit=1_000)
    assert len(members) == 2 * rounds


@pytest.mark.long
def test_rows_of_one_contact_are_reported_as_before_if_the_process_dies_after_any_call(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second row changes what the first one is compared with."""
    now = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    call, killed = 0, ["first"]
    while killed:
        call += 1
        number = f"+4477009{call:05}"
        created(inbox, "Zoe", identifiers=[{"kind": "phone", "value": number}])
        path = files.started(f"phone,name\n{number},Zoe\n{number},Zoe C\n", "phone", "name")
        with killed_at(call, after=True, bulk=files.runs, patch=monkeypatch) as killed:
            files.runs.drain()
        files.runs.started.clear()  # lost with the process
        now[0] += AFTER_LEASE_MS
        files.runs.wake()
        assert files.rows(path) == [(2, "unchanged"), (3, "updated")], (call, killed)
    assert call > 15


def test_a_busy_contact_is_tried_again_and_a_run_that_fails_leaves_the_rest_to_the_schedule(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = files.started("phone,email\n+447700900101,zoe@example.com\n", "phone", "email")
    waits: list[int] = []
    monkeypatch.setattr(clock, "sleep_ms", waits.append)
    with monkeypatch.context() as patched:
        patched.setattr(merges, "MOST_ROUNDS", 0)  # always another run in between
        files.runs.drain()
    assert len(waits) == 3
    assert files.counts(path)[0] is None

    files.runs.wake()
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + AFTER_LEASE_MS)
    files.runs.wake()
    assert files.counts(path) == ("done", 1, 0, 0, 0)
