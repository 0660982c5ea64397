"""
The identities of SES: whether mail may be sent from an address, and is signed for its domain; and domains with the
records that SES looks for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MISSING = "NotFoundException"
_EXISTS = "AlreadyExistsException"
_REFUSED = "BadRequestException"
_FULL = "LimitExceededException"
_UNREADABLE = "ses_identities_unreadable"
_SIGNED = "SUCCESS"  # the state of DKIM, and of the envelope sender
_OWN_KEYS = "EXTERNAL"
_SHUT_DOWN, _UNDER_REVIEW = "SHUTDOWN", "PROBATION"
_NO_QUOTA = -1  # as SES writes it
_DKIM_ZONE = "dkim.amazonses.com"  # of identities for which SES names no zone
MAIL_FROM_LABEL = "bounce"
MOST_NAMES = 1_000  # the largest page of SES


class IdentityClient(Protocol):
    """The calls of the SDK's client (`sesv2`) that this module uses."""

    def get_account(self) -> Mapping[str, Any]:
        """Read the state of the account in the region."""
        ...

    def get_email_identity(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Read one identity."""
        ...

    def list_email_identities(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Read a page of names."""
        ...

    def create_email_identity(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Begin to verify a domain."""
        ...

    def put_email_identity_mail_from_attributes(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Set the domain of the envelope sender."""
        ...


class IdentityRefused(Exception):
    """SES refuses a domain. *is_full*: the account has all identities that it may have."""

    def __init__(self, *, is_full: bool) -> None:
        super().__init__("SES refuses the domain")
        self.is_full = is_full


@dataclass(frozen=True, slots=True)
class Identity:
    """
    A verified identity. *is_aligned*: SES signs with DKIM of the sender's own domain, so that DMARC passes by it.
    *mail_from* is the own domain of bounces, for which SPF passes; None for SES's own, or while it is not set up.
    """

    may_send: bool
    is_aligned: bool
    mail_from: str | None = None


@dataclass(frozen=True, slots=True)
class DomainIdentity:
    """
    A domain as SES knows it. The states are the words of SES: `SUCCESS`, `PENDING`, `FAILED`, `TEMPORARY_FAILURE` or
    `NOT_STARTED`. *dkim*: label and target of each CNAME record, none if the keys are the owner's own. *mail_from*: the
    domain of the envelope sender, None if it is the one of SES.

    SES API v2, "GetEmailIdentity".
    """

    name: str
    state: str
    may_send: bool
    dkim: tuple[tuple[str, str], ...]
    dkim_state: str
    mail_from: str | None
    mail_from_state: str | None


@dataclass(frozen=True, slots=True)
class Account:
    """
    The account at SES. *may_send*: it is neither paused nor shut down, and has a rate. *is_under_review*: SES may pause
    it soon. *is_sandbox*: mails go to verified addresses only. *left_today*: mails of the next 24 hours, None without a
    limit, *most_today* those of any 24 hours. *a_second*: the most mails of a second.

    SES API v2, "GetAccount".
    """

    may_send: bool
    is_under_review: bool
    is_sandbox: bool
    left_today: int | None
    most_today: int | None = None
    a_second: float = 1.0  # of an account in the sandbox


@dataclass(eq=False)
class Identities:
    """The identities of the deployment's account and region."""

    make_client: Callable[[], IdentityClient]

    @cached_property
    def _client(self) -> IdentityClient:
        return self.make_client()

    def account(self) -> Account:
        """Return the state of the account. Raises Transient."""
        try:
            answer = self._client.get_account()
        except (ClientError, BotoCoreError):
            raise Transient("ses_account_unreadable") from None
        state = answer.get("EnforcementStatus")
        quota = answer.get("SendQuota") or {}
        most = int(quota.get("Max24HourSend", _NO_QUOTA))
        left = most - int(quota.get("SentLast24Hours", 0))
        a_second = float(quota.get("MaxSendRate", 1))
        return Account(
            may_send=bool(answer.get("SendingEnabled")) and state != _SHUT_DOWN and a_second > 0,
            is_under_review=state == _UNDER_REVIEW,
            is_sandbox=not answer.get("ProductionAccessEnabled"),
            left_today=max(left, 0) if most != _NO_QUOTA else None,
            most_today=most if most != _NO_QUOTA else None,
            a_second=a_second,
        )

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

    def domain(self, name: str) -> DomainIdentity | None:
        """Return a domain with the records that SES looks for; None without the identity. Raises Transient."""
        answer = self._found(name)
        if answer is None:
            return None
        signature, sender = (
            answer.get("DkimAttributes") or {},
            answer.get("MailFromAttributes") or {},
        )
        zone = signature.get("SigningHostedZone") or _DKIM_ZONE
        is_own = signature.get("SigningAttributesOrigin") == _OWN_KEYS
        tokens = [] if is_own else signature.get("Tokens") or []
        return DomainIdentity(
            name=name,
            state=str(answer.get("VerificationStatus", "")),
            may_send=bool(answer.get("VerifiedForSendingStatus")),
            dkim=tuple((f"{one}._domainkey", f"{one}.{zone}") for one in map(str, tokens)),
            dkim_state=str(signature.get("Status", "")),
            mail_from=sender.get("MailFromDomain") or None,
            mail_from_state=sender.get("MailFromDomainStatus"),
        )

    def domains(self) -> tuple[list[str], bool]:
        """Return the names of the first domains, and whether there are further ones. Raises Transient."""
        try:
            page = self._client.list_email_identities(PageSize=MOST_NAMES)
        except (ClientError, BotoCoreError):
            raise Transient(_UNREADABLE) from None
        found = page.get("EmailIdentities") or []
        names = [str(one["IdentityName"]) for one in found if one.get("IdentityType") == "DOMAIN"]
        return names, bool(page.get("NextToken"))

    def add_domain(self, name: str) -> None:
        """
        Begin to verify a domain, with an envelope sender below it if it has none. Repeatable; a domain that exists
        keeps its keys. Raises IdentityRefused and Transient.

        Until the records of the envelope sender are published, SES uses its own domain for it.
        """
        try:
            self._begin(name)
        except ClientError as error:
            if (code := _code_of(error)) in {_REFUSED, _FULL}:
                raise IdentityRefused(is_full=code == _FULL) from None
            raise Transient(_UNREADABLE) from None
        except BotoCoreError:
            raise Transient(_UNREADABLE) from None

    def _begin(self, name: str) -> None:
        try:
            self._client.create_email_identity(EmailIdentity=name)
        except ClientError as error:
            if _code_of(error) != _EXISTS:
                raise
        found = self.domain(name)
        if found is not None and found.mail_from is None:
            self._client.put_email_identity_mail_from_attributes(
                EmailIdentity=name,
                MailFromDomain=f"{MAIL_FROM_LABEL}.{name}",
                BehaviorOnMxFailure="USE_DEFAULT_VALUE",
            )

    def _read(self, name: str) -> Identity | None:
        answer = self._found(name)
        if answer is None:
            return None
        signature = answer.get("DkimAttributes") or {}
        bounces = answer.get("MailFromAttributes") or {}
        is_set_up = bounces.get("MailFromDomainStatus") == _SIGNED
        return Identity(
            may_send=bool(answer.get("VerifiedForSendingStatus")),
            is_aligned=signature.get("Status") == _SIGNED and bool(signature.get("SigningEnabled")),
            mail_from=bounces.get("MailFromDomain") or None if is_set_up else None,
        )

    def _found(self, name: str) -> Mapping[str, Any] | None:
        try:
            return self._client.get_email_identity(EmailIdentity=name)
        except ClientError as error:
            if _code_of(error) == _MISSING:
                return None
            raise Transient(_UNREADABLE) from None
        except BotoCoreError:
            raise Transient(_UNREADABLE) from None


def _code_of(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])
