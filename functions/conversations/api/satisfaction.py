"""Records what customers answer on the public page that a signed link leads to, in the state of the conversation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from conversations.store import states
from conversations.store.items.parts.state import Satisfaction
from shared.inbox.satisfaction import answers
from shared.inbox.satisfaction.answers import MOST_ANSWERS, Outcome
from shared.inbox.satisfaction.links import CONVERSATIONS
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Table
    from shared.inbox.satisfaction.answers import Answer
    from shared.inbox.satisfaction.links import Link

TRIES: Final = 8


def respond(log: Table, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page of a request of API Gateway."""
    return answers.respond(event, CONVERSATIONS, partial(record, log))


def record(log: Table, link: Link, answer: Answer) -> Outcome:
    """Write an answer in the state of its conversation. Idempotent. Raises Transient."""
    comment = answer.comment or None
    for _ in range(TRIES):
        state = states.read(log, link.conversation_id)
        if state is None:
            return Outcome.EXPIRED
        known = state.satisfaction
        if known is not None and (known.score, known.comment) == (answer.score, comment):
            return Outcome.THANKS
        count = known.answers if known is not None else 0
        if count >= MOST_ANSWERS:
            return Outcome.FULL
        given = Satisfaction(
            score=answer.score,
            comment=comment,
            answered_at=clock.to_text(clock.now_ms()),
            answers=count + 1,
        )
        if states.note_satisfaction(log, link.conversation_id, given):
            return Outcome.THANKS
    raise Transient("state_contended")
