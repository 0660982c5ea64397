"""A file is fetched in its own message group: its message may be deleted at any moment of the fetch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from events.whatsapp.payloads import content, message
from events.whatsapp.sample_data import ADA, COUNTER, WORKSHOP, ZOE
from events.whatsapp.samples import sample
from tests.simulation.interceptor import Died, Recorded, When
from tests.simulation.whatsapp.event_builders import EVENT_MINUTE, TIMELINE, wamid, webhook_of
from tests.simulation.whatsapp.system import System

FILES = {
    "over Graph": (sample("image"), 7),
    "over AWS": (sample("sns_image"), 8),
}
over_both = pytest.mark.parametrize("name", FILES)


def revocation(name: str) -> dict[str, object]:
    """The customer deletes the photo for everyone."""
    photo = FILES[name][0]
    sent = photo.items("messages")[0]
    part = content("revoke", {"original_message_id": sent["id"]})
    number = WORKSHOP if photo.is_social else COUNTER
    customer = ZOE if photo.is_social else ADA
    return webhook_of(
        message(customer, wamid("revocation"), TIMELINE.at(EVENT_MINUTE), part), number=number
    )


@over_both
def test_a_worker_that_crashes_while_it_fetches_a_revoked_file_stores_none(
    system: System, name: str
) -> None:
    photo, calls = FILES[name]
    for number in range(1, calls + 1):
        system.reset()
        system.deliver_until_accepted(photo.event)
        system.run_worker()
        system.interceptor.rewind()
        system.interceptor.die_at = (number, When.AFTER)
        system.run_worker()
        assert len(system.interceptor.calls) == number
        system.interceptor.rewind()
        system.deliver_until_accepted(revocation(name))
        system.drain()
        assert_nothing_left(system, f"died after call {number}")


@over_both
def test_a_worker_that_resumes_fetching_a_revoked_file_stores_none(
    system: System, name: str
) -> None:
    photo, calls = FILES[name]
    for number in range(1, calls + 1):
        system.reset()
        system.deliver_until_accepted(photo.event)
        system.run_worker()
        system.new_process()
        system.interceptor.rewind()
        batch = [replace(fetch) for fetch in system.queue.receive()]
        system.interceptor.die_at = (number, When.BEFORE)
        answers: list[Recorded] = []
        system.interceptor.recording = answers
        with pytest.raises(Died):
            system.invoke_worker(batch)
        system.new_process()
        system.interceptor.rewind()
        system.deliver_until_accepted(revocation(name))
        system.run_worker()
        system.new_process()
        system.interceptor.rewind()
        system.interceptor.replayed = answers
        system.invoke_worker(batch)
        system.drain()
        assert_nothing_left(system, f"went on at call {number}")


def assert_nothing_left(system: System, where: str) -> None:
    assert system.objects() == {}, where
    (file,) = [item for item in system.items().values() if item["itemType"] == "MEDIA"]
    assert file["mediaStatus"] == "REVOKED", where
    assert "s3Key" not in file, where
    assert not any("s3Key" in item for item in system.items().values()), where
