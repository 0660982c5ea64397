"""Who may see and change a draft: scopes, companies, threads."""

from __future__ import annotations

import pytest

from tests.integration.email_threads.api.thread_calls import THREADS, refused, thread_of
from tests.integration.email_threads.drafting import (
    asked,
    drafted,
    put_file,
    status_of,
    thread_path,
)
from tests.simulation.email_threads.system import BOB, System, mail

READ, WRITE, APPROVE = "email_threads:read", "email_threads:write", "email_threads:approve"


@pytest.mark.parametrize(
    ("method", "below", "given", "scope"),
    [
        ("POST", "/replies", {"body_text": "x"}, READ),
        ("POST", "/uploads", {"filename": "a.pdf", "content_type": "application/pdf"}, READ),
        ("PATCH", "/replies/{id}", {"version": 1, "body_text": "x"}, READ),
        ("POST", "/replies/{id}/approve", {"version": 1}, WRITE),
        ("POST", "/replies/{id}/send", {"version": 1}, WRITE),
        ("POST", "/replies/{id}/reject", {"version": 1}, WRITE),
        ("POST", "/replies/{id}/resolve", {"version": 1, "arrived": True}, WRITE),
        ("GET", "/replies", None, WRITE),
        ("GET", "/replies/{id}", None, APPROVE),
    ],
)
def test_a_step_needs_its_scope(
    system: System, method: str, below: str, given: dict[str, object] | None, scope: str
) -> None:
    draft = drafted(system)
    path = thread_path(draft) + below.replace("{id}", draft.rpartition("/")[2])

    assert refused(system.call(method, path, given, scopes=scope))[:2] == (403, "forbidden")
    assert status_of(system, draft) == ("pending", None)


@pytest.mark.parametrize(
    ("method", "below", "given"),
    [
        ("GET", "/replies", None),
        ("POST", "/replies", {"body_text": "x"}),
        ("POST", "/uploads", {"filename": "a.pdf", "content_type": "application/pdf"}),
        ("GET", "/replies/{id}", None),
        ("PATCH", "/replies/{id}", {"version": 1, "body_text": "x"}),
        ("POST", "/replies/{id}/approve", {"version": 1}),
        ("POST", "/replies/{id}/send", {"version": 1}),
        ("POST", "/replies/{id}/reject", {"version": 1}),
        ("POST", "/replies/{id}/resolve", {"version": 1, "arrived": True}),
    ],
)
def test_the_drafts_of_another_company_are_not_found(
    system: System, method: str, below: str, given: dict[str, object] | None
) -> None:
    draft = drafted(system)
    path = thread_path(draft) + below.replace("{id}", draft.rpartition("/")[2])

    answer = system.call(method, path, given, company="globex")

    assert refused(answer)[:2] == (404, "not_found")
    assert status_of(system, draft) == ("pending", None)


@pytest.mark.parametrize("reply_id", ["0" * 16, "x", "%20", "a%23b"])
def test_a_draft_that_does_not_exist_is_not_found(system: System, reply_id: str) -> None:
    path = asked(system)

    answer = system.call("GET", f"{path}/replies/{reply_id}")

    assert refused(answer)[:2] == (404, "not_found")


def test_a_draft_of_another_thread_is_not_found(system: System) -> None:
    draft = drafted(system)
    other = thread_of(system, mail("b@x", sender=BOB))

    answer = system.call("GET", f"{other}/replies/{draft.rpartition('/')[2]}")

    assert refused(answer)[:2] == (404, "not_found")


def test_an_upload_of_another_company_is_not_found(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "offer.pdf", b"%PDF-", "application/pdf")
    system.grant("@globe.example", "globex")
    system.register("support@globe.example", company="globex")
    system.deliver(
        mail("g@x", to="support@globe.example"), name="g", address="support@globe.example"
    )
    system.drain()
    theirs = max(system.threads(), key=lambda thread: thread["company_id"])["conversation_id"]

    answer = system.call(
        "POST",
        f"{THREADS}/{theirs}/replies",
        {"body_text": "x", "attachments": [{"upload": upload, "filename": "offer.pdf"}]},
        company="globex",
    )

    assert refused(answer) == (400, "invalid_input", ["attachments"])
