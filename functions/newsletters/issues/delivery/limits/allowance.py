"""
What a turn of an issue may use of the mail provider: the account's rate, divided among the companies that send issues
now, and the company's tenant.

Issues may use 80 % of the account's mails a second and of 24 hours; the rest is for answers, confirmations and other
mails. A company is among those that send for a minute after each turn begins. One that begins is counted by the others
at their next turn, within 20 seconds; until then SES may throttle, and a throttled mail is sent again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final

from newsletters.issues.delivery import provider
from newsletters.issues.pace import mailbox_providers
from newsletters.store import companies
from newsletters.store.delivery import senders
from shared.aws.tables.rate_limits.limit import Rate
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import MailboxProvider
    from shared.providers.email.identities import Account

PART: Final = 0.8
FASTEST: Final = 10.0  # mails of a company a second
SENDS_MS: Final = 60 * clock.SECOND_MS  # for which a company is counted from the begin of a turn
DAY_SPENT_MS: Final = 15 * 60 * clock.SECOND_MS
PAUSED, TENANT_PAUSED = "account_paused", "tenant_paused"
DAY_SPENT, UNREADABLE = "daily_quota", "account_unreadable"


@dataclass(frozen=True, slots=True)
class Stop:
    """
    The batch ends early. *pauses*: a person has to act; otherwise the issue goes on at *until_ms* (since 1970), later,
    or at once.
    """

    reason: str
    pauses: bool = False
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """
    The rate of the company's mails and of those to the mailbox providers that it bounds, and the tenant of SES as which
    they are sent; None: the account's own.
    """

    rate: Rate
    tenant: str | None = None
    to_providers: Mapping[MailboxProvider, Rate] = field(default_factory=dict)


def of_turn(resources: SendingResources, company_id: str) -> Allowance | Stop:
    """Return what a turn may use, or why nothing is sent now. A read and a write, and calls of SES."""
    try:
        settings = companies.get_settings(resources.store.table, company_id)
        account = resources.account.now()
        tenant = provider.tenant_by(settings, company_id)
        is_paused = tenant is not None and resources.tenants().is_paused(tenant)
    except Transient:
        return Stop(UNREADABLE)
    if not account.may_send:
        return Stop(PAUSED, pauses=True)
    if is_paused:
        return Stop(TENANT_PAUSED, pauses=True)
    if _is_spent(account):
        return Stop(DAY_SPENT, until_ms=clock.now_ms() + DAY_SPENT_MS)
    until_ms = clock.now_ms() + SENDS_MS
    sharing = senders.note(resources.store.table, company_id, until_ms)
    rate = share_of(account.a_second, sharing)
    return Allowance(rate, tenant, mailbox_providers.rates(settings))


def share_of(a_second: float, companies: int) -> Rate:
    """Return the rate of each of so many companies, of an account that sends so many mails *a_second*."""
    every_ms = max(clock.SECOND_MS / FASTEST, clock.SECOND_MS * companies / (PART * a_second))
    return Rate(every_ms=ceil(every_ms), burst=max(1, int(clock.SECOND_MS / every_ms)))


def _is_spent(account: Account) -> bool:
    if account.most_today is None or account.left_today is None:
        return False
    return account.most_today - account.left_today >= PART * account.most_today
