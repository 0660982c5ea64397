"""Complete threads that an older system stored in the table."""

import argparse
from collections.abc import Sequence

import boto3

from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.contexts.email_threads import migration
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.identity.addresses import AddressInvalid, email_address

TABLE, BUCKET = "EmailThreadsTableName", "EmailBucketName"  # outputs of template.yaml


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, lambda options: int(options.run(options)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations email-threads", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    summary = "complete the threads of an older system, and print a report"
    migrate = arguments.sub_command(commands, "migrate", _migrate, summary)
    arguments.add_stack(migrate)
    migrate.add_argument("--company", type=arguments.company, required=True, help="their owner")
    migrate.add_argument(
        "--mailbox", type=_address, required=True, help="the address that they were sent to"
    )
    migrate.add_argument("--apply", action="store_true", help="write (default: count only)")
    return own


def _migrate(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, TABLE, BUCKET)
    dynamodb = boto3.client("dynamodb")
    owner = migration.Owner(options.company, options.mailbox)
    table, bucket = (
        Table(dynamodb, outputs[TABLE]),
        Bucket(lambda: boto3.client("s3"), outputs[BUCKET]),
    )
    threads = mails = failed = 0
    for head in migration.older_heads(dynamodb, outputs[TABLE]):
        try:
            count = migration.complete(table, bucket, owner, head, is_dry=not options.apply)
        except migration.Unreadable as fault:
            failed += 1
            print(f"{head.get('conversation_id')}: left as it is: {fault}")
            continue
        threads, mails = threads + 1, mails + count
    done = "completed" if options.apply else "to complete, nothing written; add --apply"
    print(f"{threads} threads with {mails} mails {done}; {failed} could not be read")
    if failed:
        raise Refused("some threads were left as they are")
    return 0


def _address(text: str) -> str:
    try:
        return email_address(text)
    except AddressInvalid:
        raise argparse.ArgumentTypeError("must be an e-mail address") from None
