"""The account at SES, as `GetAccount` describes it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from shared.providers.email.identities import Account, Identities
from tests.cases import each

QUOTA = {"Max24HourSend": 50_000.0, "MaxSendRate": 14.0, "SentLast24Hours": 100.0}
ANSWER = {"SendingEnabled": True, "ProductionAccessEnabled": True, "EnforcementStatus": "HEALTHY"}


def account(quota: dict[str, float], **more: Any) -> Account:
    client = SimpleNamespace(get_account=lambda: {**ANSWER, "SendQuota": quota, **more})
    return Identities(lambda: cast("Any", client)).account()


def test_an_account_shows_its_rate_and_the_mails_that_are_left() -> None:
    assert account(QUOTA) == Account(
        may_send=True,
        is_under_review=False,
        is_sandbox=False,
        left_today=49_900,
        most_today=50_000,
        a_second=14.0,
    )


@each(
    ("sent", "most", "left"),
    [(100.0, -1.0, None), (60_000.0, 50_000.0, 0), (0.0, 0.0, 0)],
)
def test_a_quota_is_unlimited_spent_or_zero(sent: float, most: float, left: int | None) -> None:
    found = account({**QUOTA, "Max24HourSend": most, "SentLast24Hours": sent})

    assert found.left_today == left
    assert found.most_today == (None if left is None else most)


@each(
    ("quota", "more"),
    [
        (QUOTA, {"SendingEnabled": False}),
        (QUOTA, {"EnforcementStatus": "SHUTDOWN"}),
        ({**QUOTA, "MaxSendRate": 0.0}, {}),
    ],
)
def test_an_account_that_is_paused_shut_down_or_without_a_rate_may_not_send(
    quota: dict[str, float], more: dict[str, Any]
) -> None:
    assert not account(quota, **more).may_send
