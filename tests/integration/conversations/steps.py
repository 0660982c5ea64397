"""Steps that customers, agents, models and providers take in these tests, and the status of a conversation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conversations.configuration.bootstrap import ledger_of
from conversations.configuration.projects import Companies
from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import Release
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.aws.dynamodb import Table
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.configuration.resources import Resources
    from conversations.lifecycle.records.commands import Record
    from tests.simulation.conversations.system import System

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
OPENAI_SECRET_ID = "parley/local/companies/ci-aaa-001/openai"


def at(text: str) -> int:
    """A time of the first day, in milliseconds since 1970."""
    return clock.from_text(f"2026-01-01T{text}:00.000Z")


def start_conversation(
    system: System, channel: str = "sms", request_id: str = "req-1", **recipient: Any
) -> str:
    """Post a request, let the workers process it, and return the `ref` of the conversation."""
    contact = sample_data.request()["recipient_data"] | recipient
    status, answer = system.ask(sample_data.request(channel, request_id, recipient_data=contact))
    assert status == 200, answer
    system.drain()
    return str(answer["conversation_ref"])


def status_of(system: System, ref: str) -> tuple[str, str | None]:
    """The status of a conversation and its reason."""
    return system.conversation(ref)["conversation_status"], system.state(ref).get("status_reason")


def before_call(system: System, call: str, action: Callable[[str], None]) -> None:
    """Run *act* once, with the name of the call, just before the next call whose name begins with *call*."""

    def run_action(name: str) -> bool:
        if name.startswith(call):
            system.interceptor.fails_if = lambda _: False
            action(name)
        return False

    system.interceptor.fails_if = run_action


def queue_name(system: System, ending: str) -> str:
    """The name of a queue."""
    return next(name for name in system.fifo_queues.queues if name.endswith(f"{ending}.fifo"))


def enqueue(system: System, record: Record, ref: str, *what: str) -> None:
    """Enqueue a record for the channel of a conversation and let the workers process it."""
    channel = system.conversation(ref)["channel_method"]
    system.fifo_queues.put(queue_name(system, channel), commands.entry(record, ref, *what))
    system.drain()


def release(system: System, ref: str, cause: str = "key-1", **fields: Any) -> None:
    """An agent releases a first message."""
    enqueue(system, Release(ref=ref, cause=cause, agent_id="eve", **fields), ref, "release", cause)


def take_over(system: System, ref: str, agent: str = "eve") -> None:
    """An agent takes over a conversation, reduced to its two writes: the fence, then the status."""
    resources = direct_resources(system)
    cause = Cause(who=f"human:{agent}", what=f"take-over:{agent}", reason="taken_over")
    transitions.move(resources, conversation.load(resources, ref), Status.HANDOFF_ACTIVE, cause)


def direct_resources(system: System) -> Resources:
    """
    The workers' dependencies with direct AWS clients that bypass the interceptor, for actions of other parties.
    """
    resources: Resources = system.workers[queue_name(system, "replies")].deps.resources
    log = Table(system.dynamodb, resources.log.name)
    return replace(
        resources,
        log=log,
        table=Table(system.dynamodb, resources.table.name),
        companies=Companies(Table(system.dynamodb, resources.companies.table.name)),
        ledger=ledger_of(log),
    )


def with_model(system: System, *texts: str, **changes: Any) -> None:
    """Make OpenAI the project's model and set its next texts, in this order. *changes* are made to its `ai_config`."""
    ai = {
        "provider": "openai",
        "openai_config": {
            channel: {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID}
            for channel in ("whatsapp", "sms", "email")
        },
        **changes,
    }
    system.put_secret(OPENAI_SECRET_ID, {"ai_api_key": "sk-made-up"})
    system.change(ai_config=ai)
    model_says(system, *texts)


def model_says(system: System, *texts: str) -> None:
    """Set the next outputs of OpenAI's model."""
    for text in texts:
        system.sandbox.openai.answers.append(OpenAiAnswer(text=text))


def model_answer(content: str, **fields: Any) -> str:
    """An answer in the output format of models."""
    return json.dumps({"content": content, "function_call": None, "hand_off": None, **fields})


def function_call(name: str, content: str = "", **arguments: Any) -> str:
    """An answer that requests a function call."""
    return model_answer(content, function_call={"name": name, "arguments": json.dumps(arguments)})


def texts_by(system: System, ref: str, author: str = "ai") -> list[str]:
    """The texts of an author that were sent, in order."""
    return [
        str(message["content"])
        for message in system.log(ref)
        if message["author"] == author and message.get("delivery_status") not in UNSENT
    ]


UNSENT = {"draft", "discarded", "failed", "blocked", "unknown"}


def write(system: System, text: str = "Which shift is it?", name: str = "m", **fields: str) -> None:
    """The candidate writes an SMS, and workers empty their queues; *name* makes the id of the message."""
    system.text(name, text, **fields)
    system.drain()


def last_sid(system: System, ref: str) -> str:
    """The provider's id of our newest message."""
    return str(
        next(m for m in reversed(system.log(ref)) if m["role"] == "assistant")[
            "provider_message_id"
        ]
    )


def messages_of(system: System, ref: str) -> list[str]:
    return [m["content"] for m in system.log(ref) if m["author"] == "customer"]


def unmatched(system: System) -> list[dict[str, Any]]:
    return [row for key, row in sorted(system.rows().items()) if key[1].startswith("UNMATCHED#")]
