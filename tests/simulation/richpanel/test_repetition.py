"""Events repeated after minutes or weeks, and events after a crashed one: handled once, none lost."""

from __future__ import annotations

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.inbound import wakeups
from richpanel.inbound.channels import Channel
from richpanel.inbound.wakeups import WakeupEvent
from tests.integration.logs import conditions
from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import When
from tests.simulation.queues.fifo import DEDUPLICATION_MS
from tests.simulation.richpanel.final_state import check_at_rest, differences, final_state_of
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
from tests.simulation.richpanel.system import System

WEEKS_MS = 29 * 86_400_000
# A call about a missing ticket names another one in this test.
REPEATED = [one for one in EVERY if one.name != "an unknown ticket"][:: 1 if EFFORT > 1 else 3]


@pytest.mark.parametrize("scenario", REPEATED, ids=lambda scenario: scenario.name)
def test_a_repeated_event_has_no_second_effect(system: System, scenario: Scenario) -> None:
    scenario.begin(system)
    system.drain()
    clean = final_state_of(system)
    for later_ms in (2 * DEDUPLICATION_MS, WEEKS_MS):
        system.clock.ms += later_ms
        for call in (minimal(), named("m-1"), minimal(channel="livechat")):
            system.call(call)
        system.drain()
    assert differences(clean, final_state_of(system)) == []


def test_a_message_that_becomes_visible_late_without_an_id_is_handled(system: System) -> None:
    """Two in one second; the one with the larger id becomes visible first."""
    opens(system)
    writes(system, WHERE, "z")
    system.call(minimal())
    system.drain()
    writes(system, DISPUTE, "a")
    system.call(minimal())
    system.drain()

    final = final_state_of(system)
    check_at_rest(system, final)
    assert final.events[f"evt:rp:{TICKET}:a"]["reason"] == "tier0_always_handoff"
    assert final.states[TICKET]["risk_flags"] == {"chargeback"}
    assert final.states[TICKET]["last_processed_message_id"] == "z"


@pytest.mark.parametrize("number", range(5, 26, 5))
def test_a_dispute_after_a_message_whose_worker_crashed_results_in_one_route(
    system: System, number: int
) -> None:
    """The redelivery handles both in one run: the second must read the ticket as the first changed it."""
    asks(system)
    system.interceptor.rewind()
    system.interceptor.die_at = (number, When.AFTER)
    ((queue_name, message),) = system.fifo_queues.receive()
    system.run_worker(queue_name, message)
    writes(system, DISPUTE, "m-2")
    system.call(named("m-2"))
    system.interceptor.rewind()
    system.drain()

    final = final_state_of(system)
    check_at_rest(system, final)
    assert "route-chargebacks-disputes" in final.tickets[TICKET]["tags"]
    assert len(final.sent) <= 1


def test_a_delayed_reply_is_dropped_if_an_agent_answered_first(system: System) -> None:
    opens(system, WHERE)
    system.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=429
    )
    system.call(named("m-1"))
    ((queue_name, message),) = system.fifo_queues.receive()
    system.run_worker(queue_name, message)
    assert system.rows()["state", TICKET]["last_auto_reply"]["source_message_id"] == "m-1"
    writes(system, "I am on it.", "o-1", author_id=AGENT, is_operator=True)
    system.drain()

    final = final_state_of(system)
    assert final.sent == []
    assert final.events[f"evt:rp:{TICKET}:m-1"]["reason"] == "person_active"
    # No reply was sent: no question is pending, and the next message may be answered.
    assert {"last_auto_reply", "auto_reply_times", "pending_flow"}.isdisjoint(final.states[TICKET])


def test_a_tag_created_concurrently_parks_no_event(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens(system, WHERE)
    del system.sandbox.help_desk.tags["mw-intent-order-status"]
    create_tag = HelpDesk.create_tag

    def after_another_creator(desk: HelpDesk, name: str) -> None:
        system.sandbox.help_desk.add_tag(name)
        create_tag(desk, name)

    monkeypatch.setattr(HelpDesk, "create_tag", after_another_creator)
    system.call(named("m-1"))
    system.drain()

    final = final_state_of(system)
    assert final.events[f"evt:rp:{TICKET}:m-1"]["status"] == "processed"
    assert "mw-intent-order-status" in final.tickets[TICKET]["tags"]


def test_a_message_that_only_the_sweep_found_is_counted(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    opens(system)
    writes(system, WHERE, "m-1")
    found = WakeupEvent(
        conversation_id=TICKET, channel=Channel.EMAIL, source="sweep", deduplication="0"
    )
    wakeups.send(system.webhook.queues, [found])
    system.drain()

    assert conditions(capsys)["SweepFound"] == 1
