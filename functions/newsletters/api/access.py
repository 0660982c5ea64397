"""Checks access to newsletters: the owner may change one, colleagues with the scope may read or review it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store.content.newsletters import get_newsletter_full, get_newsletter_stored
from newsletters.store.items.metadata import is_code
from shared.api.auth import Forbidden, Scope

if TYPE_CHECKING:
    from newsletters.store.bucket.objects import Store
    from newsletters.store.content.newsletters import Newsletter
    from shared.api.auth import Caller

READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_REVIEW)
_OF_COLLEAGUES = frozenset(READ)


class NotFound(Exception):
    """Missing, another company's, or another user's: the response does not distinguish them."""


def readable(store: Store, caller: Caller, code: str) -> Newsletter:
    """Return a newsletter that the caller may read. Raises NotFound."""
    return _visible(
        caller, get_newsletter_full(store, code.upper()) if is_code(code.upper()) else None
    )


def own(store: Store, caller: Caller, code: str) -> Newsletter:
    """Return a newsletter that the caller may change. Raises NotFound, and Forbidden for one of a colleague."""
    return _owned(caller, readable(store, caller, code))


def own_as_stored(store: Store, caller: Caller, code: str) -> Newsletter:
    """Return a newsletter as `own` does, with shortened values: also one whose object of a large value is lost."""
    found = get_newsletter_stored(store.table, code.upper()) if is_code(code.upper()) else None
    return _owned(caller, _visible(caller, found))


def _visible(caller: Caller, newsletter: Newsletter | None) -> Newsletter:
    if newsletter is None or newsletter.metadata.company_id != caller.company:
        raise NotFound("code: newsletter not found")
    is_own = newsletter.metadata.user_id == caller.principal
    if not is_own and _OF_COLLEAGUES.isdisjoint(caller.scopes):
        raise NotFound("code: newsletter not found")
    return newsletter


def _owned(caller: Caller, newsletter: Newsletter) -> Newsletter:
    if newsletter.metadata.user_id != caller.principal:
        raise Forbidden("only the owner of a newsletter may change it")
    return newsletter
