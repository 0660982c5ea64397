"""
The requests to the public page on which a customer answers: GET shows a form, POST has the answer recorded.

The signed link is the only proof. It names one conversation, so an answer reaches no other and no other company.
"""

from __future__ import annotations

import base64
import binascii
import re
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import parse_qs

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from shared.inbox.satisfaction import page
from shared.inbox.satisfaction.links import MOST_SCORE, LinkExpired, LinkInvalid, link_of
from shared.inbox.satisfaction.texts import DEFAULT
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.inbox.satisfaction.links import Link

MOST_ANSWERS: Final = 5  # to one question; each may be an entry of a record of changes
_LONGEST_BODY: Final = 20_000  # characters: a comment with every sign escaped
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)  # all but tab and line breaks


class Outcome(StrEnum):
    """The outcome of an answer; the names of the page's sentences."""

    THANKS = "thanks"
    FULL = "full"
    EXPIRED = "expired"  # the conversation is gone


def _as_written(text: object) -> object:
    """Return a comment with the line breaks that the form counts: browsers send each as two characters."""
    return text.replace("\r\n", "\n").strip() if isinstance(text, str) else text


def _is_comment(text: str) -> str:
    """Return a comment; browsers send one that was not written as an empty field. Raises PydanticCustomError."""
    if _CONTROL.search(text):
        raise PydanticCustomError("control", "must not have control characters")
    return text


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


def respond(
    event: Mapping[str, Any], channel: str, record: Callable[[Link, Answer], Outcome]
) -> dict[str, Any]:
    """
    Return the page of a request of API Gateway for links of a *channel*.

    *record* writes an answer, may be repeated, and raises Transient.
    """
    token = str((event.get("pathParameters") or {}).get("token") or "")
    try:
        return _page_of(event, _link_of(token, channel), record)
    except LinkInvalid:
        return page.sentence(HTTPStatus.NOT_FOUND, DEFAULT, "invalid")
    except LinkExpired as expired:
        return page.sentence(HTTPStatus.GONE, expired.language, "expired")
    except Transient:
        return page.sentence(HTTPStatus.SERVICE_UNAVAILABLE, DEFAULT, "later")


def _link_of(token: str, channel: str) -> Link:
    link = link_of(token)
    if link.channel != channel:
        raise LinkInvalid
    return link


def _page_of(
    event: Mapping[str, Any], link: Link, record: Callable[[Link, Answer], Outcome]
) -> dict[str, Any]:
    """Return the form, or what became of an answer."""
    proposed = _score_of(str((event.get("queryStringParameters") or {}).get("score") or ""))
    if event.get("httpMethod") != "POST":
        return page.form(link.language, proposed)
    answer = _answer_of(event)
    if answer is None:
        return page.form(link.language, proposed, is_incomplete=True)
    try:
        outcome = record(link, answer)
    except Transient:
        return page.sentence(HTTPStatus.SERVICE_UNAVAILABLE, link.language, "later")
    return page.sentence(_STATUS[outcome], link.language, outcome)


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
