"""World of a dialogue: the handlers of conversations with their queues, a clock, and a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.dialogues.scenarios.files import Written
    from conversations.dialogues.scenarios.format import (
        Attachment,
        ModelAnswer,
        Order,
        Place,
        SharedContact,
    )


@dataclass(frozen=True, slots=True)
class RealModel:
    """A model with the API of OpenAI, asked instead of the stand-in: address without `/v1`, name and API key."""

    url: str
    name: str
    api_key: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerMessage:
    """
    A message that the customer sends. *quotes* is the position of the quoted message, or of the one that the emoji
    *reacts* is for, see `format.Step`.
    """

    text: str = field(default="", repr=False)
    files: Sequence[Attachment] = ()
    location: Place | None = None
    button: str | None = None
    contacts: Sequence[SharedContact] = ()
    order: Order | None = None
    product: str | None = None
    reacts: str | None = None
    quotes: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A message of the conversation. *author* is `customer`, `ai`, `system` or an agent."""

    author: str
    text: str = field(repr=False)
    was_sent: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """
    A conversation at a time: all its messages, and all calls of functions and of the model, oldest first.

    *model_inputs* is None if the calls of the model are not known; *faults* belong to rejected answers, if known.
    """

    status: str
    reason: str | None
    lines: Sequence[Line]
    calls: Sequence[str]
    model_inputs: Sequence[str] | None = field(repr=False)
    at: str
    faults: Sequence[str] = ()


class World(Protocol):
    """Conversations whose time passes only when it is told to."""

    def begin(self, written: Written) -> str:
        """Set the project up, request a conversation, send its first message, and return the `ref`."""

    def send(self, ref: str, message: CustomerMessage) -> None:
        """The customer's message arrives and is stored."""

    def advance(self, seconds: int) -> None:
        """Let time pass, with all work that becomes due meanwhile."""

    def settle(self) -> None:
        """Let time pass until no queue has work."""

    def prepare(self, answers: Sequence[ModelAnswer]) -> None:
        """Set the next answers of the stand-in for the model."""

    def unused(self) -> int:
        """Return how many of the prepared answers no model call has asked for, and remove them."""

    def observe(self, ref: str) -> Observation:
        """Return the conversation as it is now."""
