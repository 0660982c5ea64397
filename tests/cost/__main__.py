"""
`make cost`: the monthly cost of an idle stage, and the AWS requests, request units and logs of each kind of event, at
any length of its conversation.

Every message of the long conversations goes through the real functions, in batches of ten: it takes some minutes.

It is part of the tests because it uses their environment: moto with the template's tables, and the queue and provider
of the simulation. Running Parley needs none of it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from local.docs.readme_tables import replace_section
from tests import conftest  # noqa: F401 - as all tests: moto before any client, and false credentials
from tests.cost.console import inbox as inbox_cost
from tests.cost.console import people
from tests.cost.conversations import conversations
from tests.cost.email_threads import prices, threads
from tests.cost.email_threads.acts import TEXT
from tests.cost.idle import idle as idle_cost
from tests.cost.newsletters import newsletters
from tests.cost.report import differences, markdown
from tests.cost.richpanel import runs, tickets
from tests.cost.whatsapp import actions
from tests.cost.whatsapp.measure import measure
from tests.simulation.conversations.system import System as Conversations
from tests.simulation.email_threads.system import System as EmailThreads
from tests.simulation.kernel import running
from tests.simulation.newsletters.system import System as Newsletters
from tests.simulation.richpanel.system import System as HelpDesk
from tests.simulation.whatsapp.system import System as WhatsApp

LENGTHS = (1, 10, 100, 1_000, 10_000)


def main() -> int:
    """Print the table; 1 when it differs from the figures in `kinds.py`."""
    parser = argparse.ArgumentParser(prog="make cost", description="What an event costs.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into it as well")
    options = parser.parse_args()
    print(idle_cost.markdown(), flush=True)
    with running(WhatsApp) as system:
        measured = measure(system, LENGTHS)
    with running(WhatsApp) as system:
        of_actions = actions.measure(system)
    with running(WhatsApp) as system:
        of_inbox = inbox_cost.measure(system)
    of_people = people.measure()
    with running(HelpDesk) as desk:
        of_help_desk = tickets.measure(desk)
        of_its_runs = runs.measure(desk)
    with running(Conversations) as company:
        of_conversations = conversations.measure(company, LENGTHS)
    with running(EmailThreads) as inbox:
        of_mail = threads.measure(inbox, sorted({*LENGTHS, *threads.LENGTHS}))
        tokens = prices.tokens(inbox, TEXT)
    with running(Newsletters) as press:
        of_newsletters = newsletters.measure(press)
    table = "\n".join(
        (
            markdown(measured),
            actions.markdown(of_actions),
            inbox_cost.markdown(of_inbox),
            people.markdown(of_people),
            tickets.markdown(of_help_desk),
            runs.markdown(of_its_runs),
            conversations.markdown(of_conversations),
            threads.markdown(of_mail),
            prices.tokens_markdown(tokens),
            newsletters.markdown(of_newsletters),
        )
    )
    print(table)
    if options.write:
        replace_section(options.write, "cost", table)
        replace_section(options.write, "idle", idle_cost.markdown())
    wrong = [
        *differences(measured),
        *actions.differences(of_actions),
        *inbox_cost.differences(of_inbox),
        *people.differences(of_people),
        *tickets.differences(of_help_desk),
        *runs.differences(of_its_runs),
        *conversations.differences(of_conversations),
        *threads.differences(of_mail),
        *newsletters.differences(of_newsletters),
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
