"""Opening hours: outside them the model answers, or the customer is told when people are back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conversations.content.model_input import requests
from tests.integration.conversations.dialogue.handoffs.handoff_notices import NOTICE, notices_sent
from tests.integration.conversations.steps import (
    HOUR_MS,
    model_answer,
    model_says,
    status_of,
    texts_by,
    with_model,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

# It is Thursday, the first of January, at noon: a holiday.
HOURS = {
    "time_zone": "Europe/London",
    "periods": [
        {"days": ["monday", "tuesday", "wednesday", "thursday", "friday"], "start": "09:00", "end": "17:00"}
    ],
    "holidays": ["2026-01-01"],
}  # fmt: skip
IN_WORDS = {"en": "We are back {opens_at}.", "de": "Wir sind wieder da: {opens_at}."}


def begin(system: System, policy: dict[str, Any] | None = None, **hours: Any) -> str:
    system.change(opening_hours=HOURS | hours, policy=policy or {})
    return system.begin("sms")


@pytest.mark.parametrize(
    ("policy", "hours", "text", "notice"),
    [
        ({}, {}, "Hello?", "Our team is back: Friday, 09:00."),
        ({"handoff_notice": NOTICE}, {}, "Hello?", f"{NOTICE} Our team is back: Friday, 09:00."),
        ({"handoff_notice": NOTICE}, {"notice": IN_WORDS}, "Hello?", "We are back Friday, 09:00."),
        (
            {"handoff_notice": NOTICE},
            {"notice": IN_WORDS},
            "Guten Tag, welche Schicht ist es denn bitte?",
            "Wir sind wieder da: Freitag, 09:00.",
        ),
        (
            {},
            {"holidays": ["2026-01-01", "2026-01-02"], "notice": "Back: {opens_at}"},
            "Hello?",
            "Back: Monday, 09:00",
        ),
    ],
)
def test_outside_the_hours_a_customer_is_handed_off_and_told_when_people_are_back(
    system: System, policy: dict[str, Any], hours: dict[str, Any], text: str, notice: str
) -> None:
    ref = begin(system, policy, outside="hand_off", **hours)
    sent = texts_by(system, ref)

    write(system, text)

    assert status_of(system, ref) == ("handoff_pending", "outside_hours")
    assert notices_sent(system, ref) == [notice]
    assert texts_by(system, ref) == sent  # the model answers nothing

    write(system, "Hello again?", "n")
    assert len(notices_sent(system, ref)) == 1


def test_within_the_hours_the_model_answers_and_notices_name_no_time(system: System) -> None:
    ref = begin(system, {"handoff_notice": NOTICE}, outside="hand_off", holidays=[])
    write(system, "Which shift is it?")
    assert len(texts_by(system, ref)) == 2

    with_model(system, model_answer("", hand_off={"reason": "They want to know their salary"}))
    write(system, "How much do I get?", "n")

    assert notices_sent(system, ref) == [NOTICE]


def test_what_an_agent_hands_back_is_answered_outside_the_hours_too(system: System) -> None:
    ref = begin(system, outside="hand_off")
    write(system, "Hello?")
    system.call_admin_api("POST /conversations/{ref}/take-over", {}, ref=ref)
    system.clock.sleep(1)

    system.call_admin_api("POST /conversations/{ref}/hand-back", {"answer_pending": True}, ref=ref)
    system.drain()

    assert len(texts_by(system, ref)) == 2
    assert status_of(system, ref)[0] == "reply_sent"


def test_a_model_that_answers_outside_the_hours_knows_when_people_are_back(
    system: System,
) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = begin(system)
    model_says(system, model_answer("Our team is back on Friday at 09:00."))
    write(system, "Is anybody there?")

    rules = requests(system)[-1]["instructions"]
    assert '"local_time": "12:00", "people_back": "Friday, 2026-01-02 09:00"' in rules
    assert "# Opening hours" in rules
    assert texts_by(system, ref)[-1] == "Our team is back on Friday at 09:00."

    system.clock.ms += 22 * HOUR_MS  # Friday at ten
    model_says(system, model_answer("Yes."))
    write(system, "Now?", "n")
    assert "people_back" not in requests(system)[-1]["instructions"]
    assert "# Opening hours" not in requests(system)[-1]["instructions"]
