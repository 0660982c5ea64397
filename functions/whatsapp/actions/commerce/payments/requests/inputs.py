"""Input models of the actions that ask customers to pay."""

from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.runtime.validation import patterns
from whatsapp.actions.calls.inputs import (
    CatalogId,
    ConfigName,
    Flag,
    Input,
    MediaId,
    Money,
    PhoneOrUserId,
    ReferenceId,
    TenantId,
    Text,
)
from whatsapp.actions.commerce.payments.inputs import (
    Beneficiary,
    Body,
    Expiration,
    Goods,
    OrderId,
    OrderInput,
    OrderItem,
    PaidSend,
    Short,
)
from whatsapp.actions.templates.sending.inputs import TemplateSend

_UPI = "UPI_INTENT"


class CreatePaymentRequest(PaidSend):
    """An order of one line. *amount* is in paise; *provider* chooses the configuration of that gateway."""

    order_id: OrderId
    amount: Money
    description: Short | None = None
    config_name: ConfigName | None = None
    provider: Annotated[str, Field(min_length=1, max_length=20)] | None = None


class SendPaymentOrder(PaidSend):
    """An order. *paymentType* UPI_INTENT needs `upiIntentLink`, the others a payment configuration."""

    reference_id: ReferenceId
    total_amount: Money
    payment_type: (
        Literal["PG_RAZORPAY", "PG_PAYU", "PG_BILLDESK", "PG_ZAAKPAY", "UPI_INTENT"] | None
    ) = None
    payment_configuration_name: ConfigName | None = None
    upi_intent_link: (
        Annotated[
            Text,
            Field(
                max_length=2_000,
                pattern=patterns.worded(r"^upi://pay\?", "must begin with upi://pay?"),
            ),
        ]
        | None
    ) = None
    order: OrderInput
    goods_type: Goods = "digital-goods"
    beneficiary: Beneficiary | None = None
    expiration_seconds: Expiration | None = None
    body: Body | None = None
    footer: Short | None = None
    header_image_id: MediaId | None = None
    tenant_id: TenantId | None = None

    @model_validator(mode="after")
    def _has_one_method(self) -> Self:
        if (self.payment_type == _UPI) != (self.upi_intent_link is not None):
            raise PydanticCustomError("upi", "upiIntentLink is for paymentType UPI_INTENT only")
        if self.upi_intent_link and self.payment_configuration_name:
            raise PydanticCustomError("upi", "must not have both a UPI link and a configuration")
        if self.beneficiary is not None and self.goods_type == "digital-goods":
            raise PydanticCustomError("goods", "beneficiary is for physical-goods only")
        return self


class SendOrderDetails(PaidSend):
    """An order as flat fields; sums that are absent are calculated."""

    reference_id: ReferenceId
    items: Annotated[list[OrderItem], Field(min_length=1, max_length=999)]
    order_type: Goods = "digital-goods"
    catalog_id: CatalogId | None = None
    subtotal: Money | None = None
    tax: Money | None = None
    shipping: Money | None = None
    discount: Money | None = None
    total: Money | None = Field(
        default=None,
        validation_alias=AliasChoices("totalAmount", "total"),
        description="the amount to pay in minor units; absent: computed",
    )
    config_name: ConfigName | None = None
    tenant_id: TenantId | None = None
    payment_status: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    order_status: Literal["pending"] | None = None


class SendOrderOfTenant(Input):
    """An order with its `referenceId`; sender and configuration are the tenant's."""

    tenant_id: TenantId
    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "toPhone"))
    order: OrderInput
    config_name: ConfigName | None = None
    expiration_seconds: Expiration | None = None
    goods_type: Goods = "digital-goods"
    body: Body | None = None
    dry_run: Flag = False


class SendCheckoutTemplate(PaidSend, TemplateSend):
    """An approved template with an order_details button, and values of its other parts."""

    payment_configuration_name: ConfigName
    reference_id: ReferenceId
    total_amount: Money
    order: OrderInput
    expiration_seconds: Expiration = 300
    tenant_id: TenantId | None = None
