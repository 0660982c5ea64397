"""The shell of public pages, which people open by signed links: no script, no cookie, no content of other origins."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from http import HTTPStatus

_RIGHT_TO_LEFT: Final = frozenset({"ar", "ckb", "dv", "fa", "he", "ps", "ur", "yi"})
_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{font:18px/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;overflow-wrap:break-word}"
    "label{display:block;padding:.3rem 0}"
    "textarea,select,input[type=email],input[type=text]"
    "{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem}"
    "button{font:inherit;padding:.5rem 1.5rem;margin-top:1rem}"
    "fieldset{border:0;padding:0;margin:1.5rem 0 0}legend{font-weight:bold;padding:0}li{padding:.3rem 0}"
    "[role=alert]{border-inline-start:.3rem solid;padding-inline-start:.7rem;font-weight:bold}"
    ".trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
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


def direction_of(language: str) -> str:
    """Return the direction of a language (BCP 47), `ltr` or `rtl`."""
    return "rtl" if language.partition("-")[0].lower() in _RIGHT_TO_LEFT else "ltr"


def document(
    status: HTTPStatus, language: str, title: str, body: str, *, head: str = ""
) -> dict[str, Any]:
    """Return the response of API Gateway with a page; *body* is HTML below the title, *head* of the head."""
    page = (
        f'<!doctype html><html lang="{escape(language)}" dir="{direction_of(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>{head}</head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )
    return {"statusCode": int(status), "headers": HEADERS, "body": page}
