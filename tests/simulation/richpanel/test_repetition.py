"""Events repeated after minutes or weeks, and events after a crashed one: handled once, none lost."""

from __future__ import annotations

import pytest

from richpanel.clients.helpdesk import HelpDesk
from tests.simulation.effort import EFFORT
from tests.simulation.fifo import DEDUPLICATION_MS
from tests.simulation.richpanel.left import check_at_rest, differences, left_by
from tests.simulation.richpanel.scenarios import (
    AGENT,
    DISPUTE,
    EVERY,
    TICKET,
    WHERE,
    Scenario,
    asks,
    minimal,
    named,
    opens,
    writes,
)
from tests.simulation.richpanel.world import World
from tests.simulation.wire import When

WEEKS_MS = 29 * 86_400_000
# A call about a missing ticket names another one in this test.
REPEATED = [one for one in EVERY if one.name != "a ticket that nobody knows"][
    :: 1 if EFFORT > 1 else 3
]


@pytest.mark.parametrize("scenario", REPEATED, ids=lambda scenario: scenario.name)
def test_a_repeated_event_has_no_second_effect(world: World, scenario: Scenario) -> None:
    scenario.begin(world)
    world.work_off()
    clean = left_by(world)
    for later_ms in (2 * DEDUPLICATION_MS, WEEKS_MS):
        world.clock.ms += later_ms
        for call in (minimal(), named("m-1"), minimal(channel="livechat")):
            world.call(call)
        world.work_off()
    assert differences(clean, left_by(world)) == []


def test_a_message_that_becomes_visible_late_without_an_id_is_handled(world: World) -> None:
    """Two in one second; the one with the larger id becomes visible first."""
    opens(world)
    writes(world, WHERE, "z")
    world.call(minimal())
    world.work_off()
    writes(world, DISPUTE, "a")
    world.call(minimal())
    world.work_off()

    left = left_by(world)
    check_at_rest(world, left)
    assert left.events[f"evt:rp:{TICKET}:a"]["reason"] == "tier0_always_handoff"
    assert left.states[TICKET]["risk_flags"] == {"chargeback"}
    assert left.states[TICKET]["last_processed_message_id"] == "z"


@pytest.mark.parametrize("number", range(5, 26, 5))
def test_a_dispute_after_a_message_whose_worker_crashed_results_in_one_route(
    world: World, number: int
) -> None:
    """The redelivery handles both in one run: the second must read the ticket as the first changed it."""
    asks(world)
    world.wire.rewind()
    world.wire.die_at = (number, When.AFTER)
    ((lane, message),) = world.lanes.receive()
    world.run_worker(lane, message)
    writes(world, DISPUTE, "m-2")
    world.call(named("m-2"))
    world.wire.rewind()
    world.work_off()

    left = left_by(world)
    check_at_rest(world, left)
    assert "route-chargebacks-disputes" in left.tickets[TICKET]["tags"]
    assert len(left.sent) <= 1


def test_a_delayed_reply_is_dropped_if_an_agent_answered_first(world: World) -> None:
    opens(world, WHERE)
    world.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    world.call(named("m-1"))
    ((lane, message),) = world.lanes.receive()
    world.run_worker(lane, message)
    assert world.rows()["state", TICKET]["last_auto_reply"]["source_message_id"] == "m-1"
    writes(world, "I am on it.", "o-1", author_id=AGENT, is_operator=True)
    world.work_off()

    left = left_by(world)
    assert left.sent == []
    assert left.events[f"evt:rp:{TICKET}:m-1"]["reason"] == "person_active"
    # No reply was sent: no question is pending, and the next message may be answered.
    assert {"last_auto_reply", "auto_reply_times", "pending_flow"}.isdisjoint(left.states[TICKET])


def test_a_tag_created_concurrently_parks_no_event(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens(world, WHERE)
    del world.sandbox.help_desk.tags["mw-intent-order-status"]
    create_tag = HelpDesk.create_tag

    def behind_somebody(desk: HelpDesk, name: str) -> None:
        world.sandbox.help_desk.add_tag(name)
        create_tag(desk, name)

    monkeypatch.setattr(HelpDesk, "create_tag", behind_somebody)
    world.call(named("m-1"))
    world.work_off()

    left = left_by(world)
    assert left.events[f"evt:rp:{TICKET}:m-1"]["status"] == "processed"
    assert "mw-intent-order-status" in left.tickets[TICKET]["tags"]
