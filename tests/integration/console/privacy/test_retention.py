"""People without a message for the days that their company has set leave a context, by requests with receipts."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from console.privacy import person, retention
from console.store import person_requests
from console.store import retention as stored_days
from shared.identity.contacts import merges
from shared.identity.contacts.history import Act
from shared.inbox.items import Context
from shared.privacy.parts import Named, NameKind
from shared.privacy.settings import PrivacySettings
from shared.runtime import clock
from tests.integration.console.people import (
    BEN,
    CANARY,
    COMPANY,
    GIVEN,
    People,
)
from tests.integration.console.privacy.requests import KIM, LEE, PROGRAM, Desk, killed_at
from tests.integration.console.system import inbox_call

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from tests.integration.answers import Answer

DAY_MS = 86_400_000


@pytest.fixture
def desk(people: People) -> Desk:
    return Desk(people)


def put(desk: Desk, by: Caller = KIM, /, **body: Any) -> Answer:
    headers = {"Idempotency-Key": str(uuid4())}
    return desk._call(inbox_call("PUT", "/privacy/retention", by, {}, body, headers))


def shown(desk: Desk, by: Caller = KIM) -> dict[str, Any]:
    found: dict[str, Any] = desk.people.inbox.get(by, "/privacy/retention").result
    return found


def requests_of(people: People) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = people.inbox.get(KIM, "/privacy/requests").result["requests"]
    return found


def contexts_of(people: People) -> list[str]:
    """The contexts of the conversations in the inbox; the retention of mailboxes has ended the threads before."""
    return sorted(key.split("#")[1] for key in people.inbox.entries() if key.startswith("ENTRY#"))


def pass_days(people: People, days: int) -> None:
    people.now[0] += days * DAY_MS


def test_days_are_set_by_context_absent_ones_stay_and_what_was_read_is_sent_back(
    desk: Desk,
) -> None:
    first = shown(desk)
    assert (first["version"], first["requested"]) == (0, 0)
    assert not {"whatsapp", "conversations", "email_threads"} & first.keys()
    assert first["set_elsewhere"].keys() >= {"newsletters", "richpanel", "audit_log"}

    assert put(desk, version=0, whatsapp=400, email_threads=90).result["whatsapp"] == 400
    changed = put(desk, version=1, whatsapp=365).result
    assert (changed["whatsapp"], changed["email_threads"]) == (365, 90)
    read: dict[str, Any] = shown(desk)
    again = put(desk, KIM, **read).result
    assert (again["whatsapp"], again["email_threads"]) == (365, 90)
    assert again["version"] == 2, "nothing has changed"
    kept = put(desk, version=2, email_threads=None).result
    assert "email_threads" not in kept
    assert (kept["whatsapp"], kept["changed_by"]) == (365, "user:kim")

    refused = put(desk, version=2, whatsapp=40)
    assert (refused.status, refused.body["error"]["code"]) == (409, "version_conflict")
    for field, value in (("whatsapp", 29), ("conversations", 3_651), ("richpanel", 90)):
        bad = put(desk, version=3, **{field: value})
        assert (bad.status, bad.body["error"]["details"][0]["field"]) == (400, field)


def test_a_dry_run_counts_who_would_leave_and_changes_nothing(
    desk: Desk, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    pass_days(people, 40)
    people.write("wamid.3", BEN, "not idle", "Ben")
    people.show()

    counted = put(desk, version=0, whatsapp=30, conversations=30, dry_run=True).result

    idle = {"whatsapp": 1, "conversations": 1}  # Ada
    assert {name: one["people"] for name, one in counted["found"].items()} == idle
    assert not any(one["is_cut"] for one in counted["found"].values())
    assert shown(desk)["version"] == 0
    assert requests_of(people) == []
    monkeypatch.setattr(retention, "MOST_READ", 1)
    assert put(desk, version=0, whatsapp=30, dry_run=True).result["found"]["whatsapp"]["is_cut"]


def test_idle_people_leave_the_context_and_stay_in_the_others(desk: Desk, people: People) -> None:
    pass_days(people, 40)
    people.write("wamid.3", BEN, "not idle", "Ben")
    people.show()
    put(desk, version=0, whatsapp=30)

    desk.wake()
    people.show()

    (one,) = requests_of(people)
    assert (one["stage"], one["requested_by"], one["contexts"]) == (
        "done",
        "invoke:retention",
        ["whatsapp"],
    )
    assert one["reason"] == "retention: 30 days without a message"
    assert [receipt["context"] for receipt in one["receipts"]] == ["whatsapp"]
    assert contexts_of(people) == ["conversations", "whatsapp"]
    assert person.of_names(people.deps.sources, COMPANY, GIVEN)[1]  # the contact
    assert any("conversation" in place for place in people.left(CANARY))
    assert shown(desk)["requested"] == 1
    audit = people.left("invoke:retention")
    assert any(place.startswith("audit") for place in audit), audit

    pass_days(people, 1)
    desk.wake()
    assert len(requests_of(people)) == 1


def test_a_person_with_a_newer_conversation_of_a_merged_contact_stays(
    desk: Desk, people: People
) -> None:
    contacts = people.deps.tables.contacts
    bens = person.of_names(people.deps.sources, COMPANY, [Named(NameKind.PHONE, f"+{BEN}")])[1]
    adas = person.of_names(people.deps.sources, COMPANY, GIVEN)[1]
    merges.merge(contacts, COMPANY, adas[-1], bens[-1], Act("a request", "user:kim"))
    pass_days(people, 40)
    people.write("wamid.3", BEN, "not idle", "Ben")
    people.show()
    put(desk, version=0, whatsapp=30)

    desk.wake()

    assert requests_of(people) == []


def test_few_requests_are_made_in_a_run_and_the_next_one_goes_on(
    desk: Desk, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MOST_READ", 1)
    pass_days(people, 40)
    put(desk, version=0, conversations=30, whatsapp=30)

    made = []
    for _ in range(8):
        desk.wake()
        made.append(len(requests_of(people)))

    assert made[0] <= 2
    assert made[-1] == 3
    assert shown(desk)["requested"] == 3
    assert shown(desk)["looked_at"] > clock.to_text(0)


@pytest.mark.long
@pytest.mark.parametrize("after", [False, True])
def test_a_run_that_is_killed_at_any_call_makes_each_request_once(
    desk: Desk, people: People, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    pass_days(people, 40)
    put(desk, version=0, whatsapp=30, conversations=30)
    deaths, call = 0, 1
    while True:
        with killed_at(call, after=after, desk=desk, patch=monkeypatch) as killed:
            desk.module.handler({"time": clock.to_text(clock.now_ms())}, desk.invocation)
        if not killed:
            break
        deaths += 1
        call += 1
    desk.wake()
    people.show()

    assert deaths > 10
    assert len(requests_of(people)) == shown(desk)["requested"] == 3
    assert {one["stage"] for one in requests_of(people)} == {"done"}
    assert contexts_of(people) == []
    assert list(person_requests.due(people.deps.tables.contacts)) == []


def test_with_four_eyes_another_administrator_sets_the_same_shorter_days(
    desk: Desk, people: People
) -> None:
    contacts = people.deps.tables.contacts
    settings = PrivacySettings(
        **PrivacySettings.key_of(COMPANY), company_id=COMPANY, four_eyes=True
    )
    contacts.put(settings.attributes())

    assert put(desk, PROGRAM, version=0, whatsapp=60).status == HTTPStatus.FORBIDDEN
    proposed = put(desk, version=0, whatsapp=60).result
    assert (proposed["proposed"], "whatsapp" in proposed) == ({"whatsapp": 60}, False)
    assert "whatsapp" not in put(desk, version=1, whatsapp=60).result  # the same person
    assert "whatsapp" not in put(desk, LEE, version=2, whatsapp=50).result  # other days
    confirmed = put(desk, version=3, whatsapp=50).result
    assert (confirmed["whatsapp"], "proposed" in confirmed) == (50, False)
    assert (
        put(desk, version=4, whatsapp=None).result["version"] == 5
    )  # keeping more needs no second
    assert stored_days.of_company(contacts, COMPANY).days == {}


def test_contexts_are_those_of_the_inbox() -> None:
    assert set(retention.CONTEXTS) == set(Context)
