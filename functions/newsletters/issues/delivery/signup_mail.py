"""The mail of a sign-up, which asks its reader to confirm."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from newsletters.issues import links
from newsletters.issues.links import CONFIRM, Link
from newsletters.issues.readers import forms
from newsletters.issues.readers.texts import language_of, page_texts
from shared.api.routing.public_pages import direction_of
from shared.events.issue_feedback import ISSUE, RECIPIENT
from shared.providers.email.mime import Body

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import PublicList, Signup
    from shared.providers.email.ses import Mail

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


def mail_of(resources: SendingResources, of: PublicList, signup: Signup) -> Mail:
    """Return the mail. Raises KeysUnreadable."""
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - few runs send mails

    link = Link(
        purpose=CONFIRM,
        company_id=signup.company_id,
        issue_id="",
        list_id=signup.list_id,
        recipient=signup.recipient,
    )
    url = links.url_of(resources.public_url, links.ending(link))
    return Mail(
        sender=of.sender,
        sender_name=of.sender_name,
        to=signup.email,
        reply_to=of.reply_to,
        subject=page_texts(language_of(signup.language)).mail_subject.format(title=of.title),
        body=_body(of, signup, url),
        auto_submitted="auto-generated",
        suppress_auto_replies=True,
        configuration_set=resources.configuration_set or None,
        action_id=f"su-{signup.recipient[:32]}-{signup.turn}",
        tags={ISSUE: reference_of(signup.company_id, signup.list_id), RECIPIENT: signup.recipient},
    )


def _body(of: PublicList, signup: Signup, url: str) -> Body:
    language = language_of(signup.language)
    texts = page_texts(language)
    request = forms.filled_in(texts.mail_request, title=of.title, sender=of.sender_name)
    html = _HTML.format(
        language=language,
        direction=direction_of(language),
        subject=escape(texts.mail_subject.format(title=of.title)),
        request=escape(request),
        url=escape(url),
        confirm=escape(texts.confirm),
        ignore=escape(texts.mail_ignore),
        sender=escape(of.sender_name),
        postal=escape(of.postal_address),
    )
    lines = (request, "", url, "", texts.mail_ignore, "", "-- ", of.sender_name, of.postal_address)
    return Body("\n".join(lines) + "\n", html)
