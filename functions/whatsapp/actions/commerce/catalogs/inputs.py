"""Inputs of the actions on catalogs."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import (
    CatalogId,
    Currency,
    Flag,
    HttpsUrl,
    Input,
    Money,
    PageInput,
    RetailerId,
    Text,
    WabaId,
)

type Availability = Literal["in_stock", "out_of_stock"]


class ProductInput(Input):
    """A product. `price` in minor units: 50000 is INR 500.00. Without `description` its name describes it."""

    retailer_id: RetailerId
    name: Annotated[Text, Field(max_length=150)]
    description: Annotated[str, Field(min_length=1, max_length=5_000)] | None = None
    price: Money
    currency: Currency
    image_url: HttpsUrl
    url: HttpsUrl | None = None
    category: Annotated[Text, Field(max_length=250)] | None = None
    availability: Availability = "in_stock"


class UploadCatalog(Input):
    """
    Up to 5,000 products, and their catalog: `catalogId`, or `catalogName` with `businessId`, which creates the catalog
    unless the business has one with this name.
    """

    meta_waba_id: WabaId
    catalog_id: CatalogId | None = None
    catalog_name: Annotated[Text, Field(max_length=100)] | None = None
    business_id: Annotated[str, Field(pattern=r"^[0-9]{5,25}$")] | None = None
    products: Annotated[list[ProductInput], Field(min_length=1, max_length=5_000)]

    @model_validator(mode="after")
    def _names_a_catalog(self) -> Self:
        by_name = (self.catalog_name, self.business_id)
        if self.catalog_id is None and None in by_name:
            problem = "must have catalogId, or catalogName and businessId"
            raise PydanticCustomError("catalog", problem)
        if self.catalog_id is not None and by_name != (None, None):
            problem = "must have no catalogName and businessId beside catalogId"
            raise PydanticCustomError("catalog", problem)
        if len({one.retailer_id for one in self.products}) < len(self.products):
            raise PydanticCustomError("products", "products must have different retailerIds")
        return self


class GetCatalogProducts(PageInput):
    """A catalog; `refresh` reads the provider first. `category` filters the page."""

    catalog_id: CatalogId
    category: Annotated[
        Annotated[str, Field(min_length=1, max_length=250)] | None,
        Field(description="only products of this category"),
    ] = None
    refresh: Flag = False


class GetConnectedCatalogs(PageInput):
    """The catalogs that are connected to an account."""

    meta_waba_id: WabaId


class ConnectCatalog(Input):
    """A catalog that the account's access token reaches."""

    meta_waba_id: WabaId
    catalog_id: CatalogId


class DisconnectCatalog(Input):
    """A catalog of an account."""

    meta_waba_id: WabaId
    catalog_id: CatalogId
