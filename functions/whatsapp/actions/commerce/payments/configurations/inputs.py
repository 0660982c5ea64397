"""Input models of payment configurations."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import (
    ConfigName,
    Flag,
    HttpsUrl,
    Input,
    PageInput,
    TenantId,
    Text,
    WabaId,
)
from whatsapp.actions.commerce.payments.inputs import GatewayName, Mcc, PurposeCode, UpiId


class PaymentOnboarding(Input):
    """A gateway's configuration."""

    meta_waba_id: WabaId
    tenant_id: TenantId | None = None
    provider: GatewayName
    configuration_name: ConfigName
    mcc: Mcc | None = None
    purpose_code: PurposeCode | None = None
    redirect_url: HttpsUrl | None = None


class MetaPaymentOnboarding(Input):
    """A configuration of a gateway or of a UPI id: exactly one of `paymentGateway` and `upiId`."""

    meta_waba_id: WabaId
    tenant_id: TenantId | None = None
    configuration_name: ConfigName
    payment_gateway: GatewayName | None = None
    merchant_id: Annotated[Text, Field(max_length=64)] | None = None
    mcc: Mcc
    purpose_code: PurposeCode
    upi_id: UpiId | None = None
    redirect_url: HttpsUrl | None = None

    @model_validator(mode="after")
    def _has_one_method(self) -> Self:
        if (self.payment_gateway is None) == (self.upi_id is None):
            raise PydanticCustomError("method", "must have exactly one of paymentGateway, upiId")
        if self.merchant_id is not None and self.payment_gateway is None:
            raise PydanticCustomError("merchant", "merchantId is for gateways only")
        return self


class GetPaymentConfigurations(PageInput):
    """The configurations of an account; without `refresh` only those stored here."""

    meta_waba_id: WabaId
    refresh: Flag = True


class OfAccount(Input):
    """A configuration of an account."""

    meta_waba_id: WabaId
    configuration_name: ConfigName


class GetOAuthLink(OfAccount):
    """A configuration of an account; the gateway returns to *redirectUrl*."""

    redirect_url: HttpsUrl | None = None


class SeedPaymentConfigs(Input):
    """A tenant; without it every tenant of the company's numbers."""

    tenant_id: TenantId | None = None
