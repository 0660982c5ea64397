"""Marks and quotes from a webhook to the model's request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.conversations.content.model_input import (
    ANSWER,
    begin,
    newest_input,
    requests,
)
from tests.integration.conversations.steps import (
    last_sid,
    model_answer,
    model_says,
    status_of,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def test_the_rules_of_marks_are_left_out_of_conversations_without_marks(system: System) -> None:
    begin(system)
    model_says(system, ANSWER)

    system.whatsapp("m", "Hello")
    system.drain()

    assert "# Marks" not in requests(system)[-1]["instructions"]


def test_a_quoted_message_beyond_the_history_is_looked_up_once_for_the_newest_messages(
    system: System,
) -> None:
    ref = begin(system)
    first = last_sid(system, ref)
    opening = system.log(ref)[0]["content"]
    for number in range(11):
        model_says(system, model_answer(f"Answer {number} of several."))
        system.whatsapp(f"m{number}", f"Question {number}: which one is it?")
        system.drain()
    model_says(system, ANSWER)

    system.whatsapp("q", "Yes, I can", OriginalRepliedMessageSid=first)
    system.drain()

    assert newest_input(system).startswith(f'[quoting: we wrote "{opening[:40]}')
    assert newest_input(system).endswith("Yes, I can")


def test_a_quoted_opt_out_hint_is_no_opt_out(system: System) -> None:
    """Words of the company in a quote are not the customer's."""
    ref = begin(system)
    model_says(system, model_answer("To opt out, write that you want no more messages from us."))
    system.whatsapp("a", "How do I opt out?")
    system.drain()
    hint = last_sid(system, ref)
    model_says(
        system,
        model_answer("", function_call={"name": "opt_out", "arguments": "{}"}),
    )

    system.whatsapp("b", "OK good to know", OriginalRepliedMessageSid=hint)
    system.drain()

    assert status_of(system, ref)[0] == "handoff_pending"
