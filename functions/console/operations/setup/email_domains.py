"""
Domains of e-mail: what a company publishes in its DNS so that SES sends and receives its mail, and whether SES sees it.

A domain belongs to a company by its owner item (`shared.access.ownership`). An operator gives a free domain to the own
company, as with the app of WhatsApp; the domain of a mailbox provider belongs to no company.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from console.operations.setup.people import require_person
from console.operations.setup.views import DnsRecord, EmailDomain, EmailDomains
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.access.ownership.ids import IdInvalid, ProviderId
from shared.access.ownership.proofs import EMAIL_RULE, NotProven
from shared.api.errors import InvalidInput
from shared.aws import observation
from shared.identity.public_domains import PUBLIC_DOMAINS
from shared.providers import dns
from shared.providers.email import sender_records
from shared.providers.email.identities import IdentityRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from console.operations.setup.views import IdentityState
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.providers.email.identities import DomainIdentity, Identities

type RecordState = Literal["found", "pending", "missing", "unknown"]

_FIELD = "domain"
_IDENTITY: Mapping[str, IdentityState] = {"SUCCESS": "verified", "FAILED": "failed"}
_RECORD: Mapping[str, RecordState] = {"SUCCESS": "found", "FAILED": "missing"}
_POLICY = "v=DMARC1; p=quarantine"
_POLICY_STATE: Mapping[str, RecordState] = {"absent": "missing", "unknown": "unknown"}
_SPF = "v=spf1 include:amazonses.com ~all"


class DomainNotFound(Exception):
    """The company has no such domain."""


@dataclass(slots=True, eq=False)
class DomainSetup:
    """
    *owners*: the table of owner items. *region*: of SES. *receiving*: the domain whose mail the deployment receives,
    "" without one.
    """

    identities: Identities
    owners: Table
    region: str
    receiving: str

    def listed(self, company: str) -> EmailDomains:
        """Return the domains of the account that belong to a company. Raises Transient."""
        names, has_more = self.identities.domains()
        owners = self._owners_of(names)
        own = sorted(name for name, owner in owners.items() if owner == company)
        return EmailDomains(domains=own, is_complete=not has_more)

    def shown(self, company: str, text: str) -> EmailDomain:
        """Return a domain of a company. Raises InvalidInput, DomainNotFound and Transient."""
        name = _name_in(text)
        if self._owner_of(name) != company:
            raise DomainNotFound
        found = self.identities.domain(name)
        return EmailDomain(
            domain=name,
            identity=_IDENTITY.get(found.state, "pending") if found else "none",
            sends=found is not None and found.may_send,
            receives=name == self.receiving,
            records=[*self._records(name, found)],
        )

    def add(self, caller: Caller, text: str) -> Callable[[], EmailDomain]:
        """
        Return the change that gives a domain to the caller's company, and lets SES look for its records. Repeatable.

        Raises Forbidden for software, InvalidInput for what is no domain of a company, and NotProven if it is another
        company's. The change raises InvalidInput and Transient, too.
        """
        require_person(caller)
        name, company = _name_in(text), caller.company
        owner = self._owner_of(name)
        if name in PUBLIC_DOMAINS or owner == claims.SHARED:
            problem = "must be a domain of the company: this one belongs to a mailbox provider"
            raise InvalidInput([{"field": _FIELD, "problem": problem}])
        if owner not in {None, company}:
            raise NotProven(_FIELD, EMAIL_RULE)

        def change() -> EmailDomain:
            granted = claims.new(company, Proof.GRANTED, caller.principal)
            # First: SES verifies domains of a company only. A parent's owner item is enough.
            if owner is None and not claims.claim(self.owners, _resource(name), granted):
                raise NotProven(_FIELD, EMAIL_RULE)
            self._begin(name)
            observation.note({"domain": name if owner else None}, {"domain": name})
            return self.shown(company, name)

        return change

    def _begin(self, name: str) -> None:
        try:
            self.identities.add_domain(name)
        except IdentityRefused as refused:
            problem = (
                "cannot be added: the account has as many identities as SES allows"
                if refused.is_full
                else "must be a domain that SES accepts"
            )
            raise InvalidInput([{"field": _FIELD, "problem": problem}]) from None

    def _owner_of(self, name: str) -> str | None:
        return self._owners_of([name])[name]

    def _owners_of(self, names: Sequence[str]) -> dict[str, str | None]:
        """Return the owner of each domain, which the nearest claimed one decides."""
        chains = {name: ids.domains_of(f"@{name}") for name in names}
        held = claims.holders(self.owners, {one for chain in chains.values() for one in chain})
        return {
            name: next((held[one] for one in chain if one in held), None)
            for name, chain in chains.items()
        }

    def _records(self, name: str, found: DomainIdentity | None) -> Iterator[DnsRecord]:
        if found is not None:
            state = _RECORD.get(found.dkim_state, "pending")
            for label, target in found.dkim:
                yield _record("dkim", "CNAME", f"{label}.{name}", target, state)
            if found.mail_from is not None:
                state = _RECORD.get(found.mail_from_state or "", "pending")
                server = f"10 feedback-smtp.{self.region}.amazonses.com"
                yield _record("mail_from", "MX", found.mail_from, server, state)
                yield _record("mail_from", "TXT", found.mail_from, _SPF, state)
        yield _record(
            "dmarc",
            "TXT",
            f"_dmarc.{name}",
            _POLICY,
            _POLICY_STATE.get(sender_records.dmarc_policy(name), "found"),
        )
        if name == self.receiving:
            server = f"10 inbound-smtp.{self.region}.amazonaws.com"
            yield _record("receiving", "MX", name, server, _seen(dns.published(name, "MX"), server))


def _record(
    purpose: Literal["dkim", "mail_from", "receiving", "dmarc"],
    kind: Literal["CNAME", "MX", "TXT"],
    name: str,
    value: str,
    state: RecordState,
) -> DnsRecord:
    return DnsRecord(purpose=purpose, type=kind, name=name, value=value, state=state)


def _seen(found: frozenset[str] | None, value: str) -> RecordState:
    if found is None:
        return "unknown"
    return "found" if value in found else "missing"


def _name_in(text: str) -> str:
    """Return a domain in normal form: lower case, ASCII. Raises InvalidInput."""
    try:
        return ids.email(f"@{text.strip().removesuffix('.')}").text.removeprefix("@")
    except IdInvalid:
        problem = "must be a domain, as support.example.com"
        raise InvalidInput([{"field": _FIELD, "problem": problem}]) from None


def _resource(name: str) -> ProviderId:
    return ProviderId(ids.EMAIL, f"@{name}")
