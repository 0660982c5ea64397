"""Outgoing HTTP: one attempt a call, and downloads from nowhere but the origins that the operator lists."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import urllib3
from urllib3.util import Timeout

from shared.channels.outcomes import InDoubt, NotSent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from urllib3.response import BaseHTTPResponse

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0

# One pool for the life of the function's environment; retries off: see reliability of sends in `delivery`.
_pool = urllib3.PoolManager(retries=False, timeout=Timeout(CONNECT_SECONDS, READ_SECONDS))


class OriginRefused(Exception):
    """The address is not on the list, or leads into a private network. Carries no part of the address."""


def call(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    json: Any = None,  # noqa: ANN401 - any JSON value
    body: bytes | None = None,
) -> BaseHTTPResponse:
    """
    One request, without retry or redirect, its answer read whole. *body* is for bytes that are signed as they are.

    Raises NotSent when the request certainly did not arrive, InDoubt when it may have.
    """
    try:
        return _pool.request(
            method, url, headers=dict(headers), json=json, body=body, redirect=False
        )
    except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError):
        raise NotSent("no_connection") from None
    except urllib3.exceptions.HTTPError:
        raise InDoubt("no_answer") from None


@contextmanager
def download(
    url: str, *, headers: Mapping[str, str], origins: Collection[str]
) -> Iterator[BaseHTTPResponse]:
    """
    Stream a file from one of *origins* (such as `https://lookaside.fbsbx.com`); redirects are not followed.

    The host is resolved once and that address is called, so that a name cannot point elsewhere a moment later. Raises
    OriginRefused, and NotSent or InDoubt as `call` does.
    """
    address = _checked_address(url, origins)
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    timeout = Timeout(CONNECT_SECONDS, READ_SECONDS)
    pool: urllib3.HTTPConnectionPool
    if parts.scheme == "https":
        host = str(parts.hostname)
        pool = urllib3.HTTPSConnectionPool(
            address, parts.port or 443, timeout=timeout, server_hostname=host, assert_hostname=host
        )
    else:
        pool = urllib3.HTTPConnectionPool(address, parts.port or 80, timeout=timeout)
    with pool:
        try:
            answer = pool.urlopen(
                "GET",
                path,
                headers={"Host": parts.netloc, **headers},
                retries=False,
                redirect=False,
                preload_content=False,
            )
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError):
            raise NotSent("no_connection") from None
        except urllib3.exceptions.HTTPError:
            raise InDoubt("no_answer") from None
        try:
            yield answer
        finally:
            answer.close()


def _checked_address(url: str, origins: Collection[str]) -> str:
    """The IP address to call for *url*. Raises OriginRefused."""
    parts = urlsplit(url)
    if f"{parts.scheme}://{parts.netloc}" not in origins or not parts.hostname:
        raise OriginRefused("not an allowed origin")
    try:
        return str(
            ipaddress.ip_address(parts.hostname)
        )  # An address the operator listed is what they meant.
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except OSError:
        raise NotSent("unknown_host") from None
    addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
    # is_global is false for private, loopback, link-local and reserved addresses; a mapped one is judged by its inside.
    if not all(_inner(address).is_global for address in addresses):
        raise OriginRefused("leads into a private network")
    return str(addresses[0])


def _inner(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
