"""
Signed links in mails to readers. Each has one purpose, and is refused for every other.

    leave          /u/{token}                company, list, issue and recipient; without an end
    view           /n/{token}                company and issue, and in the place of the list the variant of one with
                                             several texts: names no reader; without an end
    preferences    /n/preferences/{token}    as leave, for 60 days; without an issue if the reader asked for it
    confirm        /n/confirm/{token}        company, list and recipient, for 7 days
    erase          /n/erase/{token}          as confirm
    test           all of them               in test mails: changes nothing

A token is base64url of a JSON list, a full stop, and a keyed hash of it. Identifiers have the same keys: a link is
valid as long as its key is in the secret.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
from dataclasses import dataclass, replace
from typing import Final

from shared.identity.keyed_hashes import keyed_hash, keyed_hashes
from shared.runtime import clock

LEAVE, VIEW, PREFERENCES, CONFIRM, TEST = "leave", "view", "preferences", "confirm", "test"
ERASE: Final = "erase"
VALID_DAYS: Final = {PREFERENCES: 60, CONFIRM: 7, ERASE: 7}
# SES leads no link with this attribute through its server of clicks, so a reader leaves without a server between, and
# takes the attribute out before the delivery (SES Developer Guide, "Amazon SES email sending metrics FAQs", click
# tracking Q2). For mails whose clicks it does not count, the guide says nothing of its own.
NO_TRACK: Final = "ses:no-track"
_PATHS: Final = {
    LEAVE: "/u",
    VIEW: "/n",
    PREFERENCES: "/n/preferences",
    CONFIRM: "/n/confirm",
    ERASE: "/n/erase",
    TEST: "/u",
}
_KIND: Final = "newsletter link"
_DIGITS: Final = 32
_TOKEN: Final = re.compile(r"(?P<content>[A-Za-z0-9_-]{1,800})\.(?P<proof>[0-9a-f]{32})", re.ASCII)
_PARTS: Final = 5  # and a sixth, the end, of purposes that have one


class LinkInvalid(Exception):
    """The link was not made by this stage, or was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """
    What a link names. *recipient* is the keyed hash of the reader's address, *expires_at* the end (epoch seconds), 0
    without one.
    """

    purpose: str
    company_id: str
    issue_id: str
    list_id: str = ""
    recipient: str = ""
    expires_at: int = 0

    def parts(self) -> list[str]:
        """Return the signed parts in their order."""
        named = [self.purpose, self.company_id, self.issue_id, self.list_id, self.recipient]
        return [*named, str(self.expires_at)] if self.expires_at else named


class LinkExpired(LinkInvalid):
    """The link is over; *link* is what it names, if that is known."""

    def __init__(self, link: Link | None = None) -> None:
        super().__init__()
        self.link = link


def ending(link: Link) -> Link:
    """Return a link with the end of its purpose, from now on."""
    return replace(link, expires_at=clock.expires_in(VALID_DAYS[link.purpose] * clock.DAY_SECONDS))


def url_of(base_url: str, link: Link) -> str:
    """Return the address of a link. Raises KeysUnreadable."""
    return f"{base_url}{_PATHS[link.purpose]}/{token_of(link)}"


def token_of(link: Link) -> str:
    """Return the signed token of a link. Raises KeysUnreadable."""
    content = _encoded(link)
    return f"{content}.{keyed_hash(_KIND, content)[:_DIGITS]}"


def link_of(token: str) -> Link:
    """Return the link of a token. Raises LinkInvalid, LinkExpired and KeysUnreadable."""
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise LinkInvalid
    content = found["content"]
    proofs = keyed_hashes(_KIND, content)
    if not any(hmac.compare_digest(found["proof"], one[:_DIGITS]) for one in proofs):
        raise LinkInvalid
    try:
        padded = content + "=" * (-len(content) % 4)
        parts = json.loads(base64.urlsafe_b64decode(padded))
    except (binascii.Error, ValueError):
        raise LinkInvalid from None
    if not isinstance(parts, list) or len(parts) not in {_PARTS, _PARTS + 1}:
        raise LinkInvalid
    purpose, company_id, issue_id, list_id, recipient, *end = map(str, parts)
    link = Link(
        purpose=purpose,
        company_id=company_id,
        issue_id=issue_id,
        list_id=list_id,
        recipient=recipient,
        expires_at=int(end[0]) if end else 0,
    )
    if bool(link.expires_at) != (purpose in VALID_DAYS):
        raise LinkInvalid
    if link.expires_at and clock.is_over(link.expires_at):
        raise LinkExpired(link)
    return link


def _encoded(link: Link) -> str:
    text = json.dumps(link.parts(), separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
