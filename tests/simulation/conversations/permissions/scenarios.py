"""Scenarios that make the functions of conversations use every AWS permission."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

from events.conversations import aws_sms, sample_data
from shared.events.exchange import NumberReleased
from shared.runtime import clock
from tests import template
from tests.simulation.conversations.invocations import PERSON
from tests.simulation.conversations.permissions.failures import (
    attempts_used_up,
    blocked_first_message,
    crash_during_send,
    due_work_without_conversation,
    fallback_channel,
    missed_webhooks,
    provider_opt_out,
    queue_unavailable,
    replay_and_redrive,
    resumed_answer,
    table_failure,
    unknown_send,
)
from tests.simulation.conversations.permissions.files import (
    downloaded_files,
    files_of_an_earlier_release,
    late_records,
    refused_files,
    stored_file,
    voice_notes,
)
from tests.simulation.conversations.permissions.steps import (
    AWS_SMS,
    AWS_SOCIAL,
    CHANNELS,
    LONG,
    META,
    OPENAI,
    SES,
    STAGE,
    TWILIO,
    start,
    writes,
)
from tests.simulation.conversations.scenarios import Steps, sends_pictures
from tests.simulation.conversations.test_crash_matrix import SENDS
from tests.simulation.invocations import Invocation
from tests.simulation.person_calls import ask_part, asked_for

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def full_conversation(system: System, project: dict[str, Any], channel: str) -> None:
    """A conversation on a channel: request, first message, long answers; then STOP and START."""
    ref = start(system, project, channel)
    for text in (
        "Yes I do",
        "Which shift is it?",
        LONG,
        "HELP",
        "STOP",
        "START",
        "do not contact me again",
    ):
        writes(system, ref, text)


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
        writes(system, ref, "Yes I do")
    assert "recorded_answers_object" not in system.conversation(ref)
    writes(system, ref, "Yes I do")
    assert "recorded_answers_object" in system.conversation(ref)


def send_resolved_by_agent(system: System) -> None:
    """A turn with an unknown send records a customer's answer, until an agent confirms that its message was sent."""
    system.reset()
    ref = system.begin("sms", project_data={"clarificationPoints": LONG_QUESTIONS})
    for _ in LONG_QUESTIONS[1:]:
        writes(system, ref, "Yes I do")
    before = {row["entry_id"] for row in system.log(ref)}
    system.interceptor.fails_if = lambda call: call.startswith(SENDS)
    writes(system, ref, "Yes I do")
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
    ref = start(system, TWILIO, "sms")
    item = system.conversation(ref)
    for key in system.rows():
        if key[0] == "log" and not key[1].startswith("ADDR#"):
            system.remove(*key)
    system.write("conversations", item)
    system.text("adopted", "Which shift is it?")
    system.drain()
    assert system.log(ref)


def number_passed_on(system: System) -> None:
    """The inbox has seen another owner of a number with a conversation."""
    start(system, META, "whatsapp")
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


def agent_requests(system: System, channel: str) -> None:
    """Agents call every read route, take a conversation over, write, and hand it back with an unanswered message."""
    ref = start(system, TWILIO, channel)
    writes(system, ref, LONG)
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
    writes(system, ref, "Which shift is it?")
    system.call_admin_api(
        "POST /conversations/{ref}/messages", {**carol, "text": "One moment."}, ref=ref
    )
    system.drain()
    writes(system, ref, "Which shift is it, please?")
    system.call_admin_api(
        "POST /conversations/{ref}/hand-back", {**carol, "answer_pending": True}, ref=ref
    )
    system.drain()
    system.call_admin_api("POST /conversations/{ref}/close", carol, ref=ref)


def sns_notifications(system: System) -> None:
    """A text and a status published on the topics of the template."""
    topics = template.environment("ConversationsAwsSms", **STAGE)["SMS_TOPIC_ARNS"].split(",")
    system.reset()
    system.deliver_notification(aws_sms.notification("one", aws_sms.text("one"), topic=topics[0]))
    status = aws_sms.delivery("ours", "TEXT_DELIVERED", "an action")
    system.deliver_notification(aws_sms.notification("two", status, topic=topics[1]))
    system.drain()


def request_about_person(system: System) -> None:
    """A person with a file, a copy at the model's provider and a mail that waits is exported, then erased."""
    ref = start(system, OPENAI, "email")
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
    queue_unavailable,
    due_work_without_conversation,
    table_failure,
    attempts_used_up,
    missed_webhooks,
    replay_and_redrive,
    sns_notifications,
)
