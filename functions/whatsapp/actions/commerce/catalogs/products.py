"""Uploads products to a catalog, and lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.commerce.catalogs import provider
from whatsapp.actions.commerce.catalogs.inputs import (
    Availability,
    ConnectCatalog,
    GetCatalogProducts,
    ProductInput,
    UploadCatalog,
)
from whatsapp.actions.commerce.catalogs.provider import CatalogAtProvider, RefusedRow
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.items.accounts.catalogs import Catalog, Product

if TYPE_CHECKING:
    from whatsapp.actions.calls.remote import GraphAccount

CATALOGS = Group("catalogs")
MOST_REFUSED_SHOWN = 20  # the stored answer of a call is small
MOST_PAGES = 100
# The longest time of one more page of a refresh, and of the work after it.
_PAGE_MS = 8_000


class RefusedProduct(View):
    """A product that the provider refused, and its reasons."""

    retailer_id: str
    problems: list[str]


class UploadedCatalog(View):
    """
    The catalog after the upload. *accepted* and *refused_count* are of this call; the first 20 *refused* are shown.

    The provider accepts products before it has processed them: images and links are checked later.
    """

    catalog_id: str
    name: str | None = None
    product_count: int
    accepted: int
    refused_count: int
    refused: list[RefusedProduct] = Field(default_factory=list)


class ProductView(View):
    """A product; *price* in minor units."""

    retailer_id: str
    name: str | None = None
    description: str | None = None
    price: int | None = None
    currency: str | None = None
    image_url: str | None = None
    availability: Availability | None = None
    category: str | None = None
    url: str | None = None


class Products(View):
    """A page of products by retailer id. *synced_at*: when the catalog was last uploaded or refreshed."""

    catalog_id: str
    name: str | None = None
    product_count: int | None = None
    synced_at: str | None = None
    products: list[ProductView]


@CATALOGS.changes("remote_graph", Scope.WHATSAPP_COMMERCE)
def upload_catalog(call: Call[UploadCatalog]) -> UploadedCatalog:
    """
    Create or reuse a catalog, connect it to the account, and create or change its products.

    Products that the provider refuses are listed with their reasons and are not stored. A catalog of another company is
    not found. The call can be repeated: products are identified by their `retailerId`.
    """
    asked = call.input
    phone = participants.account_of(call, asked.meta_waba_id)[0]
    graph = remote.graph_of_account(call, asked.meta_waba_id)
    found = _catalog_of(call, graph)
    catalog = claimed(call, found)
    provider.connect(graph, asked.meta_waba_id, found.id)
    refused: list[RefusedRow] = []
    for first in range(0, len(asked.products), provider.MOST_IN_BATCH):
        batch = asked.products[first : first + provider.MOST_IN_BATCH]
        refused += provider.upload(graph, found.id, batch, phone.business_account_name)
    rejected = {row.retailer_id for row in refused}
    accepted = [one for one in asked.products if one.retailer_id not in rejected]
    before = store.catalogs.retailer_ids(call.table, found.id)
    store.catalogs.put_products(call.table, [_item(call, found.id, one) for one in accepted])
    count = len(before | {one.retailer_id for one in accepted})
    _store(call, catalog, count)
    return UploadedCatalog(
        catalog_id=found.id,
        name=catalog.name,
        product_count=count,
        accepted=len(accepted),
        refused_count=len(rejected),
        refused=[
            RefusedProduct(retailer_id=row.retailer_id, problems=row.problems[:3])
            for row in refused[:MOST_REFUSED_SHOWN]
        ],
    )


@CATALOGS.reads("remote_graph", Scope.WHATSAPP_COMMERCE)
def get_catalog_products(call: Call[GetCatalogProducts]) -> Page[Products]:
    """
    List the stored products of a catalog by retailer id.

    With `refresh` the first page reads the provider before, and stores the differences; products that the provider no
    longer has are removed if all of its pages were read. A page may be short and have a cursor: go on until there is
    none.
    """
    asked = call.input
    catalog = owned_catalog(call, asked.catalog_id)
    start = paging.start_of(call)
    if asked.refresh and start is None:
        catalog = _refreshed(call, catalog)
    found, last = store.catalogs.products(
        call.table, asked.catalog_id, limit=asked.limit, start=start
    )
    shown = [
        ProductView(**one.model_dump(include=set(ProductView.model_fields)))
        for one in found
        if one.company == call.company and asked.category in {None, one.category}
    ]
    result = Products(
        catalog_id=catalog.catalog_id,
        name=catalog.name,
        product_count=catalog.product_count,
        synced_at=catalog.synced_at,
        products=shown,
    )
    return Page(result, paging.cursor_of(call, last))


def owned_catalog(call: Call[GetCatalogProducts], catalog_id: str) -> Catalog:
    """Return the company's catalog. Raises NotFound."""
    catalog = store.catalogs.catalog(call.table, catalog_id)
    if catalog is None or catalog.company != call.company:
        raise NotFound("catalogId: catalog not found")
    return catalog


def _catalog_of(call: Call[UploadCatalog], graph: GraphAccount) -> CatalogAtProvider:
    """Return the catalog that the input names; creates it if it does not exist. Raises NotFound and LeftInDoubt."""
    asked = call.input
    if asked.catalog_id is not None:
        return reached(call, graph, asked.catalog_id)
    business, name = str(asked.business_id), str(asked.catalog_name)
    # An earlier attempt of this call to create it decides: its catalog may not be listed yet.
    was_tried = call.resources.ledger.action(call.action_id()) is not None
    existing = None if was_tried else provider.owned(graph, business, name)
    if existing is None:
        phone = participants.account_of(call, asked.meta_waba_id)[0]
        find = "a repeat with another key finds the catalog by its name, if it was created"
        existing = remote.once(
            call, phone, find, lambda: provider.attempt_create(graph, business, name)
        )
    return CatalogAtProvider(existing, name)


def reached(
    call: Call[UploadCatalog] | Call[ConnectCatalog], graph: GraphAccount, catalog_id: str
) -> CatalogAtProvider:
    """Return a catalog that the token can access and no other company has. Raises NotFound and ProviderRejected."""
    known = store.catalogs.catalog(call.table, catalog_id)
    if known is not None and known.company != call.company:
        raise NotFound("catalogId: catalog not found")
    return provider.get(graph, catalog_id)


def claimed(call: Call[UploadCatalog] | Call[ConnectCatalog], found: CatalogAtProvider) -> Catalog:
    """Make a catalog the company's before its products are written. Raises NotFound for another company's."""
    known = store.catalogs.catalog(call.table, found.id)
    catalog = Catalog(
        pk=Catalog.key(found.id),
        company=call.company,
        catalog_id=found.id,
        waba_meta_id=call.input.meta_waba_id,
        name=found.name,
        product_count=known.product_count if known else None,
        synced_at=known.synced_at if known else None,
        connected=True,
    )
    if not _is_stored(catalog, known) and not store.catalogs.put_catalog(call.table, catalog):
        raise NotFound("catalogId: catalog not found")
    return catalog


def _is_stored(catalog: Catalog, known: Catalog | None) -> bool:
    return known is not None and known.attributes() == catalog.attributes()


def _refreshed(call: Call[GetCatalogProducts], catalog: Catalog) -> Catalog:
    """Store the provider's products that differ, and return the catalog with the new count."""
    graph = remote.graph_of_account(call, catalog.waba_meta_id)
    seen: set[str] = set()
    is_complete = False
    for page, is_last in provider.products(graph, catalog.catalog_id, most=MOST_PAGES):
        is_complete = is_last
        read = [provider.product_of(call.company, catalog.catalog_id, one) for one in page]
        products = [one for one in read if one is not None]
        store.catalogs.put_products(call.table, products)
        seen |= {one.retailer_id for one in products}
        if call.remaining_ms() < _PAGE_MS:
            break
    stored = store.catalogs.retailer_ids(call.table, catalog.catalog_id)
    if is_complete:
        store.catalogs.remove_products(call.table, catalog.catalog_id, sorted(stored - seen))
    return _store(call, catalog, len(seen if is_complete else stored | seen))


def _store(
    call: Call[UploadCatalog] | Call[GetCatalogProducts], catalog: Catalog, count: int
) -> Catalog:
    """Store a catalog with its count after its products, and return it."""
    synced = catalog.model_copy(
        update={"product_count": count, "synced_at": clock.to_text(clock.now_ms())}
    )
    store.catalogs.put_catalog(call.table, synced)
    return synced


def _item(call: Call[UploadCatalog], catalog: str, product: ProductInput) -> Product:
    return Product(
        pk=Product.key(catalog, product.retailer_id),
        company=call.company,
        catalog_id=catalog,
        **product.model_dump(),
    )
