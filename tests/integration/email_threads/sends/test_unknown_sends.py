"""Sends whose outcome is in doubt: events of SES and people settle them, and nothing is sent twice."""

from __future__ import annotations

from typing import Any

import pytest

from shared.providers.action_ledger import GRACE_MS
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import (
    again,
    approve,
    asked,
    changes_of,
    composed,
    send,
    shown,
    status_of,
    thread_path,
    waiting,
)
from tests.simulation.email_threads.system import System

LOST = b'{"kind": "lost_answer", "provider": "ses"}'


def is_wire(call: str) -> bool:
    return call.startswith("sesv2.SendEmail")


def unknown(system: System) -> str:
    """A draft whose mail SES accepted, without an answer and without an event."""
    draft = composed(system, asked(system))
    system.sandbox.faults.add_json(LOST)
    send(system, draft)
    assert status_of(system, draft)[0] == "unknown"
    return draft


def resolve(system: System, draft: str, *, arrived: bool) -> dict[str, Any]:
    answer = result(system.call("POST", f"{draft}/resolve", {"version": 1, "arrived": arrived}))
    system.drain()
    return answer


@pytest.mark.parametrize("kind", ["lost_answer", "reset", "empty"])
def test_a_send_without_an_answer_becomes_unknown_and_is_not_made_again(
    system: System, kind: str
) -> None:
    draft = composed(system, asked(system))
    system.sandbox.faults.add_json(f'{{"kind": "{kind}", "provider": "ses"}}'.encode())

    send(system, draft)

    assert status_of(system, draft) == ("unknown", "no_evidence")
    assert sum(is_wire(call) for call in system.interceptor.calls) == 1
    assert waiting(system) == [draft]
    assert not system.fifo_queues.dead_letters


def test_a_send_that_is_in_doubt_at_the_last_attempt_becomes_unknown_too(system: System) -> None:
    draft = composed(system, asked(system))
    system.sandbox.faults.add_json(
        b'{"kind": "status", "status": 429, "provider": "ses", "times": 4}'
    )
    system.sandbox.faults.add_json(LOST)

    send(system, draft)

    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("unknown", "no_evidence")
    assert not system.fifo_queues.dead_letters


def test_a_send_in_doubt_is_not_repeated_before_its_deadline(system: System) -> None:
    draft = composed(system, asked(system))
    began = system.clock.ms
    system.sandbox.faults.add_json(LOST)

    send(system, draft)

    assert system.clock.ms - began > GRACE_MS + system.timeout_ms
    assert len(system.sent()) == 1


def test_an_event_of_ses_settles_a_send_in_doubt(system: System) -> None:
    draft = composed(system, asked(system))
    began = system.clock.ms
    system.sandbox.faults.add_json(LOST)
    approve(system, draft)

    def accepted() -> None:
        if system.sent() and not told:
            told.append(True)
            system.report("Send")

    told: list[bool] = []
    system.drain(between=accepted)

    ses_id = system.sent()[0]["ses_id"]
    assert status_of(system, draft) == ("sent", None)
    assert system.mails()[-1]["message_id"] == f"{ses_id}@email.amazonses.com"
    assert system.clock.ms - began < GRACE_MS


@pytest.mark.parametrize("event", ["Send", "Delivery", "Bounce", "Complaint"])
def test_a_later_event_of_ses_shows_an_unknown_mail_as_sent(system: System, event: str) -> None:
    draft = unknown(system)

    system.report(event)
    system.drain()

    ses_id = system.sent()[0]["ses_id"]
    assert status_of(system, draft) == ("sent", None)
    assert [one["direction"] for one in system.mails()] == ["inbound", "outbound"]
    assert system.mails()[-1]["message_id"] == f"{ses_id}@email.amazonses.com"
    assert waiting(system) == []
    assert not system.fifo_queues.dead_letters


def test_a_rejection_of_ses_shows_that_an_unknown_mail_was_not_sent(system: System) -> None:
    draft = unknown(system)

    system.report("Reject")
    system.drain()

    assert status_of(system, draft)[0] == "failed"
    assert len(system.mails()) == 1


def test_an_event_of_an_earlier_attempt_settles_nothing(system: System) -> None:
    draft = unknown(system)
    system.sandbox.faults.add_json(LOST)
    send(system, draft)
    assert (status_of(system, draft)[0], shown(system, draft)["attempt"]) == ("unknown", 2)

    system.report("Delivery", 0)
    system.drain()

    assert status_of(system, draft)[0] == "unknown"


def test_an_unknown_mail_that_has_arrived_is_shown_in_its_thread(system: System) -> None:
    draft = unknown(system)

    resolve(system, draft, arrived=True)

    assert status_of(system, draft) == ("sent", None)
    assert [one["direction"] for one in system.mails()] == ["inbound", "outbound"]
    assert len(system.sent()) == 1
    reply_id = draft.rpartition("/")[2]
    assert changes_of(system, thread_path(draft))[-1] == ("key-1", "resolve", f"{reply_id} arrived")


def test_an_unknown_mail_that_has_not_arrived_may_be_sent_again(system: System) -> None:
    draft = unknown(system)

    resolve(system, draft, arrived=False)
    assert status_of(system, draft) == ("failed", "not_arrived")
    send(system, draft)

    assert len(system.sent()) == 2
    assert (status_of(system, draft)[0], shown(system, draft)["attempt"]) == ("sent", 2)


def test_a_statement_that_a_mail_has_arrived_may_be_repeated(system: System) -> None:
    draft = unknown(system)

    states = [resolve(system, draft, arrived=True)["draft_status"] for _ in range(2)]

    assert states == ["unknown", "sent"]
    assert len(system.mails()) == 2


@pytest.mark.parametrize(
    ("step", "given"), [("approve", {"version": 1}), ("resolve", {"version": 1, "arrived": False})]
)
@pytest.mark.parametrize("is_event", [True, False])
def test_an_unknown_mail_that_is_known_to_have_arrived_is_not_sent_again(
    system: System, step: str, given: dict[str, Any], *, is_event: bool
) -> None:
    draft = unknown(system)
    if is_event:
        system.report("Delivery")
        for name in (system.inbound, system.queue):
            (event,) = [one for one in system.fifo_queues.receive() if one[0] == name]
            system.run_worker(*event)
    else:
        result(system.call("POST", f"{draft}/resolve", {"version": 1, "arrived": True}))
    assert status_of(system, draft)[0] == "unknown"

    answer = system.call("POST", f"{draft}/{step}", given)
    system.drain()

    assert refused(answer)[:2] == (409, "invalid_transition")
    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("sent", None)


def test_an_unknown_mail_is_not_rejected(system: System) -> None:
    answer = system.call("POST", f"{unknown(system)}/reject", {"version": 1})

    assert refused(answer)[:2] == (409, "invalid_transition")


def test_only_an_unknown_mail_is_resolved(system: System) -> None:
    draft = composed(system, asked(system))

    answer = system.call("POST", f"{draft}/resolve", {"version": 1, "arrived": True})

    assert refused(answer)[:2] == (409, "invalid_transition")


def test_a_newer_mail_of_the_customer_does_not_hide_an_unknown_mail(system: System) -> None:
    draft = unknown(system)
    again(system)

    system.report("Delivery")
    system.drain()

    assert status_of(system, draft) == ("sent", None)
    assert [one["direction"] for one in system.mails()] == ["inbound", "inbound", "outbound"]
