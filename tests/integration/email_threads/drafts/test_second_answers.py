"""A second answer within a minute: the draft says so, and one after another person's needs a confirmation."""

from __future__ import annotations

from typing import Any

import pytest

from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import approve, asked, composed, send, shown
from tests.simulation.email_threads.system import System


def by_zoe(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the caller is another person."""

    def caller(**given: Any) -> Caller:
        return Caller(**{**given, "principal": "user:zoe"})

    monkeypatch.setattr("tests.simulation.email_threads.system.Caller", caller)


def two_drafts(system: System) -> tuple[str, str]:
    path = asked(system)
    return composed(system, path, body_text="One."), composed(system, path, body_text="Two.")


def test_a_draft_shows_that_another_answer_was_sent_within_a_minute(system: System) -> None:
    first, second = two_drafts(system)
    assert "recent_answer" not in shown(system, second)
    send(system, first)
    sent_at = shown(system, first)["sent_at"]
    assert shown(system, second)["recent_answer"] == sent_at
    assert "recent_answer" not in shown(system, first)

    system.clock.ms += 61_000
    assert "recent_answer" not in shown(system, second)


def test_a_draft_composed_after_the_answer_shows_it_too(system: System) -> None:
    path = asked(system)
    send(system, composed(system, path))
    draft = composed(system, path, n=1)

    assert "recent_answer" in shown(system, draft)


def test_drafts_show_an_answer_that_was_approved_and_not_sent_yet(system: System) -> None:
    first, second = two_drafts(system)
    approve(system, first, send_at=clock.to_text(system.clock.ms + 40_000))
    path = second.partition("/replies/")[0]
    drafts = result(system.call("GET", f"{path}/replies"))["drafts"]

    assert {one["draft_status"]: "recent_answer" in one for one in drafts} == {
        "approved": False,
        "pending": True,
    }


@pytest.mark.parametrize("is_sent", [True, False])
def test_an_answer_after_that_of_another_person_needs_a_confirmation(
    system: System, monkeypatch: pytest.MonkeyPatch, *, is_sent: bool
) -> None:
    path = asked(system)
    first = composed(system, path, body_text="One.")
    if is_sent:
        send(system, first)
    else:
        approve(system, first, send_at=clock.to_text(system.clock.ms + 3_600_000))
    second = composed(system, path, n=1, body_text="Two.")
    by_zoe(system, monkeypatch)
    answer = system.call("POST", f"{second}/approve", {"version": 1})
    assert refused(answer)[:2] == (409, "stale_draft")
    assert shown(system, second)["draft_status"] == "pending"

    assert approve(system, second, confirm_stale=True)["draft_status"] == "approved"


def test_an_answer_beside_one_that_another_person_approved_earlier_for_now_needs_a_confirmation(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = asked(system)
    planned = composed(system, path, body_text="One.")
    second = composed(system, path, body_text="Two.")
    at = system.clock.ms + 3_600_000
    approve(system, planned, send_at=clock.to_text(at))
    by_zoe(system, monkeypatch)

    system.clock.ms = at - 61_000
    assert "recent_answer" not in result(system.call("GET", second))
    system.clock.ms = at - 30_000
    assert "recent_answer" in {
        name for one in result(system.call("GET", f"{path}/replies"))["drafts"] for name in one
    }
    assert refused(system.call("POST", f"{second}/approve", {"version": 1}))[0] == 409

    system.clock.ms = at
    system.run_schedule()
    system.drain()
    assert shown(system, planned)["draft_status"] == "sent"
    system.clock.ms += 20_000
    assert refused(system.call("POST", f"{second}/approve", {"version": 1}))[0] == 409


def test_after_a_minute_no_confirmation_is_needed(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = asked(system)
    send(system, composed(system, path, body_text="One."))
    system.clock.ms += 61_000
    second = composed(system, path, n=1, body_text="Two.")
    by_zoe(system, monkeypatch)

    assert approve(system, second)["draft_status"] == "approved"
