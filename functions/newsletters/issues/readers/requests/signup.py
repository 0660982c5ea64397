"""
The public form by which people sign up to a list.

    GET     the form
    POST    202 with the same page for every address: the mail says the rest

A sign-up is stored as due work before it is queued, so no answer promises a mail that is lost.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.inbound.events import ReaderRequested, entry
from newsletters.issues.readers import acts, forms
from newsletters.issues.readers.texts import page_texts
from newsletters.store.items import ConsentEvidence, Signup
from newsletters.store.items.item import timestamp
from newsletters.store.readers import signups
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import NotEnqueued
from shared.identity.addresses import AddressInvalid, email_address
from shared.identity.keyed_hashes import address_hash
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.readers.texts import PageTexts
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import PublicList

TRAP: Final = "website"
LONGEST_ADDRESS, LONGEST_NAME = 320, 100
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled-in form: the normalised address, and the name in one line."""

    email: str = field(repr=False)
    first_name: str = field(repr=False)


def respond(deps: IssueDependencies, visit: Visit, of: PublicList) -> dict[str, Any]:
    """Return the form, or the answer to it. Raises Transient."""
    language = visit.language(visit.first("language"), of.language)
    texts = page_texts(language)
    if not visit.is_post:
        return _form(visit, of, language)
    if visit.first(TRAP):
        return _accepted(visit, language, texts)  # by a program
    try:
        given = _filled(visit)
    except InvalidInput as refusal:
        return _refused(visit, of, language, refusal)
    if not signups.may_sign_up(deps.store.table, of.company_id, visit.network):
        return _sentence(visit, HTTPStatus.TOO_MANY_REQUESTS, language, texts.too_many)
    _request(deps, visit, of, language, given)
    return _accepted(visit, language, texts)


def _filled(visit: Visit) -> Filled:
    """Return what the form has. Other fields of a company's own form are ignored. Raises InvalidInput."""
    problems = []
    email = name = ""
    try:
        email = email_of(visit)
    except InvalidInput as refusal:
        problems += refusal.problems
    try:
        name = name_of(visit)
    except InvalidInput as refusal:
        problems += refusal.problems
    if problems:
        raise InvalidInput(problems)
    return Filled(email, name)


def name_of(visit: Visit) -> str:
    """Return the first name in the form in one line, empty without one. Raises InvalidInput."""
    name = visit.first("first_name")
    if len(name) > LONGEST_NAME or _CONTROL.search(name):
        rule = f"must have at most {LONGEST_NAME} characters, and no control characters"
        raise InvalidInput([{"field": "first_name", "problem": rule}])
    return " ".join(unicodedata.normalize("NFC", name).split())


def email_of(visit: Visit) -> str:
    """Return the normalised address in the form. Raises InvalidInput."""
    try:
        email = email_address(visit.first("email")[: LONGEST_ADDRESS + 1])
        email.encode("ascii")  # SES takes no other
    except (AddressInvalid, UnicodeEncodeError):
        raise InvalidInput([{"field": "email", "problem": "must be an e-mail address"}]) from None
    return email


def address_field(visit: Visit, texts: PageTexts, *, is_wrong: bool) -> str:
    """Return the field of the address, with what was filled in."""
    return forms.text_field(
        "email",
        texts.email,
        kind="email",
        autocomplete="email",
        value=visit.first("email")[:LONGEST_ADDRESS],
        is_required=True,
        is_wrong=is_wrong,
    )


def wording(of: PublicList, texts: PageTexts) -> str:
    """Return what a person agrees to."""
    return forms.filled_in(texts.consent, sender=of.sender_name, title=of.title)


def _request(
    deps: IssueDependencies, visit: Visit, of: PublicList, language: str, given: Filled
) -> None:
    """Store a sign-up, and queue its mail; a lost message is found by the schedule."""
    recipient = address_hash(given.email)
    made = Signup(
        **Signup.key(of.company_id, recipient, of.list_id),
        company_id=of.company_id,
        recipient=recipient,
        list_id=of.list_id,
        email=given.email,
        first_name=given.first_name,
        language=language,
        requested_at=timestamp(clock.now_ms()),
        ttl=clock.expires_in(Signup.ttl_days * clock.DAY_SECONDS),
    )
    evidence = acts.evidence_of(
        of.company_id,
        recipient,
        visit,
        keeps_ip=of.keeps_ip,
        action="requested",
        source="form",
        list_id=of.list_id,
        language=language,
        wording=wording(of, page_texts(language)),
        ttl=clock.expires_in(ConsentEvidence.requested_days * clock.DAY_SECONDS),
    )
    stored = signups.request(deps.store.table, made, evidence)
    if stored is not None:
        enqueue(deps, ReaderRequested.of(stored))


def enqueue(deps: IssueDependencies, event: ReaderRequested) -> None:
    """Queue work that is stored as due: a message that is not enqueued is sent by the schedule."""
    with suppress(NotEnqueued):
        deps.resources.steps.send([entry(event)])


def _form(visit: Visit, of: PublicList, language: str, *, problem: str = "") -> dict[str, Any]:
    texts = page_texts(language)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    title = forms.filled_in(texts.subscribe_to, title=of.title)
    described = forms.paragraph(of.description) if of.description else ""
    fields = (
        address_field(visit, texts, is_wrong=bool(problem)),
        forms.text_field("first_name", texts.first_name, autocomplete="given-name"),
        forms.trap(TRAP),
        forms.hidden("language", language),
        forms.paragraph(wording(of, texts)),
        forms.button(texts.subscribe),
    )
    shown = forms.form(visit.action, *fields)
    way = forms.link("preferences", texts.ask_link)
    return forms.page(status, language, title, described, forms.alert(problem), shown, way)


def _refused(visit: Visit, of: PublicList, language: str, refusal: InvalidInput) -> dict[str, Any]:
    if visit.is_json:
        problem = {"code": "invalid_input", "details": refusal.problems}
        return forms.answer(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": problem})
    texts = page_texts(language)
    named = {one["field"] for one in refusal.problems}
    problem_shown = texts.email_invalid if "email" in named else texts.first_name
    return _form(visit, of, language, problem=problem_shown)


def _accepted(visit: Visit, language: str, texts: PageTexts) -> dict[str, Any]:
    return _sentence(visit, HTTPStatus.ACCEPTED, language, texts.look_in_inbox, texts.mail_comes)


def _sentence(
    visit: Visit, status: HTTPStatus, language: str, title: str, text: str = ""
) -> dict[str, Any]:
    if visit.is_json:
        return forms.answer(status, {"message": " ".join(filter(None, (title, text)))})
    return forms.sentence(status, language, title, text)
