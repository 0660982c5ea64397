"""Accounts at AWS, in three languages: an operator takes a free one, and connects its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer, Call, Refusal
from tests.unit.console.pages.whatsapp.account import ACTION, NUMBER, PHONE, WABA

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered

AT_AWS = f"waba-{'0' * 32}"
ARN = f"arn:aws:social-messaging:eu-west-1:123456789012:phone-number-id/{'a' * 32}"
TOPIC = "arn:aws:sns:eu-west-1:123456789012:parley-prod-whatsapp-social"
LINK = "POST /operations/whatsapp/aws-accounts"
WORDS = {
    "en-GB": ("Give it to the company", "Connected", "No free account"),
    "de-DE": ("Der Firma geben", "Verbunden", "Kein freies Konto"),
    "ar-EG": ("منحه للشركة", "متصل", "لا يوجد حساب متاح"),
}


class Aws:
    """An account at AWS with one number, which nothing owns at first."""

    def __init__(self) -> None:
        self.account: dict[str, Any] | None = {
            "account_id": AT_AWS, "meta_id": WABA, "name": "Acme", "is_own": False, "is_registered": True,
        }  # fmt: skip
        self.given: list[Any] = []
        self.numbers: list[dict[str, Any]] = []
        self.refusal: Refusal | None = None

    def link(self, call: Call) -> Answer:
        self.given.append(call.input)
        assert self.account is not None
        self.account["is_own"] = True
        number = {"phone": PHONE, "arn": ARN, "display": "+1 555-078-3881", "name": None}
        linked = {"account_id": AT_AWS, "meta_id": WABA, "name": "Acme", "numbers": [number]}
        return Answer(linked)

    def save(self, call: Call) -> Answer:
        self.given.append(call.input)
        view = {
            "phoneNumberId": PHONE, "metaWabaId": WABA, "tenantId": "acme", "provider": "eum",
            "displayPhoneNumber": "+15550783881", "enabled": True, "isDefault": True, "phoneArn": ARN,
            "automation": "off", "autoRead": False,
        }  # fmt: skip
        self.numbers.append(NUMBER | {"provider": "eum"})
        return Answer(view)

    def destination(self, call: Call) -> Answer | Refusal:
        self.given.append(call.input)
        return self.refusal or Answer({"metaWabaId": WABA, "destinations": []})

    def answers(self) -> dict[str, Answered]:
        shown = lambda _: Answer(  # noqa: E731 - reads the state at each call
            {"accounts": [self.account] if self.account else [], "is_complete": True}
        )
        return {
            "GET /whatsapp/numbers": lambda _: Answer({"numbers": self.numbers}),
            "GET /operations/whatsapp/sign-up": lambda _: Answer({"dialogs": []}),
            "GET /operations/whatsapp/aws-accounts": shown,
            LINK: self.link,
            f"{ACTION}save_phone": self.save,
            f"{ACTION}create_event_destination": self.destination,
            f"{ACTION}get_event_destinations": lambda _: Answer(
                {"metaWabaId": WABA, "destinations": [], "ownTopic": TOPIC}
            ),
        }


def taken(page: Page, give: str) -> None:
    page.get_by_role("row").filter(has_text=AT_AWS).get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name=give).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_operator_takes_a_free_account_after_a_question_and_connects_its_number(
    opened: Opened, pages: Path, locale: str
) -> None:
    give, connected, _ = WORDS[locale]
    aws = Aws()
    network = Company().network(pages, "acme:admin", "acme:operator", **aws.answers())
    page = opened(network, "operations/accounts")
    page.get_by_role("row").filter(has_text=AT_AWS).get_by_role("button").click()
    expect(page.get_by_role("dialog")).to_contain_text("owners revoke")
    assert aws.given == []
    page.keyboard.press("Escape")
    taken(page, give)

    number = page.get_by_role("group", name="+1 555-078-3881")
    number.get_by_role("button").click()
    expect(page.get_by_text(connected, exact=False).first).to_be_visible()
    assert aws.given[0] == {"account_id": AT_AWS}
    number_given = {
        "phone": PHONE, "metaWabaId": WABA, "awsWabaId": AT_AWS, "phoneArn": ARN, "tenantId": "acme",
        "provider": "eum", "displayPhoneNumber": "+15550783881",
    }  # fmt: skip
    assert number_given.items() <= aws.given[1].items()
    topic = {"metaWabaId": WABA, "snsTopicArn": TOPIC, "replace": False}
    assert topic.items() <= aws.given[2].items()
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_without_a_free_account_the_page_says_where_one_is_linked(
    opened: Opened, pages: Path, locale: str
) -> None:
    aws = Aws()
    aws.account = None
    network = Company().network(pages, "acme:admin", "acme:operator", **aws.answers())
    page = opened(network, "operations/accounts")
    expect(page.get_by_text(WORDS[locale][2])).to_be_visible()
    expect(page.locator("a[href*='console.aws.amazon.com']")).to_be_visible()


def test_an_account_whose_events_go_elsewhere_is_left_as_it_is_and_said(
    opened: Opened, pages: Path
) -> None:
    aws = Aws()
    aws.refusal = Refusal(409, "state_conflict")
    network = Company().network(pages, "acme:admin", "acme:operator", **aws.answers())
    page = opened(network, "operations/accounts")
    taken(page, "Give it to the company")
    page.get_by_role("group", name="+1 555-078-3881").get_by_role("button").click()
    expect(page.get_by_role("alert")).to_contain_text("to another topic")
    assert aws.given[-1]["replace"] is False


def test_an_administrator_who_is_no_operator_sees_no_accounts_of_aws(
    opened: Opened, pages: Path
) -> None:
    aws = Aws()
    aws.numbers.append(NUMBER | {"provider": "eum"})
    network = Company().network(pages, "acme:admin", **aws.answers())
    page = opened(network, "operations/accounts")
    expect(page.get_by_role("region", name="Events from AWS")).to_be_visible()
    assert "GET /operations/whatsapp/aws-accounts" not in network.routes()
