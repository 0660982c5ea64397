"""Input models of messages of templates, with the parameters of all slots (`slots.SLOTS`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import (
    CatalogId,
    HttpsUrl,
    Input,
    Language,
    MediaId,
    ProviderObject,
    RetailerId,
    SendInput,
    TemplateName,
    Text,
    Whole,
)
from whatsapp.actions.templates.sending.slots import Given

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PRODUCTS = 30
type Value = Annotated[Text, Field(max_length=1_024)]
type CouponCode = Annotated[Text, Field(max_length=20)]


class LocalisedValue(Input):
    """A value that WhatsApp shows in the customer's format; in the provider's structure."""

    type: Literal["currency", "date_time"]
    currency: ProviderObject | None = None
    date_time: ProviderObject | None = Field(default=None, alias="date_time")

    @model_validator(mode="after")
    def _has_what_its_type_names(self) -> Self:
        if self.model_fields_set != {"type", self.type} or getattr(self, self.type) is None:
            raise PydanticCustomError("value", "must have the field that type names, and no other")
        return self


class Place(Input):
    """The place that a header of the format LOCATION shows."""

    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]
    name: Annotated[Text, Field(max_length=1_000)]
    address: Annotated[Text, Field(max_length=1_000)]


class Product(Input):
    """A product of a catalog."""

    retailer_id: RetailerId
    catalog_id: CatalogId


class ButtonValue(Input):
    """The value of a button by its position: `urlSuffix` for a URL button, `payload` for a quick reply."""

    index: Annotated[Whole, Field(ge=0, le=9)]
    url_suffix: Annotated[Text, Field(max_length=2_000)] | None = None
    payload: Annotated[Text, Field(max_length=256)] | None = None

    @model_validator(mode="after")
    def _has_one_value(self) -> Self:
        if (self.url_suffix is None) == (self.payload is None):
            raise PydanticCustomError("button", "must have urlSuffix or payload")
        return self


class Parts(Input):
    """
    Values of the header, the body and the buttons of a template or of a card. `bodyParams` are in the order of the
    body's variables, also if these have names. A header takes one parameter, by its format.
    """

    header_text: Annotated[Text, Field(max_length=60)] | None = None
    header_media_id: MediaId | None = None
    header_media_link: HttpsUrl | None = None
    header_filename: Annotated[Text, Field(max_length=240)] | None = None
    header_location: Place | None = None
    product: Product | None = None
    body_params: Annotated[list[Value | LocalisedValue], Field(max_length=50)] | None = None
    button_params: Annotated[list[ButtonValue], Field(max_length=10)] | None = None

    @model_validator(mode="after")
    def _has_one_header(self) -> Self:
        headers = [name for name, _ in self._headers()]
        if len(headers) > 1:
            raise PydanticCustomError("header", f"must have one of {', '.join(headers)}")
        if self.header_filename and not {"headerMediaId", "headerMediaLink"} & {*headers}:
            problem = "headerFilename needs headerMediaId or headerMediaLink"
            raise PydanticCustomError("header", problem)
        return self

    def given(self, place: str = "") -> Iterator[Given]:
        """Return the values with the slots that they fill; *place* begins the names of their parameters."""
        for name, value in self._headers():
            yield Given(name, value, f"{place}{name}")
        if self.body_params:
            values = [
                one if isinstance(one, str) else one.model_dump(by_alias=True, exclude_none=True)
                for one in self.body_params
            ]
            yield Given("bodyParams", values, f"{place}bodyParams")
        for number, button in enumerate(self.button_params or ()):
            name = "payload" if button.url_suffix is None else "urlSuffix"
            value = button.payload if button.url_suffix is None else button.url_suffix
            yield Given(name, value, f"{place}buttonParams.{number}", button.index)

    def _headers(self) -> list[tuple[str, Any]]:
        named = {"filename": self.header_filename} if self.header_filename else {}
        given: dict[str, Any] = {
            "headerText": self.header_text,
            "headerMediaId": self.header_media_id and {"id": self.header_media_id, **named},
            "headerMediaLink": self.header_media_link and {"link": self.header_media_link, **named},
            "headerLocation": self.header_location and self.header_location.model_dump(),
            "product": self.product
            and {
                "product_retailer_id": self.product.retailer_id,
                "catalog_id": self.product.catalog_id,
            },
        }
        return [(name, value) for name, value in given.items() if value is not None]


class ProductItem(Input):
    """One product. Names are the provider's."""

    product_retailer_id: RetailerId = Field(alias="product_retailer_id")


class Section(Input):
    """Products with a title. Names are the provider's."""

    title: Annotated[Text, Field(max_length=24)]
    product_items: Annotated[list[ProductItem], Field(min_length=1, max_length=30)] = Field(
        alias="product_items"
    )


class TemplateSend(SendInput, Parts):
    """
    A message of a template with the values of its parts. `language` is en_US by default. Products: at most 30 in
    at most 10 sections, none twice; the first one is shown by default.
    """

    template_name: TemplateName
    language_code: Language | None = None
    coupon_code: CouponCode | None = None
    offer_expiration_timestamp: Annotated[Whole, Field(ge=1, le=9_999_999_999_999)] | None = None
    thumbnail_product_retailer_id: RetailerId | None = None
    catalog_id: CatalogId | None = None
    sections: Annotated[list[Section], Field(min_length=1, max_length=10)] | None = None
    cards: Annotated[list[Parts], Field(min_length=2, max_length=10)] | None = None

    @model_validator(mode="after")
    def _names_products_once(self) -> Self:
        products = self._products()
        if len(products) > MOST_PRODUCTS:
            problem = f"sections: must have at most {MOST_PRODUCTS} products"
            raise PydanticCustomError("products", problem)
        if len(set(products)) != len(products):
            raise PydanticCustomError("products", "sections: must not name a product twice")
        return self

    def given(self, place: str = "") -> Iterator[Given]:
        """Return the values with the slots that they fill."""
        yield from super().given(place)
        if self.offer_expiration_timestamp is not None:
            name = "offerExpirationTimestamp"
            yield Given(name, self.offer_expiration_timestamp, name)
        if self.cards is not None:
            cards = [list(card.given(f"cards.{n}.")) for n, card in enumerate(self.cards)]
            yield Given("cards", cards, "cards")
        if self.coupon_code is not None:
            yield Given("couponCode", self.coupon_code, "couponCode")
        thumbnail = self.thumbnail_product_retailer_id
        if self.sections is not None:
            yield Given(
                "sections", (thumbnail or self._products()[0], self._sections()), "sections"
            )
        elif thumbnail is not None:
            name = "thumbnailProductRetailerId"
            yield Given(name, thumbnail, name)

    def _products(self) -> list[str]:
        sections = self.sections or ()
        return [one.product_retailer_id for each in sections for one in each.product_items]

    def _sections(self) -> list[dict[str, Any]]:
        return [one.model_dump(by_alias=True) for one in self.sections or ()]
