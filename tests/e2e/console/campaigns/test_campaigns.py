"""A campaign from the choice of its people to its results, in a browser."""

from __future__ import annotations

import re
import time
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from events.whatsapp.sample_data import COUNTER, Customer
from local.console.browser import barriers
from local.demo.scenarios.shop_software import key_of
from shared.identity.addresses import displayed
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import PATIENCE_MS, Visit, http

pytestmark = [pytest.mark.e2e, pytest.mark.long]
SCOPES = ("whatsapp:contacts", "contacts:read", "contacts:write")


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


class Software:
    """The company's software, and the reviewers at the provider."""

    def __init__(self, deployed: Deployed) -> None:
        self.stack = deployed.stack
        self.key = key_of(self.stack, *SCOPES)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"x-api-key": self.key, "Idempotency-Key": str(uuid4())}
        answer = http.request("POST", f"{self.stack.api_url}{path}", json=body, headers=headers)
        assert answer.status in {200, 201}, answer.data
        found: dict[str, Any] = answer.json()["result"]
        return found

    def approve(self, template: str) -> None:
        """Let the reviewers at the provider approve a template."""
        review = {"waba": COUNTER.waba, "name": template}
        answer = http.request("POST", f"{self.stack.sandbox_url}/_template_reviews", json=review)
        assert answer.status == 201, answer.data

    def listed(self, customer: Customer) -> str:
        """Make a list of two people, one of whom has no number, and return its name."""
        name = f"Riders {time.time_ns()}"
        listed = self.post("/contacts/lists", {"name": name})["listId"]
        number = {"kind": "phone", "value": f"+{customer.wa_id}"}
        mail = {"kind": "email", "value": f"{time.time_ns()}@example.org"}
        people = [
            self.post("/contacts", {"name": f"Rider {kind}", "identifiers": [identifier]})
            for kind, identifier in (("one", number), ("two", mail))
        ]
        members = {"contactIds": [one["contactId"] for one in people]}
        self.post(f"/contacts/lists/{listed}/members", members)
        agreed = {"purpose": "all", "state": "opted_in", "evidence": "Signed at the counter"}
        self.post("/whatsapp/actions/set_consent", {"contact": f"+{customer.wa_id}"} | agreed)
        return name


def made_template(visit: Visit, software: Software) -> str:
    """Write a template, submit it, and wait for its review."""
    page, name = visit.page, f"bike_ready_{time.time_ns()}"
    page.get_by_role("link", name="Templates").click()
    page.get_by_role("button", name="New template").click()
    form = page.get_by_role("form", name="New template")
    form.get_by_label(re.compile("^Name")).fill(name)
    form.get_by_label("Text", exact=True).fill("Hello {{1}}, your bike is ready.")
    submit = form.get_by_role("button", name="Submit for review")
    expect(submit).to_be_disabled()
    form.get_by_label("Example for 1, for the review").fill("Ada")
    preview = form.get_by_role("group", name="What people read")
    expect(preview).to_have_text("Hello Ada, your bike is ready.")
    assert barriers(page) == []
    submit.click()
    expect(form).to_be_hidden()
    software.approve(name)
    page.get_by_role("button", name="Read again from the provider").click()
    expect(page.get_by_role("row", name=re.compile(f"{name}.*Approved"))).to_be_visible()
    return name


def test_a_supervisor_writes_a_template_and_sends_it_to_a_list_after_a_look_at_whom_it_reaches(
    visit: Visit, deployed: Deployed
) -> None:
    software = Software(deployed)
    rider = Customer("Rider one", wa_id=f"447700{time.time_ns() % 1_000_000:06}")
    audience = software.listed(rider)
    visit.sign_in()
    page = visit.page
    page.get_by_role("link", name="Campaigns").click()
    template = made_template(visit, software)
    page.get_by_role("navigation", name="Campaigns").get_by_text("Campaigns").click()
    page.get_by_role("button", name="New campaign").click()

    form = page.get_by_role("form", name="New campaign")
    form.get_by_label("Name", exact=True).fill("Spring")
    form.get_by_label("To whom").select_option(label=audience)
    form.get_by_label(re.compile("^Template")).select_option(label=f"{template} (en_US)")
    expect(form.get_by_role("group", name="What people read")).to_have_text(
        "Hello [Name], your bike is ready."
    )
    visit.reload()  # what was entered is kept
    page.get_by_role("button", name="New campaign").click()
    expect(form.get_by_label("Name", exact=True)).to_have_value("Spring")
    form.get_by_label("Your own WhatsApp number").fill(f"+{rider.wa_id}")
    form.get_by_role("button", name="Send a test").click()
    expect(form.get_by_text("The test was sent.")).to_be_visible()
    assert barriers(page) == []
    form.get_by_role("button", name="Create the draft").click()

    reached = page.get_by_role("region", name="Whom it would reach now")
    expect(reached.get_by_role("row", name=re.compile("Reached"))).to_have_count(1)
    expect(reached.get_by_role("row", name=re.compile("No WhatsApp address"))).to_have_count(1)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("dialog").get_by_role("button", name="Start").click()

    expect(page.get_by_text("Completed")).to_be_visible()
    recipients = page.get_by_role("region", name="Recipients")
    number = re.compile(re.escape(displayed(rider.wa_id)))
    expect(recipients.get_by_role("row", name=number)).to_be_visible()
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.get_by_role("navigation", name="Campaigns").get_by_text("Campaigns").click()
    expect(page.get_by_role("row", name=re.compile("Spring.*Completed"))).to_be_visible()
    assert visit.violations == []
