"""
Completes the head of a thread that has the contract's attributes only: without company, sequence number and `ttl`, with
all its mails in `email_history`.

    1 mails           an item for each entry, with its number       repeated
    2 aliases         the Message-IDs                                repeated; an existing one stays
    3 participants    their rows in the lists                       repeated
    4 head            company, counts, windows, lifetime            last: from then on it is no older head

A thread whose 30 days after its last change are over is kept 30 days from now: a migration deletes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from boto3.dynamodb.types import TypeDeserializer
from mypy_boto3_dynamodb import DynamoDBClient
from pydantic import ValidationError

from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store import objects, threads
from email_threads.store.items import (
    Alias,
    AliasKind,
    Automation,
    HistoryEntry,
    Mail,
    Status,
    Thread,
)
from email_threads.store.items.item import date_of
from email_threads.store.items.threads.thread import Direction, EmailFields
from email_threads.store.lists import participants
from email_threads.threading import ids, people
from email_threads.threading.head import windows
from email_threads.threading.stored_mails import CUT_BODY, MOST_BODY
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import stored
from shared.runtime import clock

DAYS: Final = 30  # contract, attribute `ttl`
_FINGERPRINT: Final = 32


class Unreadable(Exception):
    """An attribute is missing or of another type; the text names it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The company that owns the threads, and the address that their mails were sent to."""

    company_id: str
    mailbox: str


def older_heads(client: DynamoDBClient, table: str) -> Iterator[Attributes]:
    """Yield the heads without a company, in no order."""
    deserialize = TypeDeserializer().deserialize
    pages = client.get_paginator("scan").paginate(
        TableName=table,
        FilterExpression="attribute_exists(#status) AND attribute_not_exists(company_id)",
        ExpressionAttributeNames={"#status": "status"},
        ConsistentRead=True,
    )
    for page in pages:
        for item in page["Items"]:
            yield {name: deserialize(value) for name, value in item.items()}


def complete(table: Table, bucket: Bucket, owner: Owner, head: Attributes, *, is_dry: bool) -> int:
    """Complete a head, and return the number of its mails. May be repeated. Raises Unreadable."""
    mails = _mails_of(owner, head)
    after = _completed(owner, head, mails)
    if is_dry:
        return len(mails)
    for mail in mails:
        whole = mail.body
        if len(whole) > MOST_BODY:
            key = objects.body_key(after.conversation_id, mail.email_id)
            objects.put_body(bucket, key, whole)
            mail = mail.model_copy(update={"body": whole[:CUT_BODY], "body_key": key})  # noqa: PLW2901 - as it is stored
        table.put(mail.attributes())
        _put_alias(table, mail)
        for address in people.added_by(mail, owner.mailbox):
            participants.put(table, after, address, ids.address_hash(address))
    changed = stored(after)
    changed.pop("conversation_id")
    try:
        table.update(
            Thread.key(after.conversation_id),
            put=changed,
            when=Thread.attr("company_id").not_exists(),
        )
    except ConditionFailed:
        return len(mails)  # Another run was faster.
    threads.put_expiry(table, after)
    return len(mails)


def _mails_of(owner: Owner, head: Attributes) -> list[Mail]:
    thread_id = str(head["conversation_id"])
    mails = []
    for n, entry in enumerate(head.get("email_history") or [], start=1):
        try:
            fields = EmailFields.model_validate(entry)
        except ValidationError as fault:
            raise Unreadable(f"email_history[{n - 1}]: {_named(fault)}") from None
        message_id = fields.message_id.strip("<> ")
        given = fields.model_dump(by_alias=True) | {
            "message_id": message_id,
            "email_id": ids.email_id(owner.company_id, message_id),
            "in_reply_to": (fields.in_reply_to or "").strip("<> ") or None,
            "references": [one.strip("<> ") for one in fields.references],
            "from": (fields.sender or "").casefold() or None,
        }
        mails.append(
            Mail(
                **given,
                conversation_id=Mail.number(thread_id, n)["conversation_id"],
                n=n,
                company_id=owner.company_id,
                kind=Kind.MAIL,
                trust=Trust.UNVERIFIED,
                received_at=fields.timestamp,
                fingerprint=digest(message_id, fields.body)[:_FINGERPRINT],
                new_text=fields.body[:MOST_BODY],
                needs_review=True,
            )
        )
    return mails


def _completed(owner: Owner, head: Attributes, mails: list[Mail]) -> Thread:
    """Return the head as it is stored after the migration. Raises Unreadable."""
    history: list[HistoryEntry] = []
    references = [str(head.get("original_message_id", "")).strip("<> ")]
    for mail in mails:
        history, _ = windows.history_with(history, windows.entry_of(mail))
        references += [*mail.references, mail.message_id]
    outside = [one for mail in mails for one in people.added_by(mail, owner.mailbox)]
    inbound = [mail.n for mail in mails if mail.direction is Direction.INBOUND]
    try:
        ttl = max(
            clock.from_text(head["updated_at"]) // clock.SECOND_MS + DAYS * clock.DAY_SECONDS,
            clock.expires_in(DAYS * clock.DAY_SECONDS),
        )
        known = {str(one).casefold() for one in head.get("participants") or ()}
        fields: dict[str, Any] = head | {
            "email_history": [],
            "thread_references": windows.first_and_newest(one for one in references if one),
            "participants": windows.participants_with({owner.mailbox}, [*outside, *sorted(known)]),
            "company_id": owner.company_id,
            "mailbox": owner.mailbox,
            "automation": Automation.NONE,
            "company_status": Thread.list_of(owner.company_id, Status(head["status"])),
            "participant": outside[0] if outside else None,
            "last_seq": int(head.get("last_seq") or 0),
            "last_updated_at": head["updated_at"],
            "email_count": len(mails),
            "last_inbound_n": inbound[-1] if inbound else None,
            "ttl": ttl,
            "ttl_date": date_of(ttl),
        }
        return Thread.model_validate(fields).model_copy(update={"email_history": history})
    except ValidationError as fault:
        raise Unreadable(_named(fault)) from None
    except (KeyError, ValueError, TypeError) as fault:
        raise Unreadable(f"{type(fault).__name__} in updated_at or status") from None


def _put_alias(table: Table, mail: Mail) -> None:
    alias = Alias(
        conversation_id=Alias.key(mail.email_id)["conversation_id"],
        thread=mail.thread,
        kind=AliasKind.MAIL,
        email_id=mail.email_id,
        n=mail.n,
        fingerprint=mail.fingerprint,
        ttl=Alias.lifetime(AliasKind.MAIL),
    )
    try:
        table.put(alias.attributes(), when=Alias.attr("conversation_id").not_exists())
    except ConditionFailed:
        return


def _named(fault: ValidationError) -> str:
    """Name the attributes that cannot be read, without their values."""
    return ", ".join(sorted({".".join(map(str, one["loc"])) for one in fault.errors()}))
