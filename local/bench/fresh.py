"""A fresh interpreter that sees the layer and one function's folder, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.stack.processes import StackError

if TYPE_CHECKING:
    from local.invoke.functions import Function

HERE = Path(__file__).parent


def told_by(probe: str, function: Function, *arguments: str, given: str = "") -> dict[str, Any]:
    """
    What a program of `probes/` tells about a function in its last line, which is JSON.

    StackError with its last words when it fails.
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
