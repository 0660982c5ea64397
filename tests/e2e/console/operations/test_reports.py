"""The reports of the deployed stack, used with a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from tests.e2e.console.conftest import PATIENCE_MS, Visit

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def test_a_supervisor_sees_the_reports_without_barriers_and_the_address_keeps_the_filters(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    page = visit.page
    page.locator(".row", has_text=customer.name).first.wait_for()  # counted, too
    page.get_by_role("link", name="Reports", exact=True).click()
    parts = page.get_by_role("navigation", name="Parts of the reports").get_by_role("link")
    expect(parts.first).to_have_text("Volume")
    assert not {"Business hours", "Cost"} & set(parts.all_inner_texts())

    for name in parts.all_inner_texts():
        shown = parts.filter(has_text=name).first
        shown.click()
        expect(shown).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("heading", level=2).first).to_be_visible()
        expect(page.locator(".ops-section[aria-busy=true]")).to_have_count(0)
        assert barriers(page) == [], name
        assert page.locator(".notice-error").all_inner_texts() == [], name

    parts.first.click()
    page.get_by_role("combobox", name="Inbox", exact=True).select_option("whatsapp")
    expect(page.locator(".plot-bars").first).to_be_visible()
    assert "context=whatsapp" in page.url
    page.go_back()
    expect(page.get_by_role("combobox", name="Inbox", exact=True)).to_have_value("")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV", exact=True).click()
    assert download.value.path().read_text("utf-8").startswith("date,context,channel,opened")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV: Opened by hour of the day").click()
    assert download.value.path().read_text("utf-8").startswith("Hour,")
    assert visit.violations == []
