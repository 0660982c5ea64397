"""Each place of the console has a link to the documentation, whose pages come with it."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.template import ROOT
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import PAGE
from tests.unit.console.typescript import run

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    from tests.unit.console.pages.conftest import Opened

SOURCES: Final = ROOT / "console" / "src"
MODULE: Final = "shell/documentation.ts"
FURTHER: Final = "shell/furtherDocumentation.ts"
NO_PLACE: Final = "index"


def _words(file: str, pattern: str) -> list[str]:
    found = re.findall(pattern, (SOURCES / file).read_text("utf-8"))
    assert found, (file, pattern)
    return [str(one) for one in found]


def _places() -> list[str]:
    """All places that the sources name: sections, their parts and tabs, the steps, and open conversations."""
    sections = _words("shell/sections.ts", r'export const [A-Z]+ = "(\w+)"')
    lists = _words("shell/sections.ts", r'{ name: "(\w+)", icon')
    [parts] = _words("operations/access.ts", r"PARTS = \[(.*)\] as const")
    [setup] = _words("setup/steps/entered.ts", r"STEPS = \[(.*)\] as const")
    [steps] = _words("newsletters/source.ts", r"STEPS = \[(.*)\] as const")
    tabs = _words("newsletters/Newsletters.tsx", r'\nconst [A-Z]+ = "(\w+)"')
    return [
        *(one for one in sections if one != "begin"),
        *lists,
        *(
            f"{one}/{kind}/key"
            for one in lists
            for kind in ("whatsapp", "conversations", "email_threads")
        ),
        *(f"operations/{one}" for one in re.findall(r"\w+", parts)),
        *(f"operations/setup/{one}" for one in re.findall(r"\w+", setup)),
        *("campaigns/templates", "campaigns/prices", "campaigns/an-id", "contacts/an-id"),
        *(f"newsletters/{one}" for one in (*tabs, "IS-1", "NL-1")),
        *(f"newsletters/NL-1/{one}" for one in re.findall(r"\w+", steps)),
        *(f"reports/{one}" for one in _words("reports/Reports.tsx", r'{ name: "(\w+)", text')),
    ]


def _help_of(place: str) -> str:
    parts = place.split("/")
    near = run(MODULE, "m.helpOfLists(value)", parts)
    return str(near or run(FURTHER, "m.helpOf(value)", parts))


@pytest.fixture(scope="module")
def anchors(pages: Path) -> dict[str, set[str]]:
    """The anchors of each page of the documentation, as built."""
    folder = pages / "docs"
    return {
        str(file.relative_to(folder).with_suffix("")): set(
            re.findall(r' id="([^"]+)"', file.read_text("utf-8"))
        )
        for file in folder.rglob("*.html")
    }


def test_every_place_has_a_section_of_the_documentation_which_the_console_brings(
    anchors: dict[str, set[str]],
) -> None:
    found = {place: _help_of(place) for place in _places()}
    others = [
        *run(MODULE, "[m.SIGN_IN_HELP, m.BEGIN_HELP]", None),
        *_words("setup/steps/ChannelsStep.tsx", r'help: "([^"]+)"'),
    ]

    assert len(found) > 60
    assert [place for place, target in found.items() if target == NO_PLACE] == []
    assert _help_of("unknown/place") == NO_PLACE
    assert NO_PLACE in anchors
    wrong = [
        one
        for one in {*found.values(), *others}
        if one.split("#")[1] not in anchors.get(one.split("#")[0], set())
    ]
    assert wrong == []


def test_links_between_pages_of_the_documentation_lead_to_their_sections(
    pages: Path, anchors: dict[str, set[str]]
) -> None:
    wrong = []
    for file in (pages / "docs").rglob("*.html"):
        own = str(file.relative_to(pages / "docs").with_suffix(""))
        for link in re.findall(r'href="([^"]+)"', file.read_text("utf-8")):
            path, _, anchor = link.partition("#")
            if path.endswith(".css") or path.startswith("https:"):
                continue
            to = (file.parent / path).resolve() if path else file
            name = str(to.relative_to((pages / "docs").resolve()).with_suffix("")) if path else own
            if name not in anchors or (anchor and anchor not in anchors[name]):
                wrong.append((own, link))
    assert wrong == []


def test_the_list_of_a_page_names_its_sections_as_their_headings_do(pages: Path) -> None:
    compared = 0
    for file in (pages / "docs").rglob("*.html"):
        text = file.read_text("utf-8")
        listed = re.findall(r'<li class="depth-\d"><a href="#[^"]*">(.*?)</a></li>', text)
        headings = re.findall(r"<h[23] id=[^>]*>(.*?)</h[23]>", text)
        shown = [unescape(re.sub(r"<[^>]+>", "", one)) for one in headings]
        if listed:
            assert list(map(unescape, listed)) == shown, file.name
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("locale", ["de-DE"])
def test_the_navigation_links_to_the_help_of_each_place_by_keyboard_and_says_that_it_is_english(
    opened: Opened, pages: Path
) -> None:
    network = Company().network(pages)
    page = opened(network, "all")
    page.locator(".row").first.wait_for()
    link = page.get_by_role("link", name="Hilfe (englisch)")
    expect(link).to_have_attribute("target", "_blank")  # the session ends with its page
    expect(link).to_have_attribute("hreflang", "en")
    page.locator(".rail-link").nth(-2).focus()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    assert barriers(page) == []

    with page.expect_event("requestfinished", lambda one: "furtherDocumentation" in one.url):
        page.evaluate("location.hash = '#/unknown'")
    network.is_lost = True  # a place that cannot be read has its help, too
    for place in _places():
        page.evaluate("place => { location.hash = '#/' + place }", place)
        address = run(MODULE, "m.addressOf(value)", _help_of(place))
        expect(page.locator(".rail-help")).to_have_attribute("href", address)
    network.is_lost = False


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_the_documentation_is_read_without_a_login_on_a_narrow_page(
    pages: Path, context: BrowserContext, scheme: str
) -> None:
    page = context.new_page()
    network = Company().network(pages)
    network.of(page)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two words
    page.goto(PAGE)
    page.get_by_role("link", name="Help").wait_for()
    address = page.get_by_role("link", name="Help").evaluate("link => link.href")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address)

    expect(page.get_by_role("heading", name="Signing in", exact=True)).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert barriers(page) == []
    page.get_by_role("link", name="all pages").click()
    page.get_by_role("link", name="Erase and export a person").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Erase and export a person")
    assert urlsplit(page.url).path == "/prod/console/docs/privacy.html"
    assert network.calls == []
