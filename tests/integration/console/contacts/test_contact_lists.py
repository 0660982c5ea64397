"""Lists of contacts: a person is in a list once, also after a merge, and a deleted list leaves nothing behind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from console.store.contacts import work as contact_work
from shared.contacts import lists
from shared.runtime import clock
from tests.integration.console.contacts.test_contact_changes import EDITOR, created, send
from tests.integration.console.contacts.test_contacts_api import ACME, GLOBEX
from tests.integration.console.inbox.bulk import killed_at
from tests.integration.console.runs import Runs

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

AFTER_LEASE_MS = 60_000


@pytest.fixture
def runs(inbox: InboxSystem) -> Runs:
    return Runs(inbox)


def contact(inbox: InboxSystem, number: int, name: str = "Lea Roy") -> str:
    phone = {"kind": "phone", "value": f"+4477009001{number:02}"}
    made: str = created(inbox, name, identifiers=[phone])["contactId"]
    return made


def made_list(inbox: InboxSystem, name: str = "Regulars", **more: Any) -> str:
    made: str = send(inbox, "POST /contacts/lists", {"name": name}, **more).result["listId"]
    return made


def join(inbox: InboxSystem, list_id: str, *ids: str) -> Any:
    path = f"POST /contacts/lists/{list_id}/members"
    return send(inbox, path, {"contactIds": list(ids)}).result


def names_in(inbox: InboxSystem, list_id: str, limit: int = 50) -> list[str]:
    """The names of all members, page by page."""
    names: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        path = f"/contacts/lists/{list_id}/members"
        answer = inbox.get(ACME, path, limit=limit, **cursor)
        names += [one["name"] for one in answer.result["contacts"]]
        if not answer.body.get("cursor"):
            return names
        cursor = {"cursor": answer.body["cursor"]}


def lists_of(inbox: InboxSystem, contact_id: str) -> list[str]:
    found = inbox.get(ACME, f"/contacts/{contact_id}/lists").result["lists"]
    return [one["name"] for one in found]


def stored(inbox: InboxSystem) -> list[str]:
    """The keys of all items of lists."""
    items = boto3.client("dynamodb").scan(TableName=inbox.tables.contacts.name)["Items"]
    keys = (f"{item['pk']['S']} {item['sk']['S']}" for item in items)
    return sorted(key for key in keys if "LIST" in key or "OPEN_WORK" in key)


def test_members_of_a_list_are_read_page_by_page_each_once(inbox: InboxSystem) -> None:
    people = [contact(inbox, number, f"Person {number}") for number in range(7)]
    regulars, others = made_list(inbox), made_list(inbox, "Others")
    table = inbox.module.deps.contacts
    table.forget_consumption()
    assert join(inbox, regulars, *people, people[0])["members"] == people
    assert table.consumed_write_units == 2 * len(people)
    assert join(inbox, regulars, people[3], "unknown") == {
        "members": [people[3]],
        "missing": ["unknown"],
    }
    join(inbox, others, people[3])

    assert sorted(names_in(inbox, regulars, limit=2)) == [f"Person {n}" for n in range(7)]
    assert sorted(lists_of(inbox, people[3])) == ["Others", "Regulars"]

    path = f"DELETE /contacts/lists/{regulars}/members/{people[3]}"
    assert [send(inbox, path).status for _ in range(2)] == [200, 200]
    assert sorted(names_in(inbox, regulars)) == [f"Person {n}" for n in range(7) if n != 3]
    assert lists_of(inbox, people[3]) == ["Others"]


def test_a_merged_person_is_in_a_list_once_and_leaves_it_with_both(inbox: InboxSystem) -> None:
    first, second, third = (contact(inbox, number, "Lea Roy") for number in range(3))
    regulars = made_list(inbox)
    join(inbox, regulars, first, second)
    merge = send(inbox, f"POST /contacts/{first}/merge", {"contactId": second}).result
    kept = send(inbox, f"POST /contacts/{second}/merge", {"contactId": third}).result
    assert names_in(inbox, regulars, limit=1) == ["Lea Roy"]
    assert join(inbox, regulars, third)["members"] == [third]
    assert names_in(inbox, regulars, limit=1) == ["Lea Roy"]
    assert lists_of(inbox, third) == ["Regulars"]

    for one in (kept, merge):
        send(inbox, f"POST /contacts/merges/{one['mergeId']}/undo")
    assert names_in(inbox, regulars, limit=1) == ["Lea Roy", "Lea Roy"]
    assert lists_of(inbox, third) == []

    fourth = contact(inbox, 4)
    assert send(inbox, f"POST /contacts/{first}/merge", {"contactId": fourth}).status == 200
    send(inbox, f"DELETE /contacts/lists/{regulars}/members/{fourth}")
    assert names_in(inbox, regulars) == ["Lea Roy"]


def test_a_list_is_renamed_and_deleted_with_all_memberships(
    inbox: InboxSystem, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "REMOVED_AT_ONCE", 2)
    people = [contact(inbox, number) for number in range(5)]
    regulars = made_list(inbox)
    assert made_list(inbox, "Others", key="one-key-of-a-list") == made_list(
        inbox, "Others", key="one-key-of-a-list"
    )
    join(inbox, regulars, *people)
    path = f"/contacts/lists/{regulars}"
    assert send(inbox, f"PATCH {path}", {"name": "Friends"}).result["name"] == "Friends"
    assert lists_of(inbox, people[0]) == ["Friends"]

    assert send(inbox, f"DELETE {path}", key="a-key-of-a-removal").result["name"] == "Friends"
    assert send(inbox, f"DELETE {path}", key="a-key-of-a-removal").status == 404
    assert lists_of(inbox, people[0]) == []
    listed = inbox.get(ACME, "/contacts/lists").result["lists"]
    assert [one["name"] for one in listed] == ["Others"]
    assert len(stored(inbox)) == 13
    runs.left_ms = iter([29_000, 29_000, 0, 29_000, 29_000, 29_000]).__next__
    runs.drain()
    assert len(stored(inbox)) == 1
    assert runs.finished == 2


@pytest.mark.long
def test_a_process_that_dies_at_any_call_of_a_removal_leaves_nothing_of_the_list(
    inbox: InboxSystem, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [contact(inbox, number) for number in range(2)]
    call, killed, now = 0, ["first"], [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    while killed:
        call += 1
        for after in (False, True):
            regulars = made_list(inbox)
            join(inbox, regulars, *people)
            with killed_at(call, after=after, bulk=runs, patch=monkeypatch) as killed:
                send(inbox, f"DELETE /contacts/lists/{regulars}")
                runs.drain()
            send(inbox, f"DELETE /contacts/lists/{regulars}")
            runs.started.clear()  # lost with the process
            now[0] += AFTER_LEASE_MS
            runs.wake()
            assert stored(inbox) == [], (call, after, killed)
    assert call > 8


def test_a_contact_or_list_that_goes_meanwhile_leaves_no_membership(inbox: InboxSystem) -> None:
    table, one = inbox.tables.contacts, contact(inbox, 1)
    regulars = made_list(inbox)
    found = inbox.module.deps.people(EDITOR)
    (person,) = found.first(inbox.module.inbox.terms_of("lea"), 5)
    lists.remove(table, "acme", regulars, beside={"pk": "x", "sk": "x"})
    assert not lists.add(table, "acme", regulars, person.profile)
    others = made_list(inbox, "Others")
    table.delete({"pk": f"CONTACT#acme#{one}", "sk": "PROFILE"})
    assert not lists.add(table, "acme", others, person.profile)
    assert len(stored(inbox)) == 2  # both lists
    assert list(contact_work.opened(table)) == []


def test_bad_calls_of_lists_are_refused(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, regulars = contact(inbox, 1), made_list(inbox)
    monkeypatch.setattr(lists, "MOST_LISTS", 2)
    join(inbox, regulars, one)
    reader = replace(ACME, principal="api-key:9")
    list_path, member = f"/contacts/lists/{regulars}", f"members/{one}"

    cases: list[tuple[str, dict[str, Any] | None, Any, int]] = [
        ("POST /contacts/lists", {"name": "REGULARS"}, EDITOR, 409),
        ("POST /contacts/lists", {"name": " "}, EDITOR, 400),
        ("POST /contacts/lists", {"name": "x"}, reader, 403),
        (f"PATCH {list_path}", {"name": "x"}, GLOBEX_EDITOR, 404),
        (f"DELETE {list_path}", None, GLOBEX_EDITOR, 404),
        (f"DELETE {list_path}/{member}", None, GLOBEX_EDITOR, 404),
        (f"POST {list_path}/members", {"contactIds": [one]}, GLOBEX_EDITOR, 404),
        (f"POST {list_path}/members", {"contactIds": []}, EDITOR, 400),
        (f"POST {list_path}/members", {"contactIds": ["a#b"]}, EDITOR, 400),
        (f"DELETE {list_path}/members/unknown", None, EDITOR, 404),
        ("PATCH /contacts/lists/unknown", {"name": "x"}, EDITOR, 404),
    ]
    answered = [send(inbox, line, body, caller).status for line, body, caller, _ in cases]
    assert answered == [status for *_, status in cases]
    made_list(inbox, "Others")
    assert send(inbox, "POST /contacts/lists", {"name": "Third"}).status == 409
    assert inbox.get(GLOBEX, f"{list_path}/members").status == 404
    assert inbox.get(ACME, "/contacts/lists/unknown/members").status == 404


GLOBEX_EDITOR = replace(GLOBEX, scopes=GLOBEX.scopes | {"contacts:write"})
