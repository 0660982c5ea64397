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
# A message: the connection by its id, its update, the company's connections, their revocations, a post.
RELAYS = (1, 2, 3, 4, 5)
# A sign-out: the revocation, the person's connections by key, then whole, and for each its end and its item; then the
# person's browsers that get pushes.
SIGN_OUTS = (1, 2, 3, 4, 5, 6)


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


@pytest.mark.long
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
    calls.clear()
    assert live.sign_out("acme") == 200
    assert len(calls) == len(SIGN_OUTS)


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


@pytest.mark.parametrize("when", When)
@pytest.mark.parametrize("number", SIGN_OUTS)
def test_a_killed_sign_out_has_ended_access_or_nothing_and_a_repeat_completes_it(
    live: LiveParts, number: int, when: When
) -> None:
    for name in ("kim", "lee"):
        live.connect(live.ticket("acme", f"user:{name}"), name)
    unused = live.ticket("acme")
    live.system.interceptor.rewind()
    live.system.interceptor.die_at = (number, when)

    assert live.sign_out("acme") is None

    is_revoked = number > 1 or when is When.AFTER
    live.system.clock.ms += 5_000
    assert live.send("$default", "lee", body=TYPING) == 200
    assert bool(messages_to("kim")) is not is_revoked
    assert live.connect(unused, "later") == (401 if is_revoked else 200)
    assert live.sign_out("acme") == 200
    assert live.connected() == ["lee"]


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("number", SIGN_OUTS)
def test_a_call_of_a_sign_out_that_fails_leaves_no_hint_to_the_person_once_access_has_ended(
    live: LiveParts, number: int, fault: Fault
) -> None:
    for name in ("kim", "lee"):
        live.connect(live.ticket("acme", f"user:{name}"), name)
    live.system.interceptor.rewind()
    live.system.interceptor.fault_at = (number, fault)

    status = live.sign_out("acme")
    live.system.interceptor.fault_at = None

    is_revoked = number > 1 or fault is Fault.LOST_ANSWER
    assert status in {200, 500, 503}
    assert is_revoked or status != 200
    live.system.clock.ms += 5_000
    live.send("$default", "lee", body=TYPING)
    assert bool(messages_to("kim")) is not is_revoked
    assert live.sign_out("acme") == 200
    assert live.connected() == ["lee"]
