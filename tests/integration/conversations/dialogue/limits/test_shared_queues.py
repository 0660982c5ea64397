"""Records of a company above its share leave a long queue, wait in the table, and join the queue again in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from shared.aws.workers.fair_shares import GRACE_MS, ROUND_MS, share
from shared.aws.workers.fair_shares import LATE_MS as LATE_ON_STANDARD_MS
from tests.integration.conversations.steps import MINUTE_MS, texts_by

if TYPE_CHECKING:
    from types import ModuleType

    from tests.simulation.conversations.system import System

LATE_MS = ROUND_MS + GRACE_MS + 1


def occupy(
    system: System,
    function: str,
    company: str = sample_data.COMPANY,
    *,
    of: str = "runs",
    minutes: int = 10,
) -> list[str]:
    """Let a company have its share of the runs of a function's queue; returns the runs."""
    module: ModuleType = system.functions[function]
    queue = getattr(module, of)
    runs = [
        queue.begin(company, f"another-{number}", system.clock.ms + minutes * MINUTE_MS)
        for number in range(share(queue.most, 1))
    ]
    return [run for run in runs if run is not None]


def release(system: System, function: str, runs: list[str]) -> None:
    for run in runs:
        system.functions[function].runs.end(run)


def requested(system: System) -> str:
    """Request a conversation, without its first message."""
    return str(system.request(sample_data.request("sms"))["conversation_ref"])


def test_a_late_first_message_above_the_share_waits_in_the_table_and_is_sent_once(
    system: System,
) -> None:
    requested(system)
    runs = occupy(system, "ConversationsSms")
    system.clock.ms += LATE_MS
    system.drain()
    waiting = (system.sent(), len(system.due_at()))
    release(system, "ConversationsSms", runs)
    system.sweep()
    system.drain()

    assert waiting == ([], 1)
    assert (len(system.sent()), system.due_at()) == (1, [])


def test_a_record_that_was_handed_over_twice_is_sent_once(system: System) -> None:
    """The sweep is killed between the queue and the table, or a sweep runs beside it."""
    requested(system)
    occupy(system, "ConversationsSms")
    system.clock.ms += LATE_MS
    system.drain()
    before = system.snapshot()
    system.sweep()
    queued = system.fifo_queues.queues[system._queue_named("sms.fifo")].messages[:]
    system.restore(before)
    system.fifo_queues.queues[system._queue_named("sms.fifo")].messages.extend(queued)
    system.clock.ms += 10 * MINUTE_MS
    system.drain()
    system.sweep()
    system.drain()

    assert (len(system.sent()), system.due_at()) == (1, [])


@pytest.mark.parametrize(
    ("company", "late_ms"), [("neighbour", LATE_MS), (sample_data.COMPANY, MINUTE_MS)]
)
def test_a_first_message_runs_if_it_is_not_late_or_its_company_is_within_the_share(
    system: System, company: str, late_ms: int
) -> None:
    requested(system)
    occupy(system, "ConversationsSms", company)
    system.clock.ms += late_ms
    system.drain()

    assert (len(system.sent()), system.due_at()) == (1, [])


def test_a_late_reply_above_the_share_is_sent_in_a_later_round(system: System) -> None:
    ref = system.begin("sms")
    system.text("a", "Which shift is it?")
    system.run_intake()
    runs = occupy(system, "ConversationsReplies")
    system.clock.ms += LATE_MS
    system.drain()
    before, waiting = len(texts_by(system, ref)), len(system.due_at())
    release(system, "ConversationsReplies", runs)
    system.sweep()
    system.advance(MINUTE_MS)

    assert (before, waiting) == (1, 1)
    assert (len(texts_by(system, ref)), system.due_at()) == (2, [])


def written_by_a_person(system: System) -> None:
    """A conversation that a person has taken over, with two messages that wait on the queue of agents."""
    ref = system.begin("sms")
    system.call_admin_api("POST /conversations/{ref}/take-over", {}, ref=ref)
    for text in ("One moment.", "It is the early shift."):
        system.call_admin_api("POST /conversations/{ref}/messages", {"text": text}, ref=ref)
    system.clock.ms += LATE_ON_STANDARD_MS + 1


def texts_of_people(system: System) -> list[str]:
    """The texts that the provider has accepted after the first message, in their order."""
    return [str(request["Body"]) for request in system.sent()[1:]]


def test_late_messages_of_agents_above_the_share_are_hidden_and_sent_in_their_order(
    system: System,
) -> None:
    written_by_a_person(system)
    runs = occupy(system, "ConversationsReplies", of="agents_runs", minutes=60)
    system.advance(50 * MINUTE_MS)
    before = texts_of_people(system)
    for run in runs:
        system.functions["ConversationsReplies"].agents_runs.end(run)
    system.advance(20 * MINUTE_MS)

    # More receives than a record has attempts.
    assert before == []
    assert texts_of_people(system) == ["One moment.", "It is the early shift."]
    assert system.fifo_queues.dead_letters == []


def test_messages_of_agents_are_sent_while_another_company_has_its_share(system: System) -> None:
    written_by_a_person(system)
    occupy(system, "ConversationsReplies", "neighbour", of="agents_runs")
    system.drain()

    assert texts_of_people(system) == ["One moment.", "It is the early shift."]
