"""What administrators do in the console, in a browser: contacts from a file, settings of a model."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import BrowserContext, FilePayload, expect

from events.conversations.sample_data import COMPANY as RECRUITERS
from local.console.browser import barriers
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import PATIENCE_MS, Visit, visit_of, with_roles

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def test_contacts_come_from_a_file_after_a_look_at_its_rows_and_are_found_everywhere(
    visit_of_operator: Visit,
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    now = time.time_ns() % 1_000_000
    name = f"Zoë Ødegård {now}"
    rows = f"Name,Phone\n{name},+44 7700 {now:06}\nNobody,no number\n"
    visit.sign_in()
    page.evaluate("location.hash = '#/operations/contacts'")
    wizard = page.get_by_role("region", name="Import contacts", exact=True)
    file = FilePayload(name="people.csv", mimeType="text/csv", buffer=rows.encode())
    wizard.locator("input[type=file]").set_input_files(files=[file])
    wizard.get_by_role("button", name="Upload").click()
    expect(wizard.get_by_role("row", name=re.compile(name))).to_contain_text("creates a contact")
    expect(wizard.get_by_role("row", name=re.compile("no number"))).to_contain_text("is refused")
    assert barriers(page) == []

    visit.reload()  # what was entered is kept
    wizard.get_by_role("button", name="Import all rows").click()
    expect(wizard).to_contain_text("All rows are imported.")
    expect(wizard.get_by_role("listitem").filter(has_text="Created")).to_have_text("Created: 1")
    expect(wizard.get_by_role("listitem").filter(has_text="Refused")).to_have_text("Refused: 1")

    page.keyboard.press("Control+k")
    page.keyboard.type(f"zoe odegard {now}")  # who has no conversation yet
    found = page.get_by_role("option", name=name)
    expect(found).to_contain_text("Person")
    found.click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    assert visit.violations == []


def test_settings_of_a_model_go_live_after_a_look_at_the_differences_and_back(
    context: BrowserContext, deployed: Deployed
) -> None:
    admin = with_roles(deployed, "ada.recruiter@example.com", "admin", company=RECRUITERS)
    visit = visit_of(context, deployed, admin)
    page, words = visit.page, f"Answer briefly. {time.time_ns()}"
    visit.sign_in()
    page.evaluate("location.hash = '#/operations/projects'")
    begin = page.get_by_role("button", name="Change the settings")
    form = page.get_by_role("form", name="A new version")
    expect(begin.or_(form)).to_be_visible()
    if begin.is_visible():
        begin.click()
    expect(page.get_by_role("row").filter(has_text="live").first).to_be_visible()  # the form is its
    before = form.get_by_label("Words for answers").input_value()

    form.get_by_label("Words for answers").fill(f"{before}\n{words}")
    form.get_by_label("Why").fill("Shorter answers")
    form.get_by_role("button", name="Store as a new version").click()
    made = page.get_by_role("row", name=re.compile("Shorter answers")).first
    made.get_by_role("button", name=re.compile("^Make live")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(words)
    assert barriers(page) == []
    dialog.get_by_role("button", name="Make live").click()
    expect(dialog).to_have_count(0)
    expect(made.get_by_text("live", exact=True)).to_be_visible()

    page.get_by_role("button", name=re.compile("^Make live")).first.click()
    expect(dialog).to_contain_text(words)  # what goes back
    dialog.get_by_role("button", name="Make live").click()
    expect(dialog).to_have_count(0)
    expect(made.get_by_text("live", exact=True)).to_have_count(0)
    assert visit.violations == []
