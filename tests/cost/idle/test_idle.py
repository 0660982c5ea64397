"""The costs of a stage without events are below its limit, and the page has the figures."""

import pytest

from tests.cost.idle.idle import (
    CALLS_AN_HOUR,
    CONTEXTS,
    MOST_DOLLARS,
    dollars,
    idle_cost,
    markdown,
    parameters_of,
    sources,
)
from tests.cost.idle.idle_runs import calls_of_an_hour, schedules
from tests.template import ROOT


@pytest.mark.parametrize(("stage", "most"), MOST_DOLLARS.items())
def test_an_idle_stage_costs_no_more_than_its_limit(stage: str, most: float) -> None:
    assert dollars(idle_cost(stage)) <= most


def test_every_part_is_counted() -> None:
    parts = {part.name: part.quantity for part in idle_cost("prod", SecretStore="secrets-manager")}

    assert parts["metrics of alarms"] == 30
    assert parts["secrets"] == 8
    assert parts["dashboards"] == 1
    assert parts["metrics of the canary"] == 2
    assert parts["traces"] > 0
    assert parts["polling of queues, at most"] > 0


@pytest.mark.long
@pytest.mark.parametrize("function", schedules())
def test_the_calls_of_a_scheduled_function_in_an_hour_without_events_are_those_of_the_bill(
    function: str,
) -> None:
    assert calls_of_an_hour()[function] == CALLS_AN_HOUR[function]


def test_active_tracing_records_every_scheduled_run_and_sampling_none_of_them() -> None:
    traced = {
        tracing: next(p.quantity for p in idle_cost("dev", Tracing=tracing) if p.name == "traces")
        for tracing in ("Active", "Sampled", "PassThrough")
    }

    assert traced == {"Active": 116_070, "Sampled": 0, "PassThrough": 0}


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_context_that_is_not_used_polls_no_queue_and_runs_on_no_schedule(context: str) -> None:
    start = {"email-threads": "EmailThreads", "whatsapp": "WhatsApp"}.get(
        context, context.capitalize()
    )
    others = ",".join(other for other in CONTEXTS if other != context)

    assert any(name.startswith(start) for name in schedules())
    assert not any(name.startswith(start) for name in schedules(Contexts=others))
    assert len(sources(Contexts=context)) + len(sources(Contexts=others)) == len(sources())
    assert len(sources(Contexts=context)) > 0


def test_dev_has_essential_alarms_no_canary_and_its_secrets_in_parameters() -> None:
    given = parameters_of("dev")

    assert (given["Alarms"], given["CanaryEnabled"]) == ("essential", "false")
    assert given["SecretStore"] == "parameters"


def test_the_page_has_the_idle_bill() -> None:
    assert markdown() in (ROOT / "docs" / "costs.md").read_text()
