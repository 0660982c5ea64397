"""The public archive of a list: its issues, each issue as it was sent, and a feed of them (RSS 2.0)."""

from __future__ import annotations

import re
from email.utils import formatdate
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.issues.links import LinkInvalid
from newsletters.issues.readers import forms, issue_page
from newsletters.issues.readers.texts import page_texts
from newsletters.store import issues
from newsletters.store.items import IssueState
from newsletters.store.items.issues import is_issue_id
from newsletters.store.readers import public_lists
from shared.api.routing.public_pages import HEADERS
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import ArchivedIssue, PublicList

PAGE: Final = 25
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)
_PUBLIC: Final = {"Cache-Control": "public, max-age=300"}
_NOT_IN_XML: Final = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def listing(deps: IssueDependencies, visit: Visit, of: PublicList) -> dict[str, Any]:
    """Return the page of a list's issues, newest first."""
    before = visit.query.get("before")
    if before is not None and not _MOMENT.fullmatch(before):
        raise LinkInvalid
    language = visit.language(of.language)
    texts = page_texts(language)
    found, following = public_lists.archived(
        deps.store.table, of.company_id, of.list_id, limit=PAGE, before=before
    )
    entries = "".join(_entry(one, of) for one in found)
    shown = f"<ul>{entries}</ul>" if entries else forms.paragraph(texts.no_issues)
    older = (
        f'<p><a href="archive?before={following}&amp;language={language}">{escape(texts.older)}</a></p>'
        if following
        else ""
    )
    subscribe = forms.filled_in(texts.subscribe_to, title=of.title)
    join = f'<p><a href="subscribe">{escape(subscribe)}</a></p>' if of.is_open else ""
    head = f'<link rel="alternate" type="application/rss+xml" title="{escape(of.title)}" href="feed.xml">'
    title = forms.filled_in(texts.archive, title=of.title)
    found_page = forms.page(HTTPStatus.OK, language, title, shown, older, join, head=head)
    return {**found_page, "headers": _indexed(found_page["headers"])}


def issue(deps: IssueDependencies, of: PublicList, issue_id: str) -> dict[str, Any]:
    """Return an issue of the archive as it was sent, without a link of a reader. Raises LinkInvalid."""
    found = issues.get(deps.store.table, issue_id) if is_issue_id(issue_id) else None
    if found is None or found.company_id != of.company_id or of.list_id not in found.list_ids:
        raise LinkInvalid
    if found.state is not IssueState.SENT:
        raise LinkInvalid
    shown = issue_page.respond(deps.store, found)
    return {**shown, "headers": _indexed(shown["headers"])}


def feed(deps: IssueDependencies, visit: Visit, of: PublicList) -> dict[str, Any]:
    """Return the newest issues as RSS 2.0."""
    found, _ = public_lists.archived(
        deps.store.table, of.company_id, of.list_id, limit=PAGE, before=None
    )
    own = f"{visit.base_url}/n/{of.company_id}/{of.list_id}"
    items = "".join(
        f"<item><title>{_xml(one.subject)}</title><link>{_xml(f'{own}/archive/{one.issue_id}')}</link>"
        f'<guid isPermaLink="false">{one.issue_id}</guid><pubDate>{_rfc_date(one.sent_at)}</pubDate>'
        f"<description>{_xml(one.preheader or one.subject)}</description></item>"
        for one in found
    )
    body = (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
        f"<title>{_xml(of.title)}</title><link>{_xml(f'{own}/archive')}</link>"
        f"<description>{_xml(of.description or of.title)}</description><language>{_xml(of.language)}</language>"
        f'<atom:link href="{_xml(f"{own}/feed.xml")}" rel="self" type="application/rss+xml"/>{items}</channel></rss>'
    )
    headers = {**_indexed(HEADERS), "Content-Type": "application/rss+xml; charset=utf-8"}
    return {"statusCode": int(HTTPStatus.OK), "headers": headers, "body": body}


def _entry(one: ArchivedIssue, of: PublicList) -> str:
    preheader = f"<br>{escape(one.preheader)}" if one.preheader else ""
    return (
        f'<li><a href="archive/{one.issue_id}" lang="{escape(of.language)}" dir="auto">{escape(one.subject)}</a>'
        f' <time datetime="{one.sent_at}"><bdi>{one.sent_at[:10]}</bdi></time>{preheader}</li>'
    )


def _indexed(headers: dict[str, str]) -> dict[str, str]:
    """Return the headers of a page that search engines may list, and that may be cached."""
    return {**{n: value for n, value in headers.items() if n != "X-Robots-Tag"}, **_PUBLIC}


def _xml(text: str) -> str:
    return escape(_NOT_IN_XML.sub("", text))


def _rfc_date(moment: str) -> str:
    return formatdate(clock.from_text(moment) / clock.SECOND_MS, usegmt=True)
