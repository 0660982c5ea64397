"""Agents take over a conversation and write in it; each change names its agent and is made once."""

from __future__ import annotations

import pytest

from conversations.api.agents import agent_actions
from conversations.lifecycle import transitions
from conversations.lifecycle.status import Status
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from events.conversations import sample_data
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import CAROL, DAN, OURS, SMS, Harness
from tests.simulation.conversations.invocations import PERSON

OPEN = [
    "processing",
    "deferred",
    "blocked",
    "initial_message_sent",
    "reply_sent",
    "handoff_pending",
    "failed",
]


# Take over


@pytest.mark.parametrize("status", OPEN)
def test_any_open_conversation_is_taken_over(harness: Harness, status: str) -> None:
    ref = harness.begin(status=Status(status))

    answer = harness.on(ref, "take-over", CAROL)

    assert answer.result == {
        "ref": ref,
        "conversation_status": "handoff_active",
        "mode": "human",
        "owner": "carol",
    }
    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")
    (change,) = harness.changes(ref)
    assert (change.who, change.from_status, change.to_status) == (
        "human:carol",
        status,
        "handoff_active",
    )


@pytest.mark.parametrize("status", ["closed", "opted_out"])
@pytest.mark.parametrize("what", ["take-over", "messages", "hand-back"])
def test_an_ended_conversation_cannot_be_taken_over_or_written_in(
    harness: Harness, status: str, what: str
) -> None:
    ref = harness.begin(status=Status(status))
    bodies = {"take-over": CAROL, "messages": {"text": "Hello"}, "hand-back": {}}

    answer = harness.on(ref, what, bodies[what])

    assert (answer.status, answer.error) == (409, "not_open")
    assert harness.standing(ref) == (status, Mode.CLOSED, None)
    assert harness.sqs.put == []


def test_a_second_agent_gets_a_conflict_unless_the_call_has_force(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    fence = harness.state(ref).generation

    refused = harness.on(ref, "take-over", DAN)

    assert (refused.status, refused.error) == (409, "already_taken")
    assert "carol" not in refused.body["error"]["message"]
    assert harness.state(ref).generation == fence
    assert harness.on(ref, "take-over", DAN | {"force": True}).result["owner"] == "dan"
    assert harness.state(ref).generation == fence + 1


def test_an_owner_may_repeat_the_take_over_and_nothing_changes(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    fence = harness.state(ref).generation

    assert harness.on(ref, "take-over", CAROL).status == 200
    assert harness.state(ref).generation == fence
    assert len(harness.changes(ref)) == 1


def test_any_agent_may_take_over_a_conversation_that_waits_for_one(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)

    assert harness.on(ref, "take-over", CAROL).status == 200
    # Only a hand-back clears the flag.
    assert harness.item(ref).hand_off_to_human is True


def test_a_take_over_interrupted_after_the_fence_is_finished_by_its_repetition(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = harness.begin()

    def dies(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(agent_actions, "move", dies)
    assert harness.on(ref, "take-over", CAROL, key="take-over-1").status == 500
    assert harness.standing(ref) == ("reply_sent", Mode.HUMAN, "carol")
    monkeypatch.setattr(agent_actions, "move", transitions.move)

    assert harness.on(ref, "take-over", CAROL, key="take-over-1").status == 200
    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_an_opt_out_between_the_two_writes_of_a_take_over_wins(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = harness.begin()

    def opted_out_first(resources: object, opened: object, *rest: object) -> object:
        monkeypatch.setattr(agent_actions, "move", transitions.move)
        consent = {"recipient": sample_data.CANDIDATE, "channels": ["*"], "evidence": "a call"}
        assert harness.call("POST /opt-outs", consent).result["refs"] == [ref]
        return transitions.move(resources, opened, *rest)  # type: ignore[arg-type] # passed on unchanged

    monkeypatch.setattr(agent_actions, "move", opted_out_first)

    assert harness.on(ref, "take-over", CAROL).error == "not_open"
    status, mode, _ = harness.standing(ref)
    assert (status, mode) == ("opted_out", Mode.CLOSED)


# Write


def test_a_message_is_put_on_the_queue_of_the_channel_and_named(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING)

    answer = harness.on(ref, "messages", {"text": "Hello Ann", PERSON: "carol"})

    assert answer.status == 202
    (record,) = harness.queued(SMS)
    assert (record["type"], record["ref"], record["agent_id"], record["text"]) == (
        "human_message",
        ref,
        "carol",
        "Hello Ann",
    )
    action = identifiers.action_id(ref, f"human:{record['cause']}")
    assert answer.result == {"ref": ref, "entry_id": identifiers.entry_id(action)}


def test_an_agent_who_writes_in_a_conversation_without_owner_takes_it_over(
    harness: Harness,
) -> None:
    ref = harness.begin()

    harness.on(ref, "messages", {"text": "Hello", PERSON: "carol"})

    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_a_message_of_an_api_key_is_its_own_and_never_that_of_the_owner(harness: Harness) -> None:
    taken, free = harness.begin("req-1"), harness.begin("req-2")
    harness.on(taken, "take-over", CAROL)

    assert harness.on(taken, "messages", {"text": "Hello"}).error == "already_taken"
    harness.on(free, "messages", {"text": "Hello"})

    assert [record["agent_id"] for record in harness.queued(SMS)] == [OURS.principal]
    assert harness.state(free).owner == OURS.principal


def test_an_agent_cannot_write_in_a_colleagues_conversation(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)

    answer = harness.on(ref, "messages", {"text": "Hello", PERSON: "dan"})

    assert (answer.status, answer.error) == (409, "already_taken")
    assert harness.queued(SMS) == []


def test_a_template_and_its_values_go_to_the_queue_of_whatsapp(harness: Harness) -> None:
    ref = harness.begin(channel=ChannelMethod.WHATSAPP)
    values = {"question": "Can you start in May?"}

    harness.on(ref, "messages", {"template": "invitation", "variables": values})

    (record,) = harness.queued("ConversationsAgentsQueue")
    assert (record["template"], record["variables"]) == ("invitation", values)
    assert "text" not in record


def test_a_text_may_be_as_long_as_the_project_and_the_channel_allow(harness: Harness) -> None:
    harness.set_up(rate_limits={"max_message_length": 50})
    ref = harness.begin(channel=ChannelMethod.EMAIL, customer="ann.doe@example.com")

    assert harness.on(ref, "messages", {"text": "x" * 50}).status == 202
    assert harness.on(ref, "messages", {"text": "x" * 51}).problems == {
        "text": "must have at most 50 characters"
    }


def test_the_projects_length_limit_applies_to_an_sms_as_it_will_be_sent(harness: Harness) -> None:
    harness.set_up(rate_limits={"max_message_length": 50})
    ref = harness.begin()

    assert harness.on(ref, "messages", {"text": f" {'x' * 50} "}).status == 202
    assert harness.on(ref, "messages", {"text": "x" * 51}).problems == {
        "text": "must have at most 50 characters"
    }


def test_the_length_of_a_template_includes_its_values(harness: Harness) -> None:
    body = "Hello Ann, this is Carol of Cucumber Recruitment about the job as Nurse. "
    harness.set_up(rate_limits={"max_message_length": len(body) + 10})
    ref = harness.begin(channel=ChannelMethod.WHATSAPP)

    def write(question: str) -> Answer:
        request_body = {"template": "invitation", "variables": {"question": question}}
        return harness.on(ref, "messages", request_body)

    assert write("x" * 10).status == 202
    assert write("x" * 11).problems == {
        "variables": f"must result in a message of at most {len(body) + 10} characters"
    }
    assert len(harness.queued("ConversationsAgentsQueue")) == 1


@pytest.mark.parametrize(
    "values", [{}, {"question": "x", "colour": "red"}, {"question": "x" * 201}]
)
def test_a_template_takes_the_values_that_it_needs_and_no_others(
    harness: Harness, values: dict[str, str]
) -> None:
    ref = harness.begin(channel=ChannelMethod.WHATSAPP)

    answer = harness.on(ref, "messages", {"template": "invitation", "variables": values})

    assert list(answer.problems) == ["variables"]
    assert harness.queued("ConversationsAgentsQueue") == []


# Idempotency


def test_the_same_call_gets_the_stored_answer(harness: Harness) -> None:
    ref = harness.begin()
    body = {"text": "Hello", PERSON: "carol"}

    first = harness.on(ref, "messages", body, key="one-message")
    again = harness.on(ref, "messages", body, key="one-message")

    assert (again.status, again.result) == (first.status, first.result)
    assert first.body["request_id"] != again.body["request_id"]
    assert len(harness.queued(SMS)) == 1


def test_a_repeated_call_gets_the_same_answer_after_later_changes(harness: Harness) -> None:
    ref = harness.begin()
    first = harness.on(ref, "take-over", CAROL, key="take-over-1")
    harness.on(ref, "take-over", DAN | {"force": True})

    again = harness.on(ref, "take-over", CAROL, key="take-over-1")

    assert again.result == first.result
    assert harness.state(ref).owner == "dan"


def test_other_content_under_the_same_key_is_refused(harness: Harness) -> None:
    ref, other = harness.begin("req-1"), harness.begin("req-2")
    harness.on(ref, "messages", {"text": "Hello"}, key="one-message")

    for where, text in ((ref, "Goodbye"), (other, "Hello")):
        answer = harness.on(where, "messages", {"text": text}, key="one-message")
        assert (answer.status, answer.error) == (409, "idempotency_key_conflict")
    assert len(harness.queued(SMS)) == 1


def test_an_idempotency_key_is_scoped_to_a_route_and_a_company(harness: Harness) -> None:
    ref = harness.begin()

    assert harness.on(ref, "take-over", CAROL, key="the-same-key").status == 200
    closed = harness.on(ref, "close", CAROL, key="the-same-key")
    assert closed.result["conversation_status"] == "closed"


def test_the_same_call_while_the_first_is_being_answered_is_refused(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = harness.begin()
    meanwhile = []

    def called_again(*args: object, **facts: object) -> object:
        monkeypatch.setattr(agent_actions, "move", transitions.move)
        meanwhile.append(harness.on(ref, "take-over", CAROL, key="take-over-1"))
        return transitions.move(*args, **facts)  # type: ignore[arg-type] # passed on unchanged

    monkeypatch.setattr(agent_actions, "move", called_again)
    first = harness.on(ref, "take-over", CAROL, key="take-over-1")

    assert first.status == 200
    assert (meanwhile[0].status, meanwhile[0].error) == (409, "request_in_progress")


def test_a_refused_call_may_be_repeated_under_the_same_key(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    assert harness.on(ref, "take-over", DAN, key="take-over-2").status == 409
    harness.on(ref, "hand-back", CAROL)

    assert harness.on(ref, "take-over", DAN, key="take-over-2").status == 200
