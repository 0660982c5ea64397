"""
Which turns leave a question of the customer unanswered, so that a document or a fact is missing.

    handed off      by the model, a check, or since the conversation made no progress; not where a person was asked for,
                    outside the opening hours, or for a fault of software
    source_missing  documents were searched, and no answer cited one
    no_passage      the model searched the documents, found nothing, and only asked
    rated_down      an agent rated the answer as bad

A question is noted where its outcome is written, before the turn ends, so a repetition notes it again without effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conversations.ai.config import SEARCH_DOCUMENTS
from conversations.ai.outcome import Cause
from conversations.store.items.parts.unanswered import Unanswered
from conversations.store.knowledge.unanswered import UnansweredQuestions

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from conversations.store.items.turn import Turn
    from shared.aws.dynamodb import Attributes

SOURCE_MISSING: Final = "source_missing"
NO_PASSAGE: Final = "no_passage"
RATED_DOWN: Final = "rated_down"
_HAND_OFFS: Final = frozenset(
    {Cause.AI, Cause.REFUSED, Cause.INVALID, Cause.NO_PROGRESS, Cause.REPEATED_QUESTION}
)


def note_answer(
    resources: Resources, opened: OpenConversation, turn: Turn, message: Message
) -> None:
    """Note the question of a turn whose message was sent, if that hands off or follows a search without a passage."""
    cause = _cause_of(message.hand_off_cause, message.functions)
    has_searched = SEARCH_DOCUMENTS in message.functions
    if cause is None and has_searched and not message.retrieved and not message.hand_off_cause:
        cause = NO_PASSAGE
    _note(resources, opened, turn, cause)


def note_hand_off(
    resources: Resources,
    opened: OpenConversation,
    turn: Turn,
    reason: str | None,
    functions: Collection[str],
) -> None:
    """Note the question of a turn that hands off without a message, for this *reason*."""
    _note(resources, opened, turn, _cause_of(reason, functions))


def to_rate(resources: Resources, opened: OpenConversation, message: Message) -> list[Attributes]:
    """Return the write that notes the question whose answer an agent rates as bad; none if it answers no message."""
    if message.up_to is None:
        return []
    question = _question(opened, message.up_to, RATED_DOWN, message.ai_version)
    return [_of_project(resources, opened).to_rate(question, message.own_sk)]


def _cause_of(reason: str | None, functions: Collection[str]) -> str | None:
    """Return the cause of a hand-off for which an answer may be missing."""
    if reason not in _HAND_OFFS:
        return None
    if reason == Cause.INVALID and SEARCH_DOCUMENTS in functions:
        return SOURCE_MISSING
    return reason


def _note(resources: Resources, opened: OpenConversation, turn: Turn, cause: str | None) -> None:
    if cause is None or turn.up_to is None:
        return
    question = _question(opened, turn.up_to, cause, opened.company.ai_version)
    _of_project(resources, opened).note(question)


def _question(opened: OpenConversation, up_to: str, cause: str, version: int | None) -> Unanswered:
    return Unanswered(
        ref=opened.ref,
        up_to=up_to,
        cause=cause,
        channel=opened.conversation.channel_method,
        language=opened.state.language,
        version=version,
        ttl=Unanswered.time_to_live(),
    )


def _of_project(resources: Resources, opened: OpenConversation) -> UnansweredQuestions:
    conversation = opened.conversation
    return UnansweredQuestions(resources.log, conversation.company_id, conversation.project_id)
