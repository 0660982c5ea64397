"""The costs of newsletters, compared with the written figures: none depends on how many others the company has."""

from __future__ import annotations

import pytest

from newsletters.issues.delivery.limits import allowance
from tests.cost.newsletters import prices
from tests.cost.newsletters.kinds import KINDS, WRITTEN_DOWN, Kind
from tests.cost.newsletters.newsletters import Table, differences, markdown, measure
from tests.cost.report import DOLLARS_A_WRITE_UNIT
from tests.simulation.kernel import running
from tests.simulation.newsletters.system import System
from tests.template import ROOT

MILLION = 1_000_000
WARM_UP_UNITS = 4  # of a recipient, more than of a warm domain
READS = ("a list of 25 newsletters", "a whole newsletter", "the state of its draft")


@pytest.fixture(scope="module")
def measured() -> Table:
    with running(System) as system:
        return measure(system, (100,))  # `make cost`: also 1 and 1,000


@pytest.mark.long
def test_a_newsletter_costs_the_written_figures_beside_any_number_of_others(
    measured: Table,
) -> None:
    """The figures are the same beside any number: one that grew would differ from them beside a hundred."""
    assert list(measured) == [100]
    assert all(costs.kinds.keys() == WRITTEN_DOWN.keys() for costs in measured.values())
    assert differences(measured) == []


@pytest.mark.long
def test_the_writes_of_a_step_follow_the_size_of_its_item(measured: Table) -> None:
    """Two units for each KB, at most 40 besides them; each section of a draft is stored once more."""
    (costs, *_) = measured.values()
    steps = {"TOPICS": "25 passages retrieved", "OUTLINE": "its outline"}
    for item, name in steps.items():
        assert costs.kinds[name].figures.write_units <= 2 * (costs.kilobytes[item] + 1) + 40


@pytest.mark.long
def test_an_issue_costs_at_most_a_fifth_of_a_cent_without_tokens(measured: Table) -> None:
    for costs in measured.values():
        assert prices.dollars_an_issue(costs.kinds) <= 0.002


@pytest.mark.long
def test_the_table_has_a_row_for_each_kind(measured: Table) -> None:
    text = markdown(measured)

    assert "| its creation | 11 | 0 | 5 | 0 | 0 | 2 | 0 |" in text
    assert all(f"\n| {kind.name} | " in text for kind in KINDS)


def test_the_page_says_what_a_thousand_recipients_cost_with_all_events() -> None:
    table = prices.recipients_markdown()

    assert table in (ROOT / "docs" / "costs.md").read_text()


def test_the_guide_says_how_long_a_million_takes_and_what_it_costs() -> None:
    """By calculation: at the fastest rate of a company, and as the table but without the units of a warm-up."""
    guide = (ROOT / "docs" / "connect" / "newsletters.md").read_text()
    hours = MILLION / allowance.FASTEST / 3_600
    sum_of_thousand = float(prices.recipients_markdown().splitlines()[-1].split("|")[-2])
    warming = WARM_UP_UNITS * DOLLARS_A_WRITE_UNIT * 1_000 / MILLION

    dollars = int((sum_of_thousand - warming) * MILLION / 1_000)
    assert f"a million takes about {hours:.0f} hours and ${dollars}." in guide


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_page_has_the_row_of_a_kind(kind: Kind) -> None:
    page = (ROOT / "docs" / "costs.md").read_text()
    (rows,) = [part for part in page.split("\n\n") if part.startswith("| call | beside 1 |")]

    assert f"\n| {kind.name} | {kind.figures.write_units} | " in rows


@pytest.mark.parametrize("name", READS)
def test_a_read_writes_nothing_and_makes_at_most_two_requests(name: str) -> None:
    assert WRITTEN_DOWN[name].write_units == 0
    assert WRITTEN_DOWN[name].requests <= 2


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_each_call_and_run_writes_at_most_two_short_log_lines(name: str) -> None:
    figures = WRITTEN_DOWN[name]

    assert figures.log_bytes <= 500 * figures.log_lines + 300 * figures.metric_lines
