"""Mailbox providers that limit what all mails of a sender to them may be, by the domains of their addresses."""

from typing import Final

from newsletters.store.items import SendPace
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


def provider_of(address: str) -> MailboxProvider | None:
    """Return the provider of an address; None for other domains, whose providers are not known from the name."""
    domain = address.rpartition("@")[2].casefold()
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


def _pace(table: Table) -> Pace:
    return Pace(table, SendPace.key)


def _subject(company_id: str, provider: str) -> str:
    return f"{company_id}#{provider}"
