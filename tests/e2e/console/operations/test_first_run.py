"""From the one-time link to the first answered message of a new company, in a browser and without a shell."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from events.whatsapp import gateway, payloads
from events.whatsapp.sample_data import NEWCOMER, Customer
from local.console.browser import barriers
from local.stack.seed import operate
from shared.identity.addresses import displayed
from tests.e2e import webhooks
from tests.e2e.console.conftest import PASSWORD, PATIENCE_MS, Visit, visit_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
COMPANY, NAME = "birch", "Birch Boats"
ADMINISTRATOR = "mona@birch.example"
APP, SECRET = "5647382910", "the-secret-of-the-new-app"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def go_to(visit: Visit, step: str) -> None:
    visit.page.get_by_role("navigation", name="Steps").get_by_role("link", name=step).click()


def enter_company(visit: Visit) -> None:
    page = visit.page
    page.get_by_label("Name of the company").fill(NAME)
    page.get_by_label("Time zone").fill("Europe/Lisbon")
    visit.reload()
    expect(page.get_by_label("Name of the company")).to_have_value(NAME)
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Lisbon")
    page.get_by_role("button", name="Store").click()
    steps = page.get_by_role("navigation", name="Steps")
    expect(steps.get_by_role("link", name="Company")).to_contain_text("done")


def invite(visit: Visit) -> None:
    page = visit.page
    go_to(visit, "Team")
    page.get_by_label("Team (may be empty)").fill("harbour")
    page.get_by_label("E-mail addresses").fill("ned@birch.example")
    page.get_by_role("button", name="Invite").click()
    expect(page.get_by_role("form", name="Team")).to_contain_text("invited by e-mail")


def connect(visit: Visit) -> None:
    page = visit.page
    go_to(visit, "WhatsApp")
    form = page.get_by_role("form", name="WhatsApp")
    form.get_by_label("App id").fill(APP)
    form.get_by_label("Id of the WhatsApp account").fill(NEWCOMER.waba)
    form.get_by_label("Id of the number").fill(NEWCOMER.phone)
    form.get_by_label("Number, with country code").fill(f"+{NEWCOMER.display}")
    form.get_by_label("App secret").fill(SECRET)
    form.get_by_label("Access token").fill("token-of-the-new-company")
    form.get_by_role("button", name="Connect the number").click()
    number = page.get_by_role("group", name=displayed(NEWCOMER.display))
    expect(number).to_contain_text("Received")
    page.get_by_text("Enter the webhook at Meta by hand").click()
    expect(page.get_by_role("button", name="Copy: Verify token")).to_be_visible()


def write(deployed: Deployed, sender: Customer, text: str) -> None:
    """A message arrives, signed with the secret that was entered."""
    now = int(time.time())
    message = payloads.message(sender, f"wamid.FIRST{time.time_ns()}", now, payloads.text(text))
    change = payloads.messages_change(NEWCOMER, [message], [sender])
    raw = gateway.utf8_bytes(payloads.webhook(payloads.entry(NEWCOMER.waba, change)))
    webhooks.send(deployed.stack, raw, secret=SECRET)


def test_a_person_sets_up_a_company_and_answers_its_first_message_without_a_shell(
    context: BrowserContext, deployed: Deployed
) -> None:
    printed = operate(deployed.stack, "first-link", "--company", COMPANY)
    # The stack's output has the address of AWS.
    link = f"{deployed.stack.console_url}#/begin/{printed.strip().partition('#/begin/')[2]}"
    visit = visit_of(context, deployed, ADMINISTRATOR)
    page = visit.page
    begun = time.monotonic()

    page.goto(link)
    page.get_by_label("Your name").fill("Mona Kahn")
    page.get_by_label("E-mail address").fill(ADMINISTRATOR)
    page.get_by_label("Password").fill(PASSWORD)
    assert barriers(page) == []
    page.get_by_role("button", name="Create the login").click()
    expect(page.get_by_role("heading", name="Your login is ready")).to_be_visible()
    page.get_by_role("button", name="Sign in").click()
    visit.log_in()
    expect(page.get_by_role("heading", name="Set up")).to_be_visible()

    enter_company(visit)
    invite(visit)
    connect(visit)
    assert barriers(page) == []
    go_to(visit, "First message")
    customer = Customer("Tom First", wa_id=f"447700{int(begun) % 1_000_000:06}")
    write(deployed, customer, "Is anybody there?")
    expect(page.get_by_text("Received from")).to_be_visible()
    page.get_by_role("button", name="Send the answer").click()
    expect(page.get_by_text("The set-up is complete")).to_be_visible()
    page.get_by_role("link", name="Open the conversation").click()
    expect(page.get_by_role("log", name="Messages")).to_contain_text(f"Hello from {NAME}")

    assert visit.violations == []


def test_a_link_works_once_and_a_phone_shows_its_page_without_scrolling_sideways(
    context: BrowserContext, deployed: Deployed
) -> None:
    visit = visit_of(context, deployed, ADMINISTRATOR)
    page = visit.page
    page.set_viewport_size({"width": 320, "height": 640})

    page.goto(f"{deployed.stack.console_url}#/begin/{'x' * 43}")
    page.get_by_label("Your name").fill("Eve")
    page.get_by_label("E-mail address").fill("eve@birch.example")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the login").click()

    expect(page.get_by_role("alert").first).to_contain_text("The link is not valid")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
