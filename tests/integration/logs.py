"""Logs and metrics of functions as they are written: logs after redaction, one line of JSON per entry."""

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
