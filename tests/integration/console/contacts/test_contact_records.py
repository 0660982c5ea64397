"""People of the company write notes about a person and store attributes; the history says who changed what."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from shared.api.auth import Caller
from shared.identity.contacts import attributes
from shared.runtime import clock
from tests.integration.console.contacts.test_contact_changes import (
    EDITOR,
    NO_MAIL,
    created,
    id_of,
    send,
)
from tests.integration.console.contacts.test_contacts_api import ACME, GLOBEX, people

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem, Listed

__all__ = ["people"]
ADMIN = Caller(company="acme", scopes=EDITOR.scopes | {"contacts:admin"}, principal="api-key:admin")
TIER = {"kind": "choice", "title": "Tier", "choices": ["gold", "silver"], "filterable": True}
KINDS: dict[str, dict[str, Any]] = {
    "tier": TIER,
    "size": {"kind": "number", "title": "Size"},
    "since": {"kind": "date", "title": "Since"},
    "vip": {"kind": "boolean", "title": "VIP", "filterable": True},
    "about": {"kind": "text", "title": "About"},
}
VALUES = {"tier": "gold", "size": 2.5, "since": "2026-02-28", "vip": True, "about": "Likes tea"}


@pytest.fixture(autouse=True)
def _a_second_passes_with_each_look_at_the_clock(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_ms", count(clock.now_ms(), clock.SECOND_MS).__next__)


def notes(inbox: InboxSystem, contact: str) -> list[str]:
    found = inbox.get(ACME, f"/contacts/{contact}/notes").result["notes"]
    return [one["text"] for one in found]


def history(inbox: InboxSystem, contact: str) -> list[tuple[str, list[str]]]:
    found = inbox.get(ACME, f"/contacts/{contact}/changes").result["changes"]
    assert all(one["by"] and one["at"] for one in found)
    return [(one["what"], one["fields"]) for one in found]


def define(inbox: InboxSystem, name: str, body: dict[str, Any] | None = None) -> Any:
    return send(inbox, f"PUT /attributes/{name}", body or KINDS[name], ADMIN)


def test_notes_are_listed_newest_first_page_by_page_and_changed_by_their_author_or_an_admin(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe = id_of(inbox, "zoe")
    path = f"/contacts/{zoe}/notes"
    made = [send(inbox, f"POST {path}", {"text": f"Note {n}"}).result for n in range(3)]
    page = inbox.get(ACME, path, limit=2)
    rest = inbox.get(ACME, path, limit=2, cursor=page.body["cursor"])
    listed = [*page.result["notes"], *rest.result["notes"]]
    assert listed == list(reversed(made))
    assert "cursor" not in rest.body

    one = f"{path}/{made[1]['noteId']}"
    edited = send(inbox, f"PATCH {one}", {"text": "Changed", "version": 1}).result
    assert (edited["version"], edited["editedBy"]) == (2, EDITOR.principal)
    assert send(inbox, f"PATCH {one}", {"text": "Late", "version": 1}).error == "version_conflict"
    assert send(inbox, f"PATCH {one}", {"text": "Not mine"}, NO_MAIL).status == 403
    assert send(inbox, f"DELETE {one}", {}, NO_MAIL).status == 403
    assert send(inbox, f"PATCH {one}", {"text": "By an admin"}, ADMIN).result["by"] == (
        EDITOR.principal
    )
    assert send(inbox, f"DELETE {one}", {}, ADMIN).status == 200
    assert send(inbox, f"DELETE {one}").error == "note_not_found"
    assert notes(inbox, zoe) == ["Note 2", "Note 0"]
    assert [
        send(inbox, f"POST {path}", {"text": text}).status for text in ("", " ", "a" * 4001)
    ] == ([400] * 3)
    assert inbox.get(GLOBEX, path).status == 404
    assert send(inbox, f"POST {path}", {"text": "Hi"}, ACME).status == 403


def test_notes_of_both_are_shown_while_a_merge_holds_and_stay_with_their_contact_after_it(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    for contact, text in ((zoe, "of Zoe"), (mario, "of Mario")):
        send(inbox, f"POST /contacts/{contact}/notes", {"text": text})
    done = send(inbox, f"POST /contacts/{zoe}/merge", {"contactId": mario}).result
    assert notes(inbox, zoe) == notes(inbox, mario) == ["of Mario", "of Zoe"]
    (first,) = [
        one["noteId"]
        for one in inbox.get(ACME, f"/contacts/{zoe}/notes").result["notes"]
        if one["text"] == "of Mario"
    ]
    assert send(inbox, f"PATCH /contacts/{zoe}/notes/{first}", {"text": "edited"}).status == 200

    send(inbox, f"POST /contacts/merges/{done['mergeId']}/undo")

    assert (notes(inbox, zoe), notes(inbox, mario)) == (["of Zoe"], ["edited"])
    decisions = [one for one, _ in history(inbox, done["kept"]["contactId"]) if "note" not in one]
    assert decisions == ["separated", "merged"]


def test_the_history_names_each_change_and_no_value(inbox: InboxSystem, people: Listed) -> None:
    define(inbox, "tier")
    lea = created(inbox, labels=["canary-label"])["contactId"]
    body = {"language": "fr", "attributes": {"tier": "gold"}}
    send(inbox, f"PATCH /contacts/{lea}", body, key="the-same-key")
    send(inbox, f"PATCH /contacts/{lea}", body, key="the-same-key")
    mail = {"kind": "email", "value": "canary@example.com"}
    added = send(inbox, f"POST /contacts/{lea}/identifiers", mail).result
    (one,) = [each for each in added["identifiers"] if each["kind"] == "email"]
    send(inbox, f"DELETE /contacts/{lea}/identifiers/{one['identifierId']}")
    note = send(inbox, f"POST /contacts/{lea}/notes", {"text": "canary-note"}).result
    send(inbox, f"DELETE /contacts/{lea}/notes/{note['noteId']}")

    assert history(inbox, lea) == [
        ("note_removed", []),
        ("note_added", []),
        ("identifier_removed", []),
        ("identifier_added", []),
        ("changed", ["attributes.tier", "language"]),
        ("created", ["labels", "name"]),
    ]
    shown = str(inbox.get(ACME, f"/contacts/{lea}/changes").body)
    assert not any(word in shown for word in ("canary", "gold", "Roy", "fr'"))
    assert inbox.get(GLOBEX, f"/contacts/{lea}/changes").status == 404


def test_attributes_have_the_values_that_their_definitions_allow(
    inbox: InboxSystem, people: Listed
) -> None:
    for name in KINDS:
        assert define(inbox, name).status == 200
    assert send(inbox, "PUT /attributes/tier", TIER).status == 403
    zoe = id_of(inbox, "zoe")
    path = f"PATCH /contacts/{zoe}"

    assert send(inbox, path, {"attributes": VALUES}).result["attributes"] == VALUES
    partial = {"tier": None, "size": 3}
    expected = {name: value for name, value in VALUES.items() if name != "tier"} | {"size": 3}
    assert send(inbox, path, {"attributes": partial}).result["attributes"] == expected
    wrong = {"tier": "iron", "size": "3", "since": "2026-02-30", "vip": 1, "about": "", "none": 1}
    refused = send(inbox, path, {"attributes": wrong})
    assert refused.status == 422
    fields = {one["field"] for one in refused.body["error"]["details"]}
    assert fields == {f"attributes.{name}" for name in wrong}
    assert not any(str(value) in str(refused.body) for value in ("iron", "2026-02-30"))
    assert send(inbox, path, {"attributes": {"Evil #": 1}}).status == 422

    assert send(inbox, "DELETE /attributes/since", {}, ADMIN).status == 200
    del expected["since"]
    assert inbox.get(ACME, f"/contacts/{zoe}").result["attributes"] == expected
    assert send(inbox, path, {"attributes": {"since": "2026-02-28"}}).status == 422
    listed = inbox.get(ACME, "/attributes").result["attributes"]
    assert [one["name"] for one in listed] == ["about", "size", "tier", "vip"]
    assert inbox.get(GLOBEX, "/attributes").result == {"attributes": []}


def test_definitions_are_bounded_and_keep_their_kind(
    inbox: InboxSystem, people: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    define(inbox, "tier")
    refused = {
        "kind": {**TIER, "kind": "text", "choices": []},
        "filterable": {**TIER, "filterable": False},
    }
    for field, body in refused.items():
        answer = define(inbox, "tier", body)
        assert (answer.status, answer.body["error"]["details"][0]["field"]) == (422, field)
    assert define(inbox, "tier", {**TIER, "choices": ["gold", "iron"]}).status == 200
    assert define(inbox, "about", {**KINDS["about"], "filterable": True}).status == 422
    assert define(inbox, "about", {"kind": "choice", "title": "About"}).status == 422
    assert define(inbox, "No", KINDS["about"]).status == 400
    assert define(inbox, "size").status == 200
    monkeypatch.setattr(attributes, "MOST_DEFINITIONS", 1)
    assert define(inbox, "about").body["error"]["details"][0]["field"] == "name"
    zoe = id_of(inbox, "zoe")
    two = send(inbox, f"PATCH /contacts/{zoe}", {"attributes": {"tier": "gold", "size": 3}})
    assert (two.status, "at most 1" in str(two.body["error"]["details"])) == (422, True)
    monkeypatch.setattr(attributes, "MOST_BYTES", 7)
    assert send(inbox, f"PATCH /contacts/{zoe}", {"attributes": {"tier": "gold"}}).status == 422


def test_contacts_are_listed_by_label_owner_and_filterable_attribute(
    inbox: InboxSystem, people: Listed
) -> None:
    for name in ("tier", "vip"):
        define(inbox, name)
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    of_zoe = {"labels": ["vip", "late"], "owner": "team:night", "attributes": {"vip": True}}
    send(inbox, f"PATCH /contacts/{zoe}", of_zoe)
    send(inbox, f"PATCH /contacts/{mario}", {"labels": ["vip"], "attributes": {"tier": "gold"}})

    def listed(**query: Any) -> set[str]:
        answer = inbox.get(ACME, "/contacts", **query)
        assert answer.status == 200, answer
        return {one["contactId"] for one in answer.result["contacts"]}

    assert listed(label="vip") == {zoe, mario}
    assert (
        listed(label="late") == listed(owner="team:night") == listed(attribute="vip:true") == {zoe}
    )
    assert listed(attribute="tier:gold", label="vip") == {mario}
    assert listed(label="vip", q="zoe") == {zoe}
    assert listed(attribute="tier:gold", q="zoe") == listed(attribute="vip:false") == set()
    send(inbox, f"PATCH /contacts/{zoe}", {"labels": ["late"], "attributes": {"vip": None}})
    assert listed(label="vip") == {mario}
    assert listed(attribute="vip:true") == set()
    page = inbox.get(ACME, "/contacts", label="vip", limit=1)
    rest = inbox.get(ACME, "/contacts", label="vip", limit=1, cursor=page.body["cursor"])
    assert len([*page.result["contacts"], *rest.result["contacts"]]) == 1
    assert inbox.get(ACME, "/contacts").status == 400
    assert inbox.get(GLOBEX, "/contacts", label="vip").result == {"contacts": []}


@pytest.mark.parametrize("q", ["shop:C-1001", "C-1001", "c-1001", "SHOP:c-1001", "lea c-1001"])
def test_a_person_is_found_by_an_external_id(inbox: InboxSystem, people: Listed, q: str) -> None:
    created(inbox, identifiers=[{"kind": "external", "value": "shop:C-1001"}])
    created(inbox, "Ben Ray", identifiers=[{"kind": "external", "value": "crm:10013377"}])

    assert [one["name"] for one in inbox.get(ACME, "/contacts", q=q).result["contacts"]] == [
        "Léa Roy"
    ]
    (ben,) = inbox.get(ACME, "/contacts", q="10013377").result["contacts"]
    assert ben["name"] == "Ben Ray"
