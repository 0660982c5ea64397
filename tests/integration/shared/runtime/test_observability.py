"""The logger's filter is a safety net: each redaction is counted, because it means that code logs sensitive data."""

import json

import pytest

from shared.runtime.observability import logger, metrics
from tests.integration.logs import recorded


def test_a_log_line_that_the_filter_changed_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)

    logger.info("called +44 7700 900123", extra={"whom": ["ann@example.com"]})

    assert json.loads(log.getvalue())["message"] == "called ***-***-0123"
    (line,) = capsys.readouterr().out.splitlines()
    counted = json.loads(line)
    assert (counted["RedactionHits"], counted["service"]) == ([1.0], "whatsapp")
    assert counted["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_a_log_line_without_sensitive_data_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)

    logger.info("event handled", extra={"attempt": 1, "at": ("worker.py:1 handler",), "wru": 8.0})

    assert json.loads(log.getvalue())["at"] == ["worker.py:1 handler"]
    assert capsys.readouterr().out == ""


def test_a_field_on_which_the_filter_fails_is_omitted_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)
    deep: list[object] = ["ann@example.com"]
    for _ in range(100_000):
        deep = [deep]

    logger.info("event handled", extra={"whom": deep, "attempt": 1})

    line = json.loads(log.getvalue())
    assert (line["message"], line["attempt"], "whom" in line) == ("event handled", 1, False)
    counted, condition = map(json.loads, capsys.readouterr().out.splitlines())
    assert (counted["RedactionFailed"], counted["service"]) == ([1.0], "whatsapp")
    assert (condition["AttentionNow"], condition["condition"]) == ([1.0], "RedactionFailed")


def test_ids_and_times_of_a_log_line_are_kept_and_a_name_is_removed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)

    logger.info("event handled", extra={"correlation_id": "447700900123", "customer_name": "Ann"})

    line = json.loads(log.getvalue())
    assert (line["correlation_id"], line["customer_name"]) == ("447700900123", "***")
    assert json.loads(capsys.readouterr().out)["RedactionHits"] == [1.0]


def test_a_condition_is_counted_in_a_line_that_names_it_and_its_context(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Conditions have weights: twenty unmatched messages in five minutes raise the alarm."""
    metrics.add_metric("Unmatched", "Count", 2)
    metrics.clear_metrics()

    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line["AttentionSoon"] == [0.1]
    assert (line["condition"], line["context"], line["service"]) == ("Unmatched", "whatsapp", "all")
    (emitted,) = line["_aws"]["CloudWatchMetrics"]
    assert emitted["Dimensions"] == [["service"]], "all contexts and conditions share one metric"
    assert [metric["Name"] for metric in emitted["Metrics"]] == ["AttentionSoon"]


@pytest.mark.parametrize(("name", "value"), [("SweepIncomplete", 0), ("Accepted", 1)])
def test_a_condition_that_did_not_occur_and_other_metrics_count_nothing(
    name: str, value: int, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics.add_metric(name, "Count", value)
    metrics.clear_metrics()

    assert capsys.readouterr().out == ""
