"""The gap check finds statuses in Twilio's lists whose callback was lost, account by account."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conversations.recovery import gap_check
from conversations.store import messages
from events.conversations import twilio
from local.sandbox.accounts.text_messages import TextMessage
from shared.providers.outcomes import Throttled
from shared.providers.twilio.messages import Page
from shared.runtime.observability import metrics
from tests.integration.conversations.outbound.delivery_reports import newest_sent, report_status
from tests.integration.conversations.steps import DAY_MS, MINUTE_MS, status_of
from tests.simulation.conversations import caches

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

QUARTER_MS = 15 * MINUTE_MS
TOKENS = {"auth_tokens": [twilio.AUTH_TOKEN]}


def becomes(system: System, status: str, error_code: int | None = None) -> None:
    """Set this status of our newest message at Twilio; its callback is lost."""
    message = system.sandbox.texts.messages[-1]
    message.status, message.error_code = status, error_code


def check(system: System, after_ms: int = QUARTER_MS) -> None:
    """Run the gap check so much later."""
    system.clock.ms += after_ms
    system.sweep()


def waiting(system: System) -> int:
    """How many statuses are on their queue."""
    return sum(
        len(q.messages) for name, q in system.fifo_queues.queues.items() if "statuses" in name
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the metrics that were emitted."""
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    return names


def test_a_delivery_with_a_lost_callback_is_found_and_applied(system: System) -> None:
    ref = system.begin("sms")
    becomes(system, "delivered")

    check(system)
    system.drain()

    assert newest_sent(system, ref)["delivery_status"] == "delivered"


def test_a_failure_reported_hours_later_is_found_a_day_after_the_send(
    system: System,
) -> None:
    ref = system.begin("sms")
    becomes(system, "undelivered", 30005)
    check(system, 6 * 60 * MINUTE_MS)
    assert waiting(system) == 0

    check(system, DAY_MS - 6 * 60 * MINUTE_MS + QUARTER_MS)
    system.drain()

    assert newest_sent(system, ref)["delivery_status"] == "failed"
    assert status_of(system, ref) == ("failed", "delivery_failed:30005")


@pytest.mark.parametrize(
    ("known", "listed"),
    [("delivered", "delivered"), ("delivered", "sent"), ("read", "delivered"), ("sent", "queued")],
)
def test_a_status_that_changes_nothing_is_not_enqueued(
    system: System, known: str, listed: str
) -> None:
    ref = system.begin("sms")
    report_status(system, ref, known)
    becomes(system, listed)

    check(system)

    assert waiting(system) == 0


def test_messages_that_another_system_sent_from_the_account_are_ignored(
    system: System, counted: list[str]
) -> None:
    system.begin("sms")
    becomes(system, "queued")
    system.sandbox.texts.messages.append(
        TextMessage(
            sid=twilio.sid_of("foreign"), account_sid=twilio.ACCOUNT, direction="outbound-api",
            sender=twilio.SMS_NUMBER, to=twilio.CUSTOMER, body="", status="delivered",
            at=system.clock.ms / 1_000, segments=1,
        )
    )  # fmt: skip

    check(system)
    system.drain()

    assert "Parked" not in counted
    assert "StatusesFound" not in counted


@pytest.mark.long
def test_a_message_is_looked_up_four_times_at_most(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs list it while it is new, and two a day later."""
    system.begin("sms")
    looked_up: list[str] = []
    find = messages.linked_many

    def watched(table: Any, provider: str, ids: list[str]) -> Any:
        looked_up.extend(ids)
        return find(table, provider, ids)

    monkeypatch.setattr(messages, "linked_many", watched)
    for _ in range(2 * 24 * 4):
        check(system)

    assert 3 <= len(looked_up) <= 4


def test_an_account_that_cannot_be_listed_is_counted_and_delays_no_other(
    system: System, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = refuse_accounts(system, monkeypatch, twilio.ACCOUNT)

    check(system)

    assert set(listed) == {"ACother", twilio.ACCOUNT}
    assert counted.count("GapCheckFailed") == 1


def test_each_run_begins_with_another_account(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account with so many messages that its list takes all the time delays the others, but only for one run."""
    listed = refuse_accounts(system, monkeypatch, twilio.ACCOUNT, "ACother")

    check(system)
    check(system)

    assert listed[0] != listed[2]


def test_an_account_that_does_not_fit_into_the_time_limit_is_counted(
    system: System, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = refuse_accounts(system, monkeypatch, twilio.ACCOUNT)

    gap_check.close_gaps(
        system.functions["ConversationsSweeper"].deps, lambda: gap_check.NEEDED_MS - 1
    )

    assert listed == []
    assert counted == ["GapCheckFailed"] * 2


def refuse_accounts(system: System, monkeypatch: pytest.MonkeyPatch, *refused: str) -> list[str]:
    """Twilio refuses these of two accounts; returns the accounts whose lists were requested, in order."""
    system.put_webhook_secret({twilio.ACCOUNT: TOKENS, "ACother": TOKENS})
    caches.clear_secrets(system.functions.values())
    requested: list[str] = []

    class Client(type(system.functions["ConversationsSweeper"].deps.twilio)):  # type: ignore[misc] # known at run time only
        def between(self, credentials: Any, *_: Any) -> Page:
            requested.append(credentials.account_sid)
            if credentials.account_sid in refused:
                raise Throttled("twilio_20429")
            return Page([], None)

    deps = system.functions["ConversationsSweeper"].deps
    monkeypatch.setattr(
        system.functions["ConversationsSweeper"], "deps",
        replace(deps, twilio=Client(deps.twilio.base_url)),
    )  # fmt: skip
    return requested
