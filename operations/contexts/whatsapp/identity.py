"""Link and unlink contacts of a business number that are the same person, and show why they are linked."""

import argparse
import sys
from collections.abc import Sequence

import boto3

from operations.command_line import arguments
from operations.command_line.arguments import Refused, matching
from shared.aws.dynamodb import Table
from whatsapp import store
from whatsapp.store.items import Conversation, Phone
from whatsapp.worker import contact_links
from whatsapp.worker.contact_links import Link, NotLinkable

# The contact key: digits, digits with the time since when a new owner has them, or a business-scoped user id.
contact = matching(
    r"[0-9]{5,20}(-[0-9]{14})?|[A-Z]{2}\.[A-Za-z0-9.]{1,140}",
    "the `customer` of a conversation: digits, or a business-scoped user id",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    table = arguments.table_of(options, arguments.TABLE_OF_INBOX)
    phone = store.phones.get(table, options.phone)
    if phone is None:
        raise Refused("--phone: number is not registered")
    try:
        options.run(table, phone, options)
    except NotLinkable as refusal:
        raise Refused(str(refusal)) from None
    return 0


def _link(table: Table, phone: Phone, options: argparse.Namespace) -> None:
    made = contact_links.link_by_operator(
        table, phone, (options.contact, options.other), _request_of(options)
    )
    print(
        f"{made.linked} is linked to {made.primary}: new messages of both go to the conversation of {made.primary}",
        file=sys.stderr,
    )


def _unlink(table: Table, phone: Phone, options: argparse.Namespace) -> None:
    undone = contact_links.unlink_by_operator(table, phone, options.contact, _request_of(options))
    print(
        f"{undone.linked} has its own conversation again; messages since the link stay with {undone.primary}",
        file=sys.stderr,
    )


def _show(table: Table, phone: Phone, options: argparse.Namespace) -> None:
    head = store.heads.get(table, Conversation.key(phone.arn_suffix, options.contact))
    if head is None:
        raise NotLinkable(f"{options.contact}: has no conversation with this number")
    linked = sorted(map(Conversation.contact_of, head.linked_conversations))
    continued_by = Conversation.contact_of(head.linked_to) if head.linked_to else "-"
    print("contact", options.contact, sep="\t")
    print("number and user id", head.sender_phone or "-", head.sender_user_id or "-", sep="\t")
    print("continued by", continued_by, sep="\t")
    for key in (options.contact, *linked):
        stored = store.links.get(table, phone.phone, key)
        for change in store.links.changes(table, stored) if stored else ():
            facts = (change.changed_at, change.state, change.linked, change.primary)
            print(*facts, change.changed_by, change.reason, change.evidence or "-", sep="\t")


def _request_of(options: argparse.Namespace) -> Link:
    """Return who asks and why: the identity that AWS authenticated."""
    caller = boto3.client("sts").get_caller_identity()["Arn"]
    return Link(by=caller, reason=options.reason)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations identity", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    link = arguments.sub_command(
        commands,
        "link",
        _link,
        "link two contacts: new messages of both go to the conversation of the older one",
    )
    unlink = arguments.sub_command(
        commands, "unlink", _unlink, "give a linked contact its own conversation again"
    )
    show = arguments.sub_command(
        commands, "show", _show, "show a contact, its links and the record of their changes"
    )
    for command in (link, unlink, show):
        command.add_argument("contact", type=contact, help="`customer` of a conversation")
        command.add_argument(
            "--phone",
            required=True,
            type=arguments.meta_id,
            help="Meta's id of the business number",
        )
        arguments.add_table(command)
    link.add_argument("other", type=contact, help="`customer` of the other conversation")
    for command in (link, unlink):
        command.add_argument(
            "--reason", required=True, type=arguments.label, help="why; stored with the change"
        )
    return own
