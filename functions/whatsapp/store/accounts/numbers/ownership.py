"""
The company that owns a WhatsApp number, its account and its app.

    number, account on Graph    Graph lists them for the company's own access token, or an operator's grant
    account on AWS              an operator's grant: one AWS account serves all companies
    number on AWS               AWS lists it in an account of the company
    app                         an operator's grant; numbers of several companies may share an app, and none changes it

In a deployment of one company its setting grants all of them. The claims are written before the number, which keeps
the proof: a number without one is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.access.ownership import claims, ids, proofs
from shared.access.ownership.claims import SHARED, Proof
from shared.access.ownership.proofs import LISTED_RULE, RULE, Named, NotProven
from whatsapp.store.accounts.numbers import phones

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from shared.access.ownership.ids import ProviderId
    from shared.aws.dynamodb import Table
    from whatsapp.store.items import Phone

APP_FIELD = "appId"
OWNED = "another company owns it"  # said to operators only


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """The owner items in *log*, and the one company of the deployment, if it has one only."""

    log: Table
    single_company: str = ""

    def grants_all(self, company: str) -> bool:
        """Whether the deployment is this company's alone, so that nothing needs a further proof."""
        return self.single_company == company

    def missing(self, phone: Phone) -> list[Named]:
        """Return the resources of a number that have no proof for its company yet."""
        held = claims.holders(self.log, [one.resource for one in named_by(phone)])
        return [
            one
            for one in named_by(phone)
            if not _may_use(held.get(one.resource), phone.company or "", may_share=one.may_share)
        ]

    def claim(self, phone: Phone, listed: Collection[ProviderId], by: str) -> Proof:
        """
        Store that the number and all it names belong to its company, and return the proof of the number. Idempotent.

        *listed*: the resources that a provider has listed. *by*: the caller. Raises NotProven.
        """
        company = str(phone.company)
        new = proofs.require(
            self.log,
            company,
            named_by(phone),
            listed=listed,
            single_company=self.single_company,
        )
        proofs.store(self.log, company, new, by)
        number = ids.meta_id(ids.NUMBER, phone.phone)
        return claims.found(self.log, [number])[number].proof

    def owns(self, company: str, resource: ProviderId) -> bool:
        """Whether a resource is the company's own; a shared one is not."""
        owner = claims.holders(self.log, [resource]).get(resource)
        return owner == company or (owner is None and self.single_company == company)


def named_by(phone: Phone) -> list[Named]:
    """
    Return what a number names, each with the input's field.

    Raises NotProven for an id that is not in its canonical form: it could be a second spelling of another one.
    """
    return list(_named_by(phone))


def grant(log: Table, phone: Phone, by: str) -> Proof:
    """
    Give a number, and all it names, to its company: an operator's decision. An app of another company becomes shared.
    Idempotent. Raises NotProven for another resource that another company owns.
    """
    named, company = named_by(phone), str(phone.company)
    held = claims.holders(log, [one.resource for one in named])
    for one in named:
        if held.get(one.resource, company) != company and not one.may_share:
            raise NotProven(one.field, OWNED)
    for one in named:
        if claims.claim(log, one.resource, claims.new(company, Proof.GRANTED, by)):
            continue
        if not one.may_share:
            raise NotProven(one.field, OWNED)
        claims.hand_over(log, one.resource, claims.new(SHARED, Proof.GRANTED, by))
    return Proof.GRANTED


def end(table: Table, log: Table, phone: Phone) -> None:
    """
    End the company's ownership of a number: it is no longer used, and another company can prove it. The account stays
    with the company, which may have further numbers in it. Safe to repeat.
    """
    phones.end_proof(table, phone)
    for one in named_by(phone):
        if one.resource.kind == ids.NUMBER:
            claims.release(log, one.resource, str(phone.company))


def _named_by(phone: Phone) -> Iterator[Named]:
    yield _named("metaWabaId", ids.meta_id, ids.ACCOUNT, phone.waba_meta_id)
    if phone.aws_waba is not None:
        yield _named("awsWabaId", ids.aws_id, ids.ACCOUNT, phone.aws_waba)
    yield _named("phone", ids.meta_id, ids.NUMBER, phone.phone)
    on_aws = phone.phone_arn if phone.phone_arn.startswith("arn:aws") else phone.aws_phone
    if on_aws is not None:
        yield _named("phoneArn", ids.aws_id, ids.NUMBER, on_aws)
    if phone.app_id is not None:
        yield _named(APP_FIELD, ids.meta_id, ids.APP, phone.app_id)


def _named(field: str, read: Callable[[str, str], ProviderId], kind: str, text: str) -> Named:
    try:
        resource = read(kind, text)
    except ids.IdInvalid as fault:
        raise NotProven(field, str(fault)) from None
    if kind == ids.APP:
        return Named(resource, field, may_share=True)
    return Named(resource, field, rule=RULE if field == "awsWabaId" else LISTED_RULE)


def _may_use(owner: str | None, company: str, *, may_share: bool) -> bool:
    return owner == company or (may_share and owner == SHARED)
