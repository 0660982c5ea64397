"""The whole application in a browser: its built pages, with a network that a test answers."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from local.console import browser as browsers
from local.console import build
from tests.suites import keyboard
from tests.unit.console.pages.network import PAGE, Network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

type Opened = Callable[[Network, str], Page]
PATIENCE_MS = 150_000  # the machine may be busy with the end-to-end tests, which come first
keyboard.install()


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages; the processes of a run build them once."""
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    built = shared / "built"
    with (shared / "built-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            build.build(shared / "building")
            (shared / "building").rename(built)
    return built / "python" / "console_pages"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = browsers.executable()
    with sync_playwright() as playwright:
        browser = browsers.launched(playwright, program)
        yield browser
        browser.close()


@pytest.fixture
def locale() -> str:
    """The language of the browser; tests of others have it as a parameter."""
    return "en-GB"


@pytest.fixture
def context(chromium: Browser, locale: str) -> Iterator[BrowserContext]:
    with chromium.new_context(locale=locale, viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context


@pytest.fixture
def opened(context: BrowserContext) -> Iterator[Opened]:
    """Sign in at a place of the application: `opened(network, "all")`. The test fails if a call has no answer."""
    networks: list[Network] = []

    def at(network: Network, place: str) -> Page:
        networks.append(network)
        page = context.new_page()
        network.of(page)
        page.goto(f"{PAGE}#/{place}")
        page.locator(".signin-card button").first.click()
        page.locator("nav.rail").wait_for()
        return page

    yield at
    assert [fault for network in networks for fault in network.faults] == []
