"""
The page of the link in the mail of a sign-up: its button confirms. Scanners of mail open every link, so a GET changes
nothing. A repetition gets the same answer.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.inbound.events import ReaderRequested
from newsletters.issues.links import CONFIRM, LinkExpired, LinkInvalid
from newsletters.issues.readers import acts, forms
from newsletters.issues.readers.requests import signup
from newsletters.issues.readers.texts import language_of, page_texts
from newsletters.store.items import SignupState
from newsletters.store.readers import public_lists, signups
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import ConsentEvidence, Signup

ROUNDS: Final = 4


def respond(deps: IssueDependencies, visit: Visit, link: Link) -> dict[str, Any]:
    """Return the page. Raises LinkInvalid, LinkExpired and Transient."""
    if link.purpose != CONFIRM:
        raise LinkInvalid
    table = deps.store.table
    found = signups.get(table, link.company_id, link.recipient, link.list_id)
    if found is None:
        raise LinkExpired
    of = public_lists.get(table, link.company_id, link.list_id)
    if of is None:
        raise LinkInvalid
    language = language_of(found.language)
    texts = page_texts(language)
    if visit.is_post:
        evidence = acts.evidence_of(
            of.company_id,
            found.recipient,
            visit,
            keeps_ip=of.keeps_ip,
            action="confirmed",
            source="link",
            list_id=of.list_id,
            language=language,
            wording=signup.wording(of, texts),
        )
        confirm(deps, found, evidence)
        return forms.sentence(HTTPStatus.OK, language, texts.confirmed)
    title = forms.filled_in(texts.subscribe_to, title=of.title)
    said = forms.paragraph(signup.wording(of, texts))
    asked = forms.form(visit.action, forms.button(texts.confirm))
    return forms.page(HTTPStatus.OK, language, title, said, asked)


def confirm(deps: IssueDependencies, found: Signup, evidence: ConsentEvidence | None) -> None:
    """
    Store a confirmation, and record the consent that it is; a worker carries it out. Safe to repeat, also if an earlier
    request was cut off. Raises LinkExpired and Transient.
    """
    table = deps.store.table
    for _ in range(ROUNDS):
        is_stored = found.state is SignupState.CONFIRMED
        confirmed = found if is_stored else signups.confirm(table, found, evidence)
        if confirmed is not None:
            acts.record_confirmed(deps.people.consents, confirmed)
            signup.enqueue(deps, ReaderRequested.of(confirmed))
            return
        again = signups.get(table, found.company_id, found.recipient, found.name)
        if again is None:
            raise LinkExpired
        found = again
    raise Transient("signup_contended")
