"""A newsletter in a browser: from a document to the mail that a reader has, and bad input on the way."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import FilePayload, expect

from events.newsletters.documents import DOCUMENTS
from local.console.browser import barriers
from local.demo.scenarios.shop_software import key_of
from tests.e2e.console.conftest import PATIENCE_MS, Visit
from tests.e2e.newsletters.editors import Editor

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Locator, Page

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
SCOPES = ("newsletters:read", "newsletters:admin", "contacts:read", "contacts:write")
SENDER = "news@shop.example"
NARROWEST, PHONE = 320, 375
OURS = "Written by our editors."


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def software(deployed: Deployed) -> Editor:
    """The company's software, which has given the company a model."""
    found = Editor(deployed.stack, key_of(deployed.stack, *SCOPES))
    version = found.call("GET", "/newsletters/settings")["version"]
    found.call("PUT", "/newsletters/settings", {"version": version, "ai": {"provider": "scripted"}})
    return found


def listed(software: Editor) -> str:
    """Make a list of one reader, and return its name."""
    name, address = f"Readers {time.time_ns()}", f"reader{time.time_ns()}@example.org"
    made = software.call("POST", "/contacts/lists", {"name": name})["listId"]
    reader = {"name": "Ida", "identifiers": [{"kind": "email", "value": address}]}
    contact = software.call("POST", "/contacts", reader)["contactId"]
    software.call("POST", f"/contacts/lists/{made}/members", {"contactIds": [contact]})
    return name


def add_documents(page: Page) -> None:
    """Add documents as files, the last one as a text, and look at what was read of one."""
    form = page.get_by_role("form", name="New document")
    for document in DOCUMENTS[:6]:
        content = FilePayload(
            name=document.name, mimeType="text/markdown", buffer=document.text.encode()
        )
        form.get_by_label(re.compile("^File")).set_input_files(content)
        form.get_by_label("Title", exact=True).fill(document.title)
        form.get_by_label("Date").fill(f"{datetime.now(UTC) - timedelta(days=2):%Y-%m-%d}")
        form.get_by_label("Public address").fill(document.url or "")
        form.get_by_role("button", name="Add the document").click()
        expect(form.get_by_label("Title", exact=True)).to_have_value("")
    read = page.get_by_role("button", name=f"What was read: {DOCUMENTS[0].title}")
    read.click()
    passages = page.get_by_role("region", name=f"What was read from {DOCUMENTS[0].title}")
    expect(passages).to_contain_text("1.9 tonnes per")


def move_items(step: Locator) -> None:
    """Move an item by keys and another by drag, add one, and save."""
    handles = step.get_by_role("button", name=re.compile("^Move "))
    sections = step.locator(".newsletter-section")
    first = sections.nth(1).locator(".newsletter-item").first
    title = first.get_by_label("Title").input_value()
    first.get_by_role("button", name=re.compile("^Move ")).press("ArrowDown")
    expect(step.get_by_role("status")).to_contain_text("Now 2 of")
    expect(step.get_by_role("button", name=f"Move {title}", exact=True)).to_be_focused()
    last = sections.last
    # Both ends of the way are in sight.
    step.page.set_viewport_size({"width": 1280, "height": 3_000})
    moved = step.get_by_role("button", name=f"Move {title}", exact=True)
    moved.drag_to(last.locator(".newsletter-item").first)
    expect(last.get_by_role("button", name=f"Move {title}", exact=True)).to_be_visible()
    count = handles.count()
    last.get_by_label(re.compile("^New item in")).fill("Questions of our readers")
    last.get_by_role("button", name="Add", exact=True).click()
    expect(handles).to_have_count(count + 1)
    step.get_by_role("button", name="Save the outline").click()
    expect(step.get_by_text("Not saved yet")).to_be_hidden()
    expect(last.get_by_role("button", name=f"Move {title}", exact=True)).to_be_visible()


def step_of(page: Page, name: str) -> Locator:
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()
    return page.get_by_role("region", name=name, exact=True)


def test_an_editor_makes_a_newsletter_of_documents_and_sends_it(
    visit_of_operator: Visit, software: Editor
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    audience = listed(software)
    visit.sign_in()
    page.get_by_role("link", name="Newsletters").click()
    page.get_by_role("link", name="Documents").click()
    add_documents(page)
    assert barriers(page) == []
    page.get_by_role("navigation", name="Newsletters").get_by_text("Newsletters").click()
    plan(visit)
    generate(page)
    review(step_of(page, "Review"))
    make_files(step_of(page, "Files"))
    send_issue(page, audience)
    assert visit.violations == []


def plan(visit: Visit) -> None:
    """Make a newsletter, after a reload that keeps what was entered."""
    page = visit.page
    page.get_by_role("button", name="New newsletter").click()
    form = page.get_by_role("form", name="New newsletter")
    form.get_by_label("Title").fill("Highland Farms")
    form.get_by_label("Field staff").check()
    form.get_by_label("Rhythm").select_option("monthly")
    visit.reload()
    page.get_by_role("button", name="New newsletter").click()
    expect(form.get_by_label("Title")).to_have_value("Highland Farms")
    form.get_by_role("button", name="Create").click()


def generate(page: Page) -> None:
    """Have passages found, an outline and a text made, and edit both."""
    step = page.get_by_role("region", name="Topics", exact=True)
    for topic in ("Research findings", "Technology and innovation", "Policy updates"):
        step.get_by_label(topic).check()
    step.get_by_role("button", name="Save the topics").click()
    step.get_by_role("button", name="Search the documents").click()
    expect(step.get_by_text(re.compile(r"^\d+ passages$"))).to_be_visible()
    assert barriers(page) == []
    step = step_of(page, "Outline")
    step.get_by_role("button", name="Make the outline").click()
    step.locator(".newsletter-item").first.wait_for()
    move_items(step)
    assert barriers(page) == []
    step = step_of(page, "Text")
    step.get_by_role("button", name="Write the text").click()
    expect(step.get_by_role("complementary", name="Sources")).to_contain_text("[1]")
    step.get_by_label("Title and beginning").fill(f"# Highland Farms\n\n{OURS}\n\n")
    step.get_by_role("button", name="Save the text").click()
    expect(step.get_by_role("button", name="Back to the written text")).to_be_visible()
    assert barriers(page) == []


def review(step: Locator) -> None:
    """Ask for a review, and approve the text with a comment."""
    step.get_by_label("Note for the reviewer").fill("Ready?")
    step.get_by_role("button", name="Ask for a review").click()
    step.get_by_label("Your comments").fill("A fine issue.")
    step.get_by_role("button", name="Approve").click()
    expect(step.get_by_role("list", name="Comments")).to_contain_text("A fine issue.")


def make_files(step: Locator) -> None:
    """Make three files, and look at the mail in light and dark colours and on a phone."""
    step.page.emulate_media(color_scheme="null")  # else all frames have the test's scheme
    step.get_by_label("PDF").check()
    step.get_by_role("button", name="Make the files").click()
    row = step.get_by_role("row", name=re.compile("E-mail"))
    row.get_by_role("button", name="Preview").click()
    frame = step.frame_locator("iframe")
    expect(frame.get_by_role("article").get_by_text(OURS)).to_be_visible()
    light = colour_of(frame)
    step.get_by_role("button", name="Phone").click()
    step.get_by_role("button", name="Dark").click()
    expect(frame.get_by_role("article").get_by_text(OURS)).to_be_visible()
    assert colour_of(frame) != light
    assert step.locator("iframe").evaluate("one => one.clientWidth") <= PHONE
    expect(step.get_by_role("row", name=re.compile("PDF"))).to_contain_text("Download")


def colour_of(frame: FrameLocator) -> str:
    found: str = frame.locator("body").evaluate("one => getComputedStyle(one).backgroundColor")
    return found


def send_issue(page: Page, audience: str) -> None:
    """Make an issue, test and approve it, schedule it and take the time back, and send it."""
    form = step_of(page, "Send").get_by_role("form", name="New issue")
    form.get_by_label("Subject").fill("News of the season")
    form.get_by_label(audience).check()
    form.get_by_label("Sender", exact=True).fill(SENDER)
    form.get_by_label("Name of the sender").fill("Shop")
    form.get_by_label("Postal address").fill("Main Street 1, Highland")
    form.get_by_label("Why people get the mail").fill("You are on our list.")
    form.get_by_label("All people of the lists").check()
    form.get_by_label("The ground").fill("Existing customers of our shop.")
    form.get_by_role("button", name="Create the issue").click()

    checks = page.get_by_role("region", name="Checklist")
    expect(checks.get_by_role("listitem").first).to_be_visible()
    acknowledge = checks.get_by_label(re.compile("^I have read"))
    if acknowledge.is_visible():
        acknowledge.check()
    page.get_by_label("Addresses, with a comma").fill("editor@shop.example")
    page.get_by_role("button", name="Send a test").click()
    tested = page.get_by_text(re.compile("editor@shop.example: (Sent|Delivered)"))
    expect(tested).to_be_visible()
    assert barriers(page) == []
    checks.get_by_role("button", name="Approve the issue").click()
    schedule = page.get_by_role("form", name="Schedule")
    schedule.get_by_label("Day and time").fill("2036-01-01T09:00")
    schedule.get_by_role("button", name="Schedule").click()
    page.get_by_role("button", name="Take back the time").click()
    page.get_by_role("dialog").get_by_role("button", name="Take back the time").click()
    page.get_by_role("button", name="Send now").click()
    page.get_by_role("dialog").get_by_role("button", name="Send now").click()
    results = page.get_by_role("region", name="Results")
    expect(results).to_contain_text("1 of 1 handled")
    assert barriers(page) == []
    page.set_viewport_size({"width": NARROWEST, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == NARROWEST


def test_bad_input_is_refused_beside_its_field_and_kept(
    visit_of_operator: Visit, software: Editor
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    listed(software)
    visit.sign_in()
    page.get_by_role("link", name="Newsletters").click()
    page.get_by_role("link", name="Documents").click()
    form = page.get_by_role("form", name="New document")
    file = form.get_by_label(re.compile("^File"))
    add = form.get_by_role("button", name="Add the document")
    file.set_input_files(FilePayload(name="sheet.xlsx", mimeType="", buffer=b"PK"))
    expect(form.get_by_text("Choose a PDF, DOCX")).to_be_visible()
    expect(add).to_be_disabled()
    file.set_input_files(FilePayload(name="scan.pdf", mimeType="", buffer=b"%PDF-1.7 broken"))
    form.get_by_label("Public address").fill("no address")
    add.click()
    expect(form.get_by_text("Enter an address that begins with")).to_be_visible()
    form.get_by_label("Public address").fill("")
    add.click()
    expect(form.get_by_text("The file is damaged.")).to_be_visible()
    expect(form.get_by_label("Title", exact=True)).to_have_value("sheet")
    assert barriers(page) == []

    page.get_by_role("navigation", name="Newsletters").get_by_text("Newsletters").click()
    page.get_by_role("button", name="New newsletter").click()
    form = page.get_by_role("form", name="New newsletter")
    form.get_by_label("Title").fill("Quiet weeks")
    form.get_by_label("Preview line").fill("x" * 151)
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_text("150")).to_be_visible()
    expect(form.get_by_label("Title")).to_have_value("Quiet weeks")
    form.get_by_label("Preview line").fill("")
    form.get_by_role("button", name="Create").click()
    step = page.get_by_role("region", name="Topics", exact=True)
    expect(step.get_by_text("Say first for whom")).to_be_visible()
    step.get_by_role("button", name="Add a topic of your own").click()
    step.get_by_label("Name").fill("ab")
    step.get_by_label("Words to search for").fill("unheard words")
    step.get_by_role("button", name="Save the topics").click()
    expect(step.locator(".field-problem")).to_be_visible()
    expect(step.get_by_label("Words to search for")).to_have_value("unheard words")

    form = step_of(page, "Send").get_by_role("form", name="New issue")
    for label in ("Sender", "Name of the sender", "Postal address at the foot"):
        form.get_by_label(label, exact=True).fill("x")
    form.get_by_label("Why people get the mail").fill("x")
    form.get_by_label("Subject").fill("x" * 151)
    form.get_by_role("button", name="Create the issue").click()
    expect(form.locator(".field-problem")).to_have_count(2)
    expect(form.get_by_label("Subject")).to_have_value("x" * 151)
    assert barriers(page) == []
    page.set_viewport_size({"width": NARROWEST, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == NARROWEST
    assert visit.violations == []
