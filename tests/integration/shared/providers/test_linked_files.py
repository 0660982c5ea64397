"""The beginning of a linked file is read from public addresses only, within bounds, with any answer of its host."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from shared.providers.http import OriginRefused
from shared.providers.linked_files import Beginning, Missing, Unreadable, beginning_of

FILE = b"\x89PNG\r\n\x1a\n" + bytes(range(200)) * 50


class Host(BaseHTTPRequestHandler):
    """Answers as the path says: a status, or `whole` for a file without regard to the range."""

    ranges: list[str | None] = []  # noqa: RUF012 - of the only server

    def do_GET(self) -> None:
        self.ranges.append(self.headers["Range"])
        what = self.path.split("/")[1]
        if what == "to":
            self.send_response(302)
            self.send_header("Location", _target(self.path))
            self.end_headers()
            return
        body = FILE if what == "whole" else FILE[:64]
        self.send_response(200 if what == "whole" else int(what))
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def _target(path: str) -> str:
    """Where `/to/...` leads: another path of the host, or an address."""
    rest = path.removeprefix("/to")
    return rest[1:] if "://" in rest else rest


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def read(link: str) -> Beginning:
    return beginning_of(link, most_bytes=64, within_ms=10_000, loopback=True)


@pytest.mark.parametrize("path", ["206", "200", "whole", "to/206", "to/to/to/whole"])
def test_the_first_bytes_are_read_after_at_most_three_redirects(address: str, path: str) -> None:
    assert read(f"{address}/{path}") == Beginning("image/png", FILE[:64])
    assert Host.ranges[-1] == "bytes=0-63"


@pytest.mark.parametrize(
    ("path", "status"), [("403", 403), ("500", 500), ("416", 416), ("to/to/to/to/206", None)]
)
def test_an_answer_without_the_file_leaves_it_unread(
    address: str, path: str, status: int | None
) -> None:
    with pytest.raises(Unreadable) as failure:
        read(f"{address}/{path}")
    assert failure.value.status == status


@pytest.mark.parametrize("path", ["404", "410", "to/404"])
def test_a_file_that_its_host_does_not_have_is_missing(address: str, path: str) -> None:
    with pytest.raises(Missing):
        read(f"{address}/{path}")


def test_a_host_that_cannot_be_reached_leaves_it_unread() -> None:
    with pytest.raises(Unreadable):
        read("http://127.0.0.1:9/a.png")


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest",
        "https://10.0.0.1/a",
        "ftp://a.example/b",
        "http://a.example/b",
    ],
)
def test_a_redirect_to_an_address_that_is_not_public_is_not_followed(
    address: str, target: str
) -> None:
    with pytest.raises(OriginRefused):
        read(f"{address}/to/{target}")


def test_on_aws_no_address_of_this_machine_is_called(address: str) -> None:
    with pytest.raises(OriginRefused):
        beginning_of(f"{address}/206", most_bytes=64, within_ms=1_000)
