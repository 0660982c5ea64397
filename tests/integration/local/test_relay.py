"""The relay through which containers reach the local stack."""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import closing

import pytest

from local.stack import relay


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_the_relay_connects_a_port_of_its_address_to_the_same_port_of_the_loopback() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        # A second address of the loopback stands in for the address of Docker's bridge.
        with relay.Relay("127.0.0.2", port) as running:
            threading.Thread(target=running.serve_forever, daemon=True).start()
            with closing(socket.create_connection(("127.0.0.2", port), timeout=60)) as client:
                inner, _ = server.accept()
                with closing(inner):
                    client.sendall(b"asked")
                    assert inner.recv(100) == b"asked"
                    inner.sendall(b"answered")
                    assert client.recv(100) == b"answered"
            running.shutdown()
