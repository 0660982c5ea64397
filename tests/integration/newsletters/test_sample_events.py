"""The sample events of single functions, as `sam local invoke` sends them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from events.newsletters import direct
from newsletters.inbound.events import ExportRequested, body_of
from newsletters.worker.dispatcher import EVENTS
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from types import ModuleType

    from tests.integration.newsletters.functions import Functions

SAMPLES = {one.name: one.event for one in direct.direct_events()}


def invoked(module: ModuleType, functions: Functions, name: str) -> Any:
    with quiet():
        return module.handler(SAMPLES[name], Invocation(functions.clock))


@pytest.mark.parametrize("name", ["step", "purge"])
def test_a_message_about_a_newsletter_that_does_not_exist_is_acknowledged(
    functions: Functions, name: str
) -> None:
    worker = functions.workers[functions.steps]

    assert invoked(worker, functions, name) == {"batchItemFailures": []}
    assert functions.items() == {}


def test_an_export_without_its_job_is_acknowledged_and_stores_nothing(functions: Functions) -> None:
    exports = functions.workers[functions.exports]

    assert invoked(exports, functions, "export") == {"batchItemFailures": []}
    assert (functions.items(), functions.objects()) == ({}, {})


def test_the_schedule_queues_nothing_without_open_work(functions: Functions) -> None:
    assert invoked(functions.scheduled, functions, "schedule") is None
    assert functions.items() == {}
    assert not functions.fifo_queues.queues[functions.steps].messages


def test_the_list_of_newsletters_is_empty(functions: Functions) -> None:
    answer = invoked(functions.api, functions, "list_newsletters")

    assert answer["statusCode"] == 200
    assert json.loads(answer["body"])["result"] == {"newsletters": []}


@pytest.mark.parametrize("name", ["step", "purge", "export"])
def test_the_queued_samples_have_the_format_of_the_functions(name: str) -> None:
    (record,) = SAMPLES[name]["Records"]
    adapter: Any = TypeAdapter(ExportRequested) if name == "export" else EVENTS

    event = adapter.validate_json(record["body"])

    assert json.loads(body_of(event)) == json.loads(record["body"])
