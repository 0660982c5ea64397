"""The pages of WhatsApp on the deployed stack: a form from its JSON to its publication, and sign-up at Meta."""

from __future__ import annotations

import json
import re
import time

import pytest
from playwright.sync_api import BrowserContext, expect

from events.whatsapp.sample_data import NEWCOMER
from local.console.browser import barriers
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import PATIENCE_MS, visit_of, with_roles

pytestmark = [pytest.mark.e2e, pytest.mark.long]
OTHER_COMPANY = "birch"
APP, SECRET, CONFIGURATION = "5647382911", "the-secret-of-the-app-that-signs-up", "9182736455"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def test_a_form_is_uploaded_corrected_at_the_line_of_the_provider_and_published(
    context: BrowserContext, deployed: Deployed
) -> None:
    visit = visit_of(context, deployed, with_roles(deployed, "ada.admin@example.com", "admin"))
    page, name = visit.page, f"Service {time.time_ns()}"
    screen = {"id": "ONE", "terminal": True, "layout": {"type": "SingleColumnLayout"}}
    visit.sign_in()
    page.evaluate("location.hash = '#/operations/forms'")
    page.get_by_role("button", name="New form").click()
    form = page.get_by_role("form", name="New form")
    form.get_by_label("Name").fill(name)
    text = form.get_by_label("JSON of the form")
    text.fill(json.dumps({"version": "7.0", "screens": [screen | {"id": "one 1"}]}))
    form.get_by_role("button", name="Create as a draft").click()
    expect(form.get_by_role("alert").first).to_contain_text("letters and underscores only")
    text.fill(json.dumps({"version": "7.0", "screens": [screen]}))
    form.get_by_role("button", name="Create as a draft").click()

    panel = page.get_by_role("region", name=name, exact=True)
    expect(panel.get_by_role("alert")).to_contain_text("screens/ONE/title")
    expect(panel.get_by_role("button", name="Line 5")).to_be_visible()
    expect(panel.get_by_role("button", name="Publish")).to_be_disabled()
    assert barriers(page) == []
    titled = {"version": "7.0", "screens": [screen | {"title": "Service"}]}
    panel.get_by_role("textbox", name="Another JSON").fill(json.dumps(titled))
    panel.get_by_role("button", name="Replace the JSON").click()
    panel.get_by_role("button", name="Publish").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.get_by_role("row", name=re.compile(name))).to_contain_text("Published")
    expect(page.get_by_role("region", name=f"Answers to {name}")).to_contain_text("No answers yet")
    assert visit.violations == []


def test_a_person_signs_up_at_meta_and_the_number_is_connected_without_a_token_in_the_browser(
    context: BrowserContext, deployed: Deployed
) -> None:
    person = with_roles(deployed, "olaf@birch.example", "admin", "operator", company=OTHER_COMPANY)
    visit = visit_of(context, deployed, person)
    page = visit.page
    visit.sign_in()
    page.evaluate("location.hash = '#/operations/accounts'")
    dialogs = page.get_by_role("region", name="Sign up at Meta")
    begin = dialogs.get_by_role("button", name=f"Sign up at Meta with the app {APP}")
    configure = page.get_by_role("form", name="Configure the dialog")
    configure.get_by_label("App id").fill(APP)
    configure.get_by_label("Configuration id").fill(CONFIGURATION)
    configure.get_by_label("App secret").fill(SECRET)
    assert barriers(page) == []
    configure.get_by_role("button", name="Store").click()
    begin.click()
    visit.come_back()

    number = page.get_by_role("group", name=f"+{NEWCOMER.display}")
    expect(number).to_be_visible()
    number.get_by_role("button", name=re.compile("^Connect")).click()
    expect(number).to_contain_text("Connected")
    expect(page.get_by_role("region", name="Webhook of the account")).to_contain_text("Active")
    assert barriers(page) == []
    stored = page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")
    assert not [one for one in (SECRET, "EAAsignup") if one in stored + page.content()]
    assert visit.violations == []
