"""`python -m operations <command> ...`: the commands for operators of a deployment."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from operations import documents, spending
from operations.access import api_keys, first_link, users
from operations.access.owners import cli as owners
from operations.command_line.arguments import USAGE_ERROR
from operations.contexts.email_threads import cli as email_threads
from operations.contexts.inbox import cli as inbox
from operations.contexts.richpanel import cli as richpanel
from operations.contexts.whatsapp import identity, phones
from operations.doctor import cli as doctor
from operations.privacy import contacts, erase_person, people
from operations.projects import cli as projects
from operations.recovery import cli as recovery
from operations.secrets import cli as secrets
from operations.stages import cli as stages

# Each module has `main`, which runs the command, and `parser`.
COMMANDS: Mapping[str, tuple[ModuleType, str]] = {
    "api-keys": (api_keys, "create, list and revoke API keys"),
    "contacts": (
        contacts,
        "erase or export a contact of the WhatsApp inbox; resolve the contacts of all contexts again",
    ),
    "doctor": (doctor, "check a deployment and print the next steps"),
    "documents": (
        documents,
        "upload documents for newsletters and AI conversations; try the search",
    ),
    "email-threads": (
        email_threads,
        "complete the threads of an older system",
    ),
    "erase-person": (erase_person, "erase a person's data from a company's conversations"),
    "first-link": (first_link, "print the one-time link of the first administrator"),
    "identity": (identity, "link, unlink and show contacts that are the same person"),
    "inbox": (inbox, "make the entries of the inbox over all contexts again; list what it lacks"),
    "owners": (owners, "grant a provider's resources to companies, list and revoke them"),
    "phones": (phones, "register, list and disable business numbers"),
    "privacy": (people, "erase or export a person in all contexts by one request"),
    "projects": (projects, "check and store the settings of projects"),
    "recovery": (recovery, "list parked events and dead letters; replay and redrive them"),
    "richpanel": (richpanel, "settings, report on old tickets and backfill of the help desk"),
    "secrets": (secrets, "write one field of a secret, rotate it, and list its fields"),
    "spending": (spending, "costs that outsiders have caused, and the bounds of a company"),
    "stage": (stages, "delete a stage, in the right order, with its stack"),
    "users": (users, "people who log in: create, disable, roles, passwords"),
}


def main(argv: Sequence[str]) -> int:
    """Run a command by its name; returns its exit code, 2 for an unknown name."""
    name, *given = argv or [""]
    if name in COMMANDS:
        run: Callable[[Sequence[str]], int] = COMMANDS[name][0].main
        return run(given)
    if name in {"-h", "--help"}:
        parser().print_help()
        return 0
    parser().print_usage(sys.stderr)
    print(f"error: command: must be one of {', '.join(COMMANDS)}", file=sys.stderr)
    return USAGE_ERROR


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line's first word; each command has a separate parser for the rest."""
    own = argparse.ArgumentParser(prog="python -m operations", description=__doc__)
    commands = own.add_subparsers(metavar="command")
    for name, (_, summary) in COMMANDS.items():
        commands.add_parser(name, help=summary)
    return own


if __name__ == "__main__":
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"  # metrics are lines of the standard output
    sys.exit(main(sys.argv[1:]))
