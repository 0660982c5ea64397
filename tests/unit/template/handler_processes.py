"""Imports of handlers, each in a fork of one process that has imported only boto3, which every handler needs."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tests.template import ROOT, environment, properties

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDERS = ("functions", "layers/shared", "local/bench")

# Reads a handler and its variables in each line. Answers with the loaded modules and the names of the settings that the
# handler declares, or with the error of its import.
SCRIPT = """
import boto3
import dataclasses, importlib, json, os, sys, traceback

def answer(path):
    module, name = path.rsplit(".", 1)
    handler = importlib.import_module(module)
    assert callable(getattr(handler, name))
    settings = getattr(handler, "settings", None)
    names = [field.name.upper() for field in dataclasses.fields(settings)] if settings else []
    return {"modules": sorted(sys.modules), "settings": names}

answers = os.dup(1)
os.dup2(2, 1)  # what a module prints is no answer
for line in sys.stdin:
    path, variables = json.loads(line)
    child = os.fork()
    if child:
        if os.waitpid(child, 0)[1]:
            os.write(answers, json.dumps({"error": "the process died"}).encode() + b"\\n")
        continue
    os.environ.clear()
    os.environ.update(variables)
    try:
        found = answer(path)
    except BaseException:
        found = {"error": traceback.format_exc()}
    with open(answers, "w") as stream:
        print(json.dumps(found), file=stream)
    os._exit(0)
"""


class Imports:
    """Imports handlers, each at most once."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.found: dict[str, dict[str, Any]] = {}

    def of(self, function: str) -> dict[str, Any]:
        """What the import of a function's handler loads and declares, or its error."""
        variables = environment(function) | {
            "AWS_DEFAULT_REGION": "us-east-1",
            "LAMBDA_TASK_ROOT": str(ROOT),  # tracing is on on AWS
        }
        return self.at(properties(function)["Handler"], variables)

    def at(self, handler: str, variables: dict[str, str]) -> dict[str, Any]:
        if handler not in self.found:
            assert self.process.stdin
            assert self.process.stdout
            print(json.dumps([handler, variables]), file=self.process.stdin, flush=True)
            self.found[handler] = json.loads(self.process.stdout.readline())
        return self.found[handler]

    def loaded(self, modules: tuple[str, ...], function: str) -> list[str]:
        """
        The modules of *modules* that the import of a function's handler loads. A module that does not exist fails the
        test, which would else pass after a module was moved.
        """
        assert not [module for module in modules if not _exists(module)]
        found = self.of(function)["modules"]
        return [module for module in modules if module in found]


def _exists(module: str) -> bool:
    if module.split(".", maxsplit=1)[0] in sys.stdlib_module_names:
        return True
    paths = [ROOT / folder / module.replace(".", "/") for folder in FOLDERS]
    if any(path.is_dir() or path.with_suffix(".py").is_file() for path in paths):
        return True
    # Libraries: their packages are looked up without an import of ours.
    is_ours = any((ROOT / folder / module.split(".", maxsplit=1)[0]).is_dir() for folder in FOLDERS)
    return not is_ours and find_spec(module) is not None


@contextmanager
def running() -> Iterator[Imports]:
    """Run the process of which the others are forks."""
    variables = {
        "PYTHONPATH": ":".join(str(ROOT / one) for one in FOLDERS),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with subprocess.Popen(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-c", SCRIPT],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Imports(process)
