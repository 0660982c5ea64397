"""The action ledger over moto, with a virtual clock and sends of a given outcome."""

from collections.abc import Callable, Iterator

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.providers.action_ledger import Action, Ledger, OnDoubt, State
from shared.runtime import clock
from tests.template import create_table

NOW = 1_767_268_800_000


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    virtual = Clock()
    monkeypatch.setattr(clock, "now_ms", virtual)
    return virtual


@pytest.fixture
def ledger(time: Clock) -> Iterator[Ledger[Action]]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Ledger(
            Table(client, create_table(client, "WhatsAppTable")),
            lambda i: {"pk": f"ACTION#{i}"},
            Action,
        )


class FakeSend:
    """Counts attempts and ends each one with the given outcome."""

    def __init__(self, *ends: Exception | str) -> None:
        self._ends = list(ends)
        self.attempts = 0

    def __call__(self) -> str:
        self.attempts += 1
        end = self._ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end


def perform(
    ledger: Ledger[Action],
    send: Callable[[], str],
    policy: OnDoubt = OnDoubt.AT_MOST_ONCE,
    evidence: Callable[[Action], str | None] = lambda _: None,
) -> State:
    action = Action(
        action_id="a1", company="acme", channel="whatsapp", provider="graph", on_doubt=policy
    )
    return ledger.perform(action, owner="worker", remaining_ms=30_000, send=send, evidence=evidence)


def state(ledger: Ledger[Action]) -> tuple[State, int]:
    action = ledger.action("a1")
    assert action is not None
    return action.state, action.attempt
