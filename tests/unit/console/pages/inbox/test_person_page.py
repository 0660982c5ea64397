"""The page of a person: conversations, where one may write, and people who may be the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.unit.console.pages.answers.person import Known

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened


def test_two_people_are_merged_after_a_look_and_the_undo_separates_them(
    opened: Opened, pages: Path
) -> None:
    known = Known(same="Lia Pena")
    page = opened(known.network(pages), "contacts/c0")
    facts = page.get_by_role("complementary", name="Details")
    facts.get_by_role("button", name="Lia Pena is the same person").click()
    expect(facts.get_by_role("status")).to_have_text("1 conversation comes together")
    assert known.made == []
    facts.get_by_role("button", name="Merge", exact=True).click()
    page.locator(".toast", has_text="Merged").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    assert known.made == ["merge", "undo"]


def test_the_page_leads_to_the_conversations_of_all_channels_and_offers_no_opted_out_one(
    opened: Opened, pages: Path
) -> None:
    known = Known(opted_out=True)
    known.listed.append(known.of_channel("t1", "email", "A mail of hers"))
    page = opened(known.network(pages), "contacts/c0")
    listed = page.get_by_role("region", name="Conversations")
    expect(listed.get_by_role("listitem")).to_have_count(2)
    expect(listed.get_by_role("link", name="Write by e-mail")).to_be_visible()
    expect(listed.get_by_text("Opted out")).to_be_visible()
    expect(listed.get_by_role("link", name="Write by WhatsApp")).to_have_count(0)
