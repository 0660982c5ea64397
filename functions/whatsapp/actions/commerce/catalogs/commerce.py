"""Changes and shows commerce settings of numbers, and the catalogs that are connected to accounts."""

from typing import Any, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp import store
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, SenderInput
from whatsapp.actions.calls.views import Done
from whatsapp.actions.commerce.catalogs import products, provider
from whatsapp.actions.commerce.catalogs.inputs import (
    ConnectCatalog,
    DisconnectCatalog,
    GetConnectedCatalogs,
)
from whatsapp.actions.commerce.catalogs.provider import CatalogAtProvider
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.items.accounts.catalogs import Catalog

SETTINGS = Group("commerce_settings")
_AFTER = "after"


class UpdateCommerceSettings(SenderInput):
    """At least one setting; an absent one is not changed."""

    is_cart_enabled: Flag | None = None
    is_catalog_visible: Flag | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.is_cart_enabled is None and self.is_catalog_visible is None:
            problem = "must have at least one of isCartEnabled, isCatalogVisible"
            raise PydanticCustomError("change", problem)
        return self


class CommerceSettings(View):
    """Whether customers can fill a cart, and see the catalog; absent: unknown at the provider."""

    is_cart_enabled: bool | None = None
    is_catalog_visible: bool | None = None


class ConnectedCatalog(View):
    """A catalog at the provider."""

    catalog_id: str
    name: str | None = None
    product_count: int | None = None


class ConnectedCatalogs(View):
    """A page of connected catalogs."""

    catalogs: list[ConnectedCatalog]


@SETTINGS.reads("remote_graph", Scope.WHATSAPP_COMMERCE)
def get_commerce_settings(call: Call[SenderInput]) -> CommerceSettings:
    """Return the commerce settings of a number, as the provider has them."""
    phone = participants.sender_of(call)
    answer = remote.graph_of(call, phone).get(phone.phone, "whatsapp_commerce_settings")
    listed = answer.get("data")
    found: dict[str, Any] = listed[0] if isinstance(listed, list) and listed else {}
    return CommerceSettings(
        is_cart_enabled=found.get("is_cart_enabled"),
        is_catalog_visible=found.get("is_catalog_visible"),
    )


@SETTINGS.changes("remote_graph", Scope.WHATSAPP_COMMERCE)
def update_commerce_settings(call: Call[UpdateCommerceSettings]) -> CommerceSettings:
    """Change the commerce settings of a number, and return the changed settings."""
    asked = call.input
    phone = participants.sender_of(call)
    graph = remote.graph_of(call, phone)
    given = {
        "is_cart_enabled": asked.is_cart_enabled,
        "is_catalog_visible": asked.is_catalog_visible,
    }
    query = {name: str(value).lower() for name, value in given.items() if value is not None}
    remote.answered(
        lambda: graph.attempt("POST", phone.phone, "whatsapp_commerce_settings", query=query)
    )
    store.catalogs.set_commerce(call.table, phone.phone, **given)
    return CommerceSettings(**given)


@SETTINGS.reads("remote_graph", Scope.WHATSAPP_COMMERCE)
def get_connected_catalogs(call: Call[GetConnectedCatalogs]) -> Page[ConnectedCatalogs]:
    """
    List the catalogs that are connected to an account, as the provider pages them; new and changed ones are stored.

    A catalog that a business shares with another company's account is listed, but stays the other company's.
    """
    waba = call.input.meta_waba_id
    graph = remote.graph_of_account(call, waba)
    start = paging.start_of(call)
    found, after = provider.connected(
        graph, waba, call.input.limit, start[_AFTER] if start else None
    )
    for one in found:
        _note(call, waba, one)
    shown = [
        ConnectedCatalog(catalog_id=one.id, name=one.name, product_count=one.product_count)
        for one in found
    ]
    cursor = paging.cursor_of(call, {_AFTER: after} if after else None)
    return Page(ConnectedCatalogs(catalogs=shown), cursor)


@SETTINGS.changes("remote_graph", Scope.WHATSAPP_COMMERCE)
def connect_catalog(call: Call[ConnectCatalog]) -> ConnectedCatalog:
    """
    Connect a catalog to an account, whose numbers then show it. Its products are read with `get_catalog_products`.

    The access token of the account must reach the catalog, and no other company may have it here. The provider refuses
    a second catalog of an account: disconnect the first one before. Not confirmed by our own traffic: that refusal.
    """
    asked = call.input
    graph = remote.graph_of_account(call, asked.meta_waba_id)
    found = products.reached(call, graph, asked.catalog_id)
    catalog = products.claimed(call, found)
    provider.connect(graph, asked.meta_waba_id, asked.catalog_id)
    return ConnectedCatalog(
        catalog_id=asked.catalog_id, name=catalog.name, product_count=found.product_count
    )


@SETTINGS.changes("remote_graph", Scope.WHATSAPP_COMMERCE)
def disconnect_catalog(call: Call[DisconnectCatalog]) -> Done:
    """Disconnect a catalog from an account. The catalog and its products stay."""
    asked = call.input
    graph = remote.graph_of_account(call, asked.meta_waba_id)
    known = store.catalogs.catalog(call.table, asked.catalog_id)
    if known is not None and known.company != call.company:
        raise NotFound("catalogId: catalog not found")
    provider.disconnect(graph, asked.meta_waba_id, asked.catalog_id)
    if known is not None and known.waba_meta_id == asked.meta_waba_id:
        store.catalogs.put_catalog(call.table, known.model_copy(update={"connected": False}))
    return Done()


def _note(call: Call[GetConnectedCatalogs], waba: str, found: CatalogAtProvider) -> None:
    """Store a connected catalog if it is new, or ours and changed."""
    known = store.catalogs.catalog(call.table, found.id)
    catalog = Catalog(
        pk=Catalog.key(found.id),
        company=call.company,
        catalog_id=found.id,
        waba_meta_id=waba,
        name=found.name,
        product_count=found.product_count,
        synced_at=known.synced_at if known else None,
        connected=True,
    )
    if known is None or known.attributes() != catalog.attributes():
        store.catalogs.put_catalog(call.table, catalog)  # Changes nothing of another company's.
