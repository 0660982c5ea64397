"""What the console calls to open a conversation of each context and channel, and to follow a change of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.answers.assistant import REF, Assisted
from tests.unit.console.pages.answers.thread import CUSTOMER, MAILBOX, THREAD, Threaded
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

MOST_CALLS = 3
AI = "GET /conversations/{ref}"
MAIL = "GET /email-threads/{conversation_id}"
LIST = "GET /inbox"
CONSENT = "POST /opt-outs/search"
# Of a model: SMS and e-mail; a person with a number and an address has two searches for other conversations.
BOTH = {"tel": "+447700900123", "tel_text": "+44 7700 900123", "email": CUSTOMER}
CASES = {
    "sms": ("conversations", REF, "sms", {}, [AI, LIST]),
    "a model's mails": ("conversations", REF, "email", {}, [AI, LIST]),
    "a person with number and address": ("conversations", REF, "sms", BOTH, [AI, LIST, LIST]),
    "mails": ("email_threads", THREAD, "email", {}, [CONSENT, MAIL, LIST]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_conversation_of_each_channel_is_opened_with_at_most_three_calls_and_followed_with_one(
    opened: Opened, pages: Path, case: str
) -> None:
    context, key, channel, recipient, called = CASES[case]
    company = Company()
    network = (Threaded() if context == "email_threads" else Assisted()).network(pages)
    version = 1

    def listed(call: Call) -> Answer:
        own = {"context": context, "key": key, "channel": channel, "version": version}
        row: dict[str, Any] = company.row(0) | own
        is_unread = call.input.get("unread") == "true"
        return Answer({**company.inbox(call).result, "conversations": [] if is_unread else [row]})

    network.answers["GET /inbox"] = listed
    if context == "conversations":
        whole = network.answers[AI]

        def with_recipient(call: Call) -> Answer:
            answer = whole(call)
            assert isinstance(answer, Answer)
            head = answer.result
            return Answer(
                {**head, "channel_method": channel, "recipient": head["recipient"] | recipient}
            )

        network.answers[AI] = with_recipient
    page = opened(network, "all")
    page.get_by_text("Live", exact=True).wait_for()
    page.locator(".row").first.wait_for()
    network.quiet(page)
    before = len(network.calls)

    page.locator(".row").first.click()
    page.get_by_text("Other conversations").wait_for()
    page.locator(".others, .facts .quiet").last.wait_for()
    network.quiet(page)
    assert sorted(network.routes()[before:]) == sorted(called)
    assert len(called) <= MOST_CALLS

    version, before = 2, len(network.calls)
    address = quote(key, safe="")
    with (
        page.expect_response(lambda one: "unread=true" in one.url),  # the number in the title
        page.expect_response(lambda one: f"/{address}?" in one.url),
        page.expect_response(lambda one: "/inbox?" in one.url and "unread" not in one.url),
    ):
        for _ in range(3):
            network.hint(context, key, version)
    network.quiet(page)
    again = Counter((call.route, call.input.get("unread")) for call in network.calls[before:])
    assert again == {
        (AI if context == "conversations" else MAIL, None): 1,
        (LIST, None): 1,  # the list
        (LIST, "true"): 1,
    }


def test_what_waits_for_review_is_opened_with_at_most_three_calls(
    opened: Opened, pages: Path
) -> None:
    draft = {
        "reply_id": "r1", "conversation_id": THREAD, "mailbox": MAILBOX, "kind": "reply",
        "origin": "ai", "draft_status": "pending", "in_reply_to_n": 1, "subject": "My parcel",
        "body_text": "It is on its way.", "version": 1, "attempt": 1, "to": [CUSTOMER],
        "cc": [], "bcc": [], "attachments": [], "questions": [], "updated_at": at(2),
    }  # fmt: skip
    network = Threaded(drafts=[draft]).network(pages)
    page = opened(network, "review")
    page.locator("a.row").first.wait_for()
    network.quiet(page)
    before = len(network.calls)

    page.locator("a.row").first.click()
    page.get_by_text("Other conversations").wait_for()
    page.locator(".others, .facts .quiet").last.wait_for()
    network.quiet(page)
    assert sorted(network.routes()[before:]) == sorted([CONSENT, MAIL, LIST])


@pytest.mark.parametrize("role", ["agent", "supervisor", "admin"])
@pytest.mark.parametrize(
    "place", [f"conversations/{quote(REF, safe='')}", f"email_threads/{THREAD}"]
)
def test_a_conversation_calls_no_route_that_the_role_may_not_use(
    opened: Opened, pages: Path, role: str, place: str
) -> None:
    """The network refuses such calls; conversations of WhatsApp and all pages are looked at with a real stack."""
    source = Threaded() if THREAD in place else Assisted()
    network = source.network(pages, f"acme:{role}")
    page = opened(network, f"all/{place}")
    page.get_by_text("Other conversations").wait_for()
    network.quiet(page)
    assert {AI, MAIL} & set(network.routes())


def test_reports_about_people_are_neither_offered_to_agents_nor_called_by_their_pages(
    opened: Opened, pages: Path
) -> None:
    network = Company().network(pages, "acme:agent")
    page = opened(network, "reports/people")
    expect(page.get_by_role("main")).to_contain_text("This part is for other roles")
    network.quiet(page)
    assert "GET /reports/people" not in network.routes()
