"""
Owner items: the one company that owns a provider's resource, in the conversation log.

    pk ADDR#{kind}#{id}    sk #

A conditional write ensures that a resource has one owner. The claim of an address shares its partition with the
projects that use it: one query reads both.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from boto3.dynamodb.conditions import Attr

from shared.access.ownership.ids import EMAIL, ProviderId, domains_of
from shared.aws.dynamodb import Attributes, ConditionFailed, TransactionRefused
from shared.aws.tables.items import Item, filled
from shared.identity.addresses import without_label
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table

CACHE_MS = 30 * clock.SECOND_MS
MOST_DOMAINS = 200  # read for the addresses of one mail
MOST_CACHED = 1_000  # owners; the addresses of mails are strangers' choice
# Owner of a resource that several companies may use and none may change: a mailbox provider's domain, the deployment's
# Meta app. No company has this id.
SHARED = "*"


class Proof(StrEnum):
    """The reason why a resource belongs to its company, see `shared.access.ownership`."""

    LISTED = "listed"
    GRANTED = "granted"
    DEPLOYMENT = "deployment"


class Claim(Item):
    """The owner of a resource: *company_id*, the proof, its time, and the principal who gave it. Kept until it ends."""

    item_type: ClassVar[str] = "CLAIM"
    partition_key: ClassVar[str] = "pk"
    sort_key: ClassVar[str] = "sk"
    pk_pattern: ClassVar[str] = "ADDR#{kind}#{id}"
    sk_pattern: ClassVar[str] = "#"

    company_id: str
    proof: Proof = Proof.GRANTED
    proven_at: str | None = None
    proven_by: str | None = None

    @classmethod
    def key(cls, resource: ProviderId) -> Attributes:
        """Return the key of a resource's owner item."""
        return {
            cls.partition_key: filled(cls.pk_pattern, resource.kind, resource.text),
            cls.sort_key: cls.sk_pattern,
        }

    def stored_for(self, resource: ProviderId) -> Attributes:
        """Return the whole item of a resource."""
        return {**self.key(resource), "item_type": self.item_type, **self.attributes()}


def new(company_id: str, proof: Proof, by: str | None = None) -> Claim:
    """Return a claim that is proven now."""
    at = clock.to_text(clock.now_ms())
    return Claim(company_id=company_id, proof=proof, proven_at=at, proven_by=by)


def found(table: Table, resources: Iterable[ProviderId]) -> dict[ProviderId, Claim]:
    """Return the owner items of these resources, strongly consistent; resources without an owner are omitted."""
    by_key = {str(Claim.key(one)[Claim.partition_key]): one for one in resources}
    items = table.get_many([Claim.key(one) for one in by_key.values()]) if by_key else []
    return {by_key[str(item[Claim.partition_key])]: Claim.read(item) for item in items}


def holders(table: Table, resources: Iterable[ProviderId]) -> dict[ProviderId, str]:
    """Return the companies that own these resources, strongly consistent; resources without one are omitted."""
    return {one: claim.company_id for one, claim in found(table, resources).items()}


def owner_of_email(table: Table, address: str) -> tuple[str | None, ProviderId]:
    """
    Return the company that owns a normalised e-mail address, and the resource that decides: the nearest claimed domain,
    or the address itself if that domain is shared. Without an owner (None), it is the resource to claim.
    """
    own, domains = _of_address(address), domains_of(address)
    held = holders(table, [own, *domains])
    domain = next((one for one in domains if one in held), domains[0])
    return (held.get(own), own) if held.get(domain) == SHARED else (held.get(domain), domain)


def owner_of_first_domain(table: Table, addresses: Iterable[str]) -> str | None:
    """Return the company that owns the nearest claimed domain of the first of these addresses that has one."""
    chains = [domains_of(one) for one in addresses]
    every = dict.fromkeys(one for chain in chains for one in chain)
    held = holders(table, itertools.islice(every, MOST_DOMAINS))
    nearest = (next((held[one] for one in chain if one in held), None) for chain in chains)
    return next((owner for owner in nearest if owner not in {None, SHARED}), None)


def claim(table: Table, resource: ProviderId, claimed: Claim) -> bool:
    """
    Give a resource to a company; False if another company owns it. Idempotent.

    The write succeeds if the resource has no owner, or the same one.
    """
    try:
        table.put(claimed.stored_for(resource), when=_free_or_of(claimed.company_id))
    except ConditionFailed:
        return False
    return True


def claim_all(table: Table, resources: Iterable[ProviderId], claimed: Claim) -> bool:
    """Give all of these resources to a company, or none; False if another company owns one of them. Idempotent."""
    when = _free_or_of(claimed.company_id)
    try:
        table.transact(*(table.to_put(claimed.stored_for(one), when=when) for one in resources))
    except TransactionRefused:
        return False
    return True


def hand_over(table: Table, resource: ProviderId, claimed: Claim) -> None:
    """Give a resource to a company, also one that another company owns: an operator's decision."""
    table.put(claimed.stored_for(resource))


def release(table: Table, resource: ProviderId, company_id: str) -> bool:
    """End a company's ownership; False if another company owns the resource. Idempotent."""
    try:
        table.delete(Claim.key(resource), when=_free_or_of(company_id))
    except ConditionFailed:
        return False
    return True


@dataclass(slots=True, eq=False)
class Owners:
    """The owner items in *table*, for a check before every use. Owners are cached for 30 seconds."""

    table: Table
    _cache: dict[tuple[ProviderId, ...], tuple[int, str | None]] = field(default_factory=dict)

    def owner_of(self, resource: ProviderId) -> str | None:
        """Return the company that owns a resource; None without one."""
        return self._nearest((resource,))

    def may_use(self, company_id: str, resource: ProviderId) -> bool:
        """Whether a company owns a resource, or uses one that is shared."""
        return self.owner_of(resource) in {company_id, SHARED}

    def owner_of_email(self, address: str) -> str | None:
        """Return the company that owns a normalised e-mail address, see `owner_of_email`; None without one."""
        owner = self._nearest(tuple(domains_of(address)))
        return self.owner_of(_of_address(address)) if owner == SHARED else owner

    def forget(self) -> None:
        """Empty the cache."""
        self._cache.clear()

    def _nearest(self, resources: Sequence[ProviderId]) -> str | None:
        key, now = tuple(resources), clock.now_ms()
        at, owner = self._cache.get(key, (now - CACHE_MS, None))
        if now - at >= CACHE_MS:
            held = holders(self.table, resources)
            owner = next((held[one] for one in resources if one in held), None)
            if owner is not None:
                if len(self._cache) >= MOST_CACHED:
                    self._cache.clear()
                self._cache[key] = (now, owner)  # A new owner counts at once.
        return owner


def _of_address(address: str) -> ProviderId:
    return ProviderId(EMAIL, without_label(address))


def _free_or_of(company_id: str) -> ConditionBase:
    return Attr(Claim.partition_key).not_exists() | Claim.attr("company_id").eq(company_id)
