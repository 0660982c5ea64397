"""
One load run on the local stack.

    python -m local.load [--context whatsapp|email] [--companies 1|2] [--events N] [--conversations N] [--kills N]
        [--seed N]
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from local.load import fairness, mail_run, run
from local.load.run import Plan
from local.stack.cli import running_stack
from local.stack.processes import as_program, say
from local.stack.seed import seed, seed_load

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the load; return 0 if nothing was lost, duplicated or out of order."""
    parser = argparse.ArgumentParser(prog="python -m local.load", description=__doc__)
    parser.add_argument("--context", choices=("whatsapp", "email"), default="whatsapp")
    parser.add_argument(
        "--companies",
        type=int,
        choices=(1, 2),
        default=1,
        help="2: how long one waits for the other",
    )
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--conversations", type=int, default=500)
    parser.add_argument("--kills", type=int, default=25, help="of each function, at most")
    parser.add_argument("--seed", type=int, default=1)
    options = vars(parser.parse_args(arguments))
    context, companies = options.pop("context"), options.pop("companies")
    if companies > 1 and context == "email":
        parser.error("--companies: 2 goes with --context whatsapp")
    with running_stack() as stack:
        seed(stack)
        seed_load(stack)
        use = fairness.run if companies > 1 else mail_run.run if context == "email" else run.run
        outcome: run.Outcome | mail_run.MailOutcome | fairness.FairnessOutcome = use(
            stack, Plan(**options), report=say
        )
    for line in outcome.in_words():
        say(line)
    return 1 if outcome.verdict.faults else 0


if __name__ == "__main__":
    as_program(lambda: sys.exit(main(sys.argv[1:])))
