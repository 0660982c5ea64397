"""The costs of a stage without events are below its limit, and the page has the figures."""

import pytest

from tests.cost.idle import MOST_DOLLARS, dollars, idle_cost, markdown, parameters_of
from tests.template import ROOT


@pytest.mark.parametrize(("stage", "most"), MOST_DOLLARS.items())
def test_an_idle_stage_costs_no_more_than_its_limit(stage: str, most: float) -> None:
    assert dollars(idle_cost(stage)) <= most


def test_every_part_is_counted() -> None:
    parts = {part.name: part.quantity for part in idle_cost("prod")}

    assert parts["metrics of alarms"] == 29
    assert parts["secrets"] == 8
    assert parts["dashboards"] == 1
    assert parts["metrics of the canary"] == 7
    assert parts["polling of queues, at most"] > 0


def test_dev_has_essential_alarms_and_no_canary() -> None:
    given = parameters_of("dev")

    assert (given["Alarms"], given["CanaryEnabled"]) == ("essential", "false")


def test_the_page_has_the_idle_bill() -> None:
    assert markdown() in (ROOT / "docs" / "costs.md").read_text()
