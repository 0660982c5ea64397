"""Everything that a worker of this context works with, made once by its handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.functions import Execute
    from conversations.commands import HumanMessage
    from conversations.conversation import Opened
    from conversations.inbound.attachments import Fetcher
    from conversations.outbound.policy.gate import Policing
    from conversations.outbound.turns.engine import Turns
    from conversations.resources import Resources, Run
    from conversations.store.items.log import Message


class Writer(Protocol):
    """Whoever words messages: models, templates, fixed texts. What cannot be worded raises `unwritable.Unwritable`."""

    def first_message(self, opened: Opened, turn_id: str, run: Run) -> Message:
        """The message that begins a conversation."""

    def answer(
        self, opened: Opened, pending: list[Message], turn_id: str, run: Run
    ) -> Message | None:
        """The answer to all that the customer wrote last (*pending*); None where none is due."""

    def reengagement(self, opened: Opened, turn_id: str) -> Message:
        """The template that asks a customer to write again, once the window is closed."""

    def of_person(self, opened: Opened, turn_id: str, wanted: HumanMessage) -> Message:
        """What a person wants to say, as the channel needs it."""

    def notice(self, opened: Opened, turn_id: str, notice: str) -> Message | None:
        """A fixed text (`help`, `handoff`, `opt_out_confirmation`); None where the project has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Storage, turns, policy, who words messages, and who carries out functions in the name of a turn."""

    here: Resources
    turns: Turns
    policing: Policing
    writer: Writer
    execute: Callable[[Opened, str, Run], Execute]
    media: Fetcher
    processor_version: str
