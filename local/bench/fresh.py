"""Runs probes in a fresh interpreter that sees only the layer and one function's folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.stack.processes import StackError

if TYPE_CHECKING:
    from local.stack.functions import Function

HERE = Path(__file__).parent


def told_by(probe: str, function: Function, *arguments: str, given: str = "") -> dict[str, Any]:
    """
    Run a program of `probes/` for a function and return the JSON of its last output line.

    Raises StackError with the end of its error output if it fails.
    """
    python = Path(sys.base_prefix, "bin", "python3.13")
    ran = subprocess.run(
        [python, "-S", HERE / "probes" / probe, *arguments],
        env=function.environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise StackError(f"{probe} failed with {function.name}:\n{ran.stderr[-2_000:]}")
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told
