"""Write, trim and show the fields of secrets. Values are never printed."""

import argparse
import getpass
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from operations.secrets import kinds, preparation, stores
from operations.secrets.kinds import COMPANY, KINDS, LAST, Field, Kind
from shared.access.secret_versions import stored
from shared.access.secret_versions.stored import with_value
from shared.access.secret_versions.versions import Version
from shared.aws.secrets import CACHE_MS
from shared.runtime import clock

LONGEST_VALUE = 8_192
_VALUE = re.compile(rf"[!-~]{{1,{LONGEST_VALUE}}}")
VALUE_RULE = f"must be one line of 1 to {LONGEST_VALUE} ASCII characters without spaces"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, lambda options: options.run(options) or 0)


def _set(options: argparse.Namespace) -> None:
    field, path = options.kind.field(options.field)
    secret_id = _secret_id(options)
    value = _value(options.field)

    def edit(current: Version) -> dict[str, Any]:
        values = kinds.values_at(current.content, path)
        return with_value(current.content, path, _joined(field, values, value, current))

    content = stored.change(secret_id, edit, may_create=options.kind.name == COMPANY)
    print(
        f"{secret_id}: {options.field} is written; functions read it within five minutes",
        file=sys.stderr,
    )
    values = kinds.values_at(content, path)
    if field.new_value == LAST and values[0] != value:
        print(
            "it is the last value: after five minutes run the same command with the same value to make it the first",
            file=sys.stderr,
        )
    elif field.new_value and len(values) > 1 and not field.keeps_old:
        print(
            f"{len(values)} values are accepted; remove the old ones later:"
            f" `python -m operations secrets keep-newest {options.kind.name} {options.field}"
            f" {arguments.target_of(options)}`",
            file=sys.stderr,
        )


def _keep_newest(options: argparse.Namespace) -> None:
    field, path = options.kind.field(options.field)
    if field.new_value is None:
        raise WrongUse(f"field: {options.field} has one value only")
    if field.keeps_old:
        raise Refused(f"field: every old value of {options.field} is still needed")

    def edit(current: Version) -> dict[str, Any]:
        values = kinds.values_at(current.content, path)
        if not values:
            raise Refused(f"field: {options.field} has no value")
        return with_value(current.content, path, values[:1])

    secret_id = _secret_id(options)
    stored.change(secret_id, edit, may_create=False)
    print(f"{secret_id}: {options.field} has one value", file=sys.stderr)


def _show(options: argparse.Namespace) -> None:
    secret_id = _secret_id(options)
    current = stored.read(secret_id)
    if current is None:
        raise Refused(f"{secret_id}: secret not found")
    for name, count in kinds.fields_in(current.content).items():
        print(name, f"{count} value{'s' if count != 1 else ''}", sep="\t")


def _prepare(options: argparse.Namespace) -> None:
    for line in preparation.prepare(options.stage):
        print(line, file=sys.stderr)


def _joined(field: Field, values: list[str], value: str, current: Version) -> str | list[str]:
    """Return the new value of a field: a text, or the list with the value in its place. Raises Refused."""
    if field.new_value is None:
        return value
    others = [other for other in values if other != value]
    if field.new_value == LAST and value not in values and values:
        return [*others, value]
    if field.new_value == LAST and value in values[1:] and _age_ms(current) < CACHE_MS:
        raise Refused(
            "field: the secret was written less than five minutes ago; wait, then run the command again"
        )
    return [value, *others]


def _age_ms(current: Version) -> float:
    if current.created_at is None:
        return 0
    return (datetime.now(UTC) - current.created_at).total_seconds() * clock.SECOND_MS


def _value(field: str) -> str:
    """Return the value from a prompt without echo, or from standard input. Raises Refused."""
    text = getpass.getpass(f"value of {field}: ") if sys.stdin.isatty() else sys.stdin.read()
    value = text.removesuffix("\n").removesuffix("\r")
    if not _VALUE.fullmatch(value):
        raise Refused(f"{field}: the value {VALUE_RULE}")
    return value


def _secret_id(options: argparse.Namespace) -> str:
    kind: Kind = options.kind
    is_of_company = kind.name == COMPANY
    for name, given in (("--company", options.company), ("--name", options.name)):
        if is_of_company != (given is not None):
            raise WrongUse(
                f"{name}: {'is required' if is_of_company else 'goes'} with the kind {COMPANY}"
            )
    stage = arguments.stage_of(options.stack)
    if is_of_company:
        return kinds.company_secret_id(stage, options.company, options.name)
    return stores.stored_id(stage, kind.secret_id(stage))


def _kind(text: str) -> Kind:
    if text not in KINDS:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(KINDS)}")
    return KINDS[text]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    known = "\n".join(
        f"  {kind.name:<24}{kind.about}\n{'':<26}{', '.join(field.name for field in kind.fields)}"
        for kind in KINDS.values()
    )
    own = argparse.ArgumentParser(
        prog="python -m operations secrets",
        description=__doc__,
        epilog=f"kinds and their fields:\n{known}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = own.add_subparsers(required=True, metavar="command")
    write = arguments.sub_command(
        commands,
        "set",
        _set,
        "write one field; the value comes from a prompt or from standard input, and a list keeps its old values",
    )
    trim = arguments.sub_command(
        commands,
        "keep-newest",
        _keep_newest,
        "remove all values of a field but the newest, at the end of a rotation",
    )
    show = arguments.sub_command(
        commands, "show", _show, "list the fields of a secret with their number of values"
    )
    prepare = arguments.sub_command(
        commands,
        "prepare",
        _prepare,
        "copy or create the secrets of a deployment in parameters, before it is deployed with SecretStore=parameters",
    )
    prepare.add_argument(
        "--stage",
        required=True,
        type=arguments.matching(r"[a-z][a-z0-9-]{1,12}", "2 to 13 of a-z 0-9 -"),
        help="name of the stage, as in the parameter Stage",
    )
    for each in (write, trim, show):
        each.add_argument("kind", type=_kind, help="kind of secret, see `secrets --help`")
        if each is not show:
            each.add_argument("field", help="field of the secret, see `secrets --help`")
        each.add_argument(
            "--company", type=arguments.word, help="company that owns the secret (kind company)"
        )
        each.add_argument(
            "--name",
            type=arguments.matching(r"[A-Za-z0-9_+=.@-]{1,256}", "1 to 256 of A-Z a-z 0-9 _+=.@-"),
            help="name of the company's secret (kind company), such as twilio",
        )
        arguments.add_stack(each)
    return own
