"""Erase a person from a company's conversations: items, messages, files, copies at the model's provider."""

import argparse
import sys
from collections.abc import Callable, Sequence

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from conversations.configuration.bootstrap import ledger_of
from conversations.privacy import erasure
from conversations.privacy.dependencies import ErasureDependencies
from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.identity import addresses, keyed_hashes
from shared.identity.addresses import AddressInvalid
from shared.privacy import remainders
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from shared.runtime.failures import Transient

# Outputs of template.yaml.
TABLE = "ConversationsTableName"
LOG = "ConversationLogTableName"
BUCKET = "MediaBucketName"
KEYS = "IdentifierKeysSecretId"
OPENAI_URL = "https://api.openai.com"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if an operator must delete a remaining copy."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    try:
        return _erase(options)
    except (Transient, ClientError, BotoCoreError) as failure:
        raise Refused(f"{failure}; run the command again to continue") from None


def _erase(options: argparse.Namespace) -> int:
    addresses = list(dict.fromkeys([*options.phone, *options.user_id, *options.email]))
    if not addresses:
        raise WrongUse("--phone, --user-id or --email is required; each is repeatable")
    minutes = -(-erasure.SETTLES_MS // 60_000)
    print(
        f"fencing the conversations; waiting up to {minutes} minutes for running workers",
        file=sys.stderr,
    )
    done = erasure.run(dependencies(options), "erase", options.company, addresses)
    for name in erasure.COUNTED:
        print(name, done.counts.get(name, 0), sep="\t")
    _show_left()
    for thread in done.threads_left:
        print(f"error: delete the thread at the model's provider: {thread}", file=sys.stderr)
    return 1 if done.threads_left else 0


def _show_left() -> None:
    """Print what is kept and the copies that are not reached, each with the time until when."""
    until = remainders.ends(erasure.REMAINDERS, clock.now_ms())
    for one in erasure.REMAINDERS:
        print(
            "outside" if one.is_outside else "kept",
            one.kind,
            until[one.kind] or "-",
            one.reason,
            sep="\t",
        )


def dependencies(options: argparse.Namespace) -> ErasureDependencies:
    """Return what an erasure of conversations needs, by the outputs of the stack; configures the identifier keys."""
    default_url = options.local.sandbox_url if options.local else OPENAI_URL
    openai_url = options.openai_url or default_url
    outputs = arguments.outputs_of(options.stack, TABLE, LOG, BUCKET, KEYS)
    keyed_hashes.configure(JsonSecret(lambda: boto3.client("secretsmanager"), outputs[KEYS]))
    dynamodb = boto3.client("dynamodb")
    log = Table(dynamodb, outputs[LOG])
    return ErasureDependencies(
        table=Table(dynamodb, outputs[TABLE]),
        log=log,
        bucket=Bucket(lambda: boto3.client("s3"), outputs[BUCKET]),
        ledger=ledger_of(log),
        credentials=CompanySecrets(lambda: boto3.client("secretsmanager")),
        openai_url=f"{openai_url}/v1",
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(
        prog="python -m operations erase-person",
        description="Erase a person. Redelivered earlier messages are dropped; opt-outs are kept.",
    )
    arguments.add_stack(own)
    own.add_argument(
        "--company",
        required=True,
        type=arguments.word,
        help="company_id of the conversations",
    )
    for name, read, what in (
        ("--phone", addresses.phone_number, "a phone number with + and country code"),
        ("--user-id", addresses.user_id, "a business-scoped user id of WhatsApp"),
        ("--email", addresses.email_address, "an e-mail address"),
    ):
        help_ = (
            f"{what}; further addresses in its conversations or assigned by agents are erased too"
        )
        own.add_argument(name, action="append", default=[], type=_address(read, what), help=help_)
    own.add_argument("--openai-url", help="OpenAiBaseUrl of the stack, if not the default")
    return own


def _address(read: Callable[[str], str], what: str) -> Callable[[str], str]:
    """Return an argparse type for a normalised address. Errors do not repeat the input."""

    def checked(text: str) -> str:
        try:
            return read(text)
        except AddressInvalid:
            raise argparse.ArgumentTypeError(f"must be {what}") from None

    return checked
