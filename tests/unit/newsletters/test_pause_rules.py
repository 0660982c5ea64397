"""An issue pauses itself at bounds of bounces, complaints and refusals, and not below them."""

from __future__ import annotations

from newsletters.issues.delivery import dispatch
from newsletters.issues.delivery.limits import health
from newsletters.store.items import IssueStats
from tests.cases import each


@each(
    ("counts", "reason"),
    [
        ({"sent": 100, "bounced": 5}, "bounce_rate"),
        ({"sent": 100, "bounced": 4}, None),
        ({"sent": 99, "bounced": 99}, None),
        ({"sent": 1_000, "delivered": 1_000, "complained": 1}, None),
        ({"sent": 10, "delivered": 10, "complained": 1}, None),
        ({"sent": 2_000, "delivered": 2_000, "complained": 2}, "complaint_rate"),
        ({"sent": 2_001, "delivered": 2_001, "complained": 2}, None),
        ({"sent": 2, "delivered": 0, "complained": 2}, "complaint_rate"),
        ({"sent": 80, "failed": 20}, "refusal_rate"),
        ({"sent": 81, "failed": 20}, None),
        ({"sent": 0, "failed": 19}, None),
        ({}, None),
    ],
)
def test_an_issue_pauses_at_the_documented_bounds(
    counts: dict[str, int], reason: str | None
) -> None:
    stats = IssueStats(**IssueStats.key("IS-20260101-00000000", "sum"), **counts)

    assert health.objection(stats) == reason


def test_a_pause_stops_within_25_mails() -> None:
    assert dispatch.BATCH == 25
