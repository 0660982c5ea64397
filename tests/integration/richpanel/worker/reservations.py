"""Workers of replies that die, and changes that others make between a decision and its reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from richpanel.guards.customer_hash import customer_hmac
from richpanel.store import states
from richpanel.store.items import CustomerState
from richpanel.worker.cases import decisions
from shared.runtime import clock
from shared.runtime.failures import Permanent
from tests.integration.richpanel.harness import Harness

if TYPE_CHECKING:
    from collections.abc import Callable


REPLY = "act:rp_reply:t-1:m-1"
EVENT = "evt:rp:t-1:m-1"
LATER_MS = 600_000


class Killed(BaseException):
    """The process is killed here."""


def die(*_: object, **__: object) -> None:
    raise Killed


def killed_at(harness: Harness, owner: object, name: str) -> None:
    """Process a delivery that is killed in the call of *name*; then let the lease and the deadline expire."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, die)
        with pytest.raises(Killed):
            harness.handle()
    harness.time.ms += LATER_MS


def counted(harness: Harness) -> list[list[str]]:
    """The counted reply times of each customer."""
    rows = [row for row in harness.rows("state") if row["conversation_id"].startswith("cust:")]
    return [row.get("auto_reply_times", []) for row in rows]


def refuse(*_: object) -> None:
    raise Permanent("refused")


def after_decision(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]
) -> None:
    """Run *then* between the next decision and its execution."""
    decide = decisions.decision_on

    def decided(*given: Any) -> Any:
        decision = decide(*given)
        then()
        return decision

    monkeypatch.setattr(decisions, "decision_on", decided)


def answer_elsewhere(harness: Harness, times: int = 1) -> None:
    """Count replies to Jane in other tickets, an hour ago."""
    moments = [clock.to_text(harness.time.ms - 3_600_000 - n) for n in range(times)]
    count_for_jane(harness, moments, "another event", counted_in=1)


def count_for_jane(
    harness: Harness, moments: list[str], counted_for: str, *, counted_in: int
) -> None:
    hashed = customer_hmac(harness.resources.keys, "jane@shop.example")
    put = CustomerState.named(
        auto_reply_times=moments, counted_for=counted_for, counted_in=counted_in
    )
    states.change_customer(harness.resources.state, hashed, lambda _: states.Change(put=put))
