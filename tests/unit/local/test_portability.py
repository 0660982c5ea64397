"""Apart from the local stack, commands and tests run on Linux and on macOS."""

from __future__ import annotations

import platform
import re
import sys
from typing import TYPE_CHECKING, Final

import pytest

from local.console import browser
from local.stack import cli, processes
from local.stack.processes import StackError
from tests.template import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# In Python: files and calls of Linux. In shell: options that GNU's programs have and macOS's do not.
LINUX_ONLY: Final = re.compile(
    r"""["']/proc\b | \bprctl\b | sched_[gs]etaffinity | \bpidfd_ | \bsetsid\s+\w | \bunshare\b | /dev/shm\b
    | \binotify\b | \bepoll\b | \bmemfd_ | manylinux | musllinux | linux_(x86_64|aarch64)
    | \bsed\s+-[a-zA-Z]*[ri] | \bfind\s.*-printf | \breadlink\s+-f | \bdate\s+-d | \bgrep\s+-\w*P | \bstat\s+-c
    | 127\.0\.0\.[2-9]\b
    | \bxargs\s+-\w*[rd] | \bxdg-open\b | \bnproc\b | \btimeout\s+\d | --output-sync""",
    re.VERBOSE,
)
# Each of them runs only beside the local stack, which refuses to start on another system; or asks before the use.
BESIDE_THE_STACK: Final = {
    "local/bench/probes/import_once.py",
    "local/bench/probes/render_once.py",
    "local/load/function_killer.py",
    "local/stack/processes.py",
}
ASKS_BEFORE: Final = {"Makefile", "tests/integration/local/test_relay.py"}


def sources() -> Iterator[Path]:
    yield from (ROOT / "Makefile", ROOT / "console/Makefile", ROOT / ".ci/run")
    for folder in ("local", "operations", "events", "tests"):
        yield from (ROOT / folder).rglob("*.py")


@pytest.mark.long
def test_calls_of_linux_are_used_beside_the_local_stack_only() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in sources()
        if path.name != "test_portability.py" and LINUX_ONLY.search(path.read_text("utf-8"))
    }

    assert found == BESIDE_THE_STACK | ASKS_BEFORE


@pytest.mark.parametrize(
    "line",
    [
        'Path("/proc/self/status")',
        "os.sched_getaffinity(0)",
        "sed -i s/a/b/ file",
        "find . -printf %p",
        '("127.0.0.2", port)',
        "pip download --platform manylinux2014_aarch64",
    ],
)
def test_a_call_of_linux_is_recognised(line: str) -> None:
    assert LINUX_ONLY.search(line)


def test_an_option_that_only_newer_versions_of_make_have_is_asked_for() -> None:
    (line,) = [
        line for line in (ROOT / "Makefile").read_text().splitlines() if "output-sync" in line
    ]

    assert line == "SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync)"


def test_the_local_stack_refuses_another_system_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    with pytest.raises(
        StackError, match="needs Linux: it runs the wheels that are built for Lambda"
    ):
        cli._bring_up()
    assert processes.ours() == {}


@pytest.mark.parametrize("machine", [("darwin", "arm64"), ("linux", "aarch64")], ids=str)
def test_a_machine_for_which_npm_has_no_chromium_is_asked_to_install_one(
    monkeypatch: pytest.MonkeyPatch, machine: tuple[str, str]
) -> None:
    system, processor = machine
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: processor)
    monkeypatch.setattr(browser, "installed", lambda: None)

    with pytest.raises(StackError, match=f"does not run on {system} {processor}"):
        browser.executable()


def test_the_readme_says_what_runs_on_macos() -> None:
    assert "**macOS.**" in (ROOT / "README.md").read_text()
