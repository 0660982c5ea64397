"""
Mailbox providers that limit what all mails of a sender to them may be, by the domains of their addresses, and the pace
at which a company writes to each: a token bucket with the mails of five minutes, the interval of the schedule.
"""

from collections.abc import Mapping
from math import ceil
from typing import Final

from newsletters.store.items import CompanySettings, MailboxPaces, SendPace
from newsletters.store.items.recipients import MailboxProvider
from shared.aws.dynamodb import Table
from shared.aws.tables.rate_limits.gcra import Pace
from shared.aws.tables.rate_limits.limit import Rate
from shared.runtime import clock

HOLD_MS: Final = 5 * 60 * clock.SECOND_MS
_RATE: Final = Rate(every_ms=1, burst=1)
_LONGEST_ENDING: Final = 3  # of com, de, co.uk, com.br
_DOMAINS: Final[dict[MailboxProvider, tuple[str, ...]]] = {
    "google": ("gmail.com", "googlemail.com"),
    "microsoft": ("outlook.*", "hotmail.*", "live.*", "msn.com"),
    "yahoo": ("yahoo.*", "ymail.com", "rocketmail.com", "aol.*"),
    "apple": ("icloud.com", "me.com", "mac.com"),
}


def hosted_domains(settings: CompanySettings | None) -> dict[str, MailboxProvider]:
    """Return the domains of which the company has said that a mailbox provider hosts them."""
    return {domain: one for one, of in _paces(settings).items() for domain in of.domains}


def rates(settings: CompanySettings | None) -> dict[MailboxProvider, Rate]:
    """Return the rates of the mailbox providers that the company bounds."""
    paces = _paces(settings).items()
    return {one: _rate_of(of.per_hour) for one, of in paces if of.per_hour is not None}


def provider_of(address: str, hosted: Mapping[str, MailboxProvider]) -> MailboxProvider | None:
    """
    Return the provider of an address: by the company's *hosted* domains, or an own domain of the provider. None for
    other domains, whose providers are not known from the name.
    """
    domain = address.rpartition("@")[2].casefold()
    if domain in hosted:
        return hosted[domain]
    first, _, ending = domain.partition(".")
    is_of_country = all(len(one) <= _LONGEST_ENDING for one in ending.split("."))
    names = {domain, f"{first}.*"} if is_of_country else {domain}
    return next((name for name, of in _DOMAINS.items() if not names.isdisjoint(of)), None)


def hold(table: Table, company_id: str, provider: str) -> None:
    """Send the company's mails to a provider later, which has just delayed one."""
    _pace(table).hold(_subject(company_id, provider), clock.now_ms() + HOLD_MS, _RATE)


def held_until(table: Table, company_id: str, provider: str) -> int | None:
    """Return when the company may send to a provider again (ms since 1970), None for now. One read."""
    return _pace(table).look(_subject(company_id, provider), _RATE)


def take(table: Table, company_id: str, provider: MailboxProvider, rate: Rate) -> int | None:
    """Take a mail from the bucket of a provider and return None; or return when it has one (ms since 1970)."""
    return _pace(table).take(_subject(company_id, f"{provider}#rate"), rate)


def _paces(settings: CompanySettings | None) -> MailboxPaces:
    return (settings.mailbox_providers if settings is not None else None) or {}


def _rate_of(per_hour: int) -> Rate:
    return Rate(
        every_ms=ceil(clock.HOUR_MS / per_hour), burst=max(1, per_hour * HOLD_MS // clock.HOUR_MS)
    )


def _pace(table: Table) -> Pace:
    return Pace(table, SendPace.key)


def _subject(company_id: str, provider: str) -> str:
    return f"{company_id}#{provider}"
