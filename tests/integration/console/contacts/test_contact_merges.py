"""People of the company merge contacts and separate them again; conversations follow at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.api.auth import Caller
from shared.identity.contacts.claims import Proof
from shared.identity.contacts.items import UNDO_DAYS
from shared.inbox import entries
from shared.inbox.items import Context
from shared.runtime import clock
from tests.integration.console.contacts.test_contact_changes import (
    EDITOR,
    LEA,
    created,
    id_of,
    send,
)
from tests.integration.console.contacts.test_contacts_api import (
    ACME,
    GLOBEX,
    MARIO,
    ZOE,
    names,
    people,
)
from tests.integration.shared.contacts.people import email, event

if TYPE_CHECKING:
    import pytest

    from tests.integration.answers import Answer
    from tests.integration.console.system import InboxSystem, Listed

__all__ = ["people"]


def merged(inbox: InboxSystem, one: str, other: str, *, dry: bool = False, key: str = "") -> Answer:
    body = {"contactId": other, **({"dryRun": True} if dry else {})}
    return send(inbox, f"POST /contacts/{one}/merge", body, key=key)


def conversations(inbox: InboxSystem, contact: str) -> list[str]:
    rows = inbox.get(ACME, f"/contacts/{contact}/conversations").result["conversations"]
    return sorted(f"{row['context']} {row.get('contact') or row['handle']}" for row in rows)


def state(inbox: InboxSystem, *ids: str) -> list[Any]:
    """What readers see of contacts."""
    return [
        (inbox.get(ACME, f"/contacts/{one}").result, conversations(inbox, one)) for one in ids
    ] + [sorted(row["key"] for row in inbox.rows(ACME, q=q)) for q in ("zoe", "mario")]


def test_a_merge_joins_conversations_and_search_at_once_and_an_undo_restores_all(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    send(inbox, f"PATCH /contacts/{zoe}", {"labels": ["vip"], "organisation": "Acme"})
    send(inbox, f"PATCH /contacts/{mario}", {"labels": ["late"], "language": "pt"})
    before = state(inbox, zoe, mario)

    preview = merged(inbox, zoe, mario, dry=True).result
    assert state(inbox, zoe, mario) == before
    done = merged(inbox, zoe, mario).result

    assert done == preview | {one: done[one] for one in ("mergeId", "undoableUntil")}
    assert {done["kept"]["contactId"], done["merged"]["contactId"]} == {zoe, mario}
    assert done["conversations"] in {1, 3}
    shown = inbox.get(ACME, f"/contacts/{mario}").result
    assert shown == inbox.get(ACME, f"/contacts/{zoe}").result
    assert (shown["labels"], shown["organisation"], shown["language"]) == (
        ["late", "vip"],
        "Acme",
        "pt",
    )
    assert len(conversations(inbox, zoe)) == len(conversations(inbox, mario)) == 4
    assert len(inbox.rows(q="zoe costa", status="all")) == 4
    assert id_of(inbox, "zoe") == id_of(inbox, "mario") == min(zoe, mario)

    undo = f"POST /contacts/merges/{done['mergeId']}/undo"
    separated = send(inbox, undo).result["contacts"]
    assert {one["contactId"] for one in separated} == {zoe, mario}
    assert state(inbox, zoe, mario) == before
    assert send(inbox, undo).result["contacts"] == separated


def test_contacts_that_people_have_separated_are_not_merged_again_not_even_by_way_of_a_third(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario, lea = id_of(inbox, "zoe"), id_of(inbox, "mario"), created(inbox)["contactId"]
    done = merged(inbox, zoe, mario).result
    send(inbox, f"POST /contacts/merges/{done['mergeId']}/undo")

    assert merged(inbox, mario, zoe).error == "merge_refused"
    assert merged(inbox, zoe, mario, dry=True).status == 409
    assert merged(inbox, zoe, lea).status == 200
    assert merged(inbox, lea, mario).status == 409


def test_a_contact_is_not_merged_with_itself_or_another_company_s_and_only_by_an_editor(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    people.show(
        "theirs",
        company_id="globex",
        contact="Gus",
        handle="447700900177",
        claims=event(Proof.PROVIDER, email("gus")),
    )
    (gus,) = inbox.get(GLOBEX, "/contacts", q="gus").result["contacts"]
    done = merged(inbox, zoe, mario).result
    stranger = Caller(company="globex", scopes=EDITOR.scopes, principal="api-key:2")
    undo = f"POST /contacts/merges/{done['mergeId']}/undo"

    assert merged(inbox, zoe, zoe).status == 409
    assert merged(inbox, mario, zoe).status == 409
    refused = [merged(inbox, zoe, one) for one in (gus["contactId"], "unknown")]
    assert {(one.status, one.error) for one in refused} == {(409, "merge_refused")}
    assert merged(inbox, gus["contactId"], zoe).status == 404
    assert [send(inbox, undo, {}, one).status for one in (stranger, ACME)] == [404, 403]
    assert send(inbox, "POST /contacts/merges/none/undo").status == 404


def test_a_merge_is_undone_for_thirty_days(
    inbox: InboxSystem, people: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    done = merged(inbox, zoe, mario).result
    ends = clock.from_text(done["undoableUntil"])
    undo = f"POST /contacts/merges/{done['mergeId']}/undo"
    assert ends - clock.now_ms() <= UNDO_DAYS * clock.DAY_SECONDS * clock.SECOND_MS

    monkeypatch.setattr(clock, "now_ms", lambda: ends + 1)
    assert send(inbox, undo).status == 409
    monkeypatch.setattr(clock, "now_ms", lambda: ends - 1)
    assert send(inbox, undo).status == 200


def test_a_later_event_joins_its_contact_and_an_undo_leaves_that(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    done = merged(inbox, zoe, mario).result
    more = email("mario")
    people.show(
        "mail of mario",
        minute=3,
        context=Context.EMAIL_THREADS,
        handle=more.value,
        claims=event(Proof.COMPANY, MARIO, more),
    )
    assert len(conversations(inbox, zoe)) == 5

    send(inbox, f"POST /contacts/merges/{done['mergeId']}/undo")

    assert conversations(inbox, mario) == [f"email_threads {more.value}", "whatsapp Mário Costa"]
    assert len(conversations(inbox, zoe)) == 3


def test_an_event_that_names_both_people_after_they_were_separated_is_a_suggestion(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    done = merged(inbox, zoe, mario).result
    undo = f"POST /contacts/merges/{done['mergeId']}/undo"
    send(inbox, undo)

    def suggested(contact: str) -> list[str]:
        found = inbox.get(ACME, f"/contacts/{contact}/suggestions").result["contacts"]
        return [one["contactId"] for one in found]

    assert suggested(zoe) == []
    both = event(Proof.COMPANY, MARIO, ZOE)
    people.show("both", context=Context.CONVERSATIONS, handle="551187654321", claims=both)

    assert len(conversations(inbox, zoe)) == 3
    assert len(conversations(inbox, mario)) == 2
    assert (suggested(zoe), suggested(mario)) == ([mario], [zoe])
    assert merged(inbox, mario, zoe).status == 200
    assert len(conversations(inbox, zoe)) == 5
    assert suggested(zoe) == []
    send(inbox, undo)
    assert len(conversations(inbox, mario)) == 2
    assert suggested(mario) == [zoe]


def test_a_rebuild_leaves_merged_contacts_merged(inbox: InboxSystem, people: Listed) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    merged(inbox, zoe, mario)
    lea = created(inbox)["contactId"]
    send(inbox, f"POST /contacts/{mario}/identifiers", {**LEA, "value": "+44 7700 900151"})
    merged(inbox, lea, zoe)
    before = state(inbox, zoe, mario, lea)

    for reference in people.heads:
        people.context = people.heads[reference].context
        entries.refresh(inbox.tables, people, reference, resolves_again=True)

    assert state(inbox, zoe, mario, lea) == before


def test_a_merge_writes_as_much_for_many_conversations_as_for_one(
    inbox: InboxSystem, people: Listed
) -> None:
    mario, lea = id_of(inbox, "mario"), created(inbox)["contactId"]
    for number in range(60):
        people.show(
            f"chat {number}",
            minute=number,
            handle="551187654321",
            claims=event(Proof.PROVIDER, MARIO),
        )
    stored = inbox.entries()

    done = merged(inbox, lea, mario).result

    changed = {key for key, item in inbox.entries().items() if stored.get(key) != item}
    assert {key.partition("#")[0] for key in changed} <= {"REQUEST"}
    moved = done["merged"]["contactId"] == mario
    assert (done["conversations"], done["more"]) == ((50, True) if moved else (0, False))
    assert names(inbox, "lea") == ["Léa Roy"]


def test_people_of_the_same_full_name_are_suggested_until_they_are_merged_or_separated(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe = id_of(inbox, "luczak")
    send(inbox, f"PATCH /contacts/{zoe}", {"name": "Zoë Müller"})
    same = created(inbox, "Müller Zoe")["contactId"]
    mail = {"kind": "email", "value": "third@example.com"}
    created(inbox, "Zoe Müller Smith", identifiers=[mail])

    def suggested(contact: str) -> list[str]:
        answer = inbox.get(ACME, f"/contacts/{contact}/suggestions")
        return [one["contactId"] for one in answer.result["contacts"]]

    assert (suggested(zoe), suggested(same)) == ([same], [zoe])
    assert suggested(id_of(inbox, "mario")) == []
    assert inbox.get(GLOBEX, f"/contacts/{zoe}/suggestions").status == 404
    done = merged(inbox, zoe, same).result
    assert (suggested(zoe), suggested(same)) == ([], [])
    send(inbox, f"POST /contacts/merges/{done['mergeId']}/undo")
    assert (suggested(zoe), suggested(same)) == ([], [])
