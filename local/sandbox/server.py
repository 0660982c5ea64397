"""Starting and stopping a sandbox inside the current process."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from local.sandbox.app import application, operations
from local.sandbox.config import Config
from local.sandbox.state import Sandbox

_STOP_WITHIN_SECONDS = 15


@contextmanager
def running(config: Config | None = None) -> Iterator[Sandbox]:
    """
    Serve a sandbox from a thread of its own, for as long as the `with` block lasts.

    At its end requests and status webhooks under way are finished; thread and sockets are gone.
    OSError when the port is taken.
    """
    config = config or Config()
    sandbox = Sandbox(config, operations())
    listener = socket.create_server((config.host, config.port))
    # Its connections inherit it. Without it an answer's body waits 40 ms for the caller's word that the head came;
    # asyncio asks for it on its own only where a socket says that it is TCP (`proto`), and these say 0.
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
            timeout_graceful_shutdown=_STOP_WITHIN_SECONDS,
        )
    )
    # Early callers wait in the socket's queue, so there is no start to wait for.
    thread = Thread(target=sandbox.server.run, kwargs={"sockets": [listener]}, name="sandbox")
    thread.start()
    try:
        yield sandbox
    finally:
        sandbox.server.should_exit = True
        thread.join()
        listener.close()
        sandbox.close()
