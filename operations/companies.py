"""Store, show and list what companies have set up for their projects: channels, prompts, rules, limits."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from conversations import companies
from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.ai.plain import plain
from conversations.ai.templates import Template, TemplateBroken
from conversations.companies import (
    Companies,
    Company,
    ConfigurationInvalid,
    SmsChannel,
    WhatsAppChannel,
)
from conversations.items.conversation import ChannelMethod
from conversations.items.ways import BusinessAddress
from conversations.store import routes
from operations import arguments
from operations.arguments import Refused
from shared.channels.outcomes import Misconfigured
from shared.channels.twilio_api import credentials_of
from shared.dynamodb import Table
from shared.failures import Permanent, Transient
from shared.secrets import JsonSecret, SecretUnreadable

# Outputs of template.yaml.
TABLE = "CompanyDataTableName"
LOG = "ConversationLogTableName"
CHANNELS_WITH_ACCOUNTS = ("whatsapp", "sms")

type Item = dict[str, Any]


def main(given: Sequence[str] | None = None) -> int:
    """Run the command; its exit code."""
    parser = _parser()
    options = parser.parse_args(given)
    try:
        outputs = arguments.outputs_of(options.stack, TABLE, LOG)
        dynamodb = boto3.client("dynamodb")
        table, log = (Table(dynamodb, outputs[name]) for name in (TABLE, LOG))
        options.run(table, log, options)
    except (Refused, Permanent, Transient, ClientError, BotoCoreError) as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return 1
    return 0


def _put(table: Table, log: Table, options: argparse.Namespace) -> None:
    item = _read(options.file)
    _fill_in_accounts(item, _checked(item))
    company = _checked(item)
    table.put(item)
    addresses = 0
    for method, address, owner in _addresses(company):
        # An address that is no longer in the file stays known: conversations were begun from it.
        routes.add_address(log, method, address, owner)
        addresses += 1
    print(
        f"{company.company_id} {company.project_id} is stored, and found by {addresses} addresses;"
        " functions see changes within a minute",
        file=sys.stderr,
    )


def _show(table: Table, _: Table, options: argparse.Namespace) -> None:
    item = Companies(table).item(options.company, options.project)
    if item is None:
        raise Refused("project: there is no such company and project")
    print(json.dumps(plain(item), indent=2, ensure_ascii=False))


def _list(table: Table, _: Table, options: argparse.Namespace) -> None:
    for item in sorted(_all(table), key=lambda item: (item["company_id"], item["project_id"])):
        if options.company in {None, item["company_id"]}:
            print(item["company_id"], item["project_id"], *_state(item), sep="\t")


def _state(item: Item) -> Sequence[str]:
    try:
        company = companies.parse(item)
    except ConfigurationInvalid as fault:
        return (f"unusable: {fault.attribute}",)
    channels = ",".join(company.allowed_channels)
    return company.project_status, channels, company.company_name or "", company.project_name or ""


def _all(table: Table) -> Iterator[Item]:
    """Every project. A scan: the table has a handful of items, and no request waits for this."""
    items: Any = boto3.resource("dynamodb").Table(table.name)
    page = items.scan(ConsistentRead=True)
    while True:
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        page = items.scan(ConsistentRead=True, ExclusiveStartKey=page["LastEvaluatedKey"])


def _read(file: Path) -> Item:
    """The JSON object in a file, with numbers as DynamoDB takes them. Raises Refused."""
    try:
        found = json.loads(
            file.read_text(encoding="utf-8"), parse_float=Decimal, parse_constant=_no_number
        )
    except OSError as error:
        raise Refused(f"file: it cannot be read ({type(error).__name__})") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused("file: it must hold one JSON object")
    return found


def _no_number(_: str) -> NoReturn:
    raise ValueError


def _checked(item: Item) -> Company:
    """The project that an item describes, if all that it may do can be done as it says. Raises Refused."""
    try:
        company = companies.parse(item)
        for method in company.allowed_channels:
            company.channel(method)
            AiConfig.read(company.ai_config, method.value)
        if company.channel_config.whatsapp is not None:
            _check_templates(company.channel_config.whatsapp)
    except ConfigurationInvalid as fault:
        raise Refused(f"{fault.attribute}: it is missing, or not as it must be") from None
    except AiConfigBroken as fault:
        raise Refused(f"{fault.attribute}: {fault.rule}") from None
    return company


def _check_templates(whatsapp: WhatsAppChannel) -> None:
    where = "channel_config.whatsapp"
    for name, configured in whatsapp.templates.items():
        try:
            Template.read(name, configured)
        except TemplateBroken as fault:
            raise ConfigurationInvalid(f"{where}.templates.{fault.attribute}") from None
    for choice in ("default_template", "reengagement_template"):
        chosen = getattr(whatsapp, choice)
        if chosen is not None and chosen not in whatsapp.templates:
            raise Refused(f"{where}.{choice}: there is no template of this name")


def _fill_in_accounts(item: Item, company: Company) -> None:
    """
    Say whose webhooks may speak for each address: of Twilio what the sending secret says, unless the file says it.

    Raises Refused where nobody says it: no message to such an address would ever be taken.
    """
    for name in CHANNELS_WITH_ACCOUNTS:
        channel = getattr(company.channel_config, name)
        if channel is None or channel.account is not None or channel.provider == "aws_sms":
            continue
        where = f"channel_config.{name}"
        if channel.provider != "twilio":
            raise Refused(f"{where}.account: it is missing")
        if channel.credentials_id is None:
            raise Refused(f"{where}.{name}_credentials_id: give it, or {where}.account")
        item["channel_config"][name]["account"] = _account_in(channel.credentials_id, where)


def _account_in(secret_id: str, where: str) -> str:
    secret = JsonSecret(lambda: boto3.client("secretsmanager"), secret_id)
    try:
        return credentials_of(secret.value()).account_sid
    except (SecretUnreadable, Misconfigured):
        raise Refused(
            f"{where}: the secret {secret_id} must hold twilio_account_sid, and a token or a key"
        ) from None


def _addresses(company: Company) -> Iterator[tuple[ChannelMethod, str, BusinessAddress]]:
    """The addresses that customers may write to, and who must vouch for what comes to them."""
    for method in ChannelMethod:
        if getattr(company.channel_config, method) is None:
            continue
        channel = company.channel(method)
        owner = BusinessAddress(
            company_id=company.company_id,
            project_id=company.project_id,
            provider=channel.provider,
            account=channel.account,
        )
        others = channel.senders.values() if isinstance(channel, SmsChannel) else ()
        for address in dict.fromkeys([channel.address, *others]):
            yield method, address, owner


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m operations.companies", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    put = commands.add_parser(
        "put", help="check a project's set-up and store it, in place of the one that is there"
    )
    put.set_defaults(run=_put)
    put.add_argument("file", type=Path, help="JSON: the item of the company data table")

    show = commands.add_parser("show", help="print the set-up of a project as JSON")
    show.set_defaults(run=_show)
    show.add_argument("company", type=arguments.word, help="its company_id")
    show.add_argument("project", type=arguments.word, help="its project_id")

    listing = commands.add_parser("list", help="list projects, and what is wrong with them")
    listing.set_defaults(run=_list)
    listing.add_argument("--company", type=arguments.word, help="only of this company")
    for command in (put, show, listing):
        command.add_argument(
            "--stack",
            required=True,
            type=arguments.stack,
            help="stack whose outputs name the tables, such as parley-prod",
        )
    return parser


if __name__ == "__main__":
    sys.exit(main())
