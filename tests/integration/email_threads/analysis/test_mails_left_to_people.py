"""Mails that the model may not read, or did not read."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from email_threads.store.items import Automation
from tests.integration.email_threads import desk
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    MAILBOX,
    MODEL,
    System,
    mail,
)
from tests.simulation.invocations import Invocation


def test_a_mail_is_left_to_people_if_the_mailbox_has_no_model(system: System) -> None:
    desk.set_up(system, ai=None)
    desk.receive(system, "a@x")

    found = desk.analysis(system)
    assert (found["state"], found["reason"]) == ("skipped", "no_model")
    assert (desk.asked(system), system.drafts()) == (0, [])


def test_a_mail_is_left_to_people_if_its_mailbox_was_disabled_meanwhile(system: System) -> None:
    system.switch(automation_enabled="false")
    desk.receive(system, "a@x")
    system.switch(automation_enabled="true")
    desk.set_up(system, enabled=False)

    desk.analyse_again(system)

    found = desk.analysis(system)
    assert (found["state"], found["reason"]) == ("skipped", "no_mailbox")
    assert desk.asked(system) == 0


def test_a_mail_is_left_to_people_while_models_are_switched_off(system: System) -> None:
    system.switch(automation_enabled="false")
    desk.receive(system, "a@x")

    found = desk.analysis(system)
    assert (found["state"], found["reason"]) == ("skipped", "automation_off")
    assert (desk.asked(system), system.drafts()) == (0, [])


def test_a_switch_that_is_turned_off_later_changes_no_analysis(system: System) -> None:
    desk.receive(system, "a@x")
    system.switch(automation_enabled="false")

    desk.analyse_again(system)

    assert desk.analysis(system)["state"] == "done"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"gdpr_consent": False}, "no_consent"),
        ({"automation": "none"}, "other_automation"),
        ({"automation": "conversations"}, "other_automation"),
    ],
)
def test_a_mail_is_left_to_people_if_the_thread_may_not_be_read(
    system: System, changed: dict[str, Any], reason: str
) -> None:
    system.switch(automation_enabled="false")
    desk.receive(system, "a@x")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}"
    assert system.call("PATCH", path, changed)[0] == 200
    system.switch(automation_enabled="true")

    assert system.call("POST", f"{path}/analysis", {})[0] == 202
    system.drain()

    found = desk.analysis(system)
    assert (found["state"], found["reason"]) == ("skipped", reason)
    assert desk.asked(system) == 0


@pytest.mark.parametrize("address", [MAILBOX, AUTOMATED])
def test_a_mail_to_a_mailbox_that_others_answer_is_not_analysed(
    system: System, address: str
) -> None:
    system.deliver(mail("a@x", to=address), name="a", address=address)
    system.drain()

    assert "ai_analysis" not in desk.thread(system)
    assert desk.asked(system) == 0


def _break_the_model(system: System, times: int) -> None:
    system.sandbox.faults.add(kind="status", provider="openai", status=503, times=times)


@pytest.fixture
def receives(system: System, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the worker has received each type of event."""
    counted: Counter[str] = Counter()
    handler: Any = system.workers[system.queue].__dict__["handler"]

    def count(event: dict[str, Any], context: Invocation) -> object:
        counted[json.loads(event["Records"][0]["body"])["type"]] += 1
        return handler(event, context)

    monkeypatch.setattr(system.worker, "handler", count)
    return counted


def test_a_model_that_is_down_is_asked_until_the_fourth_attempt(
    system: System, receives: Counter[str]
) -> None:
    _break_the_model(system, 1_000)
    desk.receive(system, "a@x")

    found = desk.analysis(system)
    assert found["state"] == "failed"
    assert "analysed_n" not in found
    assert receives["email.analyse"] == 4
    assert (system.drafts(), system.fifo_queues.dead_letters) == ([], [])


def test_a_model_that_is_up_again_answers_the_next_attempt(
    system: System, receives: Counter[str]
) -> None:
    _break_the_model(system, 1)
    desk.receive(system, "a@x")

    assert desk.analysis(system)["state"] == "done"
    assert receives["email.analyse"] <= 2
    assert desk.states(system) == [("pending", None)]


def test_a_person_lets_the_model_read_a_mail_that_it_did_not_read(system: System) -> None:
    _break_the_model(system, 1_000)
    desk.receive(system, "a@x")
    system.sandbox.faults.clear()

    path = f"/email-threads/{desk.thread(system)['conversation_id']}/analysis"
    assert system.call("POST", path, {})[0] == 202
    system.drain()

    found = desk.analysis(system)
    assert (found["state"], found["analysed_n"]) == ("done", 1)
    assert "reason" not in found
    assert desk.states(system) == [("pending", None)]


def test_an_answer_outside_the_schema_is_asked_for_once_more(system: System) -> None:
    desk.answers(system, "Sorry.")
    desk.receive(system, "a@x")

    assert desk.analysis(system)["state"] == "done"
    assert desk.asked(system) == 2


def test_two_answers_outside_the_schema_leave_the_mail_to_people(
    system: System, receives: Counter[str]
) -> None:
    desk.answers(system, "Sorry.", json.dumps({"reply": "Sorry."}))
    desk.receive(system, "a@x")

    found = desk.analysis(system)
    assert (found["state"], found["reason"]) == ("failed", "answer_invalid")
    assert (desk.asked(system), receives["email.analyse"]) == (2, 1)
    assert system.drafts() == []


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"dmarc": "fail"}, "held"),
        ({"more": "List-Id: <news.orchard.example>"}, "list"),
        ({"more": "Auto-Submitted: auto-replied"}, "auto_reply"),
    ],
)
def test_a_mail_that_no_person_wrote_is_never_analysed(
    system: System, message: dict[str, str], kind: str
) -> None:
    desk.receive(system, "a@x", **message)

    assert system.mails()[0]["kind"] == kind
    assert "ai_analysis" not in desk.thread(system)
    assert (desk.asked(system), system.drafts()) == (0, [])


def test_a_held_mail_is_not_shown_to_the_model_later(system: System) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "b@x", "FORGED", in_reply_to="a@x", dmarc="fail", sender=ANN)
    desk.receive(system, "c@x", "Any news?", in_reply_to="a@x")

    (newest,) = [one for one in system.sandbox.sent if one.provider == "openai"][1:]
    assert "Any news?" in json.dumps(newest.body)
    assert "FORGED" not in json.dumps(newest.body)


def test_a_mailbox_whose_settings_this_version_refuses_leaves_the_mail_to_people(
    system: System,
) -> None:
    desk.set_up(system, ai={**MODEL, "temperature": 9})
    desk.receive(system, "a@x")

    found = desk.analysis(system)
    assert (found["state"], found["reason"]) == ("failed", "model_settings_invalid")


def test_a_mail_without_a_usable_key_leaves_the_mail_to_people(system: System) -> None:
    desk.set_up(system, ai={**MODEL, "api_key_reference": "parley/local/companies/acme/none"})
    desk.receive(system, "a@x")

    assert desk.analysis(system)["state"] == "failed"
    assert system.fifo_queues.dead_letters == []


def test_a_thread_of_another_automation_is_not_answered_after_the_mailbox_changed(
    system: System,
) -> None:
    system.register(ASSISTED, automation=Automation.NONE)
    desk.receive(system, "a@x")
    desk.set_up(system)
    desk.receive(system, "b@x", "Well?", in_reply_to="a@x")

    assert desk.thread(system)["automation"] == "none"
    assert desk.asked(system) == 0
