"""A list, panel or result that is open shows what arrives meanwhile, with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from shared.runtime import clock
from tests.unit.console.pages.answers.person import Known
from tests.unit.console.pages.company import SETTINGS, Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

NOTIFICATIONS = "GET /inbox/notifications"
OTHERS = "GET /inbox"


class Notified(Company):
    """Ada is notified of conversations, the newest first."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds = ["assigned"]

    def listed(self, call: Call) -> Answer:
        absent = dict.fromkeys(("by", "campaign", "issue", "webhook"))
        found = [
            absent | {
                "id": f"{number:020}", "kind": kind, "at": at(number), "owner": "user:ada",
                "is_read": False,
                "conversation": {
                    "context": "whatsapp", "key": f"k{number}", "channel": "whatsapp",
                    "contact": f"Customer {number}",
                    **dict.fromkeys(("handle_text", "subject", "due_at", "due_for")),
                },
            }
            for number, kind in reversed(list(enumerate(self.kinds)))
            if call.input.get("kind") in {None, kind}
        ]  # fmt: skip
        return Answer({"notifications": found, "unread": len(found), "settings": SETTINGS})


def is_live(page: Page) -> None:
    page.locator("nav.rail").get_by_text("Live", exact=True).wait_for()


@pytest.mark.parametrize("kind", ["", "mentioned"])
def test_an_open_list_of_notifications_shows_one_that_arrives(
    opened: Opened, pages: Path, kind: str
) -> None:
    company = Notified()
    network = company.network(pages, **{NOTIFICATIONS: company.listed})
    page = opened(network, "all")
    is_live(page)
    page.locator(".bell button").first.click()
    shown = page.locator(".notification")
    expect(shown).to_have_count(1)
    page.get_by_role("region", name="Notifications").get_by_role("combobox").select_option(kind)
    expect(shown).to_have_count(0 if kind else 1)
    network.quiet(page)
    before = network.routes().count(NOTIFICATIONS)

    company.kinds.append("mentioned")
    network.hint("whatsapp", "k1", 2, notified=["user:ada"])
    expect(shown).to_have_count(1 if kind else 2)
    expect(shown.first).to_contain_text("Customer 1")
    expect(page.locator(".bell-count")).to_have_text("2")
    network.quiet(page)
    # The bell and, if it shows a kind, the list.
    assert network.routes().count(NOTIFICATIONS) - before == (2 if kind else 1)


def test_conversations_of_the_same_person_that_change_or_begin_are_shown_beside_the_open_one(
    opened: Opened, pages: Path
) -> None:
    known = Known()
    mail = known.of_channel("t1", "email", "First mail") | {"handle": "447700000000"}
    found: list[dict[str, Any]] = []

    def inbox(call: Call) -> Answer:
        if "q" not in call.input:
            return known.inbox(call)
        answer = known.inbox(call).result
        return Answer({**answer, "conversations": [known.of_channel("k0", "whatsapp", ""), *found]})

    network = known.network(pages, **{OTHERS: inbox})
    page = opened(network, "all/whatsapp/k0")
    is_live(page)
    panel = page.locator(".facts-part", has_text="Other conversations")
    expect(panel).to_contain_text("None")
    found.append(mail)
    network.hint("email_threads", "t1", 1, new=True)
    expect(panel.get_by_role("link").first).to_contain_text("First mail")


def test_the_page_of_a_person_shows_conversations_that_change_or_begin(
    opened: Opened, pages: Path
) -> None:
    known = Known()
    network = known.network(pages)
    page = opened(network, "contacts/c0")
    is_live(page)
    listed = page.get_by_role("region", name="Conversations").get_by_role("listitem")
    expect(listed).to_have_count(1)

    known.listed.insert(0, known.of_channel("t1", "email", "A mail of her"))
    network.hint("email_threads", "t1", 1, new=True)
    expect(listed).to_have_count(2)
    known.listed[1] |= {"preview": "It has arrived.", "version": 2}
    network.hint("whatsapp", "k0", 2)
    expect(listed.nth(1)).to_contain_text("It has arrived.")

    network.quiet(page)
    before = len(network.calls)
    network.hint("whatsapp", "of another person", 2)
    network.hint("whatsapp", "k0", 2)  # known already
    network.quiet(page)
    assert "GET /contacts/{contact_id}/conversations" not in network.routes()[before:]


def test_a_view_that_a_colleague_has_saved_is_there_when_the_panel_of_views_opens(
    opened: Opened, pages: Path
) -> None:
    owned: list[dict[str, Any]] = []
    network = Company().network(
        pages, **{"GET /inbox/views": lambda _: Answer({"presets": [], "owners": owned})}
    )
    page = opened(network, "all")
    page.locator(".row").first.wait_for()
    network.quiet(page)
    filters = {"channel": "email"}
    view = {"name": "Repairs", "filters": filters, "count": 3, "is_exact": True}
    owned.append({"owner": "team:shop", "views": [view]})

    page.get_by_role("button", name="Save or remove a view").click()
    expect(page.get_by_role("button", name="Remove the view Repairs")).to_be_visible()


def test_a_bulk_change_that_another_page_has_begun_is_shown_when_this_one_is_seen_again(
    opened: Opened, pages: Path
) -> None:
    begun: list[str] = []

    def change(_: Call) -> Answer:
        if not begun:
            return Answer({"change": None})
        counts = {"total": 7, "handled": 7, "done": 7, "skipped": 0, "stale": 0, "refused": 0}
        return Answer({"change": counts | {
            "change_id": "1" * 32, "requested_at": clock.to_text(clock.now_ms()),
            "stage": "ended", "is_cut": False, "action": "archive", "outcome": "done",
            "is_stopping": False, "may_be_undone": True, "undoes": None, "refusals": [],
        }})  # fmt: skip

    network = Company().network(pages, **{"GET /inbox/bulk": change})
    page = opened(network, "all")
    page.locator(".row").first.wait_for()
    network.quiet(page)
    begun.append("elsewhere")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_text("7 conversations changed.")).to_be_visible()
