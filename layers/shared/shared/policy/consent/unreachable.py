"""
Addresses that a channel does not reach: for each company and address, one item per channel.

    pk UNREACHABLE#{company}#{address_hash}    sk {channel}

Address hashes are keyed, and of the normal form of a phone number, as in consent records. An item holds the newest
report of a provider. People lift one with a reason; a later report counts again.
"""

from contextlib import suppress
from typing import ClassVar, Literal

from boto3.dynamodb.conditions import Attr
from pydantic import Field

from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.tables.items import Item, filled
from shared.identity.addresses import all_spellings, normal_form
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.runtime import clock

# Why people lift a report: the person has said so, the mailbox or number was repaired, or the provider was wrong.
type LiftReason = Literal["person_confirmed", "address_repaired", "provider_error"]


class NotUnreachable(Exception):
    """The address has no report of this time that could be lifted."""

    def __init__(self) -> None:
        super().__init__("since: no report of this address is so old")


@audited("lift_reason")
class Unreachable(Item):
    """
    An address that a channel does not reach, as reported by the provider: *reason* is its code, *at* the time.

    Nothing is sent to it until a message arrives from it, people lift the report (*lifted_at*, with *lift_reason* and
    *lift_evidence*) or the item expires: numbers and mailboxes are reassigned.
    """

    item_type: ClassVar[str] = "UNREACHABLE"
    partition_key: ClassVar[str] = "pk"
    sort_key: ClassVar[str] = "sk"
    pk_pattern: ClassVar[str] = "UNREACHABLE#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = "{channel_method}"
    ttl_days: ClassVar[int] = 365

    ttl: int | None = None  # epoch seconds
    reason: str
    at: str
    evidence: str  # action id or entry id of the undelivered message
    lifted_at: str | None = None
    lift_reason: LiftReason | None = None
    lift_evidence: str | None = Field(default=None, repr=False)

    @property
    def stands(self) -> bool:
        """Whether nothing is sent to the address."""
        return self.lifted_at is None

    @classmethod
    def key(cls, company_id: str, of_address: str, channel: str) -> Attributes:
        """Return the key of an address, by its hash, on a channel: another channel may reach the address."""
        return {
            cls.partition_key: filled(cls.pk_pattern, company_id, of_address),
            cls.sort_key: filled(cls.sk_pattern, channel),
        }

    @classmethod
    def time_to_live(cls) -> int:
        """Return the `ttl` of an item written now."""
        return clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)

    def attributes(self) -> Attributes:
        """Return the item as it is stored, without its key."""
        return {"item_type": self.item_type, **super().attributes()}


def note(table: Table, company_id: str, address: str, channel: str, record: Unreachable) -> None:
    """Record that a channel does not reach an address, unless a newer record exists. Idempotent."""
    note_hash(table, company_id, address_hash(normal_form(address)), channel, record)


def note_hash(
    table: Table, company_id: str, of_address: str, channel: str, record: Unreachable
) -> None:
    """Record it as `note`, of an address that only its hash names."""
    at = Unreachable.attr("at")
    is_newer = Attr(Unreachable.partition_key).not_exists() | at.lt(record.at)
    with suppress(ConditionFailed):
        key = Unreachable.key(company_id, of_address, channel)
        table.put({**key, **record.attributes()}, when=is_newer)


def of_address(table: Table, company_id: str, address: str, channel: str) -> Unreachable | None:
    """Return the newest record of an address on a channel, strongly consistent; None if it may be written to."""
    found = (
        one for one in of_address_with_lifted(table, company_id, address, channel) if one.stands
    )
    return max(found, key=lambda record: record.at, default=None)


def of_address_with_lifted(
    table: Table, company_id: str, address: str, channel: str
) -> list[Unreachable]:
    """Return all records of an address on a channel, strongly consistent, also those that people have lifted."""
    return [record for _, record in _records(table, company_id, address, channel)]


def lift(
    table: Table,
    company_id: str,
    address: str,
    channel: str,
    *,
    since: str,
    reason: LiftReason,
    evidence: str,
) -> None:
    """
    Lift the records of an address up to the one of *since*, which the person has seen; a newer report stands.

    Idempotent. An opt-out, also by a complaint, is another item and stays. Raises NotUnreachable.
    """
    seen = [one for one in _records(table, company_id, address, channel) if one[1].at <= since]
    if not seen:
        raise NotUnreachable
    at = clock.to_text(clock.now_ms())
    for key, record in seen:
        if record.stands:
            lifted = {"lifted_at": at, "lift_reason": reason, "lift_evidence": evidence}
            with suppress(ConditionFailed):  # A newer report stands.
                table.put(
                    {**key, **record.model_copy(update=lifted).attributes()},
                    when=Unreachable.attr("at").eq(record.at),
                )


def clear(table: Table, company_id: str, address: str, channel: str, received_at: str) -> None:
    """Delete records older than a message from the address. Reads first, since most messages have none to delete."""
    for key, record in _records(table, company_id, address, channel):
        if record.at < received_at:
            with suppress(ConditionFailed):
                table.delete(key, when=Unreachable.attr("at").eq(record.at))


def _records(
    table: Table, company_id: str, address: str, channel: str
) -> list[tuple[Attributes, Unreachable]]:
    """Return the records of an address, in all spellings and under each identifier key, with the key of each item."""
    item_keys = [
        Unreachable.key(company_id, hashed, channel)
        for spelling in all_spellings(address)
        for hashed in address_hashes(spelling)
    ]
    items = [(key, table.get(key)) for key in item_keys]
    return [(key, Unreachable.read(item)) for key, item in items if item]
