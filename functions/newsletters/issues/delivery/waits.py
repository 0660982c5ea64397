"""Until when recipients of an issue are passed over because of their mailbox providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.issues.pace import mailbox_providers
from newsletters.store.items import IssueStats, RecipientState
from newsletters.store.items.recipients import MAILBOX_PROVIDERS, OTHER
from newsletters.store.readers import recipients
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.store.items import Issue, MailboxProvider, Recipient
    from shared.aws.dynamodb import Table
    from shared.aws.tables.rate_limits.limit import Rate


def held(table: Table, company_id: str, found: Sequence[Recipient]) -> dict[str | None, int]:
    """Return the mailbox providers of planned recipients to whom nothing is sent now, and until when."""
    planned = {one.mailbox_provider for one in found if one.state is RecipientState.PLANNED}
    ends = {
        one: mailbox_providers.held_until(table, company_id, one)
        for one in sorted(filter(None, planned))
    }
    return {one: until for one, until in ends.items() if until is not None}


def of_pace(
    table: Table,
    issue: Issue,
    rates: Mapping[MailboxProvider, Rate],
    recipient: Recipient,
    held: dict[str | None, int],
) -> int | None:
    """
    Take a mail from the bucket of the recipient's mailbox provider and return None; or return until when the recipient
    is passed over (ms since 1970), as the provider's others of the batch are then.
    """
    provider = recipients.provider_of(recipient)
    rate = rates.get(provider)
    if rate is None:
        return None
    until = mailbox_providers.take(table, issue.company_id, provider, rate)
    if until is not None:
        held[recipient.mailbox_provider] = until
    return until


def only_held_until(table: Table, issue: Issue, held: Mapping[str | None, int]) -> int | None:
    """
    Return until when all that is left of the issue waits for mailbox providers (ms since 1970); None if it does not.
    The next turn then goes on at this place, and does not read again what has its mail.
    """
    counts = recipients.stats(table, issue.issue_id)
    waiting = {
        one: count
        for one in MAILBOX_PROVIDERS
        if (count := getattr(counts, IssueStats.counted(one, "waiting")))
    }
    ends = {one or OTHER: until for one, until in held.items()}
    if not waiting or not waiting.keys() <= ends.keys():
        return None
    until = min(ends[one] for one in waiting)
    return until if until > clock.now_ms() else None
