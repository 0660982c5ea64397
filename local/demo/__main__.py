"""
`make demo`: deploy Parley on this machine, let customers write, and show what became of it.

Everything goes the way it goes on AWS: requests over HTTP and messages over SNS, queues, workers, tables, bucket. What
is shown at the end is read back through Parley's own API, from the sandbox that stands for the providers, and from the
logs and tables.
"""

from __future__ import annotations

import sys

from local.demo import help_desk, inbox, recruiting
from local.demo.recruiting_scenes import SCOPES
from local.demo.screen import console
from local.stack.cli import running_stack
from local.stack.processes import as_program
from local.stack.seed import recruiting_key, seed


def main() -> int:
    """Run the demo; 0 when every chapter adds up."""
    with running_stack() as stack:
        api_key = seed(stack)
        chapters = [
            inbox.play(stack, api_key),
            help_desk.play(stack),
            recruiting.play(stack, recruiting_key(stack, *SCOPES)),
        ]
    if not all(chapters):
        return 1
    console.print("[green]It adds up.[/] Nothing is lost, nothing is doubled.")
    return 0


if __name__ == "__main__":
    as_program(lambda: sys.exit(main()))
