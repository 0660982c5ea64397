"""Cards of interactive carousels, in the provider's structure (Meta, "Interactive media carousel messages")."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import CatalogId, RetailerId
from whatsapp.actions.messages.interactive.parts import (
    CardBody,
    CardHeader,
    LinkParameters,
    Part,
    Reply,
    check_unique,
)

MOST_CARDS = 10


class QuickReply(Part):
    """A reply button of a card."""

    type: Literal["quick_reply"]
    quick_reply: Reply


class CardText(Part):
    """The text of a card."""

    text: CardBody


class CardAction(Part):
    """One link button, up to three reply buttons, or a product."""

    name: Literal["cta_url"] | None = None
    parameters: LinkParameters | None = None
    buttons: Annotated[list[QuickReply], Field(min_length=1, max_length=3)] | None = None
    catalog_id: CatalogId | None = None
    product_retailer_id: RetailerId | None = None

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        if self.model_fields_set not in (
            {"name", "parameters"},
            {"buttons"},
            {"catalog_id", "product_retailer_id"},
        ):
            problem = "must be a link (name, parameters), buttons, or a product (catalog_id, product_retailer_id)"
            raise PydanticCustomError("action", problem)
        return self


class Card(Part):
    """One card."""

    card_index: int
    type: Literal["cta_url", "product"] | None = None
    header: CardHeader | None = None
    body: CardText | None = None
    action: CardAction

    @model_validator(mode="after")
    def _fits_its_action(self) -> Self:
        is_product = self.action.catalog_id is not None
        if (self.type == "product") != is_product:
            raise PydanticCustomError(
                "card", "type must be product for a product, and for no other card"
            )
        if is_product and (self.header or self.body):
            raise PydanticCustomError("card", "a product has no header and no body")
        if not is_product and self.header is None:
            raise PydanticCustomError("card", "header is required")
        return self

    @property
    def shape(self) -> tuple[object, ...]:
        """The structure that all cards of a carousel share."""
        action = self.action
        header = self.header.type if self.header else None
        return (header, action.name, len(action.buttons or ()), action.catalog_id)


class CarouselAction(Part):
    """The cards, from the left."""

    cards: Annotated[list[Card], Field(min_length=2, max_length=MOST_CARDS)]

    @model_validator(mode="after")
    def _are_of_one_shape(self) -> Self:
        if [card.card_index for card in self.cards] != list(range(len(self.cards))):
            raise PydanticCustomError("cards", "card_index must count the cards from 0")
        if len({card.shape for card in self.cards}) > 1:
            problem = (
                "cards must have the same kind of header, the same buttons and the same catalog"
            )
            raise PydanticCustomError("cards", problem)
        ids = [button.quick_reply.id for card in self.cards for button in card.action.buttons or ()]
        check_unique(ids, "ids of buttons")
        return self
