"""Functions that people decide about: shown, carried out once when somebody releases them, and told to the model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations import agents, arriving, records, references
from conversations.items.log import Mode
from conversations.office import Agent
from conversations.records import HumanMessage, Release
from conversations.store import states
from tests.integration.conversations.acts import (
    aside,
    at,
    calls,
    model_says,
    put,
    said,
    says,
    stands,
    take_over,
)
from tests.integration.conversations.booking import THANKS, begun, write
from tests.simulation.wire import READS, When

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.world import World

MONDAY = calls("book_slot", day="Monday")
NOTICE = "A colleague will answer you soon."


def proposed(world: World, office: Receiver, *answers: str) -> str:
    """A conversation whose model has asked for a slot that people have to approve; what it says next."""
    ref = begun(world, office, MONDAY, approval=True)
    write(world)
    assert stands(world, ref) == ("handoff_pending", "function_approval")
    model_says(world, *answers)
    return ref


def waiting(world: World, ref: str) -> dict[str, Any]:
    """The message of the function that waits, or waited last."""
    return [row for row in world.log(ref) if row["kind"] == "function"][-1]


def approve(world: World, ref: str, sk: str | None = None, cause: str = "key-1") -> None:
    sk = sk or str(world.state(ref)["waits_for_approval"])
    record = Release(ref=ref, cause=cause, agent_id="eve", function_sk=sk)
    put(world, record, ref, "release", cause)


def hand_back(world: World, ref: str, *, answer_pending: bool = True) -> None:
    here = aside(world)
    agent = Agent(name="eve", principal="key", cause=f"back-{world.clock.ms}")
    agents.hand_back(here, arriving.opened(here, ref), agent, answer_pending=answer_pending)
    world.work_off()


def asked_last(world: World) -> list[dict[str, Any]]:
    """What the model was last shown, beside its rules."""
    bodies = [e.body for e in world.sandbox.sent if e.operation == "create_response"]
    assert isinstance(bodies[-1], dict)
    found: list[dict[str, Any]] = bodies[-1]["input"]
    return found


def deaths(world: World) -> list[tuple[int, When, str]]:
    """Where a worker may die in what was just done: before each run's first call, and after each write."""
    calls_made, starts = list(world.wire.calls), list(world.wire.first_of_runs)
    before = [(number, When.BEFORE) for number in starts]
    after = [
        (number, When.AFTER)
        for number, call in enumerate(calls_made, 1)
        if call.split(" ")[0] not in READS
    ]
    return [(number, when, calls_made[number - 1]) for number, when in before + after]


def forget(office: Receiver) -> None:
    while not office.requests.empty():
        office.requests.get()


def test_the_function_and_its_arguments_are_shown_and_nothing_runs(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office)

    row = waiting(world, ref)
    assert (row["sk"], row["delivery_status"], row["error_code"]) == (
        world.state(ref)["waits_for_approval"],
        "blocked",
        "function_approval",
    )
    assert row["proposal"]["name"] == "book_slot"
    assert json.loads(row["proposal"]["arguments"]) == {"day": "Monday"}
    assert office.requests.empty()
    assert said(world, ref, "system") == [NOTICE]
    assert len(said(world, ref)) == 1  # The mark of the function is nothing that was said.


def test_what_is_released_is_carried_out_and_the_model_goes_on_with_the_result(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, THANKS)

    approve(world, ref)

    asked = json.loads(office.next().body)
    assert (asked["function"], asked["arguments"]) == ("book_slot", {"day": "Monday"})
    assert asked["conversation_ref"] == ref
    assert office.requests.empty()
    call, output = asked_last(world)[-2:]
    assert (call["type"], call["name"]) == ("function_call", "book_slot")
    assert output["output"] == '{"slot": "Monday"}'
    assert said(world, ref)[-1] == "It is booked, thank you."
    assert stands(world, ref) == ("reply_sent", None)
    item, state = world.conversation(ref), world.state(ref)
    assert (item["hand_off_to_human"], item["function_call_type"]) == (False, "book_slot")
    assert waiting(world, ref)["proposal"]["verdict"] == "done"
    assert not {"waits_for_approval", "being_done", "to_tell", "turn"} & state.keys()
    contents = [entry["content"] for entry in item["messages"]]
    assert contents[1:] == ["Monday is fine", NOTICE, "It is booked, thank you."]


def test_the_result_is_told_once(world: World, office: Receiver) -> None:
    ref = proposed(world, office, THANKS, says("At nine."))
    approve(world, ref)

    write(world, "When exactly?", "n")

    assert said(world, ref)[-1] == "At nine."
    assert {item["type"] for item in asked_last(world)} == {"message"}


@pytest.mark.parametrize(
    ("status", "verdict", "told"),
    [(400, "failed", "could not be done"), (503, "unknown", "Nobody knows")],
)
def test_a_released_function_that_fails_is_told_as_that(
    world: World, office: Receiver, status: int, verdict: str, told: str
) -> None:
    ref = proposed(world, office, says("I am sorry, that did not work."))
    office.statuses.append(status)

    approve(world, ref)

    assert waiting(world, ref)["proposal"]["verdict"] == verdict
    assert told in asked_last(world)[-1]["output"]
    assert said(world, ref)[-1] == "I am sorry, that did not work."


def test_two_people_release_one_function_and_a_record_comes_late_but_it_runs_once(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, THANKS, says("Again?"))
    sk = str(world.state(ref)["waits_for_approval"])

    for cause in ("key-1", "key-2"):
        approve(world, ref, sk, cause)
    world.clock.ms += 3_600_000
    approve(world, ref, sk, "key-3")

    assert office.requests.qsize() == 1
    assert said(world, ref)[1:] == ["It is booked, thank you."]


def test_a_worker_that_dies_over_a_release_changes_nothing_in_the_end(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office)
    sk = str(world.state(ref)["waits_for_approval"])
    lane = next(name for name in world.lanes.queues if name.endswith("sms.fifo"))
    record = Release(ref=ref, cause="key-1", agent_id="eve", function_sk=sk)
    world.lanes.put(lane, records.entry(record, ref, "release", "key-1"))
    start = world.remember()
    model_says(world, THANKS)
    world.new_process()
    world.wire.rewind()
    world.settle()
    wanted = deaths(world)
    assert said(world, ref)[1:] == ["It is booked, thank you."]

    for number, when, name in wanted:
        world.begin_again(start)
        forget(office)
        model_says(world, *[THANKS] * 3)
        world.wire.die_at = (number, when)
        world.settle()
        what = f"died {when} {number} {name}"
        assert office.requests.qsize() <= 1, what
        verdict = waiting(world, ref)["proposal"]["verdict"]
        assert office.requests.qsize() == 1 or verdict == "unknown", what
        assert len(said(world, ref)) <= 2, what
        newest = world.log(ref)[-1]
        is_in_doubt = newest["delivery_status"] == "unknown"
        assert stands(world, ref)[0] == ("handoff_pending" if is_in_doubt else "reply_sent"), what
        assert is_in_doubt or said(world, ref)[1:] == ["It is booked, thank you."], what
        assert world.lanes.dead_letters == [], what
        assert not {"waits_for_approval", "being_done", "turn"} & world.state(ref).keys(), what


def test_a_worker_that_dies_over_a_proposal_never_sends_it(world: World, office: Receiver) -> None:
    ref = begun(world, office, approval=True)
    world.text("m", "Monday is fine")
    start = world.remember()
    model_says(world, MONDAY)
    world.new_process()
    world.wire.rewind()
    world.settle()
    wanted = deaths(world)

    for number, when, name in wanted:
        world.begin_again(start)
        model_says(world, *[MONDAY] * 3)
        world.wire.die_at = (number, when)
        world.settle()
        what = f"died {when} {number} {name}"
        assert stands(world, ref) == ("handoff_pending", "function_approval"), what
        assert world.state(ref)["waits_for_approval"] == waiting(world, ref)["sk"], what
        assert len(said(world, ref)) == 1, what
        assert said(world, ref, "system") in ([NOTICE], []), what  # In doubt, it may be neither.
        assert office.requests.empty(), what


def test_a_hand_back_refuses_it_and_the_model_is_told(world: World, office: Receiver) -> None:
    ref = proposed(world, office, says("I am sorry, Monday is not possible."))
    sk = str(world.state(ref)["waits_for_approval"])

    hand_back(world, ref)

    assert waiting(world, ref)["proposal"]["verdict"] == "refused"
    assert "decided against" in asked_last(world)[-1]["output"]
    assert said(world, ref)[-1] == "I am sorry, Monday is not possible."
    assert stands(world, ref)[0] == "reply_sent"

    approve(world, ref, sk)
    assert office.requests.empty()


def test_what_people_have_refused_is_not_asked_for_again_at_once(
    world: World, office: Receiver
) -> None:
    tuesday = calls("book_slot", day="Tuesday")
    ref = proposed(world, office, tuesday, says("Then I cannot book it."), tuesday, tuesday)

    hand_back(world, ref)
    assert said(world, ref)[-1] == "Then I cannot book it."

    world.clock.ms += 60_000
    write(world, "And Tuesday?", "n")
    # Asked for at the customer's first message since: refused twice, it is a person's.
    assert stands(world, ref) == ("handoff_pending", "function_failed")


def test_a_hand_back_that_comes_after_the_release_refuses_nothing(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, THANKS)
    sk = str(world.state(ref)["waits_for_approval"])
    here = aside(world)
    # As the release's worker leaves it that dies behind its first step.
    seen = states.read(here.log, ref)
    assert seen is not None
    states.set_mode(
        here.log,
        ref,
        seen.mode,
        seen=seen,
        drop=("waits_for_approval",),
        into={"being_done": [sk]},
    )
    hand_back(world, ref, answer_pending=False)
    assert "verdict" not in waiting(world, ref)["proposal"]

    approve(world, ref, sk)

    assert office.requests.qsize() == 1
    assert said(world, ref)[-1] == "It is booked, thank you."
    assert stands(world, ref)[0] == "reply_sent"


def test_what_a_colleague_has_by_now_is_carried_out_and_stays_theirs(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, THANKS)
    sk = str(world.state(ref)["waits_for_approval"])
    take_over(world, ref, "dan")
    here = aside(world)
    states.note(here.log, ref, owner="dan")

    approve(world, ref, sk)

    assert office.requests.qsize() == 1
    assert stands(world, ref)[0] == "handoff_active"
    assert len(said(world, ref)) == 1
    assert waiting(world, ref)["proposal"]["verdict"] == "done"


def test_a_function_that_is_released_after_a_person_has_answered_is_told_all_the_same(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, THANKS)
    said_by_eve = HumanMessage(ref=ref, cause="c", agent_id="eve", text="One moment please")
    put(world, said_by_eve, ref, "human")

    approve(world, ref)

    assert said(world, ref)[-1] == "It is booked, thank you."


def test_a_function_of_a_first_message_is_released_before_it(
    world: World, office: Receiver
) -> None:
    ref = begun(world, office, approval=True)
    world.sandbox.openai.answers.clear()
    model_says(world, MONDAY, says("Hello Ann, Monday is booked for you."))
    other = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}
    ref = world.begin("sms", request_id="req-2", recipient_data=other)
    assert stands(world, ref) == ("handoff_pending", "function_approval")

    approve(world, ref)

    assert office.requests.qsize() == 1
    assert stands(world, ref) == ("initial_message_sent", None)
    assert said(world, ref)[0].startswith("Hello Ann, Monday is booked for you.")
    assert "to_tell" not in world.state(ref)


def test_what_came_of_it_at_night_is_told_in_the_morning(world: World, office: Receiver) -> None:
    ref = proposed(world, office, THANKS)
    world.clock.ms = at("22:30")

    approve(world, ref)
    assert office.requests.qsize() == 1
    assert len(said(world, ref)) == 1
    assert world.due_at() == ["2026-01-02T08:00:00.000Z"]

    world.settle()
    assert said(world, ref)[1:] == ["It is booked, thank you."]
    assert office.requests.qsize() == 1


def test_the_next_function_waits_as_well(world: World, office: Receiver) -> None:
    ref = proposed(world, office, calls("book_slot", day="Tuesday"), says("Both are booked."))
    approve(world, ref)
    assert stands(world, ref) == ("handoff_pending", "function_approval")
    assert office.requests.qsize() == 1

    approve(world, ref, cause="key-2")

    assert office.requests.qsize() == 2
    assert said(world, ref)[-1] == "Both are booked."


def test_a_model_that_asks_for_the_same_again_is_told_what_came_of_it(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, MONDAY, THANKS)

    approve(world, ref)

    assert office.requests.qsize() == 1
    assert said(world, ref)[-1] == "It is booked, thank you."


def test_a_function_that_the_project_has_taken_away_is_not_carried_out(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, says("I cannot book that any more."))
    ai = world.row("company", "ci-aaa-001", "pi-aaa-001")["ai_config"]  # type: ignore[index] # it is set up
    world.change(ai_config={**ai, "functions": []})

    approve(world, ref)

    assert office.requests.empty()
    assert waiting(world, ref)["proposal"]["verdict"] == "failed"
    assert said(world, ref)[-1] == "I cannot book that any more."


def test_who_has_left_meanwhile_gets_nothing_done(world: World, office: Receiver) -> None:
    ref = proposed(world, office)
    write(world, "STOP", "s")

    approve(world, ref)

    assert office.requests.empty()
    assert stands(world, ref)[0] == "opted_out"


def test_a_function_that_is_released_while_a_send_is_in_doubt_is_told_when_that_is_settled(
    world: World, office: Receiver
) -> None:
    ref = proposed(world, office, THANKS)
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=500
    )
    put(world, HumanMessage(ref=ref, cause="c", agent_id="eve", text="One moment"), ref, "human")
    assert "turn" in world.state(ref)

    approve(world, ref)
    assert office.requests.qsize() == 1
    action = references.action_id(ref, "human:c")
    world.status("SM" + "f" * 32, "delivered", action)
    world.settle()

    assert said(world, ref)[-1] == "It is booked, thank you."
    assert "to_tell" not in world.state(ref)


def test_who_is_leaving_just_now_gets_nothing_done(world: World, office: Receiver) -> None:
    ref = proposed(world, office)
    sk = str(world.state(ref)["waits_for_approval"])
    here = aside(world)
    # As the intake's worker leaves it that dies behind the fence: the item does not say so yet.
    seen = states.read(here.log, ref)
    assert seen is not None
    states.set_mode(here.log, ref, Mode.CLOSED, seen=seen, moves_to="opted_out")

    approve(world, ref, sk)

    assert office.requests.empty()
    assert world.state(ref)["mode"] == "closed"


def test_what_the_model_asked_for_before_it_was_given_the_conversation_anew_does_not_count(
    world: World, office: Receiver
) -> None:
    ref = begun(world, office, MONDAY, says("Which day suits you?"), approval=True)
    here, agent = aside(world), Agent(name="eve", principal="key", cause="back")

    def meanwhile(call: str) -> bool:
        """Somebody has a look while the model is asked, and gives it back."""
        if call.startswith("HTTP.POST /v1/responses"):
            world.wire.fails_if = lambda _: False
            take_over(world, ref)
            agents.hand_back(here, arriving.opened(here, ref), agent, answer_pending=True)
        return False

    world.wire.fails_if = meanwhile
    write(world)

    assert said(world, ref)[-1] == "Which day suits you?"
    assert stands(world, ref)[0] == "reply_sent"
    assert world.state(ref)["mode"] == "ai"
    assert "waits_for_approval" not in world.state(ref)
