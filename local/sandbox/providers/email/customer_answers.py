"""Answers to an e-mail as the mail client, or the out-of-office program, of its recipient writes them."""

from __future__ import annotations

import html
import re
import uuid
from email.utils import format_datetime, parseaddr
from typing import TYPE_CHECKING

from local.sandbox.accounts.mail.accepted_mails import decoded, encoded, text_part, written

if TYPE_CHECKING:
    from datetime import datetime

    from local.sandbox.accounts.mail.accepted_mails import AcceptedMail

_TAG = re.compile(r"<[^>]+>")


def answer(mail: AcceptedMail, text: str, now: datetime) -> bytes:
    """Return the answer of a person: *text* above the quoted mail."""
    subject = mail.request.Content.Simple.Subject.Data
    is_answer = subject.lower().startswith("re:")
    body = f"{text}\n\n{_attribution(mail)}\n\n{_quote(_text_of(mail))}\n"
    return _written(mail, subject if is_answer else f"Re: {subject}", body, now, {})


def automatic_answer(mail: AcceptedMail, text: str, now: datetime) -> bytes:
    """Return an out-of-office answer (RFC 3834); it quotes nothing."""
    subject = f"Automatic reply: {mail.request.Content.Simple.Subject.Data}"
    return _written(mail, subject, f"{text}\n", now, {"Auto-Submitted": "auto-replied"})


def _written(
    mail: AcceptedMail, subject: str, body: str, now: datetime, more: dict[str, str]
) -> bytes:
    request = mail.request
    recipient = request.Destination.all_addresses[0]
    host = parseaddr(recipient)[1].rpartition("@")[2]
    message = text_part(body)
    fields = {
        "From": recipient,
        "To": ", ".join(request.ReplyToAddresses) or request.FromEmailAddress,
        "Subject": encoded(subject),
        "Date": format_datetime(now),
        "Message-ID": f"<{uuid.uuid4()}@{host}>",
        "In-Reply-To": mail.message_id,
        "References": " ".join([*_references(mail), mail.message_id]),
        **more,
    }
    for name, value in fields.items():
        message[name] = value
    return written(message)


def _references(mail: AcceptedMail) -> list[str]:
    """Return the earlier mails of the thread: References, else In-Reply-To (RFC 5322, 3.6.4)."""
    listed = mail.message["References"] or mail.message["In-Reply-To"] or ""
    return str(listed).split()


def _attribution(mail: AcceptedMail) -> str:
    at = f"{mail.sent_at:%a, %d %b %Y} at {mail.sent_at:%H:%M}"
    return f"On {at}, {decoded(mail.request.FromEmailAddress)} wrote:"


def _text_of(mail: AcceptedMail) -> str:
    body = mail.request.Content.Simple.Body
    if body.Text is not None:
        return body.Text.Data
    return html.unescape(_TAG.sub("", body.Html.Data)) if body.Html is not None else ""


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
