"""Two people with canned replies, macros, files and many conversations over slow networks, in a browser."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import FilePayload, expect

from events.whatsapp.sample_data import COMPANY, Customer
from local.console.browser import barriers
from local.demo.chapters.email_threads import SCOPES as OF_MAIL
from local.stack.seed import NAMES, operate
from tests.e2e.console.colleagues import MILO, NORA, on_slow_networks, words
from tests.e2e.console.conftest import PATIENCE_MS, Visit, http
from tests.e2e.console.inbox.test_other_channels import MAILBOX, arrive
from tests.e2e.webhooks import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
ADMIN = "admin@acme.example"
AR, DE = words("ar"), words("de")
TRIES, TRY_MS = 12, 10_000
SLOWEST_MS = 2 * PATIENCE_MS  # several functions start after each other, and the network is slow


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=SLOWEST_MS)


@pytest.fixture
def admin_and_agent(chromium: Browser, deployed: Deployed) -> Iterator[tuple[Visit, Visit]]:
    """A German administrator and an agent who writes Arabic."""
    with on_slow_networks(chromium, deployed, {ADMIN: "de-DE", MILO: "ar-EG"}) as (emmy, milo):
        patient(emmy, milo)
        yield emmy, milo
        assert (emmy.violations, milo.violations) == ([], [])


@pytest.fixture
def both(chromium: Browser, deployed: Deployed) -> Iterator[tuple[Visit, Visit]]:
    """A German supervisor and an agent who writes Arabic."""
    with on_slow_networks(chromium, deployed, {NORA: "de-DE", MILO: "ar-EG"}) as (nora, milo):
        patient(nora, milo)
        yield nora, milo
        assert (nora.violations, milo.violations) == ([], [])


def patient(*visits: Visit) -> None:
    for visit in visits:
        visit.page.set_default_timeout(SLOWEST_MS)


def written(visit: Visit, name: str) -> Customer:
    """A customer whose message has just arrived, and whom no other test knows."""
    now = time.time_ns()
    sender = Customer(f"{name} {now}", wa_id=f"4477{now % 100_000_000:08}")
    write(visit.stack, sender, "مرحبا 👋 你好")
    return sender


def opened(page: Page, name: str, place: str = "all") -> None:
    """Open the conversation of a search for a name that no other conversation has."""
    page.evaluate("place => { location.hash = place; }", f"#/{place}?q={name}&status=all")
    row = page.locator(".list .row", has_text=name)
    for _ in range(TRIES):  # a list that is read again may move it below the pointer
        row.first.click()
        with suppress(AssertionError):
            expect(row.first).to_have_attribute("aria-current", "true", timeout=TRY_MS)
            break
    page.locator(".pane .timeline, .pane .mail").first.wait_for()


def composer(page: Page) -> Locator:
    return page.locator(".pane .composer textarea")


def narrow(page: Page, width: int) -> None:
    """In a narrow window nothing is wider than it."""
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert barriers(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_canned_reply_of_an_administrator_is_used_and_seen_anew_after_a_change(
    admin_and_agent: tuple[Visit, Visit],
) -> None:
    emmy, milo = admin_and_agent
    sender = written(milo, "Canned")
    name = f"canned-{time.time_ns()}"
    page, other = milo.page, emmy.page
    other.evaluate("location.hash = '#/operations/macros'")
    form = other.get_by_role("form", name=DE["canned.form"])

    def store(text: str) -> None:
        form.get_by_label(DE["canned.text"]).fill(text)
        form.get_by_role("button", name=DE["ops.store"]).click()
        stored = other.get_by_role("row").filter(has_text=name).first
        expect(stored).to_contain_text(text)

    form.get_by_label(DE["macro.name"]).fill(name)
    store("Ihre Bestellung {{order}} ist unterwegs.")
    opened(page, sender.name)

    def choose() -> None:
        composer(page).fill("")
        composer(page).press("/")
        choice = page.locator("[data-command=canned] .choice", has_text=name)
        expect(choice).to_have_count(1)
        choice.click()

    choose()
    page.locator(".picker-form input").fill("4711")
    narrow(page, 320)
    page.locator(".picker-form").get_by_role("button", name=AR["canned.insert"]).click()
    expect(composer(page)).to_have_value("Ihre Bestellung 4711 ist unterwegs.")
    expect(composer(page)).to_be_focused()

    edit = f"{DE['macro.edit']} {name}"
    other.get_by_role("button", name=edit, exact=True).click()
    expect(form.get_by_label(DE["macro.name"])).to_have_value(name)
    store("Ihre Bestellung kommt morgen.")
    choose()
    expect(composer(page)).to_have_value("Ihre Bestellung kommt morgen.")
    composer(page).press("Enter")
    sent = page.locator(".message-out", has_text="kommt morgen")
    expect(sent).to_have_count(1)
    expect(page.locator("[data-unsent]")).to_have_count(0)
    expect(sent).to_have_count(1)
    remove = f"{DE['macro.remove']} {name}"
    other.get_by_role("button", name=remove, exact=True).click()
    expect(other.get_by_role("button", name=edit, exact=True)).to_have_count(0)


def test_a_macro_of_an_administrator_answers_a_mail_and_a_colleague_sees_it(
    admin_and_agent: tuple[Visit, Visit], deployed: Deployed
) -> None:
    emmy, milo = admin_and_agent
    names = ("--company", COMPANY, "--scopes", *OF_MAIL, "--name", "console")
    key = operate(deployed.stack, "api-keys", "create", *names)
    registered = http.request(
        "PUT",
        f"{deployed.stack.api_url}/email-mailboxes/{MAILBOX}",
        headers={"x-api-key": key},
        json={"display_name": "Shop"},
    )
    assert registered.status < 300, registered.data
    now = time.time_ns()
    subject, macro, reply = f"Lieferung {now}", f"macro-{now}", f"answer-{now}"
    arrive(deployed, subject, "Wo ist mein Paket?")
    page, other = milo.page, emmy.page
    other.evaluate("location.hash = '#/operations/macros'")
    form = other.get_by_role("form", name=DE["canned.form"])
    form.get_by_label(DE["macro.name"]).fill(reply)
    form.get_by_label(DE["canned.text"]).fill("Es kommt am {{day}}.")
    form.get_by_role("button", name=DE["ops.store"]).click()
    expect(other.get_by_role("row").filter(has_text=reply).first).to_be_visible()
    editor = other.get_by_role("form", name=DE["macro.form"])
    editor.get_by_label(DE["macro.name"]).fill(macro)
    editor.locator("select").first.select_option(reply)
    editor.get_by_label(DE["macro.add_labels"]).fill("Lieferung")
    editor.get_by_role("button", name=DE["ops.store"]).click()
    expect(other.get_by_role("row").filter(has_text=macro).first).to_be_visible()
    opened(page, subject, "email_threads")
    opened(other, subject, "email_threads")

    page.locator(".pane").get_by_role("button", name=AR["macro.choose"]).click()
    page.locator(".panel .choice", has_text=macro).click()
    page.locator(".picker-form input").fill("الأحد")
    expect(page.locator(".picker-preview")).to_have_text("Es kommt am الأحد.")
    page.locator(".picker-form").get_by_role("button", name=AR["macro.run"]).click()
    for shown in (page, other):
        expect(shown.locator(".mail-draft", has_text="الأحد")).to_have_count(1)
        expect(shown.locator(".facts .label", has_text="Lieferung")).to_have_count(1)
    narrow(other, 320)


def test_files_survive_other_pages_and_a_colleagues_answer_is_seen_before_the_send(
    both: tuple[Visit, Visit],
) -> None:
    nora, milo = both
    sender = written(milo, "Files")
    page, other = milo.page, nora.page
    opened(page, sender.name)
    opened(other, sender.name)
    quote = FilePayload(name="quote.txt", mimeType="text/plain", buffer=b"100 EUR" * 3_000)
    page.locator(".composer input[type=file]").set_input_files(files=[quote])
    composer(page).fill("عرض السعر")
    # While it is being uploaded the person is on other pages.
    page.evaluate("location.hash = '#/review'")
    page.locator("main").first.wait_for()

    composer(other).fill("Das Angebot folgt.")
    composer(other).press("Enter")
    expect(other.locator(".message-out", has_text="Das Angebot folgt.")).to_have_count(1)  # at once
    expect(other.locator("[data-unsent]")).to_have_count(0)
    opened(page, sender.name)
    expect(page.locator(".message-out", has_text="Das Angebot folgt.")).to_have_count(1)
    attached = page.locator(".attached", has_text="quote.txt")
    expect(attached).to_contain_text(AR["attach.ready"])
    expect(composer(page)).to_have_value("عرض السعر")

    composer(page).press("Enter")
    stopped = page.locator("[data-unsent=failed]", has_text="عرض السعر")
    expect(stopped.get_by_role("alert")).to_contain_text(
        AR["unsent.answered"].format(who=f"\u2068{NAMES[NORA]}\u2069")
    )
    expect(stopped.get_by_role("alert")).to_contain_text("Das Angebot folgt.")
    expect(other.locator(".message-out", has_text="عرض السعر")).to_have_count(0)
    narrow(page, 320)
    stopped.get_by_role("button", name=AR["unsent.edit"]).click()
    expect(attached).to_contain_text(AR["attach.ready"])  # with the text
    composer(page).press("Enter")
    expect(page.locator("[data-unsent]")).to_have_count(0)
    for shown in (page, other):
        expect(shown.locator(".message-out", has_text="عرض السعر")).to_have_count(1)


def test_many_conversations_are_snoozed_and_archived_and_put_back_before_a_colleagues_eyes(
    both: tuple[Visit, Visit],
) -> None:
    nora, milo = both
    group = f"Group {time.time_ns()}"
    for letter in "ABC":
        now = time.time_ns()
        write(milo.stack, Customer(f"{group} {letter}", wa_id=f"4477{now % 100_000_000:08}"), "Hi")
    page, other = milo.page, nora.page
    for shown in (page, other):
        shown.evaluate("place => { location.hash = place; }", f"#/all?q={group}&status=all")
        expect(shown.locator(".list .row", has_text=group)).to_have_count(3)
    theirs = other.locator(".list .row", has_text=group)
    status = page.locator(".list-rows .notice [role=status]")

    def chosen() -> Locator:
        dismiss = page.get_by_role("button", name=AR["bulk.dismiss"])
        if dismiss.count():
            dismiss.click()
        boxes = page.locator(".row-choice input")
        boxes.first.click()
        boxes.nth(2).click(modifiers=["Shift"])
        selection = page.get_by_role("group", name=AR["bulk.label"])
        expect(selection).to_contain_text("3")
        return selection

    def over() -> None:
        page.get_by_role("button", name=AR["bulk.dismiss"]).wait_for()
        expect(status).to_contain_text(re.compile("[3٣]"))

    for action, status_after in (("snooze", "snoozed"), ("archive", "archived")):
        name = re.compile(re.escape(DE[f"inbox.status.{status_after}"]))
        selection = chosen()
        narrow(page, 320)
        if action == "snooze":
            selection.get_by_role("button", name=AR["action.snooze"]).click()
            selection.get_by_role("button", name=AR["bulk.snooze.day"]).click()
        else:
            selection.get_by_role("button", name=AR[f"bulk.action.{action}"]).click()
        over()
        expect(theirs.filter(has_text=name)).to_have_count(3)
        page.locator(".list-rows .notice").get_by_role("button", name=AR["undo.button"]).click()
        expect(theirs.filter(has_text=name)).to_have_count(0)
        over()
