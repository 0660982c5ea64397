"""A browser at the console of the deployed stack, a person who may sign in, and a customer whose texts are markup."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest
import urllib3
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    expect,
    sync_playwright,
)

from events.whatsapp.sample_data import COMPANY, Customer
from local.console import browser as browsers
from local.stack.cli import Stack
from tests.e2e import webhooks
from tests.e2e.conftest import Deployed
from tests.suites import keyboard

PASSWORD = "Sample-password-of-the-tests-1"
MARKUP = "<img src=x onerror=alert(1)>"
HOSTILE = f"{MARKUP}<script>alert(document.domain)</script> \u202e javascript:alert(2) {{{{7*7}}}}"
# Longer than cold starts on a busy machine, and than the minute after which a page looks again if a hint was lost.
PATIENCE_MS = 150_000
OF_A_CONVERSATION = r"/(whatsapp|conversations|email-threads|opt-outs|contacts)/|[?&]q="
CLICKED_MS, CLICKS = 10_000, 4
http = urllib3.PoolManager(retries=False, timeout=180)
keyboard.install()


@dataclass
class Visit:
    """A page of the console, and what must not happen on it."""

    page: Page
    stack: Stack
    email: str
    password: str = PASSWORD
    dialogs: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def sign_in(self) -> None:
        """Open the console and sign in on the pages of the login provider."""
        self.page.goto(self.stack.console_url)
        self.page.get_by_role("button", name="Sign in").click()
        self.log_in()

    def log_in(self) -> None:
        """Fill in the form of the login provider, and return to the console."""
        self.page.locator("input[name=username]").fill(self.email)
        self.page.locator("input[name=password]").fill(self.password)
        self.page.locator("[type=submit]").first.click()
        self.page.locator("nav.rail").wait_for()

    def reload(self) -> None:
        """Load the page again; the login pages may ask for the password."""
        self.page.reload()
        self.come_back()

    def come_back(self) -> None:
        """Wait for the console, over the login pages, which may ask for the password."""
        form, sections = self.page.locator("input[name=username]"), self.page.locator("nav.rail")
        form.or_(sections).first.wait_for()
        if form.is_visible():
            self.log_in()

    def open(self, customer: Customer) -> None:
        """Open the conversation of a customer from the list, as a person does whose click misses a row that moves."""
        row = self.page.locator(".row", has_text=customer.name).first
        place = str(row.get_attribute("href")).partition("?")[0]
        for _ in range(CLICKS):
            row.click()
            with suppress(AssertionError):
                expect(self.page).to_have_url(re.compile(re.escape(place)), timeout=CLICKED_MS)
                break
        self.page.get_by_role("log", name="Messages").wait_for()


def with_roles(deployed: Deployed, email: str, *roles: str, company: str = COMPANY) -> str:
    """Create a person who may sign in, unless there is one. Returns the e-mail address."""
    cognito = deployed.stack.client("cognito-idp")
    pool = deployed.stack.user_pool_id
    with suppress(cognito.exceptions.UsernameExistsException):
        cognito.admin_create_user(
            UserPoolId=pool,
            Username=email,
            MessageAction="SUPPRESS",
            UserAttributes=[
                {"Name": "email", "Value": email},
                {"Name": "email_verified", "Value": "true"},
            ],
        )
    cognito.admin_set_user_password(
        UserPoolId=pool, Username=email, Password=PASSWORD, Permanent=True
    )
    for role in roles:
        group = f"{company}:{role}"
        with suppress(cognito.exceptions.GroupExistsException):
            cognito.create_group(UserPoolId=pool, GroupName=group)
        cognito.admin_add_user_to_group(UserPoolId=pool, Username=email, GroupName=group)
    return email


@pytest.fixture(scope="session")
def person(deployed: Deployed) -> str:
    """A supervisor of the demo company, by e-mail address."""
    return with_roles(deployed, "lena@example.com", "supervisor")


@pytest.fixture(scope="session")
def stranger(deployed: Deployed) -> str:
    """A supervisor of another company, by e-mail address."""
    return with_roles(deployed, "gus@example.com", "supervisor", company="globex")


@pytest.fixture(scope="session")
def operator(deployed: Deployed) -> str:
    """An operator who is an administrator of the demo company too, by e-mail address."""
    return with_roles(deployed, "otto@example.com", "admin", "operator")


@pytest.fixture(scope="session")
def customer(deployed: Deployed) -> Customer:
    """A customer whose name and message are markup; the message has just arrived."""
    now = int(time.time())
    sender = Customer(f"{MARKUP} {now}", wa_id=f"447700{now % 1_000_000:06}")
    webhooks.write(deployed.stack, sender, f"{HOSTILE} {now}")
    return sender


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = browsers.launched(playwright, browsers.executable())
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(locale="en-GB", viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context


@pytest.fixture
def visit(context: BrowserContext, deployed: Deployed, person: str) -> Visit:
    return visit_of(context, deployed, person)


@pytest.fixture
def visit_of_operator(context: BrowserContext, deployed: Deployed, operator: str) -> Visit:
    return visit_of(context, deployed, operator)


@pytest.fixture
def visit_of_stranger(context: BrowserContext, deployed: Deployed, stranger: str) -> Visit:
    return visit_of(context, deployed, stranger)


@contextmanager
def few_calls(page: Page) -> Iterator[None]:
    """
    A conversation is opened with at most three calls, beside those of the list, its views and live updates, which every
    page makes. A refresh repeats a call.
    """
    called: set[tuple[str, str]] = set()

    def note(request: Request) -> None:
        if re.search(OF_A_CONVERSATION, request.url):
            called.add((request.method, request.url))

    page.on("request", note)
    yield
    page.get_by_role("complementary", name="Details").locator(".others, .quiet").last.wait_for()
    page.remove_listener("request", note)
    assert called
    assert len(called) <= 3, called


def visit_of(context: BrowserContext, deployed: Deployed, email: str) -> Visit:
    """Return a new page of a person who has not signed in yet."""
    found = Visit(context.new_page(), deployed.stack, email)

    def note_dialog(dialog: Dialog) -> None:
        found.dialogs.append(dialog.message)
        dialog.dismiss()

    def note_message(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            found.violations.append(message.text)

    found.page.on("dialog", note_dialog)
    found.page.on("console", note_message)
    return found
