"""Calls about threads that are refused: bad input, missing scopes, and parts that must not be loaded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import THREADS, refused, thread_of
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import System, mail


@pytest.mark.parametrize(
    ("below", "code"),
    [
        ("/emails/1/attachments/2", (403, "attachment_blocked")),
        ("/emails/1/attachments/3", (404, "not_found")),
        ("/emails/1/attachments/x", (404, "not_found")),
        ("/emails/2", (404, "not_found")),
        ("/emails/0", (404, "not_found")),
        ("/emails/x", (404, "not_found")),
    ],
)
def test_a_harmful_or_missing_part_is_refused(
    system: System, below: str, code: tuple[int, str]
) -> None:
    path = thread_of(system, verified(with_files()))

    assert refused(system.call("GET", path + below))[:2] == code


@pytest.mark.parametrize(
    ("method", "below", "given", "field"),
    [
        ("GET", "?limit=0", None, "limit"),
        ("GET", "?limit=101", None, "limit"),
        ("GET", "?status=open", None, "status"),
        ("GET", "?stauts=active", None, "stauts"),
        ("GET", "?participant=no-address", None, "participant"),
        ("GET", "?participant=a@b.example&status=active", None, "body"),
        ("GET", "?q=x", None, "q"),
        ("PATCH", "/{id}", {}, "body"),
        ("PATCH", "/{id}", {"status": None}, "body"),
        ("PATCH", "/{id}", {"status": "open"}, "status"),
        ("PATCH", "/{id}", {"priority": "urgent"}, "priority"),
        ("PATCH", "/{id}", {"add_tags": [" a"]}, "add_tags.0"),
        ("PATCH", "/{id}", {"add_tags": [str(n) for n in range(21)]}, "add_tags"),
        ("PATCH", "/{id}", {"expected_seq": "1"}, "expected_seq"),
        ("PATCH", "/{id}", {"assigned_to": "a b"}, "assigned_to"),
        ("PATCH", "/{id}", {"snoozed_until": "tomorrow"}, "snoozed_until"),
        ("PATCH", "/{id}", {"snoozed_until": "2029-01-01T12:00:00"}, "snoozed_until"),
        ("PATCH", "/{id}", {"snoozed_until": "2020-01-01T12:00:00Z"}, "snoozed_until"),
        ("PATCH", "/{id}", {"snoozed_until": "2099-01-01T12:00:00Z"}, "snoozed_until"),
        ("POST", "/{id}/notes", {"text": "  "}, "text"),
        ("POST", "/{id}/notes", {"text": "x" * 10_001}, "text"),
        ("POST", "/{id}/merge", {"into": "x"}, "into"),
        ("POST", "/{id}/merge", {"into": "{id}"}, "into"),
    ],
)
def test_bad_input_names_the_field(
    system: System, method: str, below: str, given: dict[str, Any] | None, field: str
) -> None:
    path = thread_of(system, mail("a@x"))
    thread_id = path.rpartition("/")[2]
    before = system.rows()
    below, _, query = below.replace("{id}", thread_id).partition("?")
    body = {name: thread_id if value == "{id}" else value for name, value in (given or {}).items()}

    answer = system.call(
        method,
        THREADS + below,
        body if given is not None else None,
        query=dict(pair.split("=") for pair in query.split("&")) if query else None,
    )

    status, code, fields = refused(answer)
    assert (status, code) == (400, "invalid_input")
    assert field in fields
    assert {k: v for k, v in system.rows().items() if not k.startswith("request#")} == before


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", THREADS, "email_threads:write"),
        ("PATCH", f"{THREADS}/0123456789abcdef", "email_threads:read"),
        ("PUT", "/email-mailboxes/a@b.example", "email_threads:write"),
        ("POST", f"{THREADS}/parked/replay", "email_threads:write"),
        ("GET", f"{THREADS}/dead-letters", "email_threads:admin"),
    ],
)
def test_a_call_needs_its_scope(system: System, method: str, path: str, scope: str) -> None:
    assert refused(system.call(method, path, {}, scopes=scope))[:2] == (403, "forbidden")
