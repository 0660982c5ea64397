"""The inbox over all contexts of the deployed stack: a message over HTTP in, a row out."""

from __future__ import annotations

import time
from typing import Any

import pytest
import urllib3
from playwright.sync_api import expect

from events.whatsapp.sample_data import Customer
from local.demo.webhook_sender import deliver, recent_samples
from tests.e2e.conftest import Deployed
from tests.e2e.console.conftest import PATIENCE_MS, Visit
from tests.e2e.webhooks import write

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=60)
WITHIN_SECONDS = 90


def rows_of(deployed: Deployed, **query: str) -> list[dict[str, Any]]:
    answer = http.request(
        "GET",
        f"{deployed.stack.api_url}/inbox",
        fields=query,
        headers={"x-api-key": deployed.api_key},
    )
    assert answer.status == 200, answer.data
    found: list[dict[str, Any]] = answer.json()["result"]["conversations"]
    return found


def test_a_whatsapp_message_over_http_appears_in_the_inbox(deployed: Deployed) -> None:
    sample = next(one for one in recent_samples() if one.expects.stored and not one.is_social)

    assert deliver(deployed.stack, sample)[1]

    deadline = time.monotonic() + WITHIN_SECONDS
    while not (rows := rows_of(deployed, channel="whatsapp")) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert rows
    key = rows[0]["key"]
    opened = http.request(
        "GET",
        f"{deployed.stack.api_url}/whatsapp/conversations/{key}",
        headers={"x-api-key": deployed.api_key},
    ).json()["result"]
    assert opened["lastPreview"].startswith(rows[0]["preview"].removesuffix("…"))
    assert opened["phone"] == rows[0]["address"]


def test_no_feed_left_a_record_behind(deployed: Deployed) -> None:
    waiting = deployed.stack.client("sqs").get_queue_attributes(
        QueueUrl=deployed.stack.queues["inbox_feed_dead_letters"],
        AttributeNames=["ApproximateNumberOfMessages"],
    )

    assert waiting["Attributes"]["ApproximateNumberOfMessages"] == "0"


def test_a_list_is_saved_as_a_view_with_its_count_and_removed(
    visit: Visit, customer: Customer
) -> None:
    visit.sign_in()
    page, views = visit.page, visit.page.get_by_role("navigation", name="Views")
    name = f"Unread {time.time_ns()}"
    expect(views.get_by_role("link", name="Not assigned")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Unread", exact=True).click()

    page.get_by_role("button", name="Save or remove a view").click()
    page.get_by_role("textbox", name="Name of the view").fill(name)
    page.get_by_role("button", name="Save this list as a view").click()
    saved = views.get_by_role("link", name=name)
    expect(saved).to_have_attribute("aria-current", "true", timeout=PATIENCE_MS)

    page.get_by_role("button", name="Unread", exact=True).click()
    expect(saved).not_to_have_attribute("aria-current", "true")
    saved.click()
    expect(page.get_by_role("button", name="Unread", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_role("button", name="Save or remove a view").click()
    page.get_by_role("button", name=f"Remove the view {name}").click()
    expect(saved).to_have_count(0, timeout=PATIENCE_MS)


def test_selected_conversations_are_labelled_put_back_and_resolved_with_a_result(
    visit: Visit, deployed: Deployed
) -> None:
    now = time.time_ns() % 100_000
    names = [f"Bulk {now} {letter}" for letter in "ABC"]
    for place, name in enumerate(names):
        write(deployed.stack, Customer(name, wa_id=f"447700{now:05}{place}"), "Hello")
    visit.sign_in()
    page = visit.page
    page.get_by_role("searchbox", name="Search").fill(f"Bulk {now}")
    rows = page.locator(".row", has_text=f"Bulk {now}")
    expect(rows).to_have_count(len(names), timeout=PATIENCE_MS)
    expect(page.locator(".row")).to_have_count(len(names), timeout=PATIENCE_MS)

    boxes = page.locator(".row-choice input")
    boxes.first.click()
    boxes.last.click(modifiers=["Shift"])
    selection = page.get_by_role("group", name="Change of several conversations")
    expect(selection).to_contain_text("3 selected")
    label = f"label {now}"
    selection.get_by_role("textbox", name="Add a label").fill(label)
    selection.get_by_role("textbox", name="Add a label").press("Enter")
    expect(page.get_by_text("3 conversations changed.")).to_be_visible(timeout=PATIENCE_MS)
    expect(rows.filter(has_text=label)).to_have_count(len(names), timeout=PATIENCE_MS)

    visit.reload()
    expect(page.get_by_text("3 conversations changed.")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("3 conversations put back.")).to_be_visible(timeout=PATIENCE_MS)
    expect(rows.filter(has_text=label)).to_have_count(0, timeout=PATIENCE_MS)
    page.get_by_role("button", name="Close the result").click()
    boxes.first.click()
    selection.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("1 conversation changed.")).to_be_visible(timeout=PATIENCE_MS)
