"""A list of 5,000 conversations, and a page that is open all day."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import DRAWN, Answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, CDPSession, Page

    from tests.unit.console.pages.conftest import Opened

ROWS, UPDATES = 5_000, 200
STEPS, STEP = 40, 4_000  # turns of the wheel, pixels of one
# Notes changes of the list while a person scrolls: it needs none, so that each frame is only painted.
WATCH = """() => {
    window.changes = [];
    const text = ({ type, target }) => `${type} ${target.outerHTML ?? target.data}`;
    const note = (found) => window.changes.push(...found.map(text));
    new MutationObserver(note).observe(document.querySelector('.list-rows ul'), {
        subtree: true, childList: true, attributes: true, characterData: true,
    });
}"""
# Marks of rows that show a part of their text only.
CUT = """[...document.querySelectorAll('.row-marks .badge')]
    .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""
SCROLL = "to => { document.querySelector('.list-rows').scrollTop = to; }"
# Pauses between updates are left out; longer times stay.
WITHOUT_PAUSES = """
const later = window.setTimeout;
window.setTimeout = (act, ms, ...more) => later(act, ms > 3_000 ? ms : 0, ...more);
"""
# What the scripts of a page have. Not: code, which the browser compiles better with time, and its lists of calls.
OF_THE_PAGE = {"object", "closure", "array", "string", "symbol", "number", "regexp"}


def kept(page: Page) -> tuple[int, int, int]:
    """Bytes of the page's own values in the heap, nodes and listeners, after a collection of garbage."""
    session, chunks = page.context.new_cdp_session(page), []
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: chunks.append(event["chunk"]))
    session.send("HeapProfiler.takeHeapSnapshot")
    counted = session.send("Memory.getDOMCounters")
    session.detach()
    snapshot = json.loads("".join(chunks))
    meta, nodes = snapshot["snapshot"]["meta"], snapshot["nodes"]
    kinds, fields = meta["node_types"][0], meta["node_fields"]
    size = fields.index("self_size")
    own = sum(
        nodes[at + size]
        for at in range(0, len(nodes), len(fields))
        if kinds[nodes[at]] in OF_THE_PAGE
    )
    return own, counted["nodes"], counted["jsEventListeners"]


def layouts(session: CDPSession) -> float:
    """How often the browser has computed places until now."""
    found = session.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in found if one["name"] == "LayoutCount")


def all_rows(page: Page) -> None:
    """Scroll to the end of the list until it has all rows."""
    rows = page.locator(".row-line")
    while (count := rows.count()) < ROWS:
        page.evaluate(SCROLL, 10_000_000)
        rows.nth(count).wait_for(state="attached")


@pytest.mark.long
def test_five_thousand_conversations_scroll_without_a_change_or_a_layout_of_the_page(
    opened: Opened, pages: Path
) -> None:
    page = opened(Company(rows=ROWS).network(pages), "all")
    page.locator(".row-line").first.wait_for()
    all_rows(page)
    page.evaluate(SCROLL, 0)
    page.evaluate(DRAWN)

    page.evaluate(WATCH)
    page.locator(".list-rows").hover()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = layouts(session)
    for _ in range(STEPS):
        page.mouse.wheel(0, STEP)
        page.evaluate(DRAWN)
    assert page.evaluate("document.querySelector('.list-rows').scrollTop") == STEPS * STEP
    assert page.evaluate("window.changes") == []
    # Of a scroll that needs layouts each step has one; the rest of the page has few, such as of its sign.
    assert layouts(session) - before < STEPS / 2


@pytest.mark.long
def test_memory_stays_the_same_over_two_hundred_updates(
    opened: Opened, pages: Path, context: BrowserContext
) -> None:
    company = Company(rows=50, messages=300)
    network = company.network(pages)
    context.add_init_script(WITHOUT_PAUSES)
    page = opened(network, "all/whatsapp/k0")
    page.get_by_role("log", name="Messages").get_by_text("line 299.", exact=True).wait_for()

    def update() -> None:
        company.versions["k0"] = company.versions.get("k0", 1) + 1
        with page.expect_response(lambda one: "/whatsapp/conversations/k0?" in one.url):
            network.hint("whatsapp", "k0", company.versions["k0"])

    for _ in range(20):
        update()
    before = kept(page)
    for _ in range(UPDATES):
        update()
    then = kept(page)

    grown = [after / first for first, after in zip(before, then, strict=True)]
    assert max(grown) < 1.02, (before, then)


def test_rows_of_one_customer_at_two_numbers_of_the_company_show_the_number(
    opened: Opened, pages: Path
) -> None:
    absent = (
        "business_account_name verified_name messaging_limit sending_blocked_reason "
        "sending_blocked_until transcription"
    )
    names = dict.fromkeys(absent.split())
    numbers = [
        names
        | {
            "phone": phone, "display_phone": phone, "display_text": text, "waba": "1",
            "provider": "eum", "enabled": True, "automation": "none", "sending_blocked": False,
        }
        for phone, text in (("100", "+1 555 0100"), ("200", "+1 555 0200"))
    ]  # fmt: skip

    @dataclass
    class Twins(Company):
        def row(self, number: int) -> dict[str, Any]:
            same = super().row(min(number, 1))  # 0, and 1 twice
            return same | {"key": f"k{number}", "address": "100" if number < 2 else "200"}

    network = Twins().network(
        pages, **{"GET /whatsapp/numbers": lambda _: Answer({"numbers": numbers})}
    )
    page = opened(network, "all")
    rows = page.locator("a.row")

    expect(rows.nth(1)).to_contain_text("to \u2066+1 555 0100\u2069")
    expect(rows.nth(2)).to_contain_text("0200")
    assert page.evaluate(CUT) == []
    expect(rows.nth(0)).not_to_contain_text("0100")
    assert network.routes().count("GET /whatsapp/numbers") == 1


def test_a_list_without_such_rows_looks_for_no_numbers(opened: Opened, pages: Path) -> None:
    network = Company().network(pages)
    page = opened(network, "all")
    expect(page.locator("a.row")).to_have_count(3)
    network.quiet(page)

    assert "GET /whatsapp/numbers" not in network.routes()
