"""Rules of issues that no other test shows: who is not in the audience, and what is no bounce and no complaint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsletters.issues.delivery import settlement
from newsletters.store import issues
from newsletters.store.items import IssueStats, RecipientState
from newsletters.store.items.issues import SHARDS
from newsletters.store.readers import recipients
from newsletters.store.readers.recipients import MailEvent
from shared.aws.dynamodb import Table
from shared.contacts import lists
from shared.policy.consent import unreachable
from shared.policy.consent.subscriptions import EMAIL, subscription
from shared.runtime import clock
from tests import keyring
from tests.simulation.newsletters.issues.test_issues import contact_id, plan
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    ONE,
    READERS,
    READY,
    SENDER,
    addressed,
    approved,
    consents_of,
    contacts_of,
    drafted,
    granted,
    issue_of,
    ledger,
    made_list,
    mails,
    opted,
    reader,
    reported,
    sent,
    stats,
    with_readers,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System


def test_an_issue_fails_if_its_audience_is_empty_when_it_begins(system: System) -> None:
    READY(system)
    sent(system)
    contacts, list_id = contacts_of(system), made_list(system)
    for address in READERS:
        lists.forget(contacts, COMPANY, list_id, contact_id(address))
    system.settle()

    assert issue_of(system).state == "failed"
    assert (addressed(system), stats(system)) == ([], {})
    assert not system.open_work()


def test_a_mail_that_the_suppression_list_of_ses_has_kept_ends_the_address_and_is_no_bounce(
    system: System,
) -> None:
    READY(system)
    sent(system)
    system.settle()
    kept = {"bounceType": "Permanent", "bounceSubType": "OnAccountSuppressionList"}
    reported(system, mails(system)[0], "Bounce", **kept)
    system.settle()

    assert "bounced" not in stats(system)
    (address,) = mails(system)[0]["Destination"]["ToAddresses"]
    log = consents_of(system).table
    with keyring.held(KEYS):
        assert unreachable.of_address(log, COMPANY, address, EMAIL) is not None


def test_a_complaint_that_is_taken_back_as_no_spam_changes_nothing(system: System) -> None:
    READY(system)
    sent(system)
    system.settle()
    reported(system, mails(system)[0], "Complaint", complaintFeedbackType="not-spam")
    system.settle()

    assert "complained" not in stats(system)
    (address,) = mails(system)[0]["Destination"]["ToAddresses"]
    log = consents_of(system).table
    with keyring.held(KEYS):
        assert not subscription(log, COMPANY, address, made_list(system)).is_opted_out


@pytest.mark.parametrize("act", ["send", "schedule"])
def test_an_approved_issue_whose_sender_is_lost_is_neither_sent_nor_scheduled(
    system: System, act: str
) -> None:
    READY(system)
    granted(system, "globex")
    body = {"version": system.read(ONE)["version"]}
    time = {"local": "2026-06-01T09:00", "timezone": "Europe/Berlin"} if act == "schedule" else {}

    status, answer = system.call("POST", f"{ONE}/{act}", body | time, key=f"{act}-lost-sender")

    assert (status, answer["error"]["code"]) == (409, "checklist_failed")
    assert system.read(ONE)["state"] == "approved"
    assert SENDER in str(system.read(ONE))


def test_two_contacts_with_one_address_are_two_rows_and_one_mail(system: System) -> None:
    settled(EXPORTED, with_readers(READERS[0]))(system)
    other = reader(system, made_list(system), "dora@field.example")
    opted(system, "dora@field.example")
    shared = other.model_copy(update={"value": READERS[0]})
    contacts_of(system).put(shared.attributes())
    settled(drafted, approved, sent)(system)

    assert addressed(system) == [READERS[0]]
    assert sorted(str(one.reason) for one in ledger(system)) == ["None", "shared_address"]
    assert stats(system) == {"audience": 2, "sent": 1, "skipped": 1}


def test_of_two_workers_that_have_read_the_same_recipient_one_counts_the_event(
    system: System,
) -> None:
    READY(system)
    sent(system)
    system.settle()
    table = Table(system.dynamodb, system.table)
    read_by_both = ledger(system)[0]
    event = MailEvent(at=clock.to_text(system.clock.ms), count="delivered")

    noted = [recipients.note_event(table, system.issue_id, read_by_both, event) for _ in range(2)]

    assert noted == [True, False]
    assert stats(system)["delivered"] == 1


def test_a_reader_whose_address_has_changed_since_the_snapshot_gets_no_mail(
    system: System,
) -> None:
    settled(EXPORTED, with_readers(READERS[0]))(system)
    own = reader(system, made_list(system), READERS[0])
    settled(drafted, approved)(system)
    sent(system)
    plan(system)
    moved = own.model_copy(update={"value": "ann@elsewhere.example"})
    contacts_of(system).put(moved.attributes())
    system.settle()

    assert addressed(system) == []
    assert [one.reason for one in ledger(system)] == ["address_changed"]


def test_of_two_workers_that_have_read_the_same_recipient_one_makes_the_attempt(
    system: System,
) -> None:
    READY(system)
    sent(system)
    plan(system)
    table, deadline_ms = Table(system.dynamodb, system.table), system.clock.ms + 60_000
    read_by_both = ledger(system)[0]

    first = recipients.reserve(table, read_by_both, "first", deadline_ms)
    assert first is not None
    assert recipients.reserve(table, read_by_both, "second", deadline_ms) is None
    # The response of the first write was lost.
    assert recipients.reserve(table, read_by_both, "first", deadline_ms) == first
    assert recipients.settle(table, system.issue_id, first, RecipientState.SENT)
    assert recipients.reserve(table, read_by_both, "first", deadline_ms) is None
    assert not recipients.settle(table, system.issue_id, first, RecipientState.FAILED)
    assert stats(system) == {"audience": 3, "sent": 1}


def test_an_issue_is_not_sent_while_its_counters_leave_someone_out(system: System) -> None:
    READY(system)
    sent(system)
    plan(system)
    resources = system.worker.sending
    table = resources.store.table
    for one in ledger(system):
        assert recipients.skip(table, system.issue_id, one, "opted_out")
    counter = IssueStats.key_for(system.issue_id, ledger(system)[0].recipient)
    claimed = issues.claim(table, issue_of(system), "worker", system.clock.ms + 60_000)
    at_end = claimed.model_copy(update={"phase": "settlement", "shard": SHARDS})

    states = []
    for added in (1, -1):
        table.update(counter, add={"audience": added})
        states.append(settlement.settle_shard(resources, at_end).issue.state.value)

    assert states == ["sending", "sent"]
    assert issue_of(system).state == "sent"
