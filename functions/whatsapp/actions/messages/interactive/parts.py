"""
Parts of interactive messages in the provider's structure, with its limits (Meta, "Interactive messages").

Names are the provider's. Unknown fields are refused: a misspelt one would be ignored by the provider.
"""

from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from shared.api.models import inputs
from whatsapp.actions.calls.inputs import CatalogId, HttpsUrl, MediaId, RetailerId, Text

MOST_PRODUCTS = 30
_MOST_LINE_BREAKS = 2


class Part(BaseModel):
    """Base of the parts."""

    model_config = ConfigDict(extra="forbid", defer_build=True, hide_input_in_errors=True)


def _trimmed(text: str) -> str:
    if text != text.strip():
        raise PydanticCustomError("spaces", "must not begin or end with a space")
    return text


def _of_few_lines(text: str) -> str:
    if text.count("\n") > _MOST_LINE_BREAKS:
        raise PydanticCustomError("lines", f"must have at most {_MOST_LINE_BREAKS} line breaks")
    return text


type Label = Annotated[Text, Field(max_length=20)]
type Short = Annotated[Text, Field(max_length=60)]
type Body = Annotated[Text, Field(max_length=1_024)]
type LongBody = Annotated[Text, Field(max_length=4_096)]
type SectionTitle = Annotated[Text, Field(max_length=24)]
type CardBody = Annotated[Text, Field(max_length=160), AfterValidator(_of_few_lines)]
type ButtonId = Annotated[Text, Field(max_length=256), AfterValidator(_trimmed)]
type RowId = Annotated[Text, Field(max_length=200)]


class TextPart(Part):
    """A footer."""

    text: Short


class BodyPart(Part):
    """The text of a message."""

    text: Body


class LongBodyPart(Part):
    """The text of a list message."""

    text: LongBody


class MediaPart(Part):
    """A file: exactly one of `id` and `link`."""

    id: MediaId | None = None
    link: HttpsUrl | None = None
    filename: Annotated[Text, Field(max_length=240)] | None = None

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.id is None) == (self.link is None):
            raise PydanticCustomError("source", "must have exactly one of id, link")
        return self


class Header(Part):
    """A header: the field that `type` names, and no other."""

    type: Literal["text", "image", "video", "document"]
    text: Short | None = None
    image: MediaPart | None = None
    video: MediaPart | None = None
    document: MediaPart | None = None

    @model_validator(mode="after")
    def _has_what_its_type_names(self) -> Self:
        given = self.model_fields_set - {"type"}
        if given != {self.type} or getattr(self, self.type) is None:
            raise PydanticCustomError("header", "must have the field that type names, and no other")
        return self


class TextHeader(Header):
    """A header of text only."""

    type: Literal["text"]


class CardHeader(Header):
    """The picture or the video of a card."""

    type: Literal["image", "video"]


class Reply(Part):
    """A reply button: its title, and the id that the customer's answer has."""

    id: ButtonId
    title: Label


class LinkParameters(Part):
    """A button that opens a web page."""

    display_text: Label
    url: HttpsUrl


class LinkAction(Part):
    """One link button."""

    name: Literal["cta_url"]
    parameters: LinkParameters


class ProductItem(Part):
    """One product."""

    product_retailer_id: RetailerId


class ProductSection(Part):
    """Products under a title, which a message with several sections needs."""

    title: SectionTitle | None = None
    product_items: Annotated[list[ProductItem], Field(min_length=1, max_length=MOST_PRODUCTS)]


class ProductAction(Part):
    """One product of a catalog."""

    catalog_id: CatalogId
    product_retailer_id: RetailerId


def check_titles(titles: list[str | None]) -> None:
    """Raise PydanticCustomError if one of several sections has no title."""
    if len(titles) > 1 and None in titles:
        raise PydanticCustomError("title", "each of several sections must have a title")


def check_unique(values: list[str], what: str) -> None:
    """Raise PydanticCustomError if a value is there twice."""
    if len(set(values)) < len(values):
        raise PydanticCustomError("unique", f"{what} must be unique")


def check_products(sections: list[ProductSection]) -> None:
    """Raise PydanticCustomError for too many products, one that is there twice, or a missing title."""
    check_titles([section.title for section in sections])
    products = [item.product_retailer_id for section in sections for item in section.product_items]
    if len(products) > MOST_PRODUCTS:
        raise PydanticCustomError("products", f"must have at most {MOST_PRODUCTS} products")
    check_unique(products, "products")


def checked(model: type[BaseModel], given: dict[str, Any], place: str = "") -> None:
    """Check an object of the provider at the field *place*. Raises InvalidInput with the places of the faults."""
    if place:
        inputs.checked({place: given}, _placed(model, place))
    else:
        inputs.checked(given, model)


@cache
def _placed(model: type[BaseModel], place: str) -> type[BaseModel]:
    """Return a model with one field, so that faults are named with their whole place."""
    fields: dict[str, Any] = {place: (model, ...)}
    return create_model(f"{model.__name__}At", __base__=Part, **fields)
