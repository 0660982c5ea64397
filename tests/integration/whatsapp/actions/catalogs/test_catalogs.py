"""Catalogs are uploaded, read, connected and disconnected, and belong to one company."""

from typing import Any

import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.actions.conftest import EUM_WABA, GLOBEX, WABA, Actions, of_globex
from whatsapp.store.items.accounts.catalogs import Catalog, Product

BUSINESS = "1122334455"
CATALOG = "800000000000000"


def product(identity: str, **more: Any) -> dict[str, Any]:
    return {
        "retailerId": identity,
        "name": f"Bike {identity}",
        "description": "A good bike.",
        "price": 50_000,
        "currency": "INR",
        "imageUrl": f"https://shop.example.com/{identity}.jpg",
        "url": f"https://shop.example.com/{identity}",
        "category": "Bikes",
    } | more


def upload(actions: Actions, *products: dict[str, Any], **more: Any) -> Any:
    named = {"catalogName": "Bikes", "businessId": BUSINESS} if "catalogId" not in more else {}
    body = {"metaWabaId": WABA, "products": list(products) or [product("b-1"), product("b-2")]}
    key = more.pop("key", "")
    caller = more.pop("caller", None)
    given = {"caller": caller} if caller else {}
    return actions.run("upload_catalog", body | named | more, key=key, **given)


def shown(actions: Actions, **asked: Any) -> list[str]:
    answer = actions.run("get_catalog_products", {"catalogId": CATALOG} | asked)
    return [one["retailerId"] for one in answer.result["products"]]


def test_a_catalog_is_created_connected_and_filled(actions: Actions) -> None:
    answer = upload(actions)

    assert answer.result == {
        "catalogId": CATALOG,
        "name": "Bikes",
        "productCount": 2,
        "accepted": 2,
        "refusedCount": 0,
        "refused": [],
    }
    assert actions.item(Catalog.key(CATALOG)) == {
        "pk": Catalog.key(CATALOG),
        "itemType": "CATALOG",
        "company": "acme",
        "catalogId": CATALOG,
        "wabaMetaId": WABA,
        "name": "Bikes",
        "productCount": 2,
        "syncedAt": "2026-01-01T12:00:00.000Z",
        "connected": True,
    }
    assert actions.item(Product.key(CATALOG, "b-1")) == {
        "pk": Product.key(CATALOG, "b-1"),
        "itemType": "PRODUCT",
        "company": "acme",
        "catalogId": CATALOG,
        "retailerId": "b-1",
        "name": "Bike b-1",
        "description": "A good bike.",
        "price": 50_000,
        "currency": "INR",
        "imageUrl": "https://shop.example.com/b-1.jpg",
        "availability": "in_stock",
        "category": "Bikes",
        "url": "https://shop.example.com/b-1",
    }
    assert actions.sandbox.objects["connected catalogs"] == {WABA: CATALOG}


def test_the_requests_are_those_that_meta_documents(actions: Actions) -> None:
    upload(actions, product("b-1", availability="out_of_stock"))
    sent = {one.operation: one for one in actions.wire}

    created, connected = sent["create_catalog"], sent["connect_catalog"]
    assert created.path == f"/v23.0/{BUSINESS}/owned_product_catalogs"
    assert created.body == {"name": "Bikes", "vertical": "commerce"}
    assert (connected.path, connected.body) == (
        f"/v23.0/{WABA}/product_catalogs",
        {"catalog_id": CATALOG},
    )
    batch = sent["upload_products"]
    assert batch.path == f"/v23.0/{CATALOG}/items_batch"
    assert batch.body == {
        "item_type": "PRODUCT_ITEM",
        "allow_upsert": True,
        "requests": [
            {
                "method": "UPDATE",
                "data": {
                    "id": "b-1",
                    "title": "Bike b-1",
                    "description": "A good bike.",
                    "availability": "out of stock",
                    "condition": "new",
                    "price": "500.00 INR",
                    "image_link": "https://shop.example.com/b-1.jpg",
                    "link": "https://shop.example.com/b-1",
                    "product_type": "Bikes",
                    "brand": "Acme Bikes",
                },
            }
        ],
    }


def test_a_repeat_changes_nothing_and_a_catalog_is_found_by_its_name(actions: Actions) -> None:
    upload(actions, key="key-upload")
    requests = len(actions.wire)
    replayed = upload(actions, key="key-upload")
    assert (replayed.body["replayed"], len(actions.wire)) == (True, requests)

    again = upload(actions, product("b-2", price=1), product("b-3"))

    assert (again.result["catalogId"], again.result["productCount"]) == (CATALOG, 3)
    assert len(actions.sandbox.objects["catalogs"]) == 1
    assert actions.item(Product.key(CATALOG, "b-2"))["price"] == 1


def test_refused_rows_are_listed_and_not_stored(actions: Actions) -> None:
    bad = product("b-9")
    del bad["url"]
    answer = upload(actions, product("b-1"), bad)

    assert (answer.result["accepted"], answer.result["refusedCount"]) == (1, 1)
    assert answer.result["refused"] == [{"retailerId": "b-9", "problems": ["link: is required"]}]
    assert actions.item(Product.key(CATALOG, "b-9")) == {}
    assert actions.item(Catalog.key(CATALOG))["productCount"] == 1


def test_many_products_go_in_batches_and_are_paged(actions: Actions) -> None:
    answer = upload(actions, *(product(f"b-{number:04d}") for number in range(1_001)))

    batches = [one for one in actions.wire if one.operation == "upload_products"]
    assert (answer.result["productCount"], len(batches)) == (1_001, 3)
    first = actions.run("get_catalog_products", {"catalogId": CATALOG, "limit": 100})
    rest = actions.run(
        "get_catalog_products",
        {"catalogId": CATALOG, "limit": 100, "cursor": first.body["cursor"]},
    )
    assert [len(page.result["products"]) for page in (first, rest)] == [100, 100]
    assert rest.result["products"][0]["retailerId"] == "b-0100"
    foreign = actions.run(
        "get_catalog_products",
        {"catalogId": CATALOG, "limit": 100, "category": "Cars", "cursor": first.body["cursor"]},
    )
    assert foreign.error == "invalid_cursor"


def test_a_creation_whose_answer_was_lost_is_found_by_its_name(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="create_catalog", kind="lost_answer")
    first = upload(actions, key="key-upload")
    again = upload(actions)

    assert (first.status, first.result["state"]) == (202, "in_doubt")
    assert (again.result["catalogId"], len(actions.sandbox.objects["catalogs"])) == (CATALOG, 1)


@pytest.mark.parametrize("operation", ["connect_catalog", "upload_products", "get_catalog"])
def test_a_step_whose_answer_was_lost_is_repeated(actions: Actions, operation: str) -> None:
    upload(actions, product("b-1"))
    actions.sandbox.objects["connected catalogs"].clear()
    actions.sandbox.faults.add(provider="meta", operation=operation, kind="lost_answer")

    answer = upload(actions, product("b-2"), catalogId=CATALOG)

    assert (answer.status, answer.result["productCount"]) == (200, 2)


@pytest.mark.parametrize(("status", "code"), [(429, "rate_limited"), (500, "provider_unavailable")])
def test_an_upload_that_fails_stores_no_product(actions: Actions, status: int, code: str) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="upload_products", kind="status", status=status, times=3
    )

    assert upload(actions).error == code
    assert [key for key in actions.harness.keys() if key.startswith("PRODUCT#")] == []


def test_products_are_filtered_and_refreshed(actions: Actions) -> None:
    upload(actions, product("b-1"), product("b-2", category="Helmets"), product("b-3"))
    assert shown(actions, category="Helmets") == ["b-2"]
    at_meta = actions.sandbox.objects["catalogs"][CATALOG]["products"]
    at_meta["b-1"] |= {"price": "₹750.50", "availability": "discontinued"}
    del at_meta["b-3"]
    at_meta["b-4"] = at_meta["b-2"] | {"retailer_id": "b-4", "availability": "preorder"}

    assert shown(actions) == ["b-1", "b-2", "b-3"]
    answer = actions.run("get_catalog_products", {"catalogId": CATALOG, "refresh": True})

    assert [one["retailerId"] for one in answer.result["products"]] == ["b-1", "b-2", "b-4"]
    first = answer.result["products"][0]
    assert (first["price"], first["availability"]) == (75_050, "out_of_stock")
    assert actions.item(Product.key(CATALOG, "b-4"))["availability"] == "in_stock"
    assert actions.item(Catalog.key(CATALOG))["productCount"] == 3
    sent = next(one for one in actions.wire if one.operation == "list_products")
    assert sent.path == f"/v23.0/{CATALOG}/products"
    assert sent.query["limit"] == "100"


def test_a_refresh_reads_all_pages_and_writes_only_differences(actions: Actions) -> None:
    upload(actions, *(product(f"b-{number:03d}") for number in range(250)))
    actions.harness.resources.table.forget_consumption()

    answer = actions.run(
        "get_catalog_products", {"catalogId": CATALOG, "refresh": True, "limit": 1}
    )

    assert answer.result["productCount"] == 250
    pages = [one for one in actions.wire if one.operation == "list_products"]
    assert [one.query.get("after") for one in pages] == [None, "100", "200"]


def test_a_catalog_of_another_company_is_not_found(actions: Actions) -> None:
    upload(actions)
    other = of_globex()
    more = {"metaWabaId": other.waba_meta_id, "catalogId": CATALOG, "caller": GLOBEX}

    assert actions.run("get_catalog_products", {"catalogId": CATALOG}, caller=GLOBEX).status == 404
    assert upload(actions, product("b-1", price=7), **more).error == "not_configured"
    assert upload(actions, caller=GLOBEX).status == 404
    assert actions.item(Product.key(CATALOG, "b-1"))["price"] == 50_000
    refused = actions.run(
        "disconnect_catalog", {"metaWabaId": WABA, "catalogId": CATALOG}, caller=GLOBEX
    )
    assert refused.status == 404


def test_a_catalog_that_another_company_owns_is_listed_but_not_taken(actions: Actions) -> None:
    upload(actions)
    key = Catalog.key(CATALOG)
    foreign = Catalog(pk=key, company="globex", catalog_id=CATALOG, waba_meta_id="302290129340398")
    actions.harness.resources.table.put(foreign.attributes())

    listed = actions.run("get_connected_catalogs", {"metaWabaId": WABA}).result["catalogs"]

    assert [one["catalogId"] for one in listed] == [CATALOG]
    assert actions.item(key) == foreign.attributes()
    assert upload(actions).error == "not_found"
    assert upload(actions, catalogId=CATALOG).error == "not_found"
    gone = actions.run("disconnect_catalog", {"metaWabaId": WABA, "catalogId": CATALOG})
    assert gone.error == "not_found"


def test_connected_catalogs_are_listed_and_stored(actions: Actions) -> None:
    upload(actions)
    actions.harness.resources.table.delete({"pk": Catalog.key(CATALOG)})

    answer = actions.run("get_connected_catalogs", {"metaWabaId": WABA})

    assert answer.result["catalogs"] == [{"catalogId": CATALOG, "name": "Bikes", "productCount": 2}]
    assert actions.item(Catalog.key(CATALOG))["company"] == "acme"
    assert actions.run("get_connected_catalogs", {"metaWabaId": EUM_WABA}).error == "not_found"


@pytest.mark.parametrize("fault", [None, "lost_answer"])
def test_a_catalog_is_disconnected_and_keeps_its_products(
    actions: Actions, fault: str | None
) -> None:
    upload(actions)
    if fault:
        actions.sandbox.faults.add(
            provider="meta", operation="disconnect_catalog", kind="lost_answer"
        )
    body = {"metaWabaId": WABA, "catalogId": CATALOG}

    assert actions.run("disconnect_catalog", body).result == {"done": True}
    assert actions.run("disconnect_catalog", body).result == {"done": True}
    assert actions.sandbox.objects["connected catalogs"] == {}
    assert actions.item(Catalog.key(CATALOG))["connected"] is False
    assert shown(actions) == ["b-1", "b-2"]
    sent = next(one for one in actions.wire if one.operation == "disconnect_catalog")
    assert (sent.path, sent.body) == (
        f"/v23.0/{WABA}/product_catalogs",
        {"catalog_id": CATALOG},
    )


@pytest.mark.parametrize("fault", [None, "lost_answer"])
def test_a_catalog_that_the_token_reaches_is_connected_again_with_its_products(
    actions: Actions, fault: str | None
) -> None:
    upload(actions)
    body = {"metaWabaId": WABA, "catalogId": CATALOG}
    actions.run("disconnect_catalog", body)
    if fault:
        actions.sandbox.faults.add(provider="meta", operation="connect_catalog", kind="lost_answer")

    connected = {"catalogId": CATALOG, "name": "Bikes", "productCount": 2}
    assert actions.run("connect_catalog", body).result == connected
    assert actions.run("connect_catalog", body).result == connected
    assert actions.sandbox.objects["connected catalogs"] == {WABA: CATALOG}
    assert actions.item(Catalog.key(CATALOG))["connected"] is True
    assert shown(actions) == ["b-1", "b-2"]


def test_a_catalog_of_another_company_or_out_of_reach_is_not_connected(actions: Actions) -> None:
    upload(actions)
    actions.run("disconnect_catalog", {"metaWabaId": WABA, "catalogId": CATALOG})
    foreign = Catalog(
        pk=Catalog.key(CATALOG),
        company="globex",
        catalog_id=CATALOG,
        waba_meta_id="302290129340398",
    )
    actions.harness.resources.table.put(foreign.attributes())
    for catalog, error in ((CATALOG, "not_found"), ("899999999999999", "provider_rejected")):
        refused = actions.run("connect_catalog", {"metaWabaId": WABA, "catalogId": catalog})
        assert refused.error == error
    assert actions.sandbox.objects["connected catalogs"] == {}
    assert actions.item(Catalog.key(CATALOG)) == foreign.attributes()


@pytest.mark.parametrize(
    "body",
    [
        {"catalogName": None},
        {"businessId": None},
        {"catalogId": CATALOG},
        {"products": []},
        {"products": [product("b-1"), product("b-1")]},
        {"products": [product("b-1", price=10.5)]},
        {"products": [product("b-1", price=-1)]},
        {"products": [product("b-1", currency="rupees")]},
        {"products": [product("b-1", name="x" * 151)]},
        {"products": [product("b-1", description="x" * 5_001)]},
        {"products": [product("b-1", imageUrl="http://shop.example.com/x.jpg")]},
        {"products": [product("b-1", availability="soon")]},
        {"products": [product("b-1", colour="red")]},
    ],
)
def test_bad_input_is_refused_before_any_call(actions: Actions, body: dict[str, Any]) -> None:
    whole = {"metaWabaId": WABA, "catalogName": "Bikes", "businessId": BUSINESS}
    answer = actions.run("upload_catalog", whole | {"products": [product("b-1")]} | body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert actions.wire == []


def test_calls_need_the_scope_of_commerce_and_a_token(actions: Actions) -> None:
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:r")
    assert upload(actions, caller=reader).status == 403

    actions.register(token_ref="none")
    assert upload(actions).error == "not_configured"
