"""The console of the deployed stack in languages other than English, one of them from right to left, in a browser."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from tests.e2e.console.conftest import PATIENCE_MS, visit_of
from tests.e2e.webhooks import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
# A key without a text is shown itself: words of small letters with dots between them.
KEY = re.compile(r"\b(?:nav|inbox|state|action|facts|composer|timeline|ops|report)\.[a-z_]+\b")
# Phone numbers that are read from the right: their plus sign is behind their last digit, or a field begins there.
MIRRORED = """() => {
    const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const leftOf = (text, at) => {
        const sign = document.createRange();
        sign.setStart(text, at);
        sign.setEnd(text, at + 1);
        return sign.getBoundingClientRect().left;
    };
    for (let text; (text = texts.nextNode()); ) {
        for (const { 0: number, index } of text.data.matchAll(/[+]\\d[\\d ()-]*\\d/g)) {
            if (leftOf(text, index) > leftOf(text, index + number.length - 1)) found.push(number);
        }
    }
    const fields = [...document.querySelectorAll("input")]
        .filter((one) => /^[+]\\d/.test(one.value || one.placeholder))
        .filter((one) => getComputedStyle(one).direction === "rtl");
    return [...found, ...fields.map((one) => one.outerHTML)];
}"""
WIDEST, NARROWEST = 1280, 320


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def keys_shown(page: Page) -> list[str]:
    return KEY.findall(page.inner_text("body"))


@pytest.mark.parametrize(("locale", "direction"), [("de-DE", "ltr"), ("ar-EG", "rtl")])
def test_a_person_reads_and_answers_in_their_language(
    chromium: Browser, deployed: Deployed, person: str, locale: str, direction: str
) -> None:
    number = time.time_ns() % 10_000_000
    sender = Customer(f"Omar {number}", wa_id=f"4477{number:08}")
    write(deployed.stack, sender, "مرحبا، أين طلبي؟")
    with chromium.new_context(locale=locale, viewport={"width": WIDEST, "height": 800}) as context:
        context.set_default_timeout(PATIENCE_MS)
        visit = visit_of(context, deployed, person)
        page = visit.page
        page.goto(deployed.stack.console_url)
        page.locator(".signin-card button").click()
        visit.log_in()
        row = page.locator(".row", has_text=sender.name).first
        row.click()
        expect(page.locator("html")).to_have_attribute("dir", direction)
        message = page.locator(".message .bubble-text").first
        expect(message).to_have_text("مرحبا، أين طلبي؟")
        # What the customer wrote has its own direction, in each language of the page.
        assert message.evaluate("one => getComputedStyle(one).direction") == "rtl"
        rail, pane = page.locator("nav.rail").bounding_box(), page.locator(".pane").bounding_box()
        assert rail is not None
        assert pane is not None
        assert (rail["x"] < pane["x"]) is (direction == "ltr")

        page.locator(".composer textarea").fill("Your order 4711 is on its way")
        page.keyboard.press("Enter")
        expect(page.locator(".message-out .bubble-text")).to_have_text(
            "Your order 4711 is on its way"
        )
        for width in (WIDEST, NARROWEST):
            page.set_viewport_size({"width": width, "height": 800})
            assert barriers(page) == [], width
            assert keys_shown(page) == [], width
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.set_viewport_size({"width": WIDEST, "height": 800})
        page.keyboard.press("Control+k")
        page.keyboard.type(f"+{sender.wa_id}")
        expect(page.locator("#palette-found", has_text=sender.name)).to_be_visible()
        assert page.evaluate(MIRRORED) == []
        page.keyboard.press("Escape")
        page.locator(".facts a[href*=contacts]").click()
        page.locator(".contact-list", has_text="+44").first.wait_for()
        assert page.evaluate(MIRRORED) == []
        page.locator("nav.rail .rail-links a[href*=reports]").click()
        expect(page.locator(".ops-section").first).to_be_visible()
        assert keys_shown(page) == []
        assert visit.violations == []
