"""Scenarios that make the functions of conversations use every AWS permission."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from itertools import permutations
from typing import TYPE_CHECKING, Any
from unittest import mock

from conversations.lifecycle import commands
from conversations.lifecycle.commands import Resume
from conversations.lifecycle.file_download import FileDownload
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from events.conversations import aws_sms, sample_data, twilio
from local.sandbox.accounts.text_messages import TextMessage
from shared.aws.fair_shares import GRACE_MS, ROUND_MS, share
from shared.aws.sqs_fifo import Entry
from shared.events.exchange import (
    DeliveryStatus,
    File,
    FileStored,
    InboundMessage,
    NumberReleased,
    body_of,
)
from shared.providers import http
from shared.runtime import clock
from tests import template
from tests.simulation import stored
from tests.simulation.conversations.invocations import PERSON
from tests.simulation.conversations.scenarios import EVERY, Scenario, Steps, sends_pictures
from tests.simulation.conversations.test_crash_matrix import SENDS
from tests.simulation.interceptor import When
from tests.simulation.invocations import Invocation
from tests.simulation.person_calls import ask_part, asked_for

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

STAGE = {"Stage": "local"}
OPENAI_SECRET_ID = "parley/local/companies/ci-aaa-001/openai"
CHANNELS = ("whatsapp", "sms", "email")
SENDERS = {
    "whatsapp": ("twilio", "create_message"),
    "sms": ("twilio", "create_message"),
    "email": ("ses", "SendEmail"),
}
# Project data over 1 KB and a text over 16 KB: both are stored in the bucket.
FACTS = {
    **{f"fact{n}": "x" * 100 for n in range(20)},
    "shift": "nights",
    "clarificationPoints": [{"point": "Do you have a driving licence?", "pointConfirmed": "false"}],
}
LONG = "Which shift is it? " * 1_000


def _with(channel: str, **facts: Any) -> dict[str, Any]:
    """The project with changed settings of one channel."""
    config = sample_data.project()["channel_config"]
    return sample_data.project(channel_config={**config, channel: {**config[channel], **facts}})


TWILIO = sample_data.project()
AWS_SMS = _with(
    "sms",
    provider="aws_sms",
    account=aws_sms.TOPIC_ARN,
    company_sms_number=aws_sms.NUMBER,
    configuration_set="parley",
)
META = _with(
    "whatsapp",
    provider="meta",
    phone_number_id="106540352242922",
    whatsapp_credentials_id=sample_data.COMPANY,
)
AWS_SOCIAL = _with(
    "whatsapp", provider="aws_social", phone_number_id=f"phone-number-id-{'0123456789abcdef' * 2}"
)
OPENAI = sample_data.project(
    ai_config={
        "provider": "openai",
        "openai_config": {"email": {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID}},
    }
)
SES = _with("email", configuration_set="parley")


def full_conversation(system: System, project: dict[str, Any], channel: str) -> None:
    """A conversation on a channel: request, first message, long answers; then STOP and START."""
    ref = _start(system, project, channel)
    for text in (
        "Yes I do",
        "Which shift is it?",
        LONG,
        "HELP",
        "STOP",
        "START",
        "do not contact me again",
    ):
        _writes(system, ref, text)


# The item has answers to all of them but one.
LONG_QUESTIONS = [
    {"point": f"Do you have certificate {number}? {'Please say yes or no. ' * 8}"[:197] + "?"}
    for number in range(5)
]


def item_outgrown(system: System) -> None:
    """A customer's answer is recorded that no longer fits in the item."""
    system.reset()
    ref = system.begin("sms", project_data={"clarificationPoints": LONG_QUESTIONS})
    for _ in LONG_QUESTIONS[1:]:
        _writes(system, ref, "Yes I do")
    assert "recorded_answers_object" not in system.conversation(ref)
    _writes(system, ref, "Yes I do")
    assert "recorded_answers_object" in system.conversation(ref)


def send_resolved_by_agent(system: System) -> None:
    """A turn with an unknown send records a customer's answer, until an agent confirms that its message was sent."""
    system.reset()
    ref = system.begin("sms", project_data={"clarificationPoints": LONG_QUESTIONS})
    for _ in LONG_QUESTIONS[1:]:
        _writes(system, ref, "Yes I do")
    before = {row["entry_id"] for row in system.log(ref)}
    system.interceptor.fails_if = lambda call: call.startswith(SENDS)
    _writes(system, ref, "Yes I do")
    system.settle()
    system.interceptor.rewind()
    answer = next(
        row
        for row in system.log(ref)
        if row["entry_id"] not in before and row.get("turn_kind") == "reply"
    )
    body = {PERSON: "carol", "entry_id": answer["entry_id"], "outcome": "sent"}
    system.call_admin_api("POST /conversations/{ref}/resolve", body, ref=ref)
    assert "recorded_answers_object" in system.conversation(ref)


def foreign_conversation(system: System) -> None:
    """A customer answers in a conversation created by another system: the contract's item alone."""
    ref = _start(system, TWILIO, "sms")
    item = system.conversation(ref)
    for key in system.rows():
        if key[0] == "log" and not key[1].startswith("ADDR#"):
            system.remove(*key)
    system.write("conversations", item)
    system.text("adopted", "Which shift is it?")
    system.drain()
    assert system.log(ref)


def stored_file(system: System) -> None:
    """A picture that the inbox has fetched, and an agent who opens it."""
    ref = _start(system, META, "whatsapp")
    picture = File(provider_id="77", mime_type="image/jpeg")
    _says(system, ref, "My licence", kind="media", media=[picture])
    system.run_intake()
    stored = FileStored(
        provider="meta",
        provider_message_id=f"in-{system.clock.ms}",
        account=_channel(system, ref).get("account", "simulated"),
        channel_method="whatsapp",
        business_address=sample_data.WHATSAPP_SENDER,
        file=File(
            url=f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/file.jpg", provider_id="77"
        ),
    )
    system.forward(stored)
    system.drain()
    system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)


def number_passed_on(system: System) -> None:
    """The inbox has seen another owner of a number with a conversation."""
    _start(system, META, "whatsapp")
    released = NumberReleased(
        provider="meta",
        provider_message_id="wamid.next",
        account="simulated",
        company=sample_data.COMPANY,
        channel_method="whatsapp",
        business_address=sample_data.WHATSAPP_SENDER,
        customer_address=sample_data.CANDIDATE,
        next_user_id="GB.2",
        received_at=clock.to_text(system.clock.ms),
    )
    system.forward(released)
    system.drain()


def downloaded_files(system: System) -> None:
    """A picture; one so large that it is uploaded in parts, of which one fails; a download of an unknown file."""
    ref = _start(system, TWILIO, "sms")
    sends_pictures(system, "small", 1)
    system.drain()
    sends_pictures(system, "large", 1)
    system.run_intake()
    with mock.patch.object(http, "pieces", return_value=[bytes(9 << 20)]):
        system.interceptor.fails_if = lambda call: call.startswith("s3.UploadPart")
        system.run_downloads()
        system.interceptor.rewind()
        system.drain()
    (sk, *_) = (row["sk"] for row in system.log(ref) if row.get("media"))
    unknown = FileDownload(ref=ref, message_sk=sk, position=9)
    system.fifo_queues.put(_media_queue(system), unknown.entry())
    system.drain()


def voice_notes(system: System) -> None:
    """Two voice notes as text: one that the inbox has copied, and a downloaded one."""
    spoken = {"transcription": {"provider": "scripted"}}
    ref = _start(system, META | {"ai_config": META["ai_config"] | spoken}, "whatsapp")
    url = f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/voice.ogg"
    copied = File(url=url, provider_id="77", mime_type="audio/ogg")
    _says(system, ref, "", kind="media", media=[copied])
    system.drain()
    _start(system, TWILIO | {"ai_config": TWILIO["ai_config"] | spoken}, "sms")
    sends_pictures(system, "note", 1, "audio/ogg")
    system.drain()


def refused_files(system: System, channel: str) -> None:
    """More files than a message may have, in a project with words for it."""
    ref = _start(system, TWILIO, channel)
    system.change(policy={"file_refused": "Please send fewer files."})
    pictures = [File(url="https://files.example/a", mime_type="image/jpeg")] * 11
    _says(system, ref, "All of them", kind="media", media=pictures)
    system.drain()


def late_records(system: System) -> None:
    """A late file and a late reply of a company with its share of the runs, and the round that hands the reply over."""
    _start(system, TWILIO, "sms")
    sends_pictures(system, "late", 1)
    system.run_intake()
    # Earlier runs, which are counted here and not by a function.
    with mock.patch.object(system.interceptor, "observer"):
        for function in ("ConversationsMedia", "ConversationsReplies"):
            runs = system.functions[function].runs
            for number in range(share(runs.most, 1)):
                until = system.clock.ms + clock.HOUR_MS
                runs.begin(sample_data.COMPANY, f"another-{number}", until)
    system.clock.ms += ROUND_MS + GRACE_MS + 1
    system.drain()
    system.sweep()
    system.clock.ms += clock.HOUR_MS
    system.settle()


def files_of_an_earlier_release(system: System) -> None:
    """A due item with a message whose files an earlier release could not fetch."""
    ref = _start(system, TWILIO, "sms")
    sends_pictures(system, "picture", 1)
    system.run_intake()
    system.fifo_queues.queues[_media_queue(system)].messages.clear()
    (sk,) = (row["sk"] for row in system.log(ref) if row.get("media"))
    at = clock.to_text(system.clock.ms)
    due = {"kind": "media", "due_bucket": "0", "due_at": at, "message_sk": sk, "item_type": "DUE"}
    system.write("log", {"pk": f"CONV#{ref}", "sk": "DUE#media", **due})
    system.settle()


def _media_queue(system: System) -> str:
    return next(name for name in system.workers if name.endswith("-media"))


def agent_requests(system: System, channel: str) -> None:
    """Agents call every read route, take a conversation over, write, and hand it back with an unanswered message."""
    ref = _start(system, TWILIO, channel)
    _writes(system, ref, LONG)
    for line in (
        "GET /conversations",
        "GET /conversations/{ref}",
        "GET /conversations/{ref}/messages",
    ):
        system.call_admin_api(line, **({"ref": ref} if "{ref}" in line else {}))
    system.call_admin_api(
        "POST /conversations/search", {"recipient": system.state(ref)["primary_channel"]}
    )
    system.call_admin_api("POST /opt-outs/search", {"recipient": sample_data.CANDIDATE})
    carol = {PERSON: "carol"}
    system.call_admin_api("POST /conversations/{ref}/take-over", carol, ref=ref)
    _writes(system, ref, "Which shift is it?")
    system.call_admin_api(
        "POST /conversations/{ref}/messages", {**carol, "text": "One moment."}, ref=ref
    )
    system.drain()
    _writes(system, ref, "Which shift is it, please?")
    system.call_admin_api(
        "POST /conversations/{ref}/hand-back", {**carol, "answer_pending": True}, ref=ref
    )
    system.drain()
    system.call_admin_api("POST /conversations/{ref}/close", carol, ref=ref)


def blocked_first_message(system: System, channel: str) -> None:
    """Safe mode delays a first message by a day."""
    system.reset()
    system.switch(safe_mode="true")
    system.begin(channel)
    system.switch(safe_mode="false")
    system.settle()


def crash_during_send(system: System, channel: str) -> None:
    """The worker crashed while it sent an answer; after the customer's next message the send is resolved as sent."""
    ref = _start(system, TWILIO, channel)
    start = system.snapshot()
    _writes(system, ref, "Which shift is it?")
    sends = [
        n for n, call in enumerate(system.interceptor.calls, start=1) if call.startswith(SENDS)
    ]
    system.restore(start)
    system.interceptor.die_at = (sends[0], When.AFTER)
    for text in ("Which shift is it?", "Are you there?"):
        _says(system, ref, text)
        system.advance(30_000)
    sent = next(row for row in system.log(ref) if row.get("turn_kind") == "reply")
    # The provider echoes this id. Computing it here may read the keys again, which no function does.
    with mock.patch.object(system.interceptor, "observer"):
        action_id = identifiers.action_id(ref, str(sent["turn_id"]))
    status = DeliveryStatus(
        provider=_channel(system, ref)["provider"],
        provider_message_id="of-the-answer",
        account=_channel(system, ref).get("account", "simulated"),
        channel_method=ChannelMethod(channel).value,
        action_id=action_id,
        status="Delivery" if channel == "email" else "delivered",
        occurred_at=clock.to_text(system.clock.ms),
    )
    system.forward(status)
    system.settle()


def resumed_answer(system: System, channel: str) -> None:
    """The sweeper finds a delayed answer just after the customer's next message, with a file that is copied already."""
    ref = _start(system, META if channel == "whatsapp" else TWILIO, channel)
    url = f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/file.jpg"
    picture = {"media": [File(url=url, provider_id="77", mime_type="image/jpeg")]}
    _says(system, ref, "Which shift is it?", **({} if channel == "sms" else picture))
    system.run_intake()
    queue = next(name for name in system.workers if name.endswith(f"{channel}.fifo"))
    system.fifo_queues.put(queue, commands.entry(Resume(ref=ref), ref, "resume"))
    system.drain()


def unknown_send(system: System, channel: str) -> None:
    """The send of an answer stays unknown: an agent must check it, and the customer gets a notice."""
    ref = _start(system, TWILIO, channel)
    system.interceptor.fails_if = lambda call: call.startswith(SENDS)
    _writes(system, ref, "Which shift is it?")
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
    ref = _start(system, TWILIO, "sms")
    (first,) = system.log(ref)
    system.status(first["provider_message_id"], "undelivered", ErrorCode="21610")
    system.drain()


def crash_during_update(system: System) -> None:
    """Workers crash while they update a conversation's item, and redeliveries complete the work."""
    for scenario in EVERY:
        start = scenario.begin(system.reset())
        system.settle()
        calls = list(system.interceptor.calls)
        for number, call in enumerate(calls, start=1):
            if call.startswith(f"dynamodb.UpdateItem {sample_data.COMPANY}#"):
                system.restore(start)
                system.interceptor.die_at = (number, When.AFTER)
                system.settle()


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
    for scenario in (*EVERY, *(Scenario(f"on {name}", _asks(name)) for name in CHANNELS)):
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
    _start(system, TWILIO, "sms")
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
    ref = _start(system, TWILIO, "sms")
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
    name = _media_queue(system)
    files = system.fifo_queues.queues[name]
    files.put_standard(name, FileDownload(ref=ref, message_sk="-", position=0).entry().body)
    files.dead_letters.append(files.messages.pop())
    assert len(system.call_admin_api("GET /conversations/dead-letters")["letters"]) == 3
    assert (
        len(system.call_admin_api("POST /conversations/dead-letters/redrive", {})["letters"]) == 3
    )


def sns_notifications(system: System) -> None:
    """A text and a status published on the topics of the template."""
    topics = template.environment("ConversationsAwsSms", **STAGE)["SMS_TOPIC_ARNS"].split(",")
    system.reset()
    system.deliver_notification(aws_sms.notification("one", aws_sms.text("one"), topic=topics[0]))
    status = aws_sms.delivery("ours", "TEXT_DELIVERED", "an action")
    system.deliver_notification(aws_sms.notification("two", status, topic=topics[1]))
    system.drain()


def _start(system: System, project: dict[str, Any], channel: str) -> str:
    system.reset()
    system.set_up(project)
    return system.begin(channel, project_data=FACTS)


def _asks(channel: str) -> Steps:
    return lambda system: system.ask(sample_data.request(channel))


def _channel(system: System, ref: str) -> dict[str, Any]:
    """The project's settings of the conversation's channel."""
    project = system.row("company", sample_data.COMPANY, sample_data.PROJECT)
    assert project is not None
    channel: dict[str, Any] = project["channel_config"][system.state(ref)["channel_method"]]
    return channel


def _writes(system: System, ref: str, text: str) -> None:
    """The customer writes, and the workers run."""
    system.clock.sleep(60)
    _says(system, ref, text)
    system.drain()


def _says(system: System, ref: str, text: str, **facts: Any) -> None:
    """The customer writes; the channel's provider delivers the message."""
    state, channel = system.state(ref), _channel(system, ref)
    message = InboundMessage(
        provider=channel["provider"],
        provider_message_id=f"in-{system.clock.ms}",
        account=channel.get("account", "us-east-1"),
        company=state["company_id"],
        channel_method=state["channel_method"],
        business_address=state["business_address"],
        customer_address=state["primary_channel"],
        received_at=clock.to_text(system.clock.ms),
        text=text,
        **({"kind": "text", "extra": {"trust": "verified"}} | facts),
    )
    system.forward(message)


def request_about_person(system: System) -> None:
    """A person with a file, a copy at the model's provider and a mail that waits is exported, then erased."""
    ref = _start(system, OPENAI, "email")
    sends_pictures(system, "small", 1)
    system.drain()
    handler = system.functions["ConversationsSweeper"].handler

    def ask(call: str, **fields: Any) -> Any:
        return ask_part(handler, Invocation(system.clock), call, **fields)

    company = sample_data.COMPANY
    names = [["email", sample_data.CANDIDATE_EMAIL], ["phone", sample_data.CANDIDATE]]
    assert ask("known", company=company, name=names[1]) is not None
    assert ask("heads", references=[ref]) != [None]
    for kind in ("export", "erase"):
        (subject,) = ask("subjects", kind=kind, company=company, names=names)
        asked = asked_for(kind, company)
        while not (ask("since", asked=asked, subject=subject["name"], queues=True) or {}).get(
            "is_done"
        ):
            system.clock.ms += 60_000
        assert ask("stored", job_id=subject["job_id"])["counts"]


SCENARIOS: tuple[Steps, ...] = (
    request_about_person,
    *(partial(full_conversation, project=TWILIO, channel=channel) for channel in CHANNELS),
    partial(full_conversation, project=AWS_SMS, channel="sms"),
    partial(full_conversation, project=META, channel="whatsapp"),
    partial(full_conversation, project=AWS_SOCIAL, channel="whatsapp"),
    partial(full_conversation, project=SES, channel="email"),
    item_outgrown,
    send_resolved_by_agent,
    foreign_conversation,
    number_passed_on,
    stored_file,
    downloaded_files,
    voice_notes,
    *(partial(refused_files, channel=channel) for channel in ("sms", "whatsapp")),
    late_records,
    files_of_an_earlier_release,
    *(partial(agent_requests, channel=channel) for channel in CHANNELS),
    *(partial(blocked_first_message, channel=channel) for channel in CHANNELS),
    *(partial(crash_during_send, channel=channel) for channel in CHANNELS),
    *(partial(resumed_answer, channel=channel) for channel in CHANNELS),
    *(partial(unknown_send, channel=channel) for channel in CHANNELS),
    partial(full_conversation, project=OPENAI, channel="email"),
    *(
        partial(fallback_channel, channel=channel, to=to, is_refused=is_refused)
        for channel, to in permutations(CHANNELS, 2)
        for is_refused in (True, False)
        if is_refused or channel != "email"
    ),
    provider_opt_out,
    crash_during_update,
    queue_unavailable,
    due_work_without_conversation,
    table_failure,
    attempts_used_up,
    missed_webhooks,
    replay_and_redrive,
    sns_notifications,
)
