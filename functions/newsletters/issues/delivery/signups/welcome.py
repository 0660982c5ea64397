"""The welcome mail of a list: once to each reader who has confirmed a sign-up, never to people of imports."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from newsletters.issues import links, personal_fields
from newsletters.issues.delivery import provider
from newsletters.issues.delivery.signups.signup_mail import reference_of
from newsletters.issues.links import LEAVE, NO_TRACK, Link
from newsletters.issues.personal_fields import Names
from newsletters.issues.reader_texts import texts_of
from newsletters.issues.readers.texts import language_of
from newsletters.store.items import WelcomeMail
from shared.events.issue_feedback import ISSUE, RECIPIENT
from shared.policy.consent.subscriptions import EMAIL, subscription
from shared.providers.action_ledger import Ledger, OnDoubt
from shared.providers.email.mime import Body
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import Run, SendingResources
    from newsletters.store.items import PublicList, Signup, Welcome
    from shared.providers.email.ses import Mail

SAFE_MODE: Final = "safe_mode"
_HTML: Final = (
    '<!doctype html><html lang="{language}" dir="{direction}"><head><meta charset="utf-8"><title>{subject}</title>'
    '</head><body style="margin:0;padding:24px;font-family:Arial,sans-serif;font-size:16px;line-height:1.5">{text}'
    '<p style="font-size:14px;color:#565656"><span dir="auto">{sender}</span><br><span dir="auto">{postal}</span><br>'
    '<a {no_track} href="{leave}" style="color:#1a4f8b">{leave_text}</a></p></body></html>'
)


def is_wanted(resources: SendingResources, of: PublicList, signup: Signup) -> bool:
    """Whether the sender is still the company's, and the reader still reached and subscribed."""
    if resources.owners.owner_of_email(of.sender) != of.company_id:
        return False
    table = resources.people.consents.table
    known = subscription(table, of.company_id, signup.email, signup.list_id)
    return not (known.is_unreachable or known.is_opted_out)


def send(resources: SendingResources, of: PublicList, signup: Signup, run: Run) -> None:
    """
    Send the mail by the action ledger; nothing if it was sent before, or certainly cannot be. Raises Transient while
    mail is off, if the provider has not taken it, or while an attempt has no result yet.
    """
    if resources.switches.in_force().safe_mode:
        raise Transient(SAFE_MODE)
    key = WelcomeMail.key(of.company_id, signup.recipient, of.list_id)
    ledger = Ledger(resources.store.table, lambda _: key, WelcomeMail)
    intended = WelcomeMail(
        **key,
        action_id=f"wl-{signup.recipient[:32]}-{of.list_id}",
        company=of.company_id,
        channel=EMAIL,
        provider="ses",
        on_doubt=OnDoubt.AT_MOST_ONCE,
    )
    mail = _mail(resources, of, signup, intended.action_id)
    tenant = provider.tenant_for(resources, of.company_id)

    def attempt() -> str:
        try:
            return provider.send(resources, mail, tenant).provider_id
        except Misconfigured as refusal:  # An operator has to act: the mail waits.
            raise NotSent(refusal.code) from None

    remaining_ms = run.ends_at_ms - clock.now_ms()
    ledger.perform(intended, owner=run.owner, remaining_ms=remaining_ms, send=attempt)


def _mail(resources: SendingResources, of: PublicList, signup: Signup, action_id: str) -> Mail:
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - few runs send mails

    reference = reference_of(of.company_id, of.list_id)
    leave = links.url_of(
        resources.public_url,
        Link(
            purpose=LEAVE,
            company_id=of.company_id,
            issue_id=reference,
            list_id=of.list_id,
            recipient=signup.recipient,
        ),
    )
    welcome, names = _welcome_of(of), Names(signup.first_name)
    domain = of.sender.rpartition("@")[2]
    return Mail(
        sender=of.sender,
        sender_name=of.sender_name,
        to=signup.email,
        reply_to=of.reply_to,
        subject=personal_fields.filled(welcome.subject, names).strip(),
        body=_body(of, signup, leave, names),
        auto_submitted="auto-generated",
        unsubscribe=[leave],
        one_click=True,
        list_id=f"{of.list_id}.{domain}",
        suppress_auto_replies=True,
        configuration_set=resources.configuration_set or None,
        action_id=action_id,
        tags={ISSUE: reference, RECIPIENT: signup.recipient},
    )


def _body(of: PublicList, signup: Signup, leave: str, names: Names) -> Body:
    language = language_of(signup.language)
    texts, welcome = texts_of(language), _welcome_of(of)
    text = personal_fields.filled(welcome.text, names)
    paragraphs = (escape(one.strip()) for one in text.split("\n\n") if one.strip())
    html = _HTML.format(
        language=language,
        direction=texts.direction,
        subject=escape(personal_fields.filled(welcome.subject, names)),
        text="".join(f'<p dir="auto">{one.replace("\n", "<br>")}</p>' for one in paragraphs),
        sender=escape(of.sender_name),
        postal=escape(of.postal_address),
        no_track=NO_TRACK,
        leave=escape(leave),
        leave_text=escape(texts.leave),
    )
    lines = (text.strip(), "", "-- ", of.sender_name, of.postal_address, f"{texts.leave}: {leave}")
    return Body("\n".join(lines) + "\n", html)


def _welcome_of(of: PublicList) -> Welcome:
    if of.welcome is None:
        raise ValueError("the list has no welcome mail")
    return of.welcome
