"""A person is erased and exported over HTTP by one request, with receipts of all contexts and a second pair of eyes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.jobs import engine
from console.privacy import person, routes
from console.store import person_requests
from richpanel.store import states
from richpanel.store.items import ConversationState
from shared.identity.contacts import merges, resolution
from shared.identity.contacts.history import Act
from shared.privacy.parts import Named, NameKind
from shared.privacy.settings import PrivacySettings
from shared.runtime import clock
from tests.integration.console.contacts.test_contacts_api import ACME as READER
from tests.integration.console.people import (
    ADA,
    CANARY,
    COMPANY,
    GIVEN,
    MAIL,
    OTHER,
    WORDS,
    People,
    people_on_moto,
)
from tests.integration.console.privacy.requests import KIM, LEE, PROGRAM, Desk, texts_of
from tests.template import name_of

if TYPE_CHECKING:
    from tests.integration.answers import Answer
    from tests.integration.console.system import InboxSystem
    from tests.integration.whatsapp.conftest import Harness

DAY_MS = 86_400_000
UNKNOWN = "a" * 26
CONTEXTS = {"whatsapp", "email_threads", "conversations", "newsletters", "richpanel", "contacts"}


@pytest.fixture
def desk(people: People) -> Desk:
    return Desk(people)


def ids_of(people: People) -> list[str]:
    return person.of_names(people.deps.sources, COMPANY, GIVEN)[1]


def error_of(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["error"]["code"]


def set_four_eyes(people: People) -> None:
    key = PrivacySettings.key_of(COMPANY)
    item = PrivacySettings(**key, company_id=COMPANY, four_eyes=True)
    people.deps.tables.contacts.put(item.attributes())


def test_a_request_erases_the_person_in_all_contexts_and_keeps_their_receipts(
    desk: Desk, people: People, caplog: pytest.LogCaptureFixture
) -> None:
    ids = ids_of(people)

    def found() -> set[int]:
        return {people.inbox.get(READER, f"/contacts/{one}").status for one in ids}

    assert found() == {200}
    accepted = desk.request(key="one-request")
    assert (accepted.status, accepted.result["stage"]) == (202, "running")
    assert desk.request(key="one-request").result["id"] == accepted.result["id"]
    request_id = accepted.result["id"]
    assert desk.shown(request_id)["names"] == [{"kind": "phone", "value": f"+{ADA}"}]

    desk.drain()
    people.show()

    assert people.left(*WORDS, *ids) == []
    assert found() == {404}
    assert not any(word in str([vars(one) for one in caplog.records]) for word in WORDS)
    shown = desk.shown(request_id)
    assert (shown["stage"], shown["names"], shown["reference"]) == ("done", [], "case-7")
    receipts = {one["context"]: one for one in shown["receipts"]}
    assert receipts.keys() == CONTEXTS
    assert receipts["newsletters"]["counts"] == {
        "author_names": 1,
        "exported_files": 1,
        "author_addresses": 1,
    }
    assert receipts["richpanel"]["counts"] == {"customers": 1}
    assert receipts["conversations"]["counts"]["messages"] == 1
    assert receipts["contacts"]["counts"]["profiles"] == 2
    assert all(one["kept"] and one["outside"] for one in receipts.values())
    assert list(person_requests.due(people.deps.tables.contacts)) == []


@pytest.mark.parametrize(
    ("asked", "due"),
    [("2026-01-01", "2026-02-01"), ("2025-12-31", "2026-01-31"), ("2025-01-31", "2025-02-28")],
)
def test_a_request_is_due_a_month_after_the_person_has_asked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, asked: str, due: str
) -> None:
    day = clock.from_text(f"{asked}T12:00:00.000Z")
    monkeypatch.setattr(clock, "now_ms", lambda: day + 20 * DAY_MS)

    late = desk.request(kind="export", received_on=asked).result["id"]
    shown = desk.shown(late)
    refused = [
        desk.request(kind="export", received_on=one, key=f"refused-{one}").status
        for one in ("1999-01-01", "2099-01-01", "yesterday")
    ]

    assert (shown["received_on"], shown["due_on"]) == (asked, due)
    assert refused == [400, 400, 400]


def test_a_request_without_a_day_is_due_a_month_after_it_was_made(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = clock.from_text("2026-03-31T12:00:00.000Z")
    monkeypatch.setattr(clock, "now_ms", lambda: day)

    assert desk.shown(desk.request(kind="export").result["id"])["due_on"] == "2026-04-30"


def test_a_dry_run_shows_the_names_of_the_person_and_changes_nothing(
    desk: Desk, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = people.left(*WORDS)

    answer = desk.request(dry_run=True)

    assert answer.result == {
        "names": [{"kind": "phone", "value": f"+{ADA}"}, {"kind": "email", "value": MAIL}],
        "profiles": 2,
        "conversations": {"conversations": 1, "email_threads": 1, "whatsapp": 1},
    }
    assert desk.started == []
    monkeypatch.setattr(routes, "MOST_READ", 0)
    assert desk.request(dry_run=True).result["is_cut"] is True
    assert people.left(*WORDS) == before
    assert people.left("PRIVACY") == []


def test_a_colleague_is_erased_with_all_newsletters_and_no_customer(
    desk: Desk, people: People
) -> None:
    before = people.left(ADA, "Ben")
    request_id = desk.request(subject={"principal": "user:kim"}).result["id"]
    desk.drain()

    shown = desk.shown(request_id)
    counts = {one["context"]: one["counts"] for one in shown["receipts"]}
    assert (shown["stage"], counts["newsletters"]) == ("done", {"newsletter": 2})
    assert counts.keys() == {"newsletters", "contacts"}
    assert people.left(ADA, "Ben") == before


@pytest.mark.parametrize("kind", ["email", "contact_id"])
def test_each_name_of_the_person_leads_to_all_of_them(
    desk: Desk, people: People, kind: str
) -> None:
    subject = {"email": MAIL.upper(), "contact_id": ids_of(people)[-1]}[kind]

    shown = desk.request(subject={kind: subject}, dry_run=True).result

    assert {one["value"] for one in shown["names"]} >= {f"+{ADA}", MAIL}
    assert shown["profiles"] == 2


@pytest.mark.long
def test_an_export_is_a_zip_with_an_index_whose_link_ends_with_its_erasure(
    desk: Desk, people: People
) -> None:
    request_id = desk.request(kind="export").result["id"]
    desk.drain()

    counts = {one["context"]: one["counts"] for one in desk.shown(request_id)["receipts"]}
    assert counts["newsletters"] == {"author_addresses": 1}
    assert "X-Amz-Expires=3600" in desk.shown(request_id)["link"]
    texts = texts_of(people, request_id)
    index = texts.pop("index.html")
    contexts = {name.rpartition("/")[0].partition("-")[0] for name in texts}
    assert contexts == CONTEXTS
    assert sum(CANARY in text for text in texts.values()) == 4
    assert (
        MAIL in next(text for name, text in texts.items() if name.startswith("newsletters")).lower()
    )
    assert OTHER not in str(texts)
    assert all(f'href="{name}"' in index for name in texts)

    erased = desk.request().result["id"]
    desk.drain()
    people.show()
    assert desk.shown(erased)["stage"] == "done"
    assert "link" not in desk.shown(request_id)
    assert people.left(*WORDS) == []


def test_another_person_confirms_a_request_if_the_company_has_set_it(
    desk: Desk, people: People
) -> None:
    set_four_eyes(people)
    before = people.left(*WORDS)
    waiting = desk.request(key="one-request").result
    assert waiting["stage"] == "waiting"
    desk.wake()
    assert set(before) <= set(people.left(*WORDS))

    path = f"/{waiting['id']}/confirm"
    assert [error_of(desk.post(path, by=by))[0] for by in (KIM, PROGRAM)] == [403, 403]
    other = replace(LEE, company="globex")
    assert error_of(desk.post(path, by=other)) == (404, "not_found")
    assert people.inbox.get(other, f"/privacy/requests/{waiting['id']}").status == 404
    assert people.inbox.get(other, "/privacy/requests").result["requests"] == []
    assert desk.post(path, by=LEE, key="confirmed-once").result["stage"] == "running"
    assert desk.post(path, by=LEE, key="confirmed-again").result["stage"] == "running"
    desk.drain()
    people.show()

    shown = desk.shown(waiting["id"])
    assert (shown["stage"], shown["confirmed_by"]) == ("done", "user:lee")
    assert people.left(*WORDS) == []
    third = replace(LEE, principal="user:max")
    assert error_of(desk.post(path, by=third)) == (409, "not_waiting")


def test_a_ticket_of_the_help_desk_is_exported_and_erased_by_its_id_after_a_confirmation(
    desk: Desk, people: People
) -> None:
    set_four_eyes(people)
    desk_of_help, at = people.help_desk, clock.to_text(clock.now_ms())
    ticket = ConversationState(conversation_id="t-7", updated_at=at, expires_at=4_000_000_000)
    desk_of_help.jobs.table.put(ticket.attributes())
    action = {
        "conversation_id": "t-7",
        "ts_action_id": f"{at}#1",
        "action_type": "tag",
        "action_payload_redacted": "a-code-of-the-ticket",
        "idempotency_key": "-",
        "result": "success",
        "expires_at": 4_000_000_000,
    }
    desk_of_help.jobs.table.beside(name_of("RichpanelAuditActionsTable")).put(action)
    before = people.left(*WORDS)
    receipts = {}
    for kind in ("export", "erase"):
        asked = desk.request(kind=kind, subject={"ticket_id": "t-7"}).result
        desk.post(f"/{asked['id']}/confirm", by=LEE)
        desk.drain()
        receipts[kind] = desk.shown(asked["id"])["receipts"]

    for found in receipts.values():
        counts = {one["context"]: one["counts"] for one in found}
        assert (sorted(counts), counts["richpanel"]) == (["contacts", "richpanel"], {"tickets": 1})
    stored = states.conversation(desk_of_help.jobs.table, "t-7")
    assert stored is not None
    assert stored.erased_at is not None
    assert people.left("a-code-of-the-ticket") == []
    assert people.left(*WORDS) == before


def test_a_request_without_confirmation_expires_and_names_no_person_then(
    desk: Desk, people: People
) -> None:
    set_four_eyes(people)
    request_id = desk.request().result["id"]
    people.now[0] += 7 * DAY_MS
    assert error_of(desk.post(f"/{request_id}/confirm", by=LEE)) == (409, "not_waiting")

    desk.wake()

    shown = desk.shown(request_id)
    assert (shown["stage"], shown["names"], shown["receipts"]) == ("expired", [], [])
    stored = person_requests.get(people.deps.tables.contacts, COMPANY, request_id)
    assert stored is not None
    assert ADA not in str(stored.attributes())
    assert list(person_requests.due(people.deps.tables.contacts)) == []


def test_requests_are_listed_newest_first_in_pages_and_few_are_open(
    desk: Desk, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_requests, "MOST_OPEN", 3)
    ids = []
    for _ in range(3):
        ids.append(desk.request().result["id"])
        people.now[0] += 1_000

    first = people.inbox.get(KIM, "/privacy/requests", limit=2)
    rest = people.inbox.get(KIM, "/privacy/requests", limit=2, cursor=first.body["cursor"])

    found = [*first.result["requests"], *rest.result["requests"]]
    assert [one["id"] for one in found] == ids[::-1]
    assert first.result["four_eyes"] is False
    assert not any(one["names"] for one in found)
    assert error_of(desk.request()) == (409, "too_many_requests_open")


def test_a_merge_by_people_leaves_no_hash_of_the_person(desk: Desk, people: People) -> None:
    contacts = people.deps.tables.contacts
    bobs = person.of_names(
        people.deps.sources, COMPANY, [Named(NameKind.EMAIL, "bob@mill.example")]
    )[1]
    made = merges.merge(
        contacts, COMPANY, ids_of(people)[-1], bobs[0], Act("a request", "user:kim")
    )
    merges.undo(contacts, made, Act("its undo", "user:kim"))
    ids = ids_of(people)

    desk.request()
    desk.drain()
    people.show()

    assert people.left(*ids, "MERGE#") == []
    assert resolution.current(contacts, COMPANY, bobs[0]) is not None


@pytest.mark.long
def test_a_context_that_fails_is_asked_again_and_the_request_says_so(
    desk: Desk, people: People
) -> None:
    desk.faults = {4, 5, 40, 41, 42}  # after three in a run the schedule goes on
    request_id = desk.request().result["id"]
    problems: list[str | None] = []
    people.meanwhile = lambda: problems.append(desk.shown(request_id).get("problem"))

    desk.drain()
    assert desk.shown(request_id)["stage"] == "running"
    desk.wake()

    assert "context_failed" in problems
    shown = desk.shown(request_id)
    assert (shown["stage"], "problem" in shown) == ("done", False)


def test_runs_follow_each_other_and_the_schedule_goes_on_with_what_is_left(
    desk: Desk, people: People
) -> None:
    request_id = desk.request().result["id"]
    ends_at, runs, wakes = 0, 0, 0
    desk.left_ms = lambda: ends_at - people.now[0]
    while desk.shown(request_id)["stage"] == "running":
        if not desk.started:
            wakes += 1
            desk.module.handler({"time": clock.to_text(people.now[0])}, desk.invocation)
        ends_at, runs = people.now[0] + 20_000, runs + 1
        desk.drain_one()

    people.show()
    assert wakes == (runs - 1) // engine.MOST_RUNS > 0
    assert people.left(*WORDS) == []


BAD: list[tuple[dict[str, Any], str]] = [
    ({"kind": "forget"}, "kind"),
    ({"subject": {}}, "subject"),
    ({"subject": {"phone": f"+{ADA}", "email": MAIL}}, "subject"),
    ({"subject": {"phone": "0770"}}, "subject.phone"),
    ({"subject": {"email": "ann at home"}}, "subject.email"),
    ({"subject": {"user_id": "ann at"}}, "subject.user_id"),
    ({"subject": {"external_id": "C-1001"}}, "subject.external_id"),
    ({"subject": {"principal": "kim"}}, "subject.principal"),
    ({"subject": {"contact_id": "../x"}}, "subject.contact_id"),
    ({"subject": {"name": "Ada"}}, "subject.name"),
    ({"subject": {"phone": f"+{ADA}~"}}, "subject.phone"),  # of an earlier owner of the number
    ({"subject": {"principal": "kim"}}, "subject.principal"),
    ({"reason": "asked\nby mail"}, "reason"),
    ({"reason": ""}, "reason"),
    ({"reason": " \t"}, "reason"),
    ({"reason": "r" * 201}, "reason"),
    ({"reference": "of Ada's"}, "reference"),
    ({"dry_run": "perhaps"}, "dry_run"),
]


def test_bad_input_is_refused_with_field_and_rule_and_repeats_no_name(
    harness: Harness, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(people_on_moto(harness, inbox, monkeypatch))
    for changed, field in BAD:
        answer = desk.request(**changed)

        assert error_of(answer) == (400, "invalid_input"), changed
        named = [one["field"] for one in answer.body["error"]["details"]]
        assert any(one.startswith(field) for one in named), (named, field)
        assert not any(word in str(answer.body) for word in (*WORDS, "0770", "ann at", "[^"))
    for subject in ({"contact_id": UNKNOWN}, {"external_id": "shop:C-1001"}):
        assert error_of(desk.request(subject=subject)) == (404, "contact_not_found")
    assert desk.started == []
