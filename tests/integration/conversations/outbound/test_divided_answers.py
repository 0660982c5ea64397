"""An SMS answer that stays too long after its repair is sent as several messages, each once and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from tests.integration.conversations.steps import (
    before_call,
    model_answer,
    model_says,
    status_of,
    take_over,
    with_model,
)
from tests.simulation.conversations.final_state import differences, final_state_of
from tests.simulation.crashes.disturbances import deaths

if TYPE_CHECKING:
    from tests.simulation.conversations.system import Snapshot, System

FIRST = model_answer("Hello Ann, can you start in May?")
PARTS = [
    "You are on nights, from ten to six.",
    "Please go to the desk at the east gate.",
    "A colleague shows you round.",
]
LONG = " ".join(PARTS)
NOTICE = "A colleague will answer you soon."
SENDS = "HTTP.POST /2010"


def asked(system: System, *answers: str, messages: int = 3) -> str:
    """A customer has asked, and the model gives these answers; an SMS may have 40 characters."""
    with_model(system, FIRST)
    ref = system.begin("sms")
    channels = sample_data.project()["channel_config"]
    sms = channels["sms"] | {"max_messages": messages, "max_segments": 1}
    system.change(rate_limits={"max_message_length": 40}, channel_config=channels | {"sms": sms})
    model_says(system, *(answers or [model_answer(LONG)] * 2))
    system.text("m", "Which shift is it?")
    return ref


def bodies(system: System) -> list[str]:
    return [str(body["Body"]) for body in system.sent()]


def shown(system: System, ref: str) -> list[tuple[str, str]]:
    """The texts of the model since the first message, with their delivery."""
    rows = [row for row in system.log(ref) if row["author"] == "ai"][1:]
    return [(str(row["content"]), str(row["delivery_status"])) for row in rows]


def test_an_answer_that_stays_too_long_is_sent_in_several_messages_in_order(
    system: System,
) -> None:
    ref = asked(system)

    system.drain()

    assert bodies(system)[-3:] == PARTS
    assert shown(system, ref) == [(part, "accepted") for part in PARTS]
    assert status_of(system, ref) == ("reply_sent", None)
    assert [entry["content"] for entry in system.conversation(ref)["messages"]][-3:] == PARTS
    assert "turn" not in system.state(ref)


def test_a_shorter_answer_of_the_repair_is_sent_in_one_message(system: System) -> None:
    ref = asked(system, model_answer(LONG), model_answer("On nights, at ten."))

    system.drain()

    assert shown(system, ref) == [("On nights, at ten.", "accepted")]


def test_what_exceeds_the_messages_of_the_project_is_cut_after_a_sentence(system: System) -> None:
    ref = asked(system, messages=2)

    system.drain()

    assert shown(system, ref) == [(part, "accepted") for part in PARTS[:2]]


def test_a_project_that_allows_one_message_gets_no_second_one(system: System) -> None:
    ref = asked(system, messages=1)

    system.drain()

    assert shown(system, ref) == [(PARTS[0], "accepted")]


def test_the_delivery_of_each_message_is_its_own(system: System) -> None:
    ref = asked(system)
    system.drain()
    second = system.log(ref)[-2]

    system.status(second["provider_message_id"], "delivered")
    system.drain()

    assert [status for _, status in shown(system, ref)] == ["accepted", "delivered", "accepted"]


def test_a_hand_off_with_a_long_text_is_announced_by_the_text(system: System) -> None:
    system_answer = model_answer(LONG, hand_off={"reason": "she wants to know more"})
    system.change(policy={"handoff_notice": "A colleague answers soon."})
    ref = asked(system, system_answer, system_answer)

    system.drain()

    assert bodies(system)[-3:] == PARTS
    assert status_of(system, ref)[0] == "handoff_pending"


def test_the_same_long_answer_again_reaches_a_person(system: System) -> None:
    ref = asked(system)
    system.drain()
    model_says(system, model_answer(LONG), model_answer(LONG))

    system.text("again", "And what do I wear?")
    system.drain()

    assert bodies(system)[4:] == [NOTICE]
    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")


def test_the_history_of_the_next_turn_has_the_whole_answer(system: System) -> None:
    asked(system)
    system.drain()
    model_says(system, model_answer("Shoes."))

    system.text("again", "And what do I wear?")
    system.drain()

    calls = [entry.body for entry in system.sandbox.sent if entry.provider == "openai"]
    assert all(part in str(calls[-1]) for part in PARTS)


def test_a_refused_message_hands_off_and_what_follows_it_is_not_sent(system: System) -> None:
    ref = asked(system)
    system.interceptor.fails_if = RefusesSend(system, 2, 21612, 400)

    system.drain()

    assert shown(system, ref) == [
        (PARTS[0], "accepted"), (PARTS[1], "failed"), (PARTS[2], "discarded"),
    ]  # fmt: skip
    assert status_of(system, ref) == ("handoff_pending", "provider_rejected:21612")
    contents = [entry["content"] for entry in system.conversation(ref)["messages"]]
    assert PARTS[0] in contents
    assert PARTS[1] not in contents
    assert "turn" not in system.state(ref)


def test_an_opt_out_between_the_messages_stops_the_next_one(system: System) -> None:
    ref = asked(system)
    system.interceptor.fails_if = BeforeSend(2, lambda: opted_out(system))

    system.drain()

    assert PARTS[1] in bodies(system)
    assert PARTS[2] not in bodies(system)
    assert status_of(system, ref)[0] == "opted_out"


def test_a_take_over_between_the_messages_lets_the_answer_end(system: System) -> None:
    """The fence was passed with the first one: the customer does not get half of an answer."""
    ref = asked(system)
    system.interceptor.fails_if = BeforeSend(2, lambda: take_over(system, ref))

    system.drain()

    assert bodies(system)[-3:] == PARTS
    assert system.state(ref)["mode"] == "human"


def test_a_message_of_unknown_delivery_hands_off_and_nothing_is_sent_twice(system: System) -> None:
    ref = asked(system)
    system.interceptor.fails_if = RefusesSend(system, 2, 0, 500)

    system.settle()

    assert shown(system, ref)[0] == (PARTS[0], "accepted")
    assert shown(system, ref)[1] == (PARTS[1], "unknown")
    assert shown(system, ref)[2] == (PARTS[2], "discarded")
    assert status_of(system, ref) == ("handoff_pending", "send_in_doubt")


def test_a_draft_for_several_messages_is_released_as_several(system: System) -> None:
    """An agent takes over while the model writes: the whole draft is a suggestion."""
    ref = asked(system)
    before_call(system, "HTTP.POST /v1", lambda _: take_over(system, ref, "api-key:1"))
    system.drain()
    (draft,) = [row for row in system.log(ref) if row.get("delivery_status") == "discarded"]
    assert draft["content"] == "\n".join(PARTS)
    assert len(bodies(system)) == 1

    release = {"draft_entry_id": draft["entry_id"], "force": True}
    for _ in range(2):
        system.call_admin_api("POST /conversations/{ref}/release", release, ref=ref)
        system.drain()

    assert bodies(system)[-3:] == PARTS
    assert len(bodies(system)) == 4
    authors = [str(row["author"]) for row in system.log(ref)]
    assert authors.count("human:api-key:2") == 3


@pytest.mark.parametrize("at", [SENDS, pytest.param("", marks=pytest.mark.long)])
def test_a_crash_at_any_call_sends_each_message_once_and_in_order(system: System, at: str) -> None:
    """The short run crashes at the sends only."""
    ref = asked(system)
    start: Snapshot = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.settle()
    calls, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    clean = final_state_of(system)
    sent_before = len(bodies(system)) - 3

    for number, when in deaths(calls, starts):
        if not calls[number - 1].startswith(at):
            continue
        system.restore(start)
        system.sandbox.openai.answers.clear()
        model_says(system, *[model_answer(LONG)] * 8)
        system.interceptor.die_at = (number, when)
        system.settle()
        what = f"died {when} {number} {calls[number - 1]}"
        found = [body for body in bodies(system)[sent_before:] if body != NOTICE]
        assert found == PARTS[: len(found)], what
        if status_of(system, ref)[0] == "reply_sent":
            assert differences(clean, final_state_of(system)) == [], what
        else:
            # The process died between the reservation of a send and its answer: an agent decides on the message.
            assert calls[number - 1].startswith(("dynamodb.PutItem ACTION#", SENDS)), what
            deliveries = [delivery for _, delivery in shown(system, ref)]
            assert deliveries.count("unknown") == 1, what
            assert set(deliveries[deliveries.index("unknown") + 1 :]) <= {"discarded"}, what
            assert "turn" not in system.state(ref), what


def opted_out(system: System) -> None:
    system.text("stop", "STOP")
    system.run_intake()


class BeforeSend:
    """Runs an action once, before the send with this number."""

    def __init__(self, number: int, action: Any) -> None:
        self.sends, self.number, self.action = 0, number, action

    def __call__(self, call: str) -> bool:
        if call.startswith(SENDS):
            self.sends += 1
            if self.sends == self.number:
                self.action()
        return False


class RefusesSend(BeforeSend):
    """Twilio refuses the send with this number."""

    def __init__(self, system: System, number: int, code: int, status: int) -> None:
        def refuse() -> None:
            system.sandbox.faults.add(
                kind="status",
                provider="twilio",
                operation="create_message",
                status=status,
                error={"code": code} if code else None,
            )

        super().__init__(number, refuse)
