"""
The form by which a reader asks for a link to the page of choices: by the address, without an issue at hand.

    GET     the form
    POST    202 with the same page for every address; a worker mails the link to one that a contact has

The request is stored as due work before it is queued, so no answer promises a mail that is lost.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.inbound.events import ReaderRequested
from newsletters.issues.links import ERASE, PREFERENCES, VALID_DAYS
from newsletters.issues.readers import forms
from newsletters.issues.readers.requests import signup
from newsletters.issues.readers.texts import page_texts
from newsletters.store.items import Signup
from newsletters.store.items.item import timestamp
from newsletters.store.readers import signups
from shared.api.errors import InvalidInput
from shared.identity.keyed_hashes import address_hash
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import PublicList
    from newsletters.store.items.readers import Asked

# A link is mailed at most a day after it was asked for.
_KEPT_DAYS: Final = {"choices": VALID_DAYS[PREFERENCES] + 1, "erase": VALID_DAYS[ERASE] + 1}


def respond(deps: IssueDependencies, visit: Visit, of: PublicList) -> dict[str, Any]:
    """Return the form, or the answer to it. Raises Transient."""
    language = visit.language(visit.first("language"), of.language)
    texts = page_texts(language)
    if not visit.is_post:
        return _form(visit, language)
    if not visit.first(signup.TRAP):
        try:
            email = signup.email_of(visit)
        except InvalidInput:
            return _form(visit, language, problem=texts.email_invalid)
        if not signups.may_sign_up(deps.store.table, of.company_id, visit.network):
            return forms.sentence(HTTPStatus.TOO_MANY_REQUESTS, language, texts.too_many)
        ask(deps, of, email, language, asks="choices", recipient=address_hash(email))
    return forms.sentence(HTTPStatus.ACCEPTED, language, texts.look_in_inbox, texts.link_comes)


def ask(
    deps: IssueDependencies,
    of: PublicList,
    email: str,
    language: str,
    *,
    asks: Asked,
    recipient: str,
) -> None:
    """Store a request for a mail in the name of a list, unless the address has just asked for that; queue it."""
    made = Signup(
        **Signup.key(of.company_id, recipient, asks),
        company_id=of.company_id,
        recipient=recipient,
        list_id=of.list_id,
        asks=asks,
        email=email,
        language=language,
        requested_at=timestamp(clock.now_ms()),
        ttl=clock.expires_in(_KEPT_DAYS[asks] * clock.DAY_SECONDS),
    )
    stored = signups.ask(deps.store.table, made)
    if stored is not None:
        signup.enqueue(deps, ReaderRequested.of(stored))


def _form(visit: Visit, language: str, *, problem: str = "") -> dict[str, Any]:
    texts = page_texts(language)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    fields = (
        signup.address_field(visit, texts, is_wrong=bool(problem)),
        forms.trap(signup.TRAP),
        forms.hidden("language", language),
        forms.button(texts.send_link),
    )
    shown = forms.form(visit.action, *fields)
    hint = forms.paragraph(texts.ask_link_hint)
    return forms.page(status, language, texts.ask_link, hint, forms.alert(problem), shown)
