"""Nothing that opens leaves a page of 320 pixels, and what a person looks for is readable there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.answers.person import Known
from tests.unit.console.pages.answers.thread import THREAD, Threaded
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

SMALLEST = 24  # pixels of a target
NARROW = {"width": 320, "height": 640}
# Where a panel and its controls are, and the page: left, top, right, bottom of the outermost.
OUTSIDE = """() => {
    const panel = document.querySelector(".panel");
    const parts = [panel, ...panel.querySelectorAll("button, input, select, textarea, p")];
    return parts.filter((one) => {
        const { left, right, width } = one.getBoundingClientRect();
        return width > 0 && (left < 0 || right > innerWidth || panel.scrollWidth > panel.clientWidth);
    }).map((one) => one.outerHTML.slice(0, 120));
}"""
LOCALES = ("en-GB", "de-DE", "ar-EG")
LONG = "A reply with a text that is much longer than such a page is wide, as most of them are."


def canned(_: Call) -> Answer:
    by = {"updated_at": "2026-01-01T12:00:00.000Z", "updated_by": "user:ada"}
    return Answer({"canned_replies": [{"name": "long", "text": LONG, "variables": [], **by}]})


def is_whole(page: Page, button: str) -> None:
    """The menu of a button is on the page, with all that is in it."""
    page.locator(button).first.click()
    page.locator(".panel :is(button, input, select, p)").first.wait_for()
    page.locator(".panel .skeleton").first.wait_for(state="detached")
    expect(page.locator(".panel")).to_be_in_viewport(ratio=0.99)
    assert page.evaluate(OUTSIDE) == [], button
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_have_count(0)


@pytest.mark.parametrize("locale", LOCALES)
def test_menus_of_the_list_and_of_conversations_are_whole_on_a_narrow_page(
    opened: Opened, pages: Path
) -> None:
    known = Known()
    answers = {
        "GET /whatsapp/canned-replies": canned,
        "GET /inbox/notifications/push": lambda _: Answer({"key": "x"}),
        "GET /email-threads/signature": lambda _: Answer(
            {"name": None, "text": None, "by_mailbox": {}}
        ),
        "GET /email-mailboxes": lambda _: Answer({"mailboxes": []}),
    }
    page = opened(known.network(pages, **answers), "all")
    page.locator(".row").first.wait_for()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]  # a dict of two numbers
    for button in (".bell button", ".account button", ".views .menu > button"):
        is_whole(page, button)
    for number in (0, 2):
        page.locator(".row-choice input").nth(number).click()
    is_whole(page, ".selection .menu > button")

    page.evaluate("location.hash = '#/all/whatsapp/k0'")
    page.locator(".composer textarea").wait_for()
    for button in ("[data-command=snooze]", "[data-command=canned]"):
        is_whole(page, f"{button} > button")
    assert barriers(page) == []


@pytest.mark.parametrize("locale", LOCALES)
def test_menus_of_a_mail_thread_are_whole_on_a_narrow_page(opened: Opened, pages: Path) -> None:
    network = Threaded().network(pages)
    network.answers["GET /whatsapp/canned-replies"] = canned
    network.answers["GET /email-threads/macros"] = lambda _: Answer({"macros": []})
    page = opened(network, f"all/email_threads/{THREAD}")
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]  # a dict of two numbers
    menus = page.locator(".pane-actions .menu > button, .pane .writer .menu > button")
    menus.first.wait_for()
    for control in page.locator(".pane-head :is(a, button)").all():
        expect(control).to_be_in_viewport(ratio=0.99)
    for place in range(menus.count()):
        is_whole(page, f":nth-match(.pane .menu > button, {place + 1})")


@pytest.mark.parametrize("locale", LOCALES)
def test_the_search_from_everywhere_shows_names_on_a_narrow_page(
    opened: Opened, pages: Path
) -> None:
    known = Known()
    network = known.network(pages, **{
        "GET /contacts": lambda _: Answer({"contacts": [known.contact(name="Lía Peña")]})
    })  # fmt: skip
    page = opened(network, "all")
    page.locator(".row").first.wait_for()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]  # a dict of two numbers
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").last.fill("lia")
    name = page.get_by_role("option").filter(has_text="Lía Peña").first.locator(".palette-name")
    expect(name).to_be_visible()
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_controls_are_large_enough_a_page_is_readable_at_200_percent_and_choices_have_outlines(
    opened: Opened, pages: Path
) -> None:
    known = Known()
    known.changed["k0"] = {"revision": 1, "labels": ["late", "urgent"]}
    page = opened(known.network(pages), "all/whatsapp/k0")
    page.locator(".facts .label button").first.wait_for()
    assert barriers(page) == []  # with the size of targets
    sizes = page.locator(".facts .label button").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(sizes) >= SMALLEST
    page.set_viewport_size({"width": 640, "height": 400})  # 1280 pixels at 200 %
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    expect(page.locator(".composer textarea")).to_be_in_viewport(ratio=1)

    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(forced_colors="active")
    for chosen in (".row[aria-current]", ".tab[aria-pressed=true]", ".rail-link[aria-current]"):
        style = page.locator(chosen).first.evaluate("one => getComputedStyle(one).outlineStyle")
        assert style in {"solid", "dashed"}, chosen
