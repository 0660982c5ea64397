"""
Appends mails that the AI conversations sent, announced as `OutboundMessage`, to the threads of their mailbox.

Mails from addresses that are no mailbox of their owner are left out. The Message-ID identifies repeated announcements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.configuration.resources import owns
from email_threads.parsing import mail as mails
from email_threads.store.configuration import mailboxes
from email_threads.store.items import AliasKind
from email_threads.store.items.parked import ParkReason
from email_threads.store.items.threads.thread import Direction
from email_threads.threading import tombstones
from email_threads.threading.append import append
from email_threads.threading.incoming_mail import Incoming
from email_threads.worker.reception import request_merge
from shared.events.record_body import MALFORMED
from shared.providers.email.ses import message_ids
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.threading.append import Appended
    from shared.events.exchange import OutboundMessage

_MAIL: Final = "email"


def record(resources: Resources, sent: OutboundMessage) -> Appended | None:
    """
    Append a sent mail to its thread. Idempotent. None if its sender is no mailbox, or its recipient was erased since.

    Raises Permanent (`malformed_event`, `other_company`) and Transient.
    """
    mailbox = mailboxes.get(resources.table, sent.business_address)
    if mailbox is None or not owns(resources, mailbox):
        return None
    if mailbox.company_id != sent.company:
        raise Permanent(ParkReason.OTHER_COMPANY)
    if sent.message_type != _MAIL or sent.customer_address is None:
        raise Permanent(MALFORMED)
    occurred_ms = clock.from_text(sent.occurred_at)
    if tombstones.covers(resources.table, sent.company, [sent.customer_address], occurred_ms):
        return None
    content = sent.content
    ses_id = sent.provider_message_id.partition("@")[0]
    mail = mails.sent(
        message_id=sent.provider_message_id,
        in_reply_to=_ids(content.get("in_reply_to")),
        references=_ids(content.get("references")),
        sender=mailbox.address,
        to=(sent.customer_address,),
        subject=str(content.get("subject") or ""),
        text=str(content.get("text") or ""),
    )
    incoming = Incoming(
        company_id=mailbox.company_id,
        mailbox=mailbox.address,
        mail=mail,
        received_ms=occurred_ms,
        direction=Direction.OUTBOUND,
        automation=mailbox.automation,
        retention_days=mailbox.retention_days,
        other_ids=tuple(
            one for one in message_ids(ses_id, resources.region) if one != mail.message_id
        ),
        alias_kind=AliasKind.SENT,
        close_days=mailbox.auto_close_days,
    )
    appended = append(resources.table, resources.bucket, incoming)
    request_merge(resources, appended)
    return appended


def _ids(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - a value of a queued event
    """Return Message-IDs without brackets."""
    given = value if isinstance(value, list) else [value]
    return tuple(one.strip("<> ") for one in given if isinstance(one, str) and one.strip("<> "))
