"""Erase or export a contact of the WhatsApp inbox; resolve the contacts of all contexts again."""

import argparse
import sys
from collections.abc import Sequence

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse, matching
from operations.contexts.inbox import cli as inbox
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.privacy import remainders
from shared.privacy.requests import Jobs
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.privacy.requests import REMAINDERS, jobs_of
from whatsapp.store.items.privacy import PrivacyJob

# Outputs of template.yaml.
TABLE = "WhatsAppTableName"
BUCKET = "MediaBucketName"
QUEUE = "WhatsAppQueueUrl"
POLL_MS = 5 * clock.SECOND_MS
BY = "operations"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if the job has not ended yet."""
    return arguments.run(parser(), argv, lambda options: int(options.run(options)))


def _act(options: argparse.Namespace) -> int:
    if bool(options.phone) == bool(options.user_id):
        raise WrongUse("--phone or --user-id is required, not both")
    outputs = arguments.outputs_of(options.stack, TABLE, BUCKET, QUEUE)
    jobs = jobs_of(
        Table(boto3.client("dynamodb"), outputs[TABLE]),
        Bucket(lambda: boto3.client("s3"), outputs[BUCKET]),
        FifoQueue(lambda: boto3.client("sqs"), outputs[QUEUE]),
    )
    try:
        job = jobs.start(options.kind, options.company, options.phone or options.user_id, by=BY)
    except (Transient, ClientError, BotoCoreError) as failure:
        raise Refused(f"{failure}; run the command again to continue") from None
    return _show(_waited_for(jobs, job, options.wait))


def _waited_for(jobs: Jobs[PrivacyJob], job: PrivacyJob, seconds: int) -> PrivacyJob:
    """Return the job when it is done, or after this time."""
    until = clock.now_ms() + seconds * clock.SECOND_MS
    while job.state != "done" and clock.now_ms() < until:
        clock.sleep_ms(POLL_MS)
        job = jobs.get(job.job_id) or job
    return job


def _show(job: PrivacyJob) -> int:
    print("job", job.job_id, sep="\t")
    print("state", job.state, sep="\t")
    for kind, count in sorted(job.counts.items()):
        print(kind, count, sep="\t")
    if job.state == "done":
        _show_left(job)
        return 0
    print("the job continues; run the command again to see its receipt", file=sys.stderr)
    return 1


def _show_left(job: PrivacyJob) -> None:
    """Print what the newest run has kept, and the copies that it does not reach, each with the time until when."""
    receipt = remainders.receipt(REMAINDERS, job.receipts[0])
    for word, left in (("kept", receipt.kept), ("outside", receipt.outside)):
        for one in left or []:
            print(word, one.kind, one.until or "-", one.reason, sep="\t")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations contacts", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    for kind, summary in (
        ("erase", "erase a contact of the WhatsApp inbox"),
        ("export", "export a contact of the WhatsApp inbox"),
    ):
        of_contact = arguments.sub_command(commands, kind, _act, summary)
        of_contact.set_defaults(kind=kind)
        _add_contact(of_contact)
    summary = (
        "resolve the contacts of all conversations and tickets again; goes on after an interruption"
    )
    inbox.add_options(arguments.sub_command(commands, "rebuild", inbox.rebuild_contacts, summary))
    return own


def _add_contact(command: argparse.ArgumentParser) -> None:
    arguments.add_stack(command)
    command.add_argument(
        "--company", required=True, type=arguments.word, help="company of the business numbers"
    )
    command.add_argument("--phone", type=_digits, help="a phone number with + and country code")
    command.add_argument(
        "--user-id",
        type=matching(r"[A-Za-z0-9._:-]{3,128}", "a business-scoped user id of WhatsApp"),
        help="a business-scoped user id of WhatsApp",
    )
    command.add_argument(
        "--wait", type=int, default=300, help="seconds to wait for the end (default: 300)"
    )


def _digits(text: str) -> str:
    """Return the digits of a phone number. The error does not repeat the input."""
    try:
        return addresses.phone_number(text).removeprefix("+")
    except AddressInvalid:
        raise argparse.ArgumentTypeError("must be a phone number with + and country code") from None
