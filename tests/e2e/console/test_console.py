"""The console of the deployed stack, used with a browser as a person does."""

from __future__ import annotations

import json
import re
import time
from typing import Any
from urllib.parse import unquote, urljoin

import pytest
from playwright.sync_api import BrowserContext, Route, WebSocketRoute, expect

from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from local.stack.seed import NAMES, TEAM
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import HOSTILE, PATIENCE_MS, Visit, http
from tests.e2e.console.inbox.test_live import opened
from tests.e2e.webhooks import write

pytestmark = pytest.mark.e2e
MOST_BYTES_OF_THE_FIRST_LOAD = 80_000
POLLS_EVERY_MS = 60_000  # with a connection for live updates
ANSWER = "Bring it by before six, we will have a look. 🔧"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def test_the_first_load_is_small(deployed: Deployed) -> None:
    """The page with everything that it names, compressed as a browser gets it."""

    def load(address: str) -> tuple[int, str]:
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip"}
        answer = http.request(
            "GET", address, headers=headers, preload_content=False, decode_content=False
        )
        raw = answer.read(decode_content=False)
        assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip"), address
        return len(raw), answer.headers["Cache-Control"]

    page = http.request("GET", deployed.stack.console_url, headers={"Accept": "text/html"})
    named = re.findall(r'(?:src|href)="(\./[^"]+)"', page.data.decode())
    base = f"{deployed.stack.api_url}/"
    loads = [load(urljoin(base, name)) for name in named]

    assert len([name for name in named if name.endswith(".js")]) >= 1
    assert {caching for _, caching in loads} == {"public, max-age=31536000, immutable"}
    size = load(deployed.stack.console_url)[0] + sum(length for length, _ in loads)
    assert size <= MOST_BYTES_OF_THE_FIRST_LOAD


def test_a_person_signs_in_reads_and_answers(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    log = page.get_by_role("log", name="Messages")

    # The customer's markup is text: there is no picture, no script ran, and no dialog opened.
    expect(log).to_contain_text(HOSTILE)
    expect(page.get_by_role("heading", level=2, name=customer.name)).to_be_visible()
    assert page.locator("img").count() == 0

    page.get_by_role("textbox", name="Message").fill(ANSWER)
    page.get_by_role("button", name="Send").click()
    sent = log.locator(".message-out", has_text=ANSWER)
    expect(sent).to_have_count(1)
    sign = sent.get_by_role("button", name=re.compile("Sent|Delivered|Read"))
    sign.click()
    expect(sent.locator(".delivery-time").first).to_have_text(re.compile(r"Sent \d\d:\d\d"))
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    assert visit.dialogs == []
    assert visit.violations == []


def test_changes_and_colleagues_appear_at_once(
    visit: Visit, customer: Customer, deployed: Deployed
) -> None:
    """While the connection is open the page polls once a minute: what appears earlier came by a hint."""
    visit.sign_in()
    visit.page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()
    visit.open(customer)
    page = visit.page
    key = page.url.rpartition("/")[2]

    with opened(deployed) as colleague:
        typing = {"context": "whatsapp", "key": unquote(key)}
        colleague.send(json.dumps({"typing": typing}))
        expect(page.get_by_text("Software is typing")).to_be_visible()
    page.get_by_role("link", name="Inbox").click()
    visit.open(customer)
    text = f"a further message {time.time_ns()}"
    write(deployed.stack, customer, text)
    log = page.get_by_role("log", name="Messages")
    expect(log).to_contain_text(text, timeout=POLLS_EVERY_MS - 10_000)
    assert visit.violations == []


def test_a_lost_connection_is_shown_and_opened_again(visit: Visit, customer: Customer) -> None:
    sockets: list[WebSocketRoute] = []

    def through(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    visit.page.route_web_socket(re.compile("execute-api"), through)
    visit.sign_in()
    visit.page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()

    sockets[0].close()

    visit.page.get_by_text("Reconnecting", exact=True).wait_for()
    visit.page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()
    assert len(sockets) == 2


def test_a_conversation_is_taken_labelled_noted_snoozed_and_resolved(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    facts = page.get_by_role("complementary", name="Details")

    page.get_by_role("button", name="Assign to me").click()
    expect(facts).to_contain_text("You")
    page.get_by_role("textbox", name="Add a label").fill("repair")
    page.get_by_role("textbox", name="Add a label").press("Enter")
    expect(facts.get_by_text("repair", exact=True)).to_be_visible()
    row = page.locator(".row", has_text=customer.name)
    page.get_by_role("combobox", name="Label").select_option("repair")
    expect(row).to_have_count(1)
    page.get_by_role("combobox", name="Channel").select_option("SMS")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    page.get_by_role("combobox", name="Channel").select_option("All channels")
    page.get_by_role("combobox", name="Label").select_option("All labels")
    page.get_by_role("textbox", name="New note").fill("Promised for Friday")
    page.get_by_role("button", name="Add note").click()
    expect(page.get_by_role("log", name="Messages")).to_contain_text("Promised for Friday")

    page.get_by_role("button", name="Snooze", exact=True).click()
    page.get_by_label("At another time").fill("2020-01-01T10:00")
    page.locator(".snooze-time").get_by_role("button", name="Snooze").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a time in the future")
    in_a_week = time.strftime("%Y-%m-%dT10:00", time.localtime(time.time() + 7 * 86_400))
    page.get_by_label("At another time").fill(in_a_week)
    page.locator(".snooze-time").get_by_role("button", name="Snooze").click()
    expect(facts).to_contain_text("Snoozed until")
    page.get_by_role("button", name="End snooze").click()
    expect(page.get_by_role("button", name="Snooze", exact=True)).to_be_visible()

    page.get_by_role("button", name="Resolve", exact=True).click()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    page.get_by_role("button", name="Reopen").click()
    expect(page.get_by_role("button", name="Resolve", exact=True)).to_be_visible()


def test_a_conversation_is_assigned_to_a_team_and_then_to_a_colleague_by_name(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    facts = page.get_by_role("complementary", name="Details")
    row = page.locator(".row", has_text=customer.name)

    facts.get_by_role("button", name="Assign", exact=True).click()
    facts.get_by_role("button", name=f"Team {TEAM}").click()
    expect(facts).to_contain_text(f"Team {TEAM}")
    expect(row).to_contain_text(f"Team {TEAM}")
    page.get_by_role("combobox", name="Assigned to").select_option(label=f"Team {TEAM}")
    expect(row).to_have_count(1)

    colleague = NAMES["agent@acme.example"]
    facts.get_by_role("button", name="Assign", exact=True).click()
    facts.get_by_role("button", name=colleague).click()
    expect(facts).to_contain_text(colleague)
    expect(row).to_have_count(0)


def test_a_mention_is_highlighted_and_markup_in_a_note_is_text(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page

    page.get_by_role("textbox", name="New note").fill("@lena look: <b>bold</b>")
    page.get_by_role("button", name="Add note").click()

    log = page.get_by_role("log", name="Messages")
    expect(log.locator("mark", has_text="@lena")).to_have_text("@lena")
    expect(log).to_contain_text("<b>bold</b>")


def test_what_waits_for_review_is_a_section(visit: Visit, customer: Customer) -> None:
    visit.sign_in()
    page = visit.page
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Review").click()

    expect(page.get_by_role("region", name="Waits for review")).to_be_visible()
    page.get_by_role("button", name="First messages").click()
    expect(page.get_by_role("button", name="First messages")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert visit.violations == []


def test_a_text_that_is_not_sent_outlives_the_end_of_a_session(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    page.get_by_role("textbox", name="Message").fill("half a sentence")

    def refuse(route: Route) -> None:
        body = {"error": {"code": "unauthenticated", "message": "", "retryable": False}}
        route.fulfill(status=401, body=json.dumps(body), content_type="application/json")

    page.route("**/whatsapp/conversations/**", refuse)
    write(visit.stack, customer, "which makes the page load the conversation again")
    page.get_by_role("alertdialog", name="Your session has ended").wait_for()
    page.unroute("**/whatsapp/conversations/**")
    page.get_by_role("button", name="Sign in").click()
    visit.log_in()

    expect(page.get_by_role("textbox", name="Message")).to_have_value("half a sentence")
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "half a sentence" in kept
    assert "eyJ" not in kept  # no token


def test_a_person_of_another_company_does_not_see_the_conversation(
    visit_of_stranger: Visit, customer: Customer, deployed: Deployed
) -> None:
    """The address of a conversation is no permission."""
    listed = http.request(
        "GET",
        f"{deployed.stack.api_url}/inbox",
        fields={"q": customer.wa_id},
        headers={"x-api-key": deployed.api_key},
    ).json()["result"]["conversations"]
    visit, page = visit_of_stranger, visit_of_stranger.page
    visit.sign_in()
    expect(page.locator(".row")).to_have_count(0)

    page.goto(f"{visit.stack.console_url}#/all/whatsapp/{listed[0]['key']}")

    expect(page.get_by_role("alert")).to_contain_text("belongs to another company")
    expect(page.locator("body")).not_to_contain_text("alert(document.domain)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_barrier(visit: Visit, customer: Customer, scheme: Any) -> None:
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.goto(visit.stack.console_url)
    visit.page.get_by_role("button", name="Sign in").wait_for()
    found = {"sign in": barriers(visit.page)}
    visit.sign_in()
    visit.page.locator(".row").first.wait_for()
    found["inbox"] = barriers(visit.page)
    visit.open(customer)
    found["conversation"] = barriers(visit.page)

    assert found == {"sign in": [], "inbox": [], "conversation": []}


def test_on_a_phone_one_pane_is_shown(
    visit: Visit, customer: Customer, context: BrowserContext
) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.sign_in()
    page = visit.page
    visit.open(customer)

    expect(page.get_by_role("region", name="Conversations")).to_be_hidden()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == 390
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_role("region", name="Conversations")).to_be_visible()
