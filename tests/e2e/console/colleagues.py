"""Two people of a team in browsers of their own over a slow network, and the words that their pages show."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from playwright.sync_api import ViewportSize

from local.stack.processes import ROOT
from local.stack.seed import PASSWORD
from tests.e2e.console.conftest import PATIENCE_MS, Visit, visit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

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


def words(language: str) -> dict[str, str]:
    """All texts of a language by their keys."""
    return {
        key: text
        for file in TEXTS.rglob(f"{language}.json")
        for key, text in json.loads(file.read_text("utf-8")).items()
    }
