"""Create, list and revoke the API keys of a deployment."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import boto3
from boto3.dynamodb.conditions import Attr

from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from shared.access import company_keys
from shared.access.company_keys import MOST_DAYS, ApiKey, TooManyKeys
from shared.api.auth import EVERY_PROJECT, PROJECT_SCOPES, Scope, without_project
from shared.aws.dynamodb import Table
from shared.runtime import clock


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    options.run(arguments.table_of(options, arguments.TABLE_OF_KEYS), options)
    return 0


def _create(table: Table, options: argparse.Namespace) -> None:
    days = options.expires_days
    projects = options.projects or [EVERY_PROJECT]
    refused = without_project(options.scopes, projects)
    if refused:
        raise WrongUse(
            f"--scopes: {', '.join(refused)} apply to data without a project; omit --project, or give only scopes"
            f" of projects ({', '.join(sorted(PROJECT_SCOPES))})"
        )
    try:
        key = company_keys.create(
            table,
            company=options.company,
            scopes=dict.fromkeys(options.scopes),
            projects=dict.fromkeys(projects),
            name=options.name or "",
            expires_at=clock.expires_in(days * clock.DAY_SECONDS) if days else None,
        )
    except TooManyKeys as refusal:
        raise Refused(f"--company: {refusal}") from None
    print("The key is shown only once:", file=sys.stderr)
    print(key)


def _list(table: Table, options: argparse.Namespace) -> None:
    """Show the keys, and add those that are older than the list of their company to it."""
    found = sorted(_all(table), key=lambda key: (key.company, key.created_at))
    for company, keys in groupby(found, key=lambda key: key.company):
        company_keys.register(table, company, {key.key_id for key in keys})
    for key in found:
        if options.company in {None, key.company}:
            print(
                key.key_id,
                key.company,
                key.state(),
                f"created {key.created_at}",
                f"expires {clock.to_text(key.expires_at * 1_000)}" if key.expires_at else "",
                ",".join(key.scopes),
                ",".join(key.projects),
                key.name,
                sep="\t",
            )


def _revoke(table: Table, options: argparse.Namespace) -> None:
    if not company_keys.revoke(table, options.key_id):
        raise Refused("key_id: key not found")
    print(f"{options.key_id} is revoked", file=sys.stderr)


def _all(table: Table) -> Iterator[ApiKey]:
    """Yield every key. Scans: the table has few items, and no request waits for this."""
    items: Any = boto3.resource("dynamodb").Table(table.name)
    # The table has counters and revocations too.
    found = {"ConsistentRead": True, "FilterExpression": Attr("secret_hash").exists()}
    page = items.scan(**found)
    while True:
        yield from (ApiKey.read(item) for item in page["Items"])
        if "LastEvaluatedKey" not in page:
            return
        page = items.scan(**found, ExclusiveStartKey=page["LastEvaluatedKey"])


def _days(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= MOST_DAYS:
        raise argparse.ArgumentTypeError(f"must be a whole number of days from 1 to {MOST_DAYS}")
    return int(text)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations api-keys", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")

    create = arguments.sub_command(
        commands, "create", _create, "create a key and print it, once only, on standard output"
    )
    create.add_argument(
        "--company",
        required=True,
        type=arguments.word,
        help="company whose data the key can access",
    )
    create.add_argument(
        "--scopes",
        nargs="+",
        choices=[str(scope) for scope in Scope],
        default=[str(Scope.WHATSAPP_READ)],
        help=f"scopes of the key (default: {Scope.WHATSAPP_READ})",
    )
    create.add_argument(
        "--project",
        dest="projects",
        action="append",
        type=arguments.word,
        help="project whose conversations the key can access; repeatable (default: all of the company);"
        " only with project scopes",
    )
    create.add_argument(
        "--name",
        type=arguments.label,
        help="label of the key, shown by `list`",
    )
    create.add_argument(
        "--expires-days", type=_days, help="days until the key expires (default: never)"
    )

    listing = arguments.sub_command(commands, "list", _list, "list keys, without their secrets")
    listing.add_argument("--company", type=arguments.word, help="only keys of this company")

    revoke = arguments.sub_command(
        commands, "revoke", _revoke, "revoke a key immediately and permanently"
    )
    revoke.add_argument(
        "key_id",
        type=arguments.matching(r"[0-9a-f]{16}", "16 hex digits, the middle part of the key"),
        help="key id, as printed by `list`",
    )
    for command in (create, listing, revoke):
        arguments.add_table(command)
    return own
