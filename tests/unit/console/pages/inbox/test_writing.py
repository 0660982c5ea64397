"""What a person writes: canned replies, the position of a send, and what another author answered meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from tests.unit.console.pages.answers.thread import THREAD, Threaded
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal
from whatsapp.store.ordering import order_key

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

SEND = "POST /whatsapp/conversations/{key}/messages"


def canned(_: Call) -> Answer:
    by = {"updated_at": "2026-01-01T12:00:00.000Z", "updated_by": "user:ada"}
    texts = {
        "hours": ("We open at nine.", []),
        "who": ("{{name}}, ask for {{who}}.", ["name", "who"]),
    }
    return Answer({"canned_replies": [
        {"name": name, "text": text, "variables": variables, **by}
        for name, (text, variables) in texts.items()
    ]})  # fmt: skip


def box(page: Page) -> Any:
    return page.get_by_role("textbox", name="Message", exact=True)


def test_a_slash_in_an_empty_composer_opens_canned_replies_and_asks_for_unknown_values(
    opened: Opened, pages: Path
) -> None:
    network = Company().network(pages, **{"GET /whatsapp/canned-replies": canned})
    page = opened(network, "all/whatsapp/k0")
    box(page).press("/")
    choice = page.locator("[data-command=canned] .choice")
    expect(choice.first).to_be_focused()
    choice.filter(has_text="hours").press("Enter")
    expect(box(page)).to_have_value("We open at nine.")
    expect(box(page)).to_be_focused()
    box(page).press("/")  # the text is not empty any more
    expect(box(page)).to_have_value("We open at nine./")
    expect(choice).to_have_count(0)

    box(page).fill("")
    box(page).press("/")
    choice.filter(has_text="ask for").press("Enter")
    expect(page.get_by_label("Value for name")).to_have_value("Customer 0")
    insert = page.get_by_role("button", name="Insert")
    expect(insert).to_be_disabled()
    page.get_by_label("Value for who").fill("Kim")
    page.keyboard.press("Enter")
    expect(box(page)).to_have_value("Customer 0, ask for Kim.")
    expect(box(page)).to_be_focused()


def test_a_send_carries_the_position_at_which_its_text_was_begun_and_stops_at_a_newer_answer(
    opened: Opened, pages: Path
) -> None:
    company = Company()
    sent: list[Call] = []
    newer = {"position": order_key(at(4), "m"), "id": "m3", "by": "user:kim"}

    def take(call: Call) -> Answer | Refusal:
        sent.append(call)
        return Refusal(409, "answered_meanwhile", newer=newer)

    network = company.network(pages, **{SEND: take})
    page = opened(network, "all/whatsapp/k0")
    page.locator("nav.rail").get_by_text("Live", exact=True).wait_for()
    box(page).fill("It is ready")
    begun = order_key(at(company.messages), "m")
    company.messages, company.versions["k0"] = 4, 2
    network.hint("whatsapp", "k0", 2)
    page.get_by_role("log").get_by_text("line 3.", exact=True).wait_for()

    box(page).fill("It is ready.")
    box(page).press("Enter")
    stopped = page.locator("[data-unsent=failed]", has_text="It is ready.")
    expect(stopped.get_by_role("alert")).to_contain_text("Kim answered while you were writing")
    expect(stopped.get_by_role("alert")).to_contain_text("line 3.")
    assert [call.input["position"] for call in sent] == [begun]

    with page.expect_response(lambda one: one.request.method == "POST" and "/messages" in one.url):
        stopped.get_by_role("button", name="Send nevertheless").click()
    assert [call.input["position"] for call in sent] == [begun, newer["position"]]


def test_a_macro_that_sends_stops_when_the_thread_has_gone_on_and_goes_out_after_a_look(
    opened: Opened, pages: Path
) -> None:
    threaded = Threaded()
    ran: list[Any] = []
    network = threaded.network(pages)
    absent = dict.fromkeys(("status", "priority", "assigned_to"))
    macro = absent | {
        "name": "close", "canned_reply": "hours", "sends": True, "add_tags": [], "remove_tags": [],
        "updated_at": at(0), "updated_by": "user:ada",
    }  # fmt: skip

    def run(call: Call) -> Refusal:
        ran.append(call.input)
        return Refusal(409, "state_conflict" if len(ran) == 1 else "unavailable")

    network.answers |= {
        "GET /whatsapp/canned-replies": canned,
        "GET /email-threads/macros": lambda _: Answer({"macros": [macro]}),
        "POST /email-threads/{conversation_id}/macros/{name}": run,
    }
    page = opened(network, f"all/email_threads/{THREAD}")
    page.locator("nav.rail").get_by_text("Live", exact=True).wait_for()
    page.get_by_role("button", name="Macros").click()
    page.locator(".choice", has_text="close").click()
    expect(page.locator(".picker-preview")).to_have_text("We open at nine.")
    threaded.texts.append("Hello?")
    network.hint("email_threads", THREAD, 2)
    expect(page.locator(".mail-text")).to_have_count(2)

    page.get_by_role("button", name="Run", exact=True).click()
    form = page.locator(".picker-form")
    expect(form.get_by_role("alert")).to_contain_text("Someone has changed this meanwhile")
    form.get_by_role("button", name="Send nevertheless").click()
    expect(form.get_by_role("alert")).not_to_contain_text("Someone has changed this meanwhile")
    assert [(one["expected_seq"], one["confirm_stale"]) for one in ran] == [(1, False), (2, True)]
