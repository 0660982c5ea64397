"""Make the entries of the inbox over all contexts again, and list the heads that could not be shown."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence

import boto3

from conversations.store.inbox_heads import ConversationHeads
from email_threads.store.lists.inbox_heads import EmailHeads
from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.contexts.inbox import ended, rebuild
from operations.contexts.inbox.rebuild import Run, Source
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.identity import keyed_hashes
from shared.inbox import entries
from shared.inbox.entries import Tables
from shared.inbox.items import Context
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads

# Outputs of template.yaml.
INBOX, CONTACTS = "InboxTableName", "ContactsTableName"
WHATSAPP, EMAIL = "WhatsAppTableName", "EmailThreadsTableName"
CONVERSATIONS, LOG = "ConversationsTableName", "ConversationLogTableName"
KEYS = "IdentifierKeysSecretId"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if some heads could not be shown."""
    return arguments.run(parser(), argv, lambda options: int(options.run(options)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations inbox", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    summary = "make the entries again from the conversations of the contexts; goes on after an interruption"
    add_options(arguments.sub_command(commands, "rebuild", _rebuild, summary))
    summary = "list the conversations that a feed could not show, with reasons"
    parked = arguments.sub_command(commands, "parked", _parked, summary)
    arguments.add_stack(parked)
    summary = "list AI conversations that ended before a list of ended ones existed"
    listed = arguments.sub_command(commands, "list-ended", _list_ended, summary)
    arguments.add_stack(listed)
    listed.add_argument("--apply", action="store_true", help="without it, count and write nothing")
    return own


def _list_ended(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, CONVERSATIONS, LOG, KEYS)
    keyed_hashes.configure(JsonSecret(lambda: boto3.client("secretsmanager"), outputs[KEYS]))
    client = boto3.client("dynamodb")
    log = Table(client, outputs[LOG])
    found = ended.list_ended(client, outputs[CONVERSATIONS], log, apply=options.apply)
    print(f"{found} ended conversations {'listed' if options.apply else 'to list'}")
    return 0


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of a rebuild."""
    arguments.add_stack(command)
    command.add_argument(
        "--context", choices=[str(one) for one in Context], action="append", help="default: all"
    )
    command.add_argument("--restart", action="store_true", help="from the beginning")


def rebuild_contacts(options: argparse.Namespace) -> int:
    """Resolve the contacts of all conversations again. Raises Refused if some could not be shown."""
    return _run(options, Run.rebuild_contacts)


def _rebuild(options: argparse.Namespace) -> int:
    return _run(options, Run.rebuild)


def _run(options: argparse.Namespace, rebuilds: Callable[..., None]) -> int:
    outputs = arguments.outputs_of(
        options.stack, INBOX, CONTACTS, WHATSAPP, EMAIL, CONVERSATIONS, LOG, KEYS
    )
    keyed_hashes.configure(JsonSecret(lambda: boto3.client("secretsmanager"), outputs[KEYS]))
    client = boto3.client("dynamodb")
    tables = Tables(inbox=Table(client, outputs[INBOX]), contacts=Table(client, outputs[CONTACTS]))
    heads = (
        Source(heads=WhatsAppHeads(Table(client, outputs[WHATSAPP])), table=outputs[WHATSAPP]),
        Source(
            heads=ConversationHeads(
                Table(client, outputs[CONVERSATIONS]), Table(client, outputs[LOG])
            ),
            table=outputs[CONVERSATIONS],
        ),
        Source(heads=EmailHeads(Table(client, outputs[EMAIL])), table=outputs[EMAIL]),
    )
    failed = 0
    for source in heads:
        context = source.heads.context
        if options.context and context not in options.context:
            continue
        run = Run(client=client, tables=tables, report=_progress)
        rebuilds(run, source, restart=options.restart)
        print(context, *(f"{run.counts[name]} {name}" for name in _OUTCOMES), sep="\t")
        failed += run.counts[rebuild.FAILED]
    if failed:
        raise Refused(f"{failed} conversations could not be shown; list them with `inbox parked`")
    return 0


_OUTCOMES = (rebuild.SHOWN, rebuild.REMOVED, rebuild.UNCHANGED, rebuild.FAILED)


def _progress(context: Context, counts: Counter[str]) -> None:
    print(f"{context}: {counts.total()} compared", file=sys.stderr)


def _parked(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, INBOX)
    table = Table(boto3.client("dynamodb"), outputs[INBOX])
    for context in Context:
        for head in entries.parked(table, context):
            print(context, head.activity, head.reason, head.reference, sep="\t")
    return 0
