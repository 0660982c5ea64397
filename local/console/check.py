"""Checks the types of the console against the routes of the API; part of `make lint`."""

import os
from pathlib import Path

from local.console import build
from local.stack import environments
from local.stack.processes import ROOT, as_program, follow


def main() -> None:
    """Generate the client's types, and run the compiler without output. StackError with its findings."""
    with build.prepared() as work:
        _generate(work / "src" / "api" / "routes.ts")
        build.run("console-types", "node_modules/typescript/bin/tsc", "--noEmit")


def _generate(file: Path) -> None:
    python = str(environments.python_of("dev"))
    paths = os.pathsep.join(str(ROOT / part) for part in (".", "functions", "layers/shared"))
    false_account = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    follow(
        {"console-routes": [python, "-m", "local.console.client", str(file)]},
        {**os.environ, **false_account, "AWS_DEFAULT_REGION": "us-east-1", "PYTHONPATH": paths},
    )


if __name__ == "__main__":
    as_program(main)
