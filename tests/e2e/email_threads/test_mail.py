"""Mail on the deployed stack: objects in the bucket in; threads over HTTP and an AI conversation out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest
import urllib3

from events.conversations import sample_data
from events.conversations.recruiting import Run
from local.demo.chapter import Chapter
from local.demo.chapters import email_threads
from local.demo.scenarios import conversation_probe
from local.demo.scenarios.recruiting_scenarios import SCOPES, request_conversation
from local.mail.receipt import Verdicts, deliver, received
from local.stack.cli import Stack
from local.stack.seed import operate, recruiting_key
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=60)


def call(stack: Stack, key: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
    answer = http.request(
        method,
        stack.api_url + path,
        headers={"x-api-key": key},
        body=None if body is None else json.dumps(body),
    )
    assert answer.status == 200, answer.data
    result: dict[str, Any] = answer.json()["result"]
    return result


def test_every_sample_mail_is_in_one_thread_or_parked(deployed: Deployed) -> None:
    assert email_threads.play(deployed.stack, Chapter("mail"))


def test_a_candidate_answers_by_mail_and_gets_a_reply(deployed: Deployed) -> None:
    stack = deployed.stack
    address = sample_data.project()["channel_config"]["email"]["company_email"]
    key = operate(
        stack, "api-keys", "create", "--company", sample_data.COMPANY,
        "--scopes", *email_threads.SCOPES, "--name", "mail",
    )  # fmt: skip
    call(stack, key, "PUT", f"/email-mailboxes/{address}", {"automation": "conversations"})
    run = Run.now()
    candidate = run.candidate("Mia", "Post", 5)
    status, answer = request_conversation(
        stack, recruiting_key(stack, *SCOPES), run.request(candidate, "email", "by-mail")
    )
    assert status == 200, answer
    ref = answer["conversation_ref"]
    sent = conversation_probe.wait_for(
        stack, ref, lambda one: [bool(mail.provider_id) for mail in one.outbound] == [True]
    )
    ses_id = (sent.outbound[0].provider_id or "").partition("@")[0]
    # By SES's event about the mail, which the project's own settings do not ask for.
    conversation_probe.wait_for(
        stack, ref, lambda one: [mail.delivery for mail in one.outbound] == ["delivered"]
    )

    message = EmailMessage()
    message["From"], message["To"] = candidate.email, address
    message["Subject"] = "Re: your application"
    message["Message-ID"] = f"<{run.number}@candidate.example>"
    # A client copies the Message-ID that SES gave the mail; the log has the part that SES's events name.
    message["In-Reply-To"] = f"<{ses_id}@email.amazonses.com>"
    message.set_content(
        f"Yes, I have one.\n\nOn Mon, 2 Nov 2026 at 12:00, Carol <{address}> wrote:\n"
        "> Write STOP to end this, or ask to talk to a human.\n"
    )
    deliver(stack, received(bytes(message), address, Verdicts()), address)
    found = conversation_probe.wait_for(stack, ref, lambda one: len(one.outbound) > 1)

    assert [one.text for one in found.inbound] == ["Yes, I have one."]
    assert found.outbound[1].author == "ai"
    (thread,) = call(stack, key, "GET", f"/email-threads?participant={candidate.email}")["threads"]
    assert thread["automation"] == "conversations"
    mails = _until(lambda: _mails(stack, key, thread["conversation_id"]), 3)
    assert [mail["direction"] for mail in mails] == ["outbound", "inbound", "outbound"]
    answer, question = mails[1], mails[2]
    assert answer["new_text"] == "Yes, I have one."
    assert "talk to a human" in answer["body"]
    assert mails[0]["in_reply_to"] == answer["message_id"]
    assert answer["in_reply_to"] == question["message_id"]


def test_a_bounce_ends_the_mail_of_ai_conversations_to_an_address(deployed: Deployed) -> None:
    stack, run = deployed.stack, Run.now()
    candidate = run.candidate("Ben", "Gone", 6)
    ending = {"to": candidate.email, "event": "Bounce", "bounce_type": "Permanent"}
    assert http.request("POST", f"{stack.sandbox_url}/_mail_endings", json=ending).status == 201
    key = recruiting_key(stack, *SCOPES)
    found = []
    for name in ("first", "second"):
        status, answer = request_conversation(stack, key, run.request(candidate, "email", name))
        assert status == 200, answer
        # The status is written before its reason.
        found.append(
            conversation_probe.wait_for(
                stack,
                answer["conversation_ref"],
                lambda one: one.status == "failed" and "status_reason" in one.state,
            )
        )

    assert [mail.delivery for mail in found[0].outbound] == ["failed"]
    assert not found[1].outbound
    assert found[1].state["status_reason"] == "address_unusable"


def _mails(stack: Stack, key: str, conversation_id: str) -> list[dict[str, Any]]:
    """The mails of a thread, newest first."""
    found: list[dict[str, Any]] = call(
        stack, key, "GET", f"/email-threads/{conversation_id}/emails"
    )["mails"]
    return found


def _until(
    read: Callable[[], list[dict[str, Any]]], count: int, seconds: int = 120
) -> list[dict[str, Any]]:
    """Read until there are so many, or the time is over."""
    deadline = time.monotonic() + seconds
    while len(found := read()) < count and time.monotonic() < deadline:
        time.sleep(0.5)
    return found
