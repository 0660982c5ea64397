"""What a webhook reads of API Gateway's proxy event: the bytes that came, and single headers."""

import base64
import binascii
from typing import Any


def raw_body(event: dict[str, Any]) -> bytes | None:
    """The bytes that were posted, and perhaps signed; None when they cannot be had."""
    body = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            return None
    return bytes(body.encode("utf-8", "surrogatepass"))


def header(event: dict[str, Any], name: str) -> str:
    """
    A header by its lower-case name, whatever case the sender and the gateway use.

    Empty where it is missing, and where it comes more than once: which of two counts, readers do not agree about.
    """
    found = _values(event, name)
    return found[0] if len(found) == 1 and isinstance(found[0], str) else ""


def has_header(event: dict[str, Any], name: str) -> bool:
    """Whether a header of this lower-case name came at all, however often and with whatever value."""
    return bool(_values(event, name))


def _values(event: dict[str, Any], name: str) -> list[Any]:
    single = {key: [value] for key, value in (event.get("headers") or {}).items()}
    headers = event.get("multiValueHeaders") or single
    return [value for key, values in headers.items() if key.lower() == name for value in values]
