"""Sends messages of templates that show a catalog, or some of its products."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import CatalogId, Input, RetailerId, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates.sending import sends, values
from whatsapp.actions.templates.sending.sends import TemplateSend, Values
from whatsapp.sending.drafts import Draft

MARKETING = Group("marketing_templates")
MOST_PRODUCTS = 30


class SendCatalog(TemplateSend):
    """The catalog; `thumbnailProductRetailerId` is the product whose picture is shown, the first one by default."""

    thumbnail_product_retailer_id: RetailerId | None = None
    body_params: Values | None = None


class ProductItem(Input):
    """One product. Names are the provider's."""

    product_retailer_id: RetailerId = Field(alias="product_retailer_id")


class Section(Input):
    """Products with a title. Names are the provider's."""

    title: Annotated[Text, Field(max_length=24)]
    product_items: Annotated[list[ProductItem], Field(min_length=1, max_length=30)] = Field(
        alias="product_items"
    )


class SendProducts(TemplateSend):
    """Products of a catalog, at most 30 in at most 10 sections, none twice."""

    catalog_id: CatalogId
    sections: Annotated[list[Section], Field(min_length=1, max_length=10)]
    thumbnail_product_retailer_id: RetailerId | None = None
    body_params: Values | None = None

    @property
    def products(self) -> list[str]:
        """The products of all sections."""
        return [one.product_retailer_id for each in self.sections for one in each.product_items]

    @model_validator(mode="after")
    def _names_products_once(self) -> Self:
        products = self.products
        if len(products) > MOST_PRODUCTS:
            raise PydanticCustomError(
                "products", f"sections: must have at most {MOST_PRODUCTS} products"
            )
        if len(set(products)) != len(products):
            raise PydanticCustomError("products", "sections: must not name a product twice")
        return self


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_catalog_template(call: Call[SendCatalog]) -> Draft:
    """Send a template with a button that opens the catalog."""
    given, definition = call.input, sends.definition_of(call)
    thumbnail = given.thumbnail_product_retailer_id
    components = [
        *values.body(definition, given.body_params),
        *([values.catalog(definition, thumbnail)] if thumbnail else []),
    ]
    return sends.draft_of(call, components)


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_mpm_template(call: Call[SendProducts]) -> Draft:
    """
    Send a template with a button that shows products of the catalog.

    The provider takes the catalog that is connected to the account; its message names none. The thumbnail is the first
    product by default.
    """
    given, definition = call.input, sends.definition_of(call)
    thumbnail = given.thumbnail_product_retailer_id or given.products[0]
    sections = [one.model_dump(by_alias=True) for one in given.sections]
    components = [
        *values.body(definition, given.body_params),
        values.products(definition, thumbnail, sections),
    ]
    return sends.draft_of(call, components)
