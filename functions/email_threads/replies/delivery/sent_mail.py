"""Appends a sent draft to its thread as a mail, with its questions, and closes the draft. Idempotent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from email_threads.parsing import mail as mails
from email_threads.parsing.body.attachments import Attachment
from email_threads.parsing.caps import SYNTHETIC_DOMAIN
from email_threads.replies.outcomes import trial_counts
from email_threads.replies.outcomes.corrections import edits_of
from email_threads.store import drafts
from email_threads.store.items import AliasKind, Automation, DraftStatus
from email_threads.store.items.threads.thread import Direction
from email_threads.threading.append import append
from email_threads.threading.incoming_mail import Incoming
from shared.ai.spending.senders import sender_hash
from shared.providers.email.ses import message_ids
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.configuration.resources import SendingResources
    from email_threads.parsing.mail import ParsedMail
    from email_threads.replies.delivery.mail_content import Content
    from email_threads.store.items import Draft, Mailbox
    from email_threads.threading.append import Appended
    from shared.aws.dynamodb import Attributes

_MOST_KNOWN = 5  # recipients who are known persons from now on


@dataclass(frozen=True, slots=True)
class Finished:
    """A sent mail, as it was appended. *asks_satisfaction*: the question at the end of its thread."""

    incoming: Incoming
    appended: Appended
    asks_satisfaction: bool


def finish(
    resources: SendingResources,
    mailbox: Mailbox | None,
    draft: Draft,
    content: Content,
    ses_id: str | None,
) -> Finished:
    """Append a sent draft to its thread and close it. Idempotent. Raises Transient."""
    incoming = _incoming(resources, mailbox, draft, content, ses_id)
    appended = append(resources.table, resources.bucket, incoming)
    if draft.draft_status is not DraftStatus.SENT:
        sent = drafts.move(
            resources.table,
            draft,
            draft_status=DraftStatus.SENT,
            ses_id=ses_id,
            message_id=incoming.mail.message_id,
            sent_at=draft.sent_at or clock.to_text(incoming.received_ms),
            reason=None,
            counted=_counted(resources, draft) if draft.is_of_model else (),
        )
        if sent is None:
            raise Transient("draft_contended")
    if not draft.is_automatic:
        for address in draft.to[:_MOST_KNOWN]:
            resources.spending.remember(draft.company_id, sender_hash(draft.company_id, address))
    # The append has removed it from the list of its thread.
    if appended.is_duplicate or appended.conversation_id != draft.thread:
        drafts.unlist_in_thread(resources.table, draft)
    return Finished(incoming, appended, draft.asks_satisfaction)


def _counted(resources: SendingResources, draft: Draft) -> list[Attributes]:
    """Return the writes that count a draft of the model with what people changed in it."""
    written = draft.body_text if draft.drafted_text is None else draft.drafted_text
    edits = edits_of(written, draft.body_text)
    words = len(written.split())
    own = drafts.to_count(resources.table, draft, edits, words)
    return [own, *trial_counts.of_sent(resources.table, draft, edits, words)]


def _incoming(
    resources: SendingResources,
    mailbox: Mailbox | None,
    draft: Draft,
    content: Content,
    ses_id: str | None,
) -> Incoming:
    """
    Return the mail as if it had been received.

    Without SES's id, of a send that a person has confirmed, it has an id of its action.
    """
    assigned, *others = (
        message_ids(ses_id, resources.region)
        if ses_id
        else (f"{draft.action_id}@{SYNTHETIC_DOMAIN}",)
    )
    return Incoming(
        company_id=draft.company_id,
        mailbox=draft.mailbox,
        mail=_mail(draft, content, assigned),
        received_ms=clock.from_text(draft.sent_at or draft.updated_at),
        direction=Direction.OUTBOUND,
        automation=mailbox.automation if mailbox is not None else Automation.NONE,
        retention_days=mailbox.retention_days if mailbox is not None else 30,
        other_ids=tuple(others),
        alias_kind=AliasKind.SENT,
        reply_id=draft.reply_id,
        own_thread=draft.thread,
        asked=tuple(draft.questions),
        close_days=mailbox.auto_close_days if mailbox is not None else None,
    )


def _mail(draft: Draft, content: Content, message_id: str) -> ParsedMail:
    return mails.sent(
        message_id=message_id,
        in_reply_to=(content.in_reply_to,) if content.in_reply_to else (),
        references=(*content.references, content.in_reply_to) if content.in_reply_to else (),
        sender=draft.mailbox,
        to=tuple(draft.to),
        cc=tuple(draft.cc),
        subject=draft.subject,
        text=content.text,
        attachments=tuple(
            Attachment(
                filename=one.filename,
                content_type=one.content_type,
                content=one.content,
                content_id=one.content_id,
                is_inline=one.content_id is not None,
            )
            for one in content.files
        ),
    )
