"""The rule for a new claim: which proof lets a company take a provider's resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.access.ownership import claims
from shared.access.ownership.claims import SHARED, Proof
from shared.api.errors import InvalidInput
from shared.identity.secret_owners import SECRET_RULE, owns_secret

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from shared.access.ownership.ids import ProviderId
    from shared.aws.dynamodb import Table

RULE = "must be granted by an operator (`operations owners grant`)"
LISTED_RULE = (
    "must be listed by the provider for the company's own token, or granted by an operator"
    " (`operations owners grant`)"
)
EMAIL_RULE = "its domain must be granted by an operator (`operations owners grant`)"


class NotProven(InvalidInput):
    """
    A company has no proof for a resource. *field* is the input's field, *problem* the rule with the proof that is
    missing; both are the same whether or not another company owns the resource.
    """

    def __init__(self, field: str, problem: str = RULE) -> None:
        super().__init__([{"field": field, "problem": problem}])
        self.field = field
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Named:
    """
    A resource that an input names, and the *field* that names it. *may_share*: use of a shared one is enough; *rule*:
    the missing proof, as a refusal says it.
    """

    resource: ProviderId
    field: str
    may_share: bool = False
    rule: str = RULE


def require(
    table: Table,
    company_id: str,
    named: Iterable[Named],
    *,
    listed: Collection[ProviderId] = (),
    single_company: str = "",
) -> dict[ProviderId, Proof]:
    """
    Check that a company may use the named resources, and return the claims to write, each with its proof: for resources
    without an owner that are among *listed*, or that belong to the one company of the deployment.

    *listed*: what a provider has listed for the company's own credentials. Raises NotProven for the first resource
    without a proof.
    """
    wanted = list(named)
    owners = claims.holders(table, [one.resource for one in wanted])
    proofs: dict[ProviderId, Proof] = {}
    for one in wanted:
        owner = owners.get(one.resource)
        if owner == company_id or (one.may_share and owner == SHARED):
            continue
        if owner is None and one.resource in listed:
            proofs[one.resource] = Proof.LISTED
        elif owner is None and single_company == company_id:
            proofs[one.resource] = Proof.DEPLOYMENT
        else:
            raise NotProven(one.field, one.rule)
    return proofs


def own_email(
    table: Table, company_id: str, address: str, field: str, *, by: str, single_company: str = ""
) -> None:
    """
    Check that a company owns a normalised e-mail address. The one company of the deployment claims its domain; of a
    shared domain only the address. Raises NotProven.
    """
    owner, deciding = claims.owner_of_email(table, address)
    if owner == company_id:
        return
    if owner is not None or single_company != company_id:
        raise NotProven(field, EMAIL_RULE)
    store(table, company_id, {deciding: Proof.DEPLOYMENT}, by)


def require_secret(company_id: str, secret_id: str | None, field: str) -> None:
    """Check that a secret belongs to a company, whose id is part of its name. Raises NotProven."""
    if secret_id is not None and not owns_secret(company_id, secret_id):
        raise NotProven(field, SECRET_RULE)


def store(table: Table, company_id: str, proofs: Mapping[ProviderId, Proof], by: str) -> None:
    """
    Write the claims that `require` returned. Idempotent, and complete after a repetition.

    Raises NotProven if one got another owner meanwhile.
    """
    for resource, proof in sorted(proofs.items()):
        if not claims.claim(table, resource, claims.new(company_id, proof, by)):
            raise NotProven(resource.kind)
