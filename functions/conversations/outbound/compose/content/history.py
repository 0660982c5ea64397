"""Converts the messages of a log to the history that models read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.prompt import marks
from conversations.ai.prompt.marks import mark, quoted
from conversations.ai.prompt.system_prompt import LONGEST_MESSAGE, HistoryMessage
from conversations.outbound.compose.content import file_marks, quotes, shared_data
from conversations.outbound.compose.content.files import Shown, shown_in
from conversations.store.items.conversation import Role
from conversations.store.items.log import UNSPOKEN
from conversations.store.items.placeholders import own_text
from shared.ai import port as ai

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.ai.config import AiConfig
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message

_ANOTHER = "a message that you do not have"


def read_history(
    resources: Resources, opened: OpenConversation, config: AiConfig, messages: Sequence[Message]
) -> list[HistoryMessage]:
    """
    Return the newest *messages* of a log with what they quote, and the files that the model reads.

    The customer learns about new files beyond the model's bounds, once per message, if the project has words for it.
    """
    quoted_messages = quotes.quoted_by(resources.log, opened.ref, messages)
    shown = shown_in(resources.bucket, opened, config, messages, quoted_messages)
    if shown.beyond and opened.company.policy.file_refused:
        from conversations.lifecycle.records import commands  # noqa: PLC0415 - few answers need a notice

        for message in quotes.newest_of_customer(messages):
            if message.entry_id in shown.beyond:
                commands.send_notice(resources, opened, "file_refused", message.entry_id)
    return history_of(messages, quoted_messages, shown)


def history_of(
    messages: Sequence[Message],
    quoted_messages: Mapping[str, Message] | None = None,
    shown: Shown | None = None,
) -> list[HistoryMessage]:
    """
    Return the messages of a log that were sent or received, in order.

    *quoted_messages* are by the provider's id; *shown* are the files that the model gets.

    E-mails whose author is not proven are left out: anyone may have written them.
    """
    return [
        _as_read(message, quoted_messages or {}, shown or Shown())
        for message in messages
        if message.delivery_status not in UNSPOKEN and message.counts
    ]


def _as_read(
    message: Message, quoted_messages: Mapping[str, Message], shown: Shown
) -> HistoryMessage:
    if message.role is not Role.USER:
        return HistoryMessage(
            role=ai.Role.ASSISTANT,
            text=message.content,
            by_colleague=message.author.startswith("human:"),
            done=tuple(message.done),
            asks_again=message.asks_again is True,
        )
    is_quoting = quotes.quotes(message)
    quoted_message = quoted_messages.get(message.reply_to or "") if is_quoting else None
    target = _described(quoted_message, shown) if is_quoting else None
    if message.kind == "reaction":
        return HistoryMessage(
            role=ai.Role.USER, text="", marks=(shared_data.reaction(message, target),)
        )
    listed = [*([mark("quoting", target)] if target else []), *marks_of(message, shown)]
    text = "\n".join(filter(None, [own_text(message), *file_marks.spoken(message)]))
    if message.content_key is not None or len(text) > LONGEST_MESSAGE:
        listed.append(mark("cut", "the message is longer than what you read"))
    return HistoryMessage(
        role=ai.Role.USER,
        text=marks.without_forged(text),
        marks=tuple(listed[: marks.MOST]),
        files=shown.of(message),
    )


def marks_of(message: Message, shown: Shown) -> list[str]:
    """Return the marks of what a message contains besides text."""
    of_files = file_marks.marks_of(message, shown.words.get(message.entry_id))
    return [*shared_data.marks_of(message), *of_files]


def _described(message: Message | None, shown: Shown) -> str:
    """Return who wrote a quoted message, and what."""
    if message is None:
        return _ANOTHER
    who = "the person" if message.role is Role.USER else "we"
    text = own_text(message) if message.role is Role.USER else message.content
    parts = (
        [part.strip("[]") for part in marks_of(message, shown)] if message.role is Role.USER else []
    )
    if text:
        parts.append(quoted(text))
    verb = "wrote" if text and len(parts) == 1 else "sent"
    return f"{who} {verb} {' '.join(parts) or _ANOTHER}"
