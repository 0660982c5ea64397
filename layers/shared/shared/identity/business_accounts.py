"""
Decides whether an event comes from the account and business address that sent or received a message.

Every context calls `BusinessAccount.covers`: for inbound messages, delivery statuses, stored files and sent messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from shared.identity.addresses import other_spellings

# Their events come over SNS topics of this deployment, which the ingress checks: the AWS account is always our own.
OWN_PROVIDERS = frozenset({"aws_sms", "ses"})


class Reported(Protocol):
    """The part of an event that identifies its source; *business_address* is None if the provider omits it."""

    @property
    def provider(self) -> str:
        """The provider that reported the event."""

    @property
    def account(self) -> str | None:
        """The account whose signature, topic or registered number was verified."""

    @property
    def business_address(self) -> str | None:
        """The address of the business that the event is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessAccount:
    """
    An account at a provider, and one business address of it.

    *account* is None only for OWN_PROVIDERS; for any other provider, None covers nothing. *business_address* is None if
    it is not known, for example because the provider chooses the sender; then it is not compared.
    """

    provider: str
    account: str | None
    business_address: str | None = None

    def covers(self, event: Reported) -> bool:
        """Whether *event* has this provider, this account and, if both name one, this business address."""
        if event.provider != self.provider:
            return False
        if self.account is None and self.provider not in OWN_PROVIDERS:
            return False
        if self.account is not None and event.account != self.account:
            return False
        return self._is_same_address(event.business_address)

    def _is_same_address(self, address: str | None) -> bool:
        if not address or not self.business_address:
            return True
        spellings = (self.business_address, *other_spellings(self.business_address))
        return address.casefold() in {spelling.casefold() for spelling in spellings}
