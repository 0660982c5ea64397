"""The steps of a sequence: each once, in its time, under the policy, and none after the reasons that end it."""

from __future__ import annotations

from typing import Any

import pytest

from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.analytics.welcomes import GRACE, HELLO, LATER, Welcomes
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.actions.accounts.analytics import sequence_runs

PLAIN: dict[str, Any] = {
    "name": "come_back", "language": "en_US", "status": "APPROVED", "category": "UTILITY", "id": "1002",
    "waba": "102290129340398", "components": [{"type": "BODY", "text": "We are open."}],
}  # fmt: skip
TEMPLATE: dict[str, Any] = {"delayMinutes": 1_440, "templateName": "come_back"}
MINUTE_MS = 60_000
# Notices of a customer who has another number, or hides it.
CHANGED: dict[str, Any] = {"type": "user_changed_number", "body": "changed"}
MOVED: dict[str, Any] = {
    "type": "system",
    "text": None,
    "system": CHANGED | {"wa_id": "447700900144"},
}
AWAY: dict[str, Any] = {
    "type": "system", "text": None, "system": CHANGED | {"user_id": "GB.3", "previous_user_id": "GB.1"},
}  # fmt: skip


@pytest.mark.long
def test_each_step_is_sent_after_its_delay_and_the_run_ends(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER, {"delayMinutes": 10, "text": "Bye"})
    welcomes.write()
    welcomes.runs.drain()
    counts = [len(welcomes.sent())]
    for minutes in (30, 2, 8, 4):
        welcomes.runs.wait(minutes)
        counts.append(len(welcomes.sent()))
    run = welcomes.run()

    assert counts == [1, 1, 2, 2, 3]
    assert welcomes.sent() == ["Hello!", "Any questions?", "Bye"]
    assert (run["state"], run["step"], "dueAt" in run) == ("completed", 3, False)
    assert run["outcomes"] == {"0": "sent", "1": "sent", "2": "sent"}


def test_a_step_is_a_message_of_the_conversation_sent_in_the_name_of_its_owner(
    welcomes: Welcomes,
) -> None:
    welcomes.set_up(HELLO)
    welcomes.write()
    welcomes.runs.now += 2_000
    welcomes.runs.drain()
    (sent,) = [one for one in welcomes.actions.wire if one.operation == "send_message"]
    head = welcomes.actions.item(f"CONV#{PHONE}#{GRACE}")
    message = welcomes.actions.item(head["lastMessagePk"])

    assert wire.problems(sent, "POST", "/{Version}/{Phone-Number-ID}/messages") == []
    assert isinstance(sent.body, dict)
    assert (sent.body["to"], sent.body["text"]) == (f"+{GRACE}", {"body": "Hello!"})
    assert (message["sentBy"], message["textBody"]) == ("api-key:acme", "Hello!")
    assert sent.body["biz_opaque_callback_data"] == message["actionId"]


def test_steps_without_a_delay_follow_each_other_at_once_and_in_order(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, HELLO | {"text": "How are you?"}, HELLO | {"text": "Ask us."})
    welcomes.write()
    welcomes.runs.drain()

    assert welcomes.sent() == ["Hello!", "How are you?", "Ask us."]


def test_a_reply_stops_the_sequence(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    welcomes.runs.drain()
    welcomes.runs.wait(5)
    welcomes.write()
    welcomes.runs.wait(40)
    run = welcomes.run()

    assert welcomes.sent() == ["Hello!"]
    assert (run["state"], run["stopReason"], run["step"]) == ("stopped", "replied", 1)


def test_a_second_message_does_not_stop_what_follows_at_once(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    welcomes.runs.now += 2_000
    welcomes.write()
    welcomes.runs.drain()
    welcomes.runs.wait(40)

    assert welcomes.sent() == ["Hello!"]
    assert welcomes.run()["stopReason"] == "replied"


def test_without_stop_on_reply_the_sequence_goes_on(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER, stopOnReply=False)
    welcomes.write()
    welcomes.runs.drain()
    welcomes.runs.wait(5)
    welcomes.write()
    welcomes.runs.wait(40)

    assert welcomes.sent() == ["Hello!", "Any questions?"]


def test_a_text_after_the_window_is_refused_and_the_template_after_it_is_sent(
    welcomes: Welcomes,
) -> None:
    welcomes.actions.sandbox.templates.append(PLAIN)
    welcomes.set_up({"delayMinutes": 1_440, "text": "Too late"}, TEMPLATE | {"delayMinutes": 1})
    welcomes.write()
    welcomes.runs.now += 1_440 * MINUTE_MS
    welcomes.runs.wait(6)

    assert welcomes.sent() == ["come_back"]
    assert welcomes.run()["outcomes"] == {"0": "refused:window_closed", "1": "sent"}
    assert welcomes.run()["state"] == "completed"


@pytest.mark.parametrize(
    ("first", "then", "recipient"),
    [
        ("GB.1", {"from_user_id": "GB.2"}, {"recipient": "GB.1"}),
        ("GB.1", MOVED, {"to": "+447700900144"}),
        (None, MOVED, {"to": "+447700900144"}),
        ("GB.1", AWAY, {"recipient": "GB.3"}),
    ],
)
def test_a_step_does_not_reach_the_next_owner_of_the_number(
    welcomes: Welcomes, first: str | None, then: dict[str, Any], recipient: dict[str, str]
) -> None:
    welcomes.set_up(HELLO, LATER, stopOnReply=False)
    welcomes.write(from_user_id=first)
    welcomes.runs.drain()
    welcomes.runs.wait(5)
    welcomes.set_up(HELLO, LATER, stopOnReply=False, enabled=False)  # for the next owner
    welcomes.write(**then)
    welcomes.set_up(HELLO, LATER, stopOnReply=False)
    welcomes.runs.wait(40)

    bodies: list[Any] = [
        one.body for one in welcomes.actions.wire if one.operation == "send_message"
    ]
    assert [body["text"]["body"] for body in bodies] == ["Hello!", "Any questions?"]
    assert recipient.items() <= bodies[1].items()
    assert recipient.keys() == {"to", "recipient"} & bodies[1].keys()


@pytest.mark.long
def test_an_opt_out_ends_the_sequence(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER, LATER)
    welcomes.write()
    welcomes.runs.drain()
    body = {"contact": f"+{GRACE}", "purpose": "all", "state": "opted_out", "evidence": "call 17"}
    assert welcomes.actions.run("set_consent", body).status == 200
    welcomes.runs.wait(70)
    run = welcomes.run()

    assert welcomes.sent() == ["Hello!"]
    assert run["outcomes"] == {"0": "sent", "1": "refused:opted_out"}
    assert (run["state"], run["stopReason"]) == ("stopped", "opted_out")


def test_the_kill_switch_refuses_a_step_and_later_ones_follow(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.actions.switch("true")
    welcomes.write()
    welcomes.runs.drain()
    welcomes.actions.switch("false")
    welcomes.runs.wait(33)

    assert welcomes.sent() == ["Any questions?"]
    assert welcomes.run()["outcomes"] == {"0": "refused:safe_mode", "1": "sent"}


def test_a_template_that_does_not_exist_or_needs_values_is_left_out(welcomes: Welcomes) -> None:
    welcomes.set_up({"templateName": "unknown"}, {"templateName": "bike_ready"}, HELLO)
    welcomes.write()
    welcomes.runs.drain()
    welcomes.runs.wait(3)

    assert welcomes.sent() == ["Hello!"]
    assert set(welcomes.run()["outcomes"].values()) == {"failed:template_not_sendable", "sent"}


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ({"kind": "status", "status": 400}, "failed:"),
        ({"kind": "lost_answer"}, "in_doubt"),
    ],
)
def test_what_the_provider_refuses_or_leaves_in_doubt_is_not_repeated(
    welcomes: Welcomes, fault: dict[str, Any], outcome: str
) -> None:
    welcomes.actions.sandbox.faults.add(provider="meta", operation="send_message", **fault)
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    welcomes.runs.drain()
    welcomes.runs.wait(35)
    texts = welcomes.sent()

    assert texts.count("Hello!") == (outcome == "in_doubt")
    assert texts[-1] == "Any questions?"
    assert welcomes.run()["outcomes"]["0"].startswith(outcome)


def test_a_rate_limit_delays_a_step_until_a_later_minute(welcomes: Welcomes) -> None:
    welcomes.actions.sandbox.faults.add(
        provider="meta", operation="send_message", kind="status", status=429, times=2
    )
    welcomes.set_up(HELLO)
    welcomes.write()
    welcomes.runs.drain()
    waiting = welcomes.run()
    welcomes.runs.wait(6)

    assert (waiting["step"], waiting["tries"], waiting["state"]) == (0, 1, "running")
    assert welcomes.sent() == ["Hello!"]
    assert welcomes.run()["state"] == "completed"


def test_a_step_that_cannot_be_tried_for_an_hour_is_given_up(
    welcomes: Welcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence_runs, "MOST_TRIES", 2)
    welcomes.actions.sandbox.faults.add(
        provider="meta", operation="send_message", kind="status", status=429, times=50
    )
    welcomes.set_up(HELLO)
    welcomes.write()
    welcomes.runs.drain()
    welcomes.runs.wait(8)

    assert welcomes.sent() == []
    assert welcomes.run()["outcomes"] == {"0": "failed:unavailable"}
    assert welcomes.run()["state"] == "completed"


def test_a_running_sequence_continues_with_the_replaced_messages(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    welcomes.runs.drain()
    welcomes.set_up(HELLO | {"text": "Hi"}, LATER | {"text": "New text"})
    welcomes.runs.wait(33)

    assert welcomes.sent() == ["Hello!", "New text"]


@pytest.mark.parametrize(
    ("change", "reason"), [("disabled", "disabled"), ("shorter", "replaced"), ("number", "number_not_in_use")]
)  # fmt: skip
def test_a_running_sequence_ends_when_it_is_disabled_or_its_number_is(
    welcomes: Welcomes, change: str, reason: str
) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    welcomes.runs.drain()
    if change == "number":
        welcomes.actions.register(enabled=False)
    else:
        steps = [HELLO, LATER] if change == "disabled" else [HELLO]
        welcomes.set_up(*steps, enabled=change != "disabled")
    welcomes.runs.wait(33)

    assert welcomes.sent() == ["Hello!"]
    assert (welcomes.run()["state"], welcomes.run()["stopReason"]) == ("stopped", reason)


def test_a_step_beyond_the_bound_on_costs_is_sent_the_next_day(welcomes: Welcomes) -> None:
    table = welcomes.actions.harness.resources.spending.table
    usage.set_percents(table, "acme", {Kind.SEQUENCE_MESSAGE: 0}, by="a person")
    welcomes.set_up(HELLO)
    welcomes.write()
    welcomes.runs.drain()
    run = welcomes.run()
    assert (welcomes.sent(), run["state"]) == ([], "running")

    usage.set_percents(table, "acme", {}, by="a person")
    welcomes.runs.now = clock.from_text(run["dueAt"])
    welcomes.runs.wait(2)

    assert run["dueAt"].endswith("T00:00:00.000Z")
    assert welcomes.sent() == ["Hello!"]
