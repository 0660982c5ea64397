"""People are found over all contexts, and shown with the conversations that the caller may read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.api import inbox as inbox_reads
from shared.api.auth import Caller
from shared.contacts import tickets
from shared.identity.contacts import tokens
from shared.identity.contacts.claims import Proof
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox import entries
from shared.inbox.items import Context, Entry
from tests.integration.console.system import READ
from tests.integration.shared.contacts.people import email, event
from tests.keyring import KEY, Keys, held

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem, Listed

SCOPES = READ | {"contacts:read"}
ACME = Caller(company="acme", scopes=SCOPES, principal="api-key:1")
GLOBEX = Caller(company="globex", scopes=SCOPES, principal="api-key:2")
WHATSAPP_ONLY = Caller(
    company="acme", scopes=frozenset({"whatsapp:read", "contacts:read"}), principal="api-key:3"
)
ZOE = identifier(IdentifierKind.PHONE, "+447700900101")
MARIO = identifier(IdentifierKind.PHONE, "+5511987654321")


@pytest.fixture
def people(listed: Listed) -> Listed:
    """Zoë by WhatsApp and by mail, joined by a request; Mario by WhatsApp, whose conversation is archived."""
    listed.show(
        "chat",
        contact="Zoë Müller-Łuczak",
        handle="447700900101",
        claims=event(Proof.PROVIDER, ZOE),
    )
    mail = email("zoe.mueller")
    listed.show(
        "mail",
        minute=2,
        context=Context.EMAIL_THREADS,
        handle=mail.value,
        claims=event(Proof.PROVIDER, mail),
    )
    listed.show(
        "request",
        minute=1,
        context=Context.CONVERSATIONS,
        project_id="hiring",
        contact="Zoë Müller",
        handle="447700900101",
        claims=event(Proof.COMPANY, ZOE, mail),
    )
    listed.show(
        "other",
        contact="Mário Costa",
        handle="551187654321",  # WhatsApp writes the number without the ninth digit
        status="archived",
        claims=event(Proof.PROVIDER, MARIO),
    )
    return listed


def found(inbox: InboxSystem, q: str, caller: Caller = ACME, **query: Any) -> list[dict[str, Any]]:
    answer = inbox.get(caller, "/contacts", q=q, **query)
    assert answer.status == 200, answer
    contacts: list[dict[str, Any]] = answer.result["contacts"]
    return contacts


def names(inbox: InboxSystem, q: str, caller: Caller = ACME) -> list[str | None]:
    return [one["name"] for one in found(inbox, q, caller)]


@pytest.mark.parametrize(
    "q",
    [
        *("zoe", "ZOË", "luczak", "Müller", "zoe muller"),  # words of the name
        *("447700900101", "+44 7700 900101", "07700 900101", "0044 7700 900101", "(07700) 900-101"),
        "900101",
        *("zoe.mueller@example.com", "zoe.mue", "ZOE.MUELLER@"),  # the start of the address
    ],
)
def test_a_person_is_found(inbox: InboxSystem, people: Listed, q: str) -> None:
    assert names(inbox, q) == ["Zoë Müller"]


@pytest.mark.parametrize("q", ["mario costa", "+55 11 98765-4321", "(11) 8765-4321", "654321"])
def test_a_number_is_found_by_each_of_its_spellings_also_in_an_archived_conversation(
    inbox: InboxSystem, people: Listed, q: str
) -> None:
    assert names(inbox, q) == ["Mário Costa"]


@pytest.mark.parametrize(
    "q", ["zo", "0101", "zoe costa", "900102", "+1 7700 900101", "mueller@example", "...", "9"]
)
def test_no_other_person_is_found(inbox: InboxSystem, people: Listed, q: str) -> None:
    assert found(inbox, q) == []


def test_a_person_is_shown_by_the_newest_conversation_with_all_handles(
    inbox: InboxSystem, people: Listed
) -> None:
    (zoe,) = found(inbox, "zoe")

    assert zoe == inbox.get(ACME, f"/contacts/{zoe['contactId']}").result
    assert zoe["handles"] == [
        {
            "channel": "email",
            "handle": "zoe.mueller@example.com",
            "text": "zoe.mueller@example.com",
        },
        {"channel": "whatsapp", "handle": "447700900101", "text": "+44 7700 900101"},
    ]
    assert zoe["lastActivityAt"] == "2026-01-01T12:02:00.000Z"


def test_conversations_of_all_contexts_are_listed_page_by_page(
    inbox: InboxSystem, people: Listed
) -> None:
    path = f"/contacts/{found(inbox, 'zoe')[0]['contactId']}/conversations"
    whole = inbox.get(ACME, path).result["conversations"]
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = inbox.get(ACME, path, limit=1, **cursor)
        rows += page.result["conversations"]
        cursor = {"cursor": str(page.body.get("cursor"))}

    assert [row["context"] for row in whole] == ["email_threads", "conversations", "whatsapp"]
    assert cursor == {"cursor": "None"}
    assert sorted(row["context"] for row in rows) == sorted(row["context"] for row in whole)
    assert all(row in inbox.rows(status="all") for row in whole)


def test_tickets_of_merged_contacts_are_listed_to_who_reads_the_help_desk(
    inbox: InboxSystem, people: Listed
) -> None:
    table = inbox.tables.contacts
    for number, (company, address) in enumerate(
        [("acme", "zoe.mueller@example.com"), ("globex", "zoe.mueller@example.com")]
    ):
        contact_id = tickets.contact_of(table, company, address, 1_000)
        for minute in (1, 2):
            tickets.note(table, company, contact_id, f"t-{number}{minute}", minute * 60_000)
    path = f"/contacts/{found(inbox, 'zoe')[0]['contactId']}/tickets"
    reader = replace(ACME, scopes=SCOPES | {"richpanel:read"})

    listed = inbox.get(reader, path).result["tickets"]

    assert [one["ticketId"] for one in listed] == ["t-02", "t-01"]
    assert listed[0]["lastActivityAt"] == "1970-01-01T00:02:00.000Z"
    assert inbox.get(ACME, path).status == 403
    assert inbox.get(replace(reader, scopes=frozenset({"richpanel:read"})), path).status == 403


def test_a_caller_sees_the_person_by_the_conversations_that_it_may_read(
    inbox: InboxSystem, people: Listed
) -> None:
    (zoe,) = found(inbox, "zoe", WHATSAPP_ONLY)
    path = f"/contacts/{zoe['contactId']}"

    assert zoe["name"] == "Zoë Müller-Łuczak"
    assert [one["channel"] for one in zoe["handles"]] == ["whatsapp"]
    rows = inbox.get(WHATSAPP_ONLY, f"{path}/conversations").result["conversations"]
    assert [row["context"] for row in rows] == ["whatsapp"]
    assert found(inbox, "zoe.mueller", WHATSAPP_ONLY) == []


def test_a_contact_without_a_readable_conversation_does_not_exist(
    inbox: InboxSystem, people: Listed
) -> None:
    (mario,) = found(inbox, "mario")
    path = f"/contacts/{mario['contactId']}"
    no_whatsapp = Caller(
        company="acme",
        scopes=frozenset({"email_threads:read", "contacts:read"}),
        principal="api-key:4",
    )
    people.context = Context.WHATSAPP
    answers = [
        inbox.get(caller, f"{one}{end}").status
        for caller in (no_whatsapp, GLOBEX)
        for one in (path, "/contacts/unknown")
        for end in ("", "/conversations")
    ]
    people.remove("other")  # erased in its context

    assert set(answers) == {404}
    assert inbox.get(ACME, path).status == 404
    assert inbox.get(ACME, f"{path}/conversations").status == 404
    assert found(inbox, "mario") == []


def test_an_older_id_of_a_merged_contact_leads_to_the_person(
    inbox: InboxSystem, people: Listed
) -> None:
    ids = {
        found_entry.contact_id
        for context, reference in (("whatsapp", "chat"), ("email_threads", "mail"))
        if (found_entry := entries.get(inbox.table, Entry.key(Context(context), reference)))
    }

    answers = [inbox.get(ACME, f"/contacts/{one}").result for one in ids]
    assert len(ids) == 2
    assert answers[0] == answers[1]


def test_many_people_of_one_name_are_found_page_by_page(inbox: InboxSystem, listed: Listed) -> None:
    for n in range(5):
        number = identifier(IdentifierKind.PHONE, f"+44770090012{n}")
        claims = event(Proof.PROVIDER, number)
        listed.show(f"chat {n}", contact=f"Ann Nr{n}", handle=number.value[1:], claims=claims)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(5):
        page = inbox.get(ACME, "/contacts", q="ann", limit=2, **cursor)
        seen += [one["name"] for one in page.result["contacts"]]
        if "cursor" not in page.body:
            break
        cursor = {"cursor": page.body["cursor"]}

    assert sorted(seen) == [f"Ann Nr{n}" for n in range(5)]
    assert inbox.get(GLOBEX, "/contacts", q="ann", **cursor).status == 400
    assert inbox.get(ACME, "/contacts", q="other", **cursor).status == 400


def test_a_person_is_found_by_a_new_name_and_after_a_rotation_of_the_keys(
    inbox: InboxSystem, listed: Listed
) -> None:
    claims = event(Proof.PROVIDER, ZOE)
    listed.show("chat", contact="Ann", handle="447700900101", claims=claims)
    listed.show("chat", minute=1, contact="Zoe", handle="447700900101", claims=claims)
    assert (names(inbox, "ann"), names(inbox, "zoe")) == ([], ["Zoe"])

    with held(Keys("the new key", KEY)):
        assert names(inbox, "zoe") == ["Zoe"]
        listed.show("chat", minute=2, contact="Zoe", handle="447700900101", claims=claims)
        assert names(inbox, "900101") == ["Zoe"]


def test_tokens_hold_no_word_and_no_number(inbox: InboxSystem, people: Listed) -> None:
    table = inbox.tables.contacts
    stored = str(table._client.scan(TableName=table.name)["Items"]).casefold()

    assert "token#acme#" in stored
    assert not any(text in stored for text in ("zoe", "zoë", "900101", "mueller", "costa"))


def test_a_search_reads_as_much_in_a_company_of_many_contacts(
    inbox: InboxSystem, people: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    module: Any = inbox.module
    module.deps.table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: calls.append(model.name), unique_id="reads"
    )
    found(inbox, "900101")
    few = len(calls)
    for n in range(40):
        number = identifier(IdentifierKind.PHONE, f"+4477009002{n:02}")
        tokens.write(
            inbox.tables.contacts,
            "acme",
            f"contact{n}",
            sorted(tokens.hashes("acme", tokens.of_identifier(number))),
        )
    calls.clear()
    found(inbox, "900101")
    module.deps.table._client.meta.events.unregister("before-call.dynamodb", unique_id="reads")

    assert len(calls) <= few


def test_a_search_of_the_inbox_finds_all_conversations_of_a_person_in_every_status(
    inbox: InboxSystem, people: Listed
) -> None:
    people.show("long ago", minute=0, contact="Zoe", handle="15550100999", status="resolved")
    found_contexts = {
        q: [row["context"] for row in inbox.rows(q=q)]
        for q in ("zoe", "07700 900101", "900101", "zoe.mue", "müller")
    }

    of_zoe = ["email_threads", "conversations", "whatsapp"]
    assert found_contexts.pop("zoe") == [*of_zoe, "whatsapp"], "by the word, after the person's"
    assert all(contexts == of_zoe for contexts in found_contexts.values()), found_contexts
    assert [row["contact"] for row in inbox.rows(q="mario")] == ["Mário Costa"]
    assert inbox.rows(q="mario", status="open") == []
    assert inbox.rows(q="zoe", assignee="kim") == inbox.rows(q="zoe", unread="true") == []
    assert [row["context"] for row in inbox.rows(q="zoe", channel="email")] == ["email_threads"]
    assert [row["context"] for row in inbox.rows(WHATSAPP_ONLY, q="müller")] == ["whatsapp"]
    assert "Mário Costa" not in [row.get("contact") for row in inbox.rows()]


def test_a_search_of_the_inbox_shows_each_conversation_once_page_by_page(
    inbox: InboxSystem, people: Listed
) -> None:
    people.show("long ago", minute=0, contact="Zoe", handle="15550100999")
    seen: list[tuple[str, str]] = []
    cursor: dict[str, str] = {}
    for _ in range(9):
        page = inbox.get(ACME, q="zoe", limit=1, **cursor)
        rows = page.result["conversations"]
        seen += [(row["context"], row["key"]) for row in rows]
        if "cursor" not in page.body:
            break
        cursor = {"cursor": page.body["cursor"]}

    assert [context for context, _ in seen] == [
        *("email_threads", "conversations", "whatsapp", "whatsapp")
    ]
    assert len({*seen}) == len(seen)


def test_a_search_of_the_inbox_finds_a_person_behind_any_number_of_newer_conversations(
    inbox: InboxSystem, people: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_reads, "ENTRIES_PER_CALL", 1)

    assert [row["contact"] for row in inbox.rows(q="mario costa")] == ["Mário Costa"]
    assert inbox.rows(q="cost") == [], "a part of a word is compared, newest first"
