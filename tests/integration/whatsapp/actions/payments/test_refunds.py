"""Refunds: reserved with the order, made once by the provider, and settled by look-ups only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.actions.payments.conftest import REFERENCE, payment_order
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp.store.accounts.orders import refunds

if TYPE_CHECKING:
    from collections.abc import Callable

ORDER = f"ORDER#acme:{REFERENCE}"
DAY_MS = clock.DAY_SECONDS * 1_000


@pytest.fixture
def paid(captured: Callable[[], Actions]) -> Actions:
    return captured()


def opened(actions: Actions, amount: int | None = None, **more: Any) -> str:
    body = {"paymentId": REFERENCE, **({"amount": amount} if amount else {})}
    answer = actions.run("create_refund", body, **more)
    assert answer.status == 200, answer.body
    return str(answer.result["refundId"])


def money(actions: Actions) -> tuple[int, int, str]:
    order = actions.item(ORDER)
    return int(order.get("refundOpen", 0)), int(order.get("refunded", 0)), order["paymentStatus"]


def at_provider(actions: Actions) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = actions.sandbox.objects["payments"][REFERENCE]["refunds"]
    return found


def requests(actions: Actions) -> list[Any]:
    return [sent for sent in actions.wire if sent.operation == "refund_payment"]


def test_a_refund_is_opened_with_its_amount_reserved_and_all_attributes(paid: Actions) -> None:
    body = {"paymentId": REFERENCE, "amount": 1_000, "reason": "Too small"}
    first = paid.run("create_refund", body, key="key-refund-1")
    again = paid.run("create_refund", body, key="key-refund-1")

    assert again.result == first.result
    refund_id = first.result["refundId"]
    assert paid.item(f"REFUND#{refund_id}") == {
        "pk": f"REFUND#{refund_id}", "itemType": "REFUND", "company": "acme", "refundId": refund_id,
        "orderId": REFERENCE, "referenceId": REFERENCE, "tenantId": "acme", "customerPhone": ADA, "amount": 1_000,
        "currency": "INR", "status": "pending", "reason": "Too small", "createdAt": clock.to_text(NOW),
    }  # fmt: skip
    assert money(paid) == (1_000, 0, "captured")


def test_no_more_than_was_captured_can_be_reserved(paid: Actions) -> None:
    opened(paid, 2_000)
    over = paid.run("create_refund", {"paymentId": REFERENCE, "amount": 501})
    rest = paid.run("create_refund", {"paymentId": REFERENCE})
    none = paid.run("create_refund", {"paymentId": REFERENCE})

    assert (over.status, over.error) == (409, "state_conflict")
    assert rest.result["amount"] == 500
    assert (none.status, money(paid)) == (409, (2_500, 0, "captured"))
    assert paid.run("create_refund", {"paymentId": REFERENCE, "amount": 0}).fields == ["amount"]


def test_only_a_captured_order_is_refunded(shop: Actions) -> None:
    shop.send("send_payment_order", payment_order())

    answer = shop.run("create_refund", {"paymentId": REFERENCE})

    assert (answer.status, answer.error) == (409, "state_conflict")


def test_a_refund_is_requested_once_and_completes_when_it_is_listed_as_paid(paid: Actions) -> None:
    refund_id = opened(paid, 1_000)
    processed = paid.run("process_refund", {"refundId": refund_id, "speed": "instant"})
    again = paid.run("process_refund", {"refundId": refund_id})
    early = paid.run("complete_refund", {"refundId": refund_id})

    (listed,) = at_provider(paid)
    assert (processed.result["status"], processed.result["providerRefundId"]) == (
        "processing",
        listed["id"],
    )
    assert again.result == processed.result
    assert (early.status, early.error) == (409, "state_conflict")
    (sent,) = requests(paid)
    assert (sent.path, sent.body) == (
        f"/v23.0/{PHONE}/payments_refund",
        {
            "reference_id": REFERENCE,
            "speed": "instant",
            "payment_config_id": "shop",
            "amount": {"currency": "INR", "value": 1_000, "offset": 100},
        },
    )
    listed["status"] = "success"
    completed = paid.run("complete_refund", {"refundId": refund_id})

    assert completed.result["status"] == "completed"
    assert paid.item(f"REFUND#{refund_id}")["processedAt"] == clock.to_text(NOW)
    assert money(paid) == (0, 1_000, "partially_refunded")
    assert paid.item(ORDER)["status"] == "completed"
    before = paid.item(ORDER)
    repeated = paid.run("process_refund_webhook", {"refundId": refund_id, "status": "completed"})
    assert (repeated.status, paid.item(ORDER)) == (200, before)


def test_the_whole_amount_makes_the_order_refunded_by_any_look_up(paid: Actions) -> None:
    first, second = opened(paid, 1_000), opened(paid)
    for refund_id in (first, second):
        paid.run("process_refund", {"refundId": refund_id})
    for listed in at_provider(paid):
        listed["status"] = "success"

    answer = paid.run("lookup_payment", {"referenceId": REFERENCE})

    assert answer.result["paymentStatus"] == "refunded"
    assert money(paid) == (0, 2_500, "refunded")
    assert {paid.item(f"REFUND#{one}")["status"] for one in (first, second)} == {"completed"}


def test_a_lost_answer_stays_processing_until_a_look_up_lists_the_refund(paid: Actions) -> None:
    refund_id = opened(paid, 1_000)
    paid.sandbox.faults.add(provider="meta", operation="refund_payment", kind="lost_answer")

    lost = paid.run("process_refund", {"refundId": refund_id})
    repeated = paid.run("process_refund", {"refundId": refund_id})
    failed = paid.run("fail_refund", {"refundId": refund_id})

    assert (lost.status, lost.result["state"]) == (202, "in_doubt")
    assert repeated.status in {202, 409}
    assert (failed.status, failed.error) == (409, "request_in_progress")
    assert len(requests(paid)) == 1
    assert paid.item(f"REFUND#{refund_id}")["status"] == "processing"
    at_provider(paid)[0]["status"] = "success"
    assert paid.run("complete_refund", {"refundId": refund_id}).result["status"] == "completed"
    assert money(paid) == (0, 1_000, "partially_refunded")


def test_two_lost_answers_of_the_same_amount_need_two_refunds_of_the_provider(
    paid: Actions,
) -> None:
    refund_ids = [opened(paid, 1_000), opened(paid, 1_000)]
    for refund_id in refund_ids:
        paid.sandbox.faults.add(provider="meta", operation="refund_payment", kind="lost_answer")
        paid.run("process_refund", {"refundId": refund_id})
    at_provider(paid)[0]["status"] = "success"

    paid.run("lookup_payment", {"referenceId": REFERENCE})

    states = sorted(paid.item(f"REFUND#{one}")["status"] for one in refund_ids)
    assert states == ["completed", "processing"]
    assert money(paid) == (1_000, 1_000, "partially_refunded")


def test_a_refused_refund_has_failed_and_its_amount_is_free(paid: Actions) -> None:
    refund_id = opened(paid)
    paid.sandbox.faults.add(provider="meta", operation="refund_payment", kind="status", status=400)

    answer = paid.run("process_refund", {"refundId": refund_id})

    assert (answer.status, answer.error) == (422, "provider_rejected")
    refund = paid.item(f"REFUND#{refund_id}")
    assert (refund["status"], refund["failureReason"]) == ("failed", "graph_100")
    assert money(paid) == (0, 0, "captured")
    assert paid.run("process_refund", {"refundId": refund_id}).status == 409


def test_a_throttled_refund_can_be_processed_again(paid: Actions) -> None:
    refund_id = opened(paid)
    paid.sandbox.faults.add(provider="meta", operation="refund_payment", kind="status", status=429)

    slow = paid.run("process_refund", {"refundId": refund_id})
    unsent = paid.run("fail_refund", {"refundId": refund_id})

    assert (slow.status, slow.error) == (429, "rate_limited")
    assert (unsent.status, unsent.error) == (409, "state_conflict")
    assert paid.run("process_refund", {"refundId": refund_id}).result["status"] == "processing"


def test_a_refund_fails_only_if_the_provider_does_not_list_it(paid: Actions) -> None:
    refund_id = opened(paid, 1_000)
    assert paid.run("fail_refund", {"refundId": refund_id}).status == 409
    paid.run("process_refund", {"refundId": refund_id})
    (listed,) = at_provider(paid)

    for state in ("pending", "success"):
        listed["status"] = state
        assert paid.run("fail_refund", {"refundId": refund_id}).status == 409
    listed["status"] = "failed"
    body = {"refundId": refund_id, "failureReason": "Account closed"}
    answer = paid.run("fail_refund", body)

    assert (answer.result["status"], answer.result["failureReason"]) == (
        "failed",
        "Account closed",
    )
    assert money(paid) == (0, 0, "captured")
    assert paid.run("fail_refund", body).result["status"] == "failed"
    assert paid.run("complete_refund", {"refundId": refund_id}).status == 409


def test_a_requested_refund_that_is_not_listed_yet_does_not_fail_for_a_day(
    paid: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    refund_id = opened(paid, 1_000)
    paid.run("process_refund", {"refundId": refund_id})
    at_provider(paid).clear()
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + DAY_MS - 1)
    early = paid.run("fail_refund", {"refundId": refund_id})
    before = money(paid)
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + DAY_MS)
    late = paid.run("fail_refund", {"refundId": refund_id})

    assert (early.status, early.error) == (409, "state_conflict")
    assert (before, money(paid)) == ((1_000, 0, "captured"), (0, 0, "captured"))
    assert late.result["status"] == "failed"


def test_only_a_pending_refund_is_cancelled(paid: Actions) -> None:
    refund_id = opened(paid, 1_000)
    assert paid.run("cancel_refund", {"refundId": refund_id}).result["status"] == "cancelled"
    assert paid.run("cancel_refund", {"refundId": refund_id}).result["status"] == "cancelled"
    assert money(paid) == (0, 0, "captured")
    assert paid.run("process_refund", {"refundId": refund_id}).status == 409
    other = opened(paid, 1_000)
    paid.run("process_refund", {"refundId": other})
    late = paid.run("cancel_refund", {"refundId": other})
    assert (late.status, late.error) == (409, "state_conflict")


def test_a_crash_after_the_providers_answer_is_repaired_by_a_repeat(
    paid: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    refund_id = opened(paid, 1_000)
    with monkeypatch.context() as patch:
        patch.setattr(refunds, "note_provider_id", lambda *_: (_ for _ in ()).throw(OSError()))
        assert paid.run("process_refund", {"refundId": refund_id}).status == 500

    answer = paid.run("process_refund", {"refundId": refund_id})

    assert answer.result["providerRefundId"] == at_provider(paid)[0]["id"]
    assert len(requests(paid)) == 1


def test_a_crash_before_the_providers_call_is_repaired_by_a_repeat(
    paid: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whatsapp.actions.commerce.payments.refunds import provider_refunds  # noqa: PLC0415 - the one test that breaks it

    refund_id = opened(paid, 1_000)
    with monkeypatch.context() as patch:
        patch.setattr(provider_refunds, "once", lambda *_: (_ for _ in ()).throw(OSError()))
        assert paid.run("process_refund", {"refundId": refund_id}).status == 500
    assert paid.item(f"REFUND#{refund_id}")["status"] == "processing"

    assert paid.run("process_refund", {"refundId": refund_id}).result["status"] == "processing"
    assert len(requests(paid)) == 1


def test_a_refund_that_the_ledger_has_forgotten_is_never_requested_again(
    paid: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    refund_id = opened(paid, 1_000)
    paid.sandbox.faults.add(provider="meta", operation="refund_payment", kind="lost_answer")
    paid.run("process_refund", {"refundId": refund_id})
    at_provider(paid).clear()
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 40 * DAY_MS)

    assert paid.run("process_refund", {"refundId": refund_id}).status == 409
    assert paid.run("fail_refund", {"refundId": refund_id}).result["status"] == "failed"
    assert len(requests(paid)) == 1


def test_refunds_are_listed_by_order_customer_and_tenant(paid: Actions) -> None:
    created = {opened(paid, 100), opened(paid, 100), opened(paid, 100)}

    def ids(**asked: Any) -> set[str]:
        answer = paid.run("get_refunds", asked)
        assert answer.status == 200, answer.body
        found = {one["refundId"] for one in answer.result["refunds"]}
        cursor = answer.body.get("cursor")
        return found | (ids(**{**asked, "cursor": cursor}) if cursor else set())

    assert ids(orderId=REFERENCE, limit=2) == created
    assert ids(customerPhone=f"+{ADA}") == created
    assert ids(tenantId="acme") == created
    assert paid.run("get_refunds", {}).fields == ["body"]
    assert paid.run("get_refunds", {"orderId": REFERENCE}, caller=GLOBEX).result == {"refunds": []}


def test_refunds_of_another_company_do_not_exist(paid: Actions) -> None:
    refund_id = opened(paid, 100)
    named = {"refundId": refund_id}
    calls = [
        ("create_refund", {"paymentId": REFERENCE}),
        ("process_refund", named),
        ("complete_refund", named),
        ("fail_refund", named),
        ("cancel_refund", named),
        ("get_refund", named),
        ("process_refund_webhook", named | {"status": "failed"}),
    ]

    assert {paid.run(name, body, caller=GLOBEX).status for name, body in calls} == {404}
    assert paid.run("get_refund", named).result["amount"] == 100
    assert paid.run("get_refund", {"refundId": "x"}).fields == ["refundId"]
