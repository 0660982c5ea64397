"""The mails of a company at the mail provider, as its tenant of SES if the settings say so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsletters.store import companies
from shared.providers.email.tenants import tenant_of
from shared.providers.outcomes import AddressUnusable, Misconfigured, NotSent, Refused
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import CompanySettings
    from shared.providers.email.ses import Mail
    from shared.providers.outcomes import Sent


def tenant_for(resources: SendingResources, company_id: str) -> str | None:
    """Return the tenant as which a company's mails are sent, None for the account's own."""
    return tenant_by(companies.get_settings(resources.store.table, company_id), company_id)


def tenant_by(settings: CompanySettings | None, company_id: str) -> str | None:
    """As `tenant_for`, by the company's settings."""
    return tenant_of(company_id) if settings is not None and settings.ses_tenant else None


def send(resources: SendingResources, mail: Mail, tenant: str | None) -> Sent:
    """
    Make the one attempt of a mail, of *tenant*. Raises as `Ses.send`.

    A mail that SES has refused is not the reader's fault while the tenant lacks something or is paused: Misconfigured,
    or NotSent if SES does not say.
    """
    if tenant is None:
        return resources.ses().send(mail)
    try:
        return resources.ses().send(replace(mail, tenant=tenant))
    except (AddressUnusable, Misconfigured):
        raise
    except Refused as refusal:
        try:
            problem = resources.tenants().problem(tenant, mail.sender, mail.configuration_set)
        except Transient as unreadable:
            raise NotSent(unreadable.reason) from None
        if problem is not None:
            raise Misconfigured(problem) from None
        raise refusal from None
