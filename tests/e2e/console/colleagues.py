"""Two people of a team in browsers of their own over a slow network, and the words that their pages show."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Final

from playwright.sync_api import ViewportSize, expect

from local.stack.processes import ROOT
from local.stack.seed import PASSWORD
from tests.e2e.console.conftest import PATIENCE_MS, Visit, visit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator

    from tests.e2e.conftest import Deployed

# Of the seed: functions keep the names of colleagues for five minutes.
NORA: Final = "supervisor@acme.example"
MILO: Final = "agent@acme.example"
# A poor mobile connection: bytes a second, and milliseconds to an answer.
SLOW: Final = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": 60_000,
    "uploadThroughput": 20_000,
}
LOOKS, LOOK_MS = 30, 10_000
TEXTS: Final = ROOT / "console" / "src" / "texts"


@contextmanager
def on_slow_networks(
    chromium: Browser, deployed: Deployed, people: dict[str, str]
) -> Iterator[list[Visit]]:
    """Sign people in, by their address and language; their networks are slow from then on."""
    with ExitStack() as contexts:
        yield [
            _signed_in(contexts, chromium, deployed, email, locale)
            for email, locale in people.items()
        ]


def _signed_in(
    contexts: ExitStack, chromium: Browser, deployed: Deployed, email: str, locale: str
) -> Visit:
    viewport = ViewportSize(width=1280, height=800)
    context = contexts.enter_context(chromium.new_context(locale=locale, viewport=viewport))
    context.set_default_timeout(PATIENCE_MS)
    visit = visit_of(context, deployed, email)
    visit.password = PASSWORD
    visit.page.goto(deployed.stack.console_url)
    visit.page.locator(".signin-card button").click()
    visit.log_in()
    session = context.new_cdp_session(visit.page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    return visit


def notified(visit: Visit, text: str, count: int = 1) -> Locator:
    """
    The notifications with a text that no other test has, in the open list of the person. It is opened again until it
    has them: hints may be lost, and the number on the bell counts notifications of other tests, too.
    """
    bell = visit.page.locator(".bell button").first
    found = visit.page.locator(".notification", has_text=text)
    for _ in range(LOOKS):
        bell.click()
        with suppress(AssertionError):
            expect(found).to_have_count(count, timeout=LOOK_MS)
            return found
        bell.click()
    raise AssertionError(f"no {count} notifications")


def words(language: str) -> dict[str, str]:
    """All texts of a language by their keys."""
    return {
        key: text
        for file in TEXTS.rglob(f"{language}.json")
        for key, text in json.loads(file.read_text("utf-8")).items()
    }
