"""An import into a list is undone: who came into the list by it alone leaves it, and all else stays and is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from console.contacts.imports import job
from shared.contacts import lists
from shared.identity.contacts import resolution
from shared.policy.consent.items import Source, Statement
from shared.runtime import clock
from tests.integration.console.contacts.exchange.imports import ADMIN, Files
from tests.integration.console.contacts.exchange.test_contact_imports import AFTER_LEASE_MS
from tests.integration.console.contacts.test_contact_changes import EDITOR, created
from tests.integration.console.inbox.bulk import killed_at

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

DAY_MS = 24 * 3_600_000
TEXT = "email\na@example.com\nb@example.com\nc@example.com\nnot an address\n"


@pytest.fixture
def files(inbox: InboxSystem) -> Files:
    return Files(inbox)


def made_list(files: Files, name: str = "Regulars") -> str:
    return str(files.ask("POST /contacts/lists", {"name": name}).result["listId"])


def contact_of(inbox: InboxSystem, address: str) -> str:
    found = inbox.get(ADMIN, "/contacts", q=address).result["contacts"]
    return str(found[0]["contactId"])


def members(inbox: InboxSystem, list_id: str) -> set[str]:
    found, _ = lists.member_ids(inbox.tables.contacts, "acme", list_id, limit=1_000)
    return {*found}


def undone(files: Files, path: str) -> dict[str, Any]:
    answer = files.ask(f"POST {path}/undo")
    assert answer.status == 202, answer.body
    files.runs.drain()
    shown: dict[str, Any] = files.inbox.get(ADMIN, path).result["undo"]
    return shown


def rows(files: Files, path: str) -> list[Any]:
    return [one.get("undone") for one in files.inbox.get(ADMIN, f"{path}/rows").result["rows"]]


def counts(withdrawn: int, kept: int, gone: int) -> dict[str, Any]:
    return {"stage": "done", "withdrawn": withdrawn, "kept": kept, "gone": gone}


def test_who_came_into_the_list_by_the_import_alone_leaves_it(
    inbox: InboxSystem, files: Files
) -> None:
    regulars = made_list(files)
    known = created(inbox, "Old", identifiers=[{"kind": "email", "value": "a@example.com"}])
    files.ask(f"POST /contacts/lists/{regulars}/members", {"contactIds": [known["contactId"]]})
    path = files.imported(TEXT, "email", list_id=regulars)
    assert len(members(inbox, regulars)) == 3
    assert "undoUntil" in inbox.get(ADMIN, path).result

    assert undone(files, path) == counts(2, 1, 0)
    assert rows(files, path) == ["kept", "withdrawn", "withdrawn", None]
    assert members(inbox, regulars) == {known["contactId"]}
    assert contact_of(inbox, "b@example.com")  # The contact stays.
    assert undone(files, path) == counts(2, 1, 0)  # A repetition changes nothing.


def test_members_whom_others_have_added_since_stay_and_are_reported(
    inbox: InboxSystem, files: Files
) -> None:
    """A colleague adds one, a reader joins by itself, and another import has one of them."""
    regulars = made_list(files)
    path = files.imported(TEXT, "email", list_id=regulars)
    by_people, by_itself, left = (contact_of(inbox, f"{one}@example.com") for one in "abc")
    files.ask(f"POST /contacts/lists/{regulars}/members", {"contactIds": [by_people]})
    person = resolution.current(inbox.tables.contacts, "acme", by_itself)
    assert person is not None
    assert lists.add(inbox.tables.contacts, "acme", regulars, person)
    lists.forget(inbox.tables.contacts, "acme", regulars, left)

    assert undone(files, path) == counts(0, 2, 1)
    assert members(inbox, regulars) == {by_people, by_itself}


def test_a_member_of_two_imports_stays_when_one_of_them_is_undone(
    inbox: InboxSystem, files: Files
) -> None:
    regulars = made_list(files)
    first = files.imported(TEXT, "email", list_id=regulars)
    second = files.imported("email\nb@example.com\nd@example.com\n", "email", list_id=regulars)

    assert undone(files, first) == counts(2, 1, 0)
    assert undone(files, second) == counts(1, 1, 0)
    assert members(inbox, regulars) == {contact_of(inbox, "b@example.com")}


def test_only_an_import_into_a_list_is_undone_within_a_week_by_an_administrator(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    regulars = made_list(files)
    without = files.imported(TEXT, "email")
    running = files.started(TEXT, "email", list_id=regulars)
    for path in (without, running):
        answer = files.ask(f"POST {path}/undo")
        assert (answer.status, answer.body["error"]["code"]) == (409, "not_undoable")
    files.runs.drain()
    assert files.ask(f"POST {running}/undo", caller=EDITOR).status == 403
    now = clock.now_ms() + 7 * DAY_MS + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    assert "undoUntil" not in inbox.get(ADMIN, running).result
    answer = files.ask(f"POST {running}/undo")
    assert (answer.status, answer.body["error"]["code"]) == (409, "not_undoable")


def test_a_list_that_was_removed_has_no_members_to_take_back(
    inbox: InboxSystem, files: Files
) -> None:
    regulars = made_list(files)
    path = files.imported(TEXT, "email", list_id=regulars)
    files.ask(f"DELETE /contacts/lists/{regulars}")
    files.runs.drain()
    assert undone(files, path) == counts(0, 0, 3)


@pytest.mark.long
def test_a_process_that_dies_at_any_call_takes_back_the_same_and_reports_the_same(
    inbox: InboxSystem, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    monkeypatch.setattr(job, "SAVED_EVERY", 2)
    regulars = made_list(files)
    call, killed, rounds = 0, ["first"], 0
    while killed:
        call += 1
        for after in (False, True):
            rounds += 1
            text = "email\n" + "".join(f"{one}{rounds}@example.com\n" for one in "abc")
            path = files.imported(text, "email", list_id=regulars)
            kept = contact_of(inbox, f"b{rounds}@example.com")
            files.ask(f"POST /contacts/lists/{regulars}/members", {"contactIds": [kept]})
            assert files.ask(f"POST {path}/undo").status == 202
            with killed_at(call, after=after, bulk=files.runs, patch=monkeypatch) as killed:
                files.runs.drain()
            files.runs.started.clear()  # lost with the process
            now[0] += AFTER_LEASE_MS
            files.runs.wake()
            shown = inbox.get(ADMIN, path).result["undo"]
            assert shown == counts(2, 1, 0), (call, after, killed)
            assert rows(files, path) == ["withdrawn", "kept", "withdrawn"], (call, after, killed)
    assert call > 10
    assert len(members(inbox, regulars)) == rounds


ATTESTED = {"channels": ["email"], "source": "a form", "given_at": "2025-12-01T00:00:00Z"}


def test_opt_ins_that_the_import_has_attested_are_taken_back_and_no_other_choice_is(
    inbox: InboxSystem, files: Files
) -> None:
    records = inbox.module.consent_records
    own = Statement(source=Source.LINK, at_ms=clock.now_ms() - DAY_MS, evidence="signup/1")
    records.record_opt_in("acme", ["a@example.com"], own, channels=("email",))
    path = files.imported(TEXT, "email", list_id=made_list(files), consent=ATTESTED)
    people = ["a@example.com", "b@example.com", "c@example.com"]
    assert all(records.standing("acme", [one], "email").is_opted_in for one in people)
    out = Statement(source=Source.WORD, at_ms=clock.now_ms(), evidence="stop")
    records.record_opt_out("acme", ["c@example.com"], out, channels=("email",))

    assert undone(files, path) == counts(3, 0, 0)

    newest = [records.standing("acme", [one], "email").newest for one in people]
    assert newest[0].evidence == "signup/1"
    assert newest[1] is None
    assert newest[2].state == "opted_out"


@pytest.mark.parametrize("first_undone", [0, 1])
def test_an_opt_in_that_two_imports_attest_stays_until_both_are_undone(
    inbox: InboxSystem, files: Files, first_undone: int
) -> None:
    records = inbox.module.consent_records
    regulars = made_list(files)
    paths = [files.imported(TEXT, "email", list_id=regulars, consent=ATTESTED) for _ in range(2)]

    undone(files, paths.pop(first_undone))
    assert records.standing("acme", ["b@example.com"], "email").is_opted_in
    undone(files, paths.pop())
    assert records.standing("acme", ["b@example.com"], "email").newest is None


def test_opt_outs_and_bounces_of_an_import_stay_when_it_is_undone(
    inbox: InboxSystem, files: Files
) -> None:
    said = ATTESTED | {"state": "opted_out"}
    path = files.imported(TEXT, "email", list_id=made_list(files), consent=said)

    undone(files, path)

    standing = inbox.module.consent_records.standing("acme", ["b@example.com"], "email")
    assert standing.is_opted_out
