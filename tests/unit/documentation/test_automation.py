"""The files that editors, pre-commit and GitHub read name programs and targets that exist."""

from __future__ import annotations

import configparser
import re
from typing import Any

import yaml

from tests.template import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = {
    target
    for names in re.findall(r"^([a-z][a-z0-9 -]*):(?!=)", MAKEFILE, re.MULTILINE)
    for target in names.split()
}


def parts_of_lint() -> set[str]:
    """The targets that `make lint` runs."""
    run = re.search(r"^lint:.*\n\t@\$\(MAKE\) (.*)$", MAKEFILE, re.MULTILINE)
    assert run
    return {word for word in run[1].split() if word in TARGETS}


def parsed(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / name).read_text())
    return content


def test_the_hooks_of_pre_commit_run_parts_of_make_lint() -> None:
    (local,) = parsed(".pre-commit-config.yaml")["repos"]

    assert local["repo"] == "local"
    for hook in local["hooks"]:
        program, *words = hook["entry"].split()
        targets = [word for word in words if not word.startswith("-")]
        assert (program, targets) == ("make", ["environments", hook["id"]])
        assert hook["id"] in parts_of_lint()
        assert (hook["language"], hook["pass_filenames"]) == ("system", False)


def test_github_runs_the_script_of_ci_with_our_python_and_nothing_else() -> None:
    workflow = parsed(".github/workflows/ci.yml")
    (job,) = workflow["jobs"].values()

    python = [step["with"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    assert python == [{"python-version-file": ".python-version"}]
    assert (ROOT / ".python-version").read_text().strip() == "3.13"
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
    assert workflow["permissions"] == {"contents": "read"}


def test_the_script_of_ci_runs_targets_that_exist() -> None:
    run = re.search(r"^for target in (.*); do$", (ROOT / ".ci/run").read_text(), re.MULTILINE)

    assert run
    assert set(run[1].split()) <= TARGETS


def test_editors_indent_as_the_formatters_do() -> None:
    editors = configparser.ConfigParser()
    editors.read_string("[top]\n" + (ROOT / ".editorconfig").read_text())

    limit = re.search(r"^line-length = (\d+)", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert limit
    python = editors["*.py"]
    assert (python["indent_size"], python["max_line_length"]) == ("4", limit[1])
    assert editors["Makefile"]["indent_style"] == "tab"


def test_help_describes_every_target_that_is_no_part_of_another() -> None:
    described = {
        name
        for names in re.findall(r"^([a-z0-9 -]+):[^#\n]*## ", MAKEFILE, re.MULTILINE)
        for name in names.split()
    }

    parts = parts_of_lint() | {"checked-tests", "deployed-tests", "other-tests"}
    assert TARGETS - described == parts | {"environments", "scanner"}
