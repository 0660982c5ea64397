"""
Forwards connections from the address of Docker's bridge to the same ports of the loopback.

    python -m local.stack.relay 172.17.0.1 20001 20002
"""

from __future__ import annotations

import contextlib
import socket
import socketserver
import sys
import threading

_LOOPBACK = "127.0.0.1"
_CHUNK = 1 << 16


class Relay(socketserver.ThreadingTCPServer):
    """Serves one address and port."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, host: str, port: int) -> None:
        super().__init__((host, port), _Forward)


class _Forward(socketserver.BaseRequestHandler):
    """Forwards one connection to the same port of the loopback."""

    def handle(self) -> None:
        """Forward data in both directions until both ends have closed."""
        _, port = self.request.getsockname()
        with socket.create_connection((_LOOPBACK, port)) as inner:
            back = threading.Thread(target=_pass_on, args=(inner, self.request), daemon=True)
            back.start()
            _pass_on(self.request, inner)
            back.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):  # a closed connection at one end closes the other
        while piece := source.recv(_CHUNK):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


def main() -> None:
    """Relay all given ports until the process is stopped."""
    match sys.argv[1:]:
        case [host, *ports] if ports:
            threads = [
                threading.Thread(target=Relay(host, int(port)).serve_forever) for port in ports
            ]
            for thread in threads:
                thread.start()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
