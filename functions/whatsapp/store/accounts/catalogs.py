"""Catalogs with their products, and the commerce settings of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.accounts.numbers import phones
from whatsapp.store.items import Phone, pk
from whatsapp.store.items.accounts.catalogs import Catalog, Product
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CATALOG_INDEX = "gsi_catalog"
_BATCH = 25  # items of BatchWriteItem


def catalog(table: Table, catalog_id: str) -> Catalog | None:
    """Return a catalog (strongly consistent read)."""
    item = table.get(pk(Catalog.key(catalog_id)))
    return Catalog.read(item) if item else None


def put_catalog(table: Table, new: Catalog) -> bool:
    """Write a catalog that is new or the company's; False if it is another company's. Safe to repeat."""
    ours = Attr(PARTITION_KEY).not_exists() | Catalog.attr("company").eq(new.company)
    try:
        table.put(new.attributes(), when=ours)
    except ConditionFailed:
        return False
    return True


def products(
    table: Table, catalog_id: str, *, limit: int, start: Attributes | None
) -> tuple[list[Product], Attributes | None]:
    """Return a page of a catalog's products by retailer id (eventually consistent index)."""
    condition = Key(Product.name_of("catalog_id")).eq(catalog_id)
    entries, last = table.query(CATALOG_INDEX, condition, limit=limit, start=start)
    return products_by_id(table, catalog_id, [_retailer_id(entry) for entry in entries]), last


def retailer_ids(table: Table, catalog_id: str) -> set[str]:
    """Return the ids of all stored products of a catalog (eventually consistent index)."""
    return set(_retailer_ids(table, catalog_id))


def products_by_id(table: Table, catalog_id: str, ids: Sequence[str]) -> list[Product]:
    """Return the existing products with these retailer ids, in this order."""
    keys = [Product.key(catalog_id, one) for one in ids]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [Product.read(items[key]) for key in keys if key in items]


def put_products(table: Table, new: Sequence[Product]) -> int:
    """
    Write the products that differ from the stored ones, and return their number. Safe to repeat: the last writer wins.

    The caller has checked that the catalog is the company's. Raises Transient if DynamoDB leaves some unprocessed.
    """
    stored: dict[str, Attributes] = {}
    for first in range(0, len(new), 100):
        keys = [pk(one.pk) for one in new[first : first + 100]]
        stored |= {item[PARTITION_KEY]: item for item in table.get_many(keys)}
    changed = [one for one in new if one.pk not in stored or stored[one.pk] != one.attributes()]
    for first in range(0, len(changed), _BATCH):
        table.put_many([one.attributes() for one in changed[first : first + _BATCH]])
    return len(changed)


def remove_products(table: Table, catalog_id: str, ids: Iterable[str]) -> None:
    """Remove products that the provider no longer has. Safe to repeat."""
    for one in ids:
        table.delete(pk(Product.key(catalog_id, one)))


def set_commerce(
    table: Table, phone: str, *, is_cart_enabled: bool | None, is_catalog_visible: bool | None
) -> None:
    """Store the commerce settings that the provider has taken; None leaves one unchanged. Safe to repeat."""
    facts = Phone.named(is_cart_enabled=is_cart_enabled, is_catalog_visible=is_catalog_visible)
    try:
        table.update(pk(Phone.key(phone)), put=facts, when=Attr(PARTITION_KEY).exists())
    except ConditionFailed:
        return  # The number has been removed.
    phones.forget()


def _retailer_ids(table: Table, catalog_id: str) -> Iterator[str]:
    condition = Key(Product.name_of("catalog_id")).eq(catalog_id)
    start = None
    while True:
        entries, start = table.query(CATALOG_INDEX, condition, start=start)
        yield from map(_retailer_id, entries)
        if start is None:
            return


def _retailer_id(entry: Attributes) -> str:
    return str(entry[Product.name_of("retailer_id")])
