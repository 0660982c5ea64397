"""
The kinds of interactive messages with the provider's limits: one model for each `interactive.type`.

The models of `KINDS` describe the object without its `type`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import CatalogId, FlowId, RetailerId, Text
from whatsapp.actions.messages.interactive.address_fields import AddressForm
from whatsapp.actions.messages.interactive.carousel_cards import CarouselAction
from whatsapp.actions.messages.interactive.parts import (
    BodyPart,
    Header,
    Label,
    LinkAction,
    LongBodyPart,
    Part,
    ProductAction,
    ProductSection,
    Reply,
    RowId,
    SectionTitle,
    TextHeader,
    TextPart,
    check_products,
    check_titles,
    check_unique,
)

_MOST_ROWS = 10
_LONGEST_CALL_MINUTES = 43_200


class _Button(Part):
    type: Literal["reply"]
    reply: Reply


class _Buttons(Part):
    buttons: Annotated[list[_Button], Field(min_length=1, max_length=3)]

    @model_validator(mode="after")
    def _differ(self) -> Self:
        check_unique([button.reply.id for button in self.buttons], "ids of buttons")
        check_unique([button.reply.title for button in self.buttons], "titles of buttons")
        return self


class ButtonMessage(Part):
    """One to three reply buttons."""

    header: Header | None = None
    body: BodyPart
    footer: TextPart | None = None
    action: _Buttons


class _Row(Part):
    id: RowId
    title: SectionTitle
    description: Annotated[Text, Field(max_length=72)] | None = None


class _ListSection(Part):
    title: SectionTitle | None = None
    rows: Annotated[list[_Row], Field(min_length=1, max_length=_MOST_ROWS)]


class _List(Part):
    button: Label
    sections: Annotated[list[_ListSection], Field(min_length=1, max_length=10)]

    @model_validator(mode="after")
    def _has_few_rows(self) -> Self:
        check_titles([section.title for section in self.sections])
        rows = [row.id for section in self.sections for row in section.rows]
        if len(rows) > _MOST_ROWS:
            raise PydanticCustomError(
                "rows", f"must have at most {_MOST_ROWS} rows in all sections"
            )
        check_unique(rows, "ids of rows")
        return self


class ListMessage(Part):
    """A menu of up to ten rows."""

    header: TextHeader | None = None
    body: LongBodyPart
    footer: TextPart | None = None
    action: _List


class LinkMessage(Part):
    """A button that opens a web page."""

    header: Header | None = None
    body: BodyPart
    footer: TextPart | None = None
    action: LinkAction


class ProductMessage(Part):
    """One product; no header."""

    body: BodyPart | None = None
    footer: TextPart | None = None
    action: ProductAction


def _of_few_products(sections: list[ProductSection]) -> list[ProductSection]:
    check_products(sections)
    return sections


type ProductSections = Annotated[
    list[ProductSection], Field(min_length=1, max_length=10), AfterValidator(_of_few_products)
]


class _ProductList(Part):
    catalog_id: CatalogId
    sections: ProductSections


class ProductListMessage(Part):
    """Up to 30 products in up to ten sections; a header is required."""

    header: TextHeader
    body: BodyPart
    footer: TextPart | None = None
    action: _ProductList


class _Thumbnail(Part):
    thumbnail_product_retailer_id: RetailerId | None = None


class _CatalogAction(Part):
    name: Literal["catalog_message"]
    parameters: _Thumbnail | None = None


class CatalogMessage(Part):
    """A button that opens the catalog."""

    body: BodyPart
    footer: TextPart | None = None
    action: _CatalogAction


class _FlowParameters(Part):
    flow_message_version: Literal["3"]
    flow_token: Annotated[Text, Field(max_length=200)] | None = None
    flow_id: FlowId | None = None
    flow_name: Annotated[Text, Field(max_length=200)] | None = None
    flow_cta: Annotated[Text, Field(max_length=30)]
    mode: Literal["draft", "published"] | None = None
    flow_action: Literal["navigate", "data_exchange"] | None = None
    flow_action_payload: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _names_one_flow(self) -> Self:
        if (self.flow_id is None) == (self.flow_name is None):
            raise PydanticCustomError("flow", "must have exactly one of flow_id, flow_name")
        if self.flow_action == "data_exchange" and self.flow_action_payload is not None:
            raise PydanticCustomError("flow", "flow_action_payload is for the action navigate")
        return self


class _FlowAction(Part):
    name: Literal["flow"]
    parameters: _FlowParameters


class FlowMessage(Part):
    """A form."""

    header: Header | None = None
    body: BodyPart
    footer: TextPart | None = None
    action: _FlowAction


class _LocationAction(Part):
    name: Literal["send_location"]


class LocationRequest(Part):
    """A button that sends the customer's location."""

    body: BodyPart
    action: _LocationAction


class _AddressAction(Part):
    name: Literal["address_message"]
    parameters: AddressForm


class AddressMessage(Part):
    """A form for the customer's address."""

    header: TextHeader | None = None
    body: BodyPart
    footer: TextPart | None = None
    action: _AddressAction


class CarouselMessage(Part):
    """Two to ten cards of the same structure; no header and no footer."""

    body: BodyPart
    action: CarouselAction


class _CallParameters(Part):
    display_text: Label | None = None
    ttl_minutes: Annotated[int, Field(ge=1, le=_LONGEST_CALL_MINUTES)] | None = None
    payload: Annotated[Text, Field(max_length=512)] | None = None


class _CallAction(Part):
    name: Literal["voice_call"]
    parameters: _CallParameters | None = None


class CallMessage(Part):
    """A button with which the customer calls the business."""

    body: BodyPart
    action: _CallAction


class _PermissionAction(Part):
    name: Literal["call_permission_request"]


class CallPermissionRequest(Part):
    """A question whether the business may call."""

    body: BodyPart | None = None
    action: _PermissionAction


type InteractiveType = Literal[
    "button", "list", "product", "product_list", "cta_url", "flow", "location_request_message", "address_message",
    "carousel", "voice_call", "call_permission_request", "catalog_message",
]  # fmt: skip
KINDS: Mapping[InteractiveType, type[Part]] = {
    "button": ButtonMessage,
    "list": ListMessage,
    "product": ProductMessage,
    "product_list": ProductListMessage,
    "cta_url": LinkMessage,
    "flow": FlowMessage,
    "location_request_message": LocationRequest,
    "address_message": AddressMessage,
    "carousel": CarouselMessage,
    "voice_call": CallMessage,
    "call_permission_request": CallPermissionRequest,
    "catalog_message": CatalogMessage,
}
