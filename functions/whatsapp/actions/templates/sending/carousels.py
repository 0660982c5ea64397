"""Sends messages of templates with a carousel of cards."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import CatalogId, HttpsUrl, Input, MediaId, RetailerId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates.sending import sends, values
from whatsapp.actions.templates.sending.sends import ButtonValue, TemplateSend, Values
from whatsapp.actions.templates.sending.values import Components, Definition
from whatsapp.sending.drafts import Draft
from whatsapp.sending.failures import TemplateNotSendable

MARKETING = Group("marketing_templates")


class CardProduct(Input):
    """A product of a catalog."""

    retailer_id: RetailerId
    catalog_id: CatalogId


class Card(Input):
    """A card: exactly one of `headerMediaId`, `headerMediaLink` and `product`, and its values."""

    header_media_id: MediaId | None = None
    header_media_link: HttpsUrl | None = None
    product: CardProduct | None = None
    body_params: Values | None = None
    button_params: Annotated[list[ButtonValue], Field(max_length=2)] | None = None

    @property
    def kind(self) -> tuple[bool, int, int]:
        """The structure that all cards of a carousel share."""
        return (
            self.product is None,
            len(self.body_params or ()),
            len(self.button_params or ()),
        )

    @model_validator(mode="after")
    def _has_one_header(self) -> Self:
        given = (self.header_media_id, self.header_media_link, self.product)
        if sum(one is not None for one in given) != 1:
            raise PydanticCustomError(
                "card", "must have exactly one of headerMediaId, headerMediaLink, product"
            )
        return self


class SendCarousel(TemplateSend):
    """Two to ten cards, as many as the template has; all with the same kind of header and as many values."""

    cards: Annotated[list[Card], Field(min_length=2, max_length=10)]
    body_params: Values | None = None

    @model_validator(mode="after")
    def _has_equal_cards(self) -> Self:
        if len({card.kind for card in self.cards}) > 1:
            raise PydanticCustomError(
                "cards", "cards: must all have the same kind of header and as many values"
            )
        return self


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_carousel_template(call: Call[SendCarousel]) -> Draft:
    """Send a template with a carousel. Refused if the number of cards differs from the template's."""
    given, definition = call.input, sends.definition_of(call)
    definitions = values.card_definitions(definition)
    if len(definitions) != len(given.cards):
        raise TemplateNotSendable(f"template.cards: needs {len(definitions)} cards")
    cards = [_card(one, card) for one, card in zip(definitions, given.cards, strict=True)]
    components = [*values.body(definition, given.body_params), values.carousel(cards)]
    return sends.draft_of(call, components)


def _card(definition: Definition, card: Card) -> Components:
    return [
        *_header(definition, card),
        *values.body(definition, card.body_params),
        *sends.button_components(card.button_params),
    ]


def _header(definition: Definition, card: Card) -> Components:
    if card.product is None:
        return values.header(definition, card.header_media_id, card.header_media_link)
    product = {
        "product_retailer_id": card.product.retailer_id,
        "catalog_id": card.product.catalog_id,
    }
    return [{"type": "header", "parameters": [{"type": "product", "product": product}]}]
