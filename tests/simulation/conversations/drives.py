"""Scenarios that make the functions of conversations use every AWS permission."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from itertools import permutations
from typing import TYPE_CHECKING, Any

from conversations.lifecycle import commands
from conversations.lifecycle.commands import Resume
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from events.conversations import aws_sms, cast, twilio
from local.sandbox.sms.messages import TextMessage
from shared.events import DeliveryStatus, File, FileStored, InboundMessage, body_of
from shared.runtime import clock
from tests import template
from tests.simulation.conversations.scenarios import EVERY, Scenario, Story
from tests.simulation.conversations.test_crash_matrix import SENDS
from tests.simulation.wire import When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

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
    config = cast.project()["channel_config"]
    return cast.project(channel_config={**config, channel: {**config[channel], **facts}})


TWILIO = cast.project()
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
    whatsapp_credentials_id=cast.COMPANY,
)
AWS_SOCIAL = _with(
    "whatsapp", provider="aws_social", phone_number_id=f"phone-number-id-{'0123456789abcdef' * 2}"
)
OPENAI = cast.project(
    ai_config={
        "provider": "openai",
        "openai_config": {"email": {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID}},
    }
)
SES = _with("email", configuration_set="parley")


def talk(world: World, project: dict[str, Any], channel: str) -> None:
    """A conversation on a channel: request, first message, long answers; then STOP and START."""
    ref = _begun(world, project, channel)
    for text in (
        "Yes I do",
        "Which shift is it?",
        LONG,
        "HELP",
        "STOP",
        "START",
        "do not contact me again",
    ):
        _writes(world, ref, text)


# The item has answers to all of them but one.
LONG_QUESTIONS = [
    {"point": f"Do you have certificate {number}? {'Please say yes or no. ' * 8}"[:197] + "?"}
    for number in range(5)
]


def grow(world: World) -> None:
    """A customer's answer is recorded that no longer fits in the item."""
    world.reset()
    ref = world.begin("sms", project_data={"clarificationPoints": LONG_QUESTIONS})
    for _ in LONG_QUESTIONS[1:]:
        _writes(world, ref, "Yes I do")
    assert "recorded_answers_object" not in world.conversation(ref)
    _writes(world, ref, "Yes I do")
    assert "recorded_answers_object" in world.conversation(ref)


def be_told(world: World) -> None:
    """A turn with an unknown send records a customer's answer, until an agent confirms that its message was sent."""
    world.reset()
    ref = world.begin("sms", project_data={"clarificationPoints": LONG_QUESTIONS})
    for _ in LONG_QUESTIONS[1:]:
        _writes(world, ref, "Yes I do")
    before = {row["entry_id"] for row in world.log(ref)}
    world.wire.fails_if = lambda call: call.startswith(SENDS)
    _writes(world, ref, "Yes I do")
    world.settle()
    world.wire.rewind()
    answer = next(
        row
        for row in world.log(ref)
        if row["entry_id"] not in before and row.get("turn_kind") == "reply"
    )
    body = {"agent_id": "carol", "entry_id": answer["entry_id"], "outcome": "sent"}
    world.call_admin_api("POST /conversations/{ref}/resolve", body, ref=ref)
    assert "recorded_answers_object" in world.conversation(ref)


def be_adopted(world: World) -> None:
    """A customer answers in a conversation created by another system: the contract's item alone."""
    ref = _begun(world, TWILIO, "sms")
    item = world.conversation(ref)
    for key in world.rows():
        if key[0] == "log" and not key[1].startswith("ADDR#"):
            world.remove(*key)
    world.write("conversations", item)
    world.text("adopted", "Which shift is it?")
    world.work_off()
    assert world.log(ref)


def show_a_file(world: World) -> None:
    """A picture that the inbox has fetched, and an agent who opens it."""
    ref = _begun(world, META, "whatsapp")
    picture = File(provider_id="77", mime_type="image/jpeg")
    _says(world, ref, "My licence", kind="media", media=[picture])
    world.take_in()
    stored = FileStored(
        provider="meta",
        provider_message_id=f"in-{world.clock.ms}",
        account=_channel(world, ref).get("account", "simulated"),
        channel_method="whatsapp",
        business_address=cast.WHATSAPP_SENDER,
        file=File(url=f"s3://{world.bucket}/media/{cast.COMPANY}/1/77/file.jpg", provider_id="77"),
    )
    world.tell(stored)
    world.work_off()
    world.call_admin_api("GET /conversations/{ref}/messages", ref=ref)


def hand_over(world: World, channel: str) -> None:
    """Agents call every read route, take a conversation over, write, and hand it back with an unanswered message."""
    ref = _begun(world, TWILIO, channel)
    _writes(world, ref, LONG)
    for line in (
        "GET /conversations",
        "GET /conversations/{ref}",
        "GET /conversations/{ref}/messages",
    ):
        world.call_admin_api(line, **({"ref": ref} if "{ref}" in line else {}))
    world.call_admin_api(
        "POST /conversations/search", {"recipient": world.state(ref)["primary_channel"]}
    )
    world.call_admin_api("POST /opt-outs/search", {"recipient": cast.CANDIDATE})
    carol = {"agent_id": "carol"}
    world.call_admin_api("POST /conversations/{ref}/take-over", carol, ref=ref)
    _writes(world, ref, "Which shift is it?")
    world.call_admin_api(
        "POST /conversations/{ref}/messages", {**carol, "text": "One moment."}, ref=ref
    )
    world.work_off()
    _writes(world, ref, "Which shift is it, please?")
    world.call_admin_api(
        "POST /conversations/{ref}/hand-back", {**carol, "answer_pending": True}, ref=ref
    )
    world.work_off()
    world.call_admin_api("POST /conversations/{ref}/close", carol, ref=ref)


def be_stopped(world: World, channel: str) -> None:
    """Safe mode delays a first message by a day."""
    world.reset()
    world.switch(safe_mode="true")
    world.begin(channel)
    world.switch(safe_mode="false")
    world.settle()


def be_in_doubt(world: World, channel: str) -> None:
    """The worker crashed while it sent an answer; after the customer's next message the send is resolved as sent."""
    ref = _begun(world, TWILIO, channel)
    start = world.remember()
    _writes(world, ref, "Which shift is it?")
    sends = [n for n, call in enumerate(world.wire.calls, start=1) if call.startswith(SENDS)]
    world.begin_again(start)
    world.wire.die_at = (sends[0], When.AFTER)
    for text in ("Which shift is it?", "Are you there?"):
        _says(world, ref, text)
        world.let_pass(30_000)
    sent = next(row for row in world.log(ref) if row.get("turn_kind") == "reply")
    status = DeliveryStatus(
        provider=_channel(world, ref)["provider"],
        provider_message_id="of-the-answer",
        account=_channel(world, ref).get("account", "simulated"),
        channel_method=ChannelMethod(channel).value,
        action_id=identifiers.action_id(ref, str(sent["turn_id"])),
        status="Delivery" if channel == "email" else "delivered",
        occurred_at=clock.to_text(world.clock.ms),
    )
    world.tell(status)
    world.settle()


def be_reminded(world: World, channel: str) -> None:
    """The sweeper finds a delayed answer just after the customer's next message."""
    ref = _begun(world, TWILIO, channel)
    _says(world, ref, "Which shift is it?")
    world.take_in()
    queue = next(name for name in world.workers if name.endswith(f"{channel}.fifo"))
    world.lanes.put(queue, commands.entry(Resume(ref=ref), ref, "resume"))
    world.work_off()


def be_unknown(world: World, channel: str) -> None:
    """The send of an answer stays unknown: an agent must check it, and the customer gets a notice."""
    ref = _begun(world, TWILIO, channel)
    world.wire.fails_if = lambda call: call.startswith(SENDS)
    _writes(world, ref, "Which shift is it?")
    world.wire.rewind()
    world.settle()


def fall_back(world: World, channel: str, to: str, *, is_refused: bool) -> None:
    """A first message is undelivered, or refused at once, and is sent on another channel."""
    world.reset()
    world.set_up(cast.project(fallback_channels=[to]))
    if is_refused:
        provider, operation = SENDERS[channel]
        world.sandbox.faults.add(kind="status", provider=provider, operation=operation, status=400)
    ref = world.begin(channel, project_data=FACTS)
    if not is_refused:
        (first,) = world.log(ref)
        world.status(first["provider_message_id"], "undelivered", ErrorCode="30003")
        world.work_off()


def opt_out_at_twilio(world: World) -> None:
    """Twilio reports an opt-out."""
    ref = _begun(world, TWILIO, "sms")
    (first,) = world.log(ref)
    world.status(first["provider_message_id"], "undelivered", ErrorCode="21610")
    world.work_off()


def be_killed(world: World) -> None:
    """Workers crash while they update a conversation's item, and redeliveries complete the work."""
    for scenario in EVERY:
        start = scenario.begin(world.reset())
        world.settle()
        calls = list(world.wire.calls)
        for number, call in enumerate(calls, start=1):
            if call.startswith(f"dynamodb.UpdateItem {cast.COMPANY}#"):
                world.begin_again(start)
                world.wire.die_at = (number, When.AFTER)
                world.settle()


def be_refused_by_the_queue(world: World) -> None:
    """A request cannot be enqueued: the caller may repeat it."""
    world.reset()
    world.wire.fails_if = lambda call: call.startswith("sqs.")
    assert world.ask(cast.request())[0] == HTTPStatus.SERVICE_UNAVAILABLE
    world.wire.rewind()


def be_forgotten(world: World) -> None:
    """Work is due for a conversation that no longer exists."""
    world.reset()
    world.switch(safe_mode="true")
    ref = world.begin("sms")
    world.remove("log", f"CONV#{ref}", "STATE")
    world.clock.ms += 30 * clock.HOUR_MS
    world.sweep()
    world.switch(safe_mode="false")


def be_refused_once(world: World) -> None:
    """The table fails while a queue's first record is handled: the record is retried later."""
    for scenario in (*EVERY, *(Scenario(f"on {name}", _asks(name)) for name in CHANNELS)):
        scenario.begin(world.reset())
        refused: set[str] = set()
        while not world.lanes.is_empty:
            for queue, message in world.lanes.receive():
                if queue not in refused:
                    world.wire.fails_if = lambda call: call.startswith("dynamodb.")
                world.run_worker(queue, message)
                world.wire.rewind()
                refused.add(queue)
            if not world.lanes.is_empty:
                world.wait()


def be_missed(world: World) -> None:
    """Twilio has a status, a message and a picture without a webhook; the picture is not available yet."""
    _begun(world, TWILIO, "sms")
    world.sandbox.texts.messages[-1].status = "delivered"
    missed = TextMessage(
        sid=twilio.sid_of("missed"),
        account_sid=twilio.ACCOUNT,
        direction="inbound",
        sender=twilio.CUSTOMER,
        to=twilio.SMS_NUMBER,
        body="Yes I do",
        status="received",
        at=world.clock.ms / 1_000,
        segments=1,
    )
    world.sandbox.texts.messages.append(missed)
    picture = f"{world.sandbox.url}/2010-04-01/Accounts/{twilio.ACCOUNT}/Messages/MM1/Media/ME1"
    world.text("picture", "", NumMedia="1", MediaUrl0=picture, MediaContentType0="image/png")
    for _ in range(16):
        world.clock.ms += 60_000
        world.sweep()
    world.settle()


def put_back(world: World) -> None:
    """Events of all types are parked or dead letters, and operators replay and redrive them."""
    ref = _begun(world, TWILIO, "sms")
    project = world.row("log", f"ADDR#sms#{twilio.SMS_NUMBER}", f"{cast.COMPANY}#{cast.PROJECT}")
    assert project is not None
    world.remove("log", str(project["pk"]), str(project["sk"]))
    for name in ("first", "second"):
        world.text(name, "Yes I do")
    world.work_off()
    world.write("log", project)
    (parked, _) = world.call_admin_api("GET /conversations/parked")["events"]
    world.call_admin_api(
        "POST /conversations/parked/{event_id}/replay", {}, event_id=parked["eventId"]
    )
    assert len(world.call_admin_api("POST /conversations/parked/replay", {})["replayed"]) == 1
    status = DeliveryStatus(
        provider="twilio",
        provider_message_id="SM1",
        account=twilio.ACCOUNT,
        channel_method="sms",
        status="sent",
        occurred_at=clock.to_text(world.clock.ms),
    )
    for body in (
        body_of(status),
        f'{{"type":"reply_trigger","v":1,"ref":"{ref}","message_sk":"-"}}',
    ):
        queue = next(iter(world.lanes.queues.values()))
        queue._append(body, "g", "d")
        queue.dead_letters.append(queue.messages.pop())
    assert len(world.call_admin_api("GET /conversations/dead-letters")["letters"]) == 2
    assert len(world.call_admin_api("POST /conversations/dead-letters/redrive", {})["letters"]) == 2


def publish(world: World) -> None:
    """A text and a status published on the topics of the template."""
    topics = template.environment("ConversationsAwsSms", **STAGE)["SMS_TOPIC_ARNS"].split(",")
    world.reset()
    world.published(aws_sms.notification("one", aws_sms.text("one"), topic=topics[0]))
    status = aws_sms.delivery("ours", "TEXT_DELIVERED", "an action")
    world.published(aws_sms.notification("two", status, topic=topics[1]))
    world.work_off()


def _begun(world: World, project: dict[str, Any], channel: str) -> str:
    world.reset()
    world.set_up(project)
    return world.begin(channel, project_data=FACTS)


def _asks(channel: str) -> Story:
    return lambda world: world.ask(cast.request(channel))


def _channel(world: World, ref: str) -> dict[str, Any]:
    """The project's settings of the conversation's channel."""
    project = world.row("company", cast.COMPANY, cast.PROJECT)
    assert project is not None
    channel: dict[str, Any] = project["channel_config"][world.state(ref)["channel_method"]]
    return channel


def _writes(world: World, ref: str, text: str) -> None:
    """The customer writes, and the workers run."""
    world.clock.sleep(60)
    _says(world, ref, text)
    world.work_off()


def _says(world: World, ref: str, text: str, **facts: Any) -> None:
    """The customer writes; the channel's provider delivers the message."""
    state, channel = world.state(ref), _channel(world, ref)
    message = InboundMessage(
        provider=channel["provider"],
        provider_message_id=f"in-{world.clock.ms}",
        account=channel.get("account", "us-east-1"),
        company=state["company_id"],
        channel_method=state["channel_method"],
        business_address=state["business_address"],
        customer_address=state["primary_channel"],
        received_at=clock.to_text(world.clock.ms),
        text=text,
        **({"kind": "text"} | facts),
    )
    world.tell(message)


DRIVES: tuple[Story, ...] = (
    *(partial(talk, project=TWILIO, channel=channel) for channel in CHANNELS),
    partial(talk, project=AWS_SMS, channel="sms"),
    partial(talk, project=META, channel="whatsapp"),
    partial(talk, project=AWS_SOCIAL, channel="whatsapp"),
    partial(talk, project=SES, channel="email"),
    grow,
    be_told,
    be_adopted,
    show_a_file,
    *(partial(hand_over, channel=channel) for channel in CHANNELS),
    *(partial(be_stopped, channel=channel) for channel in CHANNELS),
    *(partial(be_in_doubt, channel=channel) for channel in CHANNELS),
    *(partial(be_reminded, channel=channel) for channel in CHANNELS),
    *(partial(be_unknown, channel=channel) for channel in CHANNELS),
    partial(talk, project=OPENAI, channel="email"),
    *(
        partial(fall_back, channel=channel, to=to, is_refused=is_refused)
        for channel, to in permutations(CHANNELS, 2)
        for is_refused in (True, False)
        if is_refused or channel != "email"
    ),
    opt_out_at_twilio,
    be_killed,
    be_refused_by_the_queue,
    be_forgotten,
    be_refused_once,
    be_missed,
    put_back,
    publish,
)
