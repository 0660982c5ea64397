"""Records of a company above its share leave a long queue, wait in the table, and join the queue again in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from shared.aws.fair_shares import GRACE_MS, ROUND_MS, share
from tests.integration.conversations.steps import MINUTE_MS, texts_by

if TYPE_CHECKING:
    from types import ModuleType

    from tests.simulation.conversations.system import System

LATE_MS = ROUND_MS + GRACE_MS + 1


def occupy(system: System, function: str, company: str = sample_data.COMPANY) -> list[str]:
    """Let a company have its share of the runs of a function's queue; returns the runs."""
    module: ModuleType = system.functions[function]
    runs = [
        module.runs.begin(company, f"another-{number}", system.clock.ms + 10 * MINUTE_MS)
        for number in range(share(module.runs.most, 1))
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
