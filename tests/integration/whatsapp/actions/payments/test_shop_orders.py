"""Orders of a shop: the newest event by rank, and one message for each event."""

from itertools import permutations
from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.conftest import NOW, text

TEMPLATE: dict[str, object] = {
    "id": "1", "waba": WABA, "name": "order_news", "language": "en_US", "status": "APPROVED", "category": "UTILITY",
    "components": [{"type": "BODY", "text": "{{1}}: order {{2}}, {{3}}"}],
}  # fmt: skip


def event(kind: str = "created", **changes: Any) -> dict[str, Any]:
    facts = {
        "eventType": kind, "orderId": "10007", "customerPhone": f"+{ADA}", "customerName": "Ada",
        "orderTotal": 2_500, "currency": "INR", "items": [{"name": "Bell"}],
    }  # fmt: skip
    return {"metaWabaId": WABA, "wixEvent": facts | changes}


def order(actions: Actions) -> dict[str, Any]:
    (key,) = [key for key in actions.harness.keys() if key.startswith("ORDER#acme:wix-")]
    return actions.item(key)


@pytest.mark.parametrize("events", [*permutations(["created", "paid", "shipped"])])
def test_an_order_shows_its_highest_event_in_any_order(
    actions: Actions, events: tuple[str, ...]
) -> None:
    for kind in events:
        assert actions.run("process_wix_webhook", event(kind)).status == 200

    stored = order(actions)
    assert (stored["shopStatus"], stored["status"], stored["source"]) == (
        "shipped",
        "pending",
        "wix",
    )
    assert (stored["orderId"], stored["totalAmount"], stored["customerPhone"]) == (
        "10007",
        2_500,
        ADA,
    )
    # The shop's word is no look-up of a payment.
    assert "paymentStatus" not in stored
    assert actions.wire == []


def test_each_event_is_told_once(actions: Actions) -> None:
    actions.sandbox.templates.append(TEMPLATE)
    body = event() | {"templateName": "order_news"}

    first = actions.run("process_wix_webhook", body)
    again = actions.run("process_wix_webhook", body | event(customerName="Ada L."))
    repeat = actions.run("process_wix_webhook", body)
    paid = actions.run("process_wix_webhook", body | event("paid"))

    assert again.status == 200
    assert first.result["message"]["state"] == "sent"
    assert repeat.result["message"] == first.result["message"]
    assert paid.result["message"]["messageId"] != first.result["message"]["messageId"]
    sent: list[Any] = [one.body for one in actions.wire if one.operation == "send_message"]
    assert [
        [value["text"] for value in body["template"]["components"][0]["parameters"]]
        for body in sent
    ] == [["Ada", "10007", "INR 25.00"]] * 2
    assert order(actions)["messagePk"] == first.result["message"]["messagePk"]


def test_a_final_event_decides_and_other_companies_do_not_see_the_order(actions: Actions) -> None:
    actions.run("process_wix_webhook", event("cancelled"))
    actions.run("process_wix_webhook", event("delivered"))

    assert order(actions)["status"] == "failed"
    assert actions.run("process_wix_webhook", event(), caller=GLOBEX).status == 404
    assert actions.run("get_wix_orders", {}, caller=GLOBEX).result == {"orders": []}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"eventType": "lost"}, "wixEvent.eventType"),
        ({"orderTotal": 25.5}, "wixEvent.orderTotal"),
        ({"customerPhone": "abc"}, "wixEvent.customerPhone"),
        ({"items": [{}] * 101}, "wixEvent.items"),
    ],
)
def test_a_bad_event_is_refused_with_its_field(
    actions: Actions, change: dict[str, Any], field: str
) -> None:
    answer = actions.run("process_wix_webhook", event(**change))

    assert (answer.status, answer.fields) == (400, [field])


def test_orders_of_the_shop_are_listed_by_customer_and_tenant(actions: Actions) -> None:
    actions.harness.take(
        {"messages": [text("wamid.b", at=NOW // 1000 - 60, sender="447700900102")]}
    )
    for number in range(3):
        actions.run("process_wix_webhook", event(orderId=f"1000{number}"))
    actions.run("process_wix_webhook", event(orderId="2", customerPhone="+447700900102"))

    def found(**asked: Any) -> list[str]:
        answer = actions.run("get_wix_orders", asked)
        assert answer.status == 200, answer.body
        ids = [one["orderId"] for one in answer.result["orders"]]
        cursor = answer.body.get("cursor")
        return ids + (found(**{**asked, "cursor": cursor}) if cursor else [])

    assert sorted(found(customerPhone=f"+{ADA}", limit=2)) == ["10000", "10001", "10002"]
    assert len(found(tenantId="acme")) == len(found()) == 4
    both = actions.run("get_wix_orders", {"customerPhone": f"+{ADA}", "tenantId": "acme"})
    assert both.fields == ["tenantId"]
