"""Catalogs and their products."""

from typing import ClassVar, Literal

from shared.aws.audited import audited
from whatsapp.store.items.item import WhatsAppItem


@audited("name")
class Catalog(WhatsAppItem):
    """
    A catalog of a company, linked to an account. Contract item 13; it has no `retailerId`. The field below the gap is
    ours.

    The company of this item owns all products of the catalog.
    """

    item_type: ClassVar[str] = "CATALOG"
    pk_pattern: ClassVar[str] = "CATALOG#{catalogId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    catalog_id: str
    waba_meta_id: str
    name: str | None = None
    product_count: int | None = None
    synced_at: str | None = None

    connected: bool | None = None  # False: disconnected from the account


@audited("name")
class Product(WhatsAppItem):
    """
    A product of a catalog. Contract item 14: `price` in minor units, `description` at most 5,000 characters. Fields
    below the gap are ours.
    """

    item_type: ClassVar[str] = "PRODUCT"
    pk_pattern: ClassVar[str] = "PRODUCT#{catalogId}#{retailerId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_catalog",)

    catalog_id: str
    retailer_id: str
    name: str | None = None
    description: str | None = None
    price: int | None = None
    currency: str | None = None
    image_url: str | None = None
    availability: Literal["in_stock", "out_of_stock"] | None = None

    category: str | None = None
    url: str | None = None
