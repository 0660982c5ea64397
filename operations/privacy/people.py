"""Erase or export a person in all contexts by one request; show its state and receipts."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from console.privacy import jobs, person
from console.privacy.jobs import PersonDependencies
from console.privacy.remainders import REMAINDERS
from console.store.person_jobs import Named, NameKind, PersonJob
from conversations.store.inbox_heads import ConversationHeads
from email_threads.store.lists.inbox_heads import EmailHeads
from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse, matching
from operations.privacy import archive, erase_person
from operations.privacy.archive import Exported
from operations.privacy.contexts import ConversationJobs, EmailJobs, WhatsAppJobs
from richpanel.privacy.customer_rows import CustomerRows
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.entries import Tables
from shared.inbox.items import Context
from shared.privacy import engine, remainders
from shared.privacy import jobs as stored_jobs
from shared.privacy.jobs import Job
from shared.privacy.remainders import Remainder
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads

# Outputs of template.yaml.
INBOX, CONTACTS = "InboxTableName", "ContactsTableName"
WHATSAPP, WHATSAPP_QUEUE = "WhatsAppTableName", "WhatsAppQueueUrl"
EMAIL, EMAIL_QUEUE, EMAIL_BUCKET = (
    "EmailThreadsTableName",
    "EmailThreadsQueueUrl",
    "EmailBucketName",
)
CONVERSATIONS, LOG, MEDIA = "ConversationsTableName", "ConversationLogTableName", "MediaBucketName"
HELP_DESK, HELP_DESK_KEYS = "RichpanelConversationStateTableName", "RichpanelKeysId"
KEYS = "IdentifierKeysSecretId"
OUTPUTS = (
    INBOX, CONTACTS, WHATSAPP, WHATSAPP_QUEUE, EMAIL, EMAIL_QUEUE, EMAIL_BUCKET, CONVERSATIONS, LOG, MEDIA, HELP_DESK,
    HELP_DESK_KEYS, KEYS,
)  # fmt: skip
BY = "operations"
LONGEST_REASON = 200


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if the request is not done yet, or a copy is left to an operator."""
    return arguments.run(parser(), argv, lambda options: int(options.run(options)))


def _act(options: argparse.Namespace) -> int:
    given = list(dict.fromkeys([*options.phone, *options.email, *options.user_id]))
    if not given:
        raise WrongUse("--phone, --email or --user-id is required; each is repeatable")
    deps = dependencies(options)
    try:
        if options.dry_run:
            return _preview(deps, options.company, given)
        job = jobs.start(
            deps,
            options.kind,
            options.company,
            given,
            by=BY,
            reason=options.reason,
            reference=options.reference,
        )
        print(f"request {job.job_id} works; an erasure waits about five minutes", file=sys.stderr)
        until_ms = clock.now_ms() + options.wait * clock.SECOND_MS
        job = engine.run(jobs.engine_of(deps), job.job_id, until_ms=until_ms)
    except (Transient, ClientError, BotoCoreError) as failure:
        raise Refused(f"{failure}; run the command again to continue") from None
    return _show(deps, job, getattr(options, "output", None))


def _preview(deps: PersonDependencies, company: str, given: Sequence[Named]) -> int:
    """Print what a request would be about. The operator confirms by it, so it has the identifiers."""
    names, ids = person.of_names(deps.sources, company, given)
    for name in names:
        print(name.kind, name.value, sep="\t")
    found = [one for one in ids if deps.tables.contacts.get(Profile.key(company, one))]
    print("profiles", len(found), sep="\t")
    return 0


def _status(options: argparse.Namespace) -> int:
    deps = dependencies(options)
    job = stored_jobs.get(deps.tables.contacts, PersonJob, options.request)
    if job is None or job.company_id != options.company:
        raise Refused("there is no such request of the company")
    return _show(deps, job, None)


def _show(deps: PersonDependencies, job: PersonJob, output: Path | None) -> int:
    print("request", job.job_id, sep="\t")
    print("kind", job.kind, sep="\t")
    print("state", job.state, sep="\t")
    parts = _parts_of(deps, job)
    for context, part in parts:
        _show_part(context, part, deps.contexts[context].remainders)
    _show_part("contacts", job, REMAINDERS)
    if job.state != "done":
        print("the request continues: run the command again", file=sys.stderr)
        return 1
    if output is not None:
        _write(deps, job, parts, output)
    left = [one for _, part in parts for one in getattr(part, "threads_left", [])]
    for thread in left if job.kind == "erase" else ():
        print(f"error: delete the thread at the model's provider: {thread}", file=sys.stderr)
    return 1 if left and job.kind == "erase" else 0


def _parts_of(deps: PersonDependencies, job: PersonJob) -> list[tuple[str, Job]]:
    """Return the jobs of the contexts of the present run."""
    found = [(one["context"], one["job_id"]) for one in job.parts]
    stored = [(context, deps.contexts[context].stored(job_id)) for context, job_id in found]
    return [
        (context, part)
        for context, part in stored
        if part is not None and part.requested_at >= job.requested_at
    ]


def _show_part(context: str, job: Job, left: Iterable[Remainder]) -> None:
    for kind, count in sorted(job.counts.items()):
        print(context, kind, count, sep="\t")
    if not job.receipts or not job.is_done or job.kind == "export":
        return
    receipt = remainders.receipt(left, job.receipts[0])
    for word, listed in (("kept", receipt.kept), ("outside", receipt.outside)):
        for one in listed or []:
            print(context, word, one.kind, one.until or "-", one.reason, sep="\t")


def _write(
    deps: PersonDependencies, job: PersonJob, parts: Sequence[tuple[str, Job]], path: Path
) -> None:
    exports = [
        Exported(context=context, counts=part.counts, folder=deps.contexts[context].folder(part))
        for context, part in parts
    ]
    own = Exported(context="contacts", counts=job.counts, folder=jobs.folder_of(deps.bucket, job))
    number = archive.write(path, [*exports, own], job.requested_at)
    print("files", number, sep="\t")


def dependencies(options: argparse.Namespace) -> PersonDependencies:
    """Return what the jobs need, by the outputs of the stack."""
    outputs = arguments.outputs_of(options.stack, *OUTPUTS)
    dynamodb = boto3.client("dynamodb")

    def secret(output: str) -> JsonSecret:
        return JsonSecret(lambda: boto3.client("secretsmanager"), outputs[output])

    def table(output: str) -> Table:
        return Table(dynamodb, outputs[output])

    def queue(output: str) -> FifoQueue:
        return FifoQueue(lambda: boto3.client("sqs"), outputs[output])

    media = Bucket(lambda: boto3.client("s3"), outputs[MEDIA])
    mails = Bucket(lambda: boto3.client("s3"), outputs[EMAIL_BUCKET])
    own = erase_person.dependencies(options)
    whatsapp = WhatsAppJobs(table=table(WHATSAPP), queue=queue(WHATSAPP_QUEUE), bucket=media)
    email = EmailJobs(table=table(EMAIL), queue=queue(EMAIL_QUEUE), bucket=mails)
    conversations = ConversationJobs(deps=own)
    return PersonDependencies(
        tables=Tables(inbox=table(INBOX), contacts=table(CONTACTS)),
        heads={
            Context.WHATSAPP: WhatsAppHeads(table(WHATSAPP)),
            Context.CONVERSATIONS: ConversationHeads(own.table, own.log),
            Context.EMAIL_THREADS: EmailHeads(table(EMAIL)),
        },
        # Conversations last: the inbox and the threads forward messages to them.
        contexts={one.context: one for one in (whatsapp, email, conversations)},
        help_desk=CustomerRows(table(HELP_DESK), secret(HELP_DESK_KEYS)),
        bucket=media,
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations privacy", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    for kind, summary in (
        ("erase", "erase a person in all contexts; goes on after an interruption"),
        ("export", "export a person from all contexts"),
    ):
        of_person = arguments.sub_command(commands, kind, _act, summary)
        of_person.set_defaults(kind=kind)
        _add_person(of_person)
        if kind == "export":
            of_person.add_argument("--output", type=Path, help="the ZIP to write")
    status = arguments.sub_command(commands, "status", _status, "show a request and its receipts")
    arguments.add_stack(status)
    status.add_argument("--company", required=True, type=arguments.word)
    status.add_argument("--request", required=True, help="its id, as `erase` and `export` print it")
    for command in commands.choices.values():
        command.add_argument("--openai-url", help="OpenAiBaseUrl of the stack, if not the default")
    return own


def _add_person(command: argparse.ArgumentParser) -> None:
    arguments.add_stack(command)
    command.add_argument("--company", required=True, type=arguments.word, help="the company's id")
    for kind, read, what in (
        (NameKind.PHONE, _phone, "a phone number with + and country code"),
        (NameKind.EMAIL, _email, "an e-mail address"),
        (NameKind.USER_ID, _user_id, "a business-scoped user id of WhatsApp"),
    ):
        command.add_argument(
            f"--{kind.replace('_', '-')}",
            action="append",
            default=[],
            type=_named(kind, read),
            help=f"{what}; repeatable",
        )
    command.add_argument(
        "--reason",
        required=True,
        type=matching(rf"[^\x00-\x1f]{{1,{LONGEST_REASON}}}", f"up to {LONGEST_REASON} characters"),
        help="why; it is kept with the receipt, so it names no person",
    )
    command.add_argument("--reference", type=arguments.word, help="number of the case elsewhere")
    command.add_argument(
        "--dry-run", action="store_true", help="show the identifiers of the person, change nothing"
    )
    command.add_argument(
        "--wait", type=int, default=1_800, help="seconds to wait for the end (default: 1800)"
    )


def _named(kind: NameKind, read: Callable[[str], str]) -> Callable[[str], Named]:
    return lambda text: Named(kind, read(text))


def _phone(text: str) -> str:
    try:
        return identifier(IdentifierKind.PHONE, addresses.phone_number(text)).value
    except AddressInvalid:
        raise argparse.ArgumentTypeError("must be a phone number with + and country code") from None


def _user_id(text: str) -> str:
    try:
        return addresses.user_id(text).removeprefix(addresses.USER_ID_PREFIX)
    except AddressInvalid:
        raise argparse.ArgumentTypeError("must be a user id of WhatsApp") from None


def _email(text: str) -> str:
    try:
        return identifier(IdentifierKind.EMAIL, text).value
    except AddressInvalid:
        raise argparse.ArgumentTypeError("must be an e-mail address") from None
