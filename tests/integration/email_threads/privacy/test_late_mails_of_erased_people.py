"""Mails from before an erasure that are processed after it, and parked mails that no company was proven for."""

from __future__ import annotations

import pytest

from email_threads.privacy import jobs
from email_threads.threading import tombstones
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import body_of
from shared.privacy import tombstones as stored_tombstones
from tests import template
from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import SENT
from tests.simulation.email_threads.people import CANARY, arrive
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail

UNKNOWN = "x@unknown.example"
TIMEOUT_MS = template.properties("EmailThreadsWorker")["Timeout"] * 1_000


def held_back(system: System, raw: bytes) -> list[object]:
    """A mail is stored and queued; its event waits elsewhere, as a dead letter does."""
    system.clock.ms += 1_000
    system.deliver(raw, name="late", address=MAILBOX)
    for queue, message in system.fifo_queues.receive():
        system.run_worker(queue, message)
    waiting = system.fifo_queues.queues[system.queue]
    events, waiting.messages = list(waiting.messages), []
    return list(events)


def redriven(system: System, events: list[object]) -> None:
    system.fifo_queues.queues[system.queue].messages += events  # type: ignore[arg-type] # of the same queue
    system.drain()


def test_a_mail_from_before_an_erasure_that_is_redriven_stores_nothing(system: System) -> None:
    events = held_back(system, mail("a@x", CANARY))
    people.finished(system, "erase", ANN)

    redriven(system, events)

    assert people.traces(system, ANN, CANARY) == []
    assert system.threads() == []


def test_a_late_mail_from_after_an_erasure_is_stored(system: System) -> None:
    people.finished(system, "erase", ANN)
    events = held_back(system, mail("a@x", CANARY))
    system.clock.ms += 86_400_000

    redriven(system, events)

    assert [one["body"] for one in system.mails()] == [CANARY]


def test_a_late_mail_of_another_person_or_company_is_stored(system: System) -> None:
    system.grant("@globex.example", company="globex")
    system.register("info@globex.example", company="globex")
    events = held_back(system, mail("b@x", "of Bob", sender=BOB))
    system.deliver(mail("g@x", to="info@globex.example"), name="g", address="info@globex.example")
    people.finished(system, "erase", ANN)

    redriven(system, events)

    assert sorted(one["company_id"] for one in system.threads()) == ["acme", "globex"]


def test_a_late_announcement_of_a_mail_to_an_erased_person_stores_nothing(system: System) -> None:
    people.finished(system, "erase", SENT.customer_address or "")

    system.fifo_queues.put(system.queue, Entry(body_of(SENT), digest("o"), digest("o")))
    system.drain()

    assert system.threads() == []


def test_a_mail_that_is_processed_at_once_costs_no_read_of_a_tombstone(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("read")

    monkeypatch.setattr(stored_tombstones, "newest", refuse)

    arrive(system, mail("a@x"))

    assert len(system.mails()) == 1


def test_an_erasure_waits_for_every_mail_that_is_not_late() -> None:
    assert tombstones.LATE_MS + TIMEOUT_MS < jobs.SETTLES_MS


@pytest.mark.parametrize(("owner", "left"), [(None, 0), ("acme", 0), ("globex", 1)])
def test_a_parked_mail_of_no_company_is_erased_unless_its_mailbox_is_another_companys_today(
    system: System, owner: str | None, left: int
) -> None:
    arrive(system, mail("a@x", CANARY), address=UNKNOWN)
    if owner is not None:
        system.register(UNKNOWN, company=owner)

    job = people.finished(system, "erase", ANN)

    assert len(system.parked()) == left
    assert len([key for key in system.objects() if key.startswith("raw/")]) == left
    assert job["counts"] == ({} if left else {"parked_event": 1, "parked_mail": 1})


def test_a_parked_mail_of_a_whole_domain_is_erased_by_its_recipients(system: System) -> None:
    arrive(system, mail("a@x", CANARY, to=UNKNOWN), address="_")
    (event,) = system.parked()
    assert "company_id" not in event

    people.finished(system, "erase", ANN)

    assert system.parked() == []


def test_a_parked_event_about_several_recipients_is_erased_for_one_of_them(system: System) -> None:
    two = {"bouncedRecipients": [{"emailAddress": BOB}, {"emailAddress": ANN}]}
    system.report("Unheard", part=two, source=UNKNOWN, messageId="ses-1", tags={})
    system.report("Bounce", part=two, source=UNKNOWN, messageId="ses-1", tags={})
    system.drain()
    assert {BOB in one["body"] for one in system.parked()} == {True, False}

    people.finished(system, "erase", ANN)

    assert people.traces(system, ANN) == []
    assert [BOB in one["body"] for one in system.parked() if '"Bounce"' in one["body"]] == [True]
