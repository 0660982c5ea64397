"""A check that passed is repeated only if a file, or the check itself, has changed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

from local.stack.builds import passed_checks
from tests.template import ROOT

# Appends a line to its first argument, and ends with the exit code in its second.
SCRIPT = (
    "import sys; open(sys.argv[1], 'a').write('run\\n'); sys.exit(int(open(sys.argv[2]).read()))"
)


class Check:
    """A check of a folder with one file, and how often it ran."""

    def __init__(self, folder: Path) -> None:
        self.source, self.code, self.runs = folder / "source", folder / "code", folder / "runs"
        self.passed = folder / "passed"
        self.source.mkdir()
        self.write("a", "first")
        self.ends_with(0)

    def write(self, name: str, text: str) -> None:
        (self.source / name).write_text(text)

    def ends_with(self, code: int) -> None:
        self.code.write_text(str(code))

    def run(self, *more: str, writes: Path | None = None) -> tuple[int, int]:
        """Its exit code, and how often it has run so far."""
        command = (sys.executable, "-c", SCRIPT, str(writes or self.runs), str(self.code), *more)
        code = passed_checks.check("style", [self.source], command, self.passed)
        return code, self.runs.read_text().count("run") if self.runs.exists() else 0


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.setattr("local.stack.builds.build.ROOT", tmp_path)
    return Check(tmp_path)


def test_a_check_that_passed_runs_again_if_a_file_or_its_command_changes(check: Check) -> None:
    assert [check.run(), check.run()] == [(0, 1), (0, 1)]

    check.write("a", "second")
    assert [check.run(), check.run()] == [(0, 2), (0, 2)]
    check.write("b", "new")
    assert check.run() == (0, 3)
    assert [check.run("--strict"), check.run("--strict")] == [(0, 4), (0, 4)]
    check.write("a", "first")  # it passed long ago; only the last result is kept
    assert check.run("--strict") == (0, 5)


def test_a_check_that_failed_runs_until_it_passes(check: Check) -> None:
    check.run()
    check.write("a", "wrong")
    check.ends_with(3)
    assert [check.run(), check.run()] == [(3, 2), (3, 3)]

    check.write("a", "first")  # for which it passed before
    assert check.run() == (3, 4)
    check.ends_with(0)
    assert [check.run(), check.run()] == [(0, 5), (0, 5)]


def test_the_result_for_a_file_that_changes_during_the_check_does_not_count(check: Check) -> None:
    check.run(writes=check.source / "a")

    assert not (check.passed / "style").exists()
    assert check.run() == (0, 1)


def test_a_remembered_check_depends_on_all_that_it_reads() -> None:
    run = dict(re.findall(r"\$\(PASSED\) ([a-z]+) (.*?) -- ", (ROOT / "Makefile").read_text()))

    assert {name: set(files.split()) for name, files in run.items()} == {
        "template": {"template.yaml", "stacks", "samconfig.toml", "requirements/sam.txt"},
        "stacks": {"stacks", "requirements/sam.txt"},
        "weaknesses": {"template.yaml", "stacks", ".checkov.yaml", "requirements/checkov.txt"},
    }
    files = yaml.safe_load((ROOT / ".checkov.yaml").read_text())["file"]
    assert {name.partition("/")[0] for name in files} == {"template.yaml", "stacks"}
    assert not list(ROOT.glob(".cfnlintrc*"))  # a file that would decide about the result, too
