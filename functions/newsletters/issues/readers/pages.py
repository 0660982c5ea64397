"""
The public pages: which one a path names. A page is read below `/n`, and its form is sent to the same path below `/u`.

    /n/{company}/{list}/subscribe            sign up
    /n/{company}/{list}/preferences          ask for a link to the page of choices, by the address
    /n/{company}/{list}/archive[/{issue}]    earlier issues
    /n/{company}/{list}/feed.xml             the same as RSS 2.0
    /n/confirm/{token}                       confirm a sign-up
    /n/preferences/{token}                   choose
    /n/erase/{token}                         confirm that everything is to be erased

A GET changes nothing. No page has a script, a cookie, or content of other origins.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.issues.links import PREFERENCES, LinkExpired, LinkInvalid, link_of
from newsletters.issues.reader_texts import texts_of
from newsletters.issues.readers import archive, forms, preferences
from newsletters.issues.readers.requests import confirmation, erasure, link_request, signup
from newsletters.issues.readers.texts import language_of, page_texts
from newsletters.store.readers import public_lists
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.issues.readers.visits import Visit

_OF_TOKEN: Final = {
    "confirm": confirmation.respond,
    "preferences": preferences.respond,
    "erase": erasure.respond,
}
_COMPANY: Final = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_LIST: Final = re.compile(r"[0-9a-f]{16}", re.ASCII)
_LINK_PATH: Final = 2


def respond(deps: IssueDependencies, visit: Visit) -> dict[str, Any]:
    """Return the page of a path of two parts or more."""
    language = language_of(visit.query.get("language"))
    try:
        return _page_of(deps, visit)
    except LinkExpired as over:
        return _expired(deps, language, over.link)
    except LinkInvalid:
        return forms.sentence(HTTPStatus.NOT_FOUND, language, texts_of(language).invalid)
    except Transient:
        return forms.sentence(HTTPStatus.SERVICE_UNAVAILABLE, language, texts_of(language).later)


def _expired(deps: IssueDependencies, language: str, over: Link | None) -> dict[str, Any]:
    """Return the page of a link that is over, with a way to a new one."""
    texts = page_texts(language)
    if over is None or over.purpose != PREFERENCES:
        return forms.sentence(HTTPStatus.GONE, language, texts.expired)
    company, list_id = over.company_id, over.list_id
    of = public_lists.get(deps.store.table, company, list_id) if list_id else None
    way = forms.link(f"../{company}/{list_id}/preferences", texts.ask_link) if of else ""
    return forms.page(HTTPStatus.GONE, language, texts.link_expired, way)


def _page_of(deps: IssueDependencies, visit: Visit) -> dict[str, Any]:
    """Return the page of a path. Raises LinkInvalid, LinkExpired and Transient."""
    first, *others = visit.path
    if len(visit.path) == _LINK_PATH and first in _OF_TOKEN:
        return _OF_TOKEN[first](deps, visit, link_of(others[0]))
    list_id, *rest = others
    if not _COMPANY.fullmatch(first) or not _LIST.fullmatch(list_id):
        raise LinkInvalid
    of = public_lists.get(deps.store.table, first, list_id)
    if of is None:
        raise LinkInvalid
    if rest == ["subscribe"] and of.is_open:
        return signup.respond(deps, visit, of)
    if rest == ["preferences"]:
        return link_request.respond(deps, visit, of)
    if visit.is_post or not of.has_archive:
        raise LinkInvalid
    match rest:
        case ["archive"]:
            return archive.listing(deps, visit, of)
        case ["archive", issue_id]:
            return archive.issue(deps, of, issue_id)
        case ["feed.xml"]:
            return archive.feed(deps, visit, of)
    raise LinkInvalid
