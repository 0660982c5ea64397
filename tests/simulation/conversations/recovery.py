"""Operator actions in a system: list, replay and redrive parked events and dead letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.events.recovery import dead_letters, parked_events
from shared.events.recovery.port import Filter

if TYPE_CHECKING:
    from conversations.recovery.parked_events import ParkedRecord
    from shared.events.recovery.port import Recovery
    from shared.events.recovery.views import ParkedEvent, Redriven
    from tests.simulation.conversations.system import System


def recovery(system: System) -> Recovery[ParkedRecord]:
    """The dependencies of the admin function; their calls go through the interceptor."""
    found: Recovery[ParkedRecord] = system.functions["ConversationsAdmin"].recovery
    return found


def parked(system: System, *, is_waiting: bool = True) -> list[ParkedEvent]:
    """The parked events, newest first; replayed ones only on request."""
    store = recovery(system).parked
    criteria = Filter(states=store.waiting if is_waiting else None)
    return [one.view for one in parked_events.listed(store, criteria, limit=100)[0]]


def replay(system: System, event_id: str) -> None:
    """Replay one parked event."""
    parked_events.replay(recovery(system).parked, event_id, None)


def redriven(system: System, ids: list[str] | None = None) -> list[Redriven]:
    """Redrive dead letters, all or those with these ids."""
    results: list[Redriven] = []
    queues = recovery(system).dead_letters
    dead_letters.redrive(queues, ids=ids, limit=100, report=results.append)
    return results
