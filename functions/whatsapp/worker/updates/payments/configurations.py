"""Payment configurations of an account: connected, tested, removed. (Meta, payment_configuration_update.)"""

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.observability import metrics
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import Account
from whatsapp.recovery import parking
from whatsapp.store.accounts.orders import tenants
from whatsapp.store.items.accounts.tenants import PaymentConfig
from whatsapp.worker.updates.moments import moment_of

# Lower case, blanks as underscores: the provider uses both spellings.
_STATUSES = {
    "active": "active",
    "needs_connecting": "pending",
    "needs_testing": "pending",
    "removed": "inactive",
}
_LONGEST_NAME = 256


def update(resources: Resources, event: Event, account: Account) -> Outcome:
    """
    Update the configuration for every tenant that has a number of the account, then store the event.

    If no number names a tenant, the company is the tenant. An unknown status changes nothing.
    """
    payload = event.payload or {}
    name, word = payload.get("configuration_name"), payload.get("status")
    status = status_of(word)
    if status is None:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    if status is not None and isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME:
        for tenant in sorted({phone.tenant or account.company for phone in account.phones}):
            tenants.report_config(
                resources.table, _config(event, account.company, tenant, name, status)
            )
    return parking.keep(resources, event, account)


def status_of(word: object) -> str | None:
    """Return our status for the provider's word; None for an unknown one."""
    return _STATUSES.get(str(word).casefold().replace(" ", "_"))


def _config(event: Event, company: str, tenant: str, name: str, status: str) -> PaymentConfig:
    payload = event.payload or {}
    gateway, merchant = _text(payload.get("provider_name")), _text(payload.get("provider_mid"))
    moment = moment_of(event)
    return PaymentConfig.model_validate(
        {
            "pk": PaymentConfig.of(company, tenant, name),
            "company": company,
            "tenant_id": tenant,
            "config_name": name,
            "type": "PG" if merchant else None,
            "status": status,
            "account": event.waba or None,
            "payment_gateway_mid": merchant,
            "provider_name": gateway,
            "status_raw": _text(payload.get("status")),
            "status_at": moment.at,
            "status_order": moment.order,
        }
    )


def _text(value: object) -> str | None:
    return value[:_LONGEST_NAME] if isinstance(value, str) and value else None
