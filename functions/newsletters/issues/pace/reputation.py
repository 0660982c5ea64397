"""What large mailbox providers and SES hold against a sender: complaints, and the state of the account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.issues.pace.bounds import COMPLAINTS, FEWEST_COMPLAINTS
from newsletters.store import issues
from newsletters.store.readers import recipients
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.pace.findings import CheckCode
    from newsletters.store.items import Issue
    from shared.aws.dynamodb import Attributes, Table
    from shared.providers.email.identities import Account

NEWEST: Final = 10  # issues by the domain that are counted
PAGE, PAGES = (
    25,
    4,
)  # of the company's issues that are looked at, newest first: drafts are among them
DAYS: Final = 30
_PERCENT: Final = 100


def complaint_rate(table: Table, issue: Issue) -> float | None:
    """
    Return the share of complaints of the company's issues of the last 30 days by the same domain, if large mailbox
    providers would object to it (Google: below 0.1 %, never 0.3 %); else None.

    Of the newest 100 issues of the company those that the domain has sent count, the newest ten: at most 360 items are
    read.
    """
    since = clock.to_text(clock.now_ms() - DAYS * clock.DAY_SECONDS * clock.SECOND_MS)
    domain = issue.sender.rpartition("@")[2]
    mailed: list[Issue] = []
    start: Attributes | None = None
    for _ in range(PAGES):
        found, start = issues.of_company(table, issue.company_id, limit=PAGE, start=start)
        mailed += [
            one
            for one in found
            if (one.started_at or "") >= since and one.sender.rpartition("@")[2] == domain
        ]
        if start is None or len(mailed) >= NEWEST:
            break
    mailed = mailed[:NEWEST]
    counts = [recipients.stats(table, one.issue_id) for one in mailed]
    complained = sum(one.complained for one in counts)
    delivered = sum(one.delivered for one in counts)
    rate = complained / delivered if delivered else 0.0
    return rate if complained >= FEWEST_COMPLAINTS and rate >= COMPLAINTS else None


def shown_rate(rate: float) -> str:
    """Return a rate in percent, without the sign."""
    return f"{_PERCENT * rate:.2f}"


def complaints_problem(shown: str) -> str:
    """Return a sentence about a rate of complaints, in percent."""
    share = f"{shown} % of the mails of {DAYS} days"
    return f"readers complained about {share}; Gmail asks for less than 0.1 %, and filters from 0.3 % on"


def account_problems(account: Account) -> dict[CheckCode, str]:
    """Return sentences about an account that sends, by code."""
    found: dict[CheckCode, str | bool] = {
        "sandbox": account.is_sandbox
        and "the account is in the sandbox of SES: only verified addresses get mails",
        "account_under_review": account.is_under_review
        and "SES reviews the account, and may pause it",
        "daily_quota": account.left_today == 0
        and "the account has sent its mails of 24 hours: the issue waits",
    }
    return {code: problem for code, problem in found.items() if isinstance(problem, str)}
