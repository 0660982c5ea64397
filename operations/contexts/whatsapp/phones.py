"""Register, list and disable the business numbers of a deployment."""

import argparse
import sys
from collections.abc import Sequence

import boto3
from botocore.exceptions import ClientError

from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse, matching
from operations.secrets.references import StoredSecrets, is_denied
from shared.access.ownership.proofs import NotProven
from shared.aws.dynamodb import Table
from shared.identity.secret_owners import TOKEN_RULE, owns_token
from whatsapp import store
from whatsapp.store.accounts.numbers import ownership
from whatsapp.store.accounts.numbers.phones import ListFull, PhoneTaken
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.phones import CONVERSATIONS, NO_AUTOMATION

GRAPH_ARN = "arn:parley:whatsapp:::phone-number-id/{phone}"
_AWS_ARN = r"arn:aws[a-z-]*:social-messaging:[a-z0-9-]+:[0-9]{12}:phone-number-id/[0-9a-f]{32}"
_GRAPH_ARN = r"arn:parley:whatsapp:::phone-number-id/[0-9]{5,20}"
AWS_PHONE = "phone-number-id-{suffix}"
LOG = "ConversationLogTableName"  # output of template.yaml
GRANTED_BY = "operator"
_OPTIONS = {
    "phone": "--phone",
    "metaWabaId": "--waba",
    "awsWabaId": "--aws-waba",
    "phoneArn": "--phone-arn",
    "appId": "--app",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    options.run(arguments.table_of(options, arguments.TABLE_OF_INBOX), options)
    return 0


def _register(table: Table, options: argparse.Namespace) -> None:
    phone = _described(options)
    if options.stack:
        _check_secrets(phone, options)
    else:
        print("the secrets are not checked: give --stack or --local", file=sys.stderr)
    log = _log_of(options)
    try:
        proof = ownership.grant(log, phone, GRANTED_BY)
        store.phones.register(table, phone.model_copy(update={"proof": proof}))
    except NotProven as refusal:
        raise Refused(f"{_OPTIONS[refusal.field]}: {refusal.problem}") from None
    except (PhoneTaken, ListFull) as refusal:
        raise Refused(f"--phone: {refusal}") from None
    print(f"{phone.phone} is registered; workers see changes within a minute", file=sys.stderr)


def _log_of(options: argparse.Namespace) -> Table:
    """Return the conversation log, which has the owners of numbers, accounts and apps. Raises WrongUse."""
    if options.stack is None and options.log_table is None:
        raise WrongUse("--log-table: is required with --table")
    name = options.log_table or arguments.outputs_of(options.stack, LOG)[LOG]
    return Table(boto3.client("dynamodb"), name)


def _list(table: Table, options: argparse.Namespace) -> None:
    for entry in store.phones.listed(table):
        if options.company not in {None, entry["company"]}:
            continue
        phone = store.phones.get(table, entry["phone"])
        facts = (
            (phone.provider, "enabled" if phone.enabled else "disabled") if phone else ("missing",)
        )
        automation = (phone.automation,) if phone and phone.is_automated else ()
        shown = (entry["phone"], entry["displayPhone"], entry["company"], *facts, *automation)
        print(*shown, sep="\t")


def _disable(table: Table, options: argparse.Namespace) -> None:
    if not store.phones.set_enabled(table, options.phone, enabled=False):
        raise Refused("phone: number is not registered")
    print(
        f"{options.phone} is disabled; within a minute its events are parked; `register`"
        " enables it again",
        file=sys.stderr,
    )


def _check_secrets(phone: Phone, options: argparse.Namespace) -> None:
    """Check that the number's app and token are in their secrets. Raises Refused with the command that adds them."""
    secrets = StoredSecrets(arguments.stage_of(options.stack), arguments.target_of(options))
    try:
        for option, missing in (
            ("--app", secrets.app_secret(phone.app_id) if phone.app_id else None),
            ("--token-ref", secrets.token(phone.token_ref) if phone.token_ref else None),
        ):
            if missing:
                raise Refused(f"{option}: {missing.text}; {missing.step}")
    except ClientError as error:
        if not is_denied(error):
            raise
        print("the secrets are not checked: no permission to read them", file=sys.stderr)


def _described(options: argparse.Namespace) -> Phone:
    """Return the number that the options describe. Raises WrongUse if they contradict each other."""
    arn = options.phone_arn
    if options.token_ref and not owns_token(options.company, options.token_ref):
        raise WrongUse(f"--token-ref: {TOKEN_RULE}")
    if options.provider == "graph":
        if not options.token_ref:
            raise WrongUse("--token-ref: is required for a number on Graph")
        if not options.app:
            raise WrongUse("--app: is required for a number on Graph")
        arn = arn or GRAPH_ARN.format(phone=options.phone)
    if arn is None:
        raise WrongUse("--phone-arn: is required for a number on AWS End User Messaging")
    is_of_aws = arn.startswith("arn:aws")
    if not is_of_aws and arn != GRAPH_ARN.format(phone=options.phone):
        raise WrongUse("--phone-arn: a Parley ARN must end in the number's own id")
    aws_phone = options.aws_phone
    if is_of_aws:
        aws_phone = aws_phone or AWS_PHONE.format(suffix=arn.rsplit("/", 1)[-1])
    if options.provider == "eum" and aws_phone is None:
        raise WrongUse("--aws-phone: is required for a number on AWS End User Messaging")
    if options.provider == "eum" and options.aws_waba is None:
        raise WrongUse("--aws-waba: is required for a number on AWS End User Messaging")
    return Phone(
        pk=Phone.key(options.phone),
        company=options.company,
        phone=options.phone,
        display_phone=options.display_phone,
        phone_arn=arn,
        provider=options.provider,
        waba_meta_id=options.waba,
        aws_phone=aws_phone,
        aws_waba=options.aws_waba,
        tenant=options.tenant,
        app_id=options.app,
        token_ref=options.token_ref,
        business_account_name=options.name,
        auto_mark_read=options.auto_mark_read,
        automation=options.automation,
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations phones", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    register = arguments.sub_command(
        commands,
        "register",
        _register,
        "register a number, or replace its settings; omitted options are removed",
    )
    _add_settings(register)

    listing = arguments.sub_command(commands, "list", _list, "list numbers")
    listing.add_argument("--company", type=arguments.company, help="only numbers of this company")

    disable = arguments.sub_command(
        commands, "disable", _disable, "park the events of a number; its inbox stays readable"
    )
    disable.add_argument("phone", type=arguments.meta_id, help="Meta's id of the number")
    for command in (register, listing, disable):
        arguments.add_table(command)
    register.add_argument(
        "--log-table", help="with --table: name of the conversation log, which has the owners"
    )
    return own


def _add_settings(register: argparse.ArgumentParser) -> None:
    add = register.add_argument
    add("--phone", required=True, type=arguments.meta_id, help="Meta's id of the number")
    add("--display-phone", required=True, type=arguments.display_phone, help="the phone number")
    add(
        "--company",
        required=True,
        type=arguments.company,
        help="company that owns the number; permanent",
    )
    add(
        "--provider",
        required=True,
        choices=["graph", "eum"],
        help="Meta's Graph API or AWS End User Messaging",
    )
    add("--waba", required=True, type=arguments.meta_id, help="Meta's id of its WhatsApp account")
    add(
        "--app",
        type=arguments.meta_id,
        help="Meta app whose webhooks are accepted (required on Graph)",
    )
    add(
        "--token-ref",
        type=arguments.token,
        help="name of its token in the secret of access tokens: <company> or <company>/<name>",
    )
    add(
        "--phone-arn",
        type=matching(f"{_AWS_ARN}|{_GRAPH_ARN}", "an ARN of AWS End User Messaging or of Parley"),
        help="ARN that its conversations are stored under; permanent (default on Graph: a Parley ARN)",
    )
    add(
        "--aws-phone",
        type=matching(r"phone-number-id-[0-9a-f]{32}", "phone-number-id- and 32 hex digits"),
        help="AWS id of the number (default: from the ARN)",
    )
    add(
        "--aws-waba",
        type=matching(r"waba-[0-9a-f]{32}", "waba- and 32 hex digits"),
        help="AWS id of its WhatsApp account (required on AWS End User Messaging)",
    )
    add("--tenant", type=arguments.word, help="tenant within the company")
    add(
        "--name",
        type=arguments.label,
        help="name of the business account, shown with conversations",
    )
    add("--auto-mark-read", action="store_true", help="send a read receipt for every message")
    add(
        "--automation",
        choices=[NO_AUTOMATION, CONVERSATIONS],
        default=NO_AUTOMATION,
        help="automation that answers: conversations receives every message, answer from the business app and status"
        " of the number, for the projects that name it in their channel_config (default: none)",
    )
