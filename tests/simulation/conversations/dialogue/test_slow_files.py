"""Slow files: each has its own attempt and time, and no message waits for one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conversations.inbound.files.attachments import MOST_FILES
from conversations.lifecycle import conversation
from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE
from shared.aws.sqs_fifo import Entry
from shared.providers import http
from tests.integration.logs import conditions
from tests.simulation.conversations.erasure import erase
from tests.simulation.conversations.scenarios import sends_pictures
from tests.simulation.conversations.system import MEDIA
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

SECONDS = 30


@pytest.fixture
def slow(system: System, monkeypatch: pytest.MonkeyPatch) -> System:
    """The system, in which time passes while a file is downloaded."""
    download = http.download

    def slowly(*given: Any, **named: Any) -> Any:
        system.clock.sleep(SECONDS)
        return download(*given, **named)

    monkeypatch.setattr(http, "download", slowly)
    return system


def files_of(system: System, ref: str) -> list[dict[str, Any]]:
    return [file for row in system.log(ref) for file in row.get("media", [])]


@pytest.mark.long
def test_each_of_many_slow_files_gets_its_attempt_and_no_message_waits(slow: System) -> None:
    """Of four messages with files and a STOP behind them, all are stored before the first download."""
    ref = slow.begin("sms")
    for number in range(4):
        sends_pictures(slow, f"photo{number}", MOST_FILES)
    slow.text("stop", "STOP")
    began_ms = slow.clock.ms

    slow.run_intake()
    assert slow.clock.ms == began_ms
    assert slow.conversation(ref)["conversation_status"] == "opted_out"
    assert [row["media_state"] for row in slow.log(ref) if "media_state" in row] == ["pending"] * 4

    queue = slow._queue_named(MEDIA)
    attempts = 0
    while batch := slow.fifo_queues.queues[queue].receive():
        (file,) = batch
        assert file.receives == 1
        slow.run_worker(queue, file, Invocation(slow.clock))
        attempts += 1
    assert attempts == len(files_of(slow, ref)) == len(slow.objects()) == 40
    assert all("key" in file for file in files_of(slow, ref))
    assert slow.fifo_queues.dead_letters == []


def test_two_deliveries_of_one_file_at_once_leave_one_stored_file(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A standard queue may deliver a message twice: the second one stores the file while the first one does."""
    ref = system.begin("sms")
    sends_pictures(system, "photo", 2)
    system.run_intake()
    queue = system._queue_named(MEDIA)
    (first,) = system.fifo_queues.queues[queue].receive()
    download = http.download

    def overtaken(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(http, "download", download)
        system.invoke_worker(queue, replace(first))
        system.run_downloads()  # the other file of the message
        return download(*given, **named)

    monkeypatch.setattr(http, "download", overtaken)
    system.run_worker(queue, first)

    (message,) = (row for row in system.log(ref) if row.get("media"))
    assert message["media_state"] == "stored"
    assert sorted(file["key"] for file in message["media"]) == sorted(system.objects())
    assert len(system.objects()) == 2


def test_files_that_an_earlier_release_left_due_are_handed_over_and_downloaded(
    system: System,
) -> None:
    """It wrote one due item for a conversation, and its sweep put `fetch_files` on the queue of the channel."""
    ref = system.begin("sms")
    sends_pictures(system, "photo", 2)
    system.run_intake()
    system.fifo_queues.queues[system._queue_named(MEDIA)].messages.clear()
    (message,) = (row for row in system.log(ref) if row.get("media"))
    due = {
        "kind": "media",
        "due_bucket": "0",
        "due_at": "2026-01-01T12:00:00.000Z",
        "message_sk": message["sk"],
        "item_type": "DUE",
    }
    system.write("log", {"pk": f"CONV#{ref}", "sk": "DUE#media", **due})
    queued = f'{{"type":"fetch_files","v":1,"ref":"{ref}","message_sk":"{message["sk"]}"}}'
    system.fifo_queues.put(
        next(name for name in system.workers if name.endswith("sms.fifo")), Entry(queued, "g", "d")
    )

    system.drain()
    assert files_of(system, ref)[0].get("key") is None
    system.clock.sleep(60)
    system.sweep()
    system.drain()

    assert all("key" in file for file in files_of(system, ref))
    assert system.due_at() == []
    assert system.parked() == []


def test_a_pending_file_of_an_erased_person_is_not_downloaded(system: System) -> None:
    system.begin("sms")
    sends_pictures(system, "photo", 1)
    system.run_intake()
    (queued,) = system.fifo_queues.queues[system._queue_named(MEDIA)].messages
    assert "http" not in queued.body  # nothing of the person is left in the queue

    erase(system)
    system.interceptor.rewind()
    system.run_downloads()

    assert [call for call in system.interceptor.calls if call.startswith("HTTP.")] == []
    assert system.objects() == {}
    assert system.parked() == system.fifo_queues.dead_letters == []
    assert not any(row.get("media") for row in system.rows().values())


def test_an_erasure_waits_for_a_download_that_has_begun(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The download ends within the time that the erasure waits, and its object is erased with the others."""
    system.begin("sms")
    sends_pictures(system, "photo", 1)
    system.run_intake()
    sleep = system.clock.sleep
    stored: list[str] = []

    def meanwhile(seconds: float) -> None:
        system.run_downloads()
        stored.extend(system.objects())
        sleep(seconds)

    # The worker passes its checks before the fence; the rest of it runs while the erasure waits.
    monkeypatch.setattr(
        "conversations.inbound.files.downloads.conversation.load", _load_now(system)
    )
    monkeypatch.setattr(system.clock, "sleep", meanwhile)
    erase(system)

    assert stored
    assert system.objects() == {}
    assert not any(row.get("media") for row in system.rows().values())


def _load_now(system: System) -> Any:
    """Load the conversation as it is before the erasure."""
    module = system.workers[system._queue_named(MEDIA)]
    (ref,) = (key[1].removeprefix("CONV#") for key in system.rows() if key[2] == "STATE")
    opened = conversation.load(module.deps.resources, ref)
    return lambda *_: opened


def test_files_that_wait_long_for_their_first_attempt_are_a_condition(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    system.begin("sms")
    sends_pictures(system, "photo", 1)
    system.run_intake()
    system.run_downloads()
    assert conditions(capsys)["FilesLate"] == 0

    sends_pictures(system, "later", 1)
    system.run_intake()
    system.clock.sleep(16 * 60)
    system.run_downloads()
    assert conditions(capsys)["FilesLate"] == 1


def test_the_sandbox_serves_the_files_of_a_customers_message(system: System) -> None:
    ref = system.begin("sms")
    sends_pictures(system, "photo", 1)
    system.run_intake()
    system.run_downloads()

    assert list(system.objects().values()) == [BUILT_IN[JPEG_IMAGE].content]
    assert files_of(system, ref)[0]["url"].startswith(system.sandbox.url)
