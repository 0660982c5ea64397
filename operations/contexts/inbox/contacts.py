"""Resolve the contacts of all contexts again."""

import argparse
from collections.abc import Sequence

from operations.command_line import arguments
from operations.contexts.inbox import cli


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, lambda options: int(options.run(options)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations contacts", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    summary = (
        "resolve the contacts of all conversations and tickets again; goes on after an interruption"
    )
    cli.add_options(arguments.sub_command(commands, "rebuild", cli.rebuild_contacts, summary))
    return own
