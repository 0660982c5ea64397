"""
Numbers that a customer gave up, or that another person has since: for each company and number, one item.

    pk CONSENT#{company}#{address_hash}    sk withdrawn

Beside the consent records, which every context may read before it sends. Address hashes are keyed, and of the normal
form of a number, as in consent records. An item holds the newest such time. It stands for all conversations of the
company: a conversation may use the number if its customer has proven it since, if it began since, or if its customer is
the one who has the number since, by the WhatsApp user id.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item
from shared.identity.addresses import USER_ID_PREFIX, normal_form
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.policy.consent.records import Consent

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table


class Withdrawal(Item):
    """
    A number that had another owner from *at* on (`YYYY-MM-DDTHH:MM:SS.mmmZ`), as *evidence* shows. *owner*: the keyed
    hash of the user id of who has it since, if known.
    """

    item_type: ClassVar[str] = "WITHDRAWAL"
    pk_pattern: ClassVar[str] = Consent.pk_pattern
    sk_pattern: ClassVar[str] = "withdrawn"

    at: str
    evidence: str  # the provider's id of the notice or message
    owner: str | None = None

    @classmethod
    def of(cls, at: str, evidence: str, user_id: str | None) -> Withdrawal:
        """Return the record of a change; *user_id*: who has the number since, if known."""
        owner = address_hash(_address_of(user_id)) if user_id else None
        return cls(at=at, evidence=evidence, owner=owner)

    @classmethod
    def key(cls, company: str, of_address: str) -> Attributes:
        """Return the key of a number, by its hash."""
        return Consent.key(company, of_address, cls.sk_pattern)

    def attributes(self) -> Attributes:
        """Return the item as it is stored, without its key."""
        return {"item_type": self.item_type, **super().attributes()}


def note(table: Table, company: str, number: str, record: Withdrawal) -> None:
    """Record that a number (E.164) changed hands, unless a newer record exists. Idempotent."""
    at = Withdrawal.attr("at")
    key = Withdrawal.key(company, address_hash(normal_form(number)))
    with suppress(ConditionFailed):
        table.put({**key, **record.attributes()}, when=Attr("pk").not_exists() | at.lt(record.at))


def withdrawn_at(
    table: Table,
    company: str,
    number: str,
    proven_at: str,
    *,
    user_id: str | None = None,
    is_consistent: bool = True,
) -> str | None:
    """
    Return when a number (E.164) was withdrawn, if its customer has not proven it since; None if it may be used.

    *proven_at*: when the customer last proved it; *user_id*: the customer's, if known. One strongly consistent read, or
    at half its cost one that may miss a record of the last second.
    """
    hashes = address_hashes(normal_form(number))
    keys = [Withdrawal.key(company, hashed) for hashed in hashes]
    items = table.get_many(keys, is_consistent=is_consistent)
    newest = max(map(Withdrawal.read, items), key=lambda record: record.at, default=None)
    if newest is None or newest.at <= proven_at:
        return None
    if newest.owner and user_id and newest.owner in address_hashes(_address_of(user_id)):
        return None
    return newest.at


def _address_of(user_id: str) -> str:
    return USER_ID_PREFIX + user_id.removeprefix(USER_ID_PREFIX)
