"""Reservations that are part of another row."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from shared.aws.dynamodb import Table
from shared.providers.action_ledger import Action, Ledger, OnDoubt, State
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime.failures import Transient
from tests.integration.shared.action_ledger.conftest import (
    NOW,
    Clock,
    FakeSend,
    perform,
    state,
)


class Elsewhere:
    """A row of the caller that contains a reservation; it refuses a second one."""

    def __init__(self) -> None:
        self.reserved: Action | None = None

    def __call__(self, action: Action) -> None:
        if self.reserved is not None:
            raise Transient("overtaken")
        self.reserved = action


def perform_reserved(
    ledger: Ledger[Action], send: Callable[[], str], reserve: Callable[[Action], None]
) -> State:
    action = Action(
        action_id="a1",
        company="acme",
        channel="whatsapp",
        provider="graph",
        on_doubt=OnDoubt.AT_MOST_ONCE,
    )
    return ledger.perform_reserved(
        action, owner="worker", remaining_ms=30_000, reserve=reserve, send=send
    )


def test_an_action_that_is_reserved_in_another_row_is_written_once_with_its_outcome(
    ledger: Ledger[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    put = Table.put

    def counted(table: Table, item: Any, **more: Any) -> None:
        written.append("put")
        put(table, item, **more)

    monkeypatch.setattr(Table, "put", counted)
    monkeypatch.setattr(Table, "update", lambda *_, **__: written.append("update"))
    elsewhere = Elsewhere()

    assert perform_reserved(ledger, FakeSend("wamid.1"), elsewhere) is State.SENT

    action, reserved = ledger.action("a1"), elsewhere.reserved
    assert action is not None
    assert reserved is not None
    assert written == ["put"]
    assert (action.state, action.provider_id) == (State.SENT, "wamid.1")
    assert (action.owner, action.deadline) == (reserved.owner, reserved.deadline)
    assert reserved.deadline == NOW + 30_000 + 60_000


def test_an_action_whose_reservation_in_another_row_fails_is_not_sent(
    ledger: Ledger[Action],
) -> None:
    elsewhere, send = Elsewhere(), FakeSend("wamid.1")
    elsewhere(Action(action_id="a1", channel="sms", provider="x", on_doubt=OnDoubt.AT_MOST_ONCE))

    with pytest.raises(Transient, match="overtaken"):
        perform_reserved(ledger, send, elsewhere)
    assert send.attempts == 0
    assert ledger.action("a1") is None


@pytest.mark.parametrize(
    ("end", "left"), [(Refused("graph_131026"), State.FAILED), (NotSent("busy"), State.RESERVED)]
)
def test_other_outcomes_of_an_action_reserved_in_another_row_are_written_too(
    ledger: Ledger[Action], end: Exception, left: State
) -> None:
    with suppress(Transient):
        perform_reserved(ledger, FakeSend(end), Elsewhere())

    assert state(ledger) == (left, 1)


def test_an_unsent_action_reserved_in_another_row_is_retried_from_its_own_item(
    ledger: Ledger[Action],
) -> None:
    with pytest.raises(Transient, match="not_sent"):
        perform_reserved(ledger, FakeSend(NotSent("busy")), Elsewhere())

    assert perform(ledger, FakeSend("wamid.1")) is State.SENT
    assert state(ledger) == (State.SENT, 2)


def test_a_reservation_in_another_row_is_in_doubt_once_it_is_entered_in_the_ledger(
    ledger: Ledger[Action], time: Clock
) -> None:
    elsewhere = Elsewhere()
    with pytest.raises(Transient, match="send_in_doubt"):
        perform_reserved(ledger, FakeSend(InDoubt("timeout")), elsewhere)
    assert elsewhere.reserved is not None
    assert ledger.action("a1") is None

    assert ledger.enter(elsewhere.reserved).state is State.RESERVED
    with pytest.raises(Transient, match="send_in_progress"):
        perform(ledger, FakeSend())
    time.now = elsewhere.reserved.deadline + 1

    assert perform(ledger, FakeSend()) is State.UNKNOWN


def test_entering_a_reservation_does_not_change_its_outcome(ledger: Ledger[Action]) -> None:
    elsewhere = Elsewhere()
    perform_reserved(ledger, FakeSend("wamid.1"), elsewhere)
    assert elsewhere.reserved is not None

    assert ledger.enter(elsewhere.reserved).state is State.SENT
    assert state(ledger) == (State.SENT, 1)


def test_an_attempt_whose_reservation_was_entered_meanwhile_writes_its_outcome_there(
    ledger: Ledger[Action],
) -> None:
    elsewhere = Elsewhere()

    def slow() -> str:
        assert elsewhere.reserved is not None
        ledger.enter(elsewhere.reserved)
        return "wamid.1"

    assert perform_reserved(ledger, slow, elsewhere) is State.SENT
    assert state(ledger) == (State.SENT, 1)
    action = ledger.action("a1")
    assert action is not None
    assert action.provider_id == "wamid.1"
