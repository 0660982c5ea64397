"""Calls of people that are killed at any call of AWS, and repeated: all ends as if the first one had been answered."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from shared.inbox.satisfaction.links import Link, token_of
from shared.runtime import clock
from tests.simulation.effort import EFFORT
from tests.simulation.email_threads.final_state import final_state_of
from tests.simulation.email_threads.system import ASSISTED, BOB, MAILBOX, System, mail
from tests.simulation.interceptor import READS, Died, When
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "the-same-call"
LEASE_MS = 30_000
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b1[78]\d{8,11}\b|\d{4}-\d\d-\d\d")

type Call = Callable[[], int]


def called(
    system: System, method: str, path: str, body: Any = None, key: str = KEY
) -> dict[str, Any]:
    status, answer = system.call(method, path, body, key=key)
    assert status < 300, answer
    found: dict[str, Any] = answer["result"]
    return found


def call(system: System, method: str, path: str, body: Any = None) -> Call:
    return lambda: system.call(method, path, body, key=KEY)[0]


def receive(system: System, name: str, **more: Any) -> str:
    """A mail arrives; returns the path of its thread."""
    system.clock.ms += 1_000
    system.deliver(mail(f"{name}@x", "Is it red?", **more), name=name, address=MAILBOX)
    system.drain()
    found = next(one for one in system.mails() if one["message_id"] == f"{name}@x")
    return f"/email-threads/{str(found['conversation_id'])[:16]}"


def drafted(system: System, *steps: str) -> str:
    """A draft of an answer after these steps; returns its path."""
    path = receive(system, "a")
    state = called(system, "POST", f"{path}/replies", {"body_text": "Yes."}, key="compose-1")
    draft = f"{path}/replies/{state['reply_id']}"
    for step in steps:
        called(system, "POST", f"{draft}/{step}", {"version": 1}, key=f"step-{step}")
    return draft


def undoable(system: System) -> None:
    system.register(MAILBOX, undo_seconds=30)


def approval(system: System) -> Call:
    undoable(system)
    return call(system, "POST", f"{drafted(system)}/approve", {"version": 1})


def scheduled(system: System) -> Call:
    draft = drafted(system)
    at = clock.to_text(system.clock.ms + 3_600_000)
    return call(system, "POST", f"{draft}/approve", {"version": 1, "send_at": at})


def undo(system: System) -> Call:
    undoable(system)
    return call(system, "POST", f"{drafted(system, 'approve')}/undo", {"version": 1})


def amendment(system: System) -> Call:
    given = {"version": 1, "to": [BOB], "cc": [], "body_text": "No.", "subject": "Tables"}
    return call(system, "PATCH", drafted(system), given)


def withdrawal(system: System) -> Call:
    return call(system, "POST", f"{drafted(system)}/withdraw", {"version": 1})


def rejection(system: System) -> Call:
    return call(system, "POST", f"{drafted(system)}/reject", {"version": 1, "reason": "Rude."})


def restoration(system: System) -> Call:
    return call(system, "POST", f"{drafted(system, 'reject')}/restore", {"version": 1})


def restoration_after_a_merge(system: System) -> Call:
    draft = drafted(system, "reject")
    merged(system, draft.partition("/replies")[0])
    return call(system, "POST", f"{draft}/restore", {"version": 1})


def merged(system: System, path: str) -> str:
    into = receive(system, "b", sender=BOB, subject="Tables").rpartition("/")[2]
    called(system, "POST", f"{path}/merge", {"into": into}, key="merge-it")
    system.drain()
    return path


def merge(system: System) -> Call:
    into = receive(system, "b", sender=BOB, subject="Tables").rpartition("/")[2]
    return call(system, "POST", f"{receive(system, 'a')}/merge", {"into": into})


def unmerge(system: System) -> Call:
    return call(system, "POST", f"{merged(system, receive(system, 'a'))}/unmerge")


def split(system: System) -> Call:
    receive(system, "a")
    path = receive(system, "c", in_reply_to="a@x")
    return call(system, "POST", f"{path}/split", {"mails": [2], "subject": "Tables"})


def spam(system: System) -> Call:
    return call(system, "POST", f"{receive(system, 'a')}/spam")


def no_spam(system: System) -> Call:
    path = receive(system, "a")
    called(system, "POST", f"{path}/spam", key="mark-as-spam")
    return call(system, "POST", f"{path}/not-spam")


def reminder(system: System) -> Call:
    path = receive(system, "a")
    at = clock.to_text(system.clock.ms + 3 * clock.DAY_SECONDS * clock.SECOND_MS)
    return call(system, "PATCH", path, {"status": "pending_info", "remind_at": at})


def signature(system: System) -> Call:
    given = {"name": "Zoe", "text": "{name}", "by_mailbox": {MAILBOX: "{mailbox}"}}
    return call(system, "POST", "/email-threads/signature", given)


def settings(system: System) -> Call:
    days = {"days": ["monday"], "start": "09:00", "end": "17:00"}
    hours = {"time_zone": "Europe/Berlin", "periods": [days], "holidays": ["2026-12-25"]}
    given = {"business_hours": hours, "first_response_minutes": 60, "blocked_senders": [BOB]}
    return call(system, "PUT", f"/email-mailboxes/{MAILBOX}", given)


def in_trial(system: System) -> str:
    """A trial in shadow, and a mail that both versions have answered; returns the path of the trial."""
    path = f"/email-mailboxes/{ASSISTED}"
    version = called(system, "POST", f"{path}/versions", {"settings": {"facts": ["Open."]}})
    given = {"mode": "shadow", "version": version["number"], "most_answers": 5}
    trial = called(system, "POST", f"{path}/trials", given, key="begin-it")
    system.deliver(mail("t@x", "Is it red?", to=ASSISTED), name="t", address=ASSISTED)
    system.drain()
    return f"{path}/trials/{trial['trial_id']}"


def end_of_trial(system: System) -> Call:
    return call(system, "POST", f"{in_trial(system)}/stop", {"withdraw": True})


def rejection_in_trial(system: System) -> Call:
    in_trial(system)
    (draft,) = system.drafts()
    thread = draft["conversation_id"].partition("#")[0]
    path = f"/email-threads/{thread}/replies/{draft['reply_id']}/reject"
    return call(system, "POST", path, {"version": 1, "reason": "Rude."})


def join(system: System) -> Call:
    path = receive(system, "a")
    joining = receive(system, "b", sender=BOB, in_reply_to="a@x").rpartition("/")[2]
    return call(system, "POST", f"{path}/join-requests/{joining}/admit")


def score(system: System) -> Call:
    """A customer answers how satisfied they are; browsers have no key."""
    system.register(MAILBOX, satisfaction_delay_hours=1)
    path = receive(system, "a")
    system.deliver(mail("o@shop", sender=MAILBOX, in_reply_to="a@x"), name="o", address=MAILBOX)
    system.drain()
    called(system, "PATCH", path, {"status": "completed"}, key="complete-it")
    for minutes in (61, 4):  # The question is drafted, and then sent.
        system.clock.ms += minutes * 60_000
        system.run_schedule()
        system.drain()
    assert len(system.sent()) == 1
    token = token_of(
        Link(
            channel="email",
            conversation_id=path.rpartition("/")[2],
            language="en",
            expires_at=system.clock.ms // clock.SECOND_MS + clock.DAY_SECONDS,
        )
    )
    event = {
        "resource": "/satisfaction/{token}",
        "httpMethod": "POST",
        "pathParameters": {"token": token},
        "body": "score=5&comment=",
    }
    return lambda: int(
        system.api.handler(event, Invocation(system.clock, lasts_ms=29_000))["statusCode"]
    )


CALLS = [
    restoration_after_a_merge, approval, scheduled, undo, amendment, withdrawal, rejection, restoration, merge, unmerge,
    split, spam, no_spam, reminder, signature, settings, join, score, end_of_trial, rejection_in_trial,
]  # fmt: skip


@pytest.mark.long
def test_a_call_that_was_killed_anywhere_and_repeated_is_made_once(system: System) -> None:
    for prepare in CALLS:
        check(system.reset(), prepare)


def check(system: System, prepare: Callable[[System], Call]) -> None:
    make = prepare(system)
    start = system.snapshot()
    for _ in range(2):  # The second one has the keys, which are read once.
        system.restore(start)
        assert make() < 300
    calls = list(system.interceptor.calls)
    system.drain()
    clean = outcome(system)

    for number, when in moments(calls):
        system.restore(start)
        system.interceptor.die_at = (number, when)
        with pytest.raises(Died):
            make()
        system.interceptor.rewind()
        system.clock.ms += LEASE_MS

        where = (prepare.__name__, when, calls[number - 1])
        assert make() < 300, where
        system.drain()

        assert outcome(system) == clean, where


def moments(calls: list[str]) -> list[tuple[int, When]]:
    """When the process may be killed; after a read is as before the next call."""
    return [
        (number, when)
        for number, name in enumerate(calls, 1)
        for when in When
        if when is When.BEFORE or EFFORT > 1 or name.split(" ")[0] not in READS
    ]


def outcome(system: System) -> dict[str, Any]:
    """The final state, without times."""
    state = final_state_of(system)
    items = TIME.sub("", json.dumps(state.items, sort_keys=True))
    found: dict[str, Any] = json.loads(items)
    rest = {"sent": len(state.sent), "objects": sorted(state.objects), "dead": state.dead_letters}
    return found | rest
