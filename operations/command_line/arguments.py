"""Argument types, the options that select a deployment, and the handling of errors in all commands."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from operations.command_line import local_stack
from shared.access.refusals import ChangeRefused
from shared.aws.dynamodb import Table
from shared.identity import addresses
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from mypy_boto3_cloudformation.type_defs import StackTypeDef

TABLE_OF_KEYS = "ApiKeysTableName"  # outputs of template.yaml
TABLE_OF_INBOX = "WhatsAppTableName"
SWITCHES = "ConversationsSwitchesPath"  # /parley/<stage>/conversations
USAGE_ERROR = 2


class Refused(Exception):
    """The command was refused; the text names the argument and the rule, and is shown to the operator."""


class WrongUse(Refused):
    """The arguments do not fit together; the text is shown below the usage of the command."""


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
        return addresses.phone_number(f"+{text.strip().removeprefix('+')}").removeprefix("+")
    except addresses.PhoneInvalid:
        rule = "must be a possible phone number with country code"
        raise argparse.ArgumentTypeError(rule) from None


def add_stack(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the deployment: --stack or --local. `options.local` is None without --local."""
    _add_local(parser, parser.add_mutually_exclusive_group(required=True))


def add_stack_to(parser: argparse.ArgumentParser, where: Any) -> None:  # noqa: ANN401 - a group of argparse
    """Add the options of `add_stack` to a group of options that exclude each other."""
    _add_local(parser, where)


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the deployment's table: --stack, --local or --table."""
    where = parser.add_mutually_exclusive_group(required=True)
    _add_local(parser, where)
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
    outputs = {
        entry["OutputKey"]: entry["OutputValue"] for entry in _described(stack).get("Outputs", [])
    }
    for name in names:
        if name not in outputs:
            raise Refused(f"--stack: {stack} has no output {name}; is it a Parley stack?")
    return outputs


def parameters_of(stack: str) -> dict[str, str]:
    """Return the parameters of a stack by name."""
    given = _described(stack).get("Parameters", [])
    return {entry["ParameterKey"]: entry["ParameterValue"] for entry in given}


def _described(stack: str) -> "StackTypeDef":
    return boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]


def stage_of(stack: str) -> str:
    """Return the stage of a stack, which is part of the names of its secrets. Raises Refused."""
    return outputs_of(stack, SWITCHES)[SWITCHES].split("/")[2]


def target_of(options: argparse.Namespace) -> str:
    """Return the option that selects the same deployment in another command."""
    return "--local" if options.local else f"--stack {options.stack}"


def run(
    parser: argparse.ArgumentParser,
    argv: Sequence[str] | None,
    act: Callable[[argparse.Namespace], int],
) -> int:
    """
    Parse the command line, call *act* and return its exit code.

    Errors are lines on standard error, with exit code 1. For a wrong command line the usage of the sub-command stands
    before the line, and the exit code is 2.
    """
    options = parser.parse_args(argv)
    try:
        return act(options)
    except WrongUse as refusal:
        getattr(options, "command", parser).print_usage(sys.stderr)
        print(f"error: {refusal}", file=sys.stderr)
        return USAGE_ERROR
    except (Refused, ChangeRefused, Permanent, Transient, ClientError, BotoCoreError) as refusal:
        for line in str(refusal).splitlines() or [""]:
            print(f"error: {line}", file=sys.stderr)
        return 1


def sub_command(
    commands: Any,  # noqa: ANN401 - argparse does not export the type
    name: str,
    act: Callable[..., Any],
    summary: str,
) -> argparse.ArgumentParser:
    """Add a sub-command that calls *act*. *summary* is its help: one sentence."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=act, command=parser)
    return parser


class _Local(argparse.Action):
    """Selects the local stack as soon as --local is read, before a command creates a client."""

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:  # noqa: ANN401 - of argparse
        super().__init__(option_strings, dest, nargs=0, **more)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: object,
        _option_string: str | None = None,
    ) -> None:
        try:
            namespace.local = local_stack.select()
        except local_stack.NotRunning as fault:
            parser.error(f"argument --local: {fault}")
        namespace.stack = namespace.local.stack_name


def _add_local(parser: argparse.ArgumentParser, where: Any) -> None:  # noqa: ANN401 - a group of argparse
    parser.set_defaults(table=None, local=None)
    where.add_argument(
        "--stack", type=stack, help="CloudFormation stack of the deployment, such as parley-prod"
    )
    where.add_argument(
        "--local", action=_Local, help="the stack that `make up` started on this machine"
    )
