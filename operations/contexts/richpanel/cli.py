"""Change the shop's settings, report on old tickets of the help desk, and route tickets decided in dry run."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from operations.command_line import arguments
from operations.command_line.arguments import Refused, matching
from operations.contexts.richpanel import deployment, settings, tickets
from richpanel.classification import Language
from richpanel.inbound.channels import Channel
from shared.api.errors import InvalidInput

MOST_DAYS = 60  # the lifetime of the audit
MOST_TICKETS = 5_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    try:
        options.run(deployment.of_stack(options.stack), options)
    except InvalidInput as refusal:
        lines = (f"{entry['field']}: {entry['problem']}" for entry in refusal.problems)
        raise Refused("\n".join(lines)) from None
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations richpanel", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")

    def add(name: str, run: Callable[..., Any], summary: str) -> argparse.ArgumentParser:
        command = arguments.sub_command(commands, name, run, summary)
        arguments.add_stack(command)
        return command

    show = add("settings", settings.show, "print the shop's settings as JSON")
    show.add_argument("--number", type=_number, help="version (default: the one in force)")
    add("templates", settings.templates, "print the templates with their standard texts as JSON")
    add("versions", settings.versions, "list the versions of the settings, newest first")
    put = add("put-settings", settings.put, "store the settings of a JSON file")
    put.add_argument("file", type=Path, help="JSON file, in the format that `settings` prints")
    back = add("rollback", settings.roll_back, "put an older version in force again")
    back.add_argument("number", type=_number, help="version; 0 for the standard settings")
    for command in (put, back):
        command.add_argument(
            "--based-on",
            type=_number,
            help="refuse the change if another version than this one is in force",
        )
    preview = add("preview", settings.preview, "print a reply as it would be sent")
    preview.add_argument("template", type=matching(r"t_[a-z0-9_]{1,62}", "the name of a template"))
    preview.add_argument("--language", choices=list(Language), default=Language.ENGLISH)
    preview.add_argument("--channel", choices=list(Channel), default=Channel.EMAIL)
    preview.add_argument("--brand", type=arguments.label, help="name of a brand of the settings")
    preview.add_argument("--file", type=Path, help="settings to use instead of the ones in force")
    _add_ticket_commands(add)
    return own


def _add_ticket_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    report = add("report", tickets.report, "show what would have become of old tickets, and why")
    report.add_argument("--json", action="store_true", help="print one JSON object per line")
    report.add_argument(
        "--as-set", action="store_true", help="with the switches as they are (default: all open)"
    )
    report.add_argument(
        "--rules-only", action="store_true", help="without the language model, which costs money"
    )
    backfill = add("backfill", tickets.backfill, "route tickets that were decided in dry run")
    backfill.add_argument(
        "--apply", action="store_true", help="route them (default: list them only)"
    )
    for command in (report, backfill):
        command.add_argument("--days", type=_days, default=30, help="how far back (default: 30)")
        command.add_argument(
            "--most", type=_most, default=500, help="maximum number of tickets (default: 500)"
        )


def _number(text: str) -> int:
    return _whole(text, 0, 10**9)


def _days(text: str) -> int:
    return _whole(text, 1, MOST_DAYS)


def _most(text: str) -> int:
    return _whole(text, 1, MOST_TICKETS)


def _whole(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}")
    return int(text)
