"""The sample events of single functions, as `sam local invoke` sends them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from events.newsletters import direct
from newsletters.inbound.events import ExportRequested
from newsletters.worker.dispatcher import EVENTS
from shared.events.queued_events import body_of
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from types import ModuleType

    from tests.simulation.newsletters.system import System

SAMPLES = {one.name: one.event for one in direct.direct_events()}


def invoked(module: ModuleType, system: System, name: str) -> Any:
    with quiet():
        return module.handler(SAMPLES[name], Invocation(system.clock))


@pytest.mark.parametrize("name", ["step", "purge"])
def test_a_message_about_a_newsletter_that_does_not_exist_is_acknowledged(
    system: System, name: str
) -> None:
    worker = system.worker

    assert invoked(worker, system, name) == {"batchItemFailures": []}
    assert system.items() == {}


def test_an_export_without_its_job_is_acknowledged_and_stores_nothing(system: System) -> None:
    exports = system.exports

    assert invoked(exports, system, "export") == {"batchItemFailures": []}
    assert (system.items(), system.objects()) == ({}, {})


def test_the_schedule_queues_nothing_without_open_work(system: System) -> None:
    assert invoked(system.scheduled, system, "schedule") is None
    assert system.items() == {}
    assert not system.fifo_queues.queues[system.steps_queue].messages


def test_the_list_of_newsletters_is_empty(system: System) -> None:
    answer = invoked(system.api, system, "list_newsletters")

    assert answer["statusCode"] == 200
    assert json.loads(answer["body"])["result"] == {"newsletters": []}


@pytest.mark.parametrize("name", ["step", "purge", "export"])
def test_the_queued_samples_have_the_format_of_the_functions(name: str) -> None:
    (record,) = SAMPLES[name]["Records"]
    adapter: Any = TypeAdapter(ExportRequested) if name == "export" else EVENTS

    event = adapter.validate_json(record["body"])

    assert json.loads(body_of(event)) == json.loads(record["body"])
