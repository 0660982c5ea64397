"""
Takes screenshots of every page of the console, on a desktop and on a phone, light and dark.

    make up && make demo                           a stack that stays, with the events of the demo
    python -m local.console.screenshots [de-DE]    writes .local/screenshots/<language>, and renews those in docs/images
"""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from local.console import browser
from local.stack.cli import running_stack
from local.stack.deployment import Stack
from local.stack.processes import LOCAL, ROOT
from local.stack.seed import PASSWORD

DOCS = ROOT / "docs" / "images" / "console"
FOLDER = LOCAL / "screenshots"
LANGUAGE = "en-GB"
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
PATIENCE_MS = 30_000


@dataclass(frozen=True)
class Place:
    """A page of the console: its place, who looks at it, the row to open there, and a button to press then."""

    name: str
    place: str
    login: str = "supervisor@acme.example"
    row: str | None = None
    button: str | None = None


PLACES = (
    Place("sign-in", ""),
    Place("inbox", "all"),
    Place("whatsapp", "whatsapp", row="Ada Byrne"),
    Place("template", "whatsapp", row="Zoë Okafor", button=".window-closed button"),
    Place("e-mail", "email_threads", row="Delivery of twelve chairs"),
    Place("emoji", "whatsapp", row="Jürgen Müller"),
    Place("japanese", "email_threads", row="さくらナナ"),
    Place("assistant", "conversations", "recruiter@acme.example", row="Carol"),
    Place("review", "review"),
    Place("reports", "reports/volume"),
    Place("overview", "operations/overview", "operator@acme.example"),
    Place("parked", "operations/parked", "operator@acme.example"),
    Place("switches", "operations/switches", "admin@acme.example"),
    Place("decisions", "operations/decisions", "admin@acme.example"),
    Place("templates", "operations/templates", "admin@acme.example"),
    Place("cost", "operations/cost", "operator@acme.example"),
    Place("audit", "operations/audit", "operator@acme.example"),
)


def main() -> None:
    """Write all screenshots, and print what axe finds on each page."""
    language = sys.argv[1] if len(sys.argv) > 1 else LANGUAGE
    folder = FOLDER / language
    folder.mkdir(parents=True, exist_ok=True)
    with running_stack() as stack, chromium_at(browser.executable()) as chromium:
        for size in SIZES:
            for place, page in pages(chromium, stack, size, PLACES, language):
                file = folder / f"{place.name}-{size}.jpg"
                file.write_bytes(picture_of(page))
                if language == LANGUAGE and (DOCS / file.name).exists():
                    shutil.copy(file, DOCS)
                print(f"{file.stem}: {_findings(page) or 'no finding'}")


@contextmanager
def chromium_at(executable: Path) -> Iterator[Browser]:
    """Provide a browser inside the context manager."""
    with sync_playwright() as playwright:
        chromium = browser.launched(playwright, executable)
        yield chromium
        chromium.close()


def picture_of(page: Page) -> bytes:
    """Return a page as a JPEG."""
    return page.screenshot(type="jpeg", quality=75)


def pages(
    chromium: Browser, stack: Stack, size: str, places: Sequence[Place], language: str = LANGUAGE
) -> Iterator[tuple[Place, Page]]:
    """Yield each place as it is shown, with one login for neighbouring places of the same person."""
    width, height = SIZES[size]
    page, login = None, ""
    for place in places:
        if page is None or (place.place and place.login != login):
            page = chromium.new_context(
                locale=language,
                viewport={"width": width, "height": height},
                color_scheme="dark" if size == "phone" else "light",
                timezone_id="Europe/Berlin",
            ).new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(stack.console_url)
            page.locator(".signin-card button").first.wait_for()
            login = ""
        if place.place and not login:
            login = place.login
            _log_in(page, login)
        _go_to(page, place)
        yield place, page


def _log_in(page: Page, login: str) -> None:
    page.locator(".signin-card button").first.click()
    page.locator("input[name=username]").fill(login)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("[type=submit]").first.click()
    page.locator("nav.rail").wait_for()


def _go_to(page: Page, place: Place) -> None:
    if place.place:
        page.evaluate("place => { location.hash = place; }", f"#/{place.place}")
    _settle(page)
    if place.row is not None:
        page.locator(".row", has_text=place.row).first.click()
        _settle(page)
    if place.button is not None:
        page.locator(place.button).first.click()
        _settle(page)


def _settle(page: Page) -> None:
    """Wait until the page shows what it loads."""
    page.wait_for_timeout(500)
    page.wait_for_load_state("networkidle")
    page.locator(".skeletons, [aria-busy=true]").first.wait_for(state="detached")


def _findings(page: Page) -> list[str]:
    page.evaluate(browser.axe())
    report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['impact']} {one['id']}" for one in report["violations"]]


if __name__ == "__main__":
    main()
