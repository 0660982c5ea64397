"""Webhooks, the worker and its files, with all calls that they can make."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from unittest import mock

import pytest
from botocore.exceptions import ClientError

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import COMPANY, WORKSHOP
from events.whatsapp.samples import sample, samples
from shared.aws.s3 import Bucket
from shared.privacy.jobs import Kind
from tests.simulation import stored
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.privacy import contact_day
from tests.simulation.whatsapp.scenario import Scenario
from tests.simulation.whatsapp.scenarios import by_name, of_our_own
from tests.simulation.whatsapp.system import System
from whatsapp.configuration.folders import file_prefix
from whatsapp.recovery import parked_quota

LARGE = webhook_of(ada_message("large", text("A very long story. " * 60_000)))  # over a megabyte


def exercise_ingress_and_worker(system: System, observer: CallObserver) -> None:
    """All samples, including refused ones, and the scenarios of the crash matrix."""
    for scenario in of_our_own():
        play(system, scenario)
    system.reset()
    for event in (LARGE, *(each.event for each in samples())):
        system.deliver(event)
    system.drain()
    let_an_old_message_in(system)
    for function, module, key in (
        ("WhatsAppJobs", system.media, "media/large"),
        ("WhatsAppWorker", system.worker, "exports/large"),
    ):
        observer.watching(function, break_off_a_large_file)(system, module.resources.bucket, key)
    schedule_a_retry(system)
    park_a_file(system)
    use_up_attempts_of_a_file(system)
    fail_on_the_queue_of_campaigns(system)
    copy_a_file_twice(system)
    erase_and_export(system, observer.watching("WhatsAppAdmin", contact_day.start))


def erase_and_export(system: System, start: Callable[[System, Kind], object]) -> None:
    """A contact with everything that is stored about one, also beyond the quota of parked events."""
    system.reset()
    for event in contact_day.day():
        system.deliver_until_accepted(event)
        system.drain()
    with mock.patch.object(parked_quota, "has_room", return_value=False):
        system.deliver(webhook_of(ada_message("first", text("of a third kind"))))
        system.drain()
    contact_day.list_in_campaign(system)
    kinds: tuple[Kind, ...] = ("export", "erase")
    for kind in kinds:
        start(system, kind)
        system.drain()
    assert not any(key.startswith("exports/") for key in system.objects())


def begins_with(start: str, call: str) -> bool:
    """Whether a call is one of those to fail."""
    return call.startswith(start)


def copy_a_file_twice(system: System) -> None:
    """AWS copied it for a run that was killed, too."""
    system.reset()
    photo = sample("sns_image")
    (message,) = photo.items("messages")
    system.deliver(photo.event)
    key = file_prefix(COMPANY, WORKSHOP.phone, message["image"]["id"]) + "~copied before"
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=b"")
    system.drain()
    assert key not in system.objects()


def park_a_file(system: System) -> None:
    """The number's account has no access token."""
    system.reset()
    system.deliver(sample("image").event)
    system.run_worker()
    with mock.patch.object(system.media.resources.tokens, "value", return_value={}):
        system.run_worker()


def use_up_attempts_of_a_file(system: System) -> None:
    """It has killed every run: the next one moves it to the dead letters."""
    system.reset()
    system.deliver(sample("image").event)
    system.run_worker()
    stored.use_up_attempts(*system.queue.messages)
    system.run_worker()
    assert len(system.queue.dead_letters) == 1


def fail_on_the_queue_of_campaigns(system: System) -> None:
    """A job of that queue is delivered again, and then becomes a dead letter."""
    system.reset()
    system.deliver(sample("image").event)
    system.run_worker()
    (job,) = system.queue.messages
    job.standard = system.media.settings.whatsapp_campaigns_queue_url.rpartition("/")[2]
    system.interceptor.fails_if = partial(begins_with, "dynamodb.PutItem MEDIA")
    assert system.invoke_worker(system.queue.receive())
    system.interceptor.rewind()
    stored.use_up_attempts(job)
    system.wait_for_redelivery()
    system.run_worker()
    assert len(system.queue.dead_letters) == 1


def schedule_a_retry(system: System) -> None:
    """The table fails while an event is handled, and then while a file is."""
    system.reset()
    system.deliver(sample("image").event)
    for call in ("dynamodb.PutItem MSG", "dynamodb.PutItem MEDIA"):
        system.interceptor.fails_if = partial(begins_with, call)
        assert system.invoke_worker(system.queue.receive())
        system.interceptor.rewind()
        system.wait_for_redelivery()
        system.run_worker()


def let_an_old_message_in(system: System) -> None:
    """Older than every entry in the conversation's head: the head is recounted."""
    (trimmed,) = by_name(of_our_own(), "the ring is trimmed")
    play(system, trimmed)
    system.deliver_until_accepted(webhook_of(ada_message("old", text("long ago"), 600)))
    system.drain()


def play(system: System, scenario: Scenario) -> None:
    """A scenario without crashes, in a new system."""
    system.reset(auto_mark_read=scenario.auto_mark_read, automation=scenario.automation)
    scenario.seed(system)
    for event in scenario.first + scenario.then:
        system.deliver_until_accepted(event)
        system.drain()


def break_off_a_large_file(system: System, bucket: Bucket, key: str) -> None:
    """Larger than any sample: boto3 uploads it in parts, and aborts the upload when one of them fails."""
    system.interceptor.fails_if = lambda call: call.startswith("s3.UploadPart")
    with pytest.raises(ClientError):
        bucket.put_file(key, io.BytesIO(bytes(9 << 20)), "video/mp4")
    system.interceptor.rewind()
