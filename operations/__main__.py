"""`python -m operations <command> ...`: the commands for operators of a deployment."""

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from operations.command_line.arguments import USAGE_ERROR

# A module of this package has `main`, which runs the command, and `parser`. It is imported by its command only.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "ai": ("ai.evaluation.cli", "evaluate AI settings with a set of scenarios; import scenarios"),
    "api-keys": ("access.api_keys", "create, list and revoke API keys"),
    "contacts": ("contexts.inbox.contacts", "resolve the contacts of all contexts again"),
    "doctor": ("doctor.cli", "check a deployment and print the next steps"),
    "documents": (
        "ai.documents",
        "upload documents for newsletters and AI conversations; try the search",
    ),
    "email-threads": (
        "contexts.email_threads.cli",
        "complete the threads of an older system",
    ),
    "first-link": ("access.first_link", "print the one-time link of the first administrator"),
    "identity": (
        "contexts.whatsapp.identity",
        "link, unlink and show contacts that are the same person",
    ),
    "inbox": (
        "contexts.inbox.cli",
        "make the entries of the inbox over all contexts again; list what it lacks",
    ),
    "owners": (
        "access.owners.cli",
        "grant a provider's resources to companies, list and revoke them",
    ),
    "phones": ("contexts.whatsapp.phones", "register, list and disable business numbers"),
    "privacy": ("privacy.people", "erase or export a person in all contexts by one request"),
    "projects": ("projects.cli", "check and store the settings of projects"),
    "recovery": ("recovery.cli", "list parked events and dead letters; replay and redrive them"),
    "richpanel": (
        "contexts.richpanel.cli",
        "settings, report on old tickets and backfill of the help desk",
    ),
    "secrets": ("secrets.cli", "write one field of a secret, rotate it, and list its fields"),
    "spending": ("ai.spending", "costs that outsiders have caused, and the bounds of a company"),
    "stage": ("stages.cli", "delete a stage, in the right order, with its stack"),
    "tenants": ("access.tenants", "make the tenant of SES of a company's newsletters"),
    "users": ("access.users", "people who log in: create, disable, roles, passwords"),
}


def main(argv: Sequence[str]) -> int:
    """Run a command by its name; returns its exit code, 2 for an unknown name."""
    name, *given = argv or [""]
    if name in COMMANDS:
        run: Callable[[Sequence[str]], int] = module_of(name).main
        return run(given)
    if name in {"-h", "--help"}:
        parser().print_help()
        return 0
    parser().print_usage(sys.stderr)
    print(f"error: command: must be one of {', '.join(COMMANDS)}", file=sys.stderr)
    return USAGE_ERROR


def module_of(name: str) -> ModuleType:
    """Import and return the module of a command."""
    return importlib.import_module(f"operations.{COMMANDS[name][0]}")


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
