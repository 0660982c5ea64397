"""One request erases or exports a person in all contexts; nothing of them is left but hashes and counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from console.privacy import jobs, person
from console.privacy.inventory import SETTLES_MS
from console.store.person_jobs import PersonJob
from richpanel.store import states as help_desk_states
from richpanel.store.items import ConversationState
from shared.contacts import lists, tickets
from shared.identity.contacts import notes, resolution
from shared.identity.contacts.history import Act
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import Context
from shared.privacy import jobs as stored_jobs
from shared.privacy.parts import Named, NameKind
from shared.runtime import clock
from tests.integration.console.contacts.exchange.imports import Files
from tests.integration.console.contacts.test_contact_changes import EDITOR, send
from tests.integration.console.people import (
    ADA,
    BEN,
    CANARY,
    COMPANY,
    GIVEN,
    MAIL,
    OTHER,
    WORDS,
    People,
)
from tests.integration.whatsapp.conftest import text

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table


def ids_of(people: People) -> list[str]:
    """The ids of Ada's profiles."""
    names, ids = person.of_names(people.deps.sources, COMPANY, GIVEN)
    assert {name.value for name in names} == {f"+{ADA}", MAIL}
    return ids


def note(people: People, contact_id: str) -> None:
    """A note of an agent about Ada."""
    table = people.deps.tables.contacts
    found = resolution.current(table, COMPANY, contact_id)
    assert found is not None
    notes.add(table, found, f"note of {CANARY}", Act("noted", "user:kim"))


def open_ticket(people: People) -> None:
    """A ticket of the help desk that a mail of Ada has opened."""
    table, at = people.deps.tables.contacts, people.now[0]
    contact_id = tickets.contact_of(table, COMPANY, MAIL, at)
    tickets.note(table, COMPANY, contact_id, "t-9", at)
    row = ConversationState(
        conversation_id="t-9", updated_at=clock.to_text(at), expires_at=4_000_000_000
    )
    people.help_desk.jobs.table.put(row.attributes())


@pytest.mark.parametrize("given", [GIVEN, [Named(NameKind.EMAIL, MAIL)]])
def test_one_identifier_erases_the_person_in_all_contexts_and_no_other_person(
    people: People, given: list[Named], caplog: pytest.LogCaptureFixture
) -> None:
    ids = ids_of(people)
    regulars = lists.create(people.deps.tables.contacts, COMPANY, "Regulars", by="kim", cause="1")
    for one in ids:
        member = resolution.current(people.deps.tables.contacts, COMPANY, one)
        assert member is not None
        assert lists.add(people.deps.tables.contacts, COMPANY, regulars.sk, member)
    note(people, ids[-1])
    open_ticket(people)
    before, others = people.left(*WORDS), people.left(OTHER, "Ben")
    assert {place.partition("-")[0] for place in before} >= {
        "conversation",
        "conversations",
        "inbox",
    }

    job = people.run(given=given)
    people.show()

    assert people.left(*WORDS, *ids) == []
    assert job.counts["lists"] == 1
    logged = str([vars(record) for record in caplog.records])
    assert "records handled" in logged
    assert not any(word in logged for word in WORDS)
    assert {one.split(" ")[0] for one in people.left(OTHER, "Ben")} == {
        one.split(" ")[0] for one in others
    }
    assert [row.get("contact") for row in people.inbox.rows(status="all")] == [None, "Ben"]
    assert len([item for item in people.contact_items() if item["sk"]["S"] == "PROFILE"]) == 2
    assert job.counts["profiles"] == 2
    # A note, its change and the mark of its request, and the ticket.
    assert job.counts["contact_records"] == 4
    buried = help_desk_states.conversation(people.help_desk.jobs.table, "t-9")
    assert buried is not None
    assert buried.erased_at is not None
    assert {one["context"] for one in job.parts} == people.deps.parts.keys()


@pytest.mark.parametrize("is_named_by_contact", [False, True])
def test_a_person_with_a_hidden_number_is_erased_by_the_user_id_or_the_contact(
    people: People, *, is_named_by_contact: bool
) -> None:
    user_id, name = "GB.13491208655302741918", "Eve Hidden"
    message = text("wamid.eve", "hello", sender="", at=people.now[0] // 1000 - 60)
    contact = {"user_id": user_id, "profile": {"name": name, "username": "eve.h"}}
    people.harness.take({"messages": [message | {"from_user_id": user_id}], "contacts": [contact]})
    people.show()
    given = [Named(NameKind.USER_ID, user_id)]
    names, ids = person.of_names(people.deps.sources, COMPANY, given)
    assert (names, len(ids)) == (given, 1)
    assert people.left(name)

    people.run(given=[Named(NameKind.CONTACT, ids[0])] if is_named_by_contact else given)
    people.show()

    assert people.left(user_id, name, "eve.h", *ids) == []


def test_a_byline_goes_with_its_files_and_the_newsletter_stays(people: People) -> None:
    people.run()

    metadata, draft = people.bylines.read("NL-20260101-ABCD")
    assert (metadata.title, metadata.user_name, metadata.user_email) == ("Field notes", "", "")
    assert (draft.has_content, draft.exports) == (True, {})
    other, whole = people.bylines.read("NL-20260102-ABCD")
    assert (other.user_name, [*whole.exports]) == ("Bob", ["pdf"])


def test_feeds_that_are_late_or_still_run_make_no_contact_of_what_was_erased(
    people: People,
) -> None:
    ids = ids_of(people)
    people.write("wamid.3", ADA, WORDS[2], WORDS[3])
    late = [(fed, fed.pending()) for fed in people.feeds]
    heads = people.deps.heads[Context.WHATSAPP]
    running = heads.read(reference_of(people))
    assert running is not None

    ends_at = [people.now[0]]
    seen: list[tuple[int, bool]] = []  # whether the profiles were stored, at each wait

    def goes_on() -> None:
        """A feed that has read the conversation before its erasure resolves the contact; it ends within its timeout."""
        stored = [one["contact_id"]["S"] for one in people.contact_items() if "kind" in one]
        seen.append((people.now[0], {*ids} <= {*stored}))
        if heads.read(running.reference) is not None:
            ends_at[0] = people.now[0] + 30_000
        if people.now[0] < ends_at[0]:
            claims, at_ms = running.claims, people.now[0]
            resolution.resolve(people.deps.tables.contacts, COMPANY, claims, at_ms, running.contact)

    people.meanwhile = goes_on
    job = people.run()
    for fed, records in late:
        assert fed.take(records) == []
    parts = [people.deps.parts[one["context"]].stored(one["job_id"]) for one in job.parts]
    ended = max(clock.from_text(str(part.finished_at)) for part in parts if part is not None)
    assert [was for at, was in seen if ended < at <= ended + SETTLES_MS]
    assert all(was for at, was in seen if at <= ended + SETTLES_MS)

    assert people.left(*WORDS, *ids) == []


def test_a_conversation_since_the_request_keeps_its_person_and_gets_a_new_contact(
    people: People,
) -> None:
    written: list[int] = []

    def writes_again() -> None:
        """Ada writes while profiles are removed; the conversation is not older than the request."""
        stored = [item for item in people.contact_items() if item["sk"]["S"] == "PROFILE"]
        if len(stored) == 2 and not written:
            written.append(people.now[0])
            people.write("wamid.9", ADA, "a new question", "Ada")

    people.meanwhile = writes_again
    people.run()
    people.show()

    (row,) = people.inbox.rows(q=ADA)
    assert written
    assert (row["contact"], row["preview"]) == ("Ada", "a new question")
    ada = identifier(IdentifierKind.PHONE, f"+{ADA}")
    profiles = [item for item in people.contact_items() if item["sk"]["S"] == "PROFILE"]
    (own,) = (one for one in profiles if one["contact_id"]["S"] in resolution.ids_of(COMPANY, ada))
    assert not {"merged_into", "members"} & own.keys()
    assert people.left(MAIL, *WORDS[2:4]) == []


@pytest.mark.parametrize("waits", [1, 4, None])
def test_an_import_that_has_begun_makes_no_contact_of_what_was_erased(
    people: People, waits: int | None
) -> None:
    """Its rows come during or after the erasure; a new import is a later act of people."""
    file = f"phone,email,name\n+{ADA},,{WORDS[3]}\n+{BEN},,Ben\n,{MAIL},{WORDS[3]}\n"
    columns = ("phone", "email", "name")
    files = Files(people.inbox)
    path = files.started(file, *columns)
    ids, passed = ids_of(people), [0]

    def goes_on() -> None:
        passed[0] += 1
        if passed[0] == waits:
            files.runs.drain()

    people.meanwhile = goes_on
    people.run()
    files.runs.drain()
    people.show()

    assert passed[0] > (waits or 0)
    rule = "the person was erased after the import had begun"
    assert files.rows(path) == [(2, "refused", rule), (3, "updated"), (4, "refused", rule)]
    assert people.left(*WORDS, *ids) == []
    again = files.imported(file, *columns)
    assert [one[1] for one in files.rows(again)] == ["created", "unchanged", "created"]


@pytest.mark.parametrize("when", [1, 5, 15])
@pytest.mark.parametrize("is_undone", [False, True])
def test_a_merge_or_undo_while_an_erasure_runs_harms_no_other_person(
    people: People, when: int, *, is_undone: bool
) -> None:
    """Whom the request was about is decided when it begins: Ben is merged with Ada later, or was until then."""
    ada, ben = (
        people.inbox.get(EDITOR, "/contacts", q=one).result["contacts"][0]["contactId"]
        for one in (ADA, BEN)
    )
    path, passed, statuses = f"/contacts/{ada}/merge", [0], []
    if is_undone:
        merge_id = send(people.inbox, f"POST {path}", {"contactId": ben}).result["mergeId"]
        assert send(people.inbox, f"POST /contacts/merges/{merge_id}/undo").status == 200

    def merges() -> None:
        passed[0] += 1
        if passed[0] == when:
            statuses.append(send(people.inbox, f"POST {path}", {"contactId": ben}).status)

    people.meanwhile = merges
    people.run()
    people.show()

    assert statuses
    assert people.left(*WORDS) == []
    (row,) = people.inbox.rows(q=BEN)
    shown = people.inbox.get(EDITOR, f"/contacts/{ben}").result
    assert (row["contact"], shown["name"], len(shown["handles"])) == ("Ben", "Ben", 1)
    people.write("wamid.9", BEN, "once more", "Ben")
    people.show()
    (found,) = people.inbox.get(EDITOR, "/contacts", q="ben").result["contacts"]
    assert found["contactId"] in {ada, ben}


@pytest.mark.long
@pytest.mark.parametrize("wait", [1, 2, 4, 8, 16, 24])
def test_messages_that_arrive_while_an_erasure_waits_are_kept_and_late_ones_are_not(
    people: People, wait: int
) -> None:
    """By WhatsApp, mail and SMS; the late one was written before the request."""
    requested, waits = people.now[0], [0]

    def arrives() -> None:
        waits[0] += 1
        if waits[0] != wait:
            return
        people.harness.take({"messages": [text("wamid.late", CANARY, at=requested // 1_000 - 5)]})
        people.write("wamid.new", ADA, "a new question", "Ada")
        people.mails.receive("new@x", sender=MAIL, subject="a new mail", body="a new mail")
        people.converse("a new text", "req-2")
        people.show()

    people.meanwhile = arrives
    people.run()
    people.show()

    assert waits[0] > wait
    assert people.left(CANARY) == []
    rows = {row["preview"] for row in people.inbox.rows(status="all") if "preview" in row}
    assert {"a new question", "a new mail"} <= rows
    assert people.left("a new text")
    people.meanwhile = lambda: None
    people.run(given=[*GIVEN, Named(NameKind.EMAIL, MAIL)])
    assert people.left("a new question", "a new mail", "a new text") == []


def reference_of(people: People) -> str:
    """The reference of Ada's conversation by WhatsApp."""
    (key,) = (key for key in people.harness.keys() if key.startswith("CONV#") and key.endswith(ADA))
    return key


class Killed(BaseException):
    """The process ended."""


@dataclass
class Deaths:
    """Ends the process before or after one of its writes, later in each attempt."""

    when: str
    left: int = 0
    is_on: bool = False

    def watch(self, people: People) -> None:
        clients = {id(table._client): table._client for table in tables_of(people)}
        for client in clients.values():
            client.meta.events.register(f"{self.when}-call.dynamodb", self.count)

    def count(self, model: Any, **_: object) -> None:
        if not self.is_on or model.name in {"GetItem", "BatchGetItem", "Query", "Scan"}:
            return
        self.left -= 1
        if self.left < 0:
            raise Killed


def tables_of(people: People) -> list[Table]:
    own = people.conversations
    return [people.deps.tables.contacts, people.deps.tables.inbox, own.table, own.log]


@pytest.mark.long
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_erasure_that_is_killed_again_and_again_ends_the_same(people: People, when: str) -> None:
    ids = ids_of(people)
    deaths = Deaths(when)
    deaths.watch(people)
    killed, job = 0, None
    while job is None:
        deaths.left, deaths.is_on = killed // 2 + 1, True
        try:
            job = people.run()
        except Killed:
            killed += 1
            people.begin_process()
        finally:
            deaths.is_on = False
    people.show()

    assert killed > 10
    assert people.left(*WORDS, *ids) == []
    assert (job.state, job.run) == ("done", 1)
    assert job.counts["profiles"] == 2
    stored = stored_jobs.get(people.deps.tables.contacts, PersonJob, job.job_id)
    assert stored is not None
    assert not {"given", "identifiers", "contact_ids"} & stored.attributes().keys()
    of_conversations = next(one for one in job.parts if one["context"] == "conversations")
    part = people.deps.parts["conversations"].stored(of_conversations["job_id"])
    assert part is not None
    assert part.receipt is not None
    counts = part.counts
    assert (part.receipt.run, counts["conversations"], counts["messages"]) == (1, 1, 1)


def test_an_export_has_the_persons_data_of_all_contexts_and_changes_nothing(people: People) -> None:
    ids = ids_of(people)
    note(people, ids[-1])
    before = sorted(people.left(OTHER, *WORDS))

    job = people.run("export")

    folder = jobs.jobs_of(people.deps).folder(job)
    lines = people.deps.bucket.get(f"{folder.prefix}{folder.lines}").decode()
    kinds = Counter(json.loads(line)["kind"] for line in lines.splitlines())
    assert kinds == {"exports": 5, "profiles": 2, "contact_records": 2, "entries": 3}
    assert f"note of {CANARY}" in lines
    assert '"tokens"' not in lines
    assert OTHER not in lines
    assert ids_of(people) == ids
    assert set(before) <= set(people.left(OTHER, *WORDS))
