"""The console as a tool for all day: find from everywhere, act with keys, undo, be told. In a browser."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from tests.e2e.console.conftest import PATIENCE_MS, Visit
from tests.e2e.console.test_console import POLLS_EVERY_MS
from tests.e2e.webhooks import write

pytestmark = [pytest.mark.e2e, pytest.mark.long]
# Headless browsers show no notifications and keep the focus: a page that is not looked at notes what it would show.
TOLD = """
window.told = [];
document.hasFocus = () => false;
window.Notification = class {
  static permission = "granted";
  static async requestPermission() { return "granted"; }
  constructor(title, options) { window.told.push([title, options]); }
  close() {}
};
"""


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def shown_number(customer: Customer) -> str:
    """The customer's number as the console shows it."""
    digits = customer.wa_id
    return f"+{digits[:2]} {digits[2:5]} {digits[5:8]} {digits[8:]}"


def test_a_search_and_filters_stand_in_the_address_and_survive_reload_and_back(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    page, row = visit.page, visit.page.locator(".row", has_text=customer.name)
    search = page.get_by_role("searchbox", name="Search")

    search.fill(shown_number(customer))
    expect(row).to_have_count(1)
    expect(page).to_have_url(re.compile(r"[?&]q="))
    page.get_by_role("group", name="Filter").get_by_role("button", name="Archived").click()
    expect(row).to_have_count(0)
    expect(page).to_have_url(re.compile("status=archived"))
    page.go_back()
    expect(row).to_have_count(1)
    page.go_back()
    expect(search).to_have_value("")
    page.go_forward()
    expect(row).to_have_count(1)
    expect(row).to_contain_text(re.compile("Open|Snoozed|Resolved"))
    visit.open(customer)
    visit.reload()
    page.get_by_role("log", name="Messages").wait_for()
    expect(search).to_have_value(shown_number(customer))
    expect(row).to_have_count(1)


def test_ctrl_k_finds_a_person_by_the_national_number_an_action_and_a_setting(
    visit_of_operator: Visit, customer: Customer
) -> None:
    visit_of_operator.sign_in()
    page = visit_of_operator.page
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Review").click()

    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="People, conversations, actions, settings")
    expect(box).to_be_focused()
    box.fill("0" + customer.wa_id[2:])
    found = page.get_by_role("option", name=customer.name)
    expect(found.filter(has_text="Person")).to_be_visible()
    expect(found.first).to_contain_text("Open")
    assert barriers(page) == []
    box.press("Enter")
    page.get_by_role("log", name="Messages").wait_for()
    expect(page.get_by_role("heading", level=2, name=customer.name)).to_be_visible()

    page.keyboard.press("Control+k")
    box.fill("write a note")
    box.press("Enter")
    expect(page.get_by_role("textbox", name="New note")).to_be_focused()

    page.keyboard.press("Control+k")
    box.fill("switches")
    box.press("Enter")
    expect(page).to_have_url(re.compile("operations/switches"))
    page.keyboard.press("Control+k")
    box.press("Escape")
    expect(box).to_be_hidden()


def test_a_conversation_is_handled_with_keys_and_each_action_is_undone(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    facts = page.get_by_role("complementary", name="Details")
    undone = page.get_by_text("Undone", exact=True).first

    def press(key: str) -> None:
        """Press a key outside of all fields: at once, as an update of the page may give the focus to a field again."""
        page.evaluate(
            """key => {
                document.activeElement.blur();  // the row may have left the list
                document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
            }""",
            key,
        )

    press("r")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.press("/")
    canned = page.locator("[data-command=canned] .panel")
    expect(canned).to_be_visible()
    page.keyboard.press("Escape")
    expect(canned).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    page.locator(".row[aria-current]").focus()
    page.keyboard.press("n")
    expect(page.get_by_role("textbox", name="New note")).to_be_focused()
    press("a")
    facts.locator(".choice").first.focus()
    page.keyboard.press("Enter")
    page.locator(".toast", has_text="Assign").wait_for()
    press("z")
    undone.wait_for()

    press("l")
    expect(facts.get_by_role("textbox", name="Add a label")).to_be_focused()
    page.keyboard.type("by key")
    expect(facts.get_by_role("textbox", name="Add a label")).to_have_value("by key")
    page.keyboard.press("Enter")
    expect(facts.get_by_text("by key", exact=True)).to_be_visible()
    page.get_by_text("Label by key added").wait_for()
    press("z")
    expect(facts.get_by_text("by key", exact=True)).to_have_count(0)

    press("s")
    page.locator("[data-command=snooze] .choice").first.focus()
    page.keyboard.press("Enter")
    expect(facts).to_contain_text("Snoozed until")
    press("z")
    expect(facts).not_to_contain_text("Snoozed until")

    page.get_by_role("button", name="Resolve", exact=True).wait_for()
    press("e")
    page.get_by_role("button", name="Reopen").focus()
    page.keyboard.press("z")  # The resolved conversation leaves the list.
    expect(page.get_by_role("button", name="Resolve", exact=True)).to_be_visible()
    assert page.evaluate("document.activeElement !== document.body")


def test_the_keys_are_listed_and_can_be_turned_off(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page

    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(listed).to_contain_text("Next unread conversation")
    assert barriers(page) == []
    listed.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    expect(listed).to_have_count(0)
    page.keyboard.press("?")
    page.keyboard.press("r")
    expect(listed).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).not_to_be_focused()


def test_the_first_tab_stop_skips_to_the_content_and_sent_text_leaves_the_focus_in_the_composer(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page, box = visit.page, visit.page.get_by_role("textbox", name="Message")

    page.get_by_role("link", name="Skip to the content").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    box.fill("sent with the button")
    page.get_by_role("button", name="Send").focus()
    page.keyboard.press("Enter")
    expect(box).to_have_value("")
    expect(box).to_be_focused()


def test_a_lost_network_is_shown_before_the_next_poll(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()

    page.context.set_offline(True)
    page.get_by_text("Offline", exact=True).wait_for(timeout=POLLS_EVERY_MS / 2)
    page.context.set_offline(False)
    page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()


class Silence:
    """Between a page and the network: from *begin* to *end* all packets vanish, and no connection ends."""

    def __init__(self, page: Page) -> None:
        self.is_on = False
        self._held: list[Route] = []
        page.route("**/*", self._request)
        page.route_web_socket("**/*", self._connection)

    def begin(self) -> None:
        self.is_on = True

    def end(self) -> None:
        self.is_on = False
        while self._held:  # as packets that are sent again
            self._held.pop().continue_()

    def _request(self, route: Route) -> None:
        if self.is_on:
            self._held.append(route)
        else:
            route.continue_()

    def _connection(self, page_end: WebSocketRoute) -> None:
        server_end = page_end.connect_to_server()
        page_end.on_message(lambda text: None if self.is_on else server_end.send(text))
        server_end.on_message(lambda text: None if self.is_on else page_end.send(text))


def test_packets_that_vanish_without_an_event_are_a_lost_network_until_they_arrive_again(
    visit: Visit, customer: Customer
) -> None:
    page = visit.page
    silence = Silence(page)
    visit.sign_in()
    visit.open(customer)
    sign = page.locator(".live")
    expect(sign).to_have_text("Live")

    silence.begin()
    expect(sign).to_have_text("Offline")
    assert page.evaluate("navigator.onLine")

    silence.end()
    expect(sign).to_have_text("Live")
    assert visit.violations == []


def test_a_new_message_is_told_in_the_title_and_by_a_notification_without_its_text(
    visit: Visit, customer: Customer
) -> None:
    page = visit.page
    page.add_init_script(TOLD)
    visit.sign_in()
    page.locator(".row").first.wait_for()
    page.get_by_role("button", name=re.compile("^Account")).click()
    page.get_by_role("combobox", name="Notifications of this browser").select_option("all")
    page.keyboard.press("Escape")
    page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()

    text = f"a new message {time.time_ns()}"
    write(visit.stack, customer, text)
    expect(page).to_have_title(re.compile(r"^\(\d+\+?\) Parley$"))
    # The page's policy forbids functions from texts, which `wait_for_function` needs.
    deadline = time.monotonic() + PATIENCE_MS / 1_000
    while customer.name not in (told := page.evaluate("JSON.stringify(window.told)")):
        assert time.monotonic() < deadline, "no notification"
        page.wait_for_timeout(200)
    assert text not in told
