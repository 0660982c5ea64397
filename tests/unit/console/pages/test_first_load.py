"""What a browser loads until a person reads the list, in each language; and what comes later."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.answers.assistant import REF, Assisted
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import PAGE, Answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Request

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

MOST_BYTES = 80_000
LANGUAGES = pytest.mark.parametrize("locale", ["en-GB", "de-DE", "ar-EG"])


def files_of(context: BrowserContext) -> set[str]:
    """Note the files of the page that the browser asks for, by their paths below the page."""
    asked: set[str] = set()

    def note(request: Request) -> None:
        path = urlsplit(request.url).path
        if path.startswith("/prod/console/assets/"):
            asked.add(path.removeprefix("/prod/console/"))

    context.on("request", note)
    return asked


@LANGUAGES
def test_a_person_reads_the_list_after_a_first_load_of_at_most_80_kb_in_each_language(
    opened: Opened, pages: Path, context: BrowserContext
) -> None:
    asked = files_of(context)
    page = opened(Company().network(pages), "all")
    page.locator(".row").first.wait_for()
    page.locator(".rail .bell").wait_for()

    assert any(name.endswith(".css") for name in asked)
    size = sum((pages / f"{name}.gz").stat().st_size for name in {"index.html", *asked})
    assert MOST_BYTES / 2 < size <= MOST_BYTES


@pytest.mark.parametrize("locale", ["de-DE"])
def test_a_page_whose_texts_are_not_answered_says_so(pages: Path, context: BrowserContext) -> None:
    page = context.new_page()
    Company().network(pages).of(page)
    page.route("**/assets/de-*.js", lambda route: route.abort())
    page.goto(PAGE)

    expect(page.get_by_text("Parley cannot be reached")).to_be_visible()


def test_what_shows_a_conversation_is_loaded_when_the_list_has_one_and_again_after_a_failure(
    opened: Opened, pages: Path, context: BrowserContext
) -> None:
    asked = files_of(context)
    company = Company()
    network = Assisted().network(pages)
    page = opened(network, "all")
    page.locator(".row").first.wait_for()
    network.quiet(page)
    assert not [name for name in asked if "AiConversation" in name]

    def with_a_model(call: Call) -> Answer:
        of_a_model = {"context": "conversations", "key": REF, "channel": "sms"}
        rows = [company.row(0) | of_a_model]
        return Answer({**company.inbox(call).result, "conversations": rows})

    network.answers["GET /inbox"] = with_a_model
    page.route("**/assets/AiConversation-*.js", lambda route: route.abort())
    with page.expect_request("**/assets/AiConversation-*.js"):
        network.hint("conversations", REF, 2)
    page.locator(".row").first.click()
    again = page.get_by_role("alert").get_by_role("button", name="Try again")
    network.is_lost = True
    with page.expect_event("requestfailed", lambda one: "config.json" in one.url):
        again.click()
    expect(again).to_be_visible()  # a reload would show nothing
    network.is_lost = False
    page.unroute("**/assets/AiConversation-*.js")
    again.click()
    expect(page.get_by_role("log", name="Messages")).to_be_visible()
    assert quote(REF, safe="") in page.url
