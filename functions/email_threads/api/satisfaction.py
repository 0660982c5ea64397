"""Records what customers answer on the public page that a signed link leads to, at the thread that the link names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from email_threads.replies.satisfaction import CHANNEL
from email_threads.store import changes, threads
from email_threads.store.changes import Change
from email_threads.store.items.replies.draft import SATISFACTION
from email_threads.store.privacy import retention
from shared.aws.sqs_fifo import digest
from shared.inbox.satisfaction import answers
from shared.inbox.satisfaction.answers import MOST_ANSWERS, Outcome
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table
    from shared.inbox.satisfaction.answers import Answer
    from shared.inbox.satisfaction.links import Link

RESOURCE: Final = "/satisfaction/{token}"
ACTOR: Final = "customer"
TRIES: Final = 8
_HOPS: Final = 4  # a thread, and three that it was merged into


def respond(table: Table, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page of a request of API Gateway."""
    return answers.respond(event, CHANNEL, partial(record, table))


def record(table: Table, link: Link, answer: Answer) -> Outcome:
    """Write an answer at its thread, or at the one that this became part of. Idempotent. Raises Transient."""
    for _ in range(TRIES):
        thread = _thread_of(table, link.conversation_id)
        known = thread.satisfaction if thread is not None else None
        if thread is None or known is None or known.asked_at is None:
            return Outcome.EXPIRED
        comment = answer.comment or None
        if (known.score, known.comment) == (answer.score, comment):
            return Outcome.THANKS
        if known.answers >= MOST_ANSWERS:
            return Outcome.FULL
        at, number = clock.to_text(clock.now_ms()), known.answers + 1
        satisfaction = known.model_copy(
            update={
                "score": answer.score,
                "comment": comment,
                "answered_at": at,
                "answers": number,
            }
        )
        made = Change(
            fields={SATISFACTION: satisfaction},
            at=at,
            actor=ACTOR,
            action=SATISFACTION,
            detail=f"score={answer.score}",
            cause=digest(SATISFACTION, thread.conversation_id, str(number))[:20],
        )
        if changes.change(table, thread, made) is not None:
            return Outcome.THANKS
    raise Transient("thread_contended")


def _thread_of(table: Table, conversation_id: str) -> Thread | None:
    """Return the thread of an answer; None if it is gone."""
    asked = threads.get(table, conversation_id)
    found = asked
    for _ in range(_HOPS):
        if found is None or found.merged_into is None:
            break
        found = threads.get(table, found.merged_into)
    if asked is None or found is None or retention.is_expired(found):
        return None
    if found.satisfaction is None or found.satisfaction.asked_at is None:
        return found.model_copy(update={SATISFACTION: asked.satisfaction})
    return found
