"""Parses the bytes of a mail into `ParsedMail`. No mail makes it fail; one over a cap is held."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from email.parser import BytesParser
from email.policy import compat32
from typing import TYPE_CHECKING, Final

from email_threads.parsing import caps, kinds, trust
from email_threads.parsing.body import delivery_status, html, parts, reply_text, signatures
from email_threads.parsing.body.parts import Content
from email_threads.parsing.caps import SYNTHETIC_DOMAIN, HoldReason, MailHeld
from email_threads.parsing.flags import Flag
from email_threads.parsing.headers import addresses
from email_threads.parsing.headers.fields import Headers, cut_subject
from email_threads.parsing.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from email_threads.parsing.body.attachments import Attachment
    from email_threads.parsing.body.delivery_status import Bounce
    from email_threads.parsing.trust import Verdicts

_HASH_CHARACTERS: Final = 32
_MOST_RETURNED: Final = 5
# Before the first header: a byte order mark and empty lines, as exports write them.
_LEADING: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?[\r\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMail:
    """
    A parsed mail.

    Ids have no brackets, and are otherwise as they came; addresses are in normal form. *message_id* is derived from the
    content if the mail has none (`has_own_id`). *sender* is None if From names no address. *date* is the time of the
    Date field, in UTC. *returned_ids* are the Message-IDs of embedded mails, in a bounce also of headers copied into
    its text, else of In-Reply-To; *bounce* is what it reports. *text* is the whole readable body, *new_text* the part
    that its sender wrote, *signed* the addresses in its signature; *html* is sanitised. *hold_reason* is set if the
    mail is held: over a cap only its headers were read. Texts and addresses are left out of the representation.
    """

    message_id: str = field(repr=False)
    has_own_id: bool
    in_reply_to: tuple[str, ...] = field(repr=False)
    references: tuple[str, ...] = field(repr=False)
    returned_ids: tuple[str, ...] = field(repr=False)
    sender: str | None = field(repr=False)
    sender_name: str = field(repr=False)
    to: tuple[str, ...] = field(repr=False)
    cc: tuple[str, ...] = field(repr=False)
    reply_to: tuple[str, ...] = field(repr=False)
    subject: str = field(repr=False)
    date: datetime | None
    text: str = field(repr=False)
    new_text: str = field(repr=False)
    html: str | None = field(repr=False)
    attachments: tuple[Attachment, ...]
    kind: Kind
    bounce: Bounce | None = None
    verdicts: Verdicts = field(repr=False)
    is_automatic: bool
    is_list: bool
    flags: frozenset[Flag]
    hold_reason: HoldReason | None
    headers: Headers = field(repr=False)
    signed: tuple[str, ...] = field(default=(), repr=False)

    @property
    def fingerprint(self) -> str:
        """Hash of sender, subject, body and attachments: equal for another delivery of the same mail."""
        return _hash(self.sender or "", self.subject, self.text, *_hashes(self.attachments))


def parse(raw: bytes) -> ParsedMail:
    """Parse a mail."""
    raw = _LEADING.sub(b"", raw, count=1)
    headers = Headers.read(raw)
    try:
        with caps.time_budget():
            caps.check(raw)
            content = parts.read(BytesParser(policy=compat32).parsebytes(raw))
            return _mail(headers, content, raw)
    except MailHeld as held:
        reason = held.reason
    except Exception:  # noqa: BLE001 - a mail that the standard library cannot parse is held, whichever error it raises
        reason = HoldReason.UNPARSEABLE
    return _held(headers, reason)


def parse_headers(block: bytes, reason: HoldReason) -> ParsedMail:
    """Parse only the headers of a mail that is held, from its first bytes."""
    return _held(Headers.read(_LEADING.sub(b"", block, count=1)), reason)


def sent(
    *,
    message_id: str,
    in_reply_to: tuple[str, ...],
    references: tuple[str, ...],
    sender: str,
    to: tuple[str, ...],
    subject: str,
    text: str,
    cc: tuple[str, ...] = (),
    attachments: tuple[Attachment, ...] = (),
) -> ParsedMail:
    """Return a mail that we sent, as if it had been received; ids without brackets."""
    return ParsedMail(
        message_id=message_id,
        has_own_id=True,
        in_reply_to=in_reply_to,
        references=references,
        returned_ids=(),
        sender=sender,
        sender_name="",
        to=to,
        cc=cc,
        reply_to=(),
        subject=cut_subject(subject),
        date=None,
        text=text,
        new_text=text,
        html=None,
        attachments=attachments,
        kind=Kind.MAIL,
        verdicts=trust.Verdicts(trust=trust.Trust.VERIFIED),
        is_automatic=False,
        is_list=False,
        flags=frozenset(),
        hold_reason=None,
        headers=Headers(()),
    )


def _mail(headers: Headers, content: Content, raw: bytes) -> ParsedMail:
    subject = headers.text("subject")
    is_answer = kinds.is_answer(subject)
    written = reply_text.new_text(
        content.text,
        subject,
        quote_at=content.quote_at,
        signature=content.signature,
        writer=addresses.display_name(headers.first("from") or ""),
        is_answer=is_answer,
        answers_none=not (is_answer or headers.ids("in-reply-to") or headers.ids("references")),
    )
    signature = signatures.text_of(content.text, written, subject, content.signature)
    mail = replace(_assemble(headers, content, written, None), signed=addresses.in_text(signature))
    if mail.kind is not Kind.BOUNCE or mail.returned_ids:
        return mail
    # The mail that came back is in no part of its own: the report answers it, or is damaged.
    named = mail.in_reply_to or delivery_status.ids_in_source(raw, headers.ids("message-id"))
    return replace(mail, returned_ids=tuple(dict.fromkeys(named[:_MOST_RETURNED])))


def _held(headers: Headers, reason: HoldReason) -> ParsedMail:
    """Return the headers of a mail, with the reason in brackets as its text."""
    text = f"[{reason}]"
    return _assemble(headers, Content(text=text), text, reason)


def _addresses(headers: Headers, name: str, *, is_held: bool) -> tuple[str, ...]:
    """Return the addresses of a field; of a held mail none, if they are over a cap. Raises MailHeld."""
    try:
        return addresses.in_field(headers, name)
    except MailHeld:
        if is_held:
            return ()
        raise


def _assemble(
    headers: Headers, content: Content, new_text: str, hold_reason: HoldReason | None
) -> ParsedMail:
    """Combine headers and content. Raises MailHeld if the addresses of a mail that is not held are over a cap."""
    is_held = hold_reason is not None
    senders = _addresses(headers, "from", is_held=is_held)
    if len(senders) > 1 or (senders and addresses.is_ambiguous(headers, "from")):
        content.flags.add(Flag.MULTIPLE_FROM)
    own_ids = headers.ids("message-id")
    sender = senders[0] if senders else None
    verdicts = trust.verdicts(headers, sender, is_ambiguous=Flag.MULTIPLE_FROM in content.flags)
    hashes = _hashes(content.attachments)
    copied_ids = delivery_status.returned_ids(content.text)
    body = kinds.Body(
        report_types=content.report_types,
        is_receipt=delivery_status.is_no_failure(content.delivery_status),
        has_code=delivery_status.has_code(content.text),
        says_failure=delivery_status.says_failure(content.text),
        returns_mail=bool(copied_ids or content.returned_ids),
        calendar_method=content.calendar_method,
    )
    kind = kinds.of(headers, sender, body, is_null_sender=verdicts.is_null_sender)
    is_bounce = kind is Kind.BOUNCE
    hold_reason = hold_reason or _doubt(sender, verdicts, kind)
    subject = headers.text("subject")
    bounce = (
        delivery_status.bounce_of(content.delivery_status, content.text, subject)
        if is_bounce
        else None
    )
    identity = [sender or "", headers.first("date") or "", subject]
    synthetic = f"{_hash(*identity, content.text, *hashes)}@{SYNTHETIC_DOMAIN}"
    return ParsedMail(
        message_id=own_ids[0] if own_ids else synthetic,
        has_own_id=bool(own_ids),
        in_reply_to=headers.ids("in-reply-to"),
        references=headers.ids("references"),
        returned_ids=tuple(dict.fromkeys(content.returned_ids + (copied_ids if is_bounce else []))),
        sender=sender,
        sender_name=addresses.display_name(headers.first("from") or "", sender or ""),
        to=_addresses(headers, "to", is_held=is_held),
        cc=_addresses(headers, "cc", is_held=is_held),
        reply_to=_addresses(headers, "reply-to", is_held=is_held),
        subject=cut_subject(subject),
        date=headers.date(),
        text=content.text,
        new_text=new_text,
        html=html.sanitised(content.html) if content.html is not None else None,
        attachments=tuple(content.attachments),
        kind=Kind.HELD if hold_reason else kind,
        bounce=bounce,
        verdicts=verdicts,
        is_automatic=kinds.is_automatic(headers),
        is_list=kinds.is_list(headers),
        flags=frozenset(content.flags),
        hold_reason=hold_reason,
        headers=headers,
    )


def _doubt(sender: str | None, verdicts: Verdicts, kind: Kind) -> HoldReason | None:
    """Return the reason why a mail within the caps is held: SES refused it, or it has no sender and is no report."""
    if verdicts.trust is trust.Trust.FAILED:
        return HoldReason.FAILED_CHECKS
    return HoldReason.NO_SENDER if sender is None and kind not in kinds.REPORTS else None


def _hashes(files: Iterable[Attachment]) -> list[str]:
    """Return the hashes of files, without texts that the body has: earlier versions did not list these."""
    return [file.sha256 for file in files if not file.is_shown]


def _hash(*texts: str) -> str:
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:_HASH_CHARACTERS]
