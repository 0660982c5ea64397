"""What functions log, as it leaves them: behind the redaction, one line of JSON per entry."""

from io import StringIO

import pytest

from shared.observability import logger


def recorded(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """Where the log goes from now on, instead of to standard output."""
    stream = StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", stream)
    return stream
