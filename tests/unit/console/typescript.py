"""The pure functions of the console's modules, run by Node.js: one process for all runs, as its start takes longest."""

from __future__ import annotations

import atexit
import json
import select
import subprocess
from functools import cache
from typing import Any, Final

from local.console import build
from tests.template import ROOT

SOURCES = ROOT / "console" / "src"
# For what hangs: on a busy machine a start of Node.js has taken more than two minutes.
SECONDS: Final = 600

# Reads a run in each line, and answers it in a line. Each run has a new instance of its module, and leaves no globals.
_SCRIPT: Final = """
import { createInterface } from "node:readline";
const Run = (async () => {}).constructor;
const known = new Set(Object.getOwnPropertyNames(globalThis));
let runs = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { module, expression, value } = JSON.parse(line);
  let answer;
  try {
    const m = await import(`${module}?${++runs}`);
    answer = { result: await new Run("m", "value", `"use strict"; return (${expression});`)(m, value) };
  } catch (error) {
    answer = { error: String(error.stack ?? error) };
  }
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!known.has(name)) delete globalThis[name];
  console.log(JSON.stringify(answer));
}
"""


def run(module: str, expression: str, value: Any) -> Any:
    """Evaluate an expression with the functions of a module and `value`, and return its result."""
    asked = {"module": (SOURCES / module).as_uri(), "expression": expression, "value": value}
    process = _node()
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{json.dumps(asked)}\n")
    process.stdin.flush()
    if not select.select([process.stdout], [], [], SECONDS)[0]:
        process.kill()
        _node.cache_clear()
    answer = json.loads(process.stdout.readline())
    assert "error" not in answer, answer["error"]
    return answer["result"]


@cache
def _node() -> subprocess.Popen[str]:
    """The process of all runs, which ends with the process of the tests."""
    node = str(build.node() / "bin" / "node")
    command = [node, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", _SCRIPT]
    process = subprocess.Popen(  # noqa: S603 - our own program and sources
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(process.__exit__, None, None, None)  # closes the input, and waits
    return process
