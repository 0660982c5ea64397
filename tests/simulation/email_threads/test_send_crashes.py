"""A worker may be killed before or after any call of a send: one mail at most, and none without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.effort import EFFORT
from tests.simulation.email_threads.system import BOB, System, mail
from tests.simulation.interceptor import READS, When

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.email_threads.system import Snapshot

RESERVATION, WIRE = "dynamodb.PutItem action#em_", "sesv2.SendEmail"


def approved(system: System) -> Snapshot:
    """The system with an approved draft of an answer with a copy."""
    system.deliver(mail("a@x", "Is it red?"), name="a")
    system.drain()
    (thread,) = system.threads()
    path = f"/email-threads/{thread['conversation_id']}/replies"
    state = system.call("POST", path, {"body_text": "Yes.", "cc": [BOB]})[1]["result"]
    assert system.call("POST", f"{path}/{state['reply_id']}/approve", {"version": 1})[0] == 202
    snapshot = system.snapshot()
    system.restore(snapshot)
    return snapshot


def deaths(system: System) -> Iterator[tuple[int, When, str]]:
    """Every point at which the calls so far may be cut off."""
    for number, call in enumerate(list(system.interceptor.calls), 1):
        yield number, When.BEFORE, call
        if EFFORT > 1 or call.split(" ")[0] not in READS:
            yield number, When.AFTER, call


def check_outcome(system: System, at: tuple[int, When, str]) -> str:
    """One mail at most; the draft and the thread show it."""
    (draft,) = system.drafts()
    (thread,) = system.threads()
    status = str(draft["draft_status"])
    assert len(system.sent()) <= 1, at
    assert status in {"sent", "unknown"}, at
    is_shown = thread["email_count"] == 2
    assert is_shown is (status == "sent"), at
    assert ("open_drafts" in thread) is (status == "unknown"), at
    assert not system.fifo_queues.dead_letters, at
    return status


@pytest.mark.long
def test_a_crash_at_any_call_sends_one_mail_at_most(system: System) -> None:
    start = approved(system)
    system.drain()
    assert check_outcome(system, (0, When.BEFORE, "")) == "sent"

    calls = list(system.interceptor.calls)
    reserved = next(n for n, call in enumerate(calls, 1) if call.startswith(RESERVATION))
    sent = next(n for n, call in enumerate(calls, 1) if call.startswith(WIRE))
    doubtful = []
    for at in list(deaths(system)):
        system.restore(start)
        system.interceptor.die_at = at[:2]
        system.drain()
        if check_outcome(system, at) == "unknown":
            doubtful.append(at[0])
        else:
            assert len(system.sent()) == 1, at

    # From the reservation until its outcome is stored the worker cannot know whether SES has the mail.
    assert (doubtful[0], doubtful[-1]) == (reserved, sent + 1)


@pytest.mark.parametrize("event", ["Delivery", "Reject"])
def test_an_event_settles_a_send_that_a_crash_left_in_doubt(system: System, event: str) -> None:
    start = approved(system)
    system.drain()
    wire = next(at[0] for at in deaths(system) if at[2].startswith(WIRE))
    system.restore(start)
    system.interceptor.die_at = (wire, When.AFTER)
    system.drain()
    (draft,) = system.drafts()
    assert draft["draft_status"] == "unknown"

    system.report(event)
    system.drain()

    (draft,) = system.drafts()
    assert draft["draft_status"] == ("sent" if event == "Delivery" else "failed")
    assert len(system.sent()) == 1


def test_a_refused_send_that_was_cut_off_leaves_no_closed_draft_in_the_list(
    system: System,
) -> None:
    approved(system)
    (thread,) = system.threads()
    key = {"conversation_id": {"S": thread["conversation_id"]}}
    (draft,) = system.drafts()
    for changed, name, value in (
        (key, "last_inbound_n", {"N": "2"}),
        ({"conversation_id": {"S": draft["conversation_id"]}}, "reviewed_by", {"S": "auto"}),
    ):
        system.dynamodb.update_item(
            TableName=system.table,
            Key=changed,
            UpdateExpression=f"SET {name} = :v",
            ExpressionAttributeValues={":v": value},
        )
    start = system.snapshot()
    system.restore(start)
    system.drain()
    points = list(deaths(system))

    for at in points:
        system.restore(start)
        system.interceptor.die_at = at[:2]
        system.drain()

        assert [one["draft_status"] for one in system.drafts()] == ["superseded"], at
        assert "open_drafts" not in system.threads()[0], at
        assert not system.sent(), at


def test_a_bounce_that_is_cut_off_reopens_its_thread_once(system: System) -> None:
    approved(system)
    system.drain()
    (thread,) = system.threads()
    path = f"/email-threads/{thread['conversation_id']}"
    assert system.call("PATCH", path, {"status": "completed"})[0] == 200
    system.report("Bounce", part={"bounceType": "Permanent", "bouncedRecipients": []})
    start = system.snapshot()
    system.restore(start)
    system.drain()
    points = list(deaths(system))

    for at in points:
        system.restore(start)
        system.interceptor.die_at = at[:2]
        system.drain()

        (thread,) = system.threads()
        assert thread["status"] == "active", at
        assert [one["action"] for one in thread["audit_log"]].count("bounced") == 1, at
        assert system.mails()[-1]["delivery"] == "bounced", at
