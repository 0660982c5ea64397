"""People of the company create contacts, describe them, and name their identifiers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3

from shared.api.auth import Caller
from shared.identity.contacts.claims import Proof
from shared.identity.identifiers import IdentifierKind, identifier
from tests.cases import each
from tests.integration.answers import Answer
from tests.integration.console.contacts.test_contacts_api import (
    ACME,
    GLOBEX,
    WHATSAPP_ONLY,
    found,
    names,
    people,
)
from tests.integration.console.system import Invocation, inbox_call
from tests.integration.shared.contacts.people import email, event

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem, Listed

__all__ = ["people"]
EDITOR = Caller(company="acme", scopes=ACME.scopes | {"contacts:write"}, principal="api-key:1")
NO_MAIL = Caller(
    company="acme", scopes=WHATSAPP_ONLY.scopes | {"contacts:write"}, principal="api-key:3"
)
NUMBER = identifier(IdentifierKind.PHONE, "+447700900150")
LEA = {"kind": "phone", "value": "+44 7700 900150"}


def send(
    inbox: InboxSystem,
    line: str,
    body: dict[str, Any] | None = None,
    caller: Caller = EDITOR,
    key: str = "",
) -> Answer:
    method, path = line.split(" ")
    headers = {"Idempotency-Key": key or str(uuid4())}
    event_of = inbox_call(method, path, caller, {}, body, headers)
    event_of["requestContext"]["requestId"] = str(uuid4())
    answer = inbox.module.handler(event_of, Invocation())
    return Answer(answer["statusCode"], json.loads(answer["body"]))


def created(inbox: InboxSystem, name: str = "Léa Roy", **more: Any) -> dict[str, Any]:
    body = {"name": name, "identifiers": [LEA], **more}
    return send(inbox, "POST /contacts", body).result


def id_of(inbox: InboxSystem, q: str) -> str:
    (one,) = found(inbox, q)
    return str(one["contactId"])


def test_a_created_contact_is_found_by_its_name_and_all_its_identifiers(
    inbox: InboxSystem, listed: Listed
) -> None:
    mail = {"kind": "email", "value": "Lea.Roy@Example.com"}
    made = created(
        inbox,
        identifiers=[LEA, mail, LEA, {"kind": "external", "value": "Shop:C-1"}],
        language="fr",
        zone="Europe/Paris",
        labels=["vip"],
        owner="team:night",
    )

    queries = ("lea", "roy", "07700 900150", "900150", "lea.roy@example.com", "lea.r")
    assert [names(inbox, q) for q in queries] == [["Léa Roy"]] * len(queries)
    assert (made["labels"], made["owner"], made["language"]) == (["vip"], "team:night", "fr")
    values = {one["value"] for one in made["identifiers"]}
    assert values == {"+447700900150", "lea.roy@example.com", "shop:C-1"}
    assert inbox.get(ACME, f"/contacts/{made['contactId']}").result == made
    assert inbox.get(GLOBEX, f"/contacts/{made['contactId']}").status == 404
    assert inbox.get(ACME, f"/contacts/{made['contactId']}/conversations").result == {
        "conversations": []
    }


def test_a_conversation_from_an_added_identifier_is_the_contact_s(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe = id_of(inbox, "zoe")
    added = send(inbox, f"POST /contacts/{zoe}/identifiers", LEA).result
    people.show(
        "new",
        minute=9,
        contact="Zo",
        handle="447700900150",
        claims=event(Proof.PROVIDER, NUMBER),
    )

    assert id_of(inbox, "900150") == id_of(inbox, "zoe.mueller") == added["contactId"]
    rows = inbox.get(ACME, f"/contacts/{zoe}/conversations").result["conversations"]
    assert len(rows) == 4
    assert len(inbox.rows(q="luczak", status="all")) == 4

    (one,) = added["identifiers"]
    path = f"DELETE /contacts/{zoe}/identifiers/{one['identifierId']}"
    removed = send(inbox, path).result
    assert removed["identifiers"] == []
    assert names(inbox, "900150") == ["Zo"]
    assert len(inbox.rows(q="luczak", status="all")) == 3
    assert send(inbox, path).status == 404


def test_a_removed_identifier_can_be_added_again_also_to_another_contact(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    for contact in (zoe, zoe, mario, zoe):
        added = send(inbox, f"POST /contacts/{contact}/identifiers", LEA).result
        assert send(inbox, f"POST /contacts/{contact}/identifiers", LEA).result == added
        (one,) = added["identifiers"]
        assert found(inbox, "900150")[0]["contactId"] == added["contactId"]
        path = f"DELETE /contacts/{contact}/identifiers/{one['identifierId']}"
        assert send(inbox, path).status == 200


def test_an_identifier_of_another_contact_is_refused_with_its_id_if_the_caller_may_see_it(
    inbox: InboxSystem, people: Listed
) -> None:
    mario = id_of(inbox, "mario")
    people.show(
        "hidden",
        handle="private",
        project_id="hiring",
        context="conversations",
        claims=event(Proof.PROVIDER, email("private")),
    )
    zoe = {"kind": "email", "value": "zoe.mueller@example.com"}
    hidden = {"kind": "email", "value": "private@example.com"}
    line = f"POST /contacts/{mario}/identifiers"

    seen = send(inbox, line, zoe)
    assert (seen.status, seen.error) == (409, "identifier_taken")
    assert seen.problems["contactId"] == id_of(inbox, "zoe")
    unseen = send(inbox, line, hidden, NO_MAIL)
    assert unseen.status == 409
    assert "contactId" not in unseen.problems
    again = send(inbox, "POST /contacts", {"name": "Zoe", "identifiers": [zoe]})
    assert (again.status, again.problems["contactId"]) == (409, id_of(inbox, "zoe"))


def test_a_changed_name_is_found_at_once_and_shown_instead_of_the_conversations_name(
    inbox: InboxSystem, people: Listed
) -> None:
    path = f"PATCH /contacts/{id_of(inbox, 'zoe')}"
    first = send(inbox, path, {"name": "Zora Meier", "labels": ["vip"], "version": 0}).result
    assert names(inbox, "zora") == names(inbox, "meier zora") == ["Zora Meier"]
    assert len(inbox.rows(ACME, q="zora", status="all")) == 3
    assert inbox.rows(q="zora", status="all") == []  # without the scope of contacts

    stale = send(inbox, path, {"language": "de", "version": 0})
    assert (stale.status, stale.error) == (409, "version_conflict")
    second = send(inbox, path, {"givenNames": "Zo", "version": first["version"]}).result
    assert (second["name"], second["labels"], second["givenNames"]) == ("Zora Meier", ["vip"], "Zo")
    third = send(inbox, path, {"name": None, "labels": []}).result
    assert (third["name"], third["labels"]) == ("Zoë Müller", [])
    assert names(inbox, "zora") == []


def test_a_repeat_under_the_same_key_changes_nothing_more(
    inbox: InboxSystem, listed: Listed
) -> None:
    body = {"name": "Léa Roy", "identifiers": [LEA]}
    answers = [send(inbox, "POST /contacts", body, key="create-lea-1") for _ in range(2)]

    assert answers[0].result == answers[1].result
    assert send(inbox, "POST /contacts", body).error == "identifier_taken"


@each(
    ("more", "field"),
    [
        ({"age": 4}, "age"),
        ({"name": " "}, "name"),
        ({"name": "Ann\nDoe"}, "name"),
        ({"language": "English"}, "language"),
        ({"zone": "Mars/Base"}, "zone"),
        ({"labels": [f"l{n}" for n in range(21)]}, "labels"),
        ({"owner": "ai"}, "owner"),
        ({"identifiers": []}, "identifiers"),
        ({"identifiers": [{"kind": "phone", "value": "call me"}]}, "identifiers.0.value"),
        ({"identifiers": [{"kind": "user_id", "value": "1:US.1"}]}, "identifiers.0.kind"),
        ({"identifiers": [{"kind": "external", "value": "C1"}]}, "identifiers.0.value"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field(
    inbox: InboxSystem, listed: Listed, more: dict[str, Any], field: str
) -> None:
    refused = send(inbox, "POST /contacts", {"name": "Ann", "identifiers": [LEA], **more})

    assert (refused.status, set(refused.problems)) == (400, {field})


def test_unknown_and_foreign_contacts_are_not_found_and_readers_change_nothing(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe = id_of(inbox, "zoe")
    foreign = Caller(company="globex", scopes=EDITOR.scopes, principal="api-key:2")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("PATCH /contacts/{}", {"name": "Eve"}),
        ("POST /contacts/{}/identifiers", LEA),
        ("DELETE /contacts/{}/identifiers/any", {}),
        ("POST /contacts/{}/merge", {"contactId": zoe}),
    ]
    for line, body in calls:
        assert send(inbox, line.format(zoe), body, foreign).status == 404
        assert send(inbox, line.format("unknown"), body).status == 404
        assert send(inbox, line.format(zoe), body, ACME).status == 403


def test_the_audit_log_names_the_contact_and_no_personal_data(
    inbox: InboxSystem, people: Listed
) -> None:
    zoe = id_of(inbox, "zoe")
    assert send(inbox, f"PATCH /contacts/{zoe}", {"name": "Zora", "language": "pt"}).status == 200
    send(inbox, f"POST /contacts/{zoe}/identifiers", LEA)

    log = inbox.module.routes.audit_log.table.name
    text = str(boto3.client("dynamodb").scan(TableName=log)["Items"])
    assert zoe in text
    assert "details.language" in text
    assert not any(word in text for word in ("Zora", "900150", "'pt'"))
