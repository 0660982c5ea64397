"""Responses about orders, refunds, payment configurations and tenants. Amounts are in minor units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from whatsapp.actions.calls.provider_objects import ProviderPayment  # noqa: TC001 - pydantic needs it
from whatsapp.actions.calls.views import SentMessage  # noqa: TC001 - pydantic needs it
from whatsapp.sending.views import View

if TYPE_CHECKING:
    from whatsapp.store.items.accounts.tenants import PaymentConfig, PaymentOrder, Refund, Tenant


class AttemptView(View):
    """An attempt of the customer to pay, with the provider's word for its state."""

    id: str
    state: str
    at: str


class OrderView(View):
    """
    An order. *paymentStatus* is confirmed by look-ups; absent for an order of a shop.

    *payment* is the provider's own description, if this call looked the payment up. *note* has the reason if it could
    not be looked up.
    """

    reference_id: str
    order_id: str
    tenant_id: str | None = None
    config_name: str | None = None
    customer_phone: str | None = None
    currency: str
    total_amount: int
    status: str
    payment_status: str | None = None
    transaction_id: str | None = None
    created_at: str
    expires_at: str | None = None
    failure_reason: str | None = None
    order_status: str | None = None
    refunded: int = 0
    refund_open: int = 0
    message_pk: str | None = None
    source: str | None = None
    shop_status: str | None = None
    transactions: list[AttemptView] = Field(default_factory=list)
    payment: ProviderPayment | None = None
    confirmation: SentMessage | None = None
    note: str | None = None


class OrdersView(View):
    """A page of orders."""

    orders: list[OrderView]


class RefundView(View):
    """A refund. *providerRefundId* is the provider's id, once it is known."""

    refund_id: str
    reference_id: str | None = None
    order_id: str
    tenant_id: str | None = None
    customer_phone: str | None = None
    amount: int
    currency: str
    status: str
    reason: str | None = None
    created_at: str
    processed_at: str | None = None
    speed: str | None = None
    provider_refund_id: str | None = None
    failure_reason: str | None = None


class RefundsView(View):
    """A page of refunds."""

    refunds: list[RefundView]


class ConfigView(View):
    """
    A payment configuration. *statusRaw* is the provider's word. *oauthUrl* connects it to its gateway.

    *gatewaySecret* names the secret's field that verifies the gateway's own webhooks.
    """

    tenant_id: str
    config_name: str
    type: str | None = None
    status: str | None = None
    status_raw: str | None = None
    provider_name: str | None = None
    payment_gateway_mid: str | None = None
    upi_id: str | None = None
    mcc: str | None = None
    purpose_code: str | None = None
    last_validated_at: str | None = None
    oauth_url: str | None = None
    gateway_secret: str | None = None
    problems: list[str] = Field(default_factory=list)
    test_order: SentMessage | None = None


class ConfigsView(View):
    """A page of payment configurations."""

    configurations: list[ConfigView]


class TenantNumber(View):
    """A number of a tenant."""

    phone_number_id: str
    display_phone: str
    enabled: bool


class TenantView(View):
    """A tenant; its numbers and configurations are shown by `get_tenant` only."""

    tenant_id: str
    display_name: str | None = None
    waba_id: str | None = None
    phone_e164: str | None = None
    mcc: str | None = None
    purpose_code: str | None = None
    default_payment_config: str | None = None
    created_at: str | None = None
    numbers: list[TenantNumber] | None = None
    configurations: list[ConfigView] | None = None


def order_view(order: PaymentOrder, **more: Any) -> OrderView:  # noqa: ANN401 - fields of the view
    """Return the response about an order."""
    return OrderView.model_validate(_fields(order, OrderView) | more)


def refund_view(refund: Refund) -> RefundView:
    """Return the response about a refund."""
    return RefundView.model_validate(_fields(refund, RefundView))


def config_view(config: PaymentConfig, **more: Any) -> ConfigView:  # noqa: ANN401 - fields of the view
    """Return the response about a payment configuration."""
    return ConfigView.model_validate(_fields(config, ConfigView) | more)


def tenant_view(tenant: Tenant, **more: Any) -> TenantView:  # noqa: ANN401 - fields of the view
    """Return the response about a tenant."""
    return TenantView.model_validate(_fields(tenant, TenantView) | more)


def _fields(
    item: PaymentOrder | Refund | PaymentConfig | Tenant, view: type[View]
) -> dict[str, Any]:
    shared = view.model_fields.keys() & type(item).model_fields.keys()
    return {name: getattr(item, name) for name in shared}
