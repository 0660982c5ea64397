"""A working day of an agent in Arabic beside a German colleague, both over slow networks, in a browser."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from events.whatsapp.sample_data import Customer
from local.console.browser import barriers
from local.stack.seed import NAMES
from tests.e2e.console.colleagues import MILO, NORA, notified, on_slow_networks, words
from tests.e2e.console.conftest import PATIENCE_MS, Visit
from tests.e2e.console.test_languages import MIRRORED
from tests.e2e.webhooks import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
AR, DE = words("ar"), words("de")
KEYS = re.compile("|".join(rf"\b{re.escape(key)}\b" for key in AR if "." in key))
QUESTION = "مرحبا، أين طلبي؟"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def both(chromium: Browser, deployed: Deployed) -> Iterator[tuple[Visit, Visit]]:
    people = {NORA: "de-DE", MILO: "ar-EG"}
    with on_slow_networks(chromium, deployed, people) as (nora, milo):
        yield nora, milo
        assert (nora.violations, milo.violations) == ([], [])


def ok(page: Page) -> None:
    """The page is Arabic, has no barriers, and no number is mirrored."""
    assert KEYS.findall(page.inner_text("body")) == []
    assert page.evaluate(MIRRORED) == []
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def arrive(visit: Visit, name: str, count: int = 1) -> list[Customer]:
    now = time.time_ns() % 10_000_000
    senders = [
        Customer(f"{name} {now} {letter}", wa_id=f"4477{now:07}{place}")
        for place, letter in enumerate("ABC"[:count])
    ]
    for sender in senders:
        write(visit.stack, sender, QUESTION)
    return senders


def search(page: Page, text: str, rows: int) -> Locator:
    """Find rows with the keys only."""
    page.locator(".list .row").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    found = page.locator(".list .row", has_text=text)
    expect(found).to_have_count(rows)
    expect(page.locator(".list .row")).to_have_count(rows)
    page.keyboard.press("Escape")
    page.locator(".list .row").first.focus()
    return found


def press(page: Page, key: str) -> None:
    """Press a key while the focus is on the row."""
    page.locator(".list .row[aria-current]").or_(page.locator(".list .row")).first.focus()
    page.keyboard.press(key)


def test_an_agent_works_in_arabic_with_keys_and_a_german_colleague_sees_each_step_and_its_undo(
    both: tuple[Visit, Visit],
) -> None:
    nora, milo = both
    (sender,) = arrive(milo, "Salma")
    page, other = milo.page, nora.page
    search(page, sender.name, 1)
    page.keyboard.press("Enter")
    message = page.locator(".message .bubble-text").first
    expect(message).to_have_text(QUESTION)
    assert page.evaluate("document.documentElement.dir") == "rtl"
    ok(page)
    other.locator(".list .row", has_text=sender.name).click()
    facts = other.locator(".facts")
    expect(other.locator(".message .bubble-text").first).to_have_text(QUESTION)

    # Reply: shown at once, before the answer of the slow network.
    press(page, "r")
    page.keyboard.type("طلبك 4711 في الطريق")
    page.keyboard.press("Enter")
    expect(page.locator(".message-out", has_text="4711")).to_have_count(1)
    expect(other.locator(".message-out", has_text="4711")).to_have_count(1)

    # Note that mentions the colleague.
    press(page, "n")
    expect(page.locator("[data-command=note]")).to_be_focused()
    page.keyboard.type(f"@{NAMES[NORA][:5]}")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("Enter")
    page.keyboard.type("هل يمكنك المتابعة؟")
    page.get_by_role("button", name=AR["note.add"]).press("Enter")
    expect(other.locator(".note", has_text="المتابعة")).to_have_count(1)
    expect(page.locator(".note", has_text=NAMES[NORA])).to_have_count(1)

    reopen = other.get_by_role("button", name=DE["action.reopen"], exact=True)
    archived = facts.get_by_text(DE["inbox.status.archived"], exact=True)
    steps = {
        "a": facts.locator("dd", has_text=NAMES[MILO]),
        "l": facts.locator(".label", has_text="عاجل"),
        "s": facts.get_by_text(DE["facts.snoozed"].partition("{")[0]),
        "e": reopen,
        "y": archived,
    }
    for key, shown in steps.items():
        expect(shown).to_have_count(0)
        press(page, key)
        if key in {"a", "s"}:
            page.locator(".panel .choice").first.focus()
            ok(page)
            page.keyboard.press("Enter")
        if key == "l":
            page.keyboard.type("عاجل")
            page.keyboard.press("Enter")
        expect(shown).to_have_count(1)
        page.locator(".toast").get_by_role("button", name=AR["undo.button"]).last.wait_for()
        page.locator(".facts-person, .pane-title").first.click()
        page.keyboard.press("z")
        expect(shown).to_have_count(0)
    ok(page)


def test_several_conversations_are_changed_in_arabic_and_a_german_colleague_is_notified(
    both: tuple[Visit, Visit],
) -> None:
    nora, milo = both
    senders = arrive(milo, "Huda", count=3)
    common = senders[0].name[:-2]
    page, other = milo.page, nora.page
    rows, theirs = search(page, common, 3), search(other, common, 3)

    def choose() -> Locator:
        boxes = page.locator(".row-choice input")
        boxes.first.click()
        boxes.nth(2).click(modifiers=["Shift"])
        return page.get_by_role("group", name=AR["bulk.label"])

    def result() -> None:
        expect(page.locator(".list-rows .notice [role=status]")).to_contain_text("3")
        page.get_by_role("button", name=AR["bulk.dismiss"]).wait_for()

    label = choose().get_by_role("textbox")
    ok(page)
    label.fill("شحنة")
    label.press("Enter")
    result()
    expect(theirs.filter(has_text="شحنة")).to_have_count(3)
    page.locator(".list-rows .notice").get_by_role("button", name=AR["undo.button"]).click()
    expect(theirs.filter(has_text="شحنة")).to_have_count(0)
    page.get_by_role("button", name=AR["bulk.dismiss"]).click()

    choose().get_by_role("combobox").select_option(label=NAMES[NORA])
    result()
    page.get_by_role("button", name=AR["bulk.dismiss"]).click()
    choose().get_by_role("button", name=AR["bulk.action.read"]).click()
    result()
    expect(rows.locator(".count")).to_have_count(0)
    page.get_by_role("button", name=AR["bulk.dismiss"]).click()
    choose().get_by_role("button", name=AR["bulk.action.resolve"]).click()
    result()
    resolved = AR["inbox.status.resolved"]
    expect(rows.filter(has_text=resolved)).to_have_count(3)
    ok(page)

    notified(nora, common, count=3).first.click()
    expect(other.locator(".message .bubble-text").first).to_have_text(QUESTION)
    other.keyboard.press("a")
    other.locator(".panel .choice", has_text=NAMES[MILO]).click()
    mine = notified(milo, common)
    expect(page.locator(".bell .bell-count")).to_be_visible()
    ok(page)
    mine.first.click()
    expect(page.locator(".message .bubble-text").first).to_have_text(QUESTION)


def test_reports_are_read_in_arabic_without_barriers(both: tuple[Visit, Visit]) -> None:
    page = both[1].page
    page.locator("nav.rail .rail-links a[href*=reports]").click()
    page.locator(".ops-section svg").first.wait_for()
    for part in page.locator(".ops-tabs .tab").all():
        part.click()
        page.locator(".ops-section").first.wait_for()
        page.locator("[aria-busy=true], .skeletons").first.wait_for(state="detached")
        ok(page)
