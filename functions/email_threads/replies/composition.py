"""Composes drafts for people: answers, forwards, and mails that begin a thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from email_threads.replies import recipients
from email_threads.store.items import Draft, DraftFile, DraftKind, DraftStatus, Status, Thread
from email_threads.store.items.replies.draft import NO_MAIL
from email_threads.store.items.threads.thread import Direction
from email_threads.threading import ids
from email_threads.threading.evidence import subjects
from email_threads.threading.head.heads import retention_policy
from shared.identity.contacts.claims import Proof
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Mail, Mailbox

FORWARDED: Final = "---------- Forwarded message ----------"
LONGEST_BODY: Final = 50_000  # characters
LONGEST_SUBJECT: Final = 300
_CUT: Final = "\n[...]"
_ID_CHARACTERS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The content that a person wrote. Empty *to* and *subject*: as in an answer to the mail."""

    kind: DraftKind
    by: str
    cause: str
    body_text: str = field(repr=False)
    to: list[str] = field(default_factory=list, repr=False)
    cc: list[str] = field(default_factory=list, repr=False)
    bcc: list[str] = field(default_factory=list, repr=False)
    subject: str | None = field(default=None, repr=False)
    files: list[DraftFile] = field(default_factory=list)


def reply_id_of(cause: str) -> str:
    """Return the id of a draft that an API call composes: the same for every retry of the call."""
    return cause[:_ID_CHARACTERS]


def draft_of(thread: Thread, mail: Mail | None, composed: Composed) -> Draft:
    """Return a draft of a thread; *mail* is the one that it answers or forwards, with its whole body."""
    reply_id = reply_id_of(composed.cause)
    return Draft(
        conversation_id=Draft.key(thread.conversation_id, reply_id)["conversation_id"],
        reply_id=reply_id,
        company_id=thread.company_id,
        mailbox=thread.mailbox,
        updated_at=clock.to_text(clock.now_ms()),
        draft_status=DraftStatus.PENDING,
        kind=composed.kind,
        origin=composed.by,
        in_reply_to_n=mail.n if mail is not None else NO_MAIL,
        composed_n=thread.email_count,
        email_id=mail.email_id if mail is not None else None,
        author=recipients.author_behind(mail) if mail is not None else None,
        to=composed.to or _recipients(mail),
        cc=composed.cc,
        bcc=composed.bcc,
        subject=composed.subject or _subject(thread, mail, composed.kind),
        body_text=_text(mail, composed),
        attachments=composed.files,
        ttl=Draft.lifetime(),
    )


def thread_of(mailbox: Mailbox, composed: Composed) -> Thread:
    """
    Return the thread, still without mails, that an outgoing mail begins.

    Its id derives from the Message-ID that Parley gives the mail. SES replaces it; SES's ids lead to the thread, too.
    """
    message_id = f"{reply_id_of(composed.cause)}@{mailbox.address.rpartition('@')[2]}"
    now = clock.to_text(clock.now_ms())
    return Thread(
        conversation_id=ids.conversation_id(mailbox.company_id, message_id),
        company_id=mailbox.company_id,
        mailbox=mailbox.address,
        created_at=now,
        updated_at=now,
        last_updated_at=now,
        last_seq=0,
        status=Status.ACTIVE,
        company_status=Thread.list_of(mailbox.company_id, Status.ACTIVE),
        original_message_id=f"<{message_id}>",
        subject=subjects.cleaned(composed.subject or ""),
        participant=composed.to[0],
        participant_proof=Proof.COMPANY,
        participants={mailbox.address},
        automation=mailbox.automation,
        **retention_policy(mailbox.retention_days),
    )


def reply_subject(subject: str) -> str:
    """Return the subject of an answer: one `Re:`, in place of any other reply prefix."""
    plain = subject.strip() or subjects.NONE
    return (plain if subjects.is_reply(plain) else f"Re: {plain}")[:LONGEST_SUBJECT]


def _subject(thread: Thread, mail: Mail | None, kind: DraftKind) -> str:
    subject = mail.subject if mail is not None else thread.subject
    if kind is DraftKind.FORWARD:
        return f"Fwd: {subjects.cleaned(subject)}"[:LONGEST_SUBJECT]
    return reply_subject(subject)


def _recipients(mail: Mail | None) -> list[str]:
    """Return the recipients of an answer: the sender of a received mail, the recipients of a sent one."""
    if mail is not None and mail.direction is Direction.OUTBOUND:
        return mail.to
    address = recipients.answer_address(mail) if mail is not None else None
    return [address] if address is not None else []


def _text(mail: Mail | None, composed: Composed) -> str:
    """Return the text; of a forward with the mail below it, as far as there is room."""
    if composed.kind is not DraftKind.FORWARD or mail is None:
        return composed.body_text
    lines = [
        FORWARDED,
        f"From: {mail.sender or '-'}",
        f"Date: {mail.timestamp}",
        f"Subject: {mail.subject}",
        f"To: {', '.join(mail.to) or '-'}",
        "",
        mail.body,
    ]
    text = "\n".join([composed.body_text.rstrip(), "", *lines]).lstrip("\n")
    return text if len(text) <= LONGEST_BODY else text[: LONGEST_BODY - len(_CUT)] + _CUT
