"""All concurrent executions are in use: webhooks are refused, workers do not start, and nothing is lost or doubled."""

from __future__ import annotations

import pytest

from tests.simulation.queues.fifo import DEDUPLICATION_MS
from tests.simulation.whatsapp.final_state import (
    as_if_never_failed,
    check_at_rest,
    differences,
    final_state_of,
    in_any_order,
)
from tests.simulation.whatsapp.recovery.test_dead_letters import DAY
from tests.simulation.whatsapp.system import System

THROTTLED_RECEIVES = 12  # more than twice the attempts that a message has


@pytest.mark.parametrize("answer", ["never ran", "ran, but its answer was lost"])
def test_a_webhook_answered_with_5xx_is_sent_again_and_stored_once(
    system: System, answer: str
) -> None:
    for event in DAY.values():
        system.deliver_until_accepted(event)
        system.drain()
    clean = final_state_of(system)

    system.reset()
    for event in DAY.values():
        if answer != "never ran":
            system.deliver_until_accepted(event)
            system.clock.sleep(DEDUPLICATION_MS / 1_000)
        # Meta sends again what was not answered with 200.
        system.deliver_until_accepted(event)
        for _ in range(THROTTLED_RECEIVES):
            while system.queue.receive():
                pass  # Lambda has read the messages, and cannot start the function.
            system.wait_for_redelivery()
        system.drain()

    final = final_state_of(system)
    assert system.queue.dead_letters == []
    assert differences(in_any_order(clean), in_any_order(as_if_never_failed(final))) == []
    check_at_rest(system, final.items)
