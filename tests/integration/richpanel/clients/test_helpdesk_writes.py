"""Replies of the help desk's client: one request each, with a definite outcome; and the request limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.sandbox import Sandbox
from richpanel.clients.helpdesk import HelpDesk
from richpanel.store.rate_limit import Throttled
from shared.aws.dynamodb import Table
from shared.providers.outcomes import InDoubt, NotSent, Refused
from tests.integration.richpanel.clients.helpdesk import seed
from tests.integration.richpanel.conftest import NOW, Time

# Replies: one request, with an outcome that the ledger stores


@pytest.mark.parametrize(
    ("fault", "outcome", "code"),
    [
        ({"kind": "status", "status": 429}, NotSent, "richpanel_429"),
        ({"kind": "status", "status": 408}, NotSent, "richpanel_408"),
        ({"kind": "status", "status": 400}, Refused, "richpanel_400"),
        ({"kind": "status", "status": 401}, NotSent, "richpanel_401"),
        ({"kind": "status", "status": 404}, Refused, "richpanel_404"),
        ({"kind": "status", "status": 422}, Refused, "richpanel_422"),
        ({"kind": "status", "status": 500}, InDoubt, "richpanel_500"),
        ({"kind": "status", "status": 503}, InDoubt, "richpanel_503"),
        ({"kind": "reset"}, InDoubt, "no_answer"),
        ({"kind": "lost_answer"}, InDoubt, "no_answer"),
        ({"kind": "html"}, InDoubt, "bad_provider_answer"),
        ({"kind": "empty"}, InDoubt, "bad_provider_answer"),
    ],
)
def test_each_failure_of_a_reply_raises_its_own_error_and_is_not_retried(
    help_desk_client: HelpDesk, sandbox: Sandbox, fault: dict[str, Any], outcome: Any, code: str
) -> None:
    seed(sandbox)
    sandbox.faults.add(**fault)

    with pytest.raises(outcome) as failure:
        help_desk_client.reply("t-1", "On its way.", "bot-1", "send_message")

    assert failure.value.code == code
    assert sandbox.faults.pending() == []
    assert len(sandbox.sent) == (1 if fault["kind"] == "lost_answer" else 0)


def test_a_reply_over_a_refused_connection_was_certainly_not_sent(
    help_desk_client: HelpDesk,
) -> None:
    with pytest.raises(NotSent, match="no_connection"):
        replace(help_desk_client, base_url="http://127.0.0.1:1/v1").reply(
            "t-1", "Hi", "bot-1", "send_message"
        )


def test_a_reply_without_a_token_of_the_limiter_was_certainly_not_sent(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox)
    help_desk_client.limiter.close("100")

    with pytest.raises(NotSent, match="limiter"):
        help_desk_client.reply("t-1", "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


def test_a_reply_that_cannot_reach_the_limiter_was_certainly_not_sent(
    help_desk_client: HelpDesk,
    sandbox: Sandbox,
    state_table: Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unavailable(*_: Any, **__: Any) -> None:
        raise ClientError({"Error": {"Code": "InternalServerError"}}, "UpdateItem")

    seed(sandbox)
    monkeypatch.setattr(state_table, "update", unavailable)

    with pytest.raises(NotSent, match="limiter"):
        help_desk_client.reply("t-1", "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


# The limit


def test_a_429_is_retried_after_its_wait_if_time_remains(
    help_desk_client: HelpDesk, sandbox: Sandbox, time: Time
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=429, retry_after="20")

    assert help_desk_client.ticket("t-1") is not None
    assert time.ms == NOW + 20_000


def test_a_429_with_a_late_retry_date_returns_the_event_to_the_queue(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=429, retry_after="Mon, 02 Mar 2026 13:01:00 GMT")

    with pytest.raises(Throttled) as failure:
        help_desk_client.ticket("t-1")

    assert 57_000 <= (failure.value.wait_ms or 0) <= 63_000


def test_a_429_pauses_all_workers(help_desk_client: HelpDesk, sandbox: Sandbox, time: Time) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=429, retry_after="20")
    with pytest.raises(NotSent):
        help_desk_client.reply("t-1", "Hello", "bot-1", "send_message")

    other = replace(
        help_desk_client, limiter=type(help_desk_client.limiter)(help_desk_client.limiter.table)
    )
    other.ticket("t-1")

    assert time.ms == NOW + 20_000


def test_a_hundred_calls_never_exceed_the_help_desks_limit(
    help_desk_client: HelpDesk, sandbox: Sandbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sandbox enforces 50 requests in 30 s, on a clock that advances with the test's."""
    start = sandbox.clock.now()
    monkeypatch.setattr(sandbox.clock, "now", lambda: start + (time.ms - NOW) / 1_000)
    for _ in range(100):
        replace(help_desk_client, deadline_ms=time.ms + 60_000).teams()

    assert len(sandbox.sent) == 100
    assert time.ms - NOW >= 65_000  # (100 - 8) / 1.4 s
