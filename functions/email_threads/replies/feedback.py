"""
Applies SES's events about sent mails.

    of the AI conversations (tag `ref`)   queued for them as a delivery status
    of a draft in doubt                   evidence: the draft is sent, or has failed
    permanent bounce                      the address is not written to any more
    complaint                             the recipient has opted out, on all channels
    bounce, reject                        the thread is active again, for people

The mail's delivery moves forward only: sent, delayed, delivered, rejected, bounced, complained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.inbound.events import entry
from email_threads.replies import merged_drafts
from email_threads.replies.draft_state import send_event
from email_threads.store import changes, drafts, threads
from email_threads.store.changes import Change
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Delivery, DraftStatus, Status
from email_threads.store.items.parked import ParkReason
from email_threads.threading import ids
from email_threads.threading.head.heads import touched, with_status
from shared.aws.sqs_fifo import digest
from shared.events.exchange import DeliveryStatus, status_entry
from shared.identity.addresses import AddressInvalid, email_address
from shared.policy.consent import unreachable
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.unreachable import Unreachable
from shared.providers.email.ses import message_ids
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from email_threads.configuration.resources import SendingResources
    from email_threads.inbound.events import EmailFeedback
    from email_threads.store.items import Alias, Mailbox, Thread

ACTOR: Final = "ses"
CHANNEL: Final = "email"
REF: Final = "ref"  # the tag of mails of the AI conversations
_DELIVERIES: Final = {
    "Send": Delivery.SENT,
    "DeliveryDelay": Delivery.DELAYED,
    "Delivery": Delivery.DELIVERED,
    "Reject": Delivery.REJECTED,
    "Rendering Failure": Delivery.REJECTED,
    "Bounce": Delivery.BOUNCED,
    "Complaint": Delivery.COMPLAINED,
}
_NOT_SENT: Final = frozenset({Delivery.REJECTED})
_REOPENING: Final = frozenset({Delivery.REJECTED, Delivery.BOUNCED})
_PERMANENT, _NOT_SPAM = "Permanent", "not-spam"
# Shorter than the 13 minutes between the first and the last receive of the queue: an event that is still without its
# mail then is parked, and does not become a dead letter.
_EARLY_MS: Final = 10 * 60 * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class _Sent:
    """A sent mail that an event is about: the company, and its alias once the mail is in its thread."""

    company_id: str
    mailbox: Mailbox
    alias: Alias | None


def apply(resources: SendingResources, event: EmailFeedback) -> bool:
    """
    Apply an event. Idempotent. False if it changes nothing here.

    Raises Permanent (`unknown_reference`) for a mail that is not ours or an unknown kind of event, and Transient for an
    event that is faster than our own writes.
    """
    delivery = _DELIVERIES.get(event.event)
    if delivery is None:
        raise Permanent(ParkReason.UNKNOWN_REFERENCE)
    if REF in event.tags:
        resources.conversations_statuses.send([status_entry(_status(event))])
    sent = _sent(resources, event)
    if sent is None:
        if REF in event.tags:
            return True  # The sender of this conversation is no mailbox.
        raise Permanent(ParkReason.UNKNOWN_REFERENCE)
    if REF not in event.tags:
        _apply_to_recipients(resources, sent.company_id, event, delivery)
        _settle(resources, sent, event, delivery)
    if sent.alias is None:
        return _wait_for_mail(event, delivery)
    return _mark(resources, sent.alias, event, delivery)


def _sent(resources: SendingResources, event: EmailFeedback) -> _Sent | None:
    try:
        source = email_address(event.source)
    except AddressInvalid:
        return None
    mailbox = mailboxes.get(resources.table, source)
    if mailbox is None:
        return None
    forms = message_ids(event.ses_id, resources.region)
    named = [ids.email_id(mailbox.company_id, one) for one in forms]
    known = threads.aliases(resources.table, named)
    alias = next((known[one] for one in named if one in known and known[one].n), None)
    return _Sent(mailbox.company_id, mailbox, alias)


def _status(event: EmailFeedback) -> DeliveryStatus:
    return DeliveryStatus(
        provider="ses",
        provider_message_id=event.ses_id,
        account=event.source,
        channel_method="email",
        business_address=event.source or None,
        action_id=event.tags.get("action"),
        status=event.event,
        occurred_at=event.at,
        extra=event.detail,
    )


def _apply_to_recipients(
    resources: SendingResources, company_id: str, event: EmailFeedback, delivery: Delivery
) -> None:
    """Record that an address is not reached, or that its owner opted out. Idempotent."""
    evidence = event.tags.get("action") or event.ses_id
    is_hard = delivery is Delivery.BOUNCED and event.detail.get("bounceType") == _PERMANENT
    is_meant = event.detail.get("complaintFeedbackType") != _NOT_SPAM
    for address in event.recipients:
        if is_hard:
            record = Unreachable(
                reason=str(event.detail.get("bounceSubType", "bounce")),
                at=event.at,
                evidence=evidence,
                ttl=Unreachable.time_to_live(),
            )
            unreachable.note(resources.consents.table, company_id, address, CHANNEL, record)
        elif delivery is Delivery.COMPLAINED and is_meant:
            statement = Statement(
                source=Source.COMPLAINT,
                at_ms=clock.from_text(event.at),
                evidence=evidence,
                channel=CHANNEL,
            )
            resources.consents.record_opt_out(company_id, [address], statement)


def _settle(
    resources: SendingResources, sent: _Sent, event: EmailFeedback, delivery: Delivery
) -> None:
    """Use an event as evidence about a draft whose send has no outcome yet."""
    thread_id, reply_id = event.tags.get("thread"), event.tags.get("reply")
    if not thread_id or not reply_id:
        return
    draft = merged_drafts.find(resources.table, thread_id, reply_id)
    if draft is None or draft.company_id != sent.company_id:
        return
    if draft.draft_status not in {DraftStatus.SENDING, DraftStatus.UNKNOWN}:
        return
    if draft.action_id is None or draft.action_id != event.tags.get("action"):
        return  # An event of an earlier attempt.
    drafts.note_ses_id(resources.table, draft, event.ses_id)
    action = resources.ledger.confirm(
        draft.action_id,
        failed=delivery in _NOT_SENT,
        message_pk=draft.conversation_id,
        company=draft.company_id,
    )
    # A draft that is being sent has a worker, or an event that comes again.
    if draft.draft_status is DraftStatus.UNKNOWN and action is not None:
        resources.queue.send([entry(send_event(draft, cause=f"{event.event} {event.ses_id}"))])


def _wait_for_mail(event: EmailFeedback, delivery: Delivery) -> bool:
    """Raise Transient while the mail of an event is not in its thread yet; `Send` says nothing more than that mail."""
    if delivery is Delivery.SENT:
        return True
    if clock.now_ms() < clock.from_text(event.at) + _EARLY_MS:
        raise Transient("mail_not_appended")
    raise Permanent(ParkReason.UNKNOWN_REFERENCE)


def _mark(
    resources: SendingResources, alias: Alias, event: EmailFeedback, delivery: Delivery
) -> bool:
    """
    Make the mail's thread active if it did not arrive, then move its delivery forward.

    In this order a repeated event does not reopen what people have closed meanwhile, and one that was cut off does.
    """
    if delivery in _REOPENING and not _is_known_to_have_failed(resources, alias):
        _reopen(resources, alias, event, delivery)
    return threads.mark_delivery(resources.table, alias, delivery)


def _is_known_to_have_failed(resources: SendingResources, alias: Alias) -> bool:
    found = threads.mails(resources.table, alias.thread, [alias.n]) if alias.n else []
    return any(mail.delivery in _REOPENING for mail in found)


def _reopen(
    resources: SendingResources, alias: Alias, event: EmailFeedback, delivery: Delivery
) -> None:
    """Make a thread active with an audit entry. Raises Transient after a lost race."""
    thread: Thread | None = threads.get(resources.table, alias.thread)
    cause = digest(ACTOR, event.ses_id, delivery.value)[:20]
    if thread is None or thread.merged_into is not None or thread.last_cause == cause:
        return
    active = (
        {"closes_at": None}
        if thread.status is Status.ACTIVE
        else with_status(thread, Status.ACTIVE, mailboxes.hours_of(resources.table, thread))
    )
    made = Change(
        fields=active | touched(thread),
        at=clock.to_text(clock.now_ms()),
        actor=ACTOR,
        action=delivery.value,
        detail=f"mail {alias.n}",
        cause=cause,
    )
    if changes.change(resources.table, thread, made) is None:
        raise Transient("thread_contended")
