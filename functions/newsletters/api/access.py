"""Who may see and change a newsletter: its owner, and colleagues with the scope to read or review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store.items.metadata import is_code
from newsletters.store.newsletters import get_newsletter_full
from shared.api.auth import Forbidden, Scope

if TYPE_CHECKING:
    from newsletters.store.newsletters import Newsletter
    from newsletters.store.objects import Store
    from shared.api.auth import Caller

READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_REVIEW)
_OF_COLLEAGUES = frozenset(READ)


class NotFound(Exception):
    """Missing, another company's, or another user's: the response does not distinguish them."""


def readable(store: Store, caller: Caller, code: str) -> Newsletter:
    """Return a newsletter that the caller may read. Raises NotFound."""
    code = code.upper()
    newsletter = get_newsletter_full(store, code) if is_code(code) else None
    if newsletter is None or newsletter.metadata.company_id != caller.company:
        raise NotFound("code: newsletter not found")
    is_own = newsletter.metadata.user_id == caller.principal
    if not is_own and _OF_COLLEAGUES.isdisjoint(caller.scopes):
        raise NotFound("code: newsletter not found")
    return newsletter


def own(store: Store, caller: Caller, code: str) -> Newsletter:
    """Return a newsletter that the caller may change. Raises NotFound, and Forbidden for one of a colleague."""
    newsletter = readable(store, caller, code)
    if newsletter.metadata.user_id != caller.principal:
        raise Forbidden("only the owner of a newsletter may change it")
    return newsletter
