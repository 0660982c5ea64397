"""
The public pages of issues, by signed links: no login, no cookie.

    GET /u/{token}     asks whether the reader wants to leave; changes nothing, since scanners of mail open every link
    POST /u/{token}    leaves the list, with any body, as mail programs do with one click (RFC 8058); `scope=all` leaves
                       all newsletters of the company, `scope=undo` takes the reader back into the list
    GET /n/{token}     shows the issue, without a link of a reader

The pages under `/u` are in the language of the reader, as far as one is known, else in that of the issue. Each is the
same after months, after repetitions, and for a reader who was erased.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.issues.links import LEAVE, TEST, VIEW, Link, LinkInvalid, link_of
from newsletters.issues.reader_texts import DEFAULT, Texts, texts_of
from newsletters.issues.readers import acts, forms, issue_page, pages, reader_data
from newsletters.issues.readers.texts import language_of, page_texts
from newsletters.issues.readers.visits import visit_of
from newsletters.store import issues
from newsletters.store.readers import public_lists
from shared.api.routing.public_pages import document
from shared.policy.consent.items import State
from shared.policy.consent.subscriptions import NEWSLETTERS, list_scope, of_hashes
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import Issue

LEAVE_RESOURCE, VIEW_RESOURCE = "/u/{proxy+}", "/n/{proxy+}"
RESOURCES: Final = frozenset({LEAVE_RESOURCE, VIEW_RESOURCE})
_OF_RESOURCE: Final = {LEAVE_RESOURCE: {LEAVE, TEST}, VIEW_RESOURCE: {VIEW}}
ALL, UNDO = "all", "undo"
LANGUAGE: Final = "language"


def respond(deps: IssueDependencies, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page of a request of API Gateway."""
    visit = visit_of(event)
    if len(visit.path) > 1:
        return pages.respond(deps, visit)
    try:
        return _page_of(deps, visit, link_of(visit.path[0]), str(event["resource"]))
    except LinkInvalid:
        return _sentence(HTTPStatus.NOT_FOUND, DEFAULT, texts_of(DEFAULT).invalid)
    except Transient:
        return _sentence(HTTPStatus.SERVICE_UNAVAILABLE, DEFAULT, texts_of(DEFAULT).later)


def _page_of(deps: IssueDependencies, visit: Visit, link: Link, resource: str) -> dict[str, Any]:
    """Return the page of a link. Raises LinkInvalid and Transient."""
    if link.purpose not in _OF_RESOURCE[resource]:
        raise LinkInvalid
    issue = issues.get(deps.store.table, link.issue_id)
    if link.purpose == TEST:
        return _test_page(issue)
    if link.purpose == VIEW:
        if issue is None:
            raise LinkInvalid
        return issue_page.respond(deps.store, issue, link.list_id)
    language = _language_of(deps, visit, link, issue)
    texts = texts_of(language)
    if not visit.is_post:
        return _question(language, texts)
    by = Leaver(deps, visit, link, language)
    return _changed(by, issue, texts)


@dataclass(frozen=True, slots=True)
class Leaver:
    """A reader who acts by the link of an issue."""

    deps: IssueDependencies
    visit: Visit
    link: Link
    language: str

    def record(self, scope: str, state: State, action: str) -> None:
        """Record what the reader says, and its evidence unless that is known already."""
        link, table = self.link, self.deps.people.consents.table
        list_id = link.list_id or None
        known = of_hashes(table, link.company_id, [link.recipient], [list_id])[list_id]
        acts.record(self.deps, link, scope, state)
        if scope != NEWSLETTERS and known.is_opted_out is (state is State.OPTED_OUT):
            return
        evidence = acts.evidence_of(
            link.company_id,
            link.recipient,
            self.visit,
            action=action,
            source="link",
            list_id=None if scope == NEWSLETTERS else list_id,
            language=self.language,
        )
        self.deps.store.table.put(evidence.attributes())


def _changed(by: Leaver, issue: Issue | None, texts: Texts) -> dict[str, Any]:
    """Record that a reader leaves, or takes that back. Idempotent: of repeated statements the newest counts."""
    own = list_scope(by.link.list_id) if by.link.list_id else NEWSLETTERS
    scope = by.visit.fields.get("scope", ["list"])[-1]
    if scope == UNDO:
        by.record(own, State.OPTED_IN, "returned")
        return _sentence(HTTPStatus.OK, by.language, texts.back)
    if scope == ALL or own == NEWSLETTERS:
        by.record(NEWSLETTERS, State.OPTED_OUT, "left_all")
    else:
        by.record(own, State.OPTED_OUT, "left")
    if issue is not None:
        acts.count_left(by.deps, by.link)
    return document(HTTPStatus.OK, by.language, texts.left, _form(by.language, (UNDO, texts.undo)))


def _language_of(deps: IssueDependencies, visit: Visit, link: Link, issue: Issue | None) -> str:
    """
    Return the language of the page on which a reader leaves: the reader's, else that of the issue, or of the list of a
    welcome mail. A form says the language of its page, so one click of a mail program reads nothing for it.
    """
    shown = visit.first(LANGUAGE)
    own = None if visit.is_post else reader_data.language_of_reader(deps, link)
    if issue is not None:
        return visit.language(shown, own, issue.language)
    of = public_lists.get(deps.store.table, link.company_id, link.list_id) if link.list_id else None
    return visit.language(shown, own, of.language if of is not None else None)


def _question(language: str, texts: Texts) -> dict[str, Any]:
    body = _form(language, ("list", texts.this_list), (ALL, texts.everything))
    return document(HTTPStatus.OK, language, texts.question, body)


def _test_page(issue: Issue | None) -> dict[str, Any]:
    language = language_of(issue.language if issue is not None else None)
    return _sentence(HTTPStatus.OK, language, page_texts(language).test_mail)


def _form(language: str, *choices: tuple[str, str]) -> str:
    buttons = "".join(
        f'<p><button type="submit" name="scope" value="{value}">{escape(text)}</button></p>'
        for value, text in choices
    )
    return f'<form method="post">{forms.hidden(LANGUAGE, language)}{buttons}</form>'


def _sentence(status: HTTPStatus, language: str, text: str) -> dict[str, Any]:
    return document(status, language, text, "")
