"""What functions log and count, as it leaves them: logs behind the redaction, one line of JSON per entry."""

from io import StringIO

import pytest

from shared.runtime.observability import logger, metrics


def recorded(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """Where the log goes from now on, instead of to standard output."""
    stream = StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", stream)
    return stream


def counted(metric: str) -> float:
    """What was added to a metric since it was last asked for, or since the last flush; 0 where nothing was."""
    values = metrics.metric_set.pop(metric, {}).get("Value", [])
    return sum(values if isinstance(values, list) else [values])
