"""Print the one-time link with which the first administrator of a company sets a password and begins the set-up."""

import argparse
import sys
from collections.abc import Sequence

import boto3

from operations.command_line import arguments
from operations.command_line.arguments import TABLE_OF_KEYS, Refused, WrongUse
from shared.access import first_links
from shared.access.groups import Role
from shared.aws.dynamodb import Table

CONSOLE = "ConsoleUrl"  # output of template.yaml
_HOURS = first_links.VALID_SECONDS // 3_600


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, TABLE_OF_KEYS, CONSOLE)
    given = arguments.parameters_of(options.stack)
    if given.get("LoginIssuer"):
        raise Refused(
            "--stack: people log in at another provider; give the group <company>:admin there"
        )
    company = options.company or given.get("SingleCompany")
    if not company:
        raise WrongUse("--company: is required, as the stack is not deployed with SingleCompany")
    roles = (Role.ADMIN,) if options.admin_only else (Role.ADMIN, Role.OPERATOR)
    token = first_links.create(
        Table(boto3.client("dynamodb"), outputs[TABLE_OF_KEYS]), company, roles
    )
    console = options.local.console_url if options.local else outputs[CONSOLE]
    print(
        f"The link is shown only once. It is valid for {_HOURS} hours and works once:",
        file=sys.stderr,
    )
    print(f"{console}#/begin/{token}")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations first-link", description=__doc__)
    own.add_argument(
        "--company",
        type=arguments.word,
        help="id of the company; by default the parameter SingleCompany",
    )
    own.add_argument(
        "--admin-only",
        action="store_true",
        help="without the role operator: for a company that shares the deployment with others",
    )
    arguments.add_stack(own)
    return own
