"""The sample events of single functions, as `sam local invoke` sends them."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from events.console import direct
from tests.integration.console.operations.operations import operations_on_moto
from tests.integration.console.system import Invocation, inbox_on_moto
from tests.template import create_table, environment, properties

if TYPE_CHECKING:
    from types import ModuleType

SAMPLES = {one.name: one for one in direct.direct_events()}
TABLES = ("WhatsAppTable", "ConversationsTable", "EmailThreadsTable")


def handler_of(function: str, patch: pytest.MonkeyPatch) -> ModuleType:
    for name, value in environment(function).items():
        patch.setenv(name, value)
    module = str(properties(function)["Handler"]).rpartition(".")[0]
    return importlib.reload(importlib.import_module(module))


@pytest.mark.parametrize("name", ["whatsapp_change", "conversation_change", "thread_change"])
def test_a_change_of_a_head_that_does_not_exist_is_done_and_shows_nothing(name: str) -> None:
    with mock_aws(), inbox_on_moto() as inbox, pytest.MonkeyPatch.context() as patch:
        dynamodb = boto3.client("dynamodb")
        for table in TABLES:
            create_table(dynamodb, table)
        module: Any = handler_of(SAMPLES[name].function, patch)
        read: list[str] = []
        heads = module.inbox_feed.heads
        patch.setattr(type(heads), "read", lambda _, reference: read.append(reference))

        answer = module.handler(SAMPLES[name].event, Invocation())

        assert answer == {"batchItemFailures": []}
        assert len(read) == 1
        assert inbox.entries() == {}


def test_the_inbox_without_entries_is_empty() -> None:
    with mock_aws(), inbox_on_moto() as inbox:
        answer = inbox.module.handler(SAMPLES["list_inbox"].event, Invocation())

        assert answer["statusCode"] == 200
        result = json.loads(answer["body"])["result"]
        assert result == {"conversations": [], "lookedAt": 0, "readUnits": 0}


def test_the_queues_of_the_deployment_are_listed() -> None:
    with mock_aws(), operations_on_moto() as operations:
        answer = operations.module.handler(SAMPLES["list_queues"].event, Invocation())

        assert answer["statusCode"] == 200
        assert json.loads(answer["body"])["result"]["queues"][0]["name"] == "whatsapp.fifo"
