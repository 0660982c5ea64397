"""Creates, lists, verifies, connects and removes payment configurations of accounts at the provider."""

from typing import Any

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.views import Done
from whatsapp.actions.commerce.payments import owners
from whatsapp.actions.commerce.payments.configurations import provider_configs
from whatsapp.actions.commerce.payments.configurations.inputs import (
    GetOAuthLink,
    GetPaymentConfigurations,
    MetaPaymentOnboarding,
    OfAccount,
    PaymentOnboarding,
    SeedPaymentConfigs,
)
from whatsapp.actions.commerce.payments.views import ConfigsView, ConfigView, config_view
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.inbound.payments.gateways import GATEWAYS
from whatsapp.sending.failures import ProviderRejected
from whatsapp.store.accounts.orders import tenants
from whatsapp.store.items.accounts.tenants import PaymentConfig

PAYMENTS = Group("payments")
EXTRA = Group("payments_extra")
_FIND = "list the account's configurations with get_payment_configurations"
_GONE = "graph_100"  # the provider's code for an unknown configuration


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def payment_onboarding(call: Call[PaymentOnboarding]) -> ConfigView:
    """
    Create a gateway's configuration at the provider and return the link that connects it to the gateway.

    It is pending until the provider reports it as active. Credentials of the gateway are never parameters:
    `gatewaySecret` names the secret's field to be filled, if the gateway is to report payments directly.
    """
    asked = call.input
    config = PaymentConfig(
        pk="-",
        tenant_id="-",
        config_name=asked.configuration_name,
        type="PG",
        status="pending",
        provider_name=asked.provider,
        mcc=asked.mcc,
        purpose_code=asked.purpose_code,
    )
    return _created(call, config, asked.tenant_id, asked.redirect_url)


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def meta_payment_onboarding(call: Call[MetaPaymentOnboarding]) -> ConfigView:
    """Create a configuration of a gateway or of a UPI id at the provider, and store it as pending."""
    asked = call.input
    config = PaymentConfig(
        pk="-",
        tenant_id="-",
        config_name=asked.configuration_name,
        type="UPI" if asked.upi_id else "PG",
        status="pending",
        provider_name=asked.payment_gateway or provider_configs.UPI,
        payment_gateway_mid=asked.merchant_id,
        upi_id=asked.upi_id,
        mcc=asked.mcc,
        purpose_code=asked.purpose_code,
    )
    return _created(call, config, asked.tenant_id, asked.redirect_url)


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def get_payment_configurations(call: Call[GetPaymentConfigurations]) -> Page[ConfigsView]:
    """
    List an account's configurations, by name. With `refresh` they are read from the provider and stored when changed.

    Configurations that the provider no longer lists become inactive.
    """
    asked = call.input
    if asked.refresh:
        provider_configs.synchronise(call, asked.meta_waba_id)
    found = provider_configs.stored(call, asked.meta_waba_id)
    shown, cursor = paging.slice_of(call, [config_view(one) for one in found])
    return Page(ConfigsView(configurations=shown), cursor)


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def verify_payment_configuration(call: Call[OfAccount]) -> ConfigView:
    """Ask the provider for a configuration's status and store it. Nothing else makes a configuration active."""
    asked = call.input
    owners.tenants_of_account(call, asked.meta_waba_id)
    listed = provider_configs.asked(call, asked.meta_waba_id, asked.configuration_name)
    configs = provider_configs.learn(call, asked.meta_waba_id, listed)
    return config_view(configs[0])


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def seed_payment_configs(call: Call[SeedPaymentConfigs]) -> ConfigsView:
    """
    Store the configurations of the tenants' accounts, as the provider lists them. A tenant without a default gets its
    first active one.
    """
    wanted = owners.tenant_of(call, call.input.tenant_id) if call.input.tenant_id else None
    accounts: dict[str, set[str]] = {}
    for phone in participants.phones_of(call):
        tenant = phone.tenant or call.company
        if wanted is None or tenant == wanted.tenant_id or phone.waba_meta_id == wanted.waba_id:
            named = wanted.tenant_id if wanted else tenant
            accounts.setdefault(phone.waba_meta_id, set()).add(named)
    if not accounts:
        raise NotFound("tenantId: the tenant has no number")
    found: list[PaymentConfig] = []
    for waba, names in sorted(accounts.items()):
        found += provider_configs.synchronise(call, waba, sorted(names))
    for tenant_id in sorted({config.tenant_id for config in found}):
        _choose_default(call, tenant_id, found)
    return ConfigsView(configurations=[config_view(config) for config in found])


@EXTRA.changes("remote_graph", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def get_payment_oauth_link(call: Call[GetOAuthLink]) -> ConfigView:
    """Return a new link that connects a configuration to its gateway. Earlier links may stop working."""
    asked = call.input
    config = provider_configs.first(call, asked.meta_waba_id, asked.configuration_name)
    graph = remote.graph_of_account(call, asked.meta_waba_id)
    body = {"configuration_name": asked.configuration_name} | _redirect(asked.redirect_url)
    answer = graph.post(asked.meta_waba_id, "generate_payment_configuration_oauth_link", body=body)
    return config_view(config, oauth_url=provider_configs.link_of(answer))


@EXTRA.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def delete_payment_configuration(call: Call[OfAccount]) -> Done:
    """
    Remove a configuration at the provider; its item becomes inactive. One that is gone already counts as removed.

    A default of a tenant or number is kept: state_conflict.
    """
    asked = call.input
    waba, name = asked.meta_waba_id, asked.configuration_name
    provider_configs.first(call, waba, name)
    for tenant_id in owners.tenants_of_account(call, waba):
        if owners.tenant_of(call, tenant_id).default_payment_config == name:
            raise StateConflict("configName: is the default of a tenant")
    if any(one.default_payment_config == name for one in participants.account_of(call, waba)):
        raise StateConflict("configName: is the default of a number")
    graph = remote.graph_of_account(call, waba)
    try:
        graph.delete(waba, "payment_configuration", body={"configuration_name": name})
    except ProviderRejected as refusal:
        if refusal.code != _GONE:
            raise
    provider_configs.retire(call, waba, name)
    return Done()


def _created(
    call: Call[Any], config: PaymentConfig, tenant_id: str | None, redirect: str | None
) -> ConfigView:
    """Create a configuration at the provider, once per call, and store it as pending."""
    waba = call.input.meta_waba_id
    phone = participants.account_of(call, waba)[0]
    tenant = owners.tenant_of(call, tenant_id or phone.tenant or call.company).tenant_id
    seen = tenants.get_config(call.table, call.company, tenant, config.config_name)
    graph = remote.graph_of_account(call, waba)
    body = provider_configs.creation(config) | _redirect(redirect)
    link: list[str | None] = []

    def attempt() -> str:
        answer = graph.attempt("POST", waba, "payment_configuration", body=body)
        link.append(provider_configs.link_of(answer))
        return config.config_name

    remote.once(call, phone, _FIND, attempt)
    now = clock.to_text(clock.now_ms())
    config = config.model_copy(
        update={
            "pk": PaymentConfig.of(call.company, tenant, config.config_name),
            "company": call.company,
            "tenant_id": tenant,
            "account": waba,
            "status_at": now,
        }
    )
    # After a webhook the provider's own status is stored already.
    if seen is None or seen.status_order is None:
        tenants.write_config(call.table, seen, config)
    gateway = config.provider_name
    secret = f"gateways.{gateway}" if gateway in GATEWAYS else None
    return config_view(config, oauth_url=link[0] if link else None, gateway_secret=secret)


def _choose_default(call: Call[Any], tenant_id: str, found: list[PaymentConfig]) -> None:
    tenant = owners.tenant_of(call, tenant_id)
    active = [one for one in found if (one.tenant_id, one.status) == (tenant_id, "active")]
    if tenant.default_payment_config or not active:
        return
    tenants.save(
        call.table,
        tenant.model_copy(
            update={
                "default_payment_config": active[0].config_name,
                "created_at": tenant.created_at or clock.to_text(clock.now_ms()),
            }
        ),
    )


def _redirect(url: str | None) -> dict[str, str]:
    return {"redirect_url": url} if url else {}
