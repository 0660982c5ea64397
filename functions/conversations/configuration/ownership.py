"""
Decides which company a project's secrets, senders and addresses belong to.

A project may only use names of its company:

    secrets, access tokens   the company is part of the name, see `shared.identity.secret_owners`
    phone numbers            claimed by one company for WhatsApp and SMS together, in every spelling
    e-mail addresses         address and domain are claimed by one company; the nearest claimed domain decides
    `phone_number_id`        claimed by one company
    accounts of Twilio       claimed by the company whose credentials Twilio accepts for the account
    configuration sets       claimed by one company, or shared
    knowledge bases          claimed by one company, or shared; asked for at each search

Only the operator's command writes claims. A name without a claim belongs to no company: messages from and to it are
refused. Errors name the attribute and the rule, never another company.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.configuration.projects import (
    CACHE_MS,
    Company,
    ConfigurationInvalid,
    EmailChannel,
    SmsChannel,
)
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.records import ParkReason
from conversations.store.items.routes import BusinessAddress
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.access.ownership.ids import IdInvalid, ProviderId
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.identity.secret_owners import SECRET_RULE, TOKEN_RULE, owns_secret, owns_token
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.dynamodb import Table
    from shared.events.exchange import InboundMessage

EMAIL = ChannelMethod.EMAIL.value
# Providers whose events come from the inbox, which knows the company of each number.
OF_THE_INBOX = frozenset({"meta", "aws_social"})
_ADDRESSES = {
    ChannelMethod.WHATSAPP: "company_whatsapp_number",
    ChannelMethod.SMS: "company_sms_number",
    ChannelMethod.EMAIL: "company_email",
}
_ATTRIBUTES = {
    ids.NUMBER: "phone_number_id",
    ids.TWILIO_ACCOUNT: "account",
    ids.CONFIGURATION_SET: "configuration_set",
}
_SHAREABLE = frozenset({ids.KNOWLEDGE_BASE, ids.CONFIGURATION_SET})
# Twilio listed the account for the company's own credentials, see `operations.projects.ownership`.
_PROOFS = {ids.TWILIO_ACCOUNT: Proof.LISTED}
CLAIM_RULE = "another company has claimed it"
ADDRESS_RULE = "must be an e-mail address with an ASCII domain"


class NotOwned(ConfigurationInvalid):
    """The project uses a name of another company. Gives the *attribute* and the broken *rule*, never the value."""

    def __init__(self, attribute: str, rule: str) -> None:
        super().__init__(attribute)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Used:
    """An address that a project sends from, and the attribute that names it."""

    method: ChannelMethod
    address: str = field(repr=False)
    attribute: str


@dataclass(eq=False)
class Claims:
    """The claims in *log*. Successful checks are cached for 30 seconds, like project settings."""

    log: Table
    _cache: dict[tuple[str, ...], int] = field(default_factory=dict)

    def require(self, company: Company, method: ChannelMethod, address: str) -> None:
        """
        Raise NotOwned unless the company has claimed every name that a message from *address* uses.

        E-mail is checked with the project's current sender, which may differ from the *address* of the conversation.
        """
        attribute, channel = _attribute(method), company.channel(method)
        sender = channel.company_email if isinstance(channel, EmailChannel) else address
        own = _name(Used(method, sender, attribute))
        names = [own]
        names += _of_channel(company, method)
        cache_key = (company.company_id, *(f"{name.kind}#{name.text}" for name in names))
        now = clock.now_ms()
        if now - self._cache.get(cache_key, -CACHE_MS) < CACHE_MS:
            return
        domains = ids.domains_of(own.text) if method is ChannelMethod.EMAIL else []
        holders = claims.holders(self.log, [*names, *domains])
        for name in names:
            if holders.get(name) not in _allowed(company, name):
                raise NotOwned(_attribute(method, name), "must be claimed by its company")
        if domains and _nearest(holders, domains) not in {company.company_id, SHARED}:
            raise NotOwned(attribute, "domain must be claimed by its company")
        self._cache[cache_key] = now


def claim(log: Table, company: Company, by: str | None = None) -> list[ProviderId]:
    """
    Claim all names of a project for its company; return names that had no owner. Safe to repeat. Raises NotOwned.

    All names are read before the first write, so that a refusal writes nothing. If two companies claim the same name
    at once, the conditional write succeeds for one of them.
    """
    attributes = _resources(company)
    domain = _domain_to_claim(log, company)
    if domain is not None:
        attributes[domain] = _attribute(ChannelMethod.EMAIL)
    holders = claims.holders(log, attributes)
    for name, attribute in attributes.items():
        if name in holders and holders[name] not in _allowed(company, name):
            raise NotOwned(attribute, CLAIM_RULE)
    # Same order for every company: if two claim the same names at once, the first name decides for all.
    fresh = sorted(attributes.keys() - holders.keys())
    for name in fresh:
        proof = _PROOFS.get(name.kind, Proof.GRANTED)
        if not claims.claim(log, name, claims.new(company.company_id, proof, by)):
            raise NotOwned(attributes[name], CLAIM_RULE)
    return fresh


def share_domain(log: Table, company: Company) -> None:
    """
    Mark the project's e-mail domain as shared: any company may claim single addresses of it. Raises NotOwned.

    For domains of mailbox providers, which belong to no company. A shared domain cannot be claimed any more.
    """
    attribute, own = _attribute(ChannelMethod.EMAIL), _email_of(company)
    if own is None:
        raise NotOwned(attribute, "is missing")
    domains = ids.domains_of(own.text)
    holder = _nearest(claims.holders(log, domains), domains)
    if holder not in {None, SHARED} or not claims.claim(
        log, domains[0], claims.new(SHARED, Proof.GRANTED)
    ):
        raise NotOwned(attribute, "a company has claimed its domain")


def names_of(company: Company) -> set[ProviderId]:
    """Return all names that a project depends on, including its e-mail domains. Raises NotOwned."""
    own = _email_of(company)
    return _resources(company).keys() | set(ids.domains_of(own.text) if own else [])


def used_by(company: Company) -> Iterator[Used]:
    """Yield the addresses that a project may send from, each with its attribute."""
    for method in ChannelMethod:
        if getattr(company.channel_config, method.value) is None:
            continue
        channel = company.channel(method)
        address = channel.company_email if isinstance(channel, EmailChannel) else channel.address
        yield Used(method, address, _attribute(method))
        if isinstance(channel, SmsChannel):
            for country, number in channel.senders.items():
                yield Used(method, number, f"channel_config.sms.senders.{country}")


def owner_of(company: Company, used: Used) -> BusinessAddress:
    """Return the project, provider and account that an address is stored with."""
    channel = company.channel(used.method)
    return BusinessAddress(
        company_id=company.company_id,
        project_id=company.project_id,
        provider=channel.provider,
        account=channel.account,
    )


def check_credentials(company: Company, method: ChannelMethod) -> None:
    """Raise NotOwned if a channel of the project names a secret or token of another company."""
    channel = company.channel(method)
    name = getattr(channel, f"{method.value}_credentials_id")
    if name is None:
        return
    is_token = channel.provider == "meta"
    owns, rule = (owns_token, TOKEN_RULE) if is_token else (owns_secret, SECRET_RULE)
    if not owns(company.company_id, name):
        raise NotOwned(f"channel_config.{method.value}.{method.value}_credentials_id", rule)


def check_reporter(owner: BusinessAddress, event: InboundMessage) -> None:
    """Raise Permanent (`ParkReason.TENANT_MISMATCH`) if the inbox event names another company than *owner*."""
    if event.provider in OF_THE_INBOX and event.company != owner.company_id:
        raise Permanent(ParkReason.TENANT_MISMATCH)


def _resources(company: Company) -> dict[ProviderId, str]:
    """Return the names that a project uses, each with its attribute. Raises NotOwned like `_name`."""
    found = {name: used.attribute for used in used_by(company) for name in _names(used)}
    for method in ChannelMethod:
        for name in _of_channel(company, method):
            found.setdefault(name, _attribute(method, name))
    knowledge_base = company.knowledge_config.get("knowledge_base_id")
    if isinstance(knowledge_base, str):
        found[ProviderId(ids.KNOWLEDGE_BASE, knowledge_base)] = "knowledge_config.knowledge_base_id"
    return found


def _of_channel(company: Company, method: ChannelMethod) -> list[ProviderId]:
    """Return the names that all messages of a channel use: the sender's id, account, configuration set."""
    channel = getattr(company.channel_config, method.value)
    if channel is None:
        return []
    sender_id = _sender_id(company) if method is ChannelMethod.WHATSAPP else None
    account = channel.account if channel.provider == "twilio" else None
    service = {"ses": "ses", "aws_sms": "sms"}.get(channel.provider)
    configuration_set = channel.configuration_set if service else None
    found = (
        sender_id,
        ProviderId(ids.TWILIO_ACCOUNT, account) if account else None,
        ProviderId(ids.CONFIGURATION_SET, f"{service}:{configuration_set}")
        if configuration_set
        else None,
    )
    return [name for name in found if name is not None]


def _allowed(company: Company, name: ProviderId) -> set[str]:
    """Return the owners of a name with which a company may use it."""
    return {company.company_id, SHARED} if name.kind in _SHAREABLE else {company.company_id}


def _attribute(method: ChannelMethod, name: ProviderId | None = None) -> str:
    own = _ATTRIBUTES.get(name.kind) if name is not None else None
    return f"channel_config.{method.value}.{own or _ADDRESSES[method]}"


def _name(used: Used) -> ProviderId:
    """Return the name that an address is claimed as. Raises NotOwned for an e-mail address not in normal form."""
    if used.method is not ChannelMethod.EMAIL:
        return ProviderId(used.method.value, used.address)
    try:
        plain = addresses.email_address(used.address)
    except AddressInvalid:
        raise NotOwned(used.attribute, ADDRESS_RULE) from None
    # SES treats another spelling of a domain, such as one with umlauts, as the same identity.
    if plain != used.address.casefold():
        raise NotOwned(used.attribute, ADDRESS_RULE)
    return ids.email(plain)


def _names(used: Used) -> list[ProviderId]:
    """Return all names that are claimed for an address. Raises NotOwned like `_name`."""
    name = _name(used)
    return [name] if used.method is ChannelMethod.EMAIL else ids.of_phone(used.address)


def _sender_id(company: Company) -> ProviderId | None:
    """Return the provider's id of the project's WhatsApp number, the same for an ARN and a bare id. Raises NotOwned."""
    whatsapp = company.channel_config.whatsapp
    if whatsapp is None or whatsapp.provider not in OF_THE_INBOX or not whatsapp.phone_number_id:
        return None
    try:
        return ids.number(whatsapp.phone_number_id)
    except IdInvalid as fault:
        attribute = f"channel_config.{ChannelMethod.WHATSAPP.value}.{_ATTRIBUTES[ids.NUMBER]}"
        raise NotOwned(attribute, str(fault)) from None


def _email_of(company: Company) -> ProviderId | None:
    """Return the name of the project's e-mail address. Raises NotOwned like `_name`."""
    email, attribute = company.channel_config.email, _attribute(ChannelMethod.EMAIL)
    return _name(Used(ChannelMethod.EMAIL, email.company_email, attribute)) if email else None


def _nearest(holders: dict[ProviderId, str], domains: Sequence[ProviderId]) -> str | None:
    """Return the holder of the nearest claimed domain: in SES a domain's owner may also send from its subdomains."""
    return next((holders[domain] for domain in domains if domain in holders), None)


def _domain_to_claim(log: Table, company: Company) -> ProviderId | None:
    """Return the domain to claim for the project's address; None if a claim covers it. Raises NotOwned."""
    own = _email_of(company)
    if own is None:
        return None
    domains = ids.domains_of(own.text)
    holder = _nearest(claims.holders(log, domains), domains)
    if holder not in {None, company.company_id, SHARED}:
        raise NotOwned(_attribute(ChannelMethod.EMAIL), "another company has claimed its domain")
    return domains[0] if holder is None else None
