"""The URLs that may become links."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_WEB: Final = frozenset({"http", "https"})
_UNSAFE: Final = re.compile(
    r"[\x00-\x20\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069<>\"\\`]"
)


def safe_url(url: str) -> str:
    """Return an http or https URL with a host, or a mailto URL, as it is; empty for all others."""
    if _UNSAFE.search(url):
        return ""
    try:
        parts = urlsplit(url)
        # Raises ValueError for a port that is no number.
        web = parts.scheme in _WEB and bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        return ""
    return url if web or (parts.scheme == "mailto" and "@" in parts.path) else ""
