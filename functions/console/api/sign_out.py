"""Ends the sessions of a person: access tokens, tickets and live connections, in all browsers and companies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.api.views import SignedOut
from shared.access import revocations
from shared.api import principals
from shared.api.auth import Forbidden
from shared.inbox.live import posts
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.inbox.live.posts import Live


def sign_out(live: Live, caller: Caller) -> SignedOut:
    """
    Revoke all tokens and tickets that were issued to a person until now. Raises Forbidden for software.

    The revocation is first, so that no closed connection opens again. A repeat is refused by the authorizer: it has
    been done.
    """
    if not principals.is_person(caller.principal):
        raise Forbidden("only people sign out; an operator revokes an API key")
    # The clock of another provider may be ahead of ours.
    moment = max(clock.now_ms() // clock.SECOND_MS, caller.issued_at)
    revocations.end_sessions(live.keys, caller.principal, moment)
    return SignedOut(open_connections=posts.close_all(live, caller.principal))
