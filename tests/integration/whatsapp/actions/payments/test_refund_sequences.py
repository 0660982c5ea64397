"""Any sequence of refund operations: never more refunded or reserved than captured, and the sums match the refunds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.whatsapp.actions.payments.conftest import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.whatsapp.actions.conftest import Actions

CAPTURED = 2_500
OPERATIONS = ("create", "process", "complete", "fail", "cancel", "lookup", "paid", "broken")
FAULTS = ("lost_answer", "status")
STEPS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 5), st.integers(1, 1_500)),
    min_size=5,
    max_size=25,
)


def step(actions: Actions, created: list[str], operation: str, chosen: int, amount: int) -> None:
    provided: list[dict[str, Any]] = actions.sandbox.objects["payments"][REFERENCE]["refunds"]
    if operation == "create":
        answer = actions.run("create_refund", {"paymentId": REFERENCE, "amount": amount})
        if answer.status == 200:
            created.append(answer.result["refundId"])
    elif operation == "lookup":
        actions.run("lookup_payment", {"referenceId": REFERENCE})
    elif operation == "paid":
        for entry in provided[chosen % 3 :: 2]:
            entry["status"] = "success" if entry["status"] == "pending" else entry["status"]
    elif operation == "broken":
        kind = FAULTS[chosen % 2]
        more: dict[str, Any] = {"status": 400} if kind == "status" else {}
        actions.sandbox.faults.add(provider="meta", operation="refund_payment", kind=kind, **more)
    elif created:
        body = {"refundId": created[chosen % len(created)]}
        assert actions.run(f"{operation}_refund", body).status in {200, 202, 409, 422}


def amount_of(refunds: list[dict[str, Any]], *states: str) -> int:
    return sum(int(refund["amount"]) for refund in refunds if refund["status"] in states)


def test_never_more_is_refunded_than_captured(captured: Callable[[], Actions]) -> None:
    actions = captured()
    fresh = actions.harness.resources.table
    order = actions.item(f"ORDER#acme:{REFERENCE}")

    @given(STEPS)
    @settings(
        derandomize=True,
        deadline=None,
        max_examples=12,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    def run(steps: list[tuple[str, int, int]]) -> None:
        for key in actions.harness.keys():
            if key.startswith("REFUND#"):
                fresh.delete({"pk": key})
        actions.sandbox.faults.clear()
        fresh.put(order)
        payment = actions.sandbox.objects["payments"][REFERENCE]
        payment["refunds"] = []
        created: list[str] = []
        for one in steps:
            step(actions, created, *one)
            stored = actions.item(f"ORDER#acme:{REFERENCE}")
            open_, refunded = int(stored.get("refundOpen", 0)), int(stored.get("refunded", 0))
            assert open_ >= 0
            assert refunded + open_ <= CAPTURED
            found = [actions.item(f"REFUND#{refund_id}") for refund_id in created]
            assert open_ == amount_of(found, "pending", "processing")
            assert refunded == amount_of(found, "completed")
            made = sum(r["amount"]["value"] for r in payment["refunds"] if r["status"] == "success")
            assert refunded <= made <= CAPTURED

    run()
