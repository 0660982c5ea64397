"""Every change is stored with its actor: the person or the API key that made the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.status import Status
from conversations.store.items.identifiers import EXTERNAL
from conversations.store.items.log import Delivery
from conversations.store.recovery import unhandled
from tests.integration.conversations.admin.agents import test_unmatched as unmatched
from tests.integration.conversations.admin.agents.test_resolve import in_doubt
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.functions.approvals import pending_function, propose_booking
from tests.integration.conversations.harness import ANN, CAROL, COMPANY, DAN, OURS, SMS, Harness
from tests.simulation.conversations.invocations import PERSON

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

FORCE = {"force": True}


def last(harness: Harness, ref: str) -> tuple[str, str | None, str | None]:
    """Actor, principal and reason of the newest change."""
    change = harness.changes(ref)[-1]
    return change.who, change.principal, change.reason


def test_every_change_of_a_conversation_names_the_person(harness: Harness) -> None:
    ref = harness.begin()

    for what, reason in (
        ("take-over", "taken_over"),
        ("hand-back", "handed_back"),
        ("close", "closed_by_person"),
        ("reopen", "reopened"),
    ):
        harness.later()
        assert harness.on(ref, what, CAROL).status == 200
        assert last(harness, ref) == ("human:carol", "carol", reason)
    assert harness.look(ref)["changes"][0]["principal"] == "carol"


def test_a_take_over_from_a_colleague_is_in_the_history_although_the_status_does_not_change(
    harness: Harness,
) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    harness.later()

    for _ in range(2):
        assert harness.on(ref, "take-over", DAN | FORCE, key="once-only").status == 200

    assert [change.who for change in harness.changes(ref)] == ["human:carol", "human:dan"]
    assert last(harness, ref) == ("human:dan", "dan", "taken_over")


def test_a_status_change_finished_after_a_crash_keeps_its_actor(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conversations.lifecycle import transitions  # noqa: PLC0415 - the fixture reloads the handler's module
    from conversations.lifecycle.conversation import load  # noqa: PLC0415 - as above

    ref = harness.begin()
    with monkeypatch.context() as patch:
        patch.setattr(transitions, "change_status", None)
        assert harness.on(ref, "take-over", CAROL).status == 500

    transitions.finish_move(harness.resources, load(harness.resources, ref))

    assert last(harness, ref) == ("human:carol", "carol", "taken_over")


def test_records_for_workers_and_resolved_or_attached_messages_name_the_person(
    harness: Harness,
) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(harness, ref)

    harness.on(ref, "messages", {"text": "Hello", **CAROL})
    (record,) = harness.queued(SMS)
    assert (record["agent_id"], record["principal"]) == ("carol", "carol")

    harness.on(ref, "resolve", {"entry_id": message.entry_id, "outcome": "not_sent", **CAROL})
    known = harness.message(ref, message)
    assert (known.resolved_by, known.resolved_principal) == ("human:carol", "carol")

    unmatched.came(harness)
    (shown,) = unmatched.waiting(harness)
    body = {"ref": ref, **CAROL}
    line = "POST /unmatched/{unmatched_id}/attach"
    assert harness.call(line, body, names={"unmatched_id": shown["id"]}).status == 202
    (one,), _ = unhandled.unmatched(harness.resources.log, COMPANY, 1, None)
    assert (one.attached_by, one.attached_principal) == ("human:carol", "carol")


def test_a_consent_names_its_recorder(harness: Harness) -> None:
    consent = {"recipient": ANN, "channels": ["sms"], "evidence": "call", **CAROL}

    for line in ("POST /opt-outs", "POST /opt-ins"):
        harness.later()
        harness.call(line, consent)
        on_record = harness.module.deps.consents.standing(COMPANY, [ANN], "sms").newest
        assert on_record is not None
        assert (on_record.recorded_by, on_record.principal) == ("human:carol", "carol")


@pytest.mark.long
def test_an_agents_message_and_an_agents_release_name_the_person(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, "You have it.")
    eve = {PERSON: "eve"}
    system.call_admin_api("POST /conversations/{ref}/release", eve, ref=ref)
    system.drain()
    proposal = pending_function(system, ref)["proposal"]
    assert (proposal["decided_by"], proposal["decided_principal"]) == (
        "human:eve",
        "eve",
    )

    system.call_admin_api(
        "POST /conversations/{ref}/messages", {"text": "It is me, Eve.", **eve}, ref=ref
    )
    system.drain()
    written = next(row for row in system.log(ref) if row["author"] == "human:eve")
    assert written["principal"] == "eve"


# A call without a person, and conversations that are given to another agent


def test_an_api_key_acts_as_itself(harness: Harness) -> None:
    ref = harness.begin()

    harness.on(ref, "take-over")

    assert harness.standing(ref) == ("handoff_active", "human", OURS.principal)
    assert last(harness, ref) == (f"human:{OURS.principal}", OURS.principal, "taken_over")


def test_a_conversation_is_given_to_an_agent_who_then_needs_no_force(harness: Harness) -> None:
    ref = harness.begin()

    given = harness.on(ref, "take-over", DAN | {"assignee": "carol"})

    assert given.result["owner"] == "carol"
    assert last(harness, ref) == ("human:dan", "dan", "taken_over")
    assert harness.on(ref, "messages", DAN | {"text": "Hello"}).error == "already_taken"
    assert harness.on(ref, "messages", CAROL | {"text": "Hello"}).status == 202


def test_a_conversation_is_taken_from_the_agent_whom_the_call_names_and_from_no_other(
    harness: Harness,
) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", DAN | {"assignee": "carol"})
    from_carol = {"assignee": "dan", "held_by": "carol"}

    assert (
        harness.on(ref, "take-over", DAN | from_carol, key="back-to-dan-1").result["owner"] == "dan"
    )
    assert harness.on(ref, "take-over", DAN | from_carol).result["owner"] == "dan"  # as it is
    for holder in ("erin", "team:shop"):
        harness.on(ref, "take-over", DAN | {"assignee": holder, "force": True})
        refused = harness.on(ref, "take-over", DAN | from_carol)
        assert (refused.status, refused.error) == (409, "state_conflict")
        assert harness.state(ref).owner == holder
    harness.on(ref, "hand-back", DAN | {"force": True})
    assert harness.on(ref, "take-over", DAN | from_carol).error == "state_conflict"
    assert harness.state(ref).owner is None


def test_a_conversation_that_was_taken_from_a_team_is_given_back_to_the_team(
    harness: Harness,
) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", DAN | {"assignee": "team:shop"})
    before = harness.standing(ref)
    harness.on(ref, "take-over", DAN)
    mine = harness.standing(ref)[2]

    back = harness.on(ref, "take-over", DAN | {"assignee": "team:shop", "held_by": mine})

    assert mine != "team:shop"
    assert back.status == 200
    assert harness.standing(ref) == before


def test_giving_a_conversation_to_an_agent_is_finished_by_its_repetition(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conversations.lifecycle import transitions  # noqa: PLC0415 - the fixture reloads the handler's module

    ref, body = harness.begin(), DAN | {"assignee": "carol"}
    with monkeypatch.context() as patch:
        patch.setattr(transitions, "change_status", None)
        assert harness.on(ref, "take-over", body, key="give-carol-1").status == 500

    assert harness.on(ref, "take-over", body, key="give-carol-1").status == 200
    assert harness.standing(ref) == ("handoff_active", "human", "carol")


@pytest.mark.parametrize(
    "assignee",
    ["api-key:0123456789012345", "API-Key:1", "human:carol", "parley", "Provider", "customer",
     "customer:1", "ai", "system", EXTERNAL.partition(":")[2]],
)  # fmt: skip
def test_an_assignee_that_looks_like_a_key_or_the_system_is_refused(
    harness: Harness, assignee: str
) -> None:
    ref = harness.begin()

    answer = harness.on(ref, "take-over", {"assignee": assignee})

    assert answer.status == 400
    (detail,) = answer.body["error"]["details"]
    assert detail["field"] == "assignee"
    assert "reserved name" in detail["problem"]
    assert harness.changes(ref) == []


@pytest.mark.parametrize(
    "assignee",
    ["user:1df408e3-66a6-4733-8ed3-9ce9405d18bc", "user:auth0|5f7c8ec7c33c6c004bbafe82", "team:7"],
)
def test_a_person_and_other_names_are_accepted(harness: Harness, assignee: str) -> None:
    answer = harness.on(harness.begin(), "take-over", {"assignee": assignee})

    assert answer.result["owner"] == assignee


# Conversations that another agent owns


def attach(harness: Harness, ref: str, body: dict[str, Any]) -> Answer:
    if not unmatched.waiting(harness):
        unmatched.came(harness)
    (shown,) = unmatched.waiting(harness)
    line = "POST /unmatched/{unmatched_id}/attach"
    return harness.call(line, {"ref": ref, **body}, names={"unmatched_id": shown["id"]})


@pytest.mark.parametrize(
    "what",
    ["take-over", "messages", "hand-back", "release", "resolve", "close", "reopen", "attach"],
)
def test_an_action_in_a_colleagues_conversation_requires_force(harness: Harness, what: str) -> None:
    ref = harness.begin()
    message = in_doubt(harness, ref)
    draft = harness.says(ref, "Draft", author="ai", delivery_status=Delivery.DISCARDED)
    harness.on(ref, "take-over", CAROL)
    before = harness.rows()
    body: dict[str, Any] = DAN | {
        "messages": {"text": "Hello"},
        "release": {"draft_entry_id": draft.entry_id},
        "resolve": {"entry_id": message.entry_id, "outcome": "sent"},
    }.get(what, {})

    def act(body: dict[str, Any]) -> Answer:
        return attach(harness, ref, body) if what == "attach" else harness.on(ref, what, body)

    refused = act(body)

    assert (refused.status, refused.error) == (409, "already_taken")
    assert harness.standing(ref) == ("handoff_active", "human", "carol")
    if what != "attach":  # The message to be attached has arrived meanwhile.
        assert harness.rows() == before
    assert act(body | FORCE).status in {200, 202}


@pytest.mark.parametrize("what", ["messages", "hand-back", "close"])
def test_an_owner_needs_no_force(harness: Harness, what: str) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    body = CAROL | ({"text": "Hello"} if what == "messages" else {})

    assert harness.on(ref, what, body).status in {200, 202}


@pytest.mark.parametrize(
    "what", ["take-over", "messages", "hand-back", "release", "resolve", "close", "attach"]
)
def test_an_action_in_a_conversation_of_a_team_needs_no_force(harness: Harness, what: str) -> None:
    ref = harness.begin()
    message = in_doubt(harness, ref)
    draft = harness.says(ref, "Draft", author="ai", delivery_status=Delivery.DISCARDED)
    given = harness.on(ref, "take-over", CAROL | {"assignee": "team:sales"})
    assert given.result["owner"] == "team:sales"
    body: dict[str, Any] = DAN | {
        "messages": {"text": "Hello"},
        "release": {"draft_entry_id": draft.entry_id},
        "resolve": {"entry_id": message.entry_id, "outcome": "sent"},
    }.get(what, {})

    answer = attach(harness, ref, body) if what == "attach" else harness.on(ref, what, body)

    assert answer.status in {200, 202}


@pytest.mark.parametrize(("what", "body"), [("take-over", {}), ("messages", {"text": "Hello"})])
def test_someone_who_takes_over_or_writes_has_the_conversation_of_a_team(
    harness: Harness, what: str, body: dict[str, Any]
) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL | {"assignee": "team:sales"})

    harness.on(ref, what, DAN | body)

    assert harness.standing(ref) == ("handoff_active", "human", "dan")
    assert harness.on(ref, "messages", CAROL | {"text": "Hello"}).error == "already_taken"


def test_a_conversation_of_an_agent_is_given_to_a_team_only_by_them_or_with_force(
    harness: Harness,
) -> None:
    ref, to_team = harness.begin(), {"assignee": "team:sales"}
    harness.on(ref, "take-over", CAROL)

    assert harness.on(ref, "take-over", DAN | to_team).error == "already_taken"
    assert harness.on(ref, "take-over", DAN | to_team | FORCE).result["owner"] == "team:sales"
    harness.on(ref, "take-over", CAROL)
    assert harness.on(ref, "take-over", CAROL | to_team).result["owner"] == "team:sales"


def test_a_consent_has_no_force_parameter(harness: Harness) -> None:
    consent = {"recipient": ANN, "channels": ["sms"], "evidence": "call", **FORCE}

    assert harness.call("POST /opt-outs", consent).status == 400
