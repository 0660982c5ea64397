"""Files of customers: stored with their message, then copied into our bucket from listed hosts only, with retries."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from conversations.inbound.files import downloads
from events.conversations import sample_data
from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.aws.dynamodb import Table
from shared.aws.workers.fair_shares import LATE_MS, share
from tests.integration.conversations.steps import MINUTE_MS, texts_by

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

HOUR_MS = 60 * MINUTE_MS
PICTURE = b"\x89PNG not a real one"


@dataclass
class Files:
    """Answers by path: status, headers, content; `asked` has the requested paths with their credentials."""

    url: str = ""
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture(scope="module")
def _files() -> Iterator[Files]:
    files = Files()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            files.asked.append((self.path, self.headers.get("Authorization")))
            status, headers, content = files.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(content))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Log nothing to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    files.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield files
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def files(_files: Files, system: System, monkeypatch: pytest.MonkeyPatch) -> Files:
    """A server whose host is on the list of allowed ones, as the only one."""
    _files.answers = {"/1": (200, {"Content-Type": "image/png"}, PICTURE)}
    _files.asked.clear()
    module = next(m for n, m in system.workers.items() if n.endswith("-media"))
    monkeypatch.setattr(module, "deps", replace(module.deps, origins=(_files.url,)))
    return _files


def send(system: System, *urls: str) -> str:
    """The candidate sends pictures, and each is downloaded once; returns the `ref` of the conversation."""
    ref = receive(system, *urls)
    system.run_downloads()
    return ref


def receive(system: System, *urls: str) -> str:
    """The candidate sends pictures; returns the `ref` of the conversation."""
    ref = system.begin("whatsapp")
    named = {f"MediaUrl{n}": url for n, url in enumerate(urls)}
    kinds = {f"MediaContentType{n}": "image/png" for n in range(len(urls))}
    system.whatsapp("m", "", NumMedia=str(len(urls)), **named, **kinds)
    system.run_intake()
    return ref


def message(system: System, ref: str) -> dict[str, Any]:
    return next(m for m in system.log(ref) if m["author"] == "customer")


def test_a_message_is_shown_before_its_files_are_downloaded(system: System, files: Files) -> None:
    ref = receive(system, f"{files.url}/1", f"{files.url}/2")

    assert files.asked == []
    stored = message(system, ref)
    assert stored["media_state"] == "pending"
    shown = system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)["messages"]
    (written,) = (one for one in shown if one["author"] == "customer")
    assert written["media_state"] == "pending"
    assert ["download" in file for file in written["media"]] == [False, False]


def test_a_reply_does_not_wait_for_a_file(system: System, files: Files) -> None:
    files.answers["/1"] = (503, {}, b"")
    ref = receive(system, f"{files.url}/1")
    system.run_downloads()

    system.advance(20_000)

    assert message(system, ref)["media_state"] == "pending"
    assert len(texts_by(system, ref)) == 2


def test_a_picture_is_copied(system: System, files: Files) -> None:
    ref = send(system, f"{files.url}/1")

    stored = message(system, ref)
    assert stored["media_state"] == "stored"
    assert system.objects()[stored["media"][0]["key"]] == PICTURE
    assert files.asked == [("/1", None)]  # The company's credentials are sent to Twilio only.


def test_a_redirect_to_a_listed_host_is_followed(system: System, files: Files) -> None:
    """Twilio's API redirects to the location of the file."""
    files.answers["/api"] = (307, {"Location": f"{files.url}/1"}, b"")

    ref = send(system, f"{files.url}/api")

    stored = message(system, ref)
    assert system.objects()[stored["media"][0]["key"]] == PICTURE


def test_a_redirect_to_an_unlisted_host_is_refused(system: System, files: Files) -> None:
    files.answers["/api"] = (302, {"Location": "http://169.254.169.254/latest/meta-data"}, b"")

    ref = send(system, f"{files.url}/api")

    assert message(system, ref)["media"][0]["refused"] == "OriginRefused"
    assert system.objects() == {}


def test_a_circle_of_redirects_is_stopped(system: System, files: Files) -> None:
    files.answers["/api"] = (302, {"Location": "/api"}, b"")

    ref = send(system, f"{files.url}/api")

    assert message(system, ref)["media"][0]["refused"] == "OriginRefused"


@pytest.mark.parametrize(
    "url", ["https://evil.example/1", "http://127.0.0.1:1/1", "file:///etc/passwd"]
)
def test_a_file_on_an_unlisted_host_is_not_fetched(system: System, files: Files, url: str) -> None:
    ref = send(system, url)

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0]["refused"]) == ("stored", "OriginRefused")
    assert system.objects() == {}
    system.drain()
    assert len(texts_by(system, ref)) == 2  # The message is answered nevertheless.


def test_a_file_that_is_too_large_is_refused(
    system: System, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conversations.inbound.files.downloads.LARGEST_FILE_BYTES", 10)

    ref = send(system, f"{files.url}/1")

    assert message(system, ref)["media"][0]["refused"] == "TooLarge"


@pytest.mark.parametrize("status", [404, 429, 503])
def test_a_file_that_is_temporarily_unavailable_is_fetched_later(
    system: System, files: Files, status: int
) -> None:
    files.answers["/2"] = (status, {}, b"")
    ref = send(system, f"{files.url}/1", f"{files.url}/2")
    assert message(system, ref)["media_state"] == "pending"

    files.answers["/2"] = (200, {}, PICTURE)
    system.settle()

    stored = message(system, ref)
    assert stored["media_state"] == "stored"
    assert len(system.objects()) == 2
    assert system.due_at() == []
    assert [path for path, _ in files.asked] == [
        "/1",
        "/2",
        "/2",
    ]  # A stored file is not fetched again.


def test_a_file_is_marked_as_failed_after_a_few_attempts(system: System, files: Files) -> None:
    files.answers["/1"] = (503, {}, b"")
    ref = send(system, f"{files.url}/1")

    system.settle()

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0]["failed"]) == (
        "failed",
        "media_download_503",
    )
    assert len(files.asked) == 5


def test_a_file_that_failed_is_stored_once_its_dead_letter_is_redriven(
    system: System, files: Files
) -> None:
    files.answers["/1"] = (503, {}, b"")
    ref = send(system, f"{files.url}/1")
    system.settle()
    files.answers["/1"] = (200, {}, PICTURE)

    (letter,) = system.call_admin_api("GET /conversations/dead-letters")["letters"]
    assert (letter["queue"], letter["reason"]) == ("media", "media_download_503")
    system.call_admin_api("POST /conversations/dead-letters/redrive", {})
    system.settle()

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0].keys() & {"key", "failed"}) == (
        "stored",
        {"key"},
    )


def test_no_more_than_ten_files_are_fetched(system: System, files: Files) -> None:
    ref = send(system, *[f"{files.url}/1"] * 12)

    assert len(files.asked) == 10
    stored = message(system, ref)
    assert stored["media_state"] == "stored"
    assert [file.get("refused") for file in stored["media"][9:]] == [None, *["TooManyFiles"] * 2]


def test_a_worker_delayed_for_hours_still_fetches_the_file(system: System, files: Files) -> None:
    files.answers["/1"] = (503, {}, b"")
    ref = send(system, f"{files.url}/1")
    files.answers["/1"] = (200, {}, PICTURE)

    system.clock.ms += 600 * MINUTE_MS
    system.drain()

    assert message(system, ref)["media_state"] == "stored"


def test_an_address_in_our_bucket_that_a_webhook_names_is_refused(
    system: System, files: Files
) -> None:
    """The owner of any Twilio account can have any content signed."""
    ref = send(system, f"s3://{system.bucket}/media/acme/106540352242922/77/file.jpg")

    stored = message(system, ref)["media"][0]
    assert "key" not in stored
    assert stored["refused"] == "OriginRefused"


def test_a_file_beyond_the_bound_is_shown_as_missing_and_downloaded_the_next_day(
    system: System, files: Files
) -> None:
    table = Table(system.dynamodb, system.tables["spending"])
    percents = {Kind.MEDIA_DOWNLOAD: 0}
    ref = receive(system, f"{files.url}/1")
    usage.set_percents(table, sample_data.COMPANY, percents, by="a person")
    system.run_downloads()

    (message,) = [row for row in system.log(ref) if row["author"] == "customer"]
    assert files.asked == []
    assert message["media_state"] == "failed"
    assert message["media"][0]["failed"] == "spending_limit"

    usage.set_percents(table, sample_data.COMPANY, {}, by="a person")
    system.clock.ms += 25 * 60 * MINUTE_MS
    system.sweep()
    system.drain()
    system.run_downloads()

    (message,) = [row for row in system.log(ref) if row["author"] == "customer"]
    assert len(files.asked) == 1
    assert message["media_state"] == "stored"


def test_a_download_is_counted_once_for_all_its_attempts(system: System, files: Files) -> None:
    files.answers = {"/1": (503, {}, b"")}
    send(system, f"{files.url}/1")
    files.answers = {"/1": (200, {"Content-Type": "image/png"}, PICTURE)}
    system.drain()
    system.run_downloads()

    rows = [row for key, row in system.rows().items() if key[0] == "spending"]
    days = [row for row in rows if row["pk"].startswith("DAY#")]
    assert [day["units"] for day in days if day["sk"] == Kind.MEDIA_DOWNLOAD] == [1]
    assert len(files.asked) == 2


def test_a_late_file_of_a_company_above_its_share_is_delayed_and_then_fetched_once(
    system: System, files: Files
) -> None:
    ref = receive(system, f"{files.url}/1")
    runs = next(module for name, module in system.workers.items() if name.endswith("-media")).runs
    for number in range(share(runs.most, 1)):
        assert runs.begin(sample_data.COMPANY, f"another-{number}", system.clock.ms + HOUR_MS)
    system.clock.ms += LATE_MS + 1
    system.run_downloads()
    before = (files.asked[:], message(system, ref)["media_state"])
    system.clock.ms += HOUR_MS  # The other runs have ended.
    system.drain()

    assert before == ([], "pending")
    assert [path for path, _ in files.asked] == ["/1"]
    assert message(system, ref)["media_state"] == "stored"
    assert list(system.objects().values()) == [PICTURE]
    assert system.fifo_queues.dead_letters == []


def test_the_customer_is_told_once_in_the_projects_words_that_files_are_too_many(
    system: System, files: Files
) -> None:
    ref = system.begin("whatsapp")
    system.change(policy={"file_refused": {"en": "Please send fewer files.", "de": "Zu viele."}})
    urls = [f"{files.url}/1" for _ in range(12)]
    named = {f"MediaUrl{n}": url for n, url in enumerate(urls)}

    for _ in range(2):
        system.whatsapp("m", "See these pictures please", NumMedia="12", **named)
        system.drain()

    assert texts_by(system, ref, "system") == ["Please send fewer files."]


@pytest.mark.parametrize("text", [None, "This file is too large."])
def test_a_file_that_is_too_large_is_named_only_in_the_projects_words(
    system: System, files: Files, text: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "LARGEST_FILE_BYTES", 5)
    system.change(policy={"file_refused": text})

    ref = send(system, f"{files.url}/1")
    system.drain()

    assert message(system, ref)["media"][0]["refused"] == "TooLarge"
    assert texts_by(system, ref, "system") == [text for text in (text,) if text]
