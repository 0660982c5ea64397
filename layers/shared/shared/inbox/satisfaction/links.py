"""
Links by which a customer answers without a login.

    /satisfaction/email.1a2b3c4d5e6f7a8b.de.6950a2c0.<proof>
                  channel, conversation, language of the page, end (hex, epoch seconds), keyed hash of the four

Identifiers have the same keys: a link stays valid while they rotate.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Final

from shared.identity.keyed_hashes import keyed_hash, keyed_hashes
from shared.runtime import clock

VALID_DAYS: Final = 30
MOST_SCORE: Final = 5
EMAIL: Final = "email"
CONVERSATIONS: Final = "conversations"
# By the channel of the link: each API has its own page.
PATHS: Final = {EMAIL: "/satisfaction", CONVERSATIONS: "/satisfaction/conversations"}
_KIND: Final = "satisfaction"
_DIGITS: Final = 32
_TOKEN: Final = re.compile(
    r"(?P<channel>[a-z]{1,16})\.(?P<conversation>[0-9a-zA-Z_-]{1,64})\.(?P<language>[a-z]{2})"
    r"\.(?P<expires>[0-9a-f]{1,10})\.(?P<proof>[0-9a-f]{32})"
)


class LinkInvalid(Exception):
    """The link was not made by this stage, or was changed."""


class LinkExpired(Exception):
    """The link is no longer valid; *language*: of its page."""

    def __init__(self, language: str) -> None:
        super().__init__("expired")
        self.language = language


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The conversation that an answer is about, and the language of the page. *expires_at*: epoch seconds."""

    channel: str
    conversation_id: str
    language: str
    expires_at: int


def token_of(link: Link) -> str:
    """Return the signed token. Raises KeysUnreadable."""
    return ".".join([*_parts(link), keyed_hash(_KIND, *_parts(link))[:_DIGITS]])


def page_url(link: Link, base_url: str) -> str:
    """Return the address of the page. Raises KeysUnreadable."""
    return f"{base_url}{PATHS[link.channel]}/{token_of(link)}"


def urls_of(link: Link, base_url: str) -> dict[int, str]:
    """Return the address of the page by the score that it proposes, the best first. Raises KeysUnreadable."""
    page = page_url(link, base_url)
    return {score: f"{page}?score={score}" for score in range(MOST_SCORE, 0, -1)}


def link_of(token: str) -> Link:
    """Return the link of a token. Raises LinkInvalid, LinkExpired and KeysUnreadable."""
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise LinkInvalid
    link = Link(
        channel=found["channel"],
        conversation_id=found["conversation"],
        language=found["language"],
        expires_at=int(found["expires"], 16),
    )
    proofs = keyed_hashes(_KIND, *_parts(link))
    if not any(hmac.compare_digest(found["proof"], one[:_DIGITS]) for one in proofs):
        raise LinkInvalid
    if link.expires_at * clock.SECOND_MS <= clock.now_ms():
        raise LinkExpired(link.language)
    return link


def _parts(link: Link) -> tuple[str, str, str, str]:
    return link.channel, link.conversation_id, link.language, f"{link.expires_at:x}"
