"""Names that RFC 2606 reserves for tests have no address: no test asks a name server for one, and waits for it."""

from __future__ import annotations

import socket
from typing import Any

_RESERVED = (".example", ".invalid", ".test")


def install() -> None:
    """Let the resolver of this process know it."""
    resolve: Any = socket.getaddrinfo

    def answer(host: Any, *more: Any, **options: Any) -> Any:
        if isinstance(host, str) and host.lower().rstrip(".").endswith(_RESERVED):
            raise socket.gaierror(socket.EAI_NONAME, "reserved for tests")
        return resolve(host, *more, **options)

    socket.getaddrinfo = answer
