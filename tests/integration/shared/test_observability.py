"""The logger's filter is a net: what it catches is counted, since somebody logs what they should not."""

import json

import pytest

from shared.observability import logger
from tests.integration.logs import recorded


def test_a_line_that_the_filter_had_to_change_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)

    logger.info("called +44 7700 900123", extra={"whom": ["ann@example.com"]})

    assert json.loads(log.getvalue())["message"] == "called [phone]"
    (line,) = capsys.readouterr().out.splitlines()
    counted = json.loads(line)
    assert (counted["RedactionHits"], counted["service"]) == ([1.0], "whatsapp")
    assert counted["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_a_line_with_nothing_to_hide_counts_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)

    logger.info("event handled", extra={"attempt": 1, "at": ("worker.py:1 handler",), "wru": 8.0})

    assert json.loads(log.getvalue())["at"] == ["worker.py:1 handler"]
    assert capsys.readouterr().out == ""
