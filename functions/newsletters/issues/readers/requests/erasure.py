"""
The page of the link in the mail of a reader who wants to be erased: its button confirms.

A GET changes nothing. After the erasure, when nothing is stored any more, the answer is the same.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from newsletters.issues.links import ERASE, LinkInvalid
from newsletters.issues.readers import forms
from newsletters.issues.readers.requests import confirmation
from newsletters.issues.readers.texts import page_texts
from newsletters.store.readers import public_lists, signups

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.issues.readers.visits import Visit


def respond(deps: IssueDependencies, visit: Visit, link: Link) -> dict[str, Any]:
    """Return the page. Raises LinkInvalid and Transient."""
    if link.purpose != ERASE:
        raise LinkInvalid
    table = deps.store.table
    found = signups.get(table, link.company_id, link.recipient, ERASE)
    language = visit.language(found.language if found else None)
    texts = page_texts(language)
    if found is None:
        return forms.sentence(HTTPStatus.OK, language, texts.erased)
    if visit.is_post:
        confirmation.confirm(deps, found, None)
        return forms.sentence(HTTPStatus.OK, language, texts.erased)
    of = public_lists.get(table, link.company_id, link.list_id)
    explained = forms.filled_in(texts.erase_explained, sender=of.sender_name) if of else ""
    asked = forms.form(visit.action, forms.button(texts.erase_confirm))
    return forms.page(HTTPStatus.OK, language, texts.erase, forms.paragraph(explained), asked)
