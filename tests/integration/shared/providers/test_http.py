"""Servers that redirect, respond slowly, declare a wrong size or have an invalid certificate, over real connections."""

from __future__ import annotations

import datetime
import gzip
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock

TOKEN = {"Authorization": "Bearer secret"}
ENOUGH = {"most_bytes": 1 << 20, "within_ms": 15_000}


class Server(ThreadingHTTPServer):
    """Answers every GET with *answer*, and stores the requests."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, dict(self.headers)))
                answer(self)

            def log_message(self, *_: Any) -> None:
                """Write no log to the terminal."""

        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, *_: Any) -> None:
        """Ignore closed connections: these tests make clients close them."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serving(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[Server]:
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answering(
    status: int = 200, body: bytes = b"", headers: dict[str, str] | None = None
) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | (headers or {})).items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def downloaded(server: Server, **bounds: int) -> bytes:
    url, origins = f"{server.origin}/file", [server.origin]
    with http.download(url, headers=TOKEN, origins=origins) as answer:
        return b"".join(http.pieces(answer, **ENOUGH | bounds))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", ["{foreign}/stolen", "{same}/other", "/other", "//{foreign}/a"])
def test_a_redirect_is_not_followed_and_does_not_get_the_token(status: int, target: str) -> None:
    with serving(answering()) as foreign:
        location = target.format(foreign=foreign.origin, same="http://127.0.0.1:1")
        with serving(answering(status, headers={"Location": location})) as server:
            url = f"{server.origin}/file"
            with http.download(url, headers=TOKEN, origins=[server.origin]) as answer:
                assert answer.status == status
            assert http.call("GET", url, headers=TOKEN).status == status

    assert [path for path, _ in server.asked] == ["/file", "/file"]
    assert foreign.asked == []


def test_the_token_is_sent_to_the_listed_origin_with_its_host() -> None:
    with serving(answering(body=b"content")) as server:
        assert downloaded(server) == b"content"

    ((path, headers),) = server.asked
    assert (path, headers["Authorization"]) == ("/file", "Bearer secret")
    assert headers["Host"] == server.origin.removeprefix("http://")


def test_a_slow_download_times_out_even_within_a_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = threading.Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        answering(body=b"a", headers={"Content-Length": "1000000"})(request)
        is_over.wait(timeout=60)

    times = iter(range(0, 10**9, 20_000))
    monkeypatch.setattr(clock, "now_ms", lambda: next(times))
    with serving(drip) as server:
        try:
            with pytest.raises(InDoubt, match="slow_answer"):
                downloaded(server)
        finally:
            is_over.set()


@pytest.mark.parametrize(
    "headers",
    [{}, {"Content-Length": "9999999999"}, {"Content-Encoding": "gzip"}],
    ids=["true", "false length", "packed"],
)
def test_a_body_over_the_limit_is_read_only_up_to_the_limit(headers: dict[str, str]) -> None:
    body = b"\0" * (2 << 20)
    sent = gzip.compress(body) if "Content-Encoding" in headers else body

    with (
        serving(answering(body=sent, headers=headers)) as server,
        pytest.raises(http.TooLarge),
    ):
        downloaded(server)


def test_a_truncated_body_is_no_file() -> None:
    with (
        serving(answering(body=b"half", headers={"Content-Length": "8"})) as server,
        pytest.raises(InDoubt, match="broken_answer"),
    ):
        downloaded(server)


def test_a_response_of_the_api_is_limited_in_size_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LARGEST_ANSWER_BYTES", 1_000)

    with (
        serving(answering(body=b"a" * 1_001)) as server,
        pytest.raises(InDoubt, match="large_answer"),
    ):
        http.call("GET", server.origin, headers=TOKEN)


def test_a_host_without_a_valid_certificate_gets_no_request(tmp_path: Path) -> None:
    with serving(answering()) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self_signed(tmp_path))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        origin = server.origin.replace("http://", "https://")

        with (
            pytest.raises(InDoubt, match="no_answer"),
            http.download(f"{origin}/file", headers=TOKEN, origins=[origin]),
        ):
            raise AssertionError("a certificate that nobody vouches for was taken")
        with pytest.raises(NotSent, match="certificate"):
            http.call("PUT", f"{origin}/message", headers=TOKEN)

    assert server.asked == []


@pytest.mark.parametrize("end", ["\n", "\r\nX: y", "\u00e9", "\u2028"])
def test_a_secret_that_is_invalid_in_a_header_is_not_sent_and_not_printed(end: str) -> None:
    with serving(answering()) as server, pytest.raises(NotSent) as refusal:
        http.call("GET", server.origin, headers={"Authorization": f"Bearer secret{end}"})

    assert (str(refusal.value), server.asked) == ("bad_header", [])


def test_a_response_has_its_headers_under_lower_case_names() -> None:
    with serving(answering(429, headers={"Retry-After": "7"})) as server:
        answer = http.call("GET", server.origin, headers=TOKEN)

    assert (answer.status, answer.headers["retry-after"]) == (429, "7")


def test_a_request_times_out_at_the_callers_deadline() -> None:
    is_over = threading.Event()

    def keep_silent(request: BaseHTTPRequestHandler) -> None:
        is_over.wait(timeout=60)
        request.close_connection = True

    with serving(keep_silent) as server:
        try:
            with pytest.raises(InDoubt, match="no_answer"):
                http.call("GET", server.origin, headers=TOKEN, within_ms=50)
        finally:
            is_over.set()


def self_signed(folder: Path) -> Path:
    """Key and certificate for 127.0.0.1 in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "certificate.pem"
    file.write_bytes(private + certificate.public_bytes(pem))
    return file
