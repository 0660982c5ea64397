"""
The rolling memory of a conversation: read into the facts of the model, and renewed after a reply.

    sent replies --> WINDOW messages that the memory lacks --> the model summarises all but the newest KEPT of them

The model reads more messages than that, and those that the memory lacks, so what it no longer reads is in the memory. A
summary that fails is made after the next reply. An agent's change that comes between wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.ai.prompt import memory as prompt
from conversations.outbound.compose.content.history import history_of
from conversations.store import messages
from conversations.store.annotations import memories, memory_owners
from conversations.store.items.parts.memory import Memory
from shared.ai import port as ai
from shared.ai.calls.model_calls import AnswerInvalid
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.prompt.memory import Remembered
    from conversations.configuration.resources import People, Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.aws.dynamodb import Table

WINDOW, KEPT = 16, 8  # messages; a turn reads 20
MOST = (
    48  # messages that one summary reads: of a long conversation that has no memory yet, the newest
)
MOST_TOKENS = 1_200
CALL_MS = 20 * clock.SECOND_MS
NEEDED_MS = 2 * CALL_MS + 5 * clock.SECOND_MS  # two attempts, and the writes
type Ask = Callable[[ai.Request], Remembered]


def remembered(resources: Resources, people: People, opened: OpenConversation) -> Memory | None:
    """
    Return the memory of a conversation, None without one; a project may let it begin with an earlier one.

    A memory of contacts that are not the person's any more is replaced as if the conversation began now.
    """
    settings = opened.company.memory
    if not (settings.summary or settings.carry_over):
        return None
    stored = memories.read(resources.log, opened.ref)
    if stored is None and not settings.carry_over:
        return None
    if stored is not None:
        is_theirs = _is_of_person(resources, people, opened, stored)
        if is_theirs is not False:
            return stored if is_theirs else None
    begun = _begun(resources, people, opened, stored)
    memories.write(resources.log, opened.ref, begun, seen=stored)
    return begun


def _begun(
    resources: Resources, people: People, opened: OpenConversation, stored: Memory | None
) -> Memory:
    """Return the memory that a conversation begins with, in place of the stored one."""
    if stored is not None and not opened.company.memory.carry_over:
        return stored.emptied().changed(by="ai", at=clock.to_text(clock.now_ms()), revised_for=None)
    from conversations.outbound.compose.content import (  # noqa: PLC0415 - of projects with this setting
        carried_memory,
    )

    begun = carried_memory.begun(resources, people, opened)
    return begun.model_copy(update={"revision": stored.revision + 1}) if stored else begun


def _is_of_person(
    resources: Resources, people: People, opened: OpenConversation, stored: Memory
) -> bool | None:
    """Whether a memory is of the conversation's person; None if the contacts cannot be read now."""
    item, state = opened.conversation, opened.state
    try:
        return memory_owners.is_of_person(resources.log, people.contacts, item, state, stored)
    except (BotoCoreError, ClientError, Transient) as failure:
        logger.warning("contact of a memory not read", extra={"reason": type(failure).__name__})
        return None


def read_messages(
    resources: Resources,
    opened: OpenConversation,
    known: Memory | None,
    count: int,
    up_to: str | None = None,
) -> list[Message]:
    """
    Return the newest *count* messages of a conversation, and those before them that its memory lacks, at most MOST.
    *up_to* is the sort key of the newest message to return, if there is one.

    It lacks some after a long burst, and if the model could not renew it.
    """
    newest = messages.newest(resources.log, opened.ref, count, up_to)
    if not opened.company.memory.summary or len(newest) < count:
        return newest
    in_memory = (known.up_to if known else None) or ""
    if newest[0].own_sk <= in_memory:
        return newest
    more = messages.newest(resources.log, opened.ref, MOST, up_to)
    return [message for message in more[:-count] if message.own_sk > in_memory] + newest


def renew(resources: Resources, people: People, opened: OpenConversation, ask: Ask) -> None:
    """Summarise the messages that the model will not read any more, if there are enough of them."""
    if not opened.company.memory.summary:
        return
    log, ref = resources.log, opened.ref
    before = memories.read(log, ref)
    if before is not None and not _is_of_person(resources, people, opened, before):
        return  # The next turn replaces it.
    entries = _not_summarised(log, ref, (before.up_to if before else None) or "")
    if not entries:
        return
    older = entries[:-KEPT]
    history = history_of(older)
    try:
        answer = ask(
            prompt.request(before, history, ai.Limits(most_tokens=MOST_TOKENS, within_ms=CALL_MS))
        )
    except (ai.Unavailable, AnswerInvalid) as failure:
        logger.warning("memory not renewed", extra={"reason": type(failure).__name__})
        return
    kept = prompt.supported(answer, before, history)
    facts = {"summary": kept.summary, "facts": kept.facts, "up_to": older[-1].own_sk}
    at = clock.to_text(clock.now_ms())
    of_now = before or Memory(by="ai", at=at, revision=0)
    ttl = opened.conversation.ttl
    memory = of_now.changed(**facts, by="ai", at=at, ttl=ttl, revised_for=None)
    memories.write(log, ref, memory, seen=before)


def _not_summarised(log: Table, ref: str, up_to: str) -> list[Message]:
    """Return the newest messages after *up_to*; none if there are fewer than a window. Reads as much at any length."""
    newest = messages.newest(log, ref, WINDOW)
    if len(newest) < WINDOW or newest[0].own_sk <= up_to:
        return []
    return [entry for entry in messages.newest(log, ref, MOST) if entry.own_sk > up_to]
