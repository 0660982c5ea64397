"""
The messages that a customer's messages quote: found among those that the model reads, else looked up, a few per turn.

A quoted message of another conversation is not shown: the model knows one conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store import messages, routes
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.dynamodb import Table

MOST_LOOKED_UP = 3  # in a turn; each takes up to three reads of one item


def quoted_by(log: Table, ref: str, history: Sequence[Message]) -> dict[str, Message]:
    """
    Return the messages that messages of *history* quote, by the provider's id.

    Beyond *history* only quotes of the customer's newest messages are looked up; older ones are answered.
    """
    known = {
        name: message
        for message in history
        for name in (message.provider_message_id, message.other_id)
        if name
    }
    found = dict(known)
    missing = dict.fromkeys(
        message.reply_to
        for message in newest_of_customer(history)
        if quotes(message) and message.reply_to not in known
    )
    for name in [*missing][-MOST_LOOKED_UP:]:
        provider = next(m.provider for m in reversed(history) if m.reply_to == name)
        message = _look_up(log, ref, provider or "", name or "")
        if name and message:
            found[name] = message
    return found


def quotes(message: Message) -> bool:
    """Return whether the customer has quoted a message: each answer by mail names one, so it says nothing there."""
    return message.role is Role.USER and message.reply_to is not None and message.provider != "ses"


def newest_of_customer(history: Sequence[Message]) -> Iterator[Message]:
    """Yield the customer's messages after our last one, newest first."""
    for message in reversed(history):
        if message.role is not Role.USER:
            return
        yield message


def _look_up(log: Table, ref: str, provider: str, name: str) -> Message | None:
    sent = messages.linked(log, provider, name)
    if sent is not None:
        return messages.get(log, ref, sent.message_sk) if sent.ref == ref else None
    received = routes.marked(log, provider, name)
    if received is None or received.ref != ref:
        return None
    entry_id = identifiers.entry_id(identifiers.action_id(ref, provider, name))
    return messages.get(log, ref, Message.sk(received.message_timestamp, entry_id))
