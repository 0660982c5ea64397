"""The cost of a campaign, a test of two templates and the retry of the failed, in a browser."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from events.whatsapp import gateway, payloads
from events.whatsapp.sample_data import COUNTER, Customer
from local.console.browser import barriers
from local.demo.scenarios.shop_software import key_of
from tests.e2e import webhooks
from tests.e2e.console.campaigns.test_campaigns import SCOPES, Software
from tests.e2e.console.conftest import PATIENCE_MS, Visit

if TYPE_CHECKING:
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
PEOPLE, PASSES = 12, 131000


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


class Marketer(Software):
    """The company's software, which may make templates and see campaigns."""

    def __init__(self, deployed: Deployed) -> None:
        super().__init__(deployed)
        self.key = key_of(self.stack, *SCOPES, "whatsapp:templates", "whatsapp:campaigns")

    def template(self, name: str, text: str) -> str:
        """Make a template that is approved, and return what the form calls it."""
        body = {"type": "BODY", "text": text, "example": {"body_text": [["Ada"]]}}
        account = {"metaWabaId": COUNTER.waba}
        made = account | {"name": name, "language": "en_US", "category": "UTILITY"}
        self.post("/whatsapp/actions/create_template_meta", made | {"components": [body]})
        self.approve(name)
        self.post("/whatsapp/actions/sync_templates_meta", account)
        return f"{name} (en_US)"

    def people(self, first: int) -> str:
        """Make a list of people who have agreed, and return its name."""
        name = f"Testers {first}"
        listed = self.post("/contacts/lists", {"name": name})["listId"]
        members = []
        for number in range(PEOPLE):
            phone = f"+4915{(first + number) % 1_000_000_000:09}"
            identifier = {"kind": "phone", "value": phone}
            person = {"name": f"Tester {number}", "identifiers": [identifier]}
            members.append(self.post("/contacts", person)["contactId"])
            agreed = {"purpose": "all", "state": "opted_in", "evidence": "Signed at the counter"}
            self.post("/whatsapp/actions/set_consent", {"contact": phone} | agreed)
        self.post(f"/contacts/lists/{listed}/members", {"contactIds": members})
        return name

    def fail_one_of(self, campaign: str) -> None:
        """Let the provider report that a message of a campaign has failed for a reason that passes."""
        wanted = {"campaignId": campaign, "outcome": "sent"}
        found = self.post("/whatsapp/actions/get_campaign_recipients", wanted)["recipients"]
        customer = Customer("Tester", wa_id=found[0]["to"])
        at, message = int(time.time()) + 2, found[0]["messageId"]
        error = {"code": PASSES, "title": "Something went wrong"}
        status = payloads.status(customer, message, "failed", at, errors=[error])
        change = payloads.statuses_change(COUNTER, [status])
        body = payloads.webhook(payloads.entry(COUNTER.waba, change))
        webhooks.send(self.stack, gateway.utf8_bytes(body))
        deadline = time.monotonic() + PATIENCE_MS / 1_000
        failed = wanted | {"outcome": "failed"}
        while not self.post("/whatsapp/actions/get_campaign_recipients", failed)["recipients"]:
            assert time.monotonic() < deadline, "the status has not arrived"
            time.sleep(1)


def enter_prices(visit: Visit) -> None:
    page = visit.page
    page.get_by_role("link", name="Prices").click()
    page.get_by_role("button", name="Enter own prices").click()
    form = page.get_by_role("form", name="Enter own prices")
    form.get_by_label("Currency").fill("EUR")
    form.get_by_label("Valid from").fill("2026-10-01")
    form.get_by_label(re.compile("^Source")).fill("Rate card of October")
    lines = form.get_by_label("Prices, a line for each country")
    lines.fill("Germany; 1")
    expect(form.get_by_text("Line 1: it does not begin with a country")).to_be_visible()
    expect(form.get_by_role("button", name="Save prices")).to_be_disabled()
    lines.fill("DE; 0,1131; 0,0456")
    assert barriers(page) == []
    form.get_by_role("button", name="Save prices").click()
    expect(page.get_by_role("row", name=re.compile("Germany.*€0.0456"))).to_be_visible()


def test_a_supervisor_sees_the_cost_tests_two_templates_and_retries_the_failed(
    visit: Visit, deployed: Deployed
) -> None:
    software, first = Marketer(deployed), time.time_ns() // 1_000 % 1_000_000_000
    audience = software.people(first)
    one = software.template(f"ready_{first}", "Hello {{1}}, your bike is ready.")
    other = software.template(f"waits_{first}", "Good news {{1}}: your bike waits.")
    visit.sign_in()
    page = visit.page
    page.get_by_role("link", name="Campaigns").click()
    enter_prices(visit)
    page.get_by_role("navigation", name="Campaigns").get_by_text("Campaigns").click()
    page.get_by_role("button", name="New campaign").click()
    form = page.get_by_role("form", name="New campaign")
    form.get_by_label("Name", exact=True).fill("Autumn")
    form.get_by_label("To whom").select_option(label=audience)
    form.get_by_label(re.compile("^Template")).select_option(label=one)
    form.get_by_label(re.compile("Test two templates")).check()
    form.get_by_label(re.compile("^Template B")).select_option(label=other)
    form.get_by_label(re.compile("^Share of people")).fill("60")
    form.get_by_label(re.compile("^Decision")).select_option("person")
    assert barriers(page) == []
    form.get_by_role("button", name="Create the draft").click()

    reached = page.get_by_role("region", name="Whom it would reach now")
    cost = re.compile(r"at most €0\.5472 \(people: 12\)")
    expect(reached.get_by_text(cost)).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("dialog").get_by_text(cost)).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Send B to the others").click()
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("B was chosen by a person"))).to_be_visible()
    expect(page.get_by_text("Completed")).to_be_visible()
    assert barriers(page) == []

    rest = page.url.rpartition("/")[2].partition("?")[0]
    software.fail_one_of(rest)
    page.get_by_role("button", name="Retry the failed").click()
    expect(page.get_by_text("Repeats failed messages:")).to_be_visible()
    expect(reached.get_by_text(re.compile(r"at most €0\.0456"))).to_be_visible()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    expect(page.get_by_text("Completed")).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.get_by_role("link", name="to the first campaign").click()
    expect(page.get_by_role("link", name="To the retry of the failed")).to_be_visible()
    assert visit.violations == []
