"""Orders are settled by look-ups: after reports of the provider and of gateways, and by the schedule's checks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox import Config, running
from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, Outbox, a_phone
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.inbound.payments import claims
from whatsapp.inbound.payments.gateways import Claim
from whatsapp.jobs import payment_checks
from whatsapp.store.accounts.orders import payments
from whatsapp.store.items.accounts.tenants import PaymentOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

ORDER = "ORDER#ref-1"
MINUTE = 60_000


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[Sandbox]:
    with running(Config()) as sandbox:
        yield sandbox


@pytest.fixture
def graph(harness: Harness, running_sandbox: Sandbox) -> Sandbox:
    """The provider, reachable for the worker."""
    running_sandbox.reset()
    harness.resources = replace(harness.resources, graph=Graph(running_sandbox.url, "v23.0"))
    return running_sandbox


def order(harness: Harness, **changes: Any) -> dict[str, Any]:
    facts = {
        "pk": ORDER, "itemType": "PAYMENT_ORDER", "company": "acme", "phone": PHONE, "orderId": "o",
        "referenceId": "ref-1", "currency": "INR", "totalAmount": 2500, "status": "pending", "configName": "shop",
        "paymentStatus": "pending", "createdAt": clock.to_text(NOW - 15 * MINUTE),
    }  # fmt: skip
    harness.resources.table.put({k: v for k, v in (facts | changes).items() if v is not None})
    return harness.item(ORDER)


def report(status: str = "captured", value: int = 2_500) -> dict[str, Any]:
    payment = {
        "reference_id": "ref-1",
        "amount": {"value": value, "offset": 100},
        "currency": "INR",
        "transaction": {"id": "pay_ref-1", "type": "razorpay", "status": "success"},
    }
    fact = {"id": "wamid.p", "type": "payment", "status": status, "timestamp": str(NOW // 1000)}
    return {"statuses": [fact | {"recipient_id": "447700900101", "payment": payment}]}


def claim(harness: Harness, status: str = "captured") -> Any:
    made = Claim("ref-1", status, "pay_ref-1", 2_500, "INR")
    return harness.handle(claims.entry_of(made, "razorpay", status.encode(), clock.now_ms()).body)


def test_a_report_of_the_provider_captures_an_order_that_the_look_up_confirms(
    harness: Harness, graph: Sandbox
) -> None:
    order(harness)
    provider.pay(graph, "ref-1", 2_500)

    assert harness.outcomes(report()) == [Outcome.PERSISTED]

    stored = harness.item(ORDER)
    assert (stored["paymentStatus"], stored["status"]) == ("captured", "completed")
    assert stored["transactionId"] == "pay_ref-1"
    (sent,) = graph.sent
    assert (sent.operation, sent.path) == (
        "look_up_payment",
        f"/v23.0/{PHONE}/payments/shop/ref-1",
    )


def test_a_report_that_the_look_up_does_not_confirm_moves_nothing(
    harness: Harness, graph: Sandbox
) -> None:
    order(harness)
    provider.pay(graph, "ref-1", 2_500, status="pending")

    harness.take(report())

    assert harness.item(ORDER)["paymentStatus"] == "pending"


@pytest.mark.parametrize(
    "facts", [{"amount": {"value": 1, "offset": 100}}, {"currency": "EUR"}, {"amount": None}]
)
def test_a_look_up_with_another_amount_or_currency_is_parked(
    harness: Harness, graph: Sandbox, facts: dict[str, Any]
) -> None:
    before = order(harness)
    provider.pay(graph, "ref-1", 2_500, transactions=[], **facts)

    handled = claim(harness)

    assert handled.reason == "amount_mismatch"
    noted = harness.item(ORDER)
    assert {name: noted[name] for name in before} == before
    (parked,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert (harness.item(parked)["reason"], harness.item(parked)["company"]) == (
        "amount_mismatch",
        "acme",
    )


def test_the_successful_attempt_names_the_amount_of_a_payment_without_one(
    harness: Harness, graph: Sandbox
) -> None:
    order(harness)
    provider.pay(graph, "ref-1", 2_500, amount=None, currency=None)
    claim(harness)
    assert harness.item(ORDER)["paymentStatus"] == "captured"

    order(harness)
    provider.pay(graph, "ref-1", 2_400, amount=None, currency=None)
    assert claim(harness).reason == "amount_mismatch"


def test_a_claim_of_a_gateway_is_noted_and_only_causes_a_look_up(
    harness: Harness, graph: Sandbox
) -> None:
    order(harness)
    provider.pay(graph, "ref-1", 2_500, status="authorized", transactions=[])

    assert claim(harness).outcome is Outcome.PERSISTED
    assert claim(harness).outcome is Outcome.DUPLICATE

    assert harness.item(ORDER)["paymentStatus"] == "authorized"
    noted = harness.item(f"{ORDER}#TX#pay_ref-1")
    assert (noted["kind"], noted["state"], noted["amount"]) == ("razorpay", "captured", 2_500)


@pytest.mark.parametrize(
    ("current", "found", "after"),
    [
        ("pending", "authorized", "authorized"),
        ("pending", "failed", "failed"),
        ("authorized", "captured", "captured"),
        ("authorized", "failed", "failed"),
        ("failed", "captured", "captured"),
        ("authorized", "pending", "authorized"),
        ("captured", "failed", "captured"),
        ("captured", "authorized", "captured"),
        ("partially_refunded", "captured", "partially_refunded"),
        ("refunded", "failed", "refunded"),
        ("failed", "authorized", "failed"),
        ("pending", "dreaming", "pending"),
    ],
)
def test_an_order_only_moves_forward(
    harness: Harness, graph: Sandbox, current: str, found: str, after: str
) -> None:
    order(harness, paymentStatus=current)
    provider.pay(graph, "ref-1", 2_500, status=found)

    claim(harness)

    assert harness.item(ORDER)["paymentStatus"] == after


def test_an_order_that_was_not_paid_in_time_fails_and_can_still_be_captured(
    harness: Harness, graph: Sandbox
) -> None:
    order(harness, expiresAt=clock.to_text(NOW - MINUTE))
    provider.pay(graph, "ref-1", 2_500, status="new", transactions=[])
    claim(harness, "failed")
    failed = harness.item(ORDER)
    assert (failed["paymentStatus"], failed["status"], failed["failureReason"]) == (
        "failed",
        "failed",
        "expired",
    )

    provider.pay(graph, "ref-1", 2_500)
    claim(harness, "captured")
    captured = harness.item(ORDER)
    assert (captured["paymentStatus"], "failureReason" in captured) == ("captured", False)


@pytest.mark.parametrize("kind", ["status", "lost_answer"])
def test_a_report_is_delivered_again_while_the_provider_does_not_answer(
    harness: Harness, graph: Sandbox, kind: str
) -> None:
    order(harness)
    provider.pay(graph, "ref-1", 2_500)
    more: dict[str, Any] = {"status": 500} if kind == "status" else {}
    graph.faults.add(provider="meta", operation="look_up_payment", kind=kind, **more)

    with pytest.raises(Transient):
        claim(harness)
    claim(harness)

    assert harness.item(ORDER)["paymentStatus"] == "captured"


def test_without_access_to_graph_a_report_is_kept_and_the_order_untouched(
    harness: Harness, graph: Sandbox
) -> None:
    store.phones.register_unlisted(harness.resources.table, a_phone(token_ref=None))
    store.phones.forget()
    order(harness)

    assert harness.outcomes(report()) == [Outcome.PERSISTED]
    assert harness.item(ORDER)["paymentStatus"] == "pending"
    assert graph.sent == []


def test_a_claim_about_an_unknown_order_or_another_companys_is_parked(
    harness: Harness, graph: Sandbox
) -> None:
    unknown = claim(harness)
    order(harness, company="globex")
    foreign = claim(harness)

    assert (unknown.reason, foreign.reason) == ("unknown_order", "unknown_order")
    assert graph.sent == []


def due(harness: Harness, at_ms: int) -> list[str]:
    """The references whose checks are queued at a time; the outbox keeps repeats, which the queue drops."""
    queue = Outbox()
    table = harness.resources.table
    payment_checks.check_due(table, queue, at_ms, lambda: 10_000)  # type: ignore[arg-type] # has the method that is used
    if at_ms // MINUTE % 60 == 0:
        payment_checks.check_daily(table, queue, at_ms, lambda: 10_000)  # type: ignore[arg-type] # as above
    return [entry.deduplication for entry in queue.entries]


@pytest.mark.long
def test_open_orders_are_checked_after_15_minutes_2_hours_and_24_hours(harness: Harness) -> None:
    order(harness, createdAt=clock.to_text(NOW))
    whole = range(26 * 60)
    # Each minute about the times, and every fourth of the others: a check is due for five.
    minutes = [
        at for at in whole if at % 4 == 0 or min(abs(at - time) for time in (15, 120, 1440)) < 9
    ]
    ids: dict[str, int] = {}
    for minute in minutes:
        for entry in due(harness, NOW + minute * MINUTE):
            ids.setdefault(entry, minute)

    assert list(ids.values()) == [15, 120, 1440]


def test_a_missed_minute_is_made_up_and_older_orders_are_checked_daily(harness: Harness) -> None:
    order(harness, createdAt=clock.to_text(NOW), paymentStatus="authorized")

    assert len(due(harness, NOW + 18 * MINUTE)) == 1
    assert due(harness, NOW + 20 * MINUTE) == []
    assert len(due(harness, NOW + 3 * 24 * 60 * MINUTE)) == 1
    assert due(harness, NOW + 3 * 24 * 60 * MINUTE + 5 * MINUTE) == []
    assert due(harness, NOW + 33 * 24 * 60 * MINUTE) == []


def test_settled_orders_are_not_checked(harness: Harness) -> None:
    order(harness, paymentStatus="captured")

    assert due(harness, NOW) == []


def test_a_due_check_settles_the_order(harness: Harness, graph: Sandbox) -> None:
    order(harness)
    provider.pay(graph, "ref-1", 2_500)
    queue = Outbox()

    assert payment_checks.check_due(harness.resources.table, queue, NOW, lambda: 10_000)[0] == 1  # type: ignore[arg-type] # as above
    assert harness.handle(queue.entries[0].body).outcome is Outcome.PERSISTED
    assert harness.item(ORDER)["paymentStatus"] == "captured"


def test_a_reference_that_two_companies_have_finds_each_ones_order_and_no_gateways(
    harness: Harness,
) -> None:
    table = harness.resources.table
    for company in ("acme", "globex"):
        key = PaymentOrder.of(company, "both")
        order = PaymentOrder(
            pk=key, company=company, order_id="both", reference_id="both", currency="INR", total_amount=1,
            status="pending", created_at="2026-01-01T00:00:00.000Z",
        )  # fmt: skip
        assert payments.open_order(table, order, []).pk == key
        found = payments.get_order(table, company, "both")
        assert found is not None
        assert found.company == company
    with pytest.raises(payments.Ambiguous):
        payments.only_order(table, "both")
