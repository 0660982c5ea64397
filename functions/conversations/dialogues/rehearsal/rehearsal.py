"""
A world in which the model's turns are the workers', and nothing else happens: nothing is stored, sent or called.

    customer's text        a keyword of consent: no turn. With agents, or over: no turn. Else the model writes an answer
    answer                 checked, repaired and fitted to the channel as in workers
    what it cannot play    time that passes, reactions, quotes, shared places and contacts, orders: `NotPlayable`
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conversations.ai.checks.faults import Severity
from conversations.ai.knowledge.search_tool import Knowledge
from conversations.ai.knowledge.settings import KnowledgeConfig
from conversations.ai.turn import dialogue
from conversations.dialogues.rehearsal.recorded import RecordedModel, passages_of
from conversations.dialogues.rehearsal.unstored import Unstored
from conversations.dialogues.scenarios.settings import project_of
from conversations.dialogues.world import Line, Observation
from conversations.lifecycle.status import OVER, WITH_PEOPLE, Status
from conversations.outbound import failures
from conversations.outbound.compose.answer_message import converted
from conversations.outbound.compose.content import file_marks
from conversations.outbound.compose.content.files import Shown, is_readable
from conversations.outbound.compose.content.history import history_of
from conversations.outbound.compose.facts import config_of
from conversations.outbound.compose.limits import blank
from conversations.outbound.results import Ended
from conversations.outbound.unwritable import Unwritable
from conversations.store.items.conversation import ChannelMethod, Role
from conversations.store.items.turn import TurnKind
from shared.ai import port as ai
from shared.ai.attachments import Attachment, recognised
from shared.policy.consent.keywords import ConsentKeyword, vocabulary
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from conversations.ai.config import AiConfig
    from conversations.ai.functions import Call, Result
    from conversations.ai.outcome import Answer
    from conversations.configuration.projects import Company
    from conversations.dialogues.scenarios.files import Written
    from conversations.dialogues.scenarios.format import ModelAnswer
    from conversations.dialogues.world import CustomerMessage
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.ai.attachments import Medium

    # Returns the model of a project's channel.
    type Models = Callable[[AiConfig, Company], ai.Model]
    type Searches = Callable[[OpenConversation, AiConfig], Knowledge | None]

START: Final = "2026-01-05T12:00:00.000Z"  # a Monday at noon
OPENING: Final = "How can we help you?"
TURN_MS: Final = 100 * clock.SECOND_MS
_UNPLAYABLE: Final = ("location", "contacts", "order", "product", "reacts", "quotes")


class NotPlayable(Exception):
    """Only `python -m conversations.dialogues` plays the field *at* of a dialogue."""

    def __init__(self, name: str, at: str) -> None:
        self.at = at
        super().__init__(f"{name}: {at}: only `python -m conversations.dialogues` plays it")


@dataclass(slots=True, kw_only=True, eq=False)
class Rehearsal:
    """
    See `World`. *settings* are the version's to try, None for the dialogue's own; *item* is the project's item.

    *models* leads to a model; without it the recorded answers are used. *searches* leads to the company's documents,
    for a dialogue without its own. No turn lasts beyond *until_ms* (since 1970).
    """

    settings: Mapping[str, object] | None = None
    item: Mapping[str, object] | None = None
    models: Models | None = None
    searches: Searches | None = None
    until_ms: int | None = None
    _recorded: RecordedModel = field(default_factory=lambda: RecordedModel(()), init=False)
    _played: _Played | None = field(default=None, init=False)

    def begin(self, written: Written) -> str:
        """See `World.begin`. Raises NotPlayable and SettingsBroken."""
        refuse_unplayable(written)
        one = written.dialogue
        company = project_of(one, self.settings, self.item)
        now = clock.from_text(one.starts_at.replace("Z", ":00.000Z") if one.starts_at else START)
        unstored = Unstored(
            company=company,
            channel=ChannelMethod(one.channel),
            language=one.language,
            first_name=one.first_name,
            data=one.data,
            functions=one.functions,
            now=now,
        )
        self._played = _Played(unstored, unstored.opened(has_customer_written=True), written, now)
        self._played.status = Status.INITIAL_MESSAGE_SENT
        if one.opening:
            self._take_turn(is_first=True)
        else:
            self._played.add("system", OPENING)
        return "rehearsal"

    def send(self, ref: str, message: CustomerMessage) -> None:  # noqa: ARG002 - there is one conversation
        """See `World.send`."""
        played = self._now
        text = message.text or message.button or ""
        keyword = vocabulary(played.unstored.company.policy.opt_out_words).keyword_of(text)
        media = [
            {"mime_type": one.type, "name": one.path.rpartition("/")[2], "key": one.path}
            | ({} if one.words is None else {"transcript": one.words})
            for one in message.files
        ]
        played.add("customer", text, media=media, keyword=keyword)
        if keyword is ConsentKeyword.STOP:
            played.end(Status.OPTED_OUT, "said_stop")
        elif keyword is None:
            played.is_asked = True

    def advance(self, seconds: int) -> None:
        """See `World.advance`."""

    def settle(self) -> None:
        """See `World.settle`: the model answers what the customer has written."""
        played = self._now
        is_asked, played.is_asked = played.is_asked, False
        if is_asked and played.status not in OVER | WITH_PEOPLE:
            self._take_turn(is_first=False)

    def prepare(self, answers: Sequence[ModelAnswer]) -> None:
        """See `World.prepare`."""
        self._recorded = RecordedModel(answers)

    def unused(self) -> int:
        """See `World.unused`."""
        left, self._recorded = self._recorded.unused, RecordedModel(())
        return 0 if self.models else left

    def observe(self, ref: str) -> Observation:  # noqa: ARG002 - there is one conversation
        """See `World.observe`."""
        played = self._now
        return Observation(
            status=played.status,
            reason=played.reason,
            lines=[Line(one.author, one.whole_text) for one in played.messages],
            calls=list(played.calls),
            model_inputs=None if self.models else [*played.inputs],
            at=clock.to_text(played.now),
            faults=[*played.faults],
        )

    @property
    def _now(self) -> _Played:
        assert self._played is not None  # noqa: S101 - for mypy: `begin` is called first
        return self._played

    def _take_turn(self, *, is_first: bool) -> None:
        """Let the model write, and add what would have been sent."""
        played = self._now
        config = config_of(played.opened)
        model = self.models(config, played.unstored.company) if self.models else self._recorded
        history = history_of(played.messages, {}, _shown(played, config))
        knowledge = self._knowledge(played, config)
        deadline_ms = min(filter(None, (clock.now_ms() + TURN_MS, self.until_ms)))
        task = played.unstored.task(played.opened, history, knowledge, deadline_ms)
        try:
            answer = dialogue.answer(_Noting(model, played), task, played.called)
            played.add_answer(answer, is_first=is_first)
        except Unwritable as fault:
            played.unwritten(fault.reason, is_first=is_first)
        except ai.Unavailable:
            if self.models:
                raise  # A failure of the real model says nothing about the settings.
            played.unwritten("ai_failed", is_first=is_first)

    def _knowledge(self, played: _Played, config: AiConfig) -> Knowledge | None:
        documents = played.written.dialogue.documents
        own = played.unstored.company.knowledge_config
        if documents:
            found = passages_of(documents)
            required = KnowledgeConfig.read(own).sources_required if own else True
            return Knowledge(lambda _: found, required)
        return self.searches(played.opened, config) if self.searches and own else None


@dataclass(slots=True, eq=False)
class _Noting:
    """A model whose inputs are noted."""

    model: ai.Model
    played: _Played

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        self.played.inputs.append("\n".join(request.texts))
        return self.model.reply(request)


@dataclass(slots=True, eq=False)
class _Played:
    """The conversation so far."""

    unstored: Unstored
    opened: OpenConversation
    written: Written
    now: int
    messages: list[Message] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    status: Status = Status.PROCESSING
    reason: str | None = None
    is_asked: bool = False

    def add(self, author: str, text: str, **facts: object) -> None:
        """Add a message."""
        role = Role.USER if author == "customer" else Role.ASSISTANT
        message = blank(self.opened, author, text)
        self._append(message.model_copy(update={"role": role, **facts}))

    def _append(self, message: Message) -> None:
        entry, at = f"{len(self.messages):04}", clock.to_text(self.now)
        sent = {"entry_id": entry, "message_timestamp": at, "delivery_status": None}
        self.messages.append(message.model_copy(update=sent))

    def called(self, call: Call) -> Result:
        """Note a call, and return its result."""
        self.calls.append(call.name)
        return self.unstored.simulated(call)

    def add_answer(self, answer: Answer, *, is_first: bool) -> None:
        """Add the message that would have been sent, with its consequences. Raises Unwritable."""
        self.faults += [one for one in answer.faults if one.severity is not Severity.NOTE]
        message = converted(self.opened, answer, is_first=is_first)
        if message.proposal is not None:
            self.end(Status.HANDOFF_PENDING, str(message.hand_off_cause or "function_approval"))
            return
        self._append(message)
        if message.hand_off_cause:
            self.end(Status.HANDOFF_PENDING, message.hand_off_cause)
        else:
            sent = Status.INITIAL_MESSAGE_SENT if is_first else Status.REPLY_SENT
            self.end(Status.CLOSED if message.completes_task else sent, None)

    def unwritten(self, reason: str, *, is_first: bool) -> None:
        """Change the status as a turn without a message does."""
        kind = TurnKind.INITIAL if is_first else TurnKind.REPLY
        end = failures.consequence(kind, Ended.UNWRITTEN, reason)
        self.end(end.status or self.status, end.reason)

    def end(self, status: Status, reason: str | None) -> None:
        """Set the status."""
        self.status, self.reason = status, reason


def refuse_unplayable(written: Written) -> None:
    """Raise NotPlayable for a dialogue that a rehearsal cannot play."""
    for number, step in enumerate(written.dialogue.turns):
        for name in _UNPLAYABLE:
            if getattr(step, name):
                raise NotPlayable(written.dialogue.name, f"turns.{number}.{name}")
        if step.waits is not None:
            raise NotPlayable(written.dialogue.name, f"turns.{number}.waits")
        if any(one.meanwhile or one.remembers for one in step.answers):
            raise NotPlayable(written.dialogue.name, f"turns.{number}.answers")


def _shown(played: _Played, config: AiConfig) -> Shown:
    """Return the files that the model reads: those that it can, with what was recognised by their content."""
    shown, folder = Shown(), played.written.folder
    for message in played.messages:
        for position, file in enumerate(message.media):
            if is_readable(config, message, file) and (found := _read(folder, file["key"])):
                files = shown.files.setdefault(message.entry_id, [])
                label = f"file {sum(map(len, shown.files.values())) + 1}"
                files.append(Attachment(*found[0], label=label, data=found[1]))
                words = shown.words.setdefault(message.entry_id, {})
                words[position] = f"{file_marks.ATTACHED} as {label}"
    return shown


def _read(folder: Path, name: str) -> tuple[tuple[Medium, str], bytes] | None:
    data = (folder / name).read_bytes()
    kind = recognised(data)
    return (kind, data) if kind else None
