"""The page of a campaign: what is said before a paused one goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer
from tests.unit.console.pages.whatsapp.account import ACTION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened

CAMPAIGN = "01JGFJJZ00000000000000000C"
PAUSED = {
    "campaignId": CAMPAIGN, "name": "Spring", "status": "paused", "pauseReason": "failures",
    "templateName": "offer", "totalRecipients": 10, "sent": 4, "createdAt": at(0),
}  # fmt: skip
WORDS = {
    "en-GB": ("Resume", "sent before an undo stay sent"),
    "de-DE": ("Fortsetzen", "bleibt gesendet"),
    "ar-EG": ("استئناف", "يبقى مرسلًا"),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_the_dialog_before_a_campaign_goes_on_says_that_an_undo_takes_no_message_back(
    opened: Opened, pages: Path, locale: str
) -> None:
    resume, stays = WORDS[locale]
    answers: dict[str, Any] = {
        f"{ACTION}get_campaign": lambda _: Answer(PAUSED),
        f"{ACTION}get_campaign_recipients": lambda _: Answer({"recipients": []}),
    }
    network = Company().network(pages, "acme:admin", **answers)
    page = opened(network, f"campaigns/{CAMPAIGN}")
    page.get_by_role("button", name=resume).click()

    expect(page.get_by_role("dialog")).to_contain_text(stays)
    assert f"{ACTION}resume_campaign" not in network.routes()
