"""
The WebSocket API may be killed before or after any call it makes, and any call may fail: a ticket opens at most one
connection, and a client that was refused gets in with another ticket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.console.live import STAGE, LiveParts, live_parts, messages_to
from tests.simulation.interceptor import Fault, When
from tests.simulation.whatsapp.conftest import _system
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.system import System

__all__ = ["_system"]  # a fixture
TYPING = '{"typing": {"context": "whatsapp", "key": "k"}}'
# $connect reads the ticket, then exchanges it for the connection.
CONNECTS = (1, 2)
# A message: the connection by its id, its update, the company's connections, a post.
RELAYS = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def _live(_system: System) -> Iterator[LiveParts]:
    system = _system.reset()
    inbox = create_table(system.dynamodb, "InboxTable", **STAGE)
    with live_parts(system) as live:
        yield live
    system.dynamodb.delete_table(TableName=inbox)


@pytest.fixture
def live(_live: LiveParts) -> LiveParts:
    _live.clear()
    return _live


def test_the_runs_make_the_calls_that_are_killed_below(live: LiveParts) -> None:
    calls = live.system.interceptor.calls
    ticket = live.ticket("acme")
    calls.clear()
    assert live.connect(ticket, "kim") == 200
    assert len(calls) == len(CONNECTS)
    live.connect(live.ticket("acme", "user:lee"), "lee")
    calls.clear()
    assert live.send("$default", "kim", body=TYPING) == 200

    assert len(calls) == len(RELAYS)
    assert [list(one) for one in messages_to("lee")] == [["typing"]]


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("number", CONNECTS)
def test_a_killed_connect_leaves_the_ticket_or_the_connection_and_never_both(
    live: LiveParts, number: int, when: When
) -> None:
    ticket = live.ticket("acme")
    live.system.interceptor.rewind()
    live.system.interceptor.die_at = (number, when)

    assert live.connect(ticket, "one") is None

    assert live.tickets() + len(live.connected()) == 1
    # API Gateway refused the first connection; the client tries again with a new ticket, an attacker with the old one.
    statuses = [live.connect(ticket, "again"), live.connect(ticket, "third")]
    assert statuses in ([200, 401], [401, 401])
    assert live.connect(live.ticket("acme"), "new") == 200


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("number", CONNECTS)
def test_a_call_of_connect_that_fails_consumes_the_ticket_at_most_once(
    live: LiveParts, number: int, fault: Fault
) -> None:
    ticket = live.ticket("acme")
    live.system.interceptor.rewind()
    live.system.interceptor.fault_at = (number, fault)

    status = live.connect(ticket, "one")
    live.system.interceptor.fault_at = None

    is_open = fault is Fault.LOST_ANSWER  # the SDK repeats it; a transaction has a token
    assert status == (200 if is_open else 503)
    assert live.connect(ticket, "two") == (401 if is_open else 200)
    assert live.connected() == ["one" if is_open else "two"]


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("number", RELAYS)
def test_a_killed_relay_leaves_the_connections_as_they_were(
    live: LiveParts, number: int, when: When
) -> None:
    for name in ("kim", "lee"):
        live.connect(live.ticket("acme", f"user:{name}"), name)
    live.system.interceptor.rewind()
    live.system.interceptor.die_at = (number, when)

    assert live.send("$default", "kim", body=TYPING) is None

    assert live.connected() == ["kim", "lee"]
    assert len(messages_to("lee")) == (number == RELAYS[-1] and when is When.AFTER)


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("number", [1, 2])
def test_a_killed_disconnect_is_completed_by_a_repeat(
    live: LiveParts, number: int, when: When
) -> None:
    live.connect(live.ticket("acme"), "one")
    live.system.interceptor.rewind()
    live.system.interceptor.die_at = (number, when)

    assert live.send("$disconnect", "one") is None
    assert live.send("$disconnect", "one") == 200

    assert live.connected() == []
