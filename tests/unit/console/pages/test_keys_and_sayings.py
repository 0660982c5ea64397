"""What a person does without a mouse, and what a person who does not see the page hears."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import DRAWN

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

    from tests.unit.console.pages.conftest import Opened

# Marks the live regions that are there: a region that comes together with its text is often not read out.
KNOWN = "[role=status], [role=alert], [role=log], [aria-live]"
MARK = f"document.querySelectorAll('{KNOWN}').forEach((one) => (one.dataset.known = ''))"
HEARS = """text => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const region = walker.currentNode.parentElement.closest("[data-known]");
        if (region && region.ariaLive !== "off" && region.textContent.includes(text)) return true;
    }
    return false;
}"""


def press(page: Page, key: str) -> None:
    page.keyboard.press(key)
    page.wait_for_function("document.activeElement !== document.body")


def test_keys_lead_through_the_list_and_to_the_composer_and_the_focus_stays_in_the_page(
    opened: Opened, pages: Path
) -> None:
    page = opened(Company(rows=6, unread={4}).network(pages), "all")
    page.locator(".row").first.wait_for()
    name = page.locator(".pane-title h2")
    for key, number in (("j", 0), ("j", 1), ("j", 2), ("k", 1), ("u", 4)):
        press(page, key)
        expect(name).to_have_text(f"Customer {number}")
    press(page, "r")
    box = page.get_by_role("textbox", name="Message")
    expect(box).to_be_focused()
    press(page, "Escape")
    expect(page.locator(".row[aria-current]")).to_be_focused()
    for key, field in (("n", "New note"), ("l", "Add a label")):
        press(page, key)
        expect(page.get_by_role("textbox", name=field)).to_be_focused()
        press(page, "Escape")
    press(page, "/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    press(page, "Escape")
    for key in ("a", "s"):
        press(page, key)
        expect(page.locator(".panel")).to_be_visible()
        press(page, "Escape")
        expect(page.locator(".panel")).to_have_count(0)
    press(page, "f")
    expect(page.get_by_role("searchbox", name="Words in messages")).to_be_focused()
    press(page, "Escape")
    press(page, "e")
    page.get_by_role("button", name="Reopen").wait_for()
    press(page, "z")
    page.get_by_role("button", name="Resolve", exact=True).wait_for()
    press(page, "y")
    page.get_by_role("button", name="Undo").wait_for()
    press(page, "z")


# Pages draw late on a busy machine.
LATE = "const draw = requestAnimationFrame; window.requestAnimationFrame = (act) => setTimeout(() => draw(act), 300);"


def test_what_is_typed_after_a_mention_follows_it_also_if_the_page_is_drawn_late(
    opened: Opened, pages: Path, context: BrowserContext
) -> None:
    context.add_init_script(LATE)
    page = opened(Company().network(pages), "all/whatsapp/k0")
    note = page.get_by_role("textbox", name="New note")
    page.locator(".mention-area").wait_for()
    note.press_sequentially("@Ki")
    page.locator(".mention-list [role=option]").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.type("see order ")
    page.evaluate(DRAWN)
    page.keyboard.type("4711")
    expect(note).to_have_value("@Kim see order 4711")


def test_what_happens_on_the_page_is_said_by_a_region_that_was_there_before(
    opened: Opened, pages: Path
) -> None:
    company = Company(messages=300)
    network = company.network(pages)
    page = opened(network, "all/whatsapp/k0")
    log = page.get_by_role("log", name="Messages")
    log.get_by_text("line 299.", exact=True).wait_for()
    page.get_by_text("Live", exact=True).wait_for()
    network.quiet(page)

    def heard(text: str) -> None:
        page.wait_for_function(HEARS, arg=text)
        page.evaluate(MARK)

    page.evaluate(MARK)
    company.messages, company.versions["k0"] = 301, 2
    network.hint("whatsapp", "k0", 2)
    heard("line 300.")

    log.get_by_text("line 280.", exact=True).hover()
    page.mouse.wheel(0, -1_500)
    page.get_by_role("button", name="Newest messages").wait_for()
    page.evaluate(MARK)
    company.messages, company.versions["k0"] = 302, 3
    network.hint("whatsapp", "k0", 3)
    heard("1 new message")

    typing = {"context": "whatsapp", "key": "k0", "principal": "user:kim"}
    network.sockets[-1].send(json.dumps({"typing": typing}))
    heard("Kim is typing")
    page.get_by_role("button", name="Resolve", exact=True).click()
    heard("Resolved")
    network.is_lost = True
    page.get_by_role("textbox", name="Add a label").fill("late")
    page.get_by_role("textbox", name="Add a label").press("Enter")
    heard("Offline")


def test_nothing_moves_for_people_who_wish_less_motion(opened: Opened, pages: Path) -> None:
    network = Company().network(pages)
    network.unanswered = "GET /inbox"
    page = opened(network, "all")
    page.locator(".skeleton").first.wait_for()

    def moving() -> int:
        return int(page.evaluate("document.getAnimations().length"))

    page.emulate_media(reduced_motion="no-preference")
    assert moving() > 0
    page.emulate_media(reduced_motion="reduce")
    assert moving() == 0


def test_the_keys_are_listed_and_the_first_stop_skips_to_the_content(
    opened: Opened, pages: Path
) -> None:
    page = opened(Company().network(pages), "all")
    page.locator(".row").first.wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keyboard shortcuts")
    for name in (
        "Next conversation",
        "Write a reply",
        "Write a note",
        "Assign",
        "Snooze",
        "Resolve",
    ):
        expect(listed.get_by_text(name).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(listed).to_have_count(0)


def test_the_undo_is_offered_for_eight_seconds_and_longer_while_the_pointer_is_on_it(
    opened: Opened, pages: Path
) -> None:
    page = opened(Company().network(pages), "all/whatsapp/k0")
    resolve = page.get_by_role("button", name="Resolve", exact=True)
    resolve.wait_for()
    page.clock.install()
    # It stands still between the steps: on a busy machine they take longer than the toast is shown.
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    resolve.click()
    toast = page.locator(".toast", has_text="Resolved")
    toast.wait_for()
    page.clock.run_for(7_900)
    expect(toast).to_have_count(1)
    toast.hover()
    page.clock.run_for(60_000)
    expect(toast).to_have_count(1)
    page.mouse.move(0, 0)
    page.clock.run_for(8_100)
    expect(toast).to_have_count(0)


def test_a_key_of_a_test_waits_until_its_button_is_enabled(context: BrowserContext) -> None:
    page = context.new_page()
    page.set_content(
        "<button disabled onclick='document.title = `pressed`'>Send</button>"
        "<script>setTimeout(() => { document.querySelector('button').disabled = false }, 200)</script>"
    )
    page.get_by_role("button", name="Send").press("Enter")
    assert page.title() == "pressed"
