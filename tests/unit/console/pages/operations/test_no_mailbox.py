"""A company without a mailbox comes from the page of mailboxes to the set-up of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened

WORDS = {
    "en-GB": ("no mailbox yet", "Set up a mailbox", "Address of the mailbox"),
    "de-DE": ("noch kein Postfach", "Ein Postfach einrichten", "Adresse des Postfachs"),
    "ar-EG": ("لا يوجد صندوق بريد بعد", "إعداد صندوق بريد", "عنوان صندوق البريد"),
}
COMPANY = {"company": "acme", "name": "Acme", "language": "en", "version": 1}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_the_empty_page_of_mailboxes_leads_to_the_form_that_adds_one_by_keyboard(
    opened: Opened, pages: Path, locale: str
) -> None:
    none, set_up, address = WORDS[locale]
    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /email-mailboxes": lambda _: Answer({"mailboxes": []}),
            "GET /operations/company": lambda _: Answer(COMPANY),
            "POST /whatsapp/actions/list_phones": lambda _: Answer({"phones": []}),
        },
    )
    page = opened(network, "operations/mailboxes")
    expect(page.locator(".ops-empty")).to_contain_text(none)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []

    page.get_by_role("link", name=set_up).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label(address)).to_be_visible()
