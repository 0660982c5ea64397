"""Input models of orders. Money is in minor units: 50000 is INR 500.00."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from shared.runtime.validation import patterns
from whatsapp.actions.calls.inputs import (
    CatalogId,
    Currency,
    Input,
    Money,
    ReferenceId,
    RetailerId,
    SendInput,
    Text,
    Whole,
)

type OrderId = Annotated[str, Field(min_length=1, max_length=64)]
type Mcc = Annotated[str, Field(pattern=r"^[0-9]{4}$")]
type PurposeCode = Annotated[str, Field(pattern=r"^[0-9A-Za-z]{2,5}$")]
type UpiId = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^[A-Za-z0-9._-]{2,256}@[A-Za-z]{2,64}$", "must be a UPI id such as shop@bank"
        )
    ),
]
type Short = Annotated[Text, Field(max_length=60)]
type Body = Annotated[Text, Field(max_length=1_024)]
type Expiration = Annotated[Whole, Field(ge=300, le=2_592_000)]
type Goods = Literal["digital-goods", "physical-goods"]
type GatewayName = Literal["razorpay", "payu", "billdesk", "zaakpay"]


def check_one_of(asked: BaseModel, error: str, *fields: str) -> None:
    """Raise unless exactly one of the fields is given."""
    if sum(getattr(asked, field) is not None for field in fields) != 1:
        names = ", ".join(map(to_camel, fields))
        raise PydanticCustomError(error, f"must have exactly one of {names}")


class OrderItem(Input):
    """One article: *amount* is the price of one piece, *saleAmount* its reduced price."""

    retailer_id: RetailerId
    name: Short
    amount: Money
    quantity: Annotated[Whole, Field(ge=1, le=99_999)]
    sale_amount: Money | None = None

    @model_validator(mode="after")
    def _is_reduced(self) -> Self:
        if self.sale_amount is not None and self.sale_amount >= self.amount:
            raise PydanticCustomError("sale", "saleAmount must be less than amount")
        return self


class OrderInput(Input):
    """An order: subtotal = sum of the items, total = subtotal + tax + shipping - discount. A fee is an item."""

    reference_id: ReferenceId | None = None
    items: Annotated[list[OrderItem], Field(min_length=1, max_length=999)]
    subtotal: Money
    tax: Money
    shipping: Money | None = None
    discount: Money | None = None
    total: Money | None = None
    catalog_id: CatalogId | None = None
    tax_description: Short | None = None
    shipping_description: Short | None = None
    discount_description: Short | None = None


class Beneficiary(Input):
    """The recipient of physical goods."""

    name: Annotated[Text, Field(max_length=200)]
    address_line1: Annotated[Text, Field(max_length=100, alias="address_line1")]
    address_line2: Annotated[Text | None, Field(max_length=100, alias="address_line2")] = None
    city: Annotated[Text, Field(max_length=60)]
    state: Annotated[Text, Field(max_length=60)]
    country: Annotated[Text, Field(max_length=60)]
    postal_code: Annotated[str, Field(pattern=r"^[0-9]{6}$", alias="postal_code")]


class PaidSend(SendInput):
    """A message about money; Indian numbers take rupees only."""

    currency: Currency = "INR"
