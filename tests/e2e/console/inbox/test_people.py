"""Two colleagues at the same conversation over a slow network, and a customer who is two people, in a browser."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, expect

from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from local.demo.scenarios.shop_software import key_of
from local.stack.seed import NAMES, TEAM
from tests.e2e.console.colleagues import MILO, NORA, notified, on_slow_networks
from tests.e2e.console.conftest import PATIENCE_MS, Visit, http
from tests.e2e.webhooks import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
KEYS = 120  # for a minute


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def colleagues(chromium: Browser, deployed: Deployed) -> Iterator[tuple[Visit, Visit]]:
    """Two people of a team with slow networks."""
    with on_slow_networks(chromium, deployed, {NORA: "en-GB", MILO: "en-GB"}) as (nora, milo):
        yield nora, milo


def test_two_colleagues_on_slow_networks_see_each_other_and_do_not_answer_twice(
    colleagues: tuple[Visit, Visit],
) -> None:
    nora, milo = colleagues
    now = time.time_ns()
    sender = Customer(f"Both {now}", wa_id=f"447704{now % 1_000_000:06}")
    write(nora.stack, sender, "Is my bicycle ready?")
    for visit in colleagues:
        visit.page.get_by_role("navigation", name="Sections").get_by_text(
            "Live", exact=True
        ).wait_for()
        visit.open(sender)
    box = nora.page.get_by_role("textbox", name="Message")
    other = milo.page.get_by_role("textbox", name="Message")

    box.fill("It is ready")
    is_typing = milo.page.get_by_text(f"{NAMES[NORA]} is typing")
    for _ in range(KEYS):  # said again after ten seconds of typing
        if is_typing.is_visible():
            break
        box.press_sequentially(".")
        nora.page.wait_for_timeout(500)
    else:
        expect(is_typing).to_be_visible()
    box.fill("It is ready.")
    other.fill("Yes, since noon.")
    other.press("Enter")
    # At once, before the answer of the slow network.
    expect(milo.page.locator(".message-out", has_text="Yes, since noon.")).to_have_count(1)
    expect(nora.page.get_by_role("log", name="Messages")).to_contain_text("Yes, since noon.")
    box.press("Enter")
    stopped = nora.page.locator("[data-unsent=failed]", has_text="It is ready.")
    expect(stopped.get_by_role("alert")).to_contain_text(
        f"{NAMES[MILO]} answered while you were writing"
    )

    stopped.get_by_role("button", name="Discard").click()
    expect(stopped).to_have_count(0)
    nora.page.locator(".toast", has_text="Discarded").get_by_role("button", name="Undo").click()
    expect(stopped).to_have_count(1)
    stopped.get_by_role("button", name="Edit").click()
    expect(box).to_have_value("It is ready.")
    box.fill("")

    facts = nora.page.get_by_role("complementary", name="Details")
    facts.get_by_role("button", name="Assign", exact=True).click()
    facts.get_by_role("button", name=NAMES[MILO]).click()
    row = notified(milo, sender.name)
    expect(row).to_contain_text(f"{NAMES[NORA]} assigned it to you")
    row.click()
    milo.page.get_by_role("button", name="Resolve", exact=True).click()
    nora.page.get_by_role("button", name="Reopen").wait_for()
    milo.page.locator(".toast").get_by_role("button", name="Undo").click()
    nora.page.get_by_role("button", name="Resolve", exact=True).wait_for()
    assert (nora.violations, milo.violations) == ([], [])


def test_a_view_of_a_team_is_everyones_in_it_and_its_removal_is_undone(
    colleagues: tuple[Visit, Visit],
) -> None:
    nora, milo = colleagues
    name = f"Repairs {time.time_ns()}"
    page = nora.page
    page.get_by_role("combobox", name="Channel").select_option("WhatsApp")
    page.get_by_role("button", name="Save or remove a view").click()
    page.get_by_role("textbox", name="Name of the view").fill(name)
    page.get_by_role("combobox", name="For").select_option(label=f"Team {TEAM}")
    page.get_by_role("button", name="Save this list as a view").click()
    shown, theirs = (
        one.page.get_by_role("navigation", name="Views").get_by_role("link", name=name)
        for one in colleagues
    )
    expect(shown).to_have_attribute("aria-current", "true")
    expect(shown.locator(".count")).to_have_text(re.compile(r"^\d+\+?$"))

    milo.reload()
    expect(theirs).to_contain_text(f"Team {TEAM}")
    page.get_by_role("button", name="Save or remove a view").click()
    remove = page.get_by_role("button", name=f"Remove the view {name}")
    remove.click()
    expect(shown).to_have_count(0)
    page.locator(".toast", has_text=name).get_by_role("button", name="Undo").click()
    expect(shown).to_have_count(1)
    page.get_by_role("button", name="Save or remove a view").click()
    remove.click()
    expect(shown).to_have_count(0)


def test_two_contacts_become_one_person_after_a_look_and_two_again(
    visit: Visit, deployed: Deployed
) -> None:
    now = time.time_ns()
    family = "".join(chr(ord("a") + int(digit)) for digit in str(now))
    sender = Customer(f"Lía Peña {family}", wa_id=f"447705{now % 1_000_000:06}")
    write(visit.stack, sender, "Hello")
    mail = f"lia.{now}@example.org"
    known = {"name": sender.name, "identifiers": [{"kind": "email", "value": mail}]}
    key = key_of(deployed.stack, "contacts:read", "contacts:write")
    headers = {"x-api-key": key, "Idempotency-Key": str(uuid4())}
    made = http.request("POST", f"{deployed.stack.api_url}/contacts", json=known, headers=headers)
    assert made.status == 200, made.data
    visit.sign_in()
    visit.open(sender)
    page = visit.page
    page.get_by_role("link", name="Everything about this person").click()
    facts = page.get_by_role("complementary", name="Details")
    expect(facts.get_by_text("shown by WhatsApp")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("Hello"))).to_be_visible()

    same = facts.get_by_role("button", name=f"{sender.name} is the same person")
    same.click()
    expect(facts.get_by_text(re.compile(r"^\d conversations? comes? together$"))).to_be_visible()
    assert barriers(page) == []
    facts.get_by_role("button", name="Merge", exact=True).click()
    expect(facts.get_by_text(mail).first).to_be_visible()
    expect(same).to_have_count(0)
    expect(facts.get_by_text("shown by WhatsApp")).to_be_visible()

    page.locator(".toast", has_text="Merged").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    expect(facts.get_by_text(mail)).to_have_count(0)
    expect(same).to_have_count(0)  # people have decided
    assert visit.violations == []
