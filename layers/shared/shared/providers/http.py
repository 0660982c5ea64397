"""Outgoing HTTP: one attempt per call, and downloads only from origins that the operator lists."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import urllib3
from urllib3.util import Timeout

from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from shared.runtime.validation import web_addresses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from urllib.parse import SplitResult

    from urllib3.response import BaseHTTPResponse

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0  # per read, so a slowly dripping response needs a separate limit
LARGEST_ANSWER_BYTES = 4 << 20  # Graph responses are a few KB, pages of templates some hundred.
LONGEST_ANSWER_MS = 15 * clock.SECOND_MS
# Visible ASCII without the backslash: URL parsers drop tabs and line ends and convert backslashes and full-width
# letters, each differently.
_URL = re.compile(r"[!-\[\]-~]{1,4096}")
_HEADER = re.compile(r"[ -~]*")
_PORTS = {"http": 80, "https": 443}
_CHUNK_BYTES = 1 << 20

# One pool for the life of the execution environment. No retries: a repeated request could send a message twice.
_pool = urllib3.PoolManager(retries=False)


class OriginRefused(Exception):
    """The address is not on the list, or resolves to a private network. The message contains no part of the address."""


class TooLarge(Exception):
    """The response has more bytes than allowed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A completely read response; header names are in lower case."""

    status: int
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def call(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    json: Any = None,  # noqa: ANN401 - any JSON value
    body: bytes | None = None,
    within_ms: int = LONGEST_ANSWER_MS,
    silence_ms: int = round(READ_SECONDS * clock.SECOND_MS),
) -> Answer:
    """
    Send one request, without retry or redirect. *body* is for bytes that are signed as they are.

    No wait exceeds *within_ms*, and reading the body stops after it. *silence_ms* limits the wait for the next byte:
    raise it for slow endpoints such as models. Raises NotSent if the request certainly did not arrive, InDoubt if it
    may have.
    """
    if not all(_HEADER.fullmatch(value) for value in headers.values()):
        raise NotSent(
            "bad_header"
        )  # The library's own error would repeat the value, and most headers are secrets.
    total_seconds = within_ms / clock.SECOND_MS
    deadline = clock.now_ms() + within_ms
    try:
        answer = _pool.request(
            method,
            url,
            headers=dict(headers),
            json=json,
            body=body,
            redirect=False,
            preload_content=False,
            timeout=Timeout(
                total=total_seconds,
                connect=min(CONNECT_SECONDS, total_seconds),
                read=min(silence_ms / clock.SECOND_MS, total_seconds),
            ),
        )
    except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError):
        raise NotSent("no_connection") from None
    except urllib3.exceptions.SSLError as error:
        # The certificate is verified before the request is written. Other TLS errors can occur later.
        if isinstance(error.args[0], ssl.SSLCertVerificationError):
            raise NotSent("certificate") from None
        raise InDoubt("no_answer") from None
    except urllib3.exceptions.HTTPError:
        raise InDoubt("no_answer") from None
    try:
        remaining_ms = max(0, deadline - clock.now_ms())
        data = b"".join(pieces(answer, most_bytes=LARGEST_ANSWER_BYTES, within_ms=remaining_ms))
        return Answer(answer.status, data, {n.lower(): v for n, v in answer.headers.items()})
    except TooLarge:
        raise InDoubt("large_answer") from None
    finally:
        answer.close()


@contextmanager
def download(
    url: str, *, headers: Mapping[str, str], origins: Collection[str]
) -> Iterator[BaseHTTPResponse]:
    """
    Stream a file (see `pieces`) from one of *origins*, such as `https://lookaside.fbsbx.com`.

    *url* is untrusted. It must match one of the origins exactly, over https, and its host must resolve to public
    addresses only. The host is resolved once and the connection uses that address, which prevents DNS rebinding.
    Exception: a listed loopback address, such as the local stack's `http://127.0.0.1:4600`.
    Redirects are returned, not followed, so *headers* reach no other host. Raises OriginRefused, and NotSent or InDoubt
    as `call` does.
    """
    with _streamed(_allowed(url, origins), "GET", headers=headers) as answer:
        yield answer


def call_untrusted(
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes,
    within_ms: int,
    loopback: bool = False,
) -> Answer:
    """
    POST to a URL from outside the deployment: https only, public addresses only, without redirect.

    *loopback* also permits plain http to this machine, for the local stack. Raises OriginRefused, and NotSent or
    InDoubt as `call` does.
    """
    deadline = clock.now_ms() + within_ms
    with open_untrusted(
        "POST", url, headers=headers, body=body, within_ms=within_ms, loopback=loopback
    ) as answer:
        try:
            remaining_ms = max(0, deadline - clock.now_ms())
            data = b"".join(pieces(answer, most_bytes=LARGEST_ANSWER_BYTES, within_ms=remaining_ms))
        except TooLarge:
            raise InDoubt("large_answer") from None
        return Answer(answer.status, data, {n.lower(): v for n, v in answer.headers.items()})


@contextmanager
def open_untrusted(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    within_ms: int,
    loopback: bool = False,
) -> Iterator[BaseHTTPResponse]:
    """Stream the answer of a URL from outside the deployment. Redirects are returned. Raises as `call_untrusted`."""
    parts = _untrusted_parts(url, loopback=loopback)
    timeout = Timeout(total=within_ms / clock.SECOND_MS, connect=CONNECT_SECONDS)
    with _streamed(parts, method, headers=headers, body=body, timeout=timeout) as answer:
        yield answer


@contextmanager
def _streamed(
    parts: SplitResult,
    method: str,
    *,
    headers: Mapping[str, str],
    **more: Any,  # noqa: ANN401 - further arguments of urllib3
) -> Iterator[BaseHTTPResponse]:
    """Stream an answer over a connection to one checked address. Redirects are returned. Raises NotSent and InDoubt."""
    path = parts.path or "/"
    with _pool_to(parts) as pool:
        try:
            answer = pool.urlopen(
                method,
                f"{path}?{parts.query}" if parts.query else path,
                headers={"Host": parts.netloc, **headers},
                retries=False,
                redirect=False,
                preload_content=False,
                **more,
            )
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError):
            raise NotSent("no_connection") from None
        except urllib3.exceptions.HTTPError:
            raise InDoubt("no_answer") from None
        try:
            yield answer
        finally:
            answer.close()


def _untrusted_parts(url: str, *, loopback: bool) -> SplitResult:
    """Return the parts of a URL whose host is not on a list. Raises OriginRefused."""
    try:
        parts = urlsplit(web_addresses.checked(url, local=loopback))
    except web_addresses.WebAddressInvalid:
        raise OriginRefused("not an allowed URL") from None
    return _allowed(url, (f"{parts.scheme}://{parts.netloc}",))


def pieces(
    answer: BaseHTTPResponse, *, most_bytes: int, within_ms: int, of: int = _CHUNK_BYTES
) -> Iterator[bytes]:
    """
    Yield the body of a response as it arrives, in parts of at most *of* bytes. Raises TooLarge, and InDoubt if it
    breaks off or takes too long.

    Counts decompressed bytes, so a small body that unpacks to a large one is stopped too.
    """
    until = clock.now_ms() + within_ms
    size = 0
    try:
        # read1 returns the available bytes: read would wait for the whole chunk, however slowly it arrives.
        while piece := answer.read1(of):
            size += len(piece)
            if size > most_bytes:
                raise TooLarge
            if clock.now_ms() > until:
                raise InDoubt("slow_answer")
            yield piece
    except urllib3.exceptions.HTTPError:
        raise InDoubt("broken_answer") from None


def _allowed(url: str, origins: Collection[str]) -> SplitResult:
    """Return the parts of *url* if it may be called. Raises OriginRefused."""
    if not _URL.fullmatch(url):
        raise OriginRefused("not a plain URL")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise OriginRefused("not a valid URL") from None
    if f"{parts.scheme}://{parts.netloc}" not in origins or parts.scheme not in _PORTS:
        raise OriginRefused("not an allowed origin")
    if parts.scheme != "https" and not _is_loopback(parts):
        raise OriginRefused("not https")
    return parts


def _pool_to(parts: SplitResult) -> urllib3.HTTPConnectionPool:
    """Return a connection pool to the verified address of a host, which must present a certificate for its name."""
    address, port = _address_of(parts), parts.port or _PORTS[parts.scheme]
    timeout = Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
    if parts.scheme == "http":
        return urllib3.HTTPConnectionPool(address, port, timeout=timeout)
    host = str(parts.hostname)
    return urllib3.HTTPSConnectionPool(
        address, port, timeout=timeout, server_hostname=host, assert_hostname=host
    )


def _address_of(parts: SplitResult) -> str:
    """Resolve the IP address to call. Raises OriginRefused if any address is not public, NotSent if there is none."""
    host = str(parts.hostname)
    if _is_loopback(parts):
        return host
    try:
        # Lambda outside a VPC has IPv4 only; without IPv6, no address can be embedded in one of its forms.
        entries = socket.getaddrinfo(host, parts.port, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # UnicodeError: a label that IDNA cannot encode
        raise NotSent("unknown_host") from None
    addresses = [ipaddress.IPv4Address(entry[4][0]) for entry in entries]
    if not all(map(is_public, addresses)):
        raise OriginRefused("resolves to a private address")
    return str(addresses[0])


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an untrusted host may have this address: not private, loopback, link-local, reserved or multicast."""
    return address.is_global and not address.is_multicast


def _is_loopback(parts: SplitResult) -> bool:
    """Whether the host is a literal loopback address; a name that resolves to one does not count."""
    try:
        return ipaddress.ip_address(str(parts.hostname)).is_loopback
    except ValueError:
        return False
