"""Runs of the sweep's function: missing teams and tags once an hour, counts, and no key."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from richpanel.recovery import drift
from tests.integration.logs import recorded
from tests.integration.richpanel.harness import Context
from tests.integration.richpanel.recovery.sweeper import Sweeper
from tests.template import environment, properties, put_parameter

if TYPE_CHECKING:
    from types import ModuleType


# The function


@pytest.fixture
def module(sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    given = environment("RichpanelSweep", SandboxUrl=sweeper.harness.sandbox.url)
    put_parameter(boto3.client("ssm"), "RichpanelAccountSettings")
    given["STAGE"] = "local"  # other stages call no sandbox
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RICHPANEL_KEYS_ID", properties("RichpanelKeys")["Name"])
    return importlib.reload(importlib.import_module("richpanel.handlers.sweep"))


def keys(**known: str) -> None:
    boto3.client("secretsmanager").create_secret(
        Name=properties("RichpanelKeys")["Name"], SecretString=json.dumps({"salt": "s"} | known)
    )


def counted(output: str) -> dict[str, float]:
    """The written metrics, by name."""
    found: dict[str, float] = {}
    for line in output.splitlines():
        written = json.loads(line)
        for directive in written.get("_aws", {}).get("CloudWatchMetrics", []):
            for metric in directive["Metrics"]:
                value = written[metric["Name"]]
                found[metric["Name"]] = sum(value if isinstance(value, list) else [value])
    return found


def fire(module: ModuleType, time: str) -> None:
    module.handler({"time": time}, Context("request-1"))


def test_once_an_hour_missing_teams_and_tags_are_counted_and_named(
    sweeper: Sweeper,
    module: ModuleType,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = recorded(monkeypatch)
    keys(richpanel="a-key")
    help_desk_client: Any = sweeper.harness.sandbox.help_desk
    help_desk_client.teams = tuple(
        name for name in help_desk_client.teams if name != "Returns Admin"
    )

    fire(module, "2026-03-02T13:00:10Z")

    # The team, and all tags: the sandbox has none at first.
    assert counted(capsys.readouterr().out)["Drift"] == 53
    (line,) = (
        json.loads(line) for line in log.getvalue().splitlines() if "help desk drift found" in line
    )
    assert line["teams"] == ["Returns Admin"]
    assert {"route-returns-admin", "mw-processed", "mw-intent-refund"} <= set(line["tags"])
    fire(module, "2026-03-02T13:05:10Z")
    assert "Drift" not in counted(capsys.readouterr().out)


def test_with_all_teams_and_tags_present_no_drift_is_counted(
    sweeper: Sweeper, module: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    keys(richpanel="a-key")
    for name in drift.expected(sweeper.harness.resources.account.shop).tags:
        sweeper.harness.sandbox.help_desk.add_tag(name)

    fire(module, "2026-03-02T13:00:10Z")

    assert "Drift" not in counted(capsys.readouterr().out)


def test_a_run_counts_its_tickets_and_whether_it_was_complete(
    sweeper: Sweeper, module: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    keys(richpanel="a-key")
    sweeper.ticket("t-1", minutes_ago=5)

    fire(module, "2026-03-02T13:10:10Z")

    assert sweeper.found() == ["t-1"]
    metrics = counted(capsys.readouterr().out)
    assert metrics["SweepEnqueued"] == 1
    assert "SweepIncomplete" not in metrics

    sweeper.harness.sandbox.faults.add(
        provider="richpanel", operation="list_tickets", kind="status", status=500, times=2
    )
    fire(module, "2026-03-02T13:15:10Z")

    assert counted(capsys.readouterr().out)["SweepIncomplete"] == 1


def test_without_a_help_desk_key_the_sweep_does_nothing(
    sweeper: Sweeper, module: ModuleType
) -> None:
    keys()
    sweeper.ticket("t-1", minutes_ago=5)

    fire(module, "2026-03-02T13:00:10Z")

    assert sweeper.found() == []
    assert sweeper.harness.calls()["list_tickets"] == 0
