"""
The send policy for mails from threads: kill switches, consent of every recipient, addresses that e-mail does not reach.

A mail that a person wrote to a single address needs no recorded consent; an opt-out or a permanent bounce stops it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from email_threads.configuration.resources import owns
from email_threads.replies import satisfaction
from email_threads.store.items import Automation
from email_threads.store.items.replies.draft import NO_MAIL
from shared.policy.consent import unreachable
from shared.policy.decision import decide
from shared.policy.facts import Author, Facts, Kind, Switches
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import SendingResources
    from email_threads.store.items import Draft, Mailbox, Thread

CHANNEL: Final = "email"
NO_MAILBOX: Final = "mailbox_disabled"
NOT_CLAIMED: Final = "domain_not_claimed"  # the company does not own the mailbox's domain
_UTC: Final = ZoneInfo("UTC")  # E-mail has no quiet hours.


def refusal(
    resources: SendingResources, thread: Thread, draft: Draft, mailbox: Mailbox | None
) -> str | None:
    """Return the reason why a draft may not be sent now, None if it may."""
    if mailbox is None or not mailbox.enabled or mailbox.company_id != draft.company_id:
        return NO_MAILBOX
    if not owns(resources, mailbox):
        return NOT_CLAIMED
    if draft.is_automatic:
        reason = (
            satisfaction.refusal(thread, mailbox)
            if draft.asks_satisfaction
            else automatic_refusal(thread)
        )
        if reason is not None:
            return reason
    switches = resources.switches.in_force()
    # An opt-out holds for the answers to its author, wherever they go.
    author = [draft.author] if draft.author is not None else []
    for address in dict.fromkeys((*draft.to, *draft.cc, *draft.bcc, *author)):
        decision = decide(_facts(resources, draft, address, switches))
        if decision.reason is not None:
            return str(decision.reason)
    return None


def automatic_refusal(thread: Thread) -> str | None:
    """Return the present reason why a thread gets no answer without a person: people may have changed it since."""
    reasons = {
        "no_consent": thread.gdpr_consent is False,
        "other_automation": thread.automation is not Automation.EMAIL_THREADS,
        "answered": thread.waiting_since is None,
    }
    return next((name for name, stands in reasons.items() if stands), None)


def _facts(resources: SendingResources, draft: Draft, address: str, switches: Switches) -> Facts:
    company, now = draft.company_id, clock.now_ms()
    standing = resources.consents.standing(company, [address], CHANNEL)
    record = unreachable.of_address(resources.consents.table, company, address, CHANNEL)
    is_answer = draft.in_reply_to_n != NO_MAIL
    return Facts(
        kind=Kind.ANSWER if is_answer else Kind.FIRST,
        author=Author.AI if draft.is_automatic else Author.PERSON,
        channel=CHANNEL,
        now=now,
        requested_at=0,  # Nothing waits for the end of safe mode: a person approves it again.
        switches=Switches(
            safe_mode=switches.safe_mode,
            automation=switches.automation,
            project_is_active=True,
            channel_is_allowed=True,
            begins_conversations=True,
        ),
        is_opted_out=standing.is_opted_out,
        has_consent=not draft.is_automatic or standing.is_opted_in,
        is_unreachable=record is not None,
        last_inbound_at=now if is_answer else None,
        quiet_hours=None,
        project_zone=_UTC,
    )
