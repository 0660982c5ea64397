"""A file of a company above its share of the downloads waits on the queue, and is fetched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.whatsapp.sample_data import COMPANY
from events.whatsapp.samples import sample
from shared.aws.workers.fair_shares import LATE_MS, share

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System

HOUR_MS = 3_600_000


@pytest.mark.parametrize("name", ["image", "sns_image"])
def test_a_late_file_above_the_share_is_delayed_and_then_fetched_once(
    system: System, name: str
) -> None:
    event = sample(name).event
    system.deliver_until_accepted(event)
    system.drain()
    clean = system.objects()

    system.reset()
    system.deliver_until_accepted(event)
    system.run_worker()
    runs = system.media.SHARING[system.media.JOBS].runs
    for number in range(share(runs.most, 1)):
        assert runs.begin(COMPANY, f"another-{number}", system.clock.ms + HOUR_MS)
    system.clock.ms += LATE_MS + 1
    system.run_worker()
    waits = [message.visible_at - system.clock.ms for message in system.queue.messages]
    before = system.objects()
    system.clock.ms += HOUR_MS  # The other runs have ended.
    system.interceptor.rewind()
    system.drain()
    # AWS End User Messaging writes a file to the bucket itself.
    writes = ("s3.PutObject", "socialmessaging.GetWhatsAppMessageMedia")
    stored = [call for call in system.interceptor.calls if call.startswith(writes)]

    assert before == {}
    assert [60_000 <= wait <= 300_000 for wait in waits] == [True]
    assert list(system.objects().values()) == list(clean.values())
    assert (len(clean), len(stored)) == (1, 1)
    assert (system.queue.messages, system.queue.dead_letters) == ([], [])
    states = [item["mediaStatus"] for item in system.items().values() if "mediaStatus" in item]
    assert states == ["STORED"]
