"""The page of WhatsApp accounts, in three languages: sign-up at Meta, and whether events arrive."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import PAGE, Answer, Call, Refusal
from tests.unit.console.pages.whatsapp.account import ACTION, NUMBER, PHONE, WABA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page, Request, Route

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered, Network

APP = "123456789012345"
DIALOG = "https://www.facebook.example/v23.0/dialog/oauth?client_id=123456789012345"
WORDS = {
    "en-GB": ("Sign up at Meta with the app", "Connect", "Connected", "Begin again"),
    "de-DE": ("Bei Meta anmelden mit der App", "Verbinden", "Verbunden", "Beginnen Sie erneut"),
    "ar-EG": ("التسجيل لدى Meta بالتطبيق", "وصل", "متصل", "ابدأ من جديد"),
}


class Meta:
    """The company's account at Meta, and a dialog in which the person allows everything."""

    def __init__(self) -> None:
        self.given: list[Any] = []
        self.steps: list[str] = []
        self.refuses = False
        self.numbers: list[dict[str, Any]] = []

    def exchange(self, call: Call) -> Answer | Refusal:
        self.given.append(call.input)
        if self.refuses:
            return Refusal(
                400, "invalid_input", {"code": "must be a new code: begin again at Meta"}
            )
        number = {"phone": PHONE, "display": "+1 555-078-3881", "name": "Acme"}
        account = {
            "account_id": WABA,
            "token_name": f"acme/{WABA}",
            "numbers": [number],
            "problem": None,
        }
        return Answer({"accounts": [account], "token_ends_at": None})

    def step(self, call: Call) -> Answer:
        self.steps.append(call.route.rpartition("/")[2])
        self.given.append(call.input)
        account = {"metaWabaId": WABA, "webhookUrl": "https://api.example"}
        return Answer(account if call.route.endswith("webhook") else {"done": True})

    def save(self, call: Call) -> Answer:
        self.step(call)
        self.numbers.append(NUMBER)
        view = {
            "phoneNumberId": PHONE, "metaWabaId": WABA, "tenantId": "acme", "provider": "graph",
            "displayPhoneNumber": "+15550783881", "enabled": True, "isDefault": True, "phoneArn": PHONE,
            "automation": "off", "autoRead": False,
        }  # fmt: skip
        return Answer(view)

    def answers(self) -> dict[str, Answered]:
        dialog = {"app_id": APP, "address": DIALOG}
        event = {"eventId": "e", "type": "template_status", "kind": "event", "receivedAt": at(0)}
        config = {"metaWabaId": WABA, "enabled": True, "activeVerifyTokens": 1}
        alarm = {"name": "parley-Monitoring-RequestsRejected", "description": "", "reason": ""}
        hook = {"address": "https://api.example/prod/webhooks/whatsapp", "verify_token": None}
        app = {"override_callback_uri": hook["address"]}
        return {
            "GET /whatsapp/numbers": lambda _: Answer({"numbers": self.numbers}),
            "GET /operations/whatsapp/sign-up": lambda _: Answer({"dialogs": [dialog]}),
            "GET /operations/whatsapp/aws-accounts": lambda _: Answer(
                {"accounts": [], "is_complete": True}
            ),
            "GET /operations/whatsapp/webhook": lambda _: Answer(hook),
            "GET /operations/alarms": lambda _: Answer(
                {"alarms": [alarm | {"state": "ALARM", "changed_at": at(0), "notifies": True}]}
            ),
            "POST /operations/whatsapp/sign-up": self.exchange,
            f"{ACTION}save_phone": self.save,
            f"{ACTION}register_phone": self.step,
            f"{ACTION}register_webhook": self.step,
            f"{ACTION}get_webhook_subscriptions": lambda _: Answer({"data": [app]}),
            f"{ACTION}get_webhook_config": lambda _: Answer(config | {"activeAppSecrets": 1}),
            f"{ACTION}get_webhook_events": lambda _: Answer({"events": [event]}),
        }


def with_dialog(
    page: Page, meanwhile: Callable[[], None] = lambda: None
) -> list[dict[str, list[str]]]:
    """Meta's dialog, which returns after *meanwhile*; the queries with which it was opened."""
    asked: list[dict[str, list[str]]] = []

    def answer(route: Route) -> None:
        query = parse_qs(urlsplit(route.request.url).query)
        asked.append(query)
        meanwhile()
        back = f"{query['redirect_uri'][0]}?code=of-meta&state={query['state'][0]}"
        script = f"<script>location.replace({back!r})</script>"
        route.fulfill(body=script, content_type="text/html")

    page.route("https://www.facebook.example/**", answer)
    return asked


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_a_person_signs_up_at_meta_and_connects_the_number_that_meta_lists(
    opened: Opened, pages: Path, locale: str
) -> None:
    sign_up, connect, connected, _ = WORDS[locale]
    meta = Meta()
    network = Company().network(pages, "acme:admin", "acme:operator", **meta.answers())
    page = opened(network, "operations/accounts")
    asked = with_dialog(page)
    page.get_by_role("button", name=re.compile(sign_up)).click()

    number = page.get_by_role("group", name="+1 555-078-3881")
    number.get_by_role("button", name=re.compile(f"^{connect}")).click()
    expect(page.get_by_text(connected, exact=False).first).to_be_visible()
    assert asked[0]["redirect_uri"] == [PAGE]
    assert meta.given[0] == {"app_id": APP, "code": "of-meta", "redirect_uri": PAGE}
    assert meta.steps == ["save_phone", "register_phone", "register_webhook"]
    assert meta.given[1]["graphTokenSecret"] == f"acme/{WABA}"
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_answer_of_meta_that_works_no_more_is_said_in_the_persons_language(
    opened: Opened, pages: Path, locale: str
) -> None:
    sign_up, _, _, again = WORDS[locale]
    meta = Meta()
    meta.refuses = True
    network = Company().network(pages, "acme:admin", "acme:operator", **meta.answers())
    page = opened(network, "operations/accounts")
    with_dialog(page)
    page.get_by_role("button", name=re.compile(sign_up)).click()

    expect(page.get_by_role("alert")).to_contain_text(again)
    assert meta.steps == []


BOTH = ("first:admin", "first:operator", "acme:admin", "acme:operator")
EXCHANGE = "POST /operations/whatsapp/sign-up"


def open_dialog_in_acme(page: Page, network: Network, later: tuple[str, ...]) -> list[str]:
    """Open the dialog in the second company; at the return *later* are the groups. Gives companies of exchanges."""
    companies: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/operations/whatsapp/sign-up"):
            companies.append(request.headers.get("x-company", "acme"))

    page.on("request", note)
    with_dialog(page, lambda: setattr(network, "groups", later))
    page.get_by_role("button", name="Ada").first.click()
    page.get_by_label("Company").select_option("acme")
    page.get_by_role("button", name=re.compile("Sign up at Meta with the app")).click()
    return companies


def test_what_a_dialog_gave_back_is_exchanged_in_the_company_in_which_it_was_opened(
    opened: Opened, pages: Path
) -> None:
    meta = Meta()
    network = Company().network(pages, *BOTH, **meta.answers())
    page = opened(network, "operations/accounts")
    companies = open_dialog_in_acme(page, network, BOTH)

    expect(page.get_by_role("group", name="+1 555-078-3881")).to_be_visible()
    assert companies == ["acme"]
    assert meta.given == [{"app_id": APP, "code": "of-meta", "redirect_uri": PAGE}]


def test_a_code_is_given_to_no_other_company_once_the_person_has_left_the_one_of_the_dialog(
    opened: Opened, pages: Path
) -> None:
    meta = Meta()
    network = Company().network(pages, *BOTH, **meta.answers())
    page = opened(network, "operations/accounts")
    open_dialog_in_acme(page, network, BOTH[:2])

    expect(page.get_by_role("alert")).to_contain_text("opened in another company")
    assert EXCHANGE not in network.routes()


def test_a_code_is_not_exchanged_when_it_is_too_old_to_work(opened: Opened, pages: Path) -> None:
    meta = Meta()
    network = Company().network(pages, "acme:admin", "acme:operator", **meta.answers())
    page = opened(network, "all")
    kept = {"answer": "?code=of-meta", "company": "acme", "at": 1}
    page.evaluate(
        "(kept) => sessionStorage.setItem('parley:draft:returned', kept)", json.dumps(kept)
    )
    page.evaluate("location.hash = '#/operations/accounts'")

    expect(page.get_by_role("alert")).to_contain_text("does not work any more")
    assert EXCHANGE not in network.routes()


def test_a_code_that_was_not_exchanged_does_not_outlive_the_sign_out(
    opened: Opened, pages: Path
) -> None:
    meta = Meta()
    answers = meta.answers() | {"POST /sign-out": lambda _: Answer({"openConnections": 0})}
    network = Company().network(pages, "acme:admin", "acme:operator", **answers)
    page = opened(network, "operations/accounts")
    # An agent's pages take no code.
    with_dialog(page, lambda: setattr(network, "groups", ("acme:agent",)))
    page.get_by_role("button", name=re.compile("Sign up at Meta with the app")).click()
    page.wait_for_function("Object.values(sessionStorage).some((kept) => kept.includes('of-meta'))")
    page.locator("nav.rail").wait_for()

    page.get_by_role("button", name="Ada").first.click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".signin-card button").first).to_be_visible()
    assert "of-meta" not in page.evaluate("JSON.stringify(sessionStorage)")


def test_a_return_that_another_page_began_is_no_sign_up(opened: Opened, pages: Path) -> None:
    meta = Meta()
    network = Company().network(pages, "acme:admin", "acme:operator", **meta.answers())
    page = opened(network, "operations/accounts")
    page.goto(f"{PAGE}?code=of-an-attacker&state=guessed")

    expect(page.locator(".signin-card button").first).to_be_visible()
    assert meta.given == []


def test_the_state_of_a_webhook_is_shown_with_the_way_to_what_must_be_done(
    opened: Opened, pages: Path
) -> None:
    meta = Meta()
    meta.numbers.append(NUMBER)
    network = Company().network(pages, "acme:admin", "acme:operator", **meta.answers())
    page = opened(network, "operations/accounts")

    hook = page.get_by_role("region", name="Webhook of the account")
    expect(hook).to_contain_text("Active")
    expect(hook).to_contain_text("template status")
    expect(hook).to_contain_text("Events were refused")
    expect(hook.get_by_role("link", name="What to do")).to_have_attribute(
        "href", "#/operations/overview"
    )


def test_what_came_last_names_a_message_and_counts_other_events_apart(
    opened: Opened, pages: Path
) -> None:
    meta = Meta()
    meta.numbers.append(NUMBER)
    config = {"metaWabaId": WABA, "enabled": True, "activeVerifyTokens": 1, "activeAppSecrets": 1}
    last: list[dict[str, str]] = [{}]
    answers = meta.answers() | {
        f"{ACTION}get_webhook_config": lambda _: Answer(config | last[0]),
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/accounts")
    hook = page.get_by_role("region", name="Webhook of the account")
    facts = hook.locator("dl > div")
    message = facts.filter(has_text="Last message of a customer")
    expect(message).to_contain_text("None among the newest messages")
    expect(facts.filter(has_text="Other events in 30 days")).to_contain_text("1, the newest:")
    last[0] = {"lastMessageAt": at(0)}
    hook.get_by_role("button", name="Reload").click()
    expect(message.locator("time")).to_have_attribute("datetime", at(0))
