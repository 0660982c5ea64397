"""People sign up by a public form, confirm by mail, and only then are readers of a list."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from newsletters.issues import links
from newsletters.issues.links import CONFIRM, LEAVE, PREFERENCES, Link
from shared.identity.contacts import details
from shared.policy.consent.items import ALL_CHANNELS
from shared.policy.consent.subscriptions import NEWSLETTERS
from tests import keyring
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    addressed,
    approved,
    contacts_of,
    drafted,
    ledger,
    mails,
    opened,
    opted,
    reader,
    reported,
    sent,
    stats,
)
from tests.simulation.newsletters.steps.readers import (
    DORA,
    MINUTES_20,
    confirmed,
    is_member,
    joined,
    link_in,
    person,
    published,
    rows_of_readers,
    signed_up,
    visited,
)
from tests.simulation.newsletters.steps.signups import states
from tests.simulation.newsletters.system import COMPANY
from tests.simulation.person_calls import ask_part, asked_for

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

DAY: Final = 24 * 3_600_000
ERIN: Final = "erin@field.example"


@pytest.mark.long
def test_a_person_who_confirms_is_a_reader_of_the_next_issue(system: System) -> None:
    EXPORTED(system)
    list_id = published(system)

    assert signed_up(system, list_id).status == 202
    system.settle()
    assert addressed(system) == [DORA]
    assert not is_member(system, list_id)
    assert confirmed(system, mails(system)[0]).status == 200
    system.settle()

    assert is_member(system, list_id)
    own = person(system)
    assert own is not None
    stored = details.described(contacts_of(system), own)
    assert stored.details is not None
    assert (stored.details.given_names, stored.details.language) == ("Dora", "en")
    assert [one.value for one in stored.identifiers] == [DORA]
    settled(drafted, approved, sent)(system)
    assert addressed(system) == [DORA, DORA]
    assert stats(system) == {"audience": 1, "sent": 1}


def test_the_answer_of_the_form_is_the_same_for_every_address_and_for_programs(
    system: System,
) -> None:
    list_id = published(system)
    reader(system, list_id, "ann@orchard.example")
    opted(system, "ann@orchard.example")
    opted(system, "bob@mill.example", out=True)
    for address in (DORA, "ann@orchard.example", "bob@mill.example"):
        signed_up(system, list_id, address)
    system.settle()

    answers = [
        signed_up(system, list_id, address)
        for address in (DORA, "ann@orchard.example", "bob@mill.example", "new@field.example")
    ]
    answers.append(signed_up(system, list_id, ERIN, fields={"website": "https://spam.example"}))

    assert {one.status for one in answers} == {202}
    assert len({one.text for one in answers}) == 1
    system.settle()
    assert ERIN not in addressed(system)
    assert not [row for row in rows_of_readers(system, "SIGNUP") if row["email"] == ERIN]


def test_an_address_gets_a_mail_in_15_minutes_and_three_a_day_over_all_lists(
    system: System,
) -> None:
    first, second = published(system), published(system, "Others", title="Others")
    for _ in range(2):
        signed_up(system, first)
        signed_up(system, second)
    system.settle()
    assert addressed(system) == [DORA]

    for number in range(6):
        system.clock.ms += MINUTES_20
        signed_up(system, second if number % 2 else first)
        system.settle()
    assert addressed(system) == [DORA] * 3
    system.clock.ms += DAY
    signed_up(system, second)
    system.settle()
    assert addressed(system) == [DORA] * 4


def test_one_network_address_signs_up_twenty_people_an_hour(system: System) -> None:
    list_id = published(system)
    statuses = [signed_up(system, list_id, f"r{n}@field.example").status for n in range(21)]

    assert statuses == [202] * 20 + [429]
    assert signed_up(system, list_id, DORA, ip="198.51.100.9").status == 202
    stored = json.dumps(system.rows(), default=str)
    assert "203.0.113.7" not in stored
    assert "Browser/1.0" not in stored


def test_only_the_button_of_the_mails_page_confirms_and_only_once(system: System) -> None:
    list_id = published(system)
    signed_up(system, list_id)
    system.settle()
    path = link_in(mails(system)[0], "confirm")

    for _ in range(3):
        assert visited(system, path).status == 200
    system.settle()
    assert not is_member(system, list_id)
    assert rows_of_readers(system, "INTEREST") == []
    assert [visited(system, path, {"act": "save"}).status for _ in range(3)] == [200] * 3
    system.settle()
    assert visited(system, path, {}).status == 200
    assert is_member(system, list_id)
    (row,) = rows_of_readers(system, "SIGNUP")
    assert [one["since"] for one in rows_of_readers(system, "INTEREST")] == [row["confirmed_at"]]
    forged = path[:-1] + ("0" if path[-1] != "0" else "1")
    assert visited(system, forged, {}).status == 404


def test_a_link_has_one_purpose_and_an_end(system: System) -> None:
    list_id = published(system)
    signed_up(system, list_id)
    system.settle()
    path = link_in(mails(system)[0], "confirm")
    recipient = rows_of_readers(system, "SIGNUP")[0]["recipient"]
    with keyring.held(KEYS):
        made = Link(
            purpose=LEAVE,
            company_id=COMPANY,
            issue_id="IS-20260101-AAAAAAAA",
            list_id=list_id,
            recipient=recipient,
        )
        leave = links.token_of(made)
        endless = links.token_of(Link(purpose=CONFIRM, company_id=COMPANY, issue_id="-"))
        other = links.token_of(
            links.ending(Link(purpose=PREFERENCES, company_id=COMPANY, issue_id="-"))
        )

    for wrong in (leave, endless, other):
        assert visited(system, f"/n/confirm/{wrong}", {}).status == 404
    token = path.rpartition("/")[2]
    assert visited(system, f"/n/preferences/{token}").status == 404
    for page in ("u", "n"):
        assert opened(system, f"https://x.example/{page}/{token}", "POST").status == 404
    system.clock.ms += 7 * DAY + 1_000
    assert visited(system, path, {}).status == 410
    system.settle()
    assert not is_member(system, list_id)


def test_a_confirmation_lifts_opt_outs_for_its_list_alone(system: System) -> None:
    EXPORTED(system)
    list_id, other = published(system), published(system, "Others", title="Others")
    reader(system, other, DORA)
    opted(system, DORA, NEWSLETTERS, out=True)
    opted(system, DORA, ALL_CHANNELS, out=True)
    system.clock.ms += 1_000
    signed_up(system, list_id)
    system.settle()
    assert addressed(system) == [DORA]  # the mail itself is asked for
    confirmed(system, mails(system)[0])
    system.settle()

    settled(lambda s: drafted(s, list_ids=[other]), approved, sent)(system)
    assert [one.reason for one in ledger(system)] == ["opted_out"]
    drafted(system, key="own")
    approved(system, "own")
    settled(sent)(system)
    assert addressed(system) == [DORA, DORA]


def test_a_reader_who_left_after_the_confirmation_stays_out(system: System) -> None:
    EXPORTED(system)
    list_id = published(system)
    signed_up(system, list_id)
    system.settle()
    confirmed(system, mails(system)[0])
    system.clock.ms += 1_000
    opted(system, DORA, f"list:{list_id}", out=True)  # before the worker has run
    system.settle()

    settled(drafted, approved, sent)(system)
    assert [one.reason for one in ledger(system)] == ["opted_out"]


def test_what_the_provider_says_of_a_signups_mail_counts_for_the_address(system: System) -> None:
    list_id = published(system)
    signed_up(system, list_id)
    signed_up(system, list_id, ERIN)
    system.settle()
    by_address = {one["Destination"]["ToAddresses"][0]: one for one in mails(system)}
    reported(system, by_address[DORA], "Bounce", bounceType="Permanent", bounceSubType="General")
    reported(system, by_address[ERIN], "Complaint", complaintFeedbackType="abuse")
    system.settle()

    system.clock.ms += MINUTES_20
    for address in (DORA, ERIN):
        assert signed_up(system, list_id, address).status == 202
    system.settle()
    assert addressed(system) == sorted([DORA, ERIN, ERIN])  # a person may take a complaint back
    reasons = {row["email"]: row.get("reason") for row in rows_of_readers(system, "SIGNUP")}
    assert reasons == {DORA: "unreachable", ERIN: None}
    assert not system.parked()


def test_the_evidence_of_consent_has_what_the_page_said(system: System) -> None:
    list_id = published(system, keeps_ip=True)
    joined(system, list_id)
    found = sorted(rows_of_readers(system, "CONSENT"), key=lambda row: "ttl" not in row)

    assert [row["action"] for row in found] == ["requested", "confirmed"]
    assert all("Farm News" in row["wording"] and "The Shop" in row["wording"] for row in found)
    assert [row["ip"] for row in found] == ["203.0.113.7"] * 2
    assert all(row["user_agent_hash"] for row in found)
    assert ["ttl" in row for row in found] == [True, False]


def test_an_erasure_removes_all_that_is_stored_of_a_reader_and_an_export_shows_it(
    system: System,
) -> None:
    list_id = published(system, keeps_ip=True)
    joined(system, list_id)
    system.clock.ms += MINUTES_20
    signed_up(system, list_id)
    system.settle()
    late = link_in(mails(system)[-1], "confirm")

    assert finished_job(system, "export")["counts"]["reader_records"] == 6
    exported = b"".join(system.objects().values()).decode()
    assert DORA in exported
    assert "203.0.113.7" in exported
    finished_job(system, "erase")
    mine = rows_of_readers(system, "")
    assert [row for row in mine if DORA in str(row) or "203.0.113.7" in str(row)] == []
    assert {row["SK"] for row in mine} == {"QUOTA"}
    assert visited(system, late, {}).status == 410


def finished_job(system: System, kind: str) -> Any:
    """A request about the person, with its work done; returns the job."""

    def ask(call: str, **fields: Any) -> Any:
        return ask_part(system.api.handler, system.invocation("NewslettersApi"), call, **fields)

    (subject,) = ask("subjects", kind=kind, company=COMPANY, names=[["email", DORA]])
    ask("since", asked=asked_for(kind, COMPANY), subject=subject["name"], queues=True)
    system.settle()
    return ask("stored", job_id=subject["job_id"])


def test_the_switch_of_all_mails_holds_the_mail_and_a_lost_message_is_sent_again(
    system: System,
) -> None:
    list_id = published(system)
    system.switch(safe_mode="true")
    signed_up(system, list_id)
    for queue, message in system.fifo_queues.receive():
        system.run_worker(queue, message)
    assert states(system) == ["requested"]
    system.switch(safe_mode="false")
    for one in system.fifo_queues.queues.values():
        one.messages.clear()
    system.settle()

    assert addressed(system) == [DORA]
    assert states(system) == ["mailed"]
    assert not system.open_work()


@pytest.mark.parametrize(
    ("kind", "expected"), [("lost_answer", ["unknown"]), ("status", ["mailed"])]
)
def test_a_mail_without_an_answer_is_not_sent_again_and_a_throttled_one_is(
    system: System, kind: str, expected: list[str]
) -> None:
    list_id = published(system)
    more: dict[str, Any] = {"status": 429} if kind == "status" else {}
    system.sandbox.faults.add(provider="ses", operation="SendEmail", times=1, kind=kind, **more)
    signed_up(system, list_id)
    system.settle()

    assert states(system) == expected
    assert addressed(system) == [DORA]
    assert confirmed(system, mails(system)[0]).status == 200
    system.settle()
    assert is_member(system, list_id)


def test_a_contact_that_the_company_has_keeps_its_details_and_joins(system: System) -> None:
    list_id, other = published(system), published(system, "Others", title="Others")
    reader(system, other, DORA)
    own = person(system)
    assert own is not None
    joined(system, list_id)

    again = person(system)
    assert again is not None
    assert again.contact_id == own.contact_id
    assert again.value == DORA
    assert again.named_by == "test"
    assert is_member(system, list_id)
    assert is_member(system, other)
