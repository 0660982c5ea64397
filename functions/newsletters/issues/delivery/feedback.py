"""
Applies the provider's events about the mails of an issue, in any order, each once.

    Delivery            evidence: the mail was sent
    DeliveryDelay       evidence; the company's mails to this mailbox provider wait
    Click               evidence; within seconds of the delivery a program has made it
    Bounce              evidence, too; a permanent one, or five temporary ones without a delivery between them: the
                        address is not written to any more
    Complaint           the reader has opted out, on all channels
    Reject              evidence: the mail was not sent

Of the mail of a sign-up only what it says about the address counts, and nothing of the mail of a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.issues.delivery import ends, trials
from newsletters.issues.delivery.limits import health
from newsletters.issues.delivery.signups import signup_mail
from newsletters.issues.pace import days, mailbox_providers
from newsletters.issues.pace.warm_up import domain_of
from newsletters.store import issues
from newsletters.store.delivery import warm_ups
from newsletters.store.items import IssueState, RecipientState
from newsletters.store.readers import bounces, interest, recipients
from newsletters.store.readers.recipients import MailEvent
from shared.policy.consent import unreachable
from shared.policy.consent.items import ALL_CHANNELS, Source, State, Statement
from shared.policy.consent.subscriptions import EMAIL
from shared.policy.consent.unreachable import Unreachable
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import Issue, Recipient
    from newsletters.store.items.recipients import Count
    from shared.aws.dynamodb import Attributes, Table
    from shared.events.issue_feedback import IssueFeedback

SOFT_BOUNCES: Final = "soft_bounces"
_PERMANENT, _TRANSIENT = "Permanent", "Transient"
_NOT_SPAM, _SUPPRESSED = "not-spam", "OnAccountSuppressionList"
_COUNTS: Final[dict[str, Count]] = {
    "Delivery": "delivered",
    "DeliveryDelay": "delayed",
    "Bounce": "bounced",
    "Complaint": "complained",
}
_NOT_SENT: Final = frozenset({"Reject", "Rendering Failure"})
_AUTOMATED_MS: Final = 10 * clock.SECOND_MS
ROUNDS: Final = 4


def apply(resources: SendingResources, event: IssueFeedback) -> bool:
    """
    Apply an event; False if it changes nothing. Raises Permanent (`unknown_reference`), and Transient after lost races.

    What it says about the address is written first: a worker that dies then repeats it, and it counts at once.
    """
    table = resources.store.table
    company = signup_mail.company_of(event.issue_id)
    if company is not None:
        _apply_to_address(resources, company, event.recipient, event)
        return True
    of_test = trials.note_event(table, event)
    if of_test is not None:
        return of_test
    issue = issues.get(table, event.issue_id)
    for _ in range(ROUNDS):
        if issue is None:
            raise Permanent("unknown_reference")
        recipient = recipients.get(table, event.issue_id, event.recipient)
        if recipient is None or recipient.address_hash is None:
            return False  # The ledger is kept for a time.
        _apply_to_address(resources, issue.company_id, recipient.address_hash, event)
        if recipient.clicked_at is None and _count_of(event, recipient) == "clicked":
            interest.note(table, issue.company_id, recipient.address_hash, event.at)
        is_changed = _count(resources, issue, recipient, event)
        if is_changed is not None:
            if is_changed and event.event in {"Bounce", "Complaint"}:
                _pause_if_needed(resources, issue)
            if is_changed and event.event == "DeliveryDelay" and recipient.mailbox_provider:
                mailbox_providers.hold(table, issue.company_id, recipient.mailbox_provider)
            return is_changed
    raise Transient("recipient_contended")


def _count(
    resources: SendingResources, issue: Issue, recipient: Recipient, event: IssueFeedback
) -> bool | None:
    """Note an event in the ledger; False if it is known, None if the recipient has changed meanwhile."""
    count = _count_of(event, recipient)
    evidence = RecipientState.FAILED if event.event in _NOT_SENT else RecipientState.SENT
    is_known = count is None or getattr(recipient, f"{count}_at") is not None
    if is_known and not recipient.is_in_doubt:
        return False
    table = resources.store.table
    noted = MailEvent(
        at=event.at,
        count=count,
        evidence=evidence,
        ses_id=event.ses_id,
        beside=_counted_by_day(table, issue, count),
    )
    return recipients.note_event(table, issue.issue_id, recipient, noted) or None


def _counted_by_day(table: Table, issue: Issue, count: Count | None) -> Attributes | None:
    """Return the write that counts an event of a new domain's mail; None if no limit of a day follows from it."""
    if count is None or count not in warm_ups.EVENTS:
        return None
    found = warm_ups.get(table, issue.company_id, domain_of(issue.sender))
    if days.is_warm(found, days.day_of(found)):
        return None
    return warm_ups.to_count(table, found, count)


def _count_of(event: IssueFeedback, recipient: Recipient) -> Count | None:
    """Return as what an event counts, None for one that counts nowhere."""
    if _is_no_bounce(event) or not _is_meant(event):
        return None
    if event.event != "Click":
        return _COUNTS.get(event.event)
    arrived = recipient.delivered_at or recipient.sent_at
    is_early = arrived is not None and (
        clock.from_text(event.at) - clock.from_text(arrived) < _AUTOMATED_MS
    )
    return "likely_automated" if is_early else "clicked"


def _apply_to_address(
    resources: SendingResources, company: str, of_address: str, event: IssueFeedback
) -> None:
    """Record that an address is not reached, or that its owner opted out. Idempotent."""
    evidence = f"{event.issue_id}/{event.ses_id}"
    table = resources.store.table
    if event.event == "Delivery":
        bounces.forget(table, company, of_address, event.at)
    elif event.event == "Bounce":
        reason = _end_of_address(table, company, of_address, event)
        if reason is None:
            return
        found = Unreachable(
            reason=reason,
            at=event.at,
            evidence=evidence,
            ttl=Unreachable.time_to_live(),
        )
        unreachable.note_hash(resources.people.consents.table, company, of_address, EMAIL, found)
    elif event.event == "Complaint" and _is_meant(event):
        statement = Statement(
            source=Source.COMPLAINT,
            at_ms=clock.from_text(event.at),
            evidence=evidence,
            channel=EMAIL,
        )
        resources.people.consents.record_of_hash(
            company, of_address, ALL_CHANNELS, State.OPTED_OUT, statement
        )


def _end_of_address(
    table: Table, company: str, of_address: str, event: IssueFeedback
) -> str | None:
    """Return why a bounce says that mail does not reach an address, None if it may be temporary."""
    kind = event.detail.get("bounceType")
    if kind == _PERMANENT:
        return event.detail.get("bounceSubType", "bounce")
    if kind != _TRANSIENT:
        return None
    in_a_row = bounces.note(table, company, of_address, event.ses_id, event.at)
    return SOFT_BOUNCES if in_a_row >= bounces.MOST else None


def _is_meant(event: IssueFeedback) -> bool:
    return event.detail.get("complaintFeedbackType") != _NOT_SPAM


def _is_no_bounce(event: IssueFeedback) -> bool:
    """Whether the provider refused an address by its own list, which says nothing of this mailing."""
    return event.detail.get("bounceSubType") == _SUPPRESSED


def _pause_if_needed(resources: SendingResources, issue: Issue) -> None:
    table = resources.store.table
    present = issues.get(table, issue.issue_id)
    if present is None or present.state is not IssueState.SENDING:
        return
    reason = health.objection(recipients.stats(table, issue.issue_id))
    if reason is not None:
        ends.pause(resources, present, reason)
