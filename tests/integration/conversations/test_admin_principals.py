"""Every change is stored with its actor: the agent that the call names, and the API key that made the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.status import Status
from conversations.store import unhandled
from conversations.store.items.identifiers import EXTERNAL
from conversations.store.items.log import Delivery
from tests.integration.conversations import test_admin_desk as desk
from tests.integration.conversations.agency import (
    ANN,
    CAROL,
    COMPANY,
    DAN,
    OURS,
    SMS,
    Agency,
    Answer,
)
from tests.integration.conversations.deciding import proposed, waiting
from tests.integration.conversations.test_admin_resolve import in_doubt
from tests.simulation.conversations.invocations import CAROL as CALLER

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.world import World

FORCE = {"force": True}


def last(agency: Agency, ref: str) -> tuple[str, str | None, str | None]:
    """Actor, API key and reason of the newest change."""
    change = agency.changes(ref)[-1]
    return change.who, change.principal, change.reason


def test_every_change_of_a_conversation_names_the_agent_and_the_key(agency: Agency) -> None:
    ref = agency.begin()

    for what, reason in (
        ("take-over", "taken_over"),
        ("hand-back", "handed_back"),
        ("close", "closed_by_person"),
        ("reopen", "reopened"),
    ):
        agency.later()
        assert agency.on(ref, what, CAROL).status == 200
        assert last(agency, ref) == ("human:carol", OURS.principal, reason)
    assert agency.look(ref)["changes"][0]["principal"] == OURS.principal


def test_a_take_over_from_a_colleague_is_in_the_history_although_the_status_does_not_change(
    agency: Agency,
) -> None:
    ref = agency.begin()
    agency.on(ref, "take-over", CAROL)
    agency.later()

    for _ in range(2):
        assert agency.on(ref, "take-over", DAN | FORCE, key="once-only").status == 200

    assert [change.who for change in agency.changes(ref)] == ["human:carol", "human:dan"]
    assert last(agency, ref) == ("human:dan", OURS.principal, "taken_over")


def test_a_status_change_finished_after_a_crash_keeps_its_api_key(
    agency: Agency, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conversations.lifecycle import transitions  # noqa: PLC0415 - the fixture reloads the handler's module
    from conversations.lifecycle.conversation import load  # noqa: PLC0415 - as above

    ref = agency.begin()
    with monkeypatch.context() as patch:
        patch.setattr(transitions, "change_status", None)
        assert agency.on(ref, "take-over", CAROL).status == 500

    transitions.finish_move(agency.resources, load(agency.resources, ref))

    assert last(agency, ref) == ("human:carol", OURS.principal, "taken_over")


def test_records_for_workers_and_resolved_or_attached_messages_name_the_key(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(agency, ref)

    agency.on(ref, "messages", {"text": "Hello", **CAROL})
    (record,) = agency.queued(SMS)
    assert (record["agent_id"], record["principal"]) == ("carol", OURS.principal)

    agency.on(ref, "resolve", {"entry_id": message.entry_id, "outcome": "not_sent", **CAROL})
    known = agency.message(ref, message)
    assert (known.resolved_by, known.resolved_principal) == ("human:carol", OURS.principal)

    desk.came(agency)
    (shown,) = desk.waiting(agency)
    body = {"ref": ref, **CAROL}
    line = "POST /unmatched/{unmatched_id}/attach"
    assert agency.call(line, body, names={"unmatched_id": shown["id"]}).status == 202
    (one,), _ = unhandled.unmatched(agency.resources.log, COMPANY, 1, None)
    assert (one.attached_by, one.attached_principal) == ("human:carol", OURS.principal)


def test_a_consent_names_its_recorder(agency: Agency) -> None:
    consent = {"recipient": ANN, "channels": ["sms"], "evidence": "call", **CAROL}

    for line in ("POST /opt-outs", "POST /opt-ins"):
        agency.later()
        agency.call(line, consent)
        on_record = agency.module.deps.consents.standing(COMPANY, [ANN], "sms").newest
        assert on_record is not None
        assert (on_record.recorded_by, on_record.principal) == ("human:carol", OURS.principal)


def test_an_agents_message_and_an_agents_release_name_the_key(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, "You have it.")
    eve = {"agent_id": "eve"}
    world.office("POST /conversations/{ref}/release", eve, ref=ref)
    world.work_off()
    proposal = waiting(world, ref)["proposal"]
    assert (proposal["decided_by"], proposal["decided_principal"]) == (
        "human:eve",
        CALLER.principal,
    )

    world.office("POST /conversations/{ref}/messages", {"text": "It is me, Eve.", **eve}, ref=ref)
    world.work_off()
    written = next(row for row in world.log(ref) if row["author"] == "human:eve")
    assert written["principal"] == CALLER.principal


# Agent ids


@pytest.mark.parametrize(
    "agent_id",
    ["api-key:0123456789012345", "API-Key:1", "human:carol", "parley", "Provider", "customer",
     "customer:1", "ai", "system", EXTERNAL.partition(":")[2]],
)  # fmt: skip
def test_an_agent_id_that_looks_like_a_principal_or_the_system_is_refused(
    agency: Agency, agent_id: str
) -> None:
    ref = agency.begin()

    answer = agency.on(ref, "take-over", {"agent_id": agent_id})

    assert answer.status == 400
    (detail,) = answer.body["error"]["details"]
    assert detail["field"] == "agent_id"
    assert "reserved name" in detail["problem"]
    assert agency.changes(ref) == []


@pytest.mark.parametrize("agent_id", ["carol", "carol@cucumber.example", "customer-care", "team:7"])
def test_other_agent_ids_are_accepted(agency: Agency, agent_id: str) -> None:
    assert agency.on(agency.begin(), "take-over", {"agent_id": agent_id}).status == 200


# Conversations that another agent owns


def attach(agency: Agency, ref: str, body: dict[str, Any]) -> Answer:
    if not desk.waiting(agency):
        desk.came(agency)
    (shown,) = desk.waiting(agency)
    line = "POST /unmatched/{unmatched_id}/attach"
    return agency.call(line, {"ref": ref, **body}, names={"unmatched_id": shown["id"]})


@pytest.mark.parametrize(
    "what",
    ["take-over", "messages", "hand-back", "release", "resolve", "close", "reopen", "attach"],
)
def test_an_action_in_a_colleagues_conversation_requires_force(agency: Agency, what: str) -> None:
    ref = agency.begin()
    message = in_doubt(agency, ref)
    draft = agency.says(ref, "Draft", author="ai", delivery_status=Delivery.DISCARDED)
    agency.on(ref, "take-over", CAROL)
    before = agency.rows()
    body: dict[str, Any] = DAN | {
        "messages": {"text": "Hello"},
        "release": {"draft_entry_id": draft.entry_id},
        "resolve": {"entry_id": message.entry_id, "outcome": "sent"},
    }.get(what, {})

    def act(body: dict[str, Any]) -> Answer:
        return attach(agency, ref, body) if what == "attach" else agency.on(ref, what, body)

    refused = act(body)

    assert (refused.status, refused.error) == (409, "already_taken")
    assert agency.standing(ref) == ("handoff_active", "human", "carol")
    if what != "attach":  # The message to be attached has arrived meanwhile.
        assert agency.rows() == before
    assert act(body | FORCE).status in {200, 202}


@pytest.mark.parametrize("what", ["messages", "hand-back", "close"])
def test_an_owner_needs_no_force(agency: Agency, what: str) -> None:
    ref = agency.begin()
    agency.on(ref, "take-over", CAROL)
    body = CAROL | ({"text": "Hello"} if what == "messages" else {})

    assert agency.on(ref, what, body).status in {200, 202}


def test_a_consent_has_no_force_parameter(agency: Agency) -> None:
    consent = {"recipient": ANN, "channels": ["sms"], "evidence": "call", **FORCE}

    assert agency.call("POST /opt-outs", consent).status == 400
