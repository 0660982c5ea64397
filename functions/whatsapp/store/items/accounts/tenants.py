"""Tenants and their payments: configurations, orders, transactions, refunds. Money is in minor units."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from shared.aws.audited import audited
from whatsapp.store.items.item import AtMost, WhatsAppItem

type PaymentStatus = Literal[
    "pending", "authorized", "captured", "partially_refunded", "refunded", "failed"
]


def scoped(company: str, tenant: str) -> str:
    """Return how keys name a company's tenant or order. Their ids have no colon, so no key of another form is equal."""
    return f"{company}:{tenant}"


@audited("display_name")
class Tenant(WhatsAppItem):
    """
    A business that takes payments. Contract item 3.

    Two companies may have a tenant of the same id: its key has the company before the id. Items of earlier releases
    have the id only (`store.accounts.orders.tenants`).
    """

    item_type: ClassVar[str] = "TENANT"
    pk_pattern: ClassVar[str] = "TENANT#{tenantId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_tenant",)

    tenant_id: str
    display_name: str | None = None
    waba_id: str | None = None  # Meta's id
    phone_e164: str | None = Field(default=None, alias="phoneE164")
    mcc: str | None = None  # merchant category code
    purpose_code: str | None = None
    default_payment_config: str | None = None  # a `configName`
    created_at: str | None = None

    @classmethod
    def of(cls, company: str, tenant: str) -> str:
        """Return the key of a company's tenant."""
        return cls.key(scoped(company, tenant))


class PaymentConfig(WhatsAppItem):
    """
    A tenant's payment method: a gateway or UPI. Contract item 4; fields below the gap are ours. Its key names the
    tenant as the tenant's own does.
    """

    item_type: ClassVar[str] = "PAYMENT_CONFIG"
    pk_pattern: ClassVar[str] = "TENANT#{tenantId}#PAYCFG#{configName}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_tenant",)

    tenant_id: str
    config_name: str
    type: Literal["PG", "UPI"] | None = None
    status: Literal["active", "inactive", "pending"] | None = None
    payment_gateway_mid: str | None = None  # the merchant id, for any gateway
    upi_id: str | None = None
    mcc: str | None = None
    purpose_code: str | None = None
    last_validated_at: str | None = None

    account: str | None = None  # Meta's id of the account that has the configuration
    provider_name: str | None = None  # the gateway's name at the provider
    status_raw: str | None = None  # the provider's value
    status_at: str | None = None  # the provider's time of the status
    status_order: str | None = None  # ranks reports

    @classmethod
    def of(cls, company: str, tenant: str, name: str) -> str:
        """Return the key of a configuration of a company's tenant."""
        return cls.key(scoped(company, tenant), name)


class PaymentOrder(WhatsAppItem):
    """
    An order that a customer shall pay. Contract item 5; fields below the gap are ours.

        pending -> authorized -> captured -> partially_refunded -> refunded
        pending, authorized -> failed -> captured (paid on a second attempt)

    `refunded` has been paid back; `refund_open` is reserved by refunds that are pending or processing.

    Two companies may use the same reference: its key has the company before it, except in items of earlier releases.
    """

    item_type: ClassVar[str] = "PAYMENT_ORDER"
    pk_pattern: ClassVar[str] = "ORDER#{referenceId}"
    indexes: ClassVar[tuple[str, ...]] = (
        "gsi_customer_phone",
        "gsi_order",
        "gsi_tenant",
        "gsi_payment_status",
    )

    tenant_id: str | None = None
    order_id: str
    reference_id: str
    config_name: str | None = None
    customer_phone: str | None = None
    currency: str
    total_amount: int
    status: Literal["pending", "completed", "failed"]
    payment_status: PaymentStatus | None = None  # absent: paid in a shop, which alone knows
    transaction_id: str | None = None
    created_at: str

    phone: str | None = None
    amount_offset: int = 100
    message_pk: str | None = None
    refund_open: int = 0
    refunded: int = 0
    # The provider's id of a refund -> Parley's refund id: each refund of the provider has one.
    refund_ids: Annotated[dict[str, str], AtMost(100)] = Field(default_factory=dict)
    # The newest 20; each is also a PAYMENT_TX.
    transactions: Annotated[list[dict[str, Any]], AtMost(20)] = Field(default_factory=list)
    payment_status_at: str | None = None
    expires_at: str | None = None
    content_hash: str | None = None  # keyed: of what was ordered, from which number and by whom
    action_id: str | None = None  # of the newest attempt to send it
    attempted_at: str | None = None  # when that attempt began
    # `expired`, the provider's code, or the gateway's text as a caller reported it.
    failure_reason: str | None = None
    order_status: str | None = None  # of the newest order_status message
    source: str | None = None  # the shop that reported the order, such as `wix`
    shop_status: str | None = None  # the shop's newest event
    shop_rank: int | None = None  # ranks the shop's events

    @classmethod
    def of(cls, company: str, reference: str) -> str:
        """Return the key of a company's order."""
        return cls.key(scoped(company, reference))


class PaymentTransaction(WhatsAppItem):
    """One payment attempt for an order, as the provider reports it."""

    item_type: ClassVar[str] = "PAYMENT_TX"
    pk_pattern: ClassVar[str] = "ORDER#{referenceId}#TX#{id}"

    @classmethod
    def of(cls, order: PaymentOrder, transaction: str) -> str:
        """Return the key of an attempt to pay an order."""
        return cls.key(
            order.pk.removeprefix(PaymentOrder.pk_pattern.partition("{")[0]), transaction
        )

    transaction_id: str
    kind: str | None = None  # the provider's name of the payment method
    state: str
    amount: int | None = None
    currency: str | None = None
    noted_at: str


class Refund(WhatsAppItem):
    """
    A refund to a customer. Contract item 6; fields below the gap are ours.

        pending -> processing -> completed | failed
        pending -> cancelled
    """

    item_type: ClassVar[str] = "REFUND"
    pk_pattern: ClassVar[str] = "REFUND#{refundId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone", "gsi_order", "gsi_tenant")

    refund_id: str
    order_id: str
    tenant_id: str | None = None
    customer_phone: str | None = None
    amount: int
    currency: str
    status: Literal["pending", "processing", "completed", "failed", "cancelled"]
    reason: str | None = None
    created_at: str
    processed_at: str | None = None

    reference_id: str | None = None  # of the order
    speed: Literal["normal", "instant"] | None = None
    provider_refund_id: str | None = None
    failure_reason: str | None = None
