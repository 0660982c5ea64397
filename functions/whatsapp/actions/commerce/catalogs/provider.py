"""
Reads and writes catalogs and products at Graph, and converts Meta's structure to ours.

Not confirmed by our own traffic: all fields of products, which Meta documents for its Marketing API ("Product Catalog
Items Batch", "Product Item").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whatsapp.actions.commerce.catalogs import prices
from whatsapp.sending.failures import ProviderRejected
from whatsapp.store.items.accounts.catalogs import Product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whatsapp.actions.calls.remote import GraphAccount
    from whatsapp.actions.commerce.catalogs.inputs import ProductInput

MOST_IN_BATCH = (
    500  # Meta takes 5,000 and advises fewer than 3,000; a call must end within ten seconds.
)
MOST_IN_PAGE = 100
_CATALOG_FIELDS = "id,name,product_count"
_PRODUCT_FIELDS = (
    "retailer_id,name,description,price,currency,image_url,availability,product_type,url"
)
_TO_META = {"in_stock": "in stock", "out_of_stock": "out of stock"}
_SOLD = frozenset({"out of stock", "discontinued"})
_LONGEST_DESCRIPTION = 5_000


@dataclass(frozen=True, slots=True)
class CatalogAtProvider:
    """A catalog at the provider."""

    id: str
    name: str | None = None
    product_count: int | None = None


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A product that the provider refused, and its reasons."""

    retailer_id: str
    problems: list[str] = field(default_factory=list)


def get(graph: GraphAccount, catalog: str) -> CatalogAtProvider:
    """Return a catalog that the token can access."""
    return _catalog(graph.get(catalog, fields=_CATALOG_FIELDS))


def owned(graph: GraphAccount, business: str, name: str) -> str | None:
    """Return the id of a business's catalog with this name, among its first thousand."""
    for page, _ in _pages(graph, (business, "owned_product_catalogs"), "id,name", most=10):
        for one in page:
            if one.get("name") == name:
                return str(one["id"])
    return None


def attempt_create(graph: GraphAccount, business: str, name: str) -> str | None:
    """Create a catalog and return its id. One attempt: raises Refused, NotSent or InDoubt."""
    body = {"name": name, "vertical": "commerce"}
    return str(graph.attempt("POST", business, "owned_product_catalogs", body=body)["id"])


def connected(
    graph: GraphAccount, waba: str, limit: int, after: str | None
) -> tuple[list[CatalogAtProvider], str | None]:
    """Return a page of the catalogs that are connected to an account, and the cursor of the next page."""
    query = {"fields": _CATALOG_FIELDS, "limit": str(limit)} | ({"after": after} if after else {})
    answer = graph.get(waba, "product_catalogs", **query)
    return [_catalog(one) for one in _entries(answer)], _next(answer)


def connect(graph: GraphAccount, waba: str, catalog: str) -> None:
    """Connect a catalog to an account, unless it is connected. Safe to repeat."""
    if is_connected(graph, waba, catalog):
        return
    try:
        graph.post(waba, "product_catalogs", body={"catalog_id": catalog})
    except ProviderRejected:
        # A repeated attempt whose first answer was lost is refused, although the catalog is connected.
        if not is_connected(graph, waba, catalog):
            raise


def disconnect(graph: GraphAccount, waba: str, catalog: str) -> None:
    """
    Disconnect a catalog from an account. Safe to repeat.

    Not confirmed by our own traffic: that the edge takes DELETE, which Meta's reference does not list.
    """
    try:
        graph.delete(waba, "product_catalogs", body={"catalog_id": catalog})
    except ProviderRejected:
        if is_connected(graph, waba, catalog):
            raise


def is_connected(graph: GraphAccount, waba: str, catalog: str) -> bool:
    """Whether a catalog is connected to an account."""
    pages = _pages(graph, (waba, "product_catalogs"), "id", most=10)
    return any(str(one.get("id")) == catalog for page, _ in pages for one in page)


def upload(
    graph: GraphAccount, catalog: str, products: Sequence[ProductInput], brand: str | None
) -> list[RefusedRow]:
    """Create or change up to MOST_IN_BATCH products, and return the rows that were refused. Safe to repeat."""
    body = {
        "item_type": "PRODUCT_ITEM",
        "allow_upsert": True,
        "requests": [{"method": "UPDATE", "data": _data(one, brand)} for one in products],
    }
    answer = graph.post(catalog, "items_batch", body=body)
    found = answer.get("validation_status")
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [
        RefusedRow(
            str(row.get("retailer_id", "")),
            [str(e.get("message", ""))[:300] for e in row["errors"]],
        )
        for row in rows
        if row.get("errors")
    ]


def products(
    graph: GraphAccount, catalog: str, *, most: int
) -> Iterator[tuple[list[dict[str, Any]], bool]]:
    """Yield pages of products in Meta's structure, and whether a page is the last one."""
    return _pages(graph, (catalog, "products"), _PRODUCT_FIELDS, most=most)


def product_of(company: str, catalog: str, found: dict[str, Any]) -> Product | None:
    """Return a product of the provider as an item; None without a retailer id."""
    retailer_id, currency = str(found.get("retailer_id") or ""), str(found.get("currency") or "")
    if not retailer_id:
        return None
    availability = str(found.get("availability") or "").lower()
    return Product(
        pk=Product.key(catalog, retailer_id),
        company=company,
        catalog_id=catalog,
        retailer_id=retailer_id,
        name=_text(found.get("name")),
        description=(_text(found.get("description")) or "")[:_LONGEST_DESCRIPTION] or None,
        price=prices.minor_units(str(found.get("price") or ""), currency),
        currency=currency or None,
        image_url=_text(found.get("image_url")),
        availability=None
        if not availability
        else "out_of_stock"
        if availability in _SOLD
        else "in_stock",
        category=_text(found.get("product_type")),
        url=_text(found.get("url")),
    )


def _data(product: ProductInput, brand: str | None) -> dict[str, Any]:
    data = {
        "id": product.retailer_id,
        "title": product.name,
        "description": product.description or product.name,
        "availability": _TO_META[product.availability],
        "condition": "new",
        "price": prices.text_of(product.price, product.currency),
        "image_link": product.image_url,
        "link": product.url,
        "product_type": product.category,
        "brand": brand,
    }
    return {name: value for name, value in data.items() if value is not None}


def _catalog(found: dict[str, Any]) -> CatalogAtProvider:
    count = found.get("product_count")
    return CatalogAtProvider(
        str(found["id"]),
        _text(found.get("name")),
        count if isinstance(count, int) else None,
    )


def _pages(
    graph: GraphAccount, path: tuple[str, ...], fields: str, *, most: int
) -> Iterator[tuple[list[dict[str, Any]], bool]]:
    after: str | None = None
    for _ in range(most):
        query = {"fields": fields, "limit": str(MOST_IN_PAGE)} | ({"after": after} if after else {})
        answer = graph.get(*path, **query)
        after = _next(answer)
        yield _entries(answer), after is None
        if after is None:
            return


def _next(answer: dict[str, Any]) -> str | None:
    paging = answer.get("paging")
    if not isinstance(paging, dict) or "next" not in paging:
        return None
    after = (paging.get("cursors") or {}).get("after")
    return str(after) if after else None


def _entries(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = answer.get("data")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
