"""Pages of readers in a browser without scripts: sign up, choose, be erased; accessible, and readable at 320 pixels."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import pytest
from playwright.sync_api import expect

from events.whatsapp.sample_data import COMPANY
from local.console.browser import barriers
from local.demo.chapters.issues import LIST, mail_to, path_in
from local.demo.scenarios.shop_software import key_of
from tests.e2e.console.conftest import PATIENCE_MS
from tests.e2e.newsletters.editors import Editor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from local.stack.cli import Stack
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
NARROWEST: Final = 320
# The texts of the buttons: subscribe, confirm, send the link, erase, confirm the erasure.
WORDS: Final = {
    "en": ("Subscribe", "Yes, subscribe", "Send the link", "Erase my data", "Yes, erase my data"),
    "ar": ("اشتراك", "نعم، أريد الاشتراك", "إرسال الرابط", "محو بياناتي", "نعم، امحُ بياناتي"),
}
SUBJECTS: Final = {
    "en": ("Please confirm: Highland", "Your newsletters", "Please confirm: erase"),
    "ar": ("يرجى التأكيد: Highland", "نشراتك", "يرجى التأكيد: محو"),
}


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    # The checks of accessibility are scripts; the pages have none, and their policy allows none.
    with chromium.new_context(viewport={"width": NARROWEST, "height": 800}) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


@pytest.mark.parametrize("language", WORDS)
def test_a_reader_signs_up_chooses_and_is_erased_without_scripts(
    page: Page, deployed: Deployed, language: str
) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    stack = deployed.stack
    list_id = published(stack, language)
    path = f"/n/{COMPANY}/{list_id}"
    address = f"reader.{time.time_ns()}@readers.example"
    subscribe, confirm, send_link, erase, erase_all = WORDS[language]
    of_signup, of_link, of_erasure = SUBJECTS[language]

    page.goto(f"{stack.api_url}{path}/subscribe")
    check(page, language)
    assert filled_in(page, "not an address", subscribe) == 422
    expect(page.get_by_role("alert")).to_be_visible()
    check(page, language)
    assert filled_in(page, address, subscribe) == 202
    check(page, language)
    followed(page, stack, address, of_signup, "confirm")
    check(page, language)
    assert pressed(page, confirm) == 200

    page.goto(f"{stack.api_url}{path}/preferences")
    check(page, language)
    assert filled_in(page, address, send_link) == 202
    check(page, language)
    followed(page, stack, address, of_link, "preferences")
    check(page, language)
    # Ids of lists have no order, and other lists of the company are on the page, too.
    expect(page.locator(f"input[name=list][value='{list_id}']")).to_be_checked()
    assert pressed(page, erase) == 200
    check(page, language)
    followed(page, stack, address, of_erasure, "erase")
    check(page, language)
    assert pressed(page, erase_all) == 200
    check(page, language)


def published(stack: Stack, language: str) -> str:
    scopes = ("newsletters:read", "newsletters:admin", "contacts:read", "contacts:write")
    editor = Editor(stack, key_of(stack, *scopes))
    list_id = str(editor.call("POST", "/contacts/lists", {"name": f"P {time.time_ns()}"})["listId"])
    editor.call("PUT", f"/newsletters/lists/{list_id}", {**LIST, "language": language})
    return list_id


def filled_in(page: Page, address: str, button: str) -> int:
    page.locator("input[type=email]").fill(address)
    return pressed(page, button)


def pressed(page: Page, button: str) -> int:
    """Press a button; return the status of the answer."""
    with page.expect_navigation() as answered:
        page.get_by_role("button", name=button, exact=True).click()
    assert answered.value is not None
    return answered.value.status


def followed(page: Page, stack: Stack, address: str, subject: str, kind: str) -> None:
    """Open the link of the newest mail; it names the address of AWS."""
    mail = mail_to(stack, address, subject)
    assert mail is not None
    page.goto(stack.api_url + path_in(mail, rf"(/n/{kind}/\S+)"))


def check(page: Page, language: str) -> None:
    """The page is in the language of the list, accessible, and no wider than the screen."""
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert page.locator("script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST, page.url
    assert barriers(page) == [], page.url
