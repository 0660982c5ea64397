"""Starts and stops a sandbox inside the current process."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from local.sandbox.app import application, operations
from local.sandbox.config import Config
from local.sandbox.state import Sandbox

_STOP_WITHIN_SECONDS = 15
_KEEP_ALIVE_SECONDS = 3_600


@contextmanager
def running(config: Config | None = None) -> Iterator[Sandbox]:
    """
    Serve a sandbox from a separate thread for the duration of the `with` block.

    At its end, running requests and status webhooks are completed; thread and sockets are closed.
    Raises OSError if the port is in use.
    """
    config = config or Config()
    sandbox = Sandbox(config, operations())
    listener = socket.create_server((config.host, config.port))
    # Connections inherit this option. Without it a response body waits 40 ms for the acknowledgement of the headers;
    # asyncio sets it only for sockets whose `proto` is TCP, and these have 0.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sandbox.url = f"http://{config.host}:{listener.getsockname()[1]}"
    sandbox.server = uvicorn.Server(
        uvicorn.Config(
            application(sandbox),
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            # A client may reuse an idle connection at the moment at which the server closes it: its request fails then.
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_STOP_WITHIN_SECONDS,
        )
    )
    # Early requests wait in the socket's backlog, so the start needs no wait.
    thread = Thread(target=sandbox.server.run, kwargs={"sockets": [listener]}, name="sandbox")
    thread.start()
    try:
        yield sandbox
    finally:
        sandbox.server.should_exit = True
        thread.join()
        listener.close()
        sandbox.close()
