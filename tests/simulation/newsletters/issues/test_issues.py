"""An issue reaches each reader once, and ends with everyone in the audience accounted for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.issues.delivery import dispatch
from newsletters.issues.delivery.dispatch import THROTTLED, Batch
from newsletters.issues.delivery.limits.allowance import Stop
from newsletters.store.readers import recipients
from newsletters.store.readers.recipients import MailEvent
from shared.aws.dynamodb import Table
from shared.contacts import lists
from shared.contacts.items import ContactList
from shared.events.issue_feedback import ISSUE, RECIPIENT, feedback_entry
from shared.identity.contacts import resolution
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from tests import keyring
from tests.simulation.newsletters.scenarios import EXPORTED, draft_edited, settled
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    ONE,
    READERS,
    READY,
    addressed,
    approved,
    changed,
    contacts_of,
    drafted,
    headers,
    issue_of,
    ledger,
    made_list,
    mails,
    notified,
    opened,
    opted,
    ordered,
    reader,
    reported,
    sent,
    stats,
    unsubscribe_url,
    with_readers,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System


def fail(system: System, times: int, **fault: Any) -> None:
    """The next calls of SES fail."""
    system.sandbox.faults.add(provider="ses", operation="SendEmail", times=times, **fault)


def next_issue(system: System, key: str = "second") -> None:
    """Another issue of the newsletter, sent."""
    settled(partial(drafted, key=key), partial(approved, key=key), changed("send", key=key))(system)


def plan(system: System) -> None:
    """One turn of the issue, which ends before its first mail."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "send_batch", lambda sending: Batch(sending.issue, Stop(THROTTLED)))
        ((queue, message),) = system.fifo_queues.receive()
        system.run_worker(queue, message)


def contact_id(address: str) -> str:
    with keyring.held(KEYS):
        return resolution.ids_of(COMPANY, identifier(IdentifierKind.EMAIL, address))[0]


def recipient_of(mail: dict[str, Any]) -> str:
    return next(str(tag["Value"]) for tag in mail["EmailTags"] if tag["Name"] == RECIPIENT)


@pytest.mark.long
def test_each_reader_gets_one_mail_with_one_click_links_and_all_are_counted(
    system: System,
) -> None:
    READY(system)

    sent(system)
    system.settle()

    assert addressed(system) == sorted(READERS)
    assert issue_of(system).state == "sent"
    assert stats(system) == {"audience": 3, "sent": 3}
    mail = mails(system)[0]
    unsubscribe = headers(mail)["List-Unsubscribe"].strip("<>")
    assert headers(mail)["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    body = mail["Content"]["Simple"]["Body"]
    assert unsubscribe in body["Html"]["Data"]
    assert unsubscribe in body["Text"]["Data"]
    assert "{{" not in body["Html"]["Data"] + body["Text"]["Data"]
    assert len({headers(one)["List-Unsubscribe"] for one in mails(system)}) == 3


def test_events_of_the_provider_count_once_in_any_order(system: System) -> None:
    READY(system)
    sent(system)
    system.settle()
    first, second, third = mails(system)

    for _ in range(2):
        reported(system, second, "Bounce", bounceType="Permanent", bounceSubType="General")
        reported(system, third, "Complaint", complaintFeedbackType="abuse")
        for mail in (first, second, third):
            reported(system, mail, "Delivery")
        system.settle()

    assert stats(system) == {
        "audience": 3, "sent": 3, "delivered": 3, "bounced": 1, "complained": 1,
    }  # fmt: skip
    assert {one.state for one in ledger(system)} == {"sent"}


@pytest.mark.long
def test_five_temporary_bounces_without_a_delivery_between_them_end_an_address(
    system: System,
) -> None:
    settled(EXPORTED, with_readers(READERS[0]))(system)

    def bounces(*numbers: int) -> None:
        for number in numbers:
            system.clock.ms += 1_000
            mail = {**mails(system)[0], "ses_id": f"mail-{number}"}
            for _ in range(2):  # delivered twice
                reported(system, mail, "Bounce", bounceType="Transient", bounceSubType="General")
                system.settle()

    settled(drafted, approved, sent)(system)
    bounces(1, 2, 3, 4)
    system.clock.ms += 1_000
    reported(system, mails(system)[0], "Delivery")
    system.settle()
    bounces(5, 6, 7, 8)
    next_issue(system)
    assert [one.state.value for one in ledger(system)] == ["sent"]
    bounces(9)
    next_issue(system, "third")
    assert [one.reason for one in ledger(system)] == ["unreachable"]


def test_a_link_scanner_changes_nothing_and_one_click_leaves_the_list_after_months(
    system: System,
) -> None:
    READY(system)
    sent(system)
    system.settle()
    first, second, _ = mails(system)
    urls = [unsubscribe_url(first), unsubscribe_url(second)]
    system.clock.ms += 300 * 24 * 3_600_000

    assert opened(system, urls[0]).status == 200
    assert "unsubscribed" not in stats(system)
    for _ in range(2):
        one_click = 'Content-Disposition: form-data; name="List-Unsubscribe"'
        assert opened(system, urls[0], "POST", one_click).status == 200
    assert opened(system, urls[1], "POST", "scope=all").status == 200
    forged = urls[0][:-1] + ("0" if urls[0][-1] != "0" else "1")

    assert opened(system, forged, "POST").status == 404
    assert stats(system)["unsubscribed"] == 2
    next_issue(system)
    reasons = {one.reason: one.state.value for one in ledger(system)}
    assert reasons == {"opted_out": "skipped", None: "sent"}
    assert stats(system) == {"audience": 3, "skipped": 2, "sent": 1}

    system.clock.ms += 1_000
    assert opened(system, urls[0], "POST", "scope=undo").status == 200
    next_issue(system, "third")
    assert stats(system) == {"audience": 3, "skipped": 1, "sent": 2}


def test_a_reader_leaves_by_the_link_of_a_list_that_was_removed(system: System) -> None:
    READY(system)
    sent(system)
    system.settle()
    first = mails(system)[0]
    contacts_of(system).delete(ContactList.key(COMPANY, made_list(system)))

    for method in ("GET", "POST", "POST"):
        assert opened(system, unsubscribe_url(first), method).status == 200
    assert stats(system)["unsubscribed"] == 1


def test_a_browser_shows_the_issue_without_a_link_of_a_reader(system: System) -> None:
    READY(system)
    sent(system)
    system.settle()
    text = mails(system)[0]["Content"]["Simple"]["Body"]["Text"]["Data"]
    url = text.rstrip().rpartition(" ")[2]

    page = opened(system, url)

    assert page.status == 200
    assert "News" in page.text or "<html" in page.text
    assert "/u/" not in page.text
    assert "{{" not in page.text


def test_consent_withdrawals_and_addresses_are_checked_right_before_the_wire(
    system: System,
) -> None:
    """Between the snapshot and the first mail readers opt out, leave the list, and are erased."""
    settled(EXPORTED, with_readers(*READERS, "dora@field.example"))(system)
    nameless = "eve@field.example"
    reader(system, made_list(system), nameless)  # has never opted in
    drafted(system)
    approved(system)
    sent(system)

    plan(system)
    assert len(ledger(system)) == 5
    opted(system, "ann@orchard.example", out=True)
    contacts, list_id = contacts_of(system), made_list(system)
    lists.forget(contacts, COMPANY, list_id, contact_id("bob@mill.example"))
    contacts.delete(Profile.key(COMPANY, contact_id("cleo@farm.example")))
    system.settle()

    assert addressed(system) == ["dora@field.example"]
    assert sorted(str(one.reason) for one in ledger(system)) == [
        "None", "contact_gone", "left_list", "no_consent", "opted_out",
    ]  # fmt: skip


def test_people_of_two_lists_and_contacts_of_one_address_get_one_mail(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    other = made_list(system, "Others")
    for address in (READERS[0], "dora@field.example"):
        reader(system, other, address)
    opted(system, "dora@field.example")
    drafted(system, list_ids=[made_list(system), other])
    settled(approved, sent)(system)

    assert addressed(system) == sorted([*READERS, "dora@field.example"])
    assert stats(system) == {"audience": 4, "sent": 4}


def test_a_lost_answer_is_unknown_until_an_event_shows_the_mail(system: System) -> None:
    READY(system)
    fail(system, 1, kind="lost_answer")
    sent(system)
    system.settle()

    assert stats(system) == {"audience": 3, "sent": 2, "unknown": 1}
    assert len(addressed(system)) == 3
    (unknown,) = [one for one in ledger(system) if one.state == "unknown"]
    (mail,) = [one for one in mails(system) if recipient_of(one) == unknown.recipient]
    reported(system, mail, "Delivery")
    system.settle()
    assert stats(system) == {"audience": 3, "sent": 3, "delivered": 1}


def test_throttled_mails_wait_and_are_sent_once(system: System) -> None:
    READY(system)
    fail(system, 2, kind="status", status=429)
    sent(system)
    system.settle()

    assert addressed(system) == sorted(READERS)
    assert stats(system) == {"audience": 3, "sent": 3}


def test_the_switch_of_all_mails_holds_an_issue(system: System) -> None:
    READY(system)
    system.switch(safe_mode="true")
    sent(system)
    for _ in range(3):
        system.pass_time()
        for queue, message in system.fifo_queues.receive():
            system.run_worker(queue, message)
    assert addressed(system) == []

    system.switch(safe_mode="false")
    system.settle()

    assert addressed(system) == sorted(READERS)


def test_a_pause_stops_within_a_batch_and_a_resume_goes_on_behind_it(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [f"reader{number}@orchard.example" for number in range(9)]
    settled(EXPORTED, with_readers(*many), drafted, approved)(system)
    monkeypatch.setattr(dispatch, "BATCH", 2)
    original = dispatch.send_batch
    at_pause: list[int] = []

    def send_batch(sending: dispatch.Sending) -> Batch:
        if len(addressed(system)) >= 3 and not at_pause:
            at_pause.append(len(addressed(system)))
            ordered("pause")(system)
        return original(sending)

    monkeypatch.setattr(dispatch, "send_batch", send_batch)
    sent(system)
    system.settle()

    assert issue_of(system).state == "paused"
    assert not system.open_work()
    assert at_pause[0] <= len(addressed(system)) <= at_pause[0] + 2
    ordered("resume")(system)
    system.settle()
    assert addressed(system) == sorted(many)
    assert stats(system) == {"audience": 9, "sent": 9}


def test_complaints_pause_an_issue_that_is_being_sent(system: System) -> None:
    READY(system)
    sent(system)
    plan(system)  # It is being sent, and waits.
    table = Table(system.dynamodb, system.table)
    for one in ledger(system)[:2]:
        event = MailEvent(at="2026-01-01T12:00:00.000Z", count="complained")
        assert recipients.note_event(table, system.issue_id, one, event)
    third = ledger(system)[2]
    tags = {ISSUE: system.issue_id, RECIPIENT: third.recipient}
    entry = feedback_entry("Complaint", "2026-01-01T12:00:00.000Z", "ses-1", tags, {})
    assert entry is not None
    system.fifo_queues.put(system.steps_queue, entry)
    system.drain()

    assert (issue_of(system).state, issue_of(system).pause_reason) == ("paused", "complaint_rate")
    assert notified(system) == [system.issue_id]
    assert [call for call in system.interceptor.calls if call.startswith("lambda.Invoke")]
    assert not system.open_work()


def test_only_an_approved_issue_of_an_own_domain_with_all_parts_is_sent(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system, sender="news@other.example")

    def codes() -> list[str]:
        found = system.read(f"{ONE}/checklist")["checks"]
        return [
            one["code"] for one in found if one["level"] == "blocks" and one["code"] != "claims"
        ]

    version = {"version": 1, "content_id": "-", "acknowledge_warnings": True}
    assert codes() == ["sender_not_owned"]
    status, answer = system.call("POST", f"{ONE}/send", {"version": 1})
    assert (status, answer["error"]["code"]) == (409, "wrong_state")
    status, answer = system.call("POST", f"{ONE}/approve", version)
    assert (status, answer["error"]["code"]) == (409, "checklist_failed")
    system.act("PATCH", ONE, {"version": 1, "sender": "news@shop.example"})
    draft_edited(system)
    assert codes() == ["not_exported"]
    contacts = contacts_of(system)
    for address in READERS:
        lists.forget(contacts, COMPANY, made_list(system), contact_id(address))
    assert codes() == ["no_recipient", "not_exported"]


def test_an_issue_whose_configuration_set_is_missing_pauses_before_any_reader_is_lost(
    system: System,
) -> None:
    READY(system)
    system.sandbox.faults.add(
        provider="ses", operation="SendEmail", times=1, kind="status", status=404
    )
    sent(system)
    system.drain()

    assert issue_of(system).pause_reason == "ses_NotFoundException"
    assert stats(system) == {"audience": 3}
    ordered("resume")(system)
    system.settle()
    assert stats(system) == {"audience": 3, "sent": 3}
