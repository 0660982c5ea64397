"""
The mails of a test of an issue: one wire attempt each, without the ledger and the counters of its recipients. Events of
the provider are noted at the mail alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.issues import content, links
from newsletters.issues.delivery import provider
from newsletters.issues.links import TEST, Link
from newsletters.store import issues
from newsletters.store.items import RecipientState, TestMail
from newsletters.store.readers import trial_mails
from shared.aws.stored_objects import ObjectUnusable, record
from shared.events.issue_feedback import ISSUE, RECIPIENT
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import Run, SendingResources
    from newsletters.inbound.events import IssueTestRequested
    from newsletters.issues.content import Sealed
    from newsletters.store.items import Issue
    from newsletters.store.items.recipients import TestOutcome
    from shared.aws.dynamodb import Table
    from shared.events.issue_feedback import IssueFeedback
    from shared.providers.email.ses import Mail

WIRE_MS: Final = 60 * clock.SECOND_MS
SAFE_MODE, CONTENT_LOST, NOT_OWNED, NOT_TAKEN = (
    "safe_mode",
    "content_lost",
    "sender_not_owned",
    "not_taken",
)
_OUTCOMES: Final[dict[str, TestOutcome]] = {
    "DeliveryDelay": "delayed",
    "Delivery": "delivered",
    "Bounce": "bounced",
    "Complaint": "complained",
    "Reject": "rejected",
    "Rendering Failure": "rejected",
}
VARIANT_REMOVED: Final = "variant_removed"


def work(resources: SendingResources, event: IssueTestRequested, run: Run) -> bool:
    """Send the mails of a test that are not sent yet; False if there are none. Raises Transient."""
    table = resources.store.table
    issue = issues.get(table, event.issue_id)
    open_states = {RecipientState.PLANNED, RecipientState.SENDING}
    mails = trial_mails.of_test(table, event.issue_id, event.test_id)
    waiting = [one for one in mails if one.state in open_states]
    if issue is None or not waiting:
        return False
    reason, sealed = _objection(resources, issue), None
    if reason is None:
        try:
            sealed = content.read_sealed(resources.store, issue.issue_id, waiting[0].sealed)
        except ObjectUnusable as fault:
            record(fault, "sealed")
            reason = CONTENT_LOST
    for mail in waiting:
        if mail.state is RecipientState.SENDING:
            _give_up(resources, mail)
        elif sealed is None or mail.variant not in issue.subjects:
            trial_mails.settle(table, mail, RecipientState.SKIPPED, reason or VARIANT_REMOVED)
        elif trial_mails.reserve(table, mail, run.owner, clock.now_ms() + WIRE_MS):
            _attempt(resources, issue, sealed, mail)
    return True


def _objection(resources: SendingResources, issue: Issue) -> str | None:
    if resources.switches.in_force().safe_mode:
        return SAFE_MODE
    owner = resources.owners.owner_of_email(issue.sender)
    return NOT_OWNED if owner != issue.company_id else None


def _give_up(resources: SendingResources, mail: TestMail) -> None:
    """End an attempt whose worker has died. Raises Transient while it may be alive."""
    if (mail.deadline_ms or 0) > clock.now_ms():
        raise Transient("test_is_sent", WIRE_MS)
    trial_mails.settle(resources.store.table, mail, RecipientState.UNKNOWN)


def _attempt(resources: SendingResources, issue: Issue, sealed: Sealed, mail: TestMail) -> None:
    state, reason = RecipientState.SENT, None
    try:
        tenant = provider.tenant_for(resources, issue.company_id)
        provider.send(resources, _mail(resources, issue, sealed, mail), tenant)
    except Refused as refusal:
        state, reason = RecipientState.FAILED, refusal.code
    except NotSent:
        state, reason = RecipientState.FAILED, NOT_TAKEN
    except InDoubt:
        state = RecipientState.UNKNOWN
    trial_mails.settle(resources.store.table, mail, state, reason)


def _mail(resources: SendingResources, issue: Issue, sealed: Sealed, mail: TestMail) -> Mail:
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - few runs send mails

    link = Link(purpose=TEST, company_id=issue.company_id, issue_id=issue.issue_id)
    url = links.url_of(resources.public_url, link)
    return Mail(
        sender=issue.sender,
        sender_name=issue.sender_name,
        to=mail.address,
        reply_to=issue.reply_to,
        subject=content.test_subject(issue, mail.variant),
        body=content.body_for(sealed, dict.fromkeys(content.PLACEHOLDERS, url)),
        auto_submitted=None,
        unsubscribe=[url],
        one_click=True,
        configuration_set=resources.configuration_set or None,
        action_id=f"nl-test-{mail.test_id}-{mail.number}",
        tags={ISSUE: issue.issue_id, RECIPIENT: mail.tag},
    )


def note_event(table: Table, event: IssueFeedback) -> bool | None:
    """
    Note what the provider reports of the mail of a test; None for the mail of a recipient, False if nothing changes.

    It counts nowhere, and says nothing of the address: the colleague sees it beside the test.
    """
    named = TestMail.named_by(event.recipient)
    if named is None:
        return None
    outcome = _OUTCOMES.get(event.event)
    return outcome is not None and trial_mails.note_outcome(table, event.issue_id, *named, outcome)
