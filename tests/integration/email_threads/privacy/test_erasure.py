"""Erasing a person who is alone in their threads: nothing of theirs is left, and nothing comes back."""

from __future__ import annotations

import json

import pytest

from email_threads.privacy.sources import shared_threads, whole_threads
from email_threads.store.lists import thread_lists
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.people import (
    CANARY,
    ZOE,
    alone,
    arrive,
    finished,
    parked,
    requested,
    run_once,
    shown,
    thread_of,
    together,
    traces,
)
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail


def test_a_thread_with_one_person_is_removed_with_everything_of_it(system: System) -> None:
    alone(system)
    arrive(system, mail("bob@x", "of Bob", sender=BOB))
    thread = thread_of(system, ANN)
    assert traces(system, ANN, CANARY)

    job = finished(system, "erase", ANN)

    assert traces(system, ANN, CANARY) == []
    assert [key for key in system.rows() if key.startswith(thread)] == []
    assert [key for key in system.objects() if thread in key] == []
    assert job["counts"] == job["receipts"][0]["counts"]
    assert job["counts"] == {
        "mail": 3, "raw_mail": 3, "file": 5, "note": 1, "change": 1, "participant": 1, "thread": 1,
    }  # fmt: skip
    assert [one["participant"] for one in system.threads()] == [BOB]


def test_the_ids_of_erased_mails_become_tombstones_for_ninety_days(system: System) -> None:
    alone(system)
    ids = {one["email_id"] for one in system.mails()}

    finished(system, "erase", ANN)

    stones = [row for key, row in system.rows().items() if key.startswith("mid#")]
    assert {one["email_id"] for one in stones} == ids
    assert {one["kind"] for one in stones} == {"erased"}
    assert all("n" not in one for one in stones)


def test_a_redelivery_after_the_erasure_stores_nothing_and_is_acknowledged(system: System) -> None:
    alone(system)
    again = verified(with_files()).replace(b"Chairs", CANARY.encode())
    finished(system, "erase", ANN)
    before = system.rows(), system.objects()

    arrive(system, again, mail("b@shop", CANARY, sender=MAILBOX, to=ANN, in_reply_to="files@x"))

    assert (system.rows(), system.objects()) == before
    assert not system.fifo_queues.dead_letters


def test_another_mail_with_the_id_of_an_erased_one_is_parked_and_not_lost(system: System) -> None:
    alone(system)
    finished(system, "erase", ANN)

    arrive(system, mail("c@x", "Another text.", sender=BOB))

    assert [one["reason"] for one in system.parked()] == ["message_id_reused"]


def test_a_later_mail_that_names_an_erased_one_begins_a_thread_of_its_own(system: System) -> None:
    alone(system)
    thread = thread_of(system, ANN)
    finished(system, "erase", ANN)

    arrive(system, mail("d@x", "new", in_reply_to="c@x", references="files@x b@shop c@x"))

    (head,) = system.threads()
    assert head["conversation_id"] != thread
    assert head["email_count"] == 1
    assert not head["metadata"]["client_info"].keys() & {"related", "continues"}


def test_a_mail_of_the_person_that_arrives_after_the_request_begins_a_new_thread(
    system: System,
) -> None:
    alone(system)
    thread = thread_of(system, ANN)
    job = requested(system, "erase", ANN)
    run_once(system)

    arrive(system, mail("d@x", "new", in_reply_to="c@x"))

    assert shown(system, job["id"])["state"] == "done"
    (head,) = system.threads()
    assert head["conversation_id"] != thread
    assert [one["body"] for one in system.mails()] == ["new"]
    assert traces(system, CANARY) == []
    (row,) = [row for key, row in system.rows().items() if "#participant#" in key]
    assert ANN in row["company_status"]


def test_a_mail_that_reaches_a_thread_before_the_job_keeps_it_open(system: System) -> None:
    alone(system)
    thread = thread_of(system, ANN)
    held = system.clock.ms
    job = requested(system, "erase", ANN)
    system.clock.ms = held + 1_000
    system.deliver(mail("d@x", "new", in_reply_to="c@x"), name="d", address=MAILBOX)
    waiting = system.fifo_queues.queues[system.queue]
    events, waiting.messages = list(waiting.messages), []
    system.drain()
    waiting.messages += events
    system.drain()

    assert shown(system, job["id"])["state"] == "done"
    (head,) = system.threads()
    assert (head["conversation_id"], head["participant"]) == (thread, ANN)
    assert [one.get("body") for one in system.mails()] == [None, None, None, "new"]
    assert not [key for key in traces(system, CANARY) if "#note#" not in key and key != thread]


def test_a_merged_thread_is_erased_with_the_one_that_it_became_part_of(system: System) -> None:
    arrive(
        system,
        mail("a@x", CANARY, subject="a"),
        verified(with_files("b@x")),
        mail("c@x", CANARY, references="a@x b@x"),
    )
    assert len([one for one in system.threads() if "merged_into" in one]) == 1

    job = finished(system, "erase", ANN)

    assert system.threads() == []
    assert traces(system, ANN, CANARY, "Chairs") == []
    assert not [key for key in system.objects() if not key.startswith("exports/")]
    assert (job["counts"]["thread"], job["counts"]["mail"]) == (2, 3)


def test_parked_mails_of_the_person_are_deleted_with_their_events(system: System) -> None:
    parked(system)
    assert len(system.parked()) == 3

    job = finished(system, "erase", ANN)

    (left,) = system.parked()
    assert [key for key in system.objects() if key.startswith("raw/")] == [
        json.loads(left["body"])["key"]
    ]
    assert traces(system, ANN, CANARY) == []
    assert job["counts"] == {"parked_event": 2, "parked_mail": 1}


def test_an_erasure_leaves_the_threads_of_another_company(system: System) -> None:
    system.grant("@globex.example", "globex")
    system.register("info@globex.example", company="globex")
    alone(system)
    arrive(
        system, mail("g@x", "of Globex", to="info@globex.example"), address="info@globex.example"
    )

    finished(system, "erase", ANN)

    assert [one["company_id"] for one in system.threads()] == ["globex"]
    assert [one["body"] for one in system.mails()] == ["of Globex"]


def test_many_threads_and_mails_are_erased_page_by_page(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in (
        (thread_lists, "ROWS"),
        (whole_threads, "MAILS_A_PAGE"),
        (whole_threads, "OBJECTS_A_PAGE"),
        (shared_threads, "MAILS_A_PAGE"),
        (shared_threads, "MAILS_AT_ONCE"),
    ):
        monkeypatch.setattr(module, name, 2)
    alone(system)
    together(system)
    for number in range(5):
        arrive(system, mail(f"m{number}@x", CANARY, sender=ZOE, subject=f"s{number}"))

    finished(system, "erase", ANN)
    job = finished(system, "erase", ZOE)

    assert traces(system, ANN, ZOE, CANARY) == []
    assert job["counts"]["mail"] == 10
    assert len(system.threads()) == 1


def test_an_expired_thread_is_erased_too(system: System) -> None:
    alone(system)
    system.clock.ms += 31 * 86_400_000

    finished(system, "erase", ANN)

    assert traces(system, ANN, CANARY) == []
    assert not [key for key in system.rows() if "#mail#" in key]


def test_a_held_mail_in_the_name_of_the_person_is_removed_though_nobody_takes_part_in_its_thread(
    system: System,
) -> None:
    arrive(
        system,
        mail("a@x", CANARY, dmarc="fail"),
        mail("b@x", "of Bob", sender=BOB, dmarc="fail"),
        mail("c@x", "of Bob", sender=BOB),
    )
    assert not [key for key in system.rows() if "#participant#" in key and ANN in key]

    job = finished(system, "erase", ANN)

    assert traces(system, ANN, CANARY) == []
    assert [one["body"] for one in system.mails()] == ["of Bob", "of Bob"]
    assert job["counts"] == {"mail": 1, "raw_mail": 1, "thread": 1}
