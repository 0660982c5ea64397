"""The pure functions of the console's modules, run by Node.js."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from local.console import build
from tests.template import ROOT

SOURCES = ROOT / "console" / "src"


def run(module: str, expression: str, value: Any) -> Any:
    """Evaluate an expression with the functions of a module and `value`, and return its result."""
    script = (
        f"import * as m from {json.dumps((SOURCES / module).as_uri())};"
        f"const value = {json.dumps(value)};"
        f"console.log(JSON.stringify({expression}));"
    )
    node = str(build.node() / "bin" / "node")
    command = [node, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)  # noqa: S603 - our own program and sources
    return json.loads(answer.stdout)
