"""
The page on which a customer answers: a form, and a sentence afterwards.

Scanners of mail open every link, so a GET shows the form only; its button sends a POST. The page has no script and no
cookie, and names neither the customer nor the company.
"""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import Any, Final

from shared.api.routing.public_pages import document
from shared.inbox.satisfaction.links import MOST_SCORE
from shared.inbox.satisfaction.texts import texts_of

LONGEST_COMMENT: Final = 1_000  # characters


def form(language: str, proposed: int | None, *, is_incomplete: bool = False) -> dict[str, Any]:
    """Return the page with the question; *is_incomplete*: what was sent has no score, or a comment that is too long."""
    texts = texts_of(language)
    choices = "".join(
        f'<label><input type="radio" name="score" value="{score}" required'
        f"{' checked' if score == proposed else ''}> {'★' * score} ({score}/{MOST_SCORE})</label>"
        for score in range(MOST_SCORE, 0, -1)
    )
    fault = f'<p role="alert">{escape(texts.missing)}</p>' if is_incomplete else ""
    body = (
        f'<form method="post">{fault}<p>{escape(texts.one_click)}</p>{choices}'
        f'<label>{escape(texts.comment)}<textarea name="comment" rows="4" maxlength="{LONGEST_COMMENT}"></textarea>'
        f'</label><button type="submit">{escape(texts.send)}</button></form>'
    )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if is_incomplete else HTTPStatus.OK
    return document(status, language, texts.question, body)


def sentence(status: HTTPStatus, language: str, name: str) -> dict[str, Any]:
    """Return the page with one sentence: `thanks`, `expired`, `invalid`, `full` or `later`."""
    return document(status, language, getattr(texts_of(language), name), "")
