"""How many answers without a person a thread and a sender get."""

from __future__ import annotations

import pytest

from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from tests.integration.email_threads import desk
from tests.integration.email_threads.sends.automatic_answers import HOUR_MS, sends_safe_answers
from tests.simulation.email_threads.system import ANN, BOB, COMPANY, System

__all__ = ["sends_safe_answers"]  # fixtures


def _write(system: System, count: int, *, every_ms: int = 60_000) -> None:
    """The customer writes so many mails to one thread."""
    for number in range(1, count + 1):
        system.clock.ms += every_ms
        desk.receive(system, f"{number}@x", in_reply_to="1@x" if number > 1 else "")


def test_the_fourth_answer_within_an_hour_waits(system: System) -> None:
    _write(system, 4)

    assert len(system.sent()) == 3
    assert desk.states(system) == [*[("sent", None)] * 3, ("pending", "answer_cap")]


def test_a_thread_whose_limit_is_reached_is_left_to_people(system: System) -> None:
    _write(system, 4)

    assert desk.thread(system)["reply_mode"] == "manual"
    assert desk.changes(system) == [("auto", "reply_mode", "manual: answer_cap")]


def test_a_thread_that_was_left_to_people_stays_with_them(system: System) -> None:
    _write(system, 4)
    system.clock.ms += 2 * HOUR_MS
    desk.receive(system, "5@x", in_reply_to="1@x")

    assert len(system.sent()) == 3
    assert desk.states(system)[-1] == ("pending", None)
    assert len(desk.changes(system)) == 1


@pytest.mark.long
def test_answers_that_are_further_apart_reach_the_limit_of_a_day(system: System) -> None:
    _write(system, 11, every_ms=HOUR_MS)

    assert len(system.sent()) == 10
    assert desk.states(system)[-1] == ("pending", "answer_cap")


def test_two_programs_that_answer_each_other_exchange_three_answers(system: System) -> None:
    desk.receive(system, "0@x")
    answered = 0
    while len(system.sent()) > answered:
        answered = len(system.sent())
        newest = system.mails()[-1]
        # The other program marks nothing: it answers at once, and quotes nothing.
        desk.receive(
            system,
            f"{answered}@x",
            "Thank you for your mail. We will order soon.",
            subject=newest["subject"],
            in_reply_to=newest["message_id"],
        )

    assert answered == 3
    assert desk.thread(system)["reply_mode"] == "manual"
    assert desk.thread(system)["email_count"] == 7


@pytest.mark.long
def test_two_programs_that_begin_a_thread_with_each_answer_stop_at_the_limit_of_the_sender(
    system: System,
) -> None:
    # More analyses than answers, so that the limit of answers is reached first.
    table = system.worker.resources.spending.table
    usage.set_percents(table, COMPANY, {Kind.MAIL_ANALYSIS: 1_000}, by="a person")
    desk.receive(system, "0@x", subject="0")
    answered = 0
    while len(system.sent()) > answered:
        answered = len(system.sent())
        desk.receive(system, f"{answered}@x", subject=str(answered))
    desk.receive(system, "bob@x", sender=BOB)

    recipients = [one["Destination"]["ToAddresses"][0] for one in system.sent()]
    assert recipients == [*[ANN] * 20, BOB]
    assert [one for one in desk.states(system) if one[0] != "sent"] == [("pending", "answer_cap")]
