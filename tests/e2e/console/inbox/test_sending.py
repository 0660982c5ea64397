"""What a person sends in the console: shown at once, kept over pages and failures. In a browser."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest
import urllib3
from playwright.sync_api import FilePayload, Route, expect

from events.whatsapp.sample_data import COMPANY, Customer
from local.stack.seed import operate
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import PATIENCE_MS, Visit

pytestmark = [pytest.mark.e2e, pytest.mark.long]
http = urllib3.PoolManager(retries=False, timeout=60)
MESSAGES = "**/whatsapp/conversations/*/messages*"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


@dataclass
class SlowNetwork:
    """Keeps the sends of a page waiting until they are let through."""

    waiting: list[Route] = field(default_factory=list)
    is_slow: bool = True

    def take(self, route: Route) -> None:
        """Keep a send; other calls pass."""
        if self.is_slow and route.request.method == "POST":
            self.waiting.append(route)
        else:
            route.fallback()

    def recover(self) -> None:
        """Let all sends through, those that wait first."""
        self.is_slow = False
        for route in self.waiting:
            route.continue_()


def slow_network(visit: Visit) -> SlowNetwork:
    """Slow the network of the page down."""
    network = SlowNetwork()
    visit.page.route(MESSAGES, network.take)
    return network


def sending_key(deployed: Deployed) -> str:
    """Return a key of the company's software that may send."""
    scopes = ("--scopes", "whatsapp:send", "--name", "sender")
    return operate(deployed.stack, "api-keys", "create", "--company", COMPANY, *scopes)


def test_messages_on_a_slow_network_are_shown_at_once_and_sent_in_order(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page, box = visit.page, visit.page.get_by_role("textbox", name="Message")
    network = slow_network(visit)
    first, second = f"first {time.time_ns()}", f"second {time.time_ns()}"

    with page.expect_request(lambda request: request.method == "POST"):
        box.fill(first)
        box.press("Enter")
    expect(box).to_have_value("")
    box.fill(second)
    box.press("Enter")

    expect(page.locator("[data-unsent=sending]")).to_contain_text(first)
    expect(page.locator("[data-unsent=waiting]")).to_contain_text(second)
    assert len(network.waiting) == 1
    network.recover()
    expect(page.locator("[data-unsent]")).to_have_count(0)
    log = page.get_by_role("log", name="Messages")
    expect(log.locator(".message-out", has_text=first)).to_have_count(1)
    expect(log.locator(".message-out", has_text=second)).to_have_count(1)


def test_what_is_typed_while_a_text_is_sent_stays(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    visit.open(customer)
    page, network = visit.page, slow_network(visit)
    box = page.get_by_role("textbox", name="Message")
    box.fill("The first sentence.")
    with page.expect_request(lambda request: request.method == "POST"):
        page.get_by_role("button", name="Send", exact=True).click()
    box.press_sequentially("The second one.")
    network.recover()

    expect(box).to_have_value("The second one.")


def test_an_answer_of_another_author_is_shown_before_a_text_goes_out(
    visit: Visit, customer: Customer, deployed: Deployed
) -> None:
    visit.sign_in()
    visit.open(customer)
    page, box = visit.page, visit.page.get_by_role("textbox", name="Message")
    mine, other = f"mine {time.time_ns()}", f"of another author {time.time_ns()}"
    box.fill(mine)

    key = page.url.partition("?")[0].rpartition("/")[2]
    answer = http.request(
        "POST",
        f"{deployed.stack.api_url}/whatsapp/conversations/{key}/messages",
        json={"text": other},
        headers={"x-api-key": sending_key(deployed), "Idempotency-Key": f"other-{time.time_ns()}"},
    )
    assert answer.status in {200, 202}, answer.data
    expect(page.get_by_role("log", name="Messages")).to_contain_text(other)
    box.press("Enter")

    stopped = page.locator("[data-unsent=failed]", has_text=mine)
    expect(stopped.get_by_role("alert")).to_contain_text("answered while you were writing")
    expect(stopped.get_by_role("alert")).to_contain_text(other)
    stopped.get_by_role("button", name="Edit").click()
    expect(box).to_have_value(mine)
    box.press("Enter")
    expect(page.locator("[data-unsent]")).to_have_count(0)
    sent = page.get_by_role("log", name="Messages").locator(".message-out", has_text=mine)
    expect(sent).to_have_count(1)


def test_a_file_and_its_text_survive_other_pages_and_a_reload(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    quote = FilePayload(name="quote.txt", mimeType="text/plain", buffer=b"100 EUR")
    page.locator(".composer input[type=file]").set_input_files(files=[quote])
    page.get_by_role("textbox", name="Message").fill("Here is the quote")
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Review").click()
    page.get_by_role("link", name="Inbox").click()
    visit.open(customer)

    attached = page.locator(".attached", has_text="quote.txt")
    expect(attached).to_contain_text("Ready to send")
    visit.reload()
    expect(attached).to_contain_text("Ready to send")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Here is the quote")
    attached.get_by_role("button", name="Remove the file").click()
    expect(attached).to_have_count(0)


def test_a_lost_answer_does_not_send_a_text_twice(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    text, box = f"sent once {time.time_ns()}", page.get_by_role("textbox", name="Message")

    def lose(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
            route.abort()
        else:
            route.fallback()

    page.route(MESSAGES, lose)
    box.fill(text)
    page.get_by_role("button", name="Send", exact=True).click()
    failed = page.locator("[data-unsent=failed]", has_text=text)
    expect(failed).to_contain_text("does not send it twice")
    expect(failed.get_by_role("button", name="Edit")).to_have_count(0)
    page.unroute(MESSAGES)
    failed.get_by_role("button", name="Send again").click()
    expect(page.locator("[data-unsent]")).to_have_count(0)
    page.get_by_role("link", name="Inbox").click()
    visit.open(customer)

    sent = page.get_by_role("log", name="Messages").locator(".message-out", has_text=text)
    expect(sent).to_have_count(1)


def test_a_refused_file_leaves_the_text_as_it_is(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    page.get_by_role("textbox", name="Message").fill("Here is the quote")

    empty = FilePayload(name="quote.txt", mimeType="text/plain", buffer=b"")
    page.locator(".composer input[type=file]").set_input_files(files=[empty])

    expect(page.get_by_role("alert")).to_contain_text("The file is empty")
    expect(page.get_by_role("alert")).to_contain_text("documents up to 100 MB")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Here is the quote")
