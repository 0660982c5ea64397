"""The names that the operations API looks for are in the template."""

from __future__ import annotations

from typing import Any

import pytest

from console.operations import prices
from console.operations.deployment import INDEXES, MEMORY_MB, QUEUES, SWITCHES
from tests.cost import report
from tests.cost.idle import idle
from tests.template import environment, properties, resources, stacks

PREFIX = "parley-dev-"


def named(kind: str, attribute: str) -> dict[str, dict[str, Any]]:
    found = [properties(name) for name in resources(kind)]
    return {str(one[attribute]): one for one in found if attribute in one}


def test_all_queues_are_shown() -> None:
    assert sorted(named("AWS::SQS::Queue", "QueueName")) == sorted(
        PREFIX + queue.name for queue in QUEUES
    )


def test_all_functions_are_counted_with_their_memory() -> None:
    functions = named("AWS::Serverless::Function", "FunctionName")

    assert {name: one.get("MemorySize", 256) for name, one in functions.items()} == {
        PREFIX + name: memory for name, memory in MEMORY_MB.items()
    }, "correct MEMORY_MB in functions/console/operations/deployment.py"


def test_functions_that_change_data_over_the_api_write_the_audit_log() -> None:
    asked = {
        f"{event['Properties']['Method']} {event['Properties']['Path']}"
        for name in resources("AWS::Serverless::Function")
        for event in properties(name).get("Events", {}).values()
        if event["Type"] == "Api"
        and "AUDIT_LOG_RETENTION_DAYS" not in environment(name)
        and "Auth" not in event["Properties"]
    }

    assert {line for line in asked if not line.startswith("GET ")} == set()


def test_all_tables_are_counted_with_their_indexes() -> None:
    names = environment("OperationsApi")["TABLES"].split(",")
    tables = {
        name: [index["IndexName"] for index in one.get("GlobalSecondaryIndexes", ())]
        for name, one in named("AWS::DynamoDB::Table", "TableName").items()
    }

    assert tables == dict(zip(names, map(list, INDEXES.values()), strict=True))


def test_all_switches_but_those_of_the_help_desk_are_shown() -> None:
    parameters = {
        name.removeprefix("/parley/dev/")
        for name in named("AWS::SSM::Parameter", "Name")
        if name.count("/") > 3 and "/richpanel/" not in name
    }

    assert parameters == {f"{path}/{name}" for path, names in SWITCHES.values() for name in names}


def test_alarms_are_found_by_the_name_of_their_stack() -> None:
    assert "Monitoring" in stacks()
    assert environment("OperationsApi")["ALARM_PREFIX"] == "parley-dev-Monitoring-"


def test_prices_are_those_of_the_cost_report() -> None:
    assert pytest.approx(idle.DOLLARS_A_GIGABYTE_SECOND * 1_000_000) == prices.GIGABYTE_SECOND
    assert idle.DOLLARS_A_MILLION_INVOCATIONS == prices.INVOCATION
    assert idle.DOLLARS_A_MILLION_CALLS[True] == prices.QUEUE_CALL
    assert idle.DOLLARS_A_GIGABYTE_OF_LOGS == prices.LOG_MEGABYTE / 1_000
    assert report.DOLLARS_A_WRITE_UNIT == prices.WRITE_UNIT
    assert report.DOLLARS_A_READ_UNIT == prices.READ_UNIT
