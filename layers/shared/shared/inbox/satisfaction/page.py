"""
The page on which a customer answers: a form, and a sentence afterwards.

Scanners of mail open every link, so a GET shows the form only; its button sends a POST. The page has no script and no
cookie, and names neither the customer nor the company.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from http import HTTPStatus
from typing import Any, Final

from shared.inbox.satisfaction.links import MOST_SCORE
from shared.inbox.satisfaction.texts import texts_of

LONGEST_COMMENT: Final = 1_000  # characters
_STYLE: Final = (
    "body{font:18px/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}"
    "label{display:block;padding:.3rem 0}textarea{width:100%;box-sizing:border-box;font:inherit}"
    "button{font:inherit;padding:.5rem 1.5rem;margin-top:1rem}"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self';"
    " frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}


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
    return _response(status, language, texts.question, body)


def sentence(status: HTTPStatus, language: str, name: str) -> dict[str, Any]:
    """Return the page with one sentence: `thanks`, `expired`, `invalid`, `full` or `later`."""
    return _response(status, language, getattr(texts_of(language), name), "")


def _response(status: HTTPStatus, language: str, title: str, body: str) -> dict[str, Any]:
    page = (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>"
    )
    return {"statusCode": int(status), "headers": HEADERS, "body": page}
