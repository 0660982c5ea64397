"""The shop and the shipping service: loose searches, limits, and refusals."""

import json
from typing import Any

import pytest

from local.sandbox import Sandbox
from tests.integration.sandbox.client import Client, Reply

TOKEN = {"X-Shopify-Access-Token": "a-token", "Content-Type": "application/json"}
BASIC = "Basic a2V5OnNlY3JldA=="
QUERY = """
query ($query: String!) {
  orders(first: 5, query: $query) {
    nodes { name email fulfillments(first: 1) { trackingInfo(first: 1) { number } } }
  }
}
"""


def order(client: Client, number: str, **change: Any) -> None:
    facts = {
        "id": f"6{number}",
        "name": f"#{number}",
        "email": "jane@shop.example",
        "created_at": "2026-03-01T09:00:00Z",
    }
    assert client.post("/_orders", facts | change).status == 201


def ask(client: Client, text: str, version: str = "2026-01", **variables: str) -> Reply:
    body = json.dumps({"query": text, "variables": variables}).encode()
    path = f"/admin/api/{version}/graphql.json"
    return client.send("POST", path, body, authorization=None, headers=TOKEN)


def test_a_search_by_number_returns_similar_numbers_newest_first(client: Client) -> None:
    order(client, "1001", parcels=[{"number": "9400"}])
    order(client, "21001")
    order(client, "1002")

    for text in ('name:"1001"', "name:#1001", "name:1001"):
        nodes = ask(client, QUERY, query=text).json()["data"]["orders"]["nodes"]
        assert [node["name"] for node in nodes] == ["#21001", "#1001"]
    assert nodes[1]["fulfillments"] == [{"trackingInfo": [{"number": "9400"}]}]


def test_an_unknown_filter_is_ignored(client: Client) -> None:
    for number in range(1001, 1008):
        order(client, str(number))

    nodes = ask(client, QUERY, query='name:"1001" OR status:any').json()["data"]["orders"]["nodes"]
    assert len(nodes) == 5


def test_one_order_is_found_by_its_id(client: Client) -> None:
    order(client, "1001")
    query = "query ($id: ID!) { order(id: $id) { name shippingLine { title } } }"

    found = ask(client, query, id="gid://shopify/Order/61001").json()
    assert found == {"data": {"order": {"name": "#1001", "shippingLine": None}}}
    assert ask(client, query, id="gid://shopify/Order/1").json() == {"data": {"order": None}}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("query { orders(first: 5) { nodes { colour } } }", "'colour' doesn't exist"),
        ("query { customers(first: 5) { nodes { id } } }", "'customers' doesn't exist"),
        ("query { orders { nodes { id } } }", "first or last"),
        ("query { orders(first: 5) { nodes } }", "must have selections"),
        ("query { orders(first: 5) { nodes { name { id } } } }", "on scalars"),
        ("query { orders(first: 5, query: $missing) { nodes { id } } }", "$missing"),
        ("query { orders(first: 5 { nodes { id } }", "syntax"),
        ("orders", "syntax"),
    ],
)
def test_an_invalid_query_is_an_error_with_status_200(
    client: Client, sandbox: Sandbox, query: str, message: str
) -> None:
    order(client, "1001")

    reply = ask(client, query)

    assert reply.status == 200
    assert message in reply.json()["errors"][0]["message"]
    assert sandbox.sent == []


def test_the_shop_requires_a_token_a_version_and_json(client: Client) -> None:
    body = json.dumps({"query": QUERY, "variables": {"query": ""}}).encode()
    path = "/admin/api/2026-01/graphql.json"

    assert client.send("POST", path, body).status == 401
    assert ask(client, QUERY, version="2026-02", query="").status == 404
    assert client.send("POST", path, b"{", headers=TOKEN).status == 400


def test_the_shops_limit_is_reported_with_status_200(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=429, provider="shopify")

    reply = ask(client, QUERY, query="name:1")

    assert reply.status == 200
    assert reply.json()["errors"][0]["extensions"]["code"] == "THROTTLED"


def test_shipments_are_found_by_the_beginning_of_their_order_number(client: Client) -> None:
    for number in ("1001", "10012", "2001"):
        client.post("/_shipments", {"order_number": number, "tracking_number": f"94{number}"})

    found = client.get("/shipments?orderNumber=1001", authorization=BASIC).json()

    assert [entry["trackingNumber"] for entry in found["shipments"]] == ["941001", "9410012"]


@pytest.mark.parametrize("authorization", [None, "Bearer x", "Basic ???", "Basic a2V5"])
def test_the_shipping_service_requires_key_and_secret(
    client: Client, authorization: str | None
) -> None:
    assert client.get("/shipments?orderNumber=1", authorization=authorization).status == 401


def test_the_forty_first_request_in_a_minute_is_refused(client: Client, sandbox: Sandbox) -> None:
    for _ in range(40):
        assert client.get("/shipments?orderNumber=1", authorization=BASIC).status == 200
    refused = client.get("/shipments?orderNumber=1", authorization=BASIC)

    assert (refused.status, refused.headers["X-Rate-Limit-Remaining"]) == (429, "0")
    sandbox.clock.advance(int(refused.headers["X-Rate-Limit-Reset"]))
    assert client.get("/shipments?orderNumber=1", authorization=BASIC).status == 200


def test_the_shops_token_is_not_recorded(client: Client, sandbox: Sandbox) -> None:
    ask(client, QUERY, query="name:1")

    assert "x-shopify-access-token" not in sandbox.sent[0].headers
