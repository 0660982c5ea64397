"""The webhooks of a company's functions: they answer with what a dialogue says, and record who called."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class CompanySystems:
    """Answers by path (`/<project>/<function>`), and the called functions of each project, oldest first."""

    url: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    called: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def serve(self, project: str, function: str, answer: object) -> str:
        """Answer a function's calls, and return its address."""
        path = f"/{project}/{function}"
        self.answers[path] = answer
        return f"{self.url}{path}"


@contextmanager
def serving() -> Iterator[CompanySystems]:
    """Listen on a free port of this machine."""
    systems = CompanySystems()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            _, project, function = self.path.split("/")
            systems.called[project].append(function)
            is_known = self.path in systems.answers
            content = json.dumps(systems.answers.get(self.path)).encode()
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:  # noqa: ANN401 - the library's arguments
            """Write nothing to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    systems.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield systems
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
