"""Reading a long conversation in a browser: the reading place, new messages, words, days and unread messages."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Locator, expect

from events.whatsapp import payloads
from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from local.sandbox.accounts.media import JPEG_IMAGE, OGG_VOICE
from local.stack.cli import Stack
from tests.e2e.console.conftest import PATIENCE_MS, Visit, few_calls
from tests.e2e.webhooks import deliver, write

pytestmark = [pytest.mark.e2e, pytest.mark.long]
LINES = 130  # more than the first two pages


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def write_lines(stack: Stack, sender: Customer, since: int) -> None:
    """Many messages of a customer arrive in one webhook, a second apart: `line 0.`, `line 1.` ..."""
    messages = [
        payloads.message(
            sender,
            f"wamid.READING{since}N{number}",
            since + number,
            payloads.text(f"line {number}."),
        )
        for number in range(LINES)
    ]
    deliver(stack, sender, messages)


def top_of(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["y"]


def test_a_long_conversation_keeps_the_reading_place_and_finds_unread_messages_words_and_days(
    visit: Visit,
) -> None:
    since = int(time.time()) - LINES
    sender = Customer(f"Reader {since}", wa_id=f"447701{since % 1_000_000:06}")
    write_lines(visit.stack, sender, since)
    visit.sign_in()
    page = visit.page
    row = page.locator(".row", has_text=sender.name)
    expect(row.locator(".count")).to_have_text(str(LINES))
    visit.open(sender)
    log = page.get_by_role("log", name="Messages")
    newest, oldest = (log.get_by_text(f"line {n}.", exact=True) for n in (LINES - 1, 0))
    expect(newest).to_be_in_viewport()

    page.get_by_role("button", name="First unread").click()
    expect(log.get_by_text("Unread", exact=True)).to_be_in_viewport()
    expect(oldest).to_be_in_viewport()
    before = top_of(oldest)
    write(visit.stack, sender, "arrived meanwhile")
    arrived = page.get_by_role("button", name="1 new message")
    arrived.wait_for()
    assert abs(top_of(oldest) - before) < 2
    arrived.click()
    expect(log.get_by_text("arrived meanwhile", exact=True)).to_be_in_viewport()

    page.locator(".row[aria-current]").focus()
    page.keyboard.press("f")
    finder = page.get_by_role("search", name="Find in the conversation")
    finder.get_by_role("searchbox", name="Words in messages").fill("LINE 57.")
    expect(log.locator(".entry-found")).to_contain_text("line 57.")
    expect(log.locator(".entry-found")).to_be_in_viewport()
    assert barriers(page) == []
    finder.get_by_label("Day").fill(time.strftime("%Y-%m-%d", time.localtime(since)))
    finder.get_by_role("button", name="Go to day").click()
    expect(oldest).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(finder).to_have_count(0)
    assert page.locator("[data-entry]").count() <= 300


def test_scrolling_up_loads_older_messages_at_the_same_place(visit: Visit) -> None:
    since = int(time.time()) - LINES
    sender = Customer(f"Scroller {since}", wa_id=f"447702{since % 1_000_000:06}")
    write_lines(visit.stack, sender, since)
    visit.sign_in()
    page = visit.page
    expect(page.locator(".row", has_text=sender.name).locator(".count")).to_have_text(str(LINES))
    visit.open(sender)
    log = page.get_by_role("log", name="Messages")
    expect(log.get_by_text(f"line {LINES - 1}.", exact=True)).to_be_in_viewport()

    # The oldest message of the first page stays where it is while those before it come.
    first = log.get_by_text(f"line {LINES - 50}.", exact=True)
    first.scroll_into_view_if_needed()
    before = top_of(first)
    older = log.get_by_text("line 0.", exact=True)
    older.wait_for(state="attached")
    assert abs(top_of(first) - before) < 2
    expect(first).to_be_in_viewport()

    # A movement stays that the browser reports only after the page has changed.
    page.get_by_role("button", name="Newest messages").click()
    expect(log.get_by_text(f"line {LINES - 1}.", exact=True)).to_be_in_viewport()
    log.evaluate("""log => {
        log.scrollTop = 0;
        document.querySelector("[data-command=find]").click();
    }""")
    page.get_by_role("search", name="Find in the conversation").wait_for()
    expect(older).to_be_in_viewport()


def test_a_conversation_is_opened_with_at_most_three_calls(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    page = visit.page
    page.locator(".row", has_text=customer.name).first.wait_for()

    with few_calls(page):
        visit.open(customer)


def test_a_picture_opens_over_the_page_and_a_refresh_keeps_it_and_the_speed_of_a_voice_note(
    visit: Visit,
) -> None:
    now = int(time.time())
    sender = Customer(f"Sender {now}", wa_id=f"447703{now % 1_000_000:06}")
    files = [payloads.media("image", JPEG_IMAGE), payloads.media("audio", OGG_VOICE, voice=True)]
    messages = [
        payloads.message(sender, f"wamid.FILE{now}N{place}", now + place, file)
        for place, file in enumerate(files)
    ]
    deliver(visit.stack, sender, messages)
    visit.sign_in()
    visit.open(sender)
    page, log = visit.page, visit.page.get_by_role("log", name="Messages")
    picture = log.get_by_role("img", name="Picture")
    voice = log.locator("audio")
    expect(picture).to_be_visible()
    address = picture.get_attribute("src")

    log.get_by_role("button", name="Picture").click()
    expect(page.get_by_role("dialog", name="Picture").get_by_role("img")).to_be_visible()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(log.get_by_role("button", name="Picture")).to_be_focused()
    log.get_by_role("button", name="Speed: 1").click()
    write(visit.stack, sender, "a message that loads the conversation again")
    expect(log).to_contain_text("a message that loads the conversation again")

    assert picture.get_attribute("src") == address
    assert voice.evaluate("one => one.playbackRate") == 1.5
