"""Mails and conversations that a model leads, in the console of the deployed stack."""

from __future__ import annotations

import re
import time
from email.message import EmailMessage

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from events.conversations.sample_data import COMPANY as RECRUITERS
from events.whatsapp.sample_data import COMPANY
from local.console.browser import barriers
from local.demo.chapters.email_threads import SCOPES as OF_MAIL
from local.demo.scenarios.recruiting_scenarios import SCOPES, RecruitingDemo, start_functions
from local.mail.receipt import Verdicts, deliver, received
from local.stack.seed import operate, recruiting_key
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import (
    HOSTILE,
    PATIENCE_MS,
    Visit,
    few_calls,
    http,
    visit_of,
    with_roles,
)

pytestmark = [pytest.mark.e2e, pytest.mark.long]
MAILBOX = "console@shop.example"
ANSWER = "We open at nine. 🙂"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def subject(deployed: Deployed) -> str:
    """The subject of a mail that has arrived; its text is markup."""
    stack = deployed.stack
    names = ("--company", COMPANY, "--scopes", *OF_MAIL, "--name", "console")
    key = operate(stack, "api-keys", "create", *names)
    registered = http.request(
        "PUT",
        f"{stack.api_url}/email-mailboxes/{MAILBOX}",
        headers={"x-api-key": key},
        json={"display_name": "Shop"},
    )
    assert registered.status < 300, registered.data
    subject = f"<b>Opening hours</b> {time.time_ns()}"
    arrive(deployed, subject, HOSTILE)
    return subject


def arrive(deployed: Deployed, subject: str, text: str) -> None:
    """A mail of the customer arrives."""
    mail = EmailMessage()
    mail["From"] = "Ann <ann@example.org>"
    mail["To"] = MAILBOX
    mail["Subject"] = subject
    mail["Message-ID"] = f"<{time.time_ns()}@example.org>"
    mail.set_content(text)
    deliver(deployed.stack, received(mail.as_bytes(), MAILBOX, Verdicts()), MAILBOX)


def assert_head_is_whole(page: Page, title: str) -> None:
    """In a window of a small laptop the title is readable, and no action is cut."""
    page.set_viewport_size({"width": 1024, "height": 768})
    head = page.locator(".pane-head")
    expect(head.get_by_role("heading")).to_have_text(title)
    widths = page.evaluate(
        """() => {
            const right = document.querySelector('.pane').getBoundingClientRect().right;
            const actions = [...document.querySelectorAll('.pane-actions > *')];
            return {
                title: document.querySelector('.pane-title h2').getBoundingClientRect().width,
                cut: actions.filter((one) => one.getBoundingClientRect().right > right).length,
            };
        }"""
    )
    assert widths["title"] >= 96
    assert widths["cut"] == 0
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_mail_is_answered_by_a_draft_that_its_reviewer_approves(
    visit: Visit, subject: str
) -> None:
    page = visit.page
    visit.sign_in()
    page.get_by_role("link", name="E-mail").click()
    with few_calls(page):
        page.locator(".row", has_text=subject).click()
        expect(page.locator(".mail-text").first).to_contain_text("<script>alert(document.domain)")
    assert_head_is_whole(page, subject)

    page.get_by_role("textbox", name="Write an answer").fill(ANSWER)
    page.get_by_role("button", name="Save draft").click()
    draft = page.locator(".mail-draft", has_text=ANSWER)
    expect(draft).to_have_count(1)
    found = barriers(page)
    draft.get_by_role("button", name="Approve and send").click()

    sent = page.locator(".mail:not(.mail-draft)", has_text=ANSWER)
    expect(sent).to_contain_text(re.compile("Sent|Delivered"))
    assert found == []
    assert visit.dialogs == []
    assert visit.violations == []


def test_a_conversation_is_taken_over_from_the_model_answered_and_handed_back(
    context: BrowserContext, deployed: Deployed
) -> None:
    key = recruiting_key(deployed.stack, *SCOPES)
    start_functions(deployed.stack, key)
    demo = RecruitingDemo(deployed.stack, key, lambda _: None)
    demo.request_conversation("sms")
    demo.wait_until("first sms", lambda found: len(found.messages) == 1)
    recruiter = with_roles(deployed, "rae@example.com", "supervisor", company=RECRUITERS)
    visit = visit_of(context, deployed, recruiter)
    page = visit.page
    visit.sign_in()
    page.get_by_role("link", name="Assistant").click()
    with few_calls(page):
        page.locator(".row").first.click()
        expect(page.get_by_text("The assistant leads this conversation")).to_be_visible()

    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_text("The assistant stopped at")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill(ANSWER)
    expect(page.get_by_text("UCS-2")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("log", name="Messages")).to_contain_text(ANSWER)
    found = barriers(page)
    page.get_by_role("button", name="Hand back").click()

    expect(page.get_by_text("The assistant leads this conversation")).to_be_visible()
    assert found == []
    assert visit.violations == []


def test_two_mails_of_a_customer_are_merged_after_a_look_and_separated_again(
    visit: Visit, deployed: Deployed, subject: str
) -> None:
    second = f"Further question {time.time_ns()}"
    arrive(deployed, second, "And on Sunday?")
    page = visit.page
    visit.sign_in()
    page.get_by_role("link", name="E-mail", exact=True).click()
    page.locator(".row", has_text=second).click()
    expect(page.locator(".mail-text")).to_have_count(1)

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Merge", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=subject).click()
    expect(dialog).to_contain_text(f"All 1 mails of this conversation move to “{subject}”")
    dialog.get_by_role("button", name="Merge", exact=True).click()
    expect(dialog).to_be_hidden()
    page.get_by_role("link", name="E-mail", exact=True).click()
    page.locator(".row", has_text=subject).click()
    expect(page.locator(".mail-text")).to_have_count(2)

    page.get_by_role("button", name="Undo merge 1").click()
    expect(page.locator(".mail-text")).to_have_count(1)
    assert visit.violations == []


def test_a_macro_and_a_canned_reply_are_made_in_the_console_and_used_in_a_thread(
    visit_of_operator: Visit, subject: str
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    name = f"hours-{time.time_ns()}"
    visit.sign_in()
    page.evaluate("location.hash = '#/operations/macros'")
    form = page.get_by_role("form", name="Store a canned reply")
    form.get_by_label("Name").fill(name)
    form.get_by_label("Text").fill(f"{ANSWER} Ask for {{{{who}}}}.")
    form.get_by_role("button", name="Store").click()
    expect(page.get_by_role("row").filter(has_text=name)).to_contain_text("Ask for")
    macro = page.get_by_role("form", name="Store a macro")
    macro.get_by_label("Name").fill(f"close-{name}")
    macro.get_by_label("Canned reply").select_option(name)
    macro.get_by_label("Add labels, separated by commas").fill("opening")
    macro.get_by_role("button", name="Store").click()
    stored = page.get_by_role("row").filter(has_text=f"close-{name}")
    expect(stored).to_contain_text("+opening")
    stored.get_by_role("button", name="Remove").click()
    expect(stored).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(stored).to_contain_text("+opening")

    page.get_by_role("link", name="E-mail", exact=True).click()
    page.locator(".row", has_text=subject).click()
    box = page.get_by_role("textbox", name="Write an answer")
    box.press("/")
    page.locator("[data-command=canned] .choice", has_text=name).click()
    page.get_by_label("Value for who").fill("Ada")
    page.get_by_role("button", name="Insert").click()
    expect(box).to_have_value(f"{ANSWER} Ask for Ada.")
    box.fill("")
    page.get_by_role("button", name="Macros").click()
    page.locator(".choice", has_text=f"close-{name}").click()
    page.get_by_label("Value for who").fill("Kim")
    expect(page.locator(".picker-preview")).to_have_text(f"{ANSWER} Ask for Kim.")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".mail-draft", has_text="Ask for Kim.")).to_have_count(1)
    # Not the option of the list's filter, which is hidden.
    expect(page.locator(":not(option)", has_text="opening").last).to_be_visible()
    assert visit.violations == []
