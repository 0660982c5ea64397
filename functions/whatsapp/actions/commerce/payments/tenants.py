"""Stores and shows tenants of a company, their payment configurations, and the defaults."""

from typing import Annotated, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp.actions.calls import names, paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    ConfigName,
    Flag,
    Input,
    PageInput,
    PhoneId,
    PhoneNumber,
    TenantId,
    Text,
    WabaId,
)
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.commerce.payments import owners
from whatsapp.actions.commerce.payments.configurations import provider_configs
from whatsapp.actions.commerce.payments.inputs import Mcc, OrderInput, PurposeCode
from whatsapp.actions.commerce.payments.order_details import (
    Checkout,
    message_of,
    settings_of,
    totals_of,
)
from whatsapp.actions.commerce.payments.requests import checkouts
from whatsapp.actions.commerce.payments.views import (
    ConfigsView,
    ConfigView,
    TenantNumber,
    TenantView,
    config_view,
    tenant_view,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.failures import NotConfigured
from whatsapp.store import phones as phone_store
from whatsapp.store.accounts.orders import tenants
from whatsapp.store.items.accounts.tenants import PaymentConfig, Tenant

PAYMENTS = Group("payments")
EXTRA = Group("payments_extra")
_TEST_AMOUNT = 100  # paise: the smallest amount of a UPI payment


class SaveTenant(Input):
    """A tenant. *metaWabaId* is an account of the company, *phone* one of that account's numbers."""

    tenant_id: TenantId
    display_name: Annotated[Text, Field(max_length=100)]
    waba_id: WabaId = Field(validation_alias=AliasChoices("metaWabaId", "wabaId"))
    phone: PhoneNumber | None = Field(
        default=None,
        validation_alias=AliasChoices("phone", "phoneE164"),
        description="the number of the business unit, one of the account's",
    )
    mcc: Mcc | None = None
    purpose_code: PurposeCode | None = None


class OfTenant(Input):
    """A tenant."""

    tenant_id: TenantId


class ListConfigurations(PageInput):
    """A tenant's configurations."""

    tenant_id: TenantId


class GetConfiguration(OfTenant):
    """A tenant's configuration."""

    config_name: ConfigName


class SetDefault(GetConfiguration):
    """With `phone` the default of that number alone."""

    phone: PhoneId | None = Field(default=None, validation_alias=names.PHONE)


class ValidateConfig(GetConfiguration):
    """`sendTestOrder` sends an order of INR 1.00 to *to*."""

    send_test_order: Flag = False
    to: PhoneNumber | None = Field(default=None, validation_alias=AliasChoices("to", "testPhone"))

    @model_validator(mode="after")
    def _names_a_recipient(self) -> Self:
        if self.send_test_order and self.to is None:
            raise PydanticCustomError("test", "to is required with sendTestOrder")
        return self


@EXTRA.changes("local", Scope.WHATSAPP_ADMIN)
def save_tenant(call: Call[SaveTenant]) -> TenantView:
    """Create or change a tenant of the company; absent fields are kept. Other companies may use the same id."""
    asked = call.input
    phones = participants.account_of(call, asked.waba_id)
    number = None
    if asked.phone is not None:
        number = participants.number_of(asked.phone, phones[0], "phone")
        if not any(phone.has_number(number) for phone in phones):
            problem = "must be a number of the account"
            raise InvalidInput([{"field": "phone", "problem": problem}])
    tenant = Tenant.model_validate(
        {
            "pk": Tenant.of(call.company, asked.tenant_id),
            "company": call.company,
            "tenant_id": asked.tenant_id,
            "display_name": asked.display_name,
            "waba_id": asked.waba_id,
            "phoneE164": f"+{number}" if number else None,
            "mcc": asked.mcc,
            "purpose_code": asked.purpose_code,
            "created_at": clock.to_text(clock.now_ms()),
        }
    )
    return tenant_view(tenants.save(call.table, tenant))


@EXTRA.reads("local", Scope.WHATSAPP_READ)
def get_tenant(call: Call[OfTenant]) -> TenantView:
    """Return a tenant with its numbers and payment configurations."""
    tenant = owners.tenant_of(call, call.input.tenant_id)
    configs = tenants.all_configs_of(call.table, call.company, tenant.tenant_id)
    numbers = [
        TenantNumber(
            phone_number_id=phone.phone, display_phone=phone.display_phone, enabled=phone.enabled
        )
        for phone in participants.phones_of(call)
        if (phone.tenant or call.company) == tenant.tenant_id or phone.has_number(tenant.phone_e164)
    ]
    return tenant_view(
        tenant, numbers=numbers, configurations=[config_view(config) for config in configs]
    )


@PAYMENTS.reads("local", Scope.WHATSAPP_PAYMENTS)
def list_payment_configurations(call: Call[ListConfigurations]) -> Page[ConfigsView]:
    """List the stored configurations of a tenant."""
    tenant = owners.tenant_of(call, call.input.tenant_id)
    found, last = tenants.configs_of(
        call.table,
        call.company,
        tenant.tenant_id,
        limit=call.input.limit,
        start=paging.start_of(call),
    )
    shown = [config_view(config) for config in found]
    return Page(ConfigsView(configurations=shown), paging.cursor_of(call, last))


@PAYMENTS.reads("local", Scope.WHATSAPP_PAYMENTS)
def get_payment_configuration(call: Call[GetConfiguration]) -> ConfigView:
    """Return one stored configuration of a tenant."""
    return config_view(owners.config_of(call, call.input.tenant_id, call.input.config_name))


@PAYMENTS.changes("local", Scope.WHATSAPP_PAYMENTS)
def set_default_payment_configuration(call: Call[SetDefault]) -> TenantView:
    """Make an active configuration the default of its tenant, or of one of its numbers."""
    asked = call.input
    tenant = owners.tenant_of(call, asked.tenant_id)
    config = owners.config_of(call, tenant.tenant_id, asked.config_name)
    if config.status != "active":
        raise StateConflict(f"configName: the configuration is {config.status}")
    if asked.phone is not None:
        phone = participants.phone_by_id(call, asked.phone)
        if config.account not in {None, phone.waba_meta_id}:
            problem = "is a number of another account"
            raise InvalidInput([{"field": "phone", "problem": problem}])
        tenants.set_default_of_phone(call.table, phone.phone, config.config_name)
        phone_store.forget()
        return tenant_view(tenant)
    changed = tenant.model_copy(
        update={
            "default_payment_config": config.config_name,
            "created_at": tenant.created_at or clock.to_text(clock.now_ms()),
        }
    )
    return tenant_view(tenants.save(call.table, changed))


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def validate_payment_config(call: Call[ValidateConfig]) -> ConfigView:
    """
    Check a configuration's fields and its status at the provider, and store when it was checked.

    `problems` lists the reasons why it takes no payments. `sendTestOrder` sends an order of INR 1.00, which is a real
    payment if the recipient pays it; refused with not_configured unless the configuration is active.
    """
    asked = call.input
    config = owners.config_of(call, asked.tenant_id, asked.config_name)
    waba = config.account or owners.tenant_of(call, asked.tenant_id).waba_id
    if waba is None:
        raise NotConfigured("configName: its account is unknown; run get_payment_configurations")
    listed = provider_configs.asked(call, waba, asked.config_name)
    now = clock.to_text(clock.now_ms())
    (config,) = provider_configs.learn(call, waba, listed, [asked.tenant_id], validated_at=now)
    test = _test_order(call, config) if asked.send_test_order else None
    return config_view(config, problems=_problems(config), test_order=test)


def _test_order(call: Call[ValidateConfig], config: PaymentConfig) -> SentMessage:
    """Send an order of the smallest amount with a configuration."""
    asked = call.input
    phone = owners.sender_of_tenant(call, asked.tenant_id)
    checkouts.config_for(
        call, phone, name=config.config_name, tenant_id=asked.tenant_id, gateway=None
    )
    reference = f"test-{digest(call.cause)[:24]}"
    item = {"retailerId": "test", "name": "Test", "amount": _TEST_AMOUNT, "quantity": 1}
    order = OrderInput.model_validate({"items": [item], "subtotal": _TEST_AMOUNT, "tax": 0})
    checkout = Checkout(
        reference=reference,
        order=order,
        totals=totals_of(order, None),
        settings=settings_of(config, reference),
    )
    return checkouts.send(
        call,
        phone,
        participants.conversation_with(call, phone, str(asked.to), "to"),
        checkout,
        message_of,
        seconds=3_600,
        config=config,
    )


def _problems(config: PaymentConfig) -> list[str]:
    """Return the reasons why a configuration takes no payments."""
    needed = {
        "it has no merchant category code": config.mcc,
        "it has no purpose code": config.purpose_code,
    }
    if config.type == "UPI":
        needed["it has no UPI id"] = config.upi_id
    else:
        needed["it has no merchant id of its gateway"] = config.payment_gateway_mid
    missing = [problem for problem, value in needed.items() if not value]
    status = config.status
    inactive = [] if status == "active" else [f"the provider's status is {status}, not active"]
    return [*inactive, *missing]
