"""Slow files: each has its own attempt and time, and no message waits for one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from events.whatsapp.payloads import content, message, messages_change, text
from events.whatsapp.sample_data import ADA, COUNTER
from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE
from shared.providers import http
from tests.integration.logs import conditions
from tests.simulation.effort import long_except
from tests.simulation.whatsapp import system as systems
from tests.simulation.whatsapp.event_builders import EVENT_MINUTE, TIMELINE, post, wamid
from whatsapp.inbound import queued_events
from whatsapp.inbound.event import Event
from whatsapp.worker.media import downloads

if TYPE_CHECKING:
    from tests.simulation.clock import Clock
    from tests.simulation.whatsapp.system import System

MOST_FILES = 40
SECONDS = 9


@dataclass
class Timed(systems.Invocation):
    """An invocation whose remaining time passes with the clock."""

    clock: Clock | None = None
    began_ms: int = 0

    def get_remaining_time_in_millis(self) -> int:
        assert self.clock is not None
        return systems.LONGEST_LIFE_MS - (self.clock.ms - self.began_ms)


@pytest.fixture
def slow(system: System, monkeypatch: pytest.MonkeyPatch) -> System:
    """The system, in which time passes while a file is downloaded."""
    system.reset()
    for number in range(MOST_FILES):
        file = replace(BUILT_IN[JPEG_IMAGE], media_id=f"file{number}")
        system.sandbox.media[file.media_id] = file
    download = http.download

    def slowly(*given: Any, **named: Any) -> Any:
        system.clock.sleep(SECONDS)
        return download(*given, **named)

    monkeypatch.setattr(http, "download", slowly)
    monkeypatch.setattr(
        systems, "Invocation", lambda: Timed(clock=system.clock, began_ms=system.clock.ms)
    )
    return system


def photo(number: int) -> dict[str, Any]:
    file = {"id": f"file{number}", "mime_type": "image/jpeg"}
    return message(ADA, wamid(f"photo{number}"), TIMELINE.at(EVENT_MINUTE), content("image", file))


@pytest.mark.parametrize("files", long_except([10, 40], [10]))
def test_each_of_many_slow_files_gets_its_attempt_at_once_and_no_message_waits(
    slow: System, files: int
) -> None:
    for number in range(files):
        words = message(ADA, wamid(f"text{number}"), TIMELINE.at(EVENT_MINUTE), text(str(number)))
        slow.deliver_until_accepted(post(messages_change(COUNTER, [photo(number), words], [ADA])))
    waited_ms = []
    while slow.queue.messages:
        batch = slow.queue.receive()
        began_ms = slow.clock.ms
        assert all(entry.receives == 1 for entry in batch)
        slow.run_worker(batch)
        waited_ms += [slow.clock.ms - began_ms] if not batch[0].standard else []

    assert slow.queue.dead_letters == []
    assert max(waited_ms) == 0
    stored = [item for item in slow.items().values() if item["itemType"] == "MEDIA"]
    assert [item["mediaStatus"] for item in stored] == ["STORED"] * files


def test_a_download_that_an_earlier_release_queued_with_the_messages_is_handed_on(
    slow: System,
) -> None:
    slow.deliver_until_accepted(post(messages_change(COUNTER, [photo(0)], [ADA])))
    slow.run_worker()
    (queued,) = slow.queue.receive()
    slow.queue.delete(queued.receipt)
    event: Event = queued_events.parse_event(queued.body)
    slow.deliver(event.entry(group=(downloads.KIND, event.id), deduplication=(event.id,)))

    with mock.patch.object(downloads, "fetch", side_effect=AssertionError):
        slow.run_worker()
    slow.drain()

    assert slow.items()["MEDIA#file0"]["mediaStatus"] == "STORED"


def test_two_deliveries_of_one_file_at_once_leave_one_stored_file(slow: System) -> None:
    """A standard queue may deliver a message twice: the second one stores the file while the first one does."""
    slow.deliver_until_accepted(post(messages_change(COUNTER, [photo(0)], [ADA])))
    slow.run_worker()
    (queued,) = slow.queue.receive()
    download = http.download

    def overtaken(*given: Any, **named: Any) -> Any:
        with mock.patch.object(http, "download", download):
            slow.invoke_worker([replace(queued)])
        return download(*given, **named)

    with mock.patch.object(http, "download", overtaken):
        slow.run_worker([queued])

    record = slow.items()["MEDIA#file0"]
    assert record["mediaStatus"] == "STORED"
    assert list(slow.objects()) == [record["s3Key"]]
    assert slow.items()[f"MSG#{wamid('photo0')}"]["s3Key"] == record["s3Key"]


def test_files_that_wait_long_for_their_first_attempt_are_a_condition(
    slow: System, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        slow.deliver_until_accepted(post(messages_change(COUNTER, [photo(number)], [ADA])))
        slow.run_worker()
    slow.run_worker()
    assert conditions(capsys)["FilesLate"] == 0

    slow.clock.sleep(16 * 60)
    slow.run_worker()
    assert conditions(capsys)["FilesLate"] == 1
