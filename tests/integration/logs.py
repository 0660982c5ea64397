"""Logs and metrics of functions as they are written: logs after redaction, one line of JSON per entry."""

import json
from collections import Counter
from io import StringIO

import pytest

from shared.runtime.observability import logger, metrics


def recorded(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """Redirect the log from standard output to the returned buffer."""
    stream = StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", stream)
    return stream


def counted(metric: str) -> float:
    """The sum added to a metric since the previous call or the last flush; 0 if nothing was added."""
    values = metrics.metric_set.pop(metric, {}).get("Value", [])
    return sum(values if isinstance(values, list) else [values])


def conditions(capsys: pytest.CaptureFixture[str]) -> Counter[str]:
    """How often each condition of an alarm was written to standard output since the previous call."""
    lines = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    return Counter(line["condition"] for line in lines if "condition" in line)
