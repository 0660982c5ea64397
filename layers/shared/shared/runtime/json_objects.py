"""JSON objects in untrusted text."""

import json
from typing import Any


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """Parse a JSON object; None for any other text, and for one that is nested too deeply."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
