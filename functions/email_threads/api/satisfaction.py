"""
The public page on which a customer answers how satisfied they are: GET shows a form, POST records the answer.

The signed link is the only proof. It names one thread, so an answer reaches no other and no other company.
"""

from __future__ import annotations

import base64
import binascii
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import parse_qs

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from email_threads.api.inputs import is_text
from email_threads.replies.satisfaction import CHANNEL
from email_threads.store import changes, threads
from email_threads.store.changes import Change
from email_threads.store.items.draft import SATISFACTION
from email_threads.store.privacy import retention
from shared.aws.sqs_fifo import digest
from shared.inbox.satisfaction import page
from shared.inbox.satisfaction.links import MOST_SCORE, LinkExpired, LinkInvalid, link_of
from shared.inbox.satisfaction.texts import DEFAULT
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table
    from shared.inbox.satisfaction.links import Link

RESOURCE: Final = "/satisfaction/{token}"
ACTOR: Final = "customer"
MOST_ANSWERS: Final = 5  # of a thread; each is an entry of its record of changes
TRIES: Final = 8
_HOPS: Final = 4  # a thread, and three that it was merged into
_LONGEST_BODY: Final = 20_000  # characters: a comment with every sign escaped


class Outcome(StrEnum):
    """The outcome of an answer; the names of the page's sentences."""

    THANKS = "thanks"
    FULL = "full"
    EXPIRED = "expired"  # the thread is gone


def _as_written(text: object) -> object:
    """Return a comment with the line breaks that the form counts: browsers send each as two characters."""
    return text.replace("\r\n", "\n").strip() if isinstance(text, str) else text


def _is_comment(text: str) -> str:
    """Return a comment; browsers send one that was not written as an empty field. Raises PydanticCustomError."""
    return is_text(text) if text else text


type Comment = Annotated[
    str,
    BeforeValidator(_as_written),
    Field(max_length=page.LONGEST_COMMENT),
    AfterValidator(_is_comment),
]


class Answer(BaseModel):
    """The fields of the form."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)

    score: Annotated[int, Field(ge=1, le=MOST_SCORE)]
    comment: Comment = ""


_STATUS: Final = {
    Outcome.THANKS: HTTPStatus.OK,
    Outcome.FULL: HTTPStatus.CONFLICT,
    Outcome.EXPIRED: HTTPStatus.GONE,
}


def respond(table: Table, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page of a request of API Gateway."""
    token = str((event.get("pathParameters") or {}).get("token") or "")
    try:
        link = link_of(token)
        return _page_of(table, event, link)
    except LinkInvalid:
        return page.sentence(HTTPStatus.NOT_FOUND, DEFAULT, "invalid")
    except LinkExpired as expired:
        return page.sentence(HTTPStatus.GONE, expired.language, "expired")
    except Transient:
        return page.sentence(HTTPStatus.SERVICE_UNAVAILABLE, DEFAULT, "later")


def _page_of(table: Table, event: Mapping[str, Any], link: Link) -> dict[str, Any]:
    """Return the form, or what became of an answer. Raises LinkInvalid."""
    if link.channel != CHANNEL:
        raise LinkInvalid
    proposed = _score_of(str((event.get("queryStringParameters") or {}).get("score") or ""))
    if event.get("httpMethod") != "POST":
        return page.form(link.language, proposed)
    answer = _answer_of(event)
    if answer is None:
        return page.form(link.language, proposed, is_incomplete=True)
    try:
        outcome = record(table, link, answer)
    except Transient:
        return page.sentence(HTTPStatus.SERVICE_UNAVAILABLE, link.language, "later")
    return page.sentence(_STATUS[outcome], link.language, outcome)


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


def _answer_of(event: Mapping[str, Any]) -> Answer | None:
    """Return the fields of a form; None if they break a rule."""
    body = str(event.get("body") or "")
    if len(body) > _LONGEST_BODY:
        return None
    try:
        if event.get("isBase64Encoded"):
            body = base64.b64decode(body, validate=True).decode()
        found = parse_qs(body, keep_blank_values=True, max_num_fields=10, errors="strict")
        return Answer.model_validate({name: values[-1] for name, values in found.items()})
    except (binascii.Error, UnicodeDecodeError, ValidationError, ValueError):
        return None


def _score_of(text: str) -> int | None:
    return int(text) if text in {str(one) for one in range(1, MOST_SCORE + 1)} else None
