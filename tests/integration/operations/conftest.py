"""The template's tables on moto, for the operators' commands."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.template import create_table
from whatsapp import store

NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Table(client, create_table(client, "ApiKeysTable"))


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    store.phones.forget()
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Table(client, create_table(client, "WhatsAppTable"))
