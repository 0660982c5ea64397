"""Builds the mail that SES sends from a draft: recipients, threading headers, text, signature, files."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from email_threads.configuration.resources import token_secrets
from email_threads.replies import satisfaction
from email_threads.replies.approval import signatures
from email_threads.replies.composition import FORWARDED, LONGEST_SUBJECT
from email_threads.replies.recipients import LONGEST_LOCAL_PART
from email_threads.store import objects, threads
from email_threads.store.items.replies.draft import DraftKind
from email_threads.threading.evidence import reply_tokens, subjects
from shared.providers.email import mime, ses
from shared.providers.outcomes import Refused

if TYPE_CHECKING:
    from email_threads.configuration.resources import SendingResources
    from email_threads.store.items import Draft, DraftFile, Mail, Mailbox, Thread

FILE_GONE: Final = "attachment_gone"
_CONTENT_ID_CHARACTERS: Final = 8
_LONGEST_CONTENT_ID: Final = 78  # API reference, Attachment
_OCTETS, _UNNAMED = "application/octet-stream", "attachment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """
    The content of a draft's mail: its text with the signature, its files, and the ids that it answers, without
    brackets.

    An answer names its mail and that mail's references; a forward begins a separate exchange with its recipient.
    """

    text: str = field(repr=False)
    files: tuple[ses.Attachment, ...]
    has_all_files: bool
    in_reply_to: str | None = field(repr=False)
    references: tuple[str, ...] = field(repr=False)


def content_of(resources: SendingResources, mailbox: Mailbox | None, draft: Draft) -> Content:
    """Read the mail and the files that a draft refers to."""
    answered = _answered(resources, draft) if draft.kind is DraftKind.REPLY else None
    files = [_file(resources, draft, one) for one in draft.attachments]
    signature = draft.signature
    if signature is None and mailbox is not None:
        signature = signatures.text_of(mailbox, None)
    return Content(
        text=_signed(draft, signature) if signature else draft.body_text,
        files=tuple(file for file in files if file is not None),
        has_all_files=None not in files,
        in_reply_to=answered.message_id if answered is not None else None,
        references=tuple(answered.references) if answered is not None else (),
    )


def mail_of(
    resources: SendingResources, thread: Thread, mailbox: Mailbox, draft: Draft, content: Content
) -> ses.Mail:
    """Return the mail. Raises Refused if its text or subject cannot be sent, or one of its files is gone."""
    if not content.has_all_files:
        raise Refused(FILE_GONE)
    company, secret = thread.company_id, token_secrets()[0]
    first, *others = draft.to
    copies = dict.fromkeys((*others, *draft.cc))
    token = reply_tokens.address(mailbox.address, company, thread.conversation_id, secret)
    try:
        subject = mime.subject_line(draft.subject, subjects.NONE, LONGEST_SUBJECT)
        body = mime.body_of(_sent_text(resources, draft, content), _images(content))
    except mime.ContentUnusable as unusable:
        raise Refused(unusable.reason) from None
    return ses.Mail(
        sender=mailbox.address,
        sender_name=mailbox.display_name or "",
        to=first,
        cc=[one for one in copies if one != first],
        bcc=[one for one in dict.fromkeys(draft.bcc) if one != first and one not in copies],
        reply_to=token if len(token.partition("@")[0]) <= LONGEST_LOCAL_PART else None,
        subject=subject,
        body=body,
        auto_submitted="auto-replied" if draft.is_automatic else None,
        suppress_auto_replies=draft.is_automatic,
        loop_mark=reply_tokens.mark_of(company, thread.conversation_id, secret),
        in_reply_to=content.in_reply_to,
        references=content.references,
        attachments=content.files,
        configuration_set=resources.configuration_set,
        action_id=draft.action_id or "",
        tags={"thread": thread.conversation_id, "reply": draft.reply_id},
    )


def _sent_text(resources: SendingResources, draft: Draft, content: Content) -> str:
    """Return the text that is sent. The stored text of a question has no links: only its recipient may answer."""
    if not draft.asks_satisfaction:
        return content.text
    return satisfaction.with_links(draft, content.text, resources.public_url)


def _signed(draft: Draft, signature: str) -> str:
    """Return the text of a draft with the signature below it, of a forward above the mail."""
    is_forward = draft.kind is DraftKind.FORWARD
    text, mark, mail = (
        draft.body_text.partition(FORWARDED) if is_forward else (draft.body_text, "", "")
    )
    signed = f"{text.rstrip()}\n\n-- \n{signature}"
    return f"{signed}\n\n{mark}{mail}" if mark else signed


def _answered(resources: SendingResources, draft: Draft) -> Mail | None:
    """Return the mail that a draft answers, also after a merge of its thread."""
    if draft.email_id is None:
        return None
    alias = threads.aliases(resources.table, [draft.email_id]).get(draft.email_id)
    if alias is None or alias.n is None:
        return None
    found = threads.mails(resources.table, alias.thread, [alias.n])
    return found[0] if found else None


def _images(content: Content) -> dict[str, str]:
    """Return the Content-IDs of the images that the text shows, by name."""
    return {one.filename: one.content_id for one in content.files if one.content_id is not None}


def _content_id(draft: Draft, file: DraftFile) -> str | None:
    """Return the Content-ID of an inline image, the same at every attempt."""
    if not file.inline:
        return None
    name = hashlib.sha256(file.filename.encode()).hexdigest()[:_CONTENT_ID_CHARACTERS]
    return f"{draft.reply_id}.{name}@{draft.mailbox.rpartition('@')[2]}"[:_LONGEST_CONTENT_ID]


def _file(resources: SendingResources, draft: Draft, file: DraftFile) -> ses.Attachment | None:
    """Return a file, of a type or under a name that SES accepts; None if it is gone, or was replaced since."""
    if not objects.is_attachment(file.s3_key):
        return None
    try:
        content = resources.bucket.get(file.s3_key)
    except ClientError as error:
        if resources.bucket.is_missing(file.s3_key, error):
            return None
        raise
    if file.sha256 is not None and file.sha256 != hashlib.sha256(content).hexdigest():
        return None
    # A mail of a customer may declare anything.
    for kind in (file.content_type, _OCTETS):
        with suppress(ValueError):
            return ses.Attachment(
                filename=file.filename,
                content_type=kind,
                content=content,
                content_id=_content_id(draft, file),
            )
    return ses.Attachment(filename=_UNNAMED, content_type=_OCTETS, content=content)
