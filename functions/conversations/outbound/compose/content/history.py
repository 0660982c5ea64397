"""Converts the messages of a log to the history that models read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.prompt import marks
from conversations.ai.prompt.marks import mark, quoted
from conversations.ai.prompt.system_prompt import LONGEST_MESSAGE, HistoryMessage
from conversations.outbound.compose.content import file_marks, quotes, shared_data
from conversations.store.items.conversation import Role
from conversations.store.items.log import Delivery
from conversations.store.items.placeholders import own_text
from shared.ai import port as ai

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.store.items.log import Message

UNSPOKEN = frozenset(
    {Delivery.DRAFT, Delivery.DISCARDED, Delivery.FAILED, Delivery.BLOCKED, Delivery.UNKNOWN}
)
_ANOTHER = "a message that you do not have"


def history_of(
    messages: Sequence[Message], quoted_messages: Mapping[str, Message] | None = None
) -> list[HistoryMessage]:
    """
    Return the messages of a log that were sent or received, in order; *quoted_messages* by the provider's id.

    E-mails whose author is not proven are left out: anyone may have written them.
    """
    return [
        _as_read(message, quoted_messages or {})
        for message in messages
        if message.delivery_status not in UNSPOKEN and message.counts
    ]


def _as_read(message: Message, quoted_messages: Mapping[str, Message]) -> HistoryMessage:
    if message.role is not Role.USER:
        return HistoryMessage(
            role=ai.Role.ASSISTANT,
            text=message.content,
            by_colleague=message.author.startswith("human:"),
        )
    target = _described(message.reply_to, quoted_messages) if quotes.quotes(message) else None
    if message.kind == "reaction":
        return HistoryMessage(
            role=ai.Role.USER, text="", marks=(shared_data.reaction(message, target),)
        )
    listed = [*([mark("quoting", target)] if target else []), *marks_of(message)]
    text = own_text(message)
    if message.content_key is not None or len(text) > LONGEST_MESSAGE:
        listed.append(mark("cut", "the message is longer than what you read"))
    return HistoryMessage(
        role=ai.Role.USER, text=marks.without_forged(text), marks=tuple(listed[: marks.MOST])
    )


def marks_of(message: Message) -> list[str]:
    """Return the marks of what a message contains besides text."""
    return [*shared_data.marks_of(message), *file_marks.marks_of(message)]


def _described(name: str | None, quoted_messages: Mapping[str, Message]) -> str:
    """Return who wrote a quoted message, and what."""
    message = quoted_messages.get(name or "")
    if message is None:
        return _ANOTHER
    who = "the person" if message.role is Role.USER else "we"
    text = own_text(message) if message.role is Role.USER else message.content
    parts = [part.strip("[]") for part in marks_of(message)] if message.role is Role.USER else []
    if text:
        parts.append(quoted(text))
    verb = "wrote" if text and len(parts) == 1 else "sent"
    return f"{who} {verb} {' '.join(parts) or _ANOTHER}"
