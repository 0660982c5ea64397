"""No log line, metric or exception has text or addresses of a customer, or what the model wrote."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from email_threads.store.items import ReplyMode
from tests.integration.email_threads import desk
from tests.integration.logs import recorded
from tests.simulation.email_threads.system import ASSISTED, System, mail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

CANARY = "zebraquartz"
ZEBRA = f"{CANARY}@orchard.example"
OURS = ("/functions/email_threads/", "/layers/shared/")
EVENTS = sys.monitoring.events


@contextmanager
def raised() -> Iterator[list[str]]:
    """Collect type and text of every exception that is raised in, or passes through, a function of ours."""
    found: list[str] = []

    def note(code: CodeType, _: int, error: BaseException) -> None:
        if any(part in code.co_filename for part in OURS) and not isinstance(error, StopIteration):
            found.append(f"{type(error).__name__}: {error}")

    tool = sys.monitoring.PROFILER_ID
    sys.monitoring.use_tool_id(tool, "exceptions")
    sys.monitoring.register_callback(tool, EVENTS.RAISE, note)
    sys.monitoring.set_events(tool, EVENTS.RAISE)
    try:
        yield found
    finally:
        sys.monitoring.set_events(tool, 0)
        sys.monitoring.free_tool_id(tool)


def receive(system: System, name: str, text: str = CANARY, **more: Any) -> None:
    given = {"sender": ZEBRA, "subject": f"About {CANARY}"} | more
    desk.receive(system, f"{CANARY}-{name}@x", text, **given)


def read_mails(system: System) -> None:
    """Mails that are answered, left to people, refused and parked."""
    desk.set_up(system, reply_mode=ReplyMode.AUTO)
    value = {
        "requirements": {"budget": CANARY},
        "evidence": [{"field": "budget", "n": 1, "quote": CANARY}],
        "missing": [{"field": "deadline", "question": f"{CANARY}?", "blocking": True}],
    }
    desk.answers(system, desk.answer(f"Thank you, {CANARY}.", summary=CANARY, **value))
    receive(system, "1")
    desk.answers(system, desk.answer(f"See https://{CANARY}.example", intent=CANARY))
    receive(system, "2", in_reply_to=f"{CANARY}-1@x")
    desk.answers(system, f"no JSON, {CANARY}", {"requirements": CANARY, "reply": [CANARY]})
    receive(system, "3", in_reply_to=f"{CANARY}-1@x")
    system.sandbox.faults.add(kind="status", provider="openai", status=500, times=20)
    receive(system, "4", in_reply_to=f"{CANARY}-1@x")
    system.sandbox.faults.clear()
    receive(system, "5", "STOP", in_reply_to=f"{CANARY}-1@x")
    receive(system, "6", dmarc="fail")
    again = mail(f"{CANARY}-1@x", f"Another {CANARY}", sender=ZEBRA, to=ASSISTED)
    system.deliver(again, name=f"{CANARY}-again", address=ASSISTED)
    system.deliver(f"{CANARY}".encode(), name=f"{CANARY}-7", address=ASSISTED)
    address = f"{CANARY}@shop.example"
    system.deliver(mail("8@x", CANARY, to=address), name="8", address=address)
    system.drain()


def answer_mails(system: System) -> None:
    """Drafts that are composed, refused, sent, bounced, and calls with wrong input."""
    path = f"/email-threads/{system.mails()[0]['conversation_id'].partition('#')[0]}"
    composed = {"body_text": CANARY, "to": [f"{CANARY}@mill.example"], "subject": CANARY}
    assert system.call("POST", f"{path}/replies", composed)[0] == 201
    draft = next(one for one in system.drafts() if one["origin"] == "key-1")
    below = f"{path}/replies/{draft['reply_id']}"
    assert system.call("PATCH", below, {"version": 1, "body_text": f"{CANARY}!"})[0] == 200
    calls = [
        ("PATCH", below, {"version": 2, "colour": CANARY}, 400),
        ("POST", f"{path}/replies", {"body_text": CANARY, "to": [CANARY]}, 422),
        ("POST", f"{path}/notes", {"text": CANARY * 2_000}, 400),
        ("POST", f"{path}/notes", {"text": CANARY}, 201),
        ("PATCH", path, {"add_tags": [f"{CANARY} {CANARY}" * 20]}, 400),
        ("POST", f"{path}/merge", {"into": CANARY}, 400),
        ("GET", f"{path}/emails/{CANARY}", None, 404),
        ("GET", f"/email-mailboxes/{CANARY}@shop.example", None, 404),
        ("GET", f"/email-mailboxes/{CANARY}", None, 400),
    ]
    for method, where, body, status in calls:
        assert (system.call(method, where, body)[0], where) == (status, where)
    for query in ({"q": CANARY}, {"participant": ZEBRA}, {"cursor": CANARY}, {"colour": CANARY}):
        system.call("GET", "/email-threads", query=query)
    system.sandbox.faults.add(kind="status", provider="ses", status=400, times=1)
    draft = next(one for one in system.drafts() if one["origin"] == "key-1")
    assert desk.approve(system, draft)[0] == 202
    draft = next(one for one in system.drafts() if one["origin"] == "key-1")
    desk.approve(system, draft)
    recipient = {"emailAddress": ZEBRA, "diagnosticCode": CANARY}
    system.report("Bounce", 0, {"bounceType": "Permanent", "bouncedRecipients": [recipient]})
    system.drain()


def test_no_log_line_metric_or_exception_has_private_text(
    system: System,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = recorded(monkeypatch)
    caplog.set_level(logging.INFO)
    capsys.readouterr()
    with raised() as exceptions:
        read_mails(system)
        answer_mails(system)

    lines = [*log.getvalue().splitlines(), *capsys.readouterr().out.splitlines()]
    before_redaction = [str(vars(record)) for record in caplog.records]
    assert len(lines) > 60
    assert {one["draft_status"] for one in system.drafts()} >= {"superseded", "sent"}
    assert len(system.parked()) == 3
    assert [line for line in lines if CANARY in line.casefold()] == []
    assert [line for line in before_redaction if CANARY in line.casefold()] == []
    assert sorted({text for text in exceptions if CANARY in text.casefold()}) == []
