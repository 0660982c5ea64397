"""Store, show and list the configuration of companies' projects: channels, prompts, rules, limits."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import boto3
from boto3.dynamodb.conditions import Attr, ConditionBase
from botocore.exceptions import ClientError

from access.company_rate import per_minute_of
from conversations.ai.project_checks import settings as setting_checks
from conversations.ai.project_checks.settings import SettingsRefused
from conversations.configuration import ownership, projects, versions
from conversations.configuration.ownership import NotOwned
from conversations.configuration.projects import (
    Companies,
    Company,
    ConfigurationInvalid,
)
from conversations.store import routes
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.routes import BusinessAddress
from conversations.store.versions import evaluations
from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.projects import ownership as project_ownership
from operations.secrets.references import StoredSecrets, is_denied
from shared.ai.versions.stored import FIRST
from shared.aws.dynamodb import ConditionFailed, Table
from shared.aws.tables.dynamodb_json import plain

# Outputs of template.yaml.
TABLE = "CompanyDataTableName"
LOG = "ConversationLogTableName"
TWILIO_URL = "TwilioUrl"
INBOX = arguments.TABLE_OF_INBOX
# Parameters of template.yaml.
API_PERCENT, API_RATE = "ApiCompanyPercent", "ApiRateLimit"

type Item = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, TABLE, LOG, INBOX)
    dynamodb = boto3.client("dynamodb")
    tables = _Tables(*(Table(dynamodb, outputs[name]) for name in (TABLE, LOG, INBOX)))
    options.run(tables, options)
    return 0


@dataclass(frozen=True, slots=True)
class _Tables:
    """The stack's tables: company data, the conversations' log, and the inbox."""

    companies: Table
    log: Table
    inbox: Table


def _put(tables: _Tables, options: argparse.Namespace) -> None:
    item = _read(options.file)
    company = _checked(item, _calls_per_minute(options.stack))
    secrets = StoredSecrets(arguments.stage_of(options.stack), arguments.target_of(options))
    for channel, account in project_ownership.accounts_of(company, secrets).items():
        item["channel_config"][channel]["account"] = account
    project_ownership.check_inbox(tables.inbox, company)
    company = projects.parse(item)
    _refuse_missing_secrets(company, secrets)
    project_ownership.check_accounts(company, secrets, lambda: _twilio_url(options))
    by = boto3.client("sts").get_caller_identity()["Arn"]
    try:
        if options.single_address:
            ownership.share_domain(tables.log, company)
        claimed = ownership.claim(tables.log, company, by)
    except NotOwned as fault:
        raise Refused(f"{fault.attribute}: {fault.rule}") from None
    for name in claimed:
        print(f"granted to {company.company_id}: {name.kind} {name.text}", file=sys.stderr)
    # The claims first: a stored project owns its addresses, and after a crash here the command can be repeated.
    stored = Companies(tables.companies).item(item["company_id"], item["project_id"])
    item[versions.LIVE] = _version(tables, stored, item, by)
    # The trial that runs goes on, and ends by itself if another version is live; a file begins none. Switches that the
    # file does not name stay, too.
    item.pop(versions.TRIAL, None)
    kept = {versions.TRIAL, *projects.SWITCHES}.difference(item)
    item |= {attribute: value for attribute, value in (stored or {}).items() if attribute in kept}
    if not options.without_gate:
        _refuse_gated(tables, item)
    _store(tables, stored, item)
    addresses = {(method, address): owner for method, address, owner in _addresses(company)}
    for (method, address), owner in addresses.items():
        # An address removed from the file keeps its route: conversations were started from it.
        routes.add_address(tables.log, method, address, owner)
    print(
        f"{company.company_id} {company.project_id} is stored with {len(addresses)} addresses;"
        " functions see changes within a minute",
        file=sys.stderr,
    )


def _store(tables: _Tables, stored: Item | None, item: Item) -> None:
    """
    Store the item of a project in place of the one that was read. Raises Refused if another version went live, a trial
    began or ended, or a switch was set, meanwhile: the file would take that back. Repeatable.
    """
    unchanged: ConditionBase = Attr(projects.PARTITION_KEY).not_exists()
    if stored is not None:
        # A project of an earlier release has got its first version since it was read.
        unchanged = Attr(versions.LIVE).eq(stored.get(versions.LIVE, FIRST))
        for name in (versions.TRIAL, *projects.SWITCHES):
            named, value = Attr(name), stored.get(name)
            unchanged &= named.not_exists() if value is None else named.eq(value)
    try:
        tables.companies.put(item, when=unchanged)
    except ConditionFailed:
        # Also after a first attempt whose response was lost.
        if tables.companies.get(projects.key(item["company_id"], item["project_id"])) != item:
            raise Refused(
                "file: the project has changed meanwhile: another version is live, a trial has begun or ended, or a"
                " switch was set; run the command again"
            ) from None


def _version(tables: _Tables, stored: Item | None, item: Item, by: str) -> int:
    """Return the number of the version that a file becomes: the live one if it changes none of its settings."""
    live = versions.live_version(tables.log, tables.companies, stored) if stored else None
    return versions.version_of_file(tables.log, stored, live, item, by)


def _refuse_gated(tables: _Tables, item: Item) -> None:
    """Raise Refused if the file changes the live version to one that has not passed each set that is a gate."""
    ids, number = (item["company_id"], item["project_id"]), item[versions.LIVE]
    stored = Companies(tables.companies).item(*ids)
    sets = evaluations.of_project(tables.log, *ids).gates_before(number)
    if sets and stored is not None and stored.get(versions.LIVE) != number:
        raise Refused(
            f"file: version {number} is stored and not live: it has not passed {', '.join(sets)};"
            " run these sets with it, or use --without-gate"
        )


def _checked(item: Item, calls_per_minute: int | None) -> Company:
    """Return the project that a file describes. Raises Refused with a line for each broken rule."""
    try:
        company = setting_checks.checked(item, calls_per_minute)
    except SettingsRefused as refusal:
        raise Refused("\n".join(f"{path}: {rule}" for path, rule in refusal.faults)) from None
    for path in setting_checks.unresolved_targets(company):
        print(f"warning: {path}: the host name cannot be resolved here", file=sys.stderr)
    return company


def _calls_per_minute(stack: str) -> int | None:
    """Return the calls of the API that a company may make in a minute; None of an emulator, which has no limit."""
    given = arguments.parameters_of(stack)
    if API_RATE not in given:
        return None
    return per_minute_of(int(given[API_PERCENT]), int(given[API_RATE]))


def _twilio_url(options: argparse.Namespace) -> str:
    return arguments.outputs_of(options.stack, TWILIO_URL)[TWILIO_URL]


def _refuse_missing_secrets(company: Company, secrets: StoredSecrets) -> None:
    """Raise Refused with a line for each secret that the project needs and that is missing or incomplete."""
    missing = []
    try:
        for attribute, fault in project_ownership.missing_secrets(company, secrets):
            missing.append(f"{attribute}: {fault.text}; {fault.step}")
    except ClientError as error:
        if not is_denied(error):
            raise
        print("warning: not all secrets are checked: no permission to read them", file=sys.stderr)
    if missing:
        raise Refused("\n".join(dict.fromkeys(missing)))


def _show(tables: _Tables, options: argparse.Namespace) -> None:
    item = Companies(tables.companies).item(options.company, options.project)
    if item is None:
        raise Refused("project: company or project not found")
    print(json.dumps(plain(item), indent=2, ensure_ascii=False))


def _list(tables: _Tables, options: argparse.Namespace) -> None:
    for item in sorted(
        stored_projects(tables.companies), key=lambda item: (item["company_id"], item["project_id"])
    ):
        if options.company in {None, item["company_id"]}:
            print(item["company_id"], item["project_id"], *_state(item), sep="\t")


def _state(item: Item) -> Sequence[str]:
    try:
        company = projects.parse(item)
    except ConfigurationInvalid as fault:
        return (f"unusable: {fault.attribute}",)
    channels = ",".join(company.allowed_channels)
    return company.project_status, channels, company.company_name or "", company.project_name or ""


def stored_projects(table: Table) -> Iterator[Item]:
    """Yield the item of every project. Scans: the table has few items, and no request waits for this."""
    items: Any = boto3.resource("dynamodb").Table(table.name)
    page = items.scan(ConsistentRead=True)
    while True:
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        page = items.scan(ConsistentRead=True, ExclusiveStartKey=page["LastEvaluatedKey"])


def _read(file: Path) -> Item:
    """Return the JSON object in a file, with numbers in the types that DynamoDB accepts. Raises Refused."""
    try:
        item = json.loads(
            file.read_text(encoding="utf-8"), parse_float=Decimal, parse_constant=_no_number
        )
    except OSError as error:
        raise Refused(f"file: cannot be read ({type(error).__name__})") from None
    except (ValueError, RecursionError):
        item = None
    if not isinstance(item, dict):
        raise Refused("file: must contain one JSON object")
    return item


def _no_number(_: str) -> NoReturn:
    raise ValueError


def _addresses(company: Company) -> Iterator[tuple[ChannelMethod, str, BusinessAddress]]:
    """Yield the addresses to which customers may write, each with its owner: project, provider and account."""
    for used in ownership.used_by(company):
        owner = ownership.owner_of(company, used)
        yield used.method, used.address.casefold(), owner


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations projects", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    put = arguments.sub_command(
        commands,
        "put",
        _put,
        "validate a project's configuration and store it, replacing the current one",
    )
    put.add_argument("file", type=Path, help="JSON: the item of the company data table")
    put.add_argument(
        "--single-address",
        action="store_true",
        help="claim only the project's e-mail address, not its domain: for addresses at mailbox providers",
    )
    put.add_argument(
        "--without-gate",
        action="store_true",
        help="make changed AI settings live without the sets of scenarios that have to pass",
    )

    show = arguments.sub_command(
        commands, "show", _show, "print the configuration of a project as JSON"
    )
    show.add_argument("company", type=arguments.word, help="its company_id")
    show.add_argument("project", type=arguments.word, help="its project_id")

    listing = arguments.sub_command(
        commands, "list", _list, "list projects and their configuration errors"
    )
    listing.add_argument("--company", type=arguments.word, help="only projects of this company")

    for command in (put, show, listing):
        arguments.add_stack(command)
    return own
