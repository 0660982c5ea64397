"""
Forwards a mail to the AI conversations that answer its mailbox, after it was stored.

Quotes and signatures are left out: a quoted "talk to a human" is no wish, and "STOP" above a quote is an opt-out. Runs
on every delivery of a mail, including repeats; the conversations deduplicate by its id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.store import threads
from email_threads.store.items.threads.thread import Direction
from shared.aws.stored_objects import mail_files_of
from shared.events.exchange import File, InboundMessage, bounded_extra, inbound_entry

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.store.items import Mail
    from email_threads.threading.append import Appended
    from email_threads.threading.incoming_mail import Incoming
    from shared.aws.s3 import Bucket

_MOST_REFERENCES = 10


def forward(resources: Resources, incoming: Incoming, appended: Appended) -> None:
    """
    Queue a stored mail of a person for the AI conversations.

    Other mail, as bounces and lists, stays here, and so does a mail with weak evidence until a person admits it.
    """
    found = threads.mails(resources.table, appended.conversation_id, [appended.n])
    if (
        not found
    ):  # Expired, or moved to another thread by a merge, whose first delivery has forwarded it.
        return
    stored = found[0]
    if not stored.counts:
        return
    customer = _customer(incoming)
    if customer is None:  # a sent mail without a readable recipient
        return
    message = _message(incoming, stored, customer, _copies(resources.media, incoming, stored))
    resources.conversations_inbound.send([inbound_entry(message)])


def _customer(incoming: Incoming) -> str | None:
    mail = incoming.mail
    if incoming.direction is Direction.INBOUND:
        return mail.sender
    return next((one for one in (*mail.to, *mail.cc) if one != incoming.mailbox), None)


def _copies(media: Bucket, incoming: Incoming, stored: Mail) -> list[File]:
    """Copy the files of a mail to the bucket of the conversations, which erase them with theirs. Idempotent."""
    files: list[File] = []
    for entry, file in zip(stored.attachments, incoming.mail.attachments, strict=True):
        if entry.s3_key is None or entry.blocked or entry.inline:
            continue
        folder = mail_files_of(media, incoming.company_id)
        key = f"{folder.prefix}{stored.email_id}/{entry.filename}"
        media.put(key, file.content, entry.content_type)
        files.append(
            File(url=f"s3://{media.name}/{key}", mime_type=entry.content_type, name=entry.filename)
        )
    return files


def _message(incoming: Incoming, stored: Mail, customer: str, files: list[File]) -> InboundMessage:
    mail = incoming.mail
    is_ours = incoming.direction is Direction.OUTBOUND
    text = mail.new_text or None
    return InboundMessage(
        type="human_reply" if is_ours else "inbound_message",
        provider="ses",
        provider_message_id=stored.email_id,
        account=incoming.mailbox,
        company=incoming.company_id,
        channel_method="email",
        business_address=incoming.mailbox,
        customer_address=customer,
        profile_name=mail.sender_name or None,
        received_at=stored.received_at,
        kind="text" if text or not files else "media",
        text=text,
        media=files,
        reply_to=_replied_to(stored),
        extra=bounded_extra(_extra(stored)),
    )


def _replied_to(stored: Mail) -> str | None:
    """Return the id of the mail that this one answers; of an id that SES gave, the part that its events name."""
    if stored.in_reply_to is None:
        return None
    local, _, host = stored.in_reply_to.rpartition("@")
    return local if host.endswith("amazonses.com") else stored.in_reply_to


def _extra(stored: Mail) -> dict[str, Any]:
    return {
        "cid": stored.thread,
        "n": stored.n,
        "subject": stored.subject,
        "message_id": stored.message_id,
        "references": stored.references[-_MOST_REFERENCES:],
        "trust": stored.trust.value,
        "auto_answer_allowed": stored.automatic_refusal is None,
        **({"admitted": True} if stored.admitted_by is not None else {}),
    }
