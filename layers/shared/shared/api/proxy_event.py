"""Reads webhook data from API Gateway's proxy event: the raw body and single headers."""

import base64
import binascii
from typing import Any


def raw_body(event: dict[str, Any]) -> bytes | None:
    """Return the raw request body, as signed by the sender; None if its base64 is invalid."""
    body = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            return None
    return bytes(body.encode("utf-8", "surrogatepass"))


def header(event: dict[str, Any], name: str) -> str:
    """
    Return a header by its lower-case name; the case in the event is ignored.

    Empty if the header is missing or occurs more than once: readers disagree about which of two values counts.
    """
    values = _values(event, name)
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""


def has_header(event: dict[str, Any], name: str) -> bool:
    """Whether a header with this lower-case name is present, with any number of values."""
    return bool(_values(event, name))


def _values(event: dict[str, Any], name: str) -> list[Any]:
    single = {key: [value] for key, value in (event.get("headers") or {}).items()}
    headers = event.get("multiValueHeaders") or single
    return [value for key, values in headers.items() if key.lower() == name for value in values]
