"""Input models of refunds."""

from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from whatsapp.actions.calls.inputs import (
    Input,
    Money,
    PageInput,
    PhoneNumber,
    ReferenceId,
    TenantId,
    Text,
    Ulid,
)
from whatsapp.actions.commerce.payments.inputs import OrderId, check_one_of

type Reason = Annotated[Text, Field(max_length=200)]


class CreateRefund(Input):
    """Without *amount* the rest of the order is refunded."""

    payment_id: ReferenceId
    amount: Money | None = None
    reason: Reason | None = None


class OfRefund(Input):
    """A refund."""

    refund_id: Ulid


class ProcessRefund(OfRefund):
    """*speed*: instant may cost more, and the provider may process it normally."""

    speed: Literal["normal", "instant"] = "normal"


class FailRefund(OfRefund):
    """A refund that the provider did not make."""

    failure_reason: Reason | None = None


class ProcessRefundWebhook(OfRefund):
    """A claim about a refund."""

    status: Literal["completed", "failed"] = Field(description="the outcome of the refund")


class GetRefunds(PageInput):
    """Exactly one of tenantId, orderId and to."""

    tenant_id: TenantId | None = None
    order_id: OrderId | None = None
    to: PhoneNumber | None = Field(
        default=None, validation_alias=AliasChoices("to", "customerPhone")
    )

    @model_validator(mode="after")
    def _has_one_filter(self) -> Self:
        check_one_of(self, "filter", "tenant_id", "order_id", "to")
        return self
