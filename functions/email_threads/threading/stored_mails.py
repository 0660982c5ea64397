"""The stored form of a mail: its item, and its objects in the bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing import answer_rules
from email_threads.parsing.body import html
from email_threads.parsing.kinds import REPORTS, Kind
from email_threads.parsing.trust import Trust
from email_threads.store import objects
from email_threads.store.items import Automation, Mail
from email_threads.store.items.threads.mail import Evidence, EvidenceReason
from email_threads.store.items.threads.thread import AttachmentEntry, Direction, MailMetadata
from email_threads.threading import ids
from email_threads.threading.admission import Entry
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.parsing.body.attachments import Attachment
    from email_threads.threading.incoming_mail import Incoming
    from email_threads.threading.resolution import Resolution
    from shared.aws.s3 import Bucket

MOST_BODY: Final = 4_096  # characters of a body that is stored whole in the mail's item
CUT_BODY: Final = 2_000
MOST_REFERENCES: Final = 100
MOST_SIGNED: Final = 2  # addresses of a signature: each is kept with the entry of the inbox

_EARLIEST_MS: Final = 7 * clock.DAY_SECONDS * clock.SECOND_MS
_LATEST_MS: Final = clock.HOUR_MS
_MOST_USER_AGENT: Final = 200


def item_of(incoming: Incoming, found: Resolution, n: int) -> Mail:
    """Return the item of a mail as number *n* of the thread that was found."""
    mail, conversation_id = incoming.mail, found.conversation_id
    email_id = ids.email_id(incoming.company_id, mail.message_id)
    is_long = len(mail.text) > MOST_BODY
    needs_review = found.entry in {Entry.REVIEW, Entry.INVITED}
    doubt = _doubt(incoming, found)
    return Mail(
        conversation_id=Mail.number(conversation_id, n)["conversation_id"],
        n=n,
        company_id=incoming.company_id,
        email_id=email_id,
        message_id=mail.message_id,
        in_reply_to=mail.in_reply_to[-1] if mail.in_reply_to else None,
        references=[*mail.references[:1], *mail.references[1:][-MOST_REFERENCES + 1 :]],
        sender=mail.sender,
        sender_name=mail.sender_name or None,
        to=list(mail.to[:MOST_REFERENCES]),
        cc=list(mail.cc[:MOST_REFERENCES]),
        subject=mail.subject,
        body=mail.text[:CUT_BODY] if is_long else mail.text,
        new_text=mail.new_text[:MOST_BODY],
        signed=_signed(incoming) if doubt is None else [],
        timestamp=_timestamp(incoming),
        direction=incoming.direction,
        attachments=[_entry_of(incoming, conversation_id, file) for file in mail.attachments],
        metadata=_metadata(incoming),
        kind=mail.kind,
        trust=mail.verdicts.trust,
        received_at=clock.to_text(incoming.received_ms),
        fingerprint=mail.fingerprint,
        needs_review=needs_review,
        joined_by=found.joined_by,
        is_by_participant=_is_by_participant(incoming, found),
        evidence=Evidence.WEAK if doubt is not None else None,
        evidence_reason=doubt,
        html_text=_html_text(incoming) if doubt is not None or mail.kind is Kind.HELD else None,
        bounce_class=mail.bounce.bounce_class if mail.bounce else None,
        diagnostic=mail.bounce.diagnostic if mail.bounce else None,
        reply_to=answer_rules.reply_address(mail),
        other_reply_to=answer_rules.other_reply_address(mail, incoming.mailbox),
        automatic_refusal=answer_rules.refusal(mail, incoming.mailbox, needs_review=needs_review)
        if incoming.direction is Direction.INBOUND
        else None,
        reply_id=incoming.reply_id,
        utc_offset=mail.headers.utc_offset(),
        hold_reason=mail.hold_reason,
        flags=sorted(mail.flags),
        raw_key=incoming.raw_key,
        body_key=objects.body_key(conversation_id, email_id) if is_long else None,
        html_key=objects.html_key(conversation_id, email_id) if mail.html else None,
    )


def put_objects(bucket: Bucket, incoming: Incoming, stored: Mail) -> None:
    """Store long body, HTML and files of a mail, before its item names them. Idempotent."""
    mail = incoming.mail
    if stored.body_key is not None:
        objects.put_body(bucket, stored.body_key, mail.text)
    if stored.html_key is not None:
        objects.put_html(bucket, stored.html_key, mail.html or "")
    files = zip(stored.attachments, mail.attachments, strict=True)
    objects.put_attachments(
        bucket, ((entry.s3_key, file) for entry, file in files if entry.s3_key is not None)
    )


def _is_by_participant(incoming: Incoming, found: Resolution) -> bool | None:
    """Whether a received mail that joined a thread has a verified participant as its author; None for other mails."""
    if incoming.direction is not Direction.INBOUND or found.thread is None:
        return None
    return found.entry is not Entry.REVIEW and incoming.mail.kind not in REPORTS


def _signed(incoming: Incoming) -> list[str]:
    """Return the addresses in the signature of a received mail whose sender is verified, but for those of both ends."""
    mail = incoming.mail
    is_received = incoming.direction is Direction.INBOUND and mail.kind is Kind.MAIL
    if not is_received or mail.verdicts.trust is not Trust.VERIFIED:
        return []
    known = {mail.sender, incoming.mailbox, *mail.to, *mail.cc}
    return [one for one in mail.signed if one not in known][:MOST_SIGNED]


def _doubt(incoming: Incoming, found: Resolution) -> EvidenceReason | None:
    """
    Return why the evidence that a received mail belongs to its thread is weak, None if it is not.

    The AI conversations find theirs by the author alone: for them an unproven one is weak evidence in a new thread too.
    """
    mail, thread = incoming.mail, found.thread
    if incoming.direction is not Direction.INBOUND or mail.kind in REPORTS:
        return None
    is_proven = mail.verdicts.trust is Trust.VERIFIED
    if thread is None:
        is_forwarded = incoming.automation is Automation.CONVERSATIONS
        return EvidenceReason.NOT_AUTHENTICATED if is_forwarded and not is_proven else None
    if found.entry is not Entry.REVIEW:
        return None
    return EvidenceReason.NOT_A_PARTICIPANT if is_proven else EvidenceReason.NOT_AUTHENTICATED


def _html_text(incoming: Incoming) -> str | None:
    """Return the text of a mail's HTML if it differs from the body."""
    mail = incoming.mail
    if mail.html is None:
        return None
    text = html.to_text(mail.html).text.strip()
    return text[:MOST_BODY] if text not in {"", mail.text.strip()} else None


def _entry_of(incoming: Incoming, conversation_id: str, file: Attachment) -> AttachmentEntry:
    email_id = ids.email_id(incoming.company_id, incoming.mail.message_id)
    key = objects.attachment_key(conversation_id, email_id, file.filename)
    return AttachmentEntry(
        filename=file.filename,
        content_type=file.content_type,
        size=file.size,
        s3_key=None if incoming.mail.verdicts.has_virus else key,
        content_id=file.content_id,
        inline=file.is_inline or None,
        blocked=file.is_blocked or None,
        type_mismatch=file.is_mismatch or None,
    )


def _metadata(incoming: Incoming) -> MailMetadata:
    headers, verdicts = incoming.mail.headers, incoming.mail.verdicts
    agent = headers.first("user-agent") or headers.first("x-mailer") or ""
    return MailMetadata(
        client_ip=verdicts.client_ip,
        user_agent=agent[:_MOST_USER_AGENT] or None,
        spam_score=verdicts.spam_score,
    )


def _timestamp(incoming: Incoming) -> str:
    """Return the time of the Date field if it is plausible, else the time of receipt."""
    date = incoming.mail.date
    received = incoming.received_ms
    if date is not None:
        written = int(date.timestamp() * clock.SECOND_MS)
        if received - _EARLIEST_MS <= written <= received + _LATEST_MS:
            return clock.to_text(written)
    return clock.to_text(received)
