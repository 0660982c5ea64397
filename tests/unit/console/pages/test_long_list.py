"""A list of 5,000 conversations, and a page that is open all day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import DRAWN

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import CDPSession, Page

    from tests.unit.console.pages.conftest import Opened

ROWS, UPDATES = 5_000, 200
# Counts changes of the list while a person scrolls: it must need none.
WATCH = """() => {
    window.changes = 0;
    new MutationObserver((found) => (window.changes += found.length)).observe(document.querySelector('.list-rows'), {
        subtree: true, childList: true, attributes: true, characterData: true,
    });
}"""
SCROLL = "to => { document.querySelector('.list-rows').scrollTop = to; }"
# Of rows that are not on the screen the browser makes no layout.
SKIPPED = "() => [...document.querySelectorAll('.row-line')].filter((one) => !one.firstChild.checkVisibility({ contentVisibilityAuto: true })).length"


def kept(session: CDPSession) -> tuple[int, int, int]:
    """Bytes of the heap, nodes and listeners, after a collection of garbage."""
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]
    counted = session.send("Memory.getDOMCounters")
    return heap, counted["nodes"], counted["jsEventListeners"]


def all_rows(page: Page) -> None:
    """Scroll to the end of the list until it has all rows."""
    rows = page.locator(".row-line")
    while (count := rows.count()) < ROWS:
        page.evaluate(SCROLL, 10_000_000)
        rows.nth(count).wait_for(state="attached")


@pytest.mark.long
def test_five_thousand_conversations_scroll_without_a_change_of_the_page(
    opened: Opened, pages: Path
) -> None:
    page = opened(Company(rows=ROWS).network(pages), "all")
    page.locator(".row-line").first.wait_for()
    all_rows(page)
    page.evaluate(SCROLL, 0)
    page.evaluate(DRAWN)

    page.evaluate(WATCH)
    height = page.evaluate("document.querySelector('.list-rows').scrollHeight")
    for part in range(1, 40):
        page.evaluate(SCROLL, height * part // 40)
        page.evaluate(DRAWN)
    assert page.evaluate("window.changes") == 0
    assert page.evaluate(SKIPPED) > ROWS * 0.9


@pytest.mark.long
def test_memory_stays_the_same_over_two_hundred_updates(opened: Opened, pages: Path) -> None:
    company = Company(rows=50, messages=300)
    network = company.network(pages)
    page = opened(network, "all/whatsapp/k0")
    log = page.get_by_role("log", name="Messages")
    log.get_by_text("line 299.", exact=True).wait_for()
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")

    def update() -> None:
        company.versions["k0"] = company.versions.get("k0", 1) + 1
        with page.expect_response(lambda one: "/whatsapp/conversations/k0?" in one.url):
            network.hint("whatsapp", "k0", company.versions["k0"])
        network.quiet(page)

    for _ in range(20):
        update()
    heap, nodes, listeners = kept(session)
    for _ in range(UPDATES):
        update()
    grown, nodes_then, listeners_then = kept(session)

    print(f"heap {heap} -> {grown}, nodes {nodes} -> {nodes_then}, {listeners} -> {listeners_then}")
    assert grown < heap * 1.05
    assert nodes_then < nodes * 1.05
    assert listeners_then < listeners * 1.05
