"""Notifications and mentions, with a browser at the deployed stack."""

from __future__ import annotations

import json
import re
import time
from typing import Any
from urllib.parse import quote, unquote
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, expect

from console.store.notification_states import NotificationState
from events.whatsapp.sample_data import COMPANY, Customer
from local.demo.scenarios.shop_software import key_of
from local.stack.seed import NAMES
from shared.aws.dynamodb import Table
from shared.inbox.items import pk
from tests.e2e.conftest import Deployed
from tests.e2e.console.colleagues import notified
from tests.e2e.console.conftest import PATIENCE_MS, Visit, http, visit_of, with_roles

pytestmark = [pytest.mark.e2e, pytest.mark.long]
RUNS = 60  # of the schedule, until the feed has brought the notification


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def test_a_mention_notifies_a_person_who_opens_the_conversation_from_the_list(
    visit: Visit, customer: Customer, deployed: Deployed, person: str
) -> None:
    visit.sign_in()
    page = visit.page
    page.get_by_role("navigation", name="Sections").get_by_text("Live", exact=True).wait_for()
    visit.open(customer)
    key = unquote(page.url.rpartition("/")[2].partition("?")[0])
    page.get_by_role("link", name="Inbox").click()

    mention(deployed, key, subject_of(deployed, person))

    row = notified(visit, customer.name).first
    expect(row).to_contain_text("mentioned you in a note")
    row.click()
    page.get_by_role("log", name="Messages").wait_for()
    page.get_by_role("button", name=re.compile("^Notifications")).click()
    expect(page.locator(".notification", has_text=customer.name).first).to_be_visible()
    expect(page.locator(".notification-unread", has_text=customer.name)).to_have_count(0)
    assert visit.violations == []


def test_an_at_sign_in_a_note_suggests_colleagues(visit: Visit, customer: Customer) -> None:
    colleague = NAMES["agent@acme.example"]
    visit.sign_in()
    visit.open(customer)
    page = visit.page
    note = page.get_by_role("textbox", name="New note")

    expect(note).to_have_attribute("aria-autocomplete", "list")  # loaded after the page
    note.press_sequentially(f"ask @{colleague[:3].lower()}")
    offered = page.get_by_role("listbox", name="People and teams")
    expect(offered.get_by_role("option", name=colleague)).to_have_attribute("aria-selected", "true")
    note.press("Enter")
    expect(note).to_have_value(f"ask @{colleague} ")
    page.get_by_role("button", name="Add note").click()

    mark = page.get_by_role("log", name="Messages").locator("mark", has_text=colleague)
    expect(mark.first).to_have_text(f"@{colleague}")


def test_an_absent_person_gets_a_mail_in_their_language_with_numbers_and_a_link(
    chromium: Browser, deployed: Deployed, customer: Customer
) -> None:
    stack = deployed.stack
    email = with_roles(deployed, f"dora-{time.time_ns()}@example.com", "agent")
    with chromium.new_context(locale="de-DE") as context:
        context.set_default_timeout(PATIENCE_MS)
        visit = visit_of(context, deployed, email)
        page = visit.page
        page.goto(stack.console_url)
        page.get_by_role("button", name="Anmelden").click()
        visit.log_in()
        page.locator(".row", has_text=customer.name).first.click()
        page.get_by_role("log").wait_for()
        key = unquote(page.url.rpartition("/")[2].partition("?")[0])
        page.get_by_role("button", name=re.compile("^Benachrichtigungen")).click()
        page.get_by_role("button", name="Einstellungen der Benachrichtigungen").click()
        wanted = page.get_by_label("E-Mail, wenn ich abwesend bin")
        wanted.select_option("Höchstens alle vier Stunden")
        with page.expect_response(re.compile("/notifications/settings$")) as stored:
            page.get_by_role("button", name="Speichern", exact=True).click()
        assert stored.value.ok
        assert visit.violations == []
    mention(deployed, key, subject_of(deployed, email))

    mail = mail_after_the_interval(deployed, email)

    assert mail["FromEmailAddress"].endswith("<no-reply@parley.example>")
    shown = mail["Content"]["Simple"]
    assert shown["Subject"]["Data"] == "Ungelesene Benachrichtigungen: 1"
    assert {"Name": "Auto-Submitted", "Value": "auto-generated"} in shown["Headers"]
    text, html = (shown["Body"][part]["Data"] for part in ("Text", "Html"))
    assert "- In einer Notiz erwähnt: 1" in text
    # The address that the deployment has on AWS.
    assert re.search(r'href="https://[^"]+/local/console"[^>]*>Posteingang öffnen</a>', html)
    assert customer.name not in text


def subject_of(deployed: Deployed, email: str) -> str:
    """Return the id of a person in the user pool."""
    cognito = deployed.stack.client("cognito-idp")
    found = cognito.admin_get_user(UserPoolId=deployed.stack.user_pool_id, Username=email)
    return str(next(one["Value"] for one in found["UserAttributes"] if one["Name"] == "sub"))


def mention(deployed: Deployed, key: str, subject: str) -> None:
    """Software mentions a person in a note of a conversation."""
    answer = http.request(
        "POST",
        f"{deployed.stack.api_url}/whatsapp/conversations/{quote(key, safe='')}/notes",
        json={"text": f"<@user:{subject}>: see above"},
        headers={
            "x-api-key": key_of(deployed.stack, "whatsapp:write"),
            "Idempotency-Key": str(uuid4()),
        },
    )
    assert answer.status in {200, 201}, answer.data


def mail_after_the_interval(deployed: Deployed, email: str) -> dict[str, Any]:
    """Let four hours pass for a person, again until the notification is there and the page is gone; return the mail."""
    stack = deployed.stack
    state = pk(NotificationState.key(COMPANY, f"user:{subject_of(deployed, email)}"))
    inbox = Table(stack.client("dynamodb"), stack.tables["inbox"])
    for _ in range(RUNS):
        inbox.update(state, put=NotificationState.named(activity="2026-01-01T00:00:00.000Z"))
        stack.client("lambda").invoke(FunctionName="parley-local-inbox-api", Payload=b"{}")
        sent = json.loads(http.request("GET", f"{stack.sandbox_url}/_sent?provider=ses").data)
        for one in sent:
            mail: dict[str, Any] = one["body"]
            if one["operation"] == "SendEmail" and mail["Destination"]["ToAddresses"] == [email]:
                return mail
        time.sleep(1)
    raise AssertionError("no mail was sent")


# A browser without windows shows no notifications, and its push service is outside of this machine: what it knows of
# its permission and its subscription is held here instead.
SUBSCRIPTION = """
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    Notification.requestPermission = async () => "granted";
    const text = (key) => atob(key.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = (key) => Uint8Array.from(text(key), (one) => one.charCodeAt(0));
    const made = (key) => ({
        endpoint: "https://fcm.googleapis.com/fcm/send/e2e",
        options: { applicationServerKey: bytes(key).buffer },
        unsubscribe: async () => localStorage.removeItem("e2e:key"),
    });
    PushManager.prototype.getSubscription = async () => {
        const key = localStorage.getItem("e2e:key");
        return key && made(key);
    };
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
        localStorage.setItem("e2e:key", applicationServerKey);
        return made(applicationServerKey);
    };
"""


def test_a_push_shows_that_something_waits_while_no_page_is_open(visit: Visit) -> None:
    context = visit.page.context
    context.add_init_script(SUBSCRIPTION)
    visit.sign_in()
    page = visit.page
    page.get_by_role("button", name=re.compile("^Notifications")).click()
    page.get_by_role("button", name="Settings of notifications").click()
    wanted = page.get_by_role("checkbox", name=re.compile("^Also when no page of Parley is open"))
    with page.expect_response(
        lambda one: one.url.endswith("/notifications/push") and one.request.method == "POST"
    ) as stored:
        wanted.click()
    assert stored.value.json()["result"] == {"isSubscribed": True}
    expect(wanted).to_be_checked()
    origin = page.evaluate("location.origin")
    (worker,) = context.service_workers
    worker.evaluate(
        """() => {
            self.shown = new Promise((done) => {
                registration.showNotification = async (title, { body }) => done([title, body]);
            });
        }"""
    )

    session = context.new_cdp_session(page)
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    page.wait_for_function(
        "async () => (await navigator.serviceWorker.getRegistrations())[0].active"
    )
    push = {"origin": origin, "registrationId": found[-1], "data": ""}
    outside = context.new_page()
    of_outside = context.new_cdp_session(outside)
    of_outside.send("ServiceWorker.enable")
    page.close()
    of_outside.send("ServiceWorker.deliverPushMessage", push)

    shown = worker.evaluate("shown")
    assert shown == ["Parley", "Something is waiting for you"]
    assert visit.violations == []
