"""A small HTTP server that stores the requests which the sandbox sends on its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread
from typing import override


@dataclass(frozen=True)
class Received:
    """One request."""

    method: str
    path: str
    headers: Message
    body: bytes


@dataclass
class Receiver:
    """
    Answers with `statuses` in turn, then with 200, and always with `answer`; `next` waits for a request.

    `taken` counts requests before they are answered: a client with a response knows that its request is counted.
    """

    url: str = ""
    answer: bytes = b""
    statuses: list[int] = field(default_factory=list)
    requests: Queue[Received] = field(default_factory=Queue)
    taken: int = 0

    def next(self) -> Received:
        """The oldest unread request; raises `queue.Empty` if none arrives in time."""
        return self.requests.get(timeout=120)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Listen on a free port."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # so that a client that asks "100-continue?" is answered

        def take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            receiver.taken += 1
            # The response first: a test that has the request can rely on the response.
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 200)
            self.send_header("Content-Length", str(len(receiver.answer)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(receiver.answer)
            receiver.requests.put(Received(self.command, self.path, self.headers, body))

        do_POST = do_PUT = take  # noqa: N815 - the library's names

        @override
        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
