"""Limits of `POST /initiate-conversation`: requests of a minute and a day, and concurrent conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.integration.conversations.initiation.requests import (
    HOUR_MS,
    limited,
    numbered,
    post_request,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def test_requests_of_a_minute_are_counted(system: System) -> None:
    system.set_up(limited(requests_per_minute=2))
    system.clock.ms += 15_000
    system.ask(numbered(1))
    system.ask(numbered(2))

    status, answer = system.ask(numbered(3))
    assert (status, answer["error"]["code"], answer["error"]["retry_after"]) == (
        429,
        "RATE_LIMIT_EXCEEDED",
        45,
    )

    system.clock.ms += 45_000
    assert post_request(system, numbered(3)) == (200, "success")


def test_requests_of_a_day_are_counted(system: System) -> None:
    system.set_up(limited(requests_per_day=1))
    system.ask(numbered(1))
    system.clock.ms += HOUR_MS

    _, answer = system.ask(numbered(2))
    assert (answer["error"]["code"], answer["error"]["retry_after"]) == (
        "RATE_LIMIT_EXCEEDED",
        11 * 3_600,
    )

    system.clock.ms += 11 * HOUR_MS
    assert post_request(system, numbered(2)) == (200, "success")


def test_the_time_to_wait_is_in_the_headers_too(system: System) -> None:
    system.set_up(limited(requests_per_minute=1))
    system.ask(numbered(1))

    assert system.post(numbered(2), {})["headers"]["Retry-After"] == "60"


def test_a_call_above_the_rate_of_its_company_is_refused_in_the_format_of_this_route(
    system: System,
) -> None:
    answer = system.post(numbered(1), {"retry_after": "12", "calls_per_minute": "1200"})

    response = json.loads(answer["body"])
    assert (answer["statusCode"], answer["headers"]["Retry-After"]) == (429, "12")
    assert (response["error"]["code"], response["error"]["retry_after"]) == (
        "RATE_LIMIT_EXCEEDED",
        12,
    )
    assert "1200 calls per minute" in response["error"]["message"]


def test_repetitions_and_refusals_do_not_count(system: System) -> None:
    system.set_up(limited(requests_per_minute=2))
    system.ask(numbered(1))
    system.ask(numbered(1))
    system.ask(numbered(2, recipient_data={"comms_consent": True}))

    assert post_request(system, numbered(2)) == (200, "success")


def test_a_project_has_a_limit_of_concurrent_conversations(system: System) -> None:
    system.set_up(limited(concurrent_conversations=2))
    system.ask(numbered(1))
    system.ask(numbered(2))
    system.drain()

    status, answer = system.ask(numbered(3))
    assert (status, answer["error"]["code"]) == (429, "CONCURRENCY_LIMIT_EXCEEDED")
    assert answer["error"]["retry_after"] == 60

    system.clock.ms += 73 * HOUR_MS  # Three days without a message.
    assert post_request(system, numbered(3)) == (200, "success")
