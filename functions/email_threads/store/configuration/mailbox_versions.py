"""
The versions of the settings of a mailbox's model: what it is, what it may state and ask, and whether it sends.

A mailbox that was stored before there were versions gets its settings as version 1 before the first change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.store.configuration import mailboxes
from email_threads.store.items import Mailbox, MailboxVersion
from shared.ai.versions.stored import DIGITS, PARLEY, Version, Versions
from shared.aws.sqs_fifo import digest, to_json
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

# Attributes of a mailbox that a version has, if they differ from their defaults.
VERSIONED: Final = (
    *("ai", "requirements_schema", "auto_complete", "facts", "link_hosts", "reply_mode"),
)


def of_mailbox(table: Table, company_id: str, address: str) -> Versions:
    """Return the versions of a company's mailbox; those of another owner of the address are apart."""

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


def settings_of(mailbox: Mailbox) -> dict[str, Any]:
    """Return the settings of a mailbox that versions have."""
    return with_values(mailbox.model_dump(include={*VERSIONED}))


def with_values(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from their defaults."""
    found: dict[str, Any] = plain(
        {
            name: value
            for name, value in settings.items()
            if name in VERSIONED and value != default_of(name)
        }
    )
    return found


def default_of(name: str) -> Any:  # noqa: ANN401 - of any setting
    """Return the value of a setting that a version does not have."""
    return Mailbox.model_fields[name].get_default(call_default_factory=True)


def live_version(table: Table, mailbox: Mailbox) -> int | None:
    """Return the number of the version of a stored mailbox; its settings become one if it has none. Safe to repeat."""
    settings = settings_of(mailbox)
    if mailbox.ai_version is not None or not settings:
        return mailbox.ai_version
    first = Version(
        settings=settings,
        by=mailbox.updated_by or PARLEY,
        at=mailbox.updated_at or clock.to_text(clock.now_ms()),
        made_for=digest("stored before", to_json(settings)),
    )
    number = of_mailbox(table, mailbox.company_id, mailbox.address).add(first).number
    return mailboxes.put_version(table, mailbox, number)


def version_of(table: Table, present: Mailbox | None, mailbox: Mailbox, cause: str) -> int | None:
    """
    Return the number of the version with the settings of *mailbox*, which replaces the *present* one of its company:
    the live one if they are equal, else a new one. Repeatable with the same *cause*, which names the call.
    """
    settings = settings_of(mailbox)
    live = live_version(table, present) if present is not None else None
    if settings == (settings_of(present) if present is not None else {}):
        return live
    wanted = Version(
        settings=settings,
        by=mailbox.updated_by or PARLEY,
        at=mailbox.updated_at or clock.to_text(clock.now_ms()),
        based_on=live,
        made_for=digest(cause, to_json(settings)),
    )
    return of_mailbox(table, mailbox.company_id, mailbox.address).add(wanted, live or 0).number


def values_of(version: Version) -> dict[str, Any]:
    """Return the values of a mailbox with which *version* is live."""
    values = {name: version.settings.get(name, default_of(name)) for name in VERSIONED}
    return {**values, "ai_version": version.number}
