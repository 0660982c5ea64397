"""The state table over moto, the provider sandbox, and a clock that advances only during waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from local.sandbox import Sandbox, running
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.shipstation import ShipStation
from richpanel.clients.shop_access import ShopAccess, TokenCache
from richpanel.clients.shopify import Shopify
from richpanel.store.items import TTL_ATTRIBUTE
from richpanel.store.rate_limit import Limiter, Priority
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.richpanel.harness import Harness, open_harness
from tests.integration.richpanel.inbound.ingress import Ingress, open_ingress
from tests.template import create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOW = 1_772_456_400_000  # 2026-03-02T13:00:00Z


@dataclass
class Time:
    """A clock that advances only by waits, which return at once."""

    ms: int = NOW
    waits: list[int] = field(default_factory=list)

    def now_ms(self) -> int:
        return self.ms

    def sleep_ms(self, milliseconds: int) -> None:
        self.waits.append(milliseconds)
        self.ms += milliseconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(clock, "now_ms", time.now_ms)
    monkeypatch.setattr(clock, "sleep_ms", time.sleep_ms)
    return time


@pytest.fixture
def dynamodb() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield boto3.client("dynamodb")


@pytest.fixture
def state_table(dynamodb: DynamoDBClient) -> Table:
    name = create_table(dynamodb, "RichpanelConversationStateTable")
    return Table(dynamodb, name, TTL_ATTRIBUTE)


@pytest.fixture(scope="session")
def _sandbox() -> Iterator[Sandbox]:
    with running() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(_sandbox: Sandbox) -> Sandbox:
    _sandbox.reset()
    return _sandbox


@pytest.fixture
def help_desk_client(sandbox: Sandbox, state_table: Table, time: Time) -> HelpDesk:
    """The help-desk client of a chat worker with one minute left."""
    return HelpDesk(f"{sandbox.url}/v1", "a-key", Limiter(state_table), Priority.CHAT, NOW + 60_000)


@pytest.fixture
def shop(sandbox: Sandbox, time: Time) -> Shopify:
    access = ShopAccess(sandbox.url, TokenCache(), static="a-token")
    return Shopify(sandbox.url, "2026-01", access, NOW + 60_000)


@pytest.fixture
def shipping(sandbox: Sandbox, time: Time) -> ShipStation:
    return ShipStation(sandbox.url, "a-key", "a-secret", NOW + 60_000)


@pytest.fixture
def harness(sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient) -> Harness:
    """A worker with all switches open."""
    return open_harness(sandbox, time)


@pytest.fixture
def ingress() -> Iterator[Ingress]:
    """The webhook, created per test."""
    with open_ingress() as opened:
        yield opened
