"""Sends products of a catalog: one, a list, a carousel, or the catalog itself."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import CatalogId, ReplyInput, RetailerId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.interactive.interactives import framed, of_interactive
from whatsapp.actions.messages.interactive.kinds import ProductSections
from whatsapp.actions.messages.interactive.parts import Body, Short, check_unique
from whatsapp.sending.drafts import Draft

CATALOGS = Group("catalogs")
CAROUSELS = Group("carousels")
LEGACY = Group("legacy")


class SendCatalogMessage(ReplyInput):
    """
    The shown part of a catalog.

    product: `catalogId` and `productRetailerId`, no header. product_list: `catalogId`, `sections`, `header` and `body`.
    catalog_message: `body`; `productRetailerId` is the product whose picture is shown.
    """

    catalog_id: CatalogId | None = None
    message_type: Literal["product", "product_list", "catalog_message"] = "product_list"
    product_retailer_id: RetailerId | None = None
    header: Short | None = None
    body: Body | None = None
    footer: Short | None = None
    sections: ProductSections | None = None

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Self:
        needed, excluded = _FIELDS[self.message_type]
        for name in needed:
            if getattr(self, name) is None:
                raise PydanticCustomError(
                    "missing", f"{_NAMES[name]} is required for {self.message_type}"
                )
        for name in excluded:
            if getattr(self, name) is not None:
                raise PydanticCustomError("extra", f"{_NAMES[name]} is not for {self.message_type}")
        return self


# The required and the excluded fields of each type.
_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "product": (("catalog_id", "product_retailer_id"), ("header", "sections")),
    "product_list": (("catalog_id", "sections", "header", "body"), ("product_retailer_id",)),
    "catalog_message": (("body",), ("header", "sections")),
}
_NAMES = {
    "catalog_id": "catalogId",
    "product_retailer_id": "productRetailerId",
    "header": "header",
    "body": "body",
    "sections": "sections",
}


class SendSingleProduct(ReplyInput):
    """One product."""

    catalog_id: CatalogId
    product_id: RetailerId
    body_text: Body | None = None
    footer_text: Short | None = None


class SendProduct(ReplyInput):
    """One product."""

    catalog_id: CatalogId
    product_retailer_id: RetailerId
    body: Body | None = None
    footer: Short | None = None


class SendProductList(ReplyInput):
    """At most 30 products in up to ten sections."""

    catalog_id: CatalogId
    sections: ProductSections
    header: Short
    body: Body
    footer: Short | None = None


class SendProductCarousel(ReplyInput):
    """Products as cards (`productRetailerIds`, no header and footer), or a list (`sections` and `headerText`)."""

    catalog_id: CatalogId
    body_text: Body
    product_retailer_ids: Annotated[list[RetailerId], Field(min_length=2, max_length=10)] | None = (
        None
    )
    sections: ProductSections | None = None
    header_text: Short | None = None
    footer_text: Short | None = None

    @model_validator(mode="after")
    def _has_one_kind(self) -> Self:
        if (self.product_retailer_ids is None) == (self.sections is None):
            problem = "must have exactly one of productRetailerIds, sections"
            raise PydanticCustomError("products", problem)
        if self.sections is not None and self.header_text is None:
            raise PydanticCustomError("header", "headerText is required for sections")
        if self.product_retailer_ids is not None:
            if self.header_text or self.footer_text:
                raise PydanticCustomError("header", "a carousel has no headerText and no footer")
            check_unique(self.product_retailer_ids, "productRetailerIds")
        return self


@CATALOGS.sends(Scope.WHATSAPP_SEND)
def send_catalog_message(call: Call[SendCatalogMessage]) -> Draft:
    """Send a product, a list of products, or a button that opens the catalog."""
    given = call.input
    if given.message_type == "product_list":
        action = _list_action(str(given.catalog_id), given.sections or [])
    elif given.message_type == "product":
        action = _product_action(str(given.catalog_id), str(given.product_retailer_id))
    else:
        thumbnail = given.product_retailer_id
        shown = {"thumbnail_product_retailer_id": thumbnail}
        action = {"name": "catalog_message"} | ({"parameters": shown} if thumbnail else {})
    interactive = framed(action, header=given.header, body=given.body, footer=given.footer)
    return of_interactive(given.message_type, interactive, given.reply_to_message_id)


@CAROUSELS.sends(Scope.WHATSAPP_SEND)
def send_single_product(call: Call[SendSingleProduct]) -> Draft:
    """Send one product of a catalog that is linked to the account."""
    given = call.input
    action = _product_action(given.catalog_id, given.product_id)
    interactive = framed(action, body=given.body_text, footer=given.footer_text)
    return of_interactive("product", interactive, given.reply_to_message_id)


@CAROUSELS.sends(Scope.WHATSAPP_SEND)
def send_product_carousel(call: Call[SendProductCarousel]) -> Draft:
    """Send two to ten products as cards, or up to 30 products in sections as a list."""
    given = call.input
    if given.sections is not None:
        action = _list_action(given.catalog_id, given.sections)
        interactive = framed(
            action, header=given.header_text, body=given.body_text, footer=given.footer_text
        )
        return of_interactive("product_list", interactive, given.reply_to_message_id)
    cards = [
        {
            "card_index": index,
            "type": "product",
            "action": _product_action(given.catalog_id, product),
        }
        for index, product in enumerate(given.product_retailer_ids or [])
    ]
    interactive = framed({"cards": cards}, body=given.body_text)
    return of_interactive("carousel", interactive, given.reply_to_message_id)


@LEGACY.sends(Scope.WHATSAPP_SEND)
def send_product(call: Call[SendProduct]) -> Draft:
    """Send one product; as `send_single_product`."""
    given = call.input
    action = _product_action(given.catalog_id, given.product_retailer_id)
    interactive = framed(action, body=given.body, footer=given.footer)
    return of_interactive("product", interactive, given.reply_to_message_id)


@LEGACY.sends(Scope.WHATSAPP_SEND)
def send_product_list(call: Call[SendProductList]) -> Draft:
    """Send up to 30 products in sections."""
    given = call.input
    action = _list_action(given.catalog_id, given.sections)
    interactive = framed(action, header=given.header, body=given.body, footer=given.footer)
    return of_interactive("product_list", interactive, given.reply_to_message_id)


def _product_action(catalog: str, product: str) -> dict[str, Any]:
    return {"catalog_id": catalog, "product_retailer_id": product}


def _list_action(catalog: str, sections: ProductSections) -> dict[str, Any]:
    shown = [section.model_dump(exclude_none=True) for section in sections]
    return {"catalog_id": catalog, "sections": shown}
