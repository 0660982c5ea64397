"""Reads payment configurations at the provider, and stores them for each tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp.actions.calls import remote
from whatsapp.actions.commerce.payments import owners
from whatsapp.api.queries import NotFound
from whatsapp.store.accounts.orders import tenants
from whatsapp.store.items.accounts.tenants import PaymentConfig
from whatsapp.store.ordering import order_key
from whatsapp.worker.updates.payments.configurations import status_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whatsapp.actions.calls.call import Call

UPI = "upi_vpa"
_LONGEST = 256


def creation(config: PaymentConfig) -> dict[str, str]:
    """Return the body that creates a configuration (Meta, "Onboarding APIs")."""
    fields = {
        "configuration_name": config.config_name,
        "provider_name": config.provider_name,
        "merchant_vpa": config.upi_id,
        "merchant_category_code": config.mcc,
        "purpose_code": config.purpose_code,
    }
    return {name: value for name, value in fields.items() if value}


def link_of(answer: dict[str, Any]) -> str | None:
    """Return the link that connects a configuration to its gateway; UPI ids need none."""
    link = answer.get("oauth_url")
    return link if isinstance(link, str) else None


def listed(call: Call[Any], waba: str) -> list[dict[str, Any]]:
    """Return an account's configurations at the provider. Raises as all reads."""
    answer = remote.graph_of_account(call, waba).get(waba, "payment_configurations")
    found: list[dict[str, Any]] = []
    for entry in _objects(answer.get("data")):
        # One more level than other listings have.
        inner = entry.get("payment_configurations")
        found += _objects(inner) if inner is not None else [entry]
    return found


def asked(call: Call[Any], waba: str, name: str) -> dict[str, Any]:
    """Return one configuration at the provider. Raises NotFound, and as all reads."""
    graph = remote.graph_of_account(call, waba)
    answer = graph.get(waba, "payment_configuration", name)
    found = [
        entry
        for entry in (*_objects(answer.get("data")), answer)
        if entry.get("configuration_name") == name
    ]
    if not found:
        raise NotFound("configName: payment configuration not found")
    return found[0]


def synchronise(
    call: Call[Any], waba: str, names: Sequence[str] | None = None
) -> list[PaymentConfig]:
    """
    Store an account's configurations for its tenants, or for the tenants *names*, and return them.

    A stored one that the provider no longer lists becomes inactive. Writes on change only.
    """
    owners.tenants_of_account(call, waba)
    entries = listed(call, waba)
    found: list[PaymentConfig] = []
    for entry in entries:
        found += learn(call, waba, entry, names)
    known = {str(entry.get("configuration_name")) for entry in entries}
    for config in stored(call, waba):
        if config.config_name not in known and config.status != "inactive":
            retire(call, waba, config.config_name)
    return found


def learn(
    call: Call[Any],
    waba: str,
    entry: dict[str, Any],
    names: Sequence[str] | None = None,
    *,
    validated_at: str | None = None,
) -> list[PaymentConfig]:
    """Store the provider's description of one configuration, for each tenant, and return it."""
    name = _text(entry.get("configuration_name"))
    status = status_of(entry.get("status"))
    if status is None:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    if name is None:
        return []
    facts = _facts(entry) | {"account": waba, "last_validated_at": validated_at}
    found = []
    for tenant in names or owners.tenants_of_account(call, waba):
        seen = tenants.get_config(call.table, call.company, tenant, name)
        config = PaymentConfig.model_validate(
            facts
            | {
                "pk": PaymentConfig.of(call.company, tenant, name),
                "company": call.company,
                "tenant_id": tenant,
                "config_name": name,
                "status": status or (seen.status if seen else "pending"),
            }
        )
        found.append(_written(call, seen, config))
    return found


def _facts(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the provider's description of a configuration, by our fields."""
    gateway, vpa = _text(entry.get("provider_name")), _text(entry.get("merchant_vpa"))
    is_upi = vpa is not None or (gateway or "").casefold() == UPI
    return {
        "type": "UPI" if is_upi else "PG",
        "payment_gateway_mid": _text(entry.get("provider_mid")),
        "upi_id": vpa,
        "mcc": _code(entry.get("merchant_category_code")),
        "purpose_code": _code(entry.get("purpose_code")),
        "provider_name": gateway,
        "status_raw": _text(entry.get("status")),
    }


def retire(call: Call[Any], waba: str, name: str) -> None:
    """Make a configuration that the provider removed inactive, for all tenants. Safe to repeat."""
    for tenant in owners.tenants_of_account(call, waba):
        seen = tenants.get_config(call.table, call.company, tenant, name)
        if seen is not None and seen.status != "inactive":
            _written(
                call, seen, seen.model_copy(update={"status": "inactive", "status_raw": "Removed"})
            )


def stored(call: Call[Any], waba: str) -> list[PaymentConfig]:
    """Return the stored configurations of an account, by tenant and name."""
    found: list[PaymentConfig] = []
    for tenant in owners.tenants_of_account(call, waba):
        configs = tenants.all_configs_of(call.table, call.company, tenant)
        found += [config for config in configs if config.account in {None, waba}]
    return found


def first(call: Call[Any], waba: str, name: str) -> PaymentConfig:
    """Return a stored configuration of an account. Raises NotFound."""
    for tenant in owners.tenants_of_account(call, waba):
        config = tenants.get_config(call.table, call.company, tenant, name)
        if config is not None:
            return config
    raise NotFound("configName: payment configuration not found")


def _written(call: Call[Any], seen: PaymentConfig | None, config: PaymentConfig) -> PaymentConfig:
    """Write a configuration, with the time of a changed status, so that older webhooks do not undo it."""
    if seen is None or (seen.status, seen.status_raw) != (config.status, config.status_raw):
        at = clock.to_text(clock.now_ms())
        config = config.model_copy(
            update={"status_at": at, "status_order": order_key(at, config.pk)}
        )
    tenants.write_config(call.table, seen, config)
    return seen.model_copy(update=_given(config)) if seen else config


def _given(config: PaymentConfig) -> dict[str, Any]:
    return {
        name: value
        for name in PaymentConfig.model_fields
        if (value := getattr(config, name)) is not None
    }


def _code(value: object) -> str | None:
    """Return a category or purpose code: the provider answers {code, description}, and takes the code alone."""
    return _text(value.get("code") if isinstance(value, dict) else value)


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value[:_LONGEST] if isinstance(value, str) and value else None
