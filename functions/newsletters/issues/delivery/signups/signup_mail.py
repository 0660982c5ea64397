"""The mails that answer readers: a sign-up and an erasure are to be confirmed, a link leads to the choices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from newsletters.issues import links
from newsletters.issues.links import CONFIRM, ERASE, PREFERENCES, Link
from newsletters.issues.readers import forms
from newsletters.issues.readers.texts import language_of, page_texts
from shared.api.routing.public_pages import direction_of
from shared.events.issue_feedback import ISSUE, RECIPIENT
from shared.providers.email.mime import Body

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import PublicList, Signup
    from newsletters.store.items.readers import Asked
    from shared.providers.email.ses import Mail

_PURPOSES: Final = {"join": CONFIRM, "choices": PREFERENCES, "erase": ERASE}
# Tags of SES have no full stop, which ids of companies may have.
_REFERENCE: Final = re.compile(r"SU-(?P<list>[0-9a-f]{16})-(?P<company>(?:[0-9a-f]{2})+)", re.ASCII)
_HTML: Final = (
    '<!doctype html><html lang="{language}" dir="{direction}"><head><meta charset="utf-8"><title>{subject}</title>'
    "</head>"
    '<body style="margin:0;padding:24px;font-family:Arial,sans-serif;font-size:16px;line-height:1.5">'
    "<p>{request}</p>"
    '<p><a href="{url}" style="display:inline-block;padding:12px 24px;background:#1a4f8b;color:#ffffff;'
    'text-decoration:none">{confirm}</a></p><p>{ignore}</p>'
    '<p style="font-size:14px;color:#565656"><span dir="auto">{sender}</span><br>'
    '<span dir="auto">{postal}</span></p></body></html>'
)


def reference_of(company_id: str, list_id: str) -> str:
    """Return what the provider's events of a sign-up's mail name instead of an issue."""
    return f"SU-{list_id}-{company_id.encode().hex()}"


def company_of(reference: str) -> str | None:
    """Return the company of a reference; None for a reference of an issue."""
    found = _REFERENCE.fullmatch(reference)
    return bytes.fromhex(found["company"]).decode() if found else None


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a mail: its subject, why it comes, the text of its link, and what happens without an answer."""

    subject: str
    request: str
    link: str
    ignore: str


def mail_of(resources: SendingResources, of: PublicList, signup: Signup) -> Mail:
    """Return the mail. Raises KeysUnreadable."""
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - few runs send mails

    link = Link(
        purpose=_PURPOSES[signup.asks],
        company_id=signup.company_id,
        issue_id="",
        list_id=signup.list_id,
        recipient=signup.recipient,
    )
    url = links.url_of(resources.public_url, links.ending(link))
    language = language_of(signup.language)
    texts = _texts(of, signup.asks, language)
    named = "su" if signup.asks == "join" else f"su-{signup.asks}"
    return Mail(
        sender=of.sender,
        sender_name=of.sender_name,
        to=signup.email,
        reply_to=of.reply_to,
        subject=texts.subject,
        body=_body(of, texts, language, url),
        auto_submitted="auto-generated",
        suppress_auto_replies=True,
        configuration_set=resources.configuration_set or None,
        action_id=f"{named}-{signup.recipient[:32]}-{signup.turn}",
        tags={ISSUE: reference_of(signup.company_id, signup.list_id), RECIPIENT: signup.recipient},
    )


def _texts(of: PublicList, asks: Asked, language: str) -> _Texts:
    known = page_texts(language)
    subject, request, link, ignore = {
        "join": (known.mail_subject, known.mail_request, known.confirm, known.mail_ignore),
        "choices": (known.link_subject, known.link_request, known.choices, known.link_ignore),
        "erase": (known.erase_subject, known.erase_request, known.erase_confirm, known.link_ignore),
    }[asks]
    filled = forms.filled_in(request, title=of.title, sender=of.sender_name)
    return _Texts(subject.format(title=of.title), filled, link, ignore)


def _body(of: PublicList, texts: _Texts, language: str, url: str) -> Body:
    html = _HTML.format(
        language=language,
        direction=direction_of(language),
        subject=escape(texts.subject),
        request=escape(texts.request),
        url=escape(url),
        confirm=escape(texts.link),
        ignore=escape(texts.ignore),
        sender=escape(of.sender_name),
        postal=escape(of.postal_address),
    )
    lines = (texts.request, "", url, "", texts.ignore, "", "-- ", of.sender_name, of.postal_address)
    return Body("\n".join(lines) + "\n", html)
