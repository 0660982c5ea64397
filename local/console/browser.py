"""
The browser of the tests of the console, its fonts, and the checks of accessibility that run in it.

Chromium of this machine, else the one of an npm package, which is for Linux on x86-64: other machines need their own.
"""

import fcntl
import os
import platform
import shutil
import sys
from functools import cache
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright

from local.console import build, fonts
from local.stack import environments
from local.stack.processes import LOCAL, ROOT, StackError

LISTED = ROOT / "tests" / "e2e" / "console" / "browser"
_FOLDER = LOCAL / "browser"
_UNPACKED = _FOLDER / "chromium"
_INSTALLED = (
    "/usr/lib/chromium/chromium",  # chromium is a script in some distributions, which passes further options
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_OF_THE_PACKAGE = ("linux", "x86_64")
_UNPACK = """
import chromium from "@sparticuz/chromium";
import { copyFileSync } from "node:fs";
copyFileSync(await chromium.executablePath(), process.argv[2]);
"""


def installed() -> Path | None:
    """Return the program of a Chromium that is there without a download; None if there is none."""
    programs = [Path(found) for name in _INSTALLED if (found := shutil.which(name))]
    return next((path for path in [*programs, _UNPACKED] if path.is_file()), None)


def executable() -> Path:
    """Return the program of a Chromium, and provide the fonts. StackError without one, or if a download fails."""
    present = installed()
    machine = (sys.platform, platform.machine())
    if present is None and machine != _OF_THE_PACKAGE:
        raise StackError(
            f"needs Chromium or Google Chrome: the one from npm does not run on {' '.join(machine)}"
        )
    packages = _packages()
    if present is not None:
        return present
    script = packages / "unpack.mjs"
    script.write_text(_UNPACK)
    build.run("chromium", str(script), str(_UNPACKED), folder=_FOLDER)
    _UNPACKED.chmod(0o755)
    return _UNPACKED


def launched(playwright: Playwright, program: Path) -> Browser:
    """Start a browser, with the fonts of the npm packages if they are there."""
    fontconfig = fonts.configuration(_FOLDER)
    found = {"FONTCONFIG_FILE": str(fontconfig)} if fontconfig.is_file() else {}
    return playwright.chromium.launch(
        executable_path=program,
        args=["--no-sandbox", "--disable-gpu"],
        env={**os.environ, **found},
    )


@cache
def axe() -> str:
    """Return the script that checks the accessibility of a page. StackError if a download fails."""
    return (_packages() / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def barriers(page: Page) -> list[str]:
    """Return the serious and critical findings of axe on a page: the rule and the places that break it."""
    if not page.evaluate("'axe' in window"):  # loading it costs as much as a check
        page.evaluate(axe())
    rules = "{'target-size': {enabled: true}}"  # off by default: 24 pixels, or as much space
    report = page.evaluate(f"axe.run(document, {{resultTypes: ['violations'], rules: {rules}}})")
    return [
        f"{finding['id']}: {[node['target'] for node in finding['nodes']]}"
        for finding in report["violations"]
        if finding["impact"] in {"serious", "critical"}
    ]


def _packages() -> Path:
    environments.ensure(["console"])
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with (LOCAL / "browser.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_new = build.install("browser-packages", LISTED, _FOLDER)
        if is_new or not fonts.configuration(_FOLDER).is_file():
            fonts.configure(_FOLDER / "node_modules", _FOLDER)
    return _FOLDER
