"""What the checklist finds about the account of the mail provider, the sender, and its records in DNS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.issues.pace import reputation
from newsletters.issues.pace.findings import blocks, warning
from newsletters.store import companies
from shared.access.ownership import claims
from shared.providers.email import sender_records
from shared.providers.email.tenants import Problem, tenant_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.pace.findings import Check
    from newsletters.store.items import Issue

_OF_TENANT: Mapping[Problem, str] = {
    "tenant_missing": "SES has no tenant for the company: an operator makes it",
    "tenant_paused": "SES has paused the tenant of the company: an operator writes to AWS",
    "tenant_incomplete": "the tenant of the company at SES lacks the sender or the configuration set",
}


def of_sender(deps: IssueDependencies, issue: Issue) -> list[Check]:
    """
    Return the findings about account, sender, records and complaints. Raises Transient if the mail provider does not
    answer.
    """
    checks = [*_of_account(deps), *_of_address(deps, issue), *_of_tenant(deps, issue)]
    rate = reputation.complaint_rate(deps.store.table, issue)
    if rate is not None:
        shown = reputation.shown_rate(rate)
        checks.append(warning("complaints", reputation.complaints_problem(shown), rate=shown))
    return checks


def _of_account(deps: IssueDependencies) -> list[Check]:
    account = deps.identities.account()
    if not account.may_send:
        return [blocks("account_paused", "SES has paused the account: an operator writes to AWS")]
    return [warning(code, text) for code, text in reputation.account_problems(account).items()]


def _of_address(deps: IssueDependencies, issue: Issue) -> list[Check]:
    owner, _ = claims.owner_of_email(deps.log, issue.sender)
    if owner != issue.company_id:
        return [blocks("sender_not_owned", "the company does not own the sender's domain")]
    identity = deps.identities.of_address(issue.sender)
    if identity is None or not identity.may_send:
        return [blocks("sender_not_verified", "the mail provider has not verified the sender")]
    if not identity.is_aligned:
        problem = "mails are not signed with DKIM of the sender's domain, so DMARC fails"
        return [blocks("not_aligned", problem)]
    domain = issue.sender.rpartition("@")[2]
    return [*_of_dmarc(domain), *_of_spf(domain, identity.mail_from)]


def _of_dmarc(domain: str) -> Iterator[Check]:
    """Yield what a domain lacks: mails pass by DKIM alone, but large providers ask for a policy, too."""
    policy = sender_records.dmarc_policy(domain)
    if policy == "absent":
        problem = f"no record _dmarc.{domain}: large mailbox providers ask for one"
        yield warning("dmarc_missing", problem, domain=domain)
    if policy == "unknown":
        problem = f"no name server has answered: look up the record _dmarc.{domain}"
        yield warning("dmarc_unknown", problem, domain=domain)


def _of_spf(domain: str, mail_from: str | None) -> Iterator[Check]:
    has_spf = sender_records.has_spf(mail_from) if mail_from else False
    if has_spf is False:
        problem = f"no own MAIL FROM domain with SPF for {domain}: DMARC rests on DKIM alone"
        yield warning("spf_not_aligned", problem, domain=domain)
    if has_spf is None:
        problem = f"no name server has answered: look up the record of SPF of {mail_from}"
        yield warning("spf_unknown", problem, domain=str(mail_from))


def _of_tenant(deps: IssueDependencies, issue: Issue) -> list[Check]:
    settings = companies.get_settings(deps.store.table, issue.company_id)
    if settings is None or not settings.ses_tenant:
        return []
    name = tenant_of(issue.company_id)
    problem = deps.tenants.problem(name, issue.sender)
    return [] if problem is None else [blocks(problem, _OF_TENANT[problem], tenant=name)]
