"""Argument types of the commands, and the lookup of a stack's tables."""

import argparse
import re
from collections.abc import Callable

import boto3
import phonenumbers

from shared.aws.dynamodb import Table

TABLE_OF_KEYS = "ApiKeysTableName"  # outputs of template.yaml
TABLE_OF_INBOX = "WhatsAppTableName"


class Refused(Exception):
    """The command was refused; the text names the argument and the rule, and is shown to the operator."""


def matching(pattern: str, rule: str) -> Callable[[str], str]:
    """Return an argparse type for texts that match *pattern* as a whole. *rule* completes "must be ..."."""
    shape = re.compile(pattern, re.ASCII)

    def checked(text: str) -> str:
        if not shape.fullmatch(text):
            raise argparse.ArgumentTypeError(f"must be {rule}")
        return text

    return checked


# Part of S3 keys and of log lines.
company = matching(
    r"[a-z0-9][a-z0-9-]{0,62}",
    "1 to 63 lower-case letters, digits and hyphens, with no hyphen at the start",
)
# Also the format of company and project ids in the company data.
word = matching(r"[A-Za-z0-9._-]{1,64}", "1 to 64 letters, digits, dots, hyphens and underscores")
token = matching(
    r"[A-Za-z0-9._/-]{1,129}", "1 to 129 letters, digits, dots, hyphens, underscores and slashes"
)
label = matching(r"[^\x00-\x1f\x7f]{1,128}", "1 to 128 characters in one line")
meta_id = matching(r"[0-9]{5,20}", "5 to 20 digits")
stack = matching(r"[A-Za-z][A-Za-z0-9-]{0,127}", "the name of a CloudFormation stack")


def display_phone(text: str) -> str:
    """Parse a phone number in any common notation, with or without `+`, to digits with country code."""
    try:
        number = phonenumbers.parse("+" + text.strip().removeprefix("+"))
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_possible_number(number):
        raise argparse.ArgumentTypeError("must be a possible phone number with country code")
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return written.removeprefix("+")


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the deployment's table."""
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--stack",
        type=stack,
        help="stack whose outputs name the table, such as parley-prod",
    )
    where.add_argument(
        "--table",
        type=matching(r"[A-Za-z0-9_.-]{3,255}", "the name of a DynamoDB table"),
        help="name of the table",
    )


def table_of(arguments: argparse.Namespace, output: str) -> Table:
    """Return the selected table; *output* is the stack output that holds its name. Raises Refused."""
    name = arguments.table or outputs_of(arguments.stack, output)[output]
    return Table(boto3.client("dynamodb"), name)


def outputs_of(stack: str, *names: str) -> dict[str, str]:
    """Return the outputs of a stack by name. Raises Refused if one of *names* is missing."""
    description = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    outputs = {entry["OutputKey"]: entry["OutputValue"] for entry in description.get("Outputs", [])}
    for name in names:
        if name not in outputs:
            raise Refused(f"--stack: {stack} has no output {name}; is it a Parley stack?")
    return outputs
