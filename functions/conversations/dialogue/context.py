"""Dependencies of the conversation workers, created once per handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.functions import Execute
    from conversations.commands import HumanMessage
    from conversations.conversation import OpenConversation
    from conversations.inbound.attachments import Fetcher
    from conversations.outbound.policy.gate import PolicyGate
    from conversations.outbound.turns.engine import Turns
    from conversations.resources import Resources, Run
    from conversations.store.items.log import Message


class Writer(Protocol):
    """
    Composes outgoing messages: model answers, templates, fixed texts.

    Raises `unwritable.Unwritable` for a message that cannot be composed.
    """

    def first_message(self, opened: OpenConversation, turn_id: str, run: Run) -> Message:
        """Compose the first message of a conversation."""

    def answer(
        self, opened: OpenConversation, pending: list[Message], turn_id: str, run: Run
    ) -> Message | None:
        """Compose the answer to the unanswered customer messages *pending*; None if no answer is needed."""

    def reengagement(self, opened: OpenConversation, turn_id: str) -> Message:
        """Compose the template that asks a customer to write again after the messaging window has closed."""

    def of_person(self, opened: OpenConversation, turn_id: str, wanted: HumanMessage) -> Message:
        """Compose a human agent's message in the form that the channel needs."""

    def notice(self, opened: OpenConversation, turn_id: str, notice: str) -> Message | None:
        """Compose a fixed text (`help`, `handoff`, `opt_out_confirmation`); None if the project defines none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueDependencies:
    """Storage, turn engine, send policy, message writer, attachments; *execute* runs function calls of a turn."""

    resources: Resources
    turns: Turns
    policy_gate: PolicyGate
    writer: Writer
    execute: Callable[[OpenConversation, str, Run], Execute]
    media: Fetcher
    processor_version: str
