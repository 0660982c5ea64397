"""A line break in a field of one line, which could add a header to a mail, is refused by the name of the field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import refused
from tests.integration.email_threads.drafting import asked
from tests.simulation.email_threads.system import MAILBOX, System

INJECTED = "Ann\r\nBcc: eve@evil.example"


@pytest.mark.parametrize(
    ("method", "path", "given", "field"),
    [
        ("POST", "{thread}/split", {"mails": [1], "subject": INJECTED}, "subject"),
        ("PATCH", "{thread}", {"add_tags": [INJECTED]}, "add_tags.0"),
        ("PATCH", "{thread}", {"assigned_to": INJECTED}, "assigned_to"),
        ("POST", "/email-threads/macros", {"name": INJECTED, "add_tags": ["x"]}, "name"),
        ("POST", "/email-threads/macros", {"name": "a", "add_tags": [INJECTED]}, "add_tags.0"),
        ("POST", "/email-threads/macros", {"name": "a", "assigned_to": INJECTED}, "assigned_to"),
        ("PUT", f"/email-mailboxes/{MAILBOX}", {"automation": "none", "display_name": INJECTED}, "display_name"),
    ],
)  # fmt: skip
def test_a_line_break_in_a_field_is_refused(
    system: System, method: str, path: str, given: dict[str, Any], field: str
) -> None:
    thread = asked(system)

    answer = system.call(method, path.format(thread=thread), given)

    status, code, fields = refused(answer)
    assert (status, code, fields) == (400, "invalid_input", [field])
