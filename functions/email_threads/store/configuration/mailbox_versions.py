"""
The versions of the settings of a mailbox's model: what it is, what it may state and ask, and whether it sends.

A mailbox that was stored before there were versions gets its settings as version 1 before they change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.store.configuration import mailboxes
from email_threads.store.items import Mailbox, MailboxVersion
from shared.ai.versions.owners import OwnerSettings
from shared.ai.versions.stored import DIGITS, Version, Versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Attributes, Table

SETTINGS: Final = OwnerSettings(
    Mailbox, ("ai", "requirements_schema", "auto_complete", "facts", "link_hosts", "reply_mode")
)


def of_mailbox(table: Table, company_id: str, address: str) -> Versions:
    """Return the versions of a company's mailbox. Another owner of the address has its own."""

    def key_of(number: int) -> Attributes:
        return MailboxVersion.key(company_id, address, f"{number:0{DIGITS}}")

    def item_of(version: Version) -> Attributes:
        item = MailboxVersion(**(key_of(version.number) | version.model_dump()))
        return item.attributes()

    return Versions(
        table=table,
        key_of=key_of,
        read_item=MailboxVersion.read,
        item_of=item_of,
        is_free=MailboxVersion.attr("number").not_exists(),
    )


def live_version(table: Table, mailbox: Mailbox) -> int | None:
    """Return the number of the version of a stored mailbox; its settings become one if it has none. Safe to repeat."""
    first = SETTINGS.first_version(mailbox)
    if first is None:
        return mailbox.ai_version
    number = of_mailbox(table, mailbox.company_id, mailbox.address).add(first).number
    return mailboxes.put_version(table, mailbox, number)


def version_of(table: Table, present: Mailbox | None, mailbox: Mailbox, cause: str) -> int | None:
    """
    Return the number of the version with the settings of *mailbox*, which replaces the *present* one of its company:
    the live one if they are equal, else a new one. Repeatable with the same *cause*, which names the call.
    """
    live = live_version(table, present) if present is not None else None
    wanted = SETTINGS.new_version(present, mailbox, cause, live=live)
    if wanted is None:
        return live
    return of_mailbox(table, mailbox.company_id, mailbox.address).add(wanted, live or 0).number


def with_settings(mailbox: Mailbox, settings: Mapping[str, Any], number: int | None) -> Mailbox:
    """Return the mailbox with the *settings* of a version, whose *number* they have; it is not stored."""
    others = {
        name: value for name, value in mailbox.attributes().items() if name not in SETTINGS.names
    }
    return Mailbox.read({**others, **settings, "ai_version": number})
