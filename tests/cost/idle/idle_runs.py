"""
The calls of AWS that a scheduled function makes in an hour without events, counted on the template's empty resources.

    python -m tests.cost.idle.idle_runs    prints the calls of the hour by function and service, as JSON

Each function is run in a process of its own, since its settings are read at import: a fork of one with the resources.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache, partial
from multiprocessing import get_context
from types import SimpleNamespace
from typing import Any, Final

from tests import template

MINUTES: Final = 60
# Of the services that bill calls.
COUNTED: Final = ("dynamodb", "secretsmanager", "sqs")


def schedules(**given: str) -> dict[str, int]:
    """The functions that run whether or not there are events, with the minutes between their runs; not the canary."""
    found = {}
    for name in template.resources("AWS::Serverless::Function"):
        for event in template.properties(name, **given).get("Events", {}).values():
            is_on = event["Properties"].get("State") == "ENABLED"
            if event["Type"] == "Schedule" and is_on and name != "WhatsAppCanary":
                rate = event["Properties"]["Schedule"].removeprefix("rate(").split()[0]
                found[name] = int(rate)
    return found


@cache
def calls_of_an_hour() -> dict[str, dict[str, int]]:
    """Run an hour of each function's schedule and return its calls by service."""
    paths = os.pathsep.join((".", "functions", "layers/shared"))
    run = subprocess.run(
        [sys.executable, "-m", "tests.cost.idle.idle_runs"],
        cwd=template.ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    calls: dict[str, dict[str, int]] = json.loads(run.stdout.splitlines()[-1])
    return calls


def _environment(function: str) -> dict[str, str]:
    return {
        **template.environment(function),
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": template.REGION,
        "POWERTOOLS_TRACE_DISABLED": "true",
    }


def _create_resources() -> None:
    import boto3  # noqa: PLC0415 - after moto's mock

    dynamodb, sqs = boto3.client("dynamodb"), boto3.client("sqs")
    ssm, secrets = boto3.client("ssm"), boto3.client("secretsmanager")
    for name in template.resources("AWS::DynamoDB::Table"):
        template.create_table(dynamodb, name)
    for name in template.resources("AWS::SQS::Queue"):
        template.create_queue(sqs, name)
    for name in filter(template.exists, template.resources("AWS::SSM::Parameter")):
        template.put_parameter(ssm, name)
    for name in template.resources("AWS::SecretsManager::Secret"):
        text = json.dumps({"accounts": {}, "salt": "s" * 64, "identifier_key": "k" * 64})
        secrets.create_secret(Name=template.properties(name)["Name"], SecretString=text)


def _print_calls() -> None:
    from moto import mock_aws  # noqa: PLC0415 - only the child process needs it

    from tests.aws import quick_aws  # noqa: PLC0415 - as above

    quick_aws.hasten()
    names = sorted(schedules())
    os.environ.update(_environment(names[0]))  # all have the same region and keys
    with mock_aws():
        _create_resources()
        with get_context("fork").Pool(1, maxtasksperchild=1) as processes:
            calls = processes.map(_run_an_hour, names, chunksize=1)
    print(json.dumps(dict(zip(names, calls, strict=True))))


def _run_an_hour(function: str) -> dict[str, int]:
    from botocore.client import BaseClient  # noqa: PLC0415 - after moto's mock

    from shared.runtime import clock  # noqa: PLC0415 - only the child process has its path

    calls: Counter[str] = Counter()
    # Both are private: botocore has no event for a call of any client.
    send: Any = BaseClient._make_api_call  # type: ignore[attr-defined] # see above

    def counted(client: Any, operation: str, arguments: Any) -> Any:
        calls[client.meta.service_model.service_name] += 1
        return send(client, operation, arguments)

    BaseClient._make_api_call = counted  # type: ignore[attr-defined] # see above
    os.environ.update(_environment(function))
    module = template.properties(function)["Handler"].rpartition(".")[0]
    handler = importlib.import_module(module).handler
    context = SimpleNamespace(
        function_name=function,
        memory_limit_in_mb=256,
        invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:f",
        aws_request_id="1",
        get_remaining_time_in_millis=lambda: 50_000,
    )
    for minute in range(0, MINUTES, schedules()[function]):
        time = f"2026-11-28T10:{minute:02}:00Z"
        now_ms = clock.from_text(time)
        clock.now_ms = partial(int, now_ms)
        handler({"time": time}, context)
    return {name: calls[name] for name in COUNTED}


if __name__ == "__main__":
    _print_calls()
