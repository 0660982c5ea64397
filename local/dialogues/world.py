"""Projects, customers, the model and the clock of dialogues. See `conversations.dialogues.world.World`."""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import boto3
from moto import mock_aws

from conversations.configuration import ownership, projects
from conversations.dialogues.world import CustomerMessage, Line, Observation, RealModel
from conversations.store import conversations, messages, states
from conversations.store.items.log import Delivery, Message
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due
from events.conversations import sample_data
from local.dialogues import account, samples
from local.dialogues.clock import START, SandboxClock, simulated
from local.dialogues.company_systems import serving
from local.dialogues.handlers import Handlers
from local.sandbox import Config
from local.sandbox import running as running_sandbox
from local.sandbox.accounts.openai import FunctionCallSeed, OpenAiAnswer
from shared.aws.dynamodb import Table
from shared.aws.tables.dynamodb_json import storable
from shared.events.exchange import File, inbound_entry
from shared.identity import keyed_hashes
from shared.runtime import clock
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from conversations.dialogues.scenarios.files import Written
    from conversations.dialogues.scenarios.format import Attachment, ModelAnswer
    from local.dialogues.clock import Clock
    from local.dialogues.company_systems import CompanySystems
    from local.sandbox import Sandbox

_MODEL_SECRET: Final = f"parley/local/companies/{sample_data.COMPANY}/openai"
_DAY_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS
_MINUTE_MS: Final = 60 * clock.SECOND_MS
_MOST_SWEEPS: Final = 60
_UNSENT: Final = frozenset(
    {Delivery.DRAFT, Delivery.DISCARDED, Delivery.FAILED, Delivery.BLOCKED, Delivery.UNKNOWN}
)


@dataclass(slots=True)
class Begun:
    """A dialogue that has begun: its number, its called functions in order, and how many were seen of each source."""

    number: int
    written: Written
    calls: list[str] = field(default_factory=list)
    by_webhook: int = 0
    built_in: int = 0


@dataclass(slots=True, eq=False)
class EmulatedWorld:
    """The handlers of conversations, and one company with the projects of the dialogues."""

    handlers: Handlers
    sandbox: Sandbox
    systems: CompanySystems
    clock: Clock
    model: RealModel | None = None
    begun: dict[str, Begun] = field(default_factory=dict)  # by `ref`, the current one last
    sent: int = 0
    dynamodb: DynamoDBClient = field(default_factory=lambda: boto3.client("dynamodb"))

    def begin(self, written: Written) -> str:
        """See `World.begin`."""
        number, dialogue = len(self.begun), written.dialogue
        self._end_last()
        self.sandbox.forget_sent()
        start = dialogue.starts_at and clock.from_text(dialogue.starts_at.replace("Z", ":00.000Z"))
        # A dialogue that names no time begins at noon, however long the ones before it took.
        days = -(-(self.clock.ms - clock.from_text(START)) // _DAY_MS)
        self.clock.ms = start or clock.from_text(START) + max(0, days) * _DAY_MS
        item = samples.project_item(number, dialogue, self._model_settings())
        if "transcription" in item["ai_config"]:
            item["ai_config"]["transcription"].setdefault("api_key_reference", _MODEL_SECRET)
        for function in item["ai_config"].get("functions", []):
            answer = dialogue.functions.get(function["name"], {"ok": True})
            served = self.systems.serve(samples.project_id(number), function["name"], answer)
            function.setdefault("target", served)
        self._table("COMPANY_DATA_TABLE_NAME").put(storable(item))
        ownership.claim(self._log, projects.parse(item))
        if dialogue.opening is None and not self.model:
            self.prepare([samples.opening(item)])
        answer = self.handlers.initiate(samples.request(number, dialogue), sample_data.COMPANY)
        ref = str(answer["conversation_ref"])
        self.begun[ref] = Begun(number, written)
        self.settle()
        return ref

    def _end_last(self) -> None:
        """Drop the due work of the dialogue before, which would take answers of the next one."""
        for ref in [*self.begun][-1:]:
            for kind in DueKind:
                due.done(self._log, ref, kind)

    def send(self, ref: str, message: CustomerMessage) -> None:
        """See `World.send`."""
        self._enqueue(ref, message)
        self.handlers.run_due()

    def _enqueue(self, ref: str, message: CustomerMessage) -> None:
        begun = self.begun[ref]
        self.sent += 1
        event = samples.inbound(
            begun.number,
            begun.written.dialogue.channel,
            message,
            name=f"message-{self.sent}",
            at=clock.to_text(self.clock.ms),
            files=[self._stored(one, begun.written.folder) for one in message.files],
            reply_to=self._quoted(ref, message.quotes),
        )
        entry = inbound_entry(event)
        self.handlers.enqueue(
            "CONVERSATIONS_INBOUND_QUEUE_URL", entry.body, entry.group, entry.deduplication
        )

    def advance(self, seconds: int) -> None:
        """See `World.advance`: workers run when they have work, the schedule up to 60 times."""
        end = self.clock.ms + seconds * clock.SECOND_MS
        idle = max(_MINUTE_MS, seconds * clock.SECOND_MS // _MOST_SWEEPS)
        while self.clock.ms < end:
            self.handlers.run_due()
            minute = self.clock.ms // _MINUTE_MS
            next_at = self.handlers.next_at or end
            self.clock.ms = min(end, self.clock.ms + idle, max(next_at, self.clock.ms + 1))
            if self.clock.ms // _MINUTE_MS != minute:
                self.handlers.sweep()
        self.handlers.run_due()

    def settle(self) -> None:
        """See `World.settle`."""
        self.handlers.settle()

    def prepare(self, answers: Sequence[ModelAnswer]) -> None:
        """See `World.prepare`."""
        for one in answers:
            answer = _staged(one)
            self.sandbox.openai.answers.append(answer)
            if one.meanwhile:
                self.sandbox.openai.before[id(answer)] = partial(self._write_meanwhile, one)

    def _write_meanwhile(self, answer: ModelAnswer) -> None:
        """Let the customer's texts arrive within a second, while the worker waits for the model."""
        self.clock.ms += clock.SECOND_MS
        for text in answer.meanwhile:
            self._enqueue(next(reversed(self.begun)), CustomerMessage(text=text))
        self.handlers.take_inbound()

    def unused(self) -> int:
        """See `World.unused`."""
        left = len(self.sandbox.openai.answers)
        self.sandbox.openai.answers.clear()
        return 0 if self.model else left

    def observe(self, ref: str) -> Observation:
        """See `World.observe`."""
        state = states.read(self._log, ref)
        if state is None:
            raise LookupError(ref)
        item = conversations.read(
            self._table("CONVERSATIONS_TABLE_NAME"), state.primary_channel, state.conversation_id
        )
        stored = messages.after(self._log, ref, None)
        inputs = [
            "\n".join(_texts(sent.body))
            for sent in self.sandbox.sent
            if sent.operation == "create_response"
        ]
        return Observation(
            status=item.conversation_status if item else "",
            reason=state.status_reason,
            lines=[_line(one) for one in stored],
            calls=self._calls(self.begun[ref], stored),
            model_inputs=None if self.model else inputs,
            at=clock.to_text(self.clock.ms),
        )

    def _calls(self, begun: Begun, stored: Sequence[Message]) -> list[str]:
        """Add the calls since the last observation: of the company's functions, and of built-in ones that were done."""
        project = samples.project_id(begun.number)
        by_webhook = self.systems.called[project]
        served = {
            path.rpartition("/")[2] for path in self.systems.answers if project in path.split("/")
        }
        built_in = [name for message in stored for name in message.functions if name not in served]
        begun.calls += by_webhook[begun.by_webhook :] + built_in[begun.built_in :]
        begun.by_webhook, begun.built_in = len(by_webhook), len(built_in)
        return list(begun.calls)

    def _model_settings(self) -> dict[str, Any]:
        model = self.model.name if self.model else "stand-in"
        section = {
            "model": model,
            "api_key_reference": _MODEL_SECRET,
            "reads": ["image", "document"],
        }
        return {
            "openai_config": {name: dict(section) for name in ("sms", "whatsapp", "email")},
            "prompts": {"initial": "Be brief and kind.", "reply": "Be brief and kind."},
        }

    def _stored(self, attached: Attachment, folder: Path) -> File:
        """Store a file as the WhatsApp inbox does before it hands the message over."""
        name = Path(attached.path).name
        key = f"media/{sample_data.COMPANY}/106540352242922/{self.sent}/{name}"
        content = (folder / attached.path).read_bytes()
        boto3.client("s3").put_object(
            Bucket=account.BUCKET, Key=key, Body=content, ContentType=attached.type
        )
        if attached.words is not None:
            self.sandbox.openai.transcripts.append(attached.words)
        return File(
            url=f"s3://{account.BUCKET}/{key}",
            provider_id=f"file-{self.sent}",
            mime_type=attached.type,
            name=name,
        )

    def _quoted(self, ref: str, position: int | None) -> str | None:
        if position is None:
            return None
        stored = messages.after(self._log, ref, None)
        return stored[position - 1 if position > 0 else position].quoted_as

    @property
    def _log(self) -> Table:
        return self._table("CONVERSATION_LOG_TABLE_NAME")

    def _table(self, variable: str) -> Table:
        return Table(self.dynamodb, self.handlers.environment[variable])


def _staged(answer: ModelAnswer) -> OpenAiAnswer:
    """Return an answer of the stand-in as the sandbox gives it."""
    if answer.refused is not None:
        return OpenAiAnswer(refused=answer.refused)
    if answer.calls:
        calls = [
            FunctionCallSeed(name=one.call, arguments=json.dumps(one.arguments))
            for one in answer.calls
        ]
        return OpenAiAnswer(function_calls=calls)
    return OpenAiAnswer(text=answer.as_output())


def _line(message: Message) -> Line:
    is_ours = message.author != "customer"
    was_sent = not (is_ours and message.delivery_status in _UNSENT) and message.proposal is None
    return Line(message.author, message.content, was_sent)


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - a part of a request
    """Yield all texts of a model's request, without the content of files."""
    if isinstance(value, str) and not value.startswith("data:"):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Show no log lines of the handlers."""
    level = logger.log_level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def emulated(model: RealModel | None = None) -> Iterator[EmulatedWorld]:
    """Run the handlers in this process, with the stand-in for the model or a real one."""
    with (
        mock_aws(),
        simulated() as own_clock,
        running_sandbox(Config()) as sandbox,
        mock.patch.dict(
            os.environ, account.settings(sandbox.url, model.url if model else sandbox.url)
        ),
        serving() as systems,
        mock.patch.object(keyed_hashes, "_secret", keyed_hashes._secret),
        _unlogged(),
    ):
        sandbox.clock = SandboxClock(own_clock)
        account.put_secret(sample_data.TWILIO_SECRET_ID, sample_data.TWILIO_SECRET)
        account.put_secret(_MODEL_SECRET, {"ai_api_key": model.api_key if model else "stand-in"})
        handlers = Handlers(own_clock, account.create())
        yield EmulatedWorld(handlers, sandbox, systems, own_clock, model)
