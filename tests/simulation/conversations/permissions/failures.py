"""Crashes, providers and tables that fail, and what sweeps and operators do afterwards."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING
from unittest import mock

from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import Resume
from conversations.lifecycle.records.file_download import FileDownload
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from events.conversations import sample_data, twilio
from local.sandbox.accounts.text_messages import TextMessage
from shared.aws.sqs_fifo import Entry
from shared.events.exchange import DeliveryStatus, File, body_of
from shared.runtime import clock
from tests.simulation import stored
from tests.simulation.conversations.permissions.files import media_queue
from tests.simulation.conversations.permissions.steps import (
    CHANNELS,
    FACTS,
    META,
    TWILIO,
    asks,
    channel_of,
    says,
    start,
    writes,
)
from tests.simulation.conversations.scenarios import EVERY, Scenario
from tests.simulation.conversations.test_crash_matrix import SENDS
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System
SENDERS = {
    "whatsapp": ("twilio", "create_message"),
    "sms": ("twilio", "create_message"),
    "email": ("ses", "SendEmail"),
}


def blocked_first_message(system: System, channel: str) -> None:
    """Safe mode delays a first message by a day."""
    system.reset()
    system.switch(safe_mode="true")
    system.begin(channel)
    system.switch(safe_mode="false")
    system.settle()


def crash_during_send(system: System, channel: str) -> None:
    """The worker crashed while it sent an answer; after the customer's next message the send is resolved as sent."""
    ref = start(system, TWILIO, channel)
    before = system.snapshot()
    writes(system, ref, "Which shift is it?")
    sends = [
        n for n, call in enumerate(system.interceptor.calls, start=1) if call.startswith(SENDS)
    ]
    system.restore(before)
    system.interceptor.die_at = (sends[0], When.AFTER)
    for text in ("Which shift is it?", "Are you there?"):
        says(system, ref, text)
        system.advance(30_000)
    sent = next(row for row in system.log(ref) if row.get("turn_kind") == "reply")
    # The provider echoes this id. Computing it here may read the keys again, which no function does.
    with mock.patch.object(system.interceptor, "observer"):
        action_id = identifiers.action_id(ref, str(sent["turn_id"]))
    status = DeliveryStatus(
        provider=channel_of(system, ref)["provider"],
        provider_message_id="of-the-answer",
        account=channel_of(system, ref).get("account", "simulated"),
        channel_method=ChannelMethod(channel).value,
        action_id=action_id,
        status="Delivery" if channel == "email" else "delivered",
        occurred_at=clock.to_text(system.clock.ms),
    )
    system.forward(status)
    system.settle()


def resumed_answer(system: System, channel: str) -> None:
    """The sweeper finds a delayed answer just after the customer's next message, with a file that is copied already."""
    ref = start(system, META if channel == "whatsapp" else TWILIO, channel)
    url = f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/file.jpg"
    picture = {"media": [File(url=url, provider_id="77", mime_type="image/jpeg")]}
    says(system, ref, "Which shift is it?", **({} if channel == "sms" else picture))
    system.run_intake()
    queue = next(name for name in system.workers if name.endswith(f"{channel}.fifo"))
    system.fifo_queues.put(queue, commands.entry(Resume(ref=ref), ref, "resume"))
    system.drain()


def unknown_send(system: System, channel: str) -> None:
    """The send of an answer stays unknown: an agent must check it, and the customer gets a notice."""
    ref = start(system, TWILIO, channel)
    system.interceptor.fails_if = lambda call: call.startswith(SENDS)
    writes(system, ref, "Which shift is it?")
    system.interceptor.rewind()
    system.settle()


def fallback_channel(system: System, channel: str, to: str, *, is_refused: bool) -> None:
    """A first message is undelivered, or refused at once, and is sent on another channel."""
    system.reset()
    system.set_up(sample_data.project(fallback_channels=[to]))
    if is_refused:
        provider, operation = SENDERS[channel]
        system.sandbox.faults.add(kind="status", provider=provider, operation=operation, status=400)
    ref = system.begin(channel, project_data=FACTS)
    if not is_refused:
        (first,) = system.log(ref)
        system.status(first["provider_message_id"], "undelivered", ErrorCode="30003")
        system.drain()


def provider_opt_out(system: System) -> None:
    """Twilio reports an opt-out."""
    ref = start(system, TWILIO, "sms")
    (first,) = system.log(ref)
    system.status(first["provider_message_id"], "undelivered", ErrorCode="21610")
    system.drain()


def queue_unavailable(system: System) -> None:
    """A request cannot be enqueued: the caller may repeat it."""
    system.reset()
    system.interceptor.fails_if = lambda call: call.startswith("sqs.")
    assert system.ask(sample_data.request())[0] == HTTPStatus.SERVICE_UNAVAILABLE
    system.interceptor.rewind()


def due_work_without_conversation(system: System) -> None:
    """Work is due for a conversation that no longer exists."""
    system.reset()
    system.switch(safe_mode="true")
    ref = system.begin("sms")
    system.remove("log", f"CONV#{ref}", "STATE")
    system.clock.ms += 30 * clock.HOUR_MS
    system.sweep()
    system.switch(safe_mode="false")


def table_failure(system: System) -> None:
    """The table fails while a queue's first record is handled: the record is retried later."""
    for scenario in (*EVERY, *(Scenario(f"on {name}", asks(name)) for name in CHANNELS)):
        scenario.begin(system.reset())
        refused: set[str] = set()
        while not system.fifo_queues.is_empty:
            waiting = [one for one in system.fifo_queues.receive() if one[0] in system.workers]
            for queue, message in waiting:
                if queue not in refused:
                    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.")
                system.run_worker(queue, message)
                system.interceptor.rewind()
                refused.add(queue)
            if not system.fifo_queues.is_empty:
                system.wait()


def attempts_used_up(system: System) -> None:
    """A message of each queue has killed every run: the next one moves it to the dead letters."""
    system.reset()
    for name in system.workers:
        system.fifo_queues.put(name, Entry("{}", "group", "fatal"))
        stored.use_up_attempts(system.fifo_queues.queues[name].messages[-1])
    system.drain()
    assert len(system.fifo_queues.dead_letters) == len(system.workers)


def missed_webhooks(system: System) -> None:
    """Twilio has a status, a message and a picture without a webhook; the picture is not available yet."""
    start(system, TWILIO, "sms")
    system.sandbox.texts.messages[-1].status = "delivered"
    missed = TextMessage(
        sid=twilio.sid_of("missed"),
        account_sid=twilio.ACCOUNT,
        direction="inbound",
        sender=twilio.CUSTOMER,
        to=twilio.SMS_NUMBER,
        body="Yes I do",
        status="received",
        at=system.clock.ms / 1_000,
        segments=1,
    )
    system.sandbox.texts.messages.append(missed)
    picture = f"{system.sandbox.url}/2010-04-01/Accounts/{twilio.ACCOUNT}/Messages/MM1/Media/ME1"
    system.text("picture", "", NumMedia="1", MediaUrl0=picture, MediaContentType0="image/png")
    for _ in range(16):
        system.clock.ms += 60_000
        system.sweep()
    system.settle()


def replay_and_redrive(system: System) -> None:
    """Events of all types are parked or dead letters, and operators replay and redrive them."""
    ref = start(system, TWILIO, "sms")
    project = system.row(
        "log", f"ADDR#sms#{twilio.SMS_NUMBER}", f"{sample_data.COMPANY}#{sample_data.PROJECT}"
    )
    assert project is not None
    system.remove("log", str(project["pk"]), str(project["sk"]))
    for name in ("first", "second"):
        system.text(name, "Yes I do")
    system.drain()
    system.write("log", project)
    (parked, _) = system.call_admin_api("GET /conversations/parked")["events"]
    system.call_admin_api(
        "POST /conversations/parked/{event_id}/replay", {}, event_id=parked["eventId"]
    )
    assert len(system.call_admin_api("POST /conversations/parked/replay", {})["replayed"]) == 1
    status = DeliveryStatus(
        provider="twilio",
        provider_message_id="SM1",
        account=twilio.ACCOUNT,
        channel_method="sms",
        status="sent",
        occurred_at=clock.to_text(system.clock.ms),
    )
    for body in (
        body_of(status),
        f'{{"type":"reply_trigger","v":1,"ref":"{ref}","message_sk":"-"}}',
    ):
        queue = next(iter(system.fifo_queues.queues.values()))
        queue._append(body, "g", "d")
        queue.dead_letters.append(queue.messages.pop())
    name = media_queue(system)
    files = system.fifo_queues.queues[name]
    files.put_standard(name, FileDownload(ref=ref, message_sk="-", position=0).entry().body)
    files.dead_letters.append(files.messages.pop())
    assert len(system.call_admin_api("GET /conversations/dead-letters")["letters"]) == 3
    assert (
        len(system.call_admin_api("POST /conversations/dead-letters/redrive", {})["letters"]) == 3
    )
