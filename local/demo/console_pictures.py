"""Pictures of the web console after the demo, if a Chromium is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from playwright.sync_api import Error

from local.console import browser
from local.console.screenshots import PLACES, chromium_at, pages, picture_of

if TYPE_CHECKING:
    from local.stack.cli import Stack

SHOWN: Final = ("inbox", "whatsapp", "e-mail", "assistant", "overview")


def taken(stack: Stack) -> dict[str, bytes]:
    """Return JPEGs by the name of their page: none without a browser, fewer if a page does not appear."""
    program = browser.installed()
    found: dict[str, bytes] = {}
    if program is None:
        return found
    places = [place for place in PLACES if place.name in SHOWN]
    try:
        with chromium_at(program) as chromium:
            for place, page in pages(chromium, stack, "desktop", places):
                found[place.name] = picture_of(page)
    except Error:  # The demo is about Parley; a browser that fails must not fail it.
        return found
    return found
