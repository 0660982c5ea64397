"""Every page of every role, in a browser: no refused call, readable when enlarged, usable with keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, Response, ViewportSize, expect

from events.whatsapp.sample_data import Customer
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import PATIENCE_MS, Visit, visit_of, with_roles

pytestmark = [pytest.mark.e2e, pytest.mark.long]
WIDTHS = (320, 640)  # 1280 pixels at a zoom of 400 % and of 200 %
# Elements that take clicks, noted as they are made, and the ones of a page that no key reaches.
NOTE_CLICKS = """
window.clicked = new Set();
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, ...more) {
    if (type === "click" && this instanceof Element) window.clicked.add(new WeakRef(this));
    return listen.call(this, type, ...more);
};
"""
WITHOUT_KEYS = """() => [...window.clicked].flatMap((one) => one.deref() ?? [])
    .filter((one) => one.isConnected && !one.matches("a[href], button, input, select, textarea, summary, [tabindex]"))
    .map((one) => one.outerHTML.slice(0, 120))"""
# Names of sections that are not shown as a whole.
CUT_NAMES = """() => [...document.querySelectorAll(".rail-link")]
    .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
    .map((one) => one.textContent)"""
# Targets in the text of a sentence may be as high as its lines (WCAG 2.2, 2.5.8); a label is a part of its field.
SMALL_TARGETS = """() => [...document.querySelectorAll("button, a[href], input, select, textarea, summary")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline" && !one.matches(".skip"))
    .filter((one) => {
        const { width, height } = (one.closest("label") ?? one).getBoundingClientRect();
        return width < 24 || height < 24;
    })
    .map((one) => one.outerHTML.slice(0, 120))"""
FORBIDDEN = 403
LOW = ViewportSize(width=1024, height=560)  # of a small laptop, below the bars of its browser


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def loaded(page: Page) -> None:
    """Wait until a page shows what it loads."""
    page.wait_for_timeout(300)
    page.locator(".skeletons, .ops-section[aria-busy=true]").first.wait_for(state="detached")


def places(page: Page) -> list[str]:
    """The places of the navigation, and of the parts of the page that is shown."""
    links = page.locator("nav.rail .rail-links .rail-link, nav.ops-tabs .tab").all()
    return [str(link.get_attribute("href")) for link in links]


@pytest.mark.parametrize("role", ["agent", "supervisor", "admin", "operator"])
def test_no_page_calls_a_route_that_its_role_may_not_use_is_wider_than_a_phone_or_needs_a_mouse(
    context: BrowserContext, deployed: Deployed, customer: Customer, role: str
) -> None:
    visit = visit_of(context, deployed, with_roles(deployed, f"{role}.only@example.com", role))
    page, refused, wide, mouse = visit.page, [], [], []
    page.add_init_script(NOTE_CLICKS)

    def note(response: Response) -> None:
        if response.status == FORBIDDEN:
            refused.append((page.url.partition("#")[2], response.url))

    page.on("response", note)
    visit.sign_in()
    cut: set[str] = set()
    small: set[str] = set()
    seen: set[str] = set()
    while left := [place for place in places(page) if place not in seen]:
        seen.add(left[0])
        page.evaluate("place => { location.hash = place; }", left[0])
        loaded(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 640})
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append((left[0], width))
            cut.update(page.evaluate(CUT_NAMES))
            small.update(page.evaluate(SMALL_TARGETS))
        mouse += page.evaluate(WITHOUT_KEYS)
    page.set_viewport_size(LOW)
    account = page.get_by_role("button", name=re.compile("^Account"))
    expect(account).to_be_in_viewport(ratio=1)
    page.locator(".rail-links .rail-link").last.focus()
    expect(page.locator(".rail-links .rail-link").last).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": WIDTHS[0], "height": 640})
    if role != "operator":
        page.evaluate("location.hash = '#/all'")
        visit.open(customer)
        loaded(page)
        page.get_by_role("button", name="Details").click()
        mouse += page.evaluate(WITHOUT_KEYS)
        page.get_by_role("link", name="Everything about this person").click()
        loaded(page)

    assert len(seen) >= len({"overview", "parked", "switches", "cost"})
    assert (refused, wide, mouse) == ([], [], [])
    assert (cut, small) == (set(), set())


def test_high_contrast_shows_which_row_and_which_filter_are_chosen(
    visit: Visit, customer: Customer
) -> None:
    page = visit.page
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    visit.sign_in()
    visit.open(customer)

    for chosen in (".row[aria-current]", ".tab[aria-pressed=true]", ".rail-link[aria-current]"):
        style = page.locator(chosen).first.evaluate("one => getComputedStyle(one).outlineStyle")
        assert style in {"solid", "dashed"}, chosen  # dashed: it has the focus, too
