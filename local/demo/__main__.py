"""
`make demo`: deploys Parley on this machine, sends sample events of customers, and prints the results.

Events pass the same components as on AWS: HTTP requests and SNS messages, queues, workers, tables, bucket. The printed
results come from Parley's API, from the sandbox that plays the providers, and from the logs and tables.
"""

from __future__ import annotations

import sys

from local.demo import (
    actions,
    email_answers,
    email_threads,
    help_desk,
    inbox,
    newsletters,
    recruiting,
)
from local.demo.recruiting_scenarios import SCOPES
from local.demo.screen import console
from local.stack.cli import running_stack
from local.stack.processes import as_program
from local.stack.seed import logins_text, recruiting_key, seed


def main() -> int:
    """Run the demo; return 0 if the totals of every context match."""
    with running_stack() as stack:
        api_key = seed(stack)
        logins = logins_text(stack)
        console.print(logins, highlight=False)
        results = [
            inbox.play(stack, api_key),
            actions.play(stack),
            help_desk.play(stack),
            recruiting.play(stack, recruiting_key(stack, *SCOPES)),
            email_threads.play(stack),
            email_answers.play(stack),
            newsletters.play(stack),
        ]
        if all(results):
            console.print("[green]All totals match:[/] no event was lost or processed twice.")
        _offer_console(logins)
    return 0 if all(results) else 1


def _offer_console(logins: str) -> None:
    """Print who can log in to the console; with the argument `keep`, keep the stack until Enter is pressed."""
    console.print(logins, highlight=False)
    if "keep" in sys.argv[1:]:
        console.input("Press Enter to stop the stack. ")
    else:
        console.print("The stack stops now. `make demo KEEP=1` keeps it until Enter is pressed.")


if __name__ == "__main__":
    as_program(lambda: sys.exit(main()))
