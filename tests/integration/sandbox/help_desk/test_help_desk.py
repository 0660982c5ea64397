"""The help desk: responses, refusals, stored changes, and messages of customers."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from local.sandbox import Config, Sandbox, running
from local.sandbox.accounts.tickets import tag_id
from tests.integration.sandbox.client import Client, Reply
from tests.integration.sandbox.receiver import Receiver

KEY = {"x-richpanel-key": "a-key"}
TICKET = {
    "id": "t-1",
    "subject": "Where is it?",
    "sender": "jane@shop.example",
    "tags": ["vip"],
    "comments": [{"id": "m-1", "body": "Where is my order?", "created_at": "2026-03-02T12:00:00Z"}],
}


def seed(client: Client, **change: Any) -> None:
    assert client.post("/_tickets", TICKET | change).status == 201


def get(client: Client, path: str) -> Reply:
    return client.send("GET", path, authorization=None, headers=KEY)


def put(client: Client, path: str, body: object, method: str = "PUT") -> Reply:
    headers = KEY | {"Content-Type": "application/json"}
    return client.send(method, path, json.dumps(body).encode(), authorization=None, headers=headers)


def test_a_ticket_is_returned_with_its_comments(client: Client) -> None:
    seed(client)

    ticket = get(client, "/v1/tickets/t-1").json()["ticket"]

    assert (ticket["id"], ticket["status"], ticket["tags"]) == ("t-1", "OPEN", ["vip"])
    assert ticket["via"] == {"channel": "email", "source": {"from": {"address": "jane@shop.example"}}}  # fmt: skip
    assert ticket["comments"] == [
        {
            "id": "m-1", "author_id": "customer-1", "created_at": "2026-03-02T12:00:00Z", "body": "Where is my order?",
            "type": "email", "isOperator": False, "attachments": [],
        }
    ]  # fmt: skip


def test_a_ticket_can_be_unwrapped_and_in_the_other_spelling(client: Client) -> None:
    seed(client, spelling="camel", is_wrapped=False)

    ticket = get(client, "/v1/tickets/t-1").json()

    assert {"assigneeId", "updatedAt", "customerProfile"} <= ticket.keys()
    assert ticket["comments"][0]["authorId"] == "customer-1"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/tickets/t-1"),
        ("GET", "/v1/tickets"),
        ("GET", "/v1/tags"),
        ("GET", "/v1/teams"),
        ("GET", "/v1/order/t-1"),
        ("PUT", "/v1/tickets/t-1/send-message"),
    ],
)
def test_a_request_without_a_key_is_refused(
    client: Client, sandbox: Sandbox, method: str, path: str
) -> None:
    seed(client)

    assert client.send(method, path, b"{}", authorization=None).status == 401
    assert sandbox.sent == []


def test_the_key_is_not_recorded(client: Client, sandbox: Sandbox) -> None:
    seed(client)
    get(client, "/v1/tickets/t-1")

    [sent] = sandbox.sent
    assert (sent.provider, sent.operation) == ("richpanel", "get_ticket")
    assert "x-richpanel-key" not in sent.headers


@pytest.mark.parametrize(
    "ticket_id", ["<a.b@mail.example>", "a/b", "a b?c#d", "100%", "\u00e9\U0001f600"]
)
def test_an_id_with_odd_characters_is_found_where_it_is_encoded(
    client: Client, ticket_id: str
) -> None:
    seed(client, id=ticket_id)

    path = f"/v1/tickets/{quote(ticket_id, safe='')}"
    assert get(client, path).json()["ticket"]["id"] == ticket_id
    assert put(client, f"{path}/add-tags", {"tags": ["vip"]}).status == 200


def test_an_id_that_is_not_encoded_is_another_path(client: Client) -> None:
    seed(client, id="a/b")

    assert get(client, "/v1/tickets/a/b").status == 404


def test_an_unknown_resource_is_a_404(client: Client) -> None:
    for path in ("/v1/tickets/none", "/v1/order/none", "/v1/order/shop-1/9"):
        assert get(client, path).status == 404


def test_tags_are_added_and_removed_by_name_or_id(client: Client) -> None:
    seed(client)
    client.post("/_tags", {"names": ["route-returns-admin"]})

    added = put(client, "/v1/tickets/t-1/add-tags", {"tags": [tag_id("route-returns-admin"), "vip"]})  # fmt: skip
    taken = put(client, "/v1/tickets/t-1/remove-tags", {"tags": ["vip"]})

    assert added.json()["ticket"]["tags"] == ["vip", "route-returns-admin"]
    assert taken.json()["ticket"]["tags"] == ["route-returns-admin"]


def test_tags_are_listed_and_created(client: Client) -> None:
    made = put(client, "/v1/tags", {"name": "mw-processed"}, "POST")

    assert made.status == 201
    assert put(client, "/v1/tags", {"name": "mw-processed"}, "POST").status == 422
    [tag] = get(client, "/v1/tags").json()["tag"]
    assert tag == {"id": tag_id("mw-processed"), "name": "mw-processed"}


def test_a_message_to_the_customer_is_a_comment_of_an_operator(
    client: Client, sandbox: Sandbox
) -> None:
    seed(client)
    body = {"body": "On its way.", "author_id": "bot-1", "attachments": []}

    assert put(client, "/v1/tickets/t-1/send-message", body).status == 200

    said = get(client, "/v1/tickets/t-1").json()["ticket"]["comments"][1]
    assert (said["body"], said["author_id"], said["isOperator"]) == ("On its way.", "bot-1", True)
    assert sandbox.sent[0].body == body


@pytest.mark.parametrize(
    ("change", "operation"),
    [
        ({"comment": {"body": "Hello", "sender_type": "operator"}}, "comment"),
        ({"assignee_id": "agent-7"}, "assign"),
        ({"state": "closed", "status": "CLOSED"}, "close"),
    ],
)
def test_a_ticket_is_changed(
    client: Client, sandbox: Sandbox, change: dict[str, Any], operation: str
) -> None:
    seed(client)

    ticket = put(client, "/v1/tickets/t-1", {"ticket": change}).json()["ticket"]

    assert sandbox.sent[-1].operation == operation
    assert (ticket["assignee_id"], ticket["status"], len(ticket["comments"])) == {
        "comment": (None, "OPEN", 2), "assign": ("agent-7", "OPEN", 1), "close": (None, "CLOSED", 1),
    }[operation]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/send-message", {"author_id": "bot-1"}, 422),
        ("/send-message", {"body": " ", "author_id": "bot-1"}, 422),
        ("/send-message", {"body": "Hi"}, 422),
        ("/send-message", {"body": "Hi", "author_id": "bot-1", "attachments": "none"}, 422),
        ("/send-message", [], 400),
        ("/add-tags", {"tags": []}, 422),
        ("/add-tags", {"tags": "vip"}, 422),
        ("/add-tags", {"tags": ["unheard-of"]}, 422),
        ("", {}, 422),
        ("", {"ticket": {}}, 422),
        ("", {"ticket": {"comment": {"body": "Hi", "sender_type": "note"}}}, 422),
        ("", {"ticket": {"comment": {"body": "", "sender_type": "operator"}}}, 422),
        ("", {"ticket": {"state": "closed"}}, 422),
        ("", {"ticket": {"assignee_id": None}}, 422),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused_and_changes_nothing(
    client: Client, sandbox: Sandbox, path: str, body: object, status: int
) -> None:
    seed(client)
    before = get(client, "/v1/tickets/t-1").json()
    sandbox.forget_sent()

    assert put(client, f"/v1/tickets/t-1{path}", body).status == status
    assert sandbox.sent == []
    assert get(client, "/v1/tickets/t-1").json() == before


def test_a_body_needs_the_json_content_type(client: Client) -> None:
    seed(client)

    reply = client.send("PUT", "/v1/tickets/t-1", b'{"ticket": {}}', headers=KEY)
    assert reply.status == 400


def test_open_tickets_are_listed_page_by_page_last_changed_first(client: Client) -> None:
    for day in (3, 1, 2):
        seed(client, id=f"t-{day}", updated_at=f"2026-03-0{day}T12:00:00Z")
    seed(client, id="t-4", status="CLOSED", updated_at="2026-03-04T12:00:00Z")
    query = "/v1/tickets?status=OPEN&order=DESC&sortKey=updatedAt&updated_at=2026-03-02&per_page=1"

    first, second = (get(client, f"{query}&page={page}").json() for page in (1, 2))

    assert ([t["id"] for t in first["ticket"]], first["next_page"]) == (["t-3"], 2)
    assert ([t["id"] for t in second["ticket"]], second["next_page"]) == (["t-2"], None)
    assert "comments" not in first["ticket"][0]


@pytest.mark.parametrize(
    "query", ["sortkey=updatedAt", "per_page=101", "page=0", "page=x", "order=down", "sortKey=id"]
)
def test_a_list_with_an_invalid_query_is_refused(client: Client, query: str) -> None:
    assert get(client, f"/v1/tickets?{query}").status == 400


def test_the_order_of_a_ticket_is_named_by_two_ids(client: Client) -> None:
    order = {"id": "6001", "name": "#1001", "created_at": "2026-03-01T09:00:00Z"}
    client.post("/_orders", order)
    seed(client, order={"order_id": "6001", "app_client_id": "shop/1"})
    seed(client, id="t-2")

    assert get(client, "/v1/order/t-1").json() == {"orderId": "6001", "appClientId": "shop/1"}
    assert get(client, "/v1/order/t-2").json() == {}
    assert get(client, "/v1/order/shop%2F1/6001").json()["order"]["name"] == "#1001"


def test_the_fifty_first_request_in_thirty_seconds_is_refused(
    client: Client, sandbox: Sandbox
) -> None:
    for _ in range(50):
        assert get(client, "/v1/teams").status == 200
    refused = get(client, "/v1/teams")
    assert refused.status == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 30

    sandbox.clock.advance(int(refused.headers["Retry-After"]))
    assert get(client, "/v1/teams").status == 200


def test_a_customers_message_calls_the_webhook_once_per_rule(
    receiver: Receiver,
) -> None:
    config = Config(richpanel_webhook_url=receiver.url, richpanel_token="a-token")
    with running(config) as sandbox:
        client = Client(sandbox.url)
        seed(client)
        said = {"ticket_id": "t-1", "comment": {"body": "Hello?"}, "webhooks": 2}
        made = client.post("/_comments", said).json()
        ticket = get(client, "/v1/tickets/t-1").json()["ticket"]
        client.close()

    calls = [receiver.next(), receiver.next()]
    assert made["webhooks"] == [200, 200]
    assert (ticket["comments"][1]["id"], ticket["comments"][1]["body"]) == (made["comment_id"], "Hello?")  # fmt: skip
    for call in calls:
        assert call.headers["X-Middleware-Token"] == "a-token"
        body = json.loads(call.body)
        assert (body["ticket_id"], body["channel"]) == ("t-1", "email")
        assert "Hello?" not in call.body.decode()


def test_a_webhook_that_fails_is_not_called_again(receiver: Receiver) -> None:
    receiver.statuses.append(503)
    config = Config(richpanel_webhook_url=receiver.url, richpanel_token="a-token")
    with running(config) as sandbox:
        client = Client(sandbox.url)
        seed(client)
        made = client.post("/_comments", {"ticket_id": "t-1", "comment": {"body": "?"}}).json()
        client.close()

    assert made["webhooks"] == [503]
    assert receiver.requests.qsize() == 1


def test_without_a_webhook_a_customers_message_is_only_stored(client: Client) -> None:
    seed(client)

    made = client.post("/_comments", {"ticket_id": "t-1", "comment": {"body": "?"}}).json()
    assert made["webhooks"] == [None]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/_tickets", {"id": "t-1", "chanel": "email"}, "chanel"),
        ("/_tickets", {}, "id"),
        ("/_tickets", b"{", "body"),
        ("/_orders", {"id": "x", "name": "#1", "created_at": ""}, "id"),
        ("/_shipments", {"order_number": "1"}, "tracking_number"),
        ("/_comments", {"ticket_id": "none", "comment": {}}, "ticket_id"),
    ],
)
def test_an_invalid_staging_request_is_refused_and_the_field_named(
    client: Client, path: str, body: object, field: str
) -> None:
    reply = client.post(path, body)

    assert reply.status in {400, 404}
    assert reply.json()["errors"][0]["field"] == field
