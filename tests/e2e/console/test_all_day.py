"""The console as a tool for all day: find from everywhere, act with keys, undo, be told. In a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from events.whatsapp.sample_data import Customer
from tests.e2e.console.conftest import PATIENCE_MS, Visit
from tests.e2e.console.test_console import barriers

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def shown_number(customer: Customer) -> str:
    """The customer's number as the console shows it."""
    digits = customer.wa_id
    return f"+{digits[:2]} {digits[2:5]} {digits[5:8]} {digits[8:]}"


def test_a_search_and_filters_stand_in_the_address_and_survive_reload_and_back(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    page, row = visit.page, visit.page.locator(".row", has_text=customer.name)
    search = page.get_by_role("searchbox", name="Search")

    search.fill(shown_number(customer))
    expect(row).to_have_count(1)
    expect(page).to_have_url(re.compile(r"[?&]q="))
    page.get_by_role("group", name="Filter").get_by_role("button", name="Archived").click()
    expect(row).to_have_count(0)
    expect(page).to_have_url(re.compile("status=archived"))
    page.go_back()
    expect(row).to_have_count(1)
    row.click()
    page.get_by_role("log", name="Messages").wait_for()
    page.reload()
    page.get_by_role("log", name="Messages").wait_for()
    expect(search).to_have_value(shown_number(customer))
    expect(row).to_contain_text(re.compile("Open|Snoozed|Resolved"))
    page.go_back()
    page.go_back()
    expect(search).to_have_value("")


def test_ctrl_k_finds_a_person_by_the_national_number_an_action_and_a_setting(
    visit_of_operator: Visit, customer: Customer
) -> None:
    visit_of_operator.sign_in()
    page = visit_of_operator.page
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Review").click()

    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="People, conversations, actions, settings")
    expect(box).to_be_focused()
    box.fill("0" + customer.wa_id[2:])
    expect(page.get_by_role("option", name=customer.name)).to_be_visible()
    assert barriers(page) == []
    box.press("Enter")
    page.get_by_role("log", name="Messages").wait_for()
    expect(page.get_by_role("heading", level=2, name=customer.name)).to_be_visible()

    page.keyboard.press("Control+k")
    box.fill("write a note")
    box.press("Enter")
    expect(page.get_by_role("textbox", name="New note")).to_be_focused()

    page.keyboard.press("Control+k")
    box.fill("switches")
    box.press("Enter")
    expect(page).to_have_url(re.compile("operations/switches"))
    page.keyboard.press("Control+k")
    box.press("Escape")
    expect(box).to_be_hidden()
