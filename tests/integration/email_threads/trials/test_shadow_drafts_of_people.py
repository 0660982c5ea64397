"""A draft in shadow is part of what is exported of the person whose mail it answers, and goes with an erasure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.integration.email_threads import desk
from tests.integration.email_threads.trials.mailbox_trials import LIVE, begin, pairs, read
from tests.simulation.email_threads.people import finished
from tests.simulation.email_threads.system import ANN, ASSISTED, BOB, COMPANY, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

TO_ANN, TO_BOB = "The tried answer to Ann.", "The tried answer to Bob."


def exported(system: System, address: str) -> list[dict[str, Any]]:
    """The lines of an export of a person."""
    job = finished(system, "export", address)
    name = f"exports/{COMPANY}/{job['id']}/{job['run']}/person.jsonl"
    return [json.loads(line) for line in system.objects()[name].splitlines()]


def drafts_in(lines: list[dict[str, Any]]) -> list[str]:
    """The drafts in shadow of exported mails."""
    mails = [one["item"] for one in lines if one["kind"] == "mail"]
    return [one["shadow"]["text"] for one in mails if "shadow" in one]


def written_by_both(system: System) -> str:
    """Ann begins a thread with Bob in copy, who answers; each mail has a draft in shadow. Return the trial."""
    trial_id = begin(system)
    desk.answers(system, LIVE, desk.answer(TO_ANN))
    desk.receive(system, "a@x", more=f"Cc: {BOB}")
    desk.answers(system, LIVE, desk.answer(TO_BOB))
    desk.receive(system, "b@x", sender=BOB, in_reply_to="a@x", more=f"Cc: {ANN}")
    assert len(system.threads()) == 1
    assert [one["shadow"]["text"] for one in system.mails()] == [TO_ANN, TO_BOB]
    return trial_id


def test_an_export_has_the_draft_in_shadow_of_the_persons_mail(system: System) -> None:
    begin(system)
    read(system)

    assert drafts_in(exported(system, ANN)) == ["The tried answer is ready."]


def test_an_export_of_another_person_has_no_draft_in_shadow_of_the_mail(system: System) -> None:
    begin(system)
    read(system)

    assert "tried answer" not in json.dumps(exported(system, BOB))


def test_an_export_of_a_person_in_copy_has_their_own_draft_in_shadow_alone(
    system: System,
) -> None:
    written_by_both(system)

    assert drafts_in(exported(system, BOB)) == [TO_BOB]


def test_an_erasure_removes_the_drafts_in_shadow_of_the_persons_mails_and_keeps_those_of_others(
    system: System,
) -> None:
    trial_id = written_by_both(system)

    finished(system, "erase", ANN)

    assert TO_ANN not in json.dumps(system.rows(), default=str)
    kept = [one["shadow"]["text"] for one in system.mails() if "shadow" in one]
    assert kept == [TO_BOB]
    assert [one["text"] for one in pairs(system, trial_id)] == [TO_BOB]


def test_a_draft_in_shadow_of_an_erased_mail_is_not_stored(system: System) -> None:
    """The erasure comes between the live draft and the one in shadow."""
    begin(system)
    desk.answers(system, LIVE, desk.answer(TO_ANN))
    system.deliver(mail("a@x", desk.ORDER, to=ASSISTED), name="a@x", address=ASSISTED)
    system.drain(is_over=lambda: bool(system.drafts()))

    finished(system, "erase", ANN)

    assert TO_ANN not in json.dumps(system.rows(), default=str)
    assert system.mails() == []
