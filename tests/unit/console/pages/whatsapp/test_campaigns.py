"""The page of a campaign: what is said before a paused one goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
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


RUNNING = PAUSED | {"status": "running", "pauseReason": None}
CONTROL_WORDS = {
    "en-GB": ("Pause", "Resume", "Undo", "Cancel the campaign", "at most 6"),
    "de-DE": ("Anhalten", "Fortsetzen", "Rückgängig", "Kampagne abbrechen", "höchstens 6"),
    "ar-EG": ("إيقاف مؤقت", "استئناف", "تراجع", "إلغاء الحملة", "6"),
}


class Running:
    """A campaign that runs, and what was asked of it."""

    def __init__(self) -> None:
        self.campaign: dict[str, Any] = dict(RUNNING)
        self.asked: list[str] = []

    def become(self, asked: str, **state: Any) -> Any:
        def answer(_: Any) -> Answer:
            self.asked.append(asked)
            self.campaign |= state
            return Answer(self.campaign)

        return answer

    def answers(self) -> dict[str, Any]:
        return {
            f"{ACTION}get_campaign": lambda _: Answer(self.campaign),
            f"{ACTION}get_campaign_recipients": lambda _: Answer({"recipients": []}),
            f"{ACTION}pause_campaign": self.become("pause", status="paused", pauseReason="person"),
            f"{ACTION}resume_campaign": self.become("resume", status="running"),
            f"{ACTION}cancel_campaign": self.become(
                "cancel", status="completed", outcome="cancelled"
            ),
        }


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in CONTROL_WORDS])
def test_a_campaign_is_paused_goes_on_is_stopped_by_an_undo_and_cancelled_after_a_question(
    opened: Opened, pages: Path, locale: str
) -> None:
    pause, resume, undo, cancel, left = CONTROL_WORDS[locale]
    campaign = Running()
    network = Company().network(pages, "acme:admin", **campaign.answers())
    page = opened(network, f"campaigns/{CAMPAIGN}")
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name=pause).click()
    expect(dialog).to_contain_text("6")
    assert campaign.asked == []
    dialog.get_by_role("button", name=pause).click()
    page.get_by_role("button", name=undo).click()
    page.get_by_role("button", name=pause).click()
    dialog.get_by_role("button", name=pause).click()
    page.get_by_role("button", name=resume).click()
    expect(dialog).to_contain_text("6")
    assert campaign.asked == ["pause", "resume", "pause"]
    dialog.get_by_role("button", name=resume).click()
    expect(page.get_by_role("button", name=pause)).to_be_visible()
    page.get_by_role("button", name=undo).first.click()
    expect(page.get_by_role("button", name=resume)).to_be_visible()
    assert campaign.asked == ["pause", "resume"] * 2 + ["pause"]

    page.get_by_role("button", name=cancel).click()
    expect(dialog).to_contain_text(left)
    assert "cancel" not in campaign.asked
    dialog.get_by_role("button", name=cancel).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name=resume)).to_have_count(0)
    assert campaign.asked[-1] == "cancel"
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_dialog_before_a_start_says_how_many_people_are_reached_now(
    opened: Opened, pages: Path
) -> None:
    campaign = Running()
    campaign.campaign |= {"status": "draft", "totalRecipients": 0, "sent": 0}
    plan = {"recipients": [], "counts": {"reached": 12, "no_address": 3}, "exact": True}
    answers = campaign.answers() | {f"{ACTION}get_campaign_recipients": lambda _: Answer(plan)}
    page = opened(Company().network(pages, "acme:admin", **answers), f"campaigns/{CAMPAIGN}")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("dialog")).to_contain_text("It reaches now: 12")
