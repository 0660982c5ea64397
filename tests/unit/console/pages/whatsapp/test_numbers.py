"""Numbers and accounts at AWS: ratings over time, a pin that is never shown, and where events go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer
from tests.unit.console.pages.whatsapp.account import ACTION, NUMBER, PHONE, WABA

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered, Call

TOPIC = "arn:aws:sns:eu-west-1:123456789012:parley-prod-whatsapp-social"
TEN_THOUSAND = {"en-GB": "10,000", "de-DE": "10.000", "ar-EG": "10,000"}
WORDS = {
    "en-GB": ("Quality over time", "Low", "New two-step pin"),
    "de-DE": ("Qualität im Verlauf", "Niedrig", "Neue PIN der zweistufigen Prüfung"),
    "ar-EG": ("الجودة عبر الزمن", "منخفضة", "رمز جديد للتحقق بخطوتين"),
}
DESTINATION_WORDS = {
    "en-GB": (
        *("This deployment reads it", "Another system reads it", "Send a test event"),
        *("It has arrived", "It has not arrived"),
    ),
    "de-DE": (
        *("Diese Installation liest es", "Ein anderes System", "Testereignis senden"),
        *("Es ist angekommen", "Es ist nicht innerhalb"),
    ),
    "ar-EG": (
        *("يقرؤه هذا النظام", "يقرؤه نظام آخر", "إرسال حدث تجريبي"),
        *("وصل", "لم يصل خلال"),
    ),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_a_number_shows_its_ratings_over_time_and_gets_a_new_pin_after_a_question(
    opened: Opened, pages: Path, locale: str
) -> None:
    history, low, pin = WORDS[locale]
    asked: list[object] = []

    def quality(call: Call) -> Answer:
        if not call.input["history"]:
            changes = [{"limit": "TIER_10K", "at": at(2)}, {"limit": "TIER_1K", "at": at(1)}]
            known = {"phoneNumberId": PHONE, "metaWabaId": WABA, "limitHistory": changes}
            return Answer({"phones": [known]})
        ratings = [{"rating": "RED", "at": at(2)}, {"rating": "GREEN", "at": at(1)}]
        return Answer({"history": ratings})

    def rotate(call: Call) -> Answer:
        asked.append(call.input)
        return Answer({"done": True})

    limits = {"messagingLimit": "TIER_1K", "reached": 12}
    answers: dict[str, Answered] = {
        "GET /whatsapp/numbers": lambda _: Answer({"numbers": [NUMBER]}),
        f"{ACTION}get_quality": quality,
        f"{ACTION}get_messaging_limits": lambda _: Answer(limits),
        f"{ACTION}set_two_step_pin": rotate,
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/numbers")
    page.get_by_role("button", name=history).click()
    rows = page.get_by_role("row").filter(has=page.get_by_role("cell"))
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text(low)
    expect(rows.nth(2)).to_contain_text(TEN_THOUSAND[locale])
    page.get_by_role("button", name=pin).click()
    assert asked == []
    page.get_by_role("dialog").get_by_role("button", name=pin).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert asked == [{"phone": PHONE, "rotate": True}]
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in DESTINATION_WORDS])
@pytest.mark.parametrize("is_ours", [True, False])
def test_an_account_at_aws_shows_whether_its_events_come_here_and_sends_a_test(
    opened: Opened, pages: Path, locale: str, is_ours: bool
) -> None:
    here, elsewhere, test, *said = DESTINATION_WORDS[locale]
    destination = {"snsTopicArn": TOPIC, "isOurs": is_ours}
    answers: dict[str, Answered] = {
        "GET /whatsapp/numbers": lambda _: Answer({"numbers": [NUMBER | {"provider": "eum"}]}),
        f"{ACTION}get_event_destinations": lambda _: Answer(
            {"metaWabaId": WABA, "destinations": [destination]}
        ),
        f"{ACTION}test_event_destination": lambda _: Answer(
            {"seen": is_ours, "snsTopicArn": TOPIC}
        ),
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/accounts")
    row = page.get_by_role("row").filter(has_text=TOPIC)
    expect(row).to_contain_text(here if is_ours else elsewhere)
    page.get_by_role("button", name=test).click()
    expect(page.get_by_text(said[0 if is_ours else 1]).last).to_be_visible()
    assert barriers(page) == []
