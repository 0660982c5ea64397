"""How a person learns of something new: title, tone, do not disturb, and the mail for the absent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from console.notifications.routes import NO_ADDRESS
from local.console.browser import barriers
from tests.unit.console.pages.company import SETTINGS, Company
from tests.unit.console.pages.network import DRAWN, Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

# A browser without a loudspeaker notes its tones.
TONES = """
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.tones += 1; start.apply(this, when); };
"""


def test_a_tone_is_heard_by_choice_unless_the_person_is_not_to_be_disturbed(
    opened: Opened, pages: Path, context: BrowserContext
) -> None:
    stored = dict(SETTINGS)
    company = Company()

    def store(call: Call) -> Answer:
        stored.update({name: call.input.get(name) for name in ("digestHours", "quietUntil")})
        stored["muted"] = call.input["muted"]
        return Answer(stored)

    network = company.network(
        pages,
        **{
            "POST /inbox/notifications/settings": store,
            "GET /inbox/notifications": lambda _: Answer(
                {"notifications": [], "unread": 0, "settings": stored}
            ),
            "GET /inbox/notifications/push": lambda _: Answer({"key": "x"}),
        },
    )
    context.add_init_script(TONES)
    page = opened(network, "all")
    page.get_by_text("Live", exact=True).wait_for()

    def arrives(number: int) -> None:
        company.unread.add(number)
        with page.expect_response(lambda one: "unread=true" in one.url):
            network.hint("whatsapp", f"k{number}", 2)
        network.quiet(page)

    page.get_by_role("button", name="Notifications").click()
    page.get_by_role("button", name="Settings of notifications").click()
    settings = page.get_by_role("form", name="Settings of notifications")
    settings.get_by_role("combobox", name="Notifications of this browser").select_option("all")
    settings.get_by_role("checkbox", name="With a sound").check()
    assert page.evaluate("window.tones") == 1  # as a sample
    arrives(0)
    expect(page).to_have_title("(1) Parley")
    assert page.evaluate("window.tones") == 2

    settings.get_by_role("combobox", name="E-mail while I am absent").select_option("4")
    settings.get_by_role("button", name="For 4 h").click()
    settings.get_by_role("button", name="Save").click()
    expect(settings).to_have_count(0)
    assert (stored["digestHours"], stored["quietUntil"] is not None) == (4, True)
    arrives(1)
    expect(page).to_have_title("(2) Parley")
    assert page.evaluate("window.tones") == 2


def test_the_icon_of_the_page_has_a_mark_while_a_conversation_is_unread(
    opened: Opened, pages: Path
) -> None:
    company = Company(unread={0})
    network = company.network(pages)
    page = opened(network, "all")
    icon = page.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", re.compile(r"/icon-unread-[^/]*\.svg$"))

    company.unread.clear()
    network.hint("whatsapp", "k0", 2)

    expect(icon).to_have_attribute("href", re.compile(r"/icon-(?!unread)[^/]*\.svg$"))


@pytest.mark.parametrize(
    ("locale", "settings", "save", "text"),
    [
        ("en-GB", "Settings of notifications", "Save", "your login has no confirmed mail address"),
        ("de-DE", "Einstellungen der Benachrichtigungen", "Speichern", "keine bestätigte Adresse"),
    ],
)
def test_the_settings_say_why_no_mail_comes(
    opened: Opened, pages: Path, settings: str, save: str, text: str
) -> None:
    stored = SETTINGS | {"lacksAddress": True}
    network = Company().network(
        pages,
        **{
            "GET /inbox/notifications": lambda _: Answer(
                {"notifications": [], "unread": 0, "settings": stored}
            ),
            "GET /inbox/notifications/push": lambda _: Answer({"key": "x"}),
        },
    )
    refusal = Refusal(400, "invalid_input", {"digestHours": NO_ADDRESS})
    network.answers["POST /inbox/notifications/settings"] = lambda _: refusal
    page = opened(network, "all")
    page.locator(".bell button").first.click()
    page.get_by_role("button", name=settings).click()
    form = page.get_by_role("form", name=settings)
    expect(form.locator(".notice")).to_contain_text(text)
    assert barriers(page) == []

    choice = form.locator("select", has=page.locator("option[value='24']"))
    choice.select_option("24")
    form.get_by_role("button", name=save).click()
    expect(form.get_by_role("alert").filter(has_text=text)).to_have_count(1)
    expect(choice).to_have_value("24")


# Of the pauses of a page a twentieth.
QUICK = "const later = setTimeout; window.setTimeout = (act, ms, ...more) => later(act, (ms ?? 0) / 20, ...more);"
SILENT_CONNECTIONS, QUESTIONS, MOST_LOOKS = 2, 8, 1_000


def test_a_stack_that_answers_no_pings_is_live_and_asked_for_a_file_instead(
    opened: Opened, pages: Path, context: BrowserContext
) -> None:
    context.add_init_script(QUICK)
    network = Company().network(pages)  # which answers nothing over its connections
    page = opened(network, "all")
    sign = page.locator(".live")
    signs: set[str] = set()
    for _ in range(MOST_LOOKS):
        if len(network.sockets) > SILENT_CONNECTIONS:
            break
        page.evaluate(DRAWN)
    expect(sign).to_have_text("Live")

    for _ in range(QUESTIONS):
        with page.expect_request("**/console/config.json"):
            signs.add(sign.inner_text())
    assert signs == {"Live"}
    assert len(network.sockets) == SILENT_CONNECTIONS + 1


# Headless browsers show no notifications and keep the focus: a page that is not looked at notes what it would show.
SHOWN = """
window.told = [];
document.hasFocus = () => false;
window.Notification = class {
  static permission = "granted";
  static async requestPermission() { return "granted"; }
  constructor(title, options) { window.told.push([title, options.body]); }
  close() {}
};
"""


@pytest.mark.parametrize("wish", ["off", "mine", "all"])
def test_the_desktop_shows_by_choice_who_has_written_and_never_the_text(
    opened: Opened, pages: Path, context: BrowserContext, wish: str
) -> None:
    company = Company()
    network = company.network(pages)
    context.add_init_script(SHOWN)
    context.add_init_script(f"localStorage.setItem('parley:notify', '{wish}')")
    page = opened(network, "all")
    page.get_by_text("Live", exact=True).wait_for()
    network.quiet(page)
    company.unread.add(1)
    network.hint("whatsapp", "k1", 2)
    expect(page).to_have_title("(1) Parley")
    told = [["Customer 1", "WhatsApp"]] if wish == "all" else []
    assert page.evaluate("window.told") == told
