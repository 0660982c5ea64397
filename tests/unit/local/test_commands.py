"""The commands of `make` run without the functions and the layer on Python's path."""

import os
import subprocess
import sys

import pytest

from tests.template import ROOT

COMMANDS = [
    "local.demo.__main__",
    "local.stack.cli",
    "local.load.__main__",
    "local.stack.traces.report",
    "local.audit",
    "events.__main__",
]


@pytest.mark.parametrize("module", COMMANDS)
def test_a_command_imports_without_the_functions(module: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(  # noqa: S603 - our own modules
        [sys.executable, "-c", f"import {module}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr


def test_a_mail_that_does_not_exist_is_named_without_a_traceback() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "local.mail", "absent.eml", "--to", "support@example.com"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 2
    assert ran.stderr.endswith("absent.eml: No such file or directory\n")
