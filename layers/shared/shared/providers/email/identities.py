"""The identities of SES: whether mail may be sent from an address, and is signed for its domain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MISSING = "NotFoundException"
_SIGNED = "SUCCESS"  # the state of DKIM, and of the domain of bounces


class IdentityClient(Protocol):
    """The single call of the SDK's client (`sesv2`) that this module uses."""

    def get_email_identity(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Read one identity."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """
    A verified identity. *is_aligned*: SES signs with DKIM of the sender's own domain, so that DMARC passes by it.
    *mail_from* is the own domain of bounces, for which SPF passes; None for SES's own, or while it is not set up.
    """

    may_send: bool
    is_aligned: bool
    mail_from: str | None = None


@dataclass(eq=False)
class Identities:
    """The identities of the deployment's account and region."""

    make_client: Callable[[], IdentityClient]

    @cached_property
    def _client(self) -> IdentityClient:
        return self.make_client()

    def of_address(self, address: str) -> Identity | None:
        """
        Return the identity that sends from an address: of its domain or a parent, or of the address; None without
        one. Raises Transient.
        """
        domain = address.rpartition("@")[2]
        labels = domain.split(".")
        names = [".".join(labels[first:]) for first in range(len(labels) - 1)]
        own = self._read(address)
        found = next((one for name in names if (one := self._read(name)) is not None), None)
        if found is None:
            return own
        may_send = found.may_send or (own is not None and own.may_send)
        return replace(found, may_send=may_send)

    def _read(self, name: str) -> Identity | None:
        try:
            answer = self._client.get_email_identity(EmailIdentity=name)
        except ClientError as error:
            if error.response["Error"]["Code"] == _MISSING:
                return None
            raise Transient("ses_identities_unreadable") from None
        except BotoCoreError:
            raise Transient("ses_identities_unreadable") from None
        signature = answer.get("DkimAttributes") or {}
        bounces = answer.get("MailFromAttributes") or {}
        is_set_up = bounces.get("MailFromDomainStatus") == _SIGNED
        return Identity(
            may_send=bool(answer.get("VerifiedForSendingStatus")),
            is_aligned=signature.get("Status") == _SIGNED and bool(signature.get("SigningEnabled")),
            mail_from=bounces.get("MailFromDomain") or None if is_set_up else None,
        )
