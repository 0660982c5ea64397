"""
The beginning of a file that a link leads to: enough to see its type, from public https addresses only.

    status      outcome
    200, 206    the first bytes, and the type that the host names
    3xx         the same at the next address, at most three times; each address is checked before it is called
    404, 410    Missing
    others      Unreadable, as without an answer in time
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

MOST_REDIRECTS = 3
_FOUND = frozenset({HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT})
_GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
# Reserved characters, and the percent sign of what is encoded already.
_KEPT = "!#$%&'()*+,/:;=?@[]~-._"


class Missing(Exception):
    """The host says that there is no file."""


class Unreadable(Exception):
    """The file could not be read. *status*: the answer of its host; None without one in time."""

    def __init__(self, status: int | None = None) -> None:
        super().__init__(f"the host answered {status}" if status else "the host did not answer")
        self.status = status


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first bytes of a file, and the MIME type that its host names; empty if it names none."""

    mime_type: str
    first_bytes: bytes


def beginning_of(
    link: str, *, most_bytes: int, within_ms: int, loopback: bool = False
) -> Beginning:
    """
    Return the beginning of a linked file, of at most *most_bytes*. *loopback* as in `http.call_untrusted`.

    Raises Missing, Unreadable if it cannot be read within *within_ms*, and `http.OriginRefused` for an address that is
    not public.
    """
    deadline = clock.now_ms() + within_ms
    url = quote(link, safe=_KEPT)
    headers = {"Range": f"bytes=0-{most_bytes - 1}", "Accept-Encoding": "identity"}
    try:
        for _ in range(MOST_REDIRECTS + 1):
            left_ms = max(1, deadline - clock.now_ms())
            with http.open_untrusted(
                "GET", url, headers=headers, within_ms=left_ms, loopback=loopback
            ) as answer:
                location = answer.headers.get("Location")
                if answer.status // 100 == HTTPStatus.MULTIPLE_CHOICES // 100 and location:
                    url = quote(urljoin(url, location), safe=_KEPT)
                    continue
                return _read(answer, most_bytes, max(1, deadline - clock.now_ms()))
    except (NotSent, InDoubt):
        raise Unreadable from None
    raise Unreadable


def _read(answer: BaseHTTPResponse, most_bytes: int, within_ms: int) -> Beginning:
    """Return the beginning of a file that is answered. Raises Missing and Unreadable."""
    if answer.status in _GONE:
        raise Missing
    if answer.status not in _FOUND:
        raise Unreadable(answer.status)
    found = b""
    try:
        # A piece may be short, so that the next one exceeds what is wanted.
        for piece in http.pieces(
            answer, most_bytes=2 * most_bytes, within_ms=within_ms, of=most_bytes
        ):
            found += piece
            if len(found) >= most_bytes:
                break
    except http.TooLarge:
        raise Unreadable from None
    return Beginning(str(answer.headers.get("Content-Type") or ""), found[:most_bytes])
