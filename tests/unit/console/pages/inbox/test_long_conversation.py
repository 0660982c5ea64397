"""A conversation of 2,000 messages, and what the console calls to open a conversation and to follow it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import DRAWN

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened

MESSAGES, MOST_IN_THE_DOCUMENT = 2_000, 300
CONVERSATION = "GET /whatsapp/conversations/{key}"
STEP = 3_000  # pixels of one turn of the wheel
SHORTEST = 40  # pixels of a message of one line
# The entry at the upper edge of the frame, by the number of its message, and how many entries the document has.
READ = """() => {
    const top = document.querySelector("[role=log]").getBoundingClientRect().top;
    const entries = [...document.querySelectorAll("[data-entry]")];
    const first = entries.find((one) => one.getBoundingClientRect().bottom > top);
    return [Number(first.dataset.entry.slice(1)), entries.length];
}"""


def settle(page: Page) -> None:
    page.evaluate(DRAWN)
    page.locator("[role=log] [aria-busy=true]").wait_for(state="detached")
    page.evaluate(DRAWN)


@pytest.mark.long
def test_two_thousand_messages_scroll_to_the_first_one_without_a_click_and_without_a_leap(
    opened: Opened, pages: Path
) -> None:
    page = opened(Company(messages=MESSAGES).network(pages), "all/whatsapp/k0")
    log = page.get_by_role("log", name="Messages")
    log.get_by_text(f"line {MESSAGES - 1}.", exact=True).wait_for()
    log.hover()
    read, _ = page.evaluate(READ)
    most, farthest = 0, STEP // SHORTEST

    while read > 0:
        page.mouse.wheel(0, -STEP)
        settle(page)
        at, count = page.evaluate(READ)
        assert read - farthest <= at <= read, (read, at)
        read, most = at, max(most, count)

    assert log.get_by_text("line 0.", exact=True).is_visible()
    assert 0 < most <= MOST_IN_THE_DOCUMENT
    page.keyboard.press("g")
    log.get_by_text(f"line {MESSAGES - 1}.", exact=True).wait_for()


def test_a_conversation_is_opened_with_three_calls_and_an_update_is_one_call_for_each_view(
    opened: Opened, pages: Path
) -> None:
    company = Company(unread={0})
    network = company.network(pages)
    page = opened(network, "all")
    page.get_by_text("Live", exact=True).wait_for()
    page.locator(".row").first.wait_for()
    network.quiet(page)
    before = len(network.calls)

    page.locator(".row").first.click()
    page.get_by_role("log", name="Messages").get_by_text("line 2.", exact=True).wait_for()
    page.get_by_text("Other conversations").wait_for()
    network.quiet(page)
    assert sorted(network.routes()[before:]) == [
        "GET /inbox",  # the other conversations of this person
        CONVERSATION,
        "POST /whatsapp/conversations/{key}/read",
    ]

    company.messages, company.versions["k0"], before = 4, 2, len(network.calls)
    with page.expect_request(lambda one: "unread=true" in one.url):  # the number in the title
        for _ in range(3):
            network.hint("whatsapp", "k0", 2)
        page.get_by_role("log", name="Messages").get_by_text("line 3.", exact=True).wait_for()
    network.quiet(page)
    called = Counter((call.route, call.input.get("unread")) for call in network.calls[before:])
    assert called == {
        ("GET /inbox", None): 1,  # the list
        ("GET /inbox", "true"): 1,
        (CONVERSATION, None): 1,
    }

    # Hints of what was read already: the list and the conversation are not read again.
    # The time jumps, as after a sleep, so that no ping of the connection counts as unanswered.
    page.clock.install()
    before = len(network.calls)
    network.hint("whatsapp", "k0", 2)
    page.clock.fast_forward(5_000)
    with page.expect_request(lambda one: "unread" not in one.url and "/inbox?" in one.url):
        network.hint("whatsapp", "k1", 9)
        page.clock.fast_forward(5_000)
    assert CONVERSATION not in network.routes()[before:]
