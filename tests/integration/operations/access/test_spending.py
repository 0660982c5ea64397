"""`python -m operations spending`: percentages of a company's bounds, up to the maximum of the deployment."""

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from operations.__main__ import main
from operations.ai import spending
from operations.command_line import arguments
from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.aws.dynamodb import Table
from tests.template import create_table

KIND = Kind.MAIL_ANALYSIS


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    with mock_aws():
        client = boto3.client("dynamodb")
        name = create_table(client, "SpendingTable")
        outputs = {spending.TABLE_OF_SPENDING: name, spending.MAXIMUM: "300"}
        monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
        yield Table(client, name)


def set_percents(*settings: str) -> int:
    return main(["spending", "set", *settings, "--company", "acme", "--stack", "parley-dev"])


def held(table: Table) -> int:
    """The percentage that holds in a deployment with the default of 400."""
    days = usage.of_day(table, "acme", "2026-03-02", percent=400, most_percent=300)
    return next(day.percent for day in days if day.kind is KIND)


def test_a_percentage_above_the_maximum_of_the_deployment_is_refused(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_percents(f"{KIND}=301") == 1

    assert usage.percents_of(table, "acme") == {}
    error = capsys.readouterr().err
    assert f"{KIND}: must be at most 300, SpendingMaximumPercent of the deployment" in error


def test_a_percentage_up_to_the_maximum_is_stored_and_holds(table: Table) -> None:
    assert set_percents(f"{KIND}=300") == 0

    assert held(table) == 300


def test_a_stored_percentage_above_a_lowered_maximum_counts_as_the_maximum(table: Table) -> None:
    usage.set_percents(table, "acme", {KIND: 1_000}, by="operator")

    assert held(table) == 300


def test_the_maximum_of_settings_does_not_lower_the_percentage_of_the_deployment(
    table: Table,
) -> None:
    assert held(table) == 400


def test_limits_in_dollars_are_stored_shown_and_removed(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_percents("dollars_per_day=2.5", "dollars_per_month=40", "warn_at_percent=50") == 0
    found = usage.settings_of(table, "acme")
    assert found is not None
    assert (found.day_micros, found.month_micros, found.warn_percent) == (
        2_500_000, 40_000_000, 50,
    )  # fmt: skip
    assert set_percents(f"{KIND}=200") == 0
    assert main(["spending", "show", "--company", "acme", "--stack", "parley-dev"]) == 0
    assert "dollars_per_month\t$0.00\tof $40.00" in capsys.readouterr().out

    assert set_percents("dollars_per_month=none") == 0
    left = usage.settings_of(table, "acme")
    assert left is not None
    assert (left.month_micros, left.day_micros, left.percents) == (None, 2_500_000, {KIND: 200})


@pytest.mark.parametrize(
    "text",
    [
        "dollars_per_day=-1", "dollars_per_day=1000001", "dollars_per_day=", "dollars_per_month=1e3",
        "warn_at_percent=0", "warn_at_percent=101", "warn_at_percent=x",
    ],
)  # fmt: skip
def test_a_limit_that_is_none_is_refused_with_its_rule(
    table: Table, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert set_percents(text) == 1
    assert f"{text.partition('=')[0]}: must be" in capsys.readouterr().err
    assert usage.settings_of(table, "acme") is None
