"""The model's draft of an answer closes when the customer writes again, also over crashes and races."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.email_threads import desk
from tests.simulation.email_threads.system import ASSISTED, System, mail
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from collections.abc import Callable


def _kill(
    system: System, operation: str, asked: int, then: Callable[[System], object] = lambda _: None
) -> list[str]:
    """
    Kill the worker once before such a call, when the model was asked so often and has answered; *then* follows.

    The returned list has the call.
    """
    killed: list[str] = []

    def observe(name: str, parameters: dict[str, Any]) -> None:
        key = parameters.get("Key") or parameters.get("Item")
        if not isinstance(key, dict):
            return
        if "conversation_id" not in key:
            return  # of another table
        item = str(key["conversation_id"]).partition("#")[2]
        named = f"{name} {item or 'head'}"
        if named.startswith(operation) and desk.asked(system) == asked and not killed:
            killed.append(named)
            system.interceptor.observer = lambda *_: None
            system.interceptor.die_at = (len(system.interceptor.calls) + 1, When.BEFORE)
            then(system)

    system.interceptor.observer = observe
    return killed


@pytest.mark.parametrize("operation", ["dynamodb.PutItem draft#", "dynamodb.UpdateItem head"])
def test_an_analysis_that_died_after_the_answer_was_kept_uses_it_again(
    system: System, operation: str
) -> None:
    killed = _kill(system, operation, asked=1)
    desk.receive(system, "a@x")

    assert killed
    assert desk.asked(system) == 1
    assert desk.states(system) == [("pending", None)]
    assert desk.analysis(system)["state"] == "done"


def test_a_second_mail_supersedes_the_draft_of_the_model(system: System) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "b@x", "And two tables.", in_reply_to="a@x")

    assert desk.states(system) == [("superseded", "newer_mail"), ("pending", None)]
    (newest,) = (one for one in system.drafts() if one["draft_status"] == "pending")
    assert desk.thread(system)["open_drafts"] == {newest["reply_id"]}


def test_a_second_mail_supersedes_the_draft_even_if_a_person_must_answer_it(
    system: System,
) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "b@x", "I will call my lawyer.", in_reply_to="a@x")

    assert desk.states(system) == [("superseded", "newer_mail")]
    assert "open_drafts" not in desk.thread(system)


def test_a_second_mail_supersedes_the_draft_even_if_the_model_is_off(system: System) -> None:
    desk.receive(system, "a@x")
    desk.set_up(system, ai=None)
    desk.receive(system, "b@x", "And two tables.", in_reply_to="a@x")

    assert desk.states(system) == [("superseded", "newer_mail")]


def test_a_second_mail_keeps_the_draft_of_a_person(system: System) -> None:
    desk.receive(system, "a@x", "I will call my lawyer.")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}/replies"
    assert system.call("POST", path, {"body_text": "Let us talk."})[0] == 201

    desk.receive(system, "b@x", "Well?", in_reply_to="a@x")

    found = {one["origin"]: one["draft_status"] for one in system.drafts()}
    assert found == {"key-1": "pending", "ai": "pending"}


def test_a_draft_that_a_person_approves_meanwhile_stays_listed(system: System) -> None:
    desk.receive(system, "a@x")
    (draft,) = system.drafts()
    approved: list[int] = []

    def approves(name: str, parameters: dict[str, Any]) -> None:
        key = parameters.get("Key")
        is_draft = isinstance(key, dict) and "#draft#" in str(key.get("conversation_id"))
        if name == "dynamodb.UpdateItem" and is_draft and not approved:
            system.interceptor.observer = lambda *_: None
            path = f"/email-threads/{draft['conversation_id'].replace('#draft#', '/replies/')}"
            given = {"version": 1, "confirm_stale": True}
            approved.append(system.call("POST", f"{path}/approve", given)[0])

    system.interceptor.observer = approves
    system.sandbox.faults.add(kind="status", provider="ses", status=400)
    desk.receive(system, "b@x", "And two tables.", in_reply_to="a@x")

    assert approved == [202]
    assert [status for status, _ in desk.states(system)] == ["failed", "pending"]
    assert len(desk.thread(system)["open_drafts"]) == 2


def test_a_mail_that_arrives_during_the_analysis_leaves_no_draft_of_the_earlier_one(
    system: System,
) -> None:
    desk.receive(system, "a@x", "I will call my lawyer.")
    arrived: list[str] = []

    def arrives(name: str, _: dict[str, Any]) -> None:
        # The answer to the second mail is being kept: the third one is stored meanwhile.
        if name == "dynamodb.UpdateItem" and desk.asked(system) == 2 and not arrived:
            arrived.append(name)
            system.interceptor.observer = lambda *_: None
            system.deliver(
                mail("c@x", "And a lamp.", to=ASSISTED, in_reply_to="a@x"),
                name="c@x",
                address=ASSISTED,
            )
            desk.store_waiting(system)

    system.interceptor.observer = arrives
    desk.receive(system, "b@x", "And two tables.", in_reply_to="a@x")

    assert arrived
    assert desk.states(system) == [("superseded", "newer_mail"), ("pending", None)]
    (newest,) = (one for one in system.drafts() if one["draft_status"] == "pending")
    assert newest["in_reply_to_n"] == 3


def test_a_draft_of_an_attempt_that_died_is_closed_if_the_customer_writes_again(
    system: System,
) -> None:
    desk.receive(system, "a@x", "I will call my lawyer.")
    killed = _kill(
        system,
        "dynamodb.UpdateItem head",  # the head, after the draft
        asked=2,
        then=lambda system: system.deliver(
            mail("c@x", "And a lamp.", to=ASSISTED, in_reply_to="a@x"),
            name="c@x",
            address=ASSISTED,
        ),
    )
    desk.receive(system, "b@x", "And two tables.", in_reply_to="a@x")

    assert killed
    assert desk.states(system) == [("superseded", "newer_mail"), ("pending", None)]
