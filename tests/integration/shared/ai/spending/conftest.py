"""The spending table in moto, a clock, and the costs that the tests reserve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from shared.ai.spending.budget import Cause, Spending
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

NOON = 1_772_452_800_000  # 2026-03-02T12:00Z
DATE = "2026-03-02"
MAILBOX, COMPANY = "help@shop.example", "acme"


class Clock:
    """A clock that a test moves."""

    now = NOON

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    virtual = Clock()
    monkeypatch.setattr(clock, "now_ms", virtual)
    return virtual


@pytest.fixture(scope="module")
def _table() -> Iterator[tuple[DynamoDBClient, str]]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield client, create_table(client, "SpendingTable")


@pytest.fixture
def table(time: Clock, _table: tuple[DynamoDBClient, str]) -> Table:
    client, name = _table
    for item in client.scan(TableName=name)["Items"]:
        client.delete_item(TableName=name, Key={"pk": item["pk"], "sk": item["sk"]})
    return Table(client, name)


@pytest.fixture
def spending(table: Table) -> Spending:
    return Spending(table, 100, 1_000)


def cause(event: str, sender: str = "a" * 40, **more: Any) -> Cause:
    """A message to the only mailbox of the only company."""
    return Cause(
        **{"company": COMPANY, "address": MAILBOX, "sender": sender, "event": event, **more}
    )
