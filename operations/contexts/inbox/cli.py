"""Make the entries of the inbox over all contexts again, and list the heads that could not be shown."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import boto3

from conversations.store.lists.inbox_heads import ConversationHeads
from email_threads.store.lists.inbox_heads import EmailHeads
from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.contexts.inbox import ended, rebuild, tickets
from operations.contexts.inbox.rebuild import Run, Source
from operations.contexts.richpanel import deployment
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
    _add_options(arguments.sub_command(commands, "rebuild", _rebuild, summary), Context)
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
    """Add the options of a rebuild of contacts."""
    _add_options(command, (*Context, tickets.CONTEXT))


def _add_options(command: argparse.ArgumentParser, contexts: Iterable[str]) -> None:
    arguments.add_stack(command)
    command.add_argument(
        "--context", choices=list(map(str, contexts)), action="append", help="default: all"
    )
    command.add_argument("--restart", action="store_true", help="from the beginning")


def rebuild_contacts(options: argparse.Namespace) -> int:
    """
    Resolve the contacts of all conversations again, then restore the tickets of contacts: conversations alone tell
    which identifiers a contact has. Raises Refused if some could not be shown or restored.
    """
    return _run(options, Run.rebuild_contacts, _restored_tickets)


def _rebuild(options: argparse.Namespace) -> int:
    return _run(options, Run.rebuild)


def _run(
    options: argparse.Namespace,
    rebuilds: Callable[..., None],
    restored_tickets: Callable[[argparse.Namespace, Run], int] | None = None,
) -> int:
    outputs = arguments.outputs_of(
        options.stack, INBOX, CONTACTS, WHATSAPP, EMAIL, CONVERSATIONS, LOG, KEYS
    )
    keyed_hashes.configure(JsonSecret(lambda: boto3.client("secretsmanager"), outputs[KEYS]))
    client = boto3.client("dynamodb")
    tables = Tables(inbox=Table(client, outputs[INBOX]), contacts=Table(client, outputs[CONTACTS]))
    failed = failed_tickets = 0
    for source in _sources(outputs):
        context = source.heads.context
        if options.context and context not in options.context:
            continue
        run = Run(client=client, tables=tables, report=_progress)
        rebuilds(run, source, restart=options.restart)
        _print(context, run.counts, _OUTCOMES)
        failed += run.counts[rebuild.FAILED]
    if restored_tickets and tickets.CONTEXT in (options.context or [tickets.CONTEXT]):
        run = Run(client=client, tables=tables, report=_progress)
        failed_tickets = restored_tickets(options, run)
    if failed:
        raise Refused(f"{failed} conversations could not be shown; list them with `inbox parked`")
    if failed_tickets:
        raise Refused(f"{failed_tickets} tickets could not be restored")
    return 0


def _sources(outputs: Mapping[str, str]) -> Iterator[Source]:
    client = boto3.client("dynamodb")
    whatsapp, email, conversations, log = (
        Table(client, outputs[name]) for name in (WHATSAPP, EMAIL, CONVERSATIONS, LOG)
    )
    yield Source(heads=WhatsAppHeads(whatsapp), table=whatsapp.name)
    yield Source(heads=ConversationHeads(conversations, log), table=conversations.name)
    yield Source(heads=EmailHeads(email), table=email.name)


def _restored_tickets(options: argparse.Namespace, run: Run) -> int:
    """Restore the tickets of contacts; return how many could not be restored."""
    help_desk = deployment.of_stack(options.stack)
    company = help_desk.account.company
    if company is None:
        print(tickets.CONTEXT, "no company: its tickets have no contacts", sep="\t")
        return 0
    tickets.rebuild(run, help_desk.state, company, restart=options.restart)
    _print(tickets.CONTEXT, run.counts, tickets.OUTCOMES)
    return run.counts[rebuild.FAILED]


_OUTCOMES = (rebuild.SHOWN, rebuild.REMOVED, rebuild.UNCHANGED, rebuild.FAILED)


def _print(context: str, counts: Counter[str], outcomes: Sequence[str]) -> None:
    print(context, *(f"{counts[name]} {name}" for name in outcomes), sep="\t")


def _progress(context: str, counts: Counter[str]) -> None:
    print(f"{context}: {counts.total()} compared", file=sys.stderr)


def _parked(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, INBOX)
    table = Table(boto3.client("dynamodb"), outputs[INBOX])
    for context in Context:
        for head in entries.parked(table, context):
            print(context, head.activity, head.reason, head.reference, sep="\t")
    return 0
