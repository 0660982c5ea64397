"""
Numbers that a customer gave up, or that another person has since: for each company and number, one item.

    pk CONSENT#{company}#{address_hash}    sk withdrawn

Beside the consent records, which every context may read before it sends. Address hashes are keyed, and of the normal
form of a number, as in consent records. An item holds the newest such change, and those before it. The newest stands
for all conversations of the company: a conversation may use the number if its customer has proven it since, or is the
one who has it since, by the WhatsApp user id. If it is known who has the number since, the company may also name it
anew. After a notice alone it is not: the company may still mean the earlier owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item
from shared.identity.addresses import USER_ID_PREFIX, normal_form
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.policy.consent.items import Consent
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table


MOST_CHANGES: Final = 10
MOST_ROUNDS: Final = 5
SAME_NOTICE_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS  # each business number gets one


class Change(BaseModel):
    """
    A number had another owner from *at* on (`YYYY-MM-DDTHH:MM:SS.mmmZ`). *owner*, *former*: the keyed hashes of the
    user ids of who has it since, and of who had it before, if known.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    at: str
    owner: str | None = None
    former: str | None = None


class Withdrawal(Item, Change):
    """The newest change of a number, as *evidence* shows it, and *earlier* ones, oldest first."""

    item_type: ClassVar[str] = "WITHDRAWAL"
    pk_pattern: ClassVar[str] = Consent.pk_pattern
    sk_pattern: ClassVar[str] = "withdrawn"

    evidence: str  # the provider's id of the notice or message
    earlier: list[Change] | None = None  # at most MOST_CHANGES - 1

    @classmethod
    def of(
        cls, at: str, evidence: str, user_id: str | None, former_user_id: str | None = None
    ) -> Withdrawal:
        """Return the record of a change; *user_id*: who has the number since, *former_user_id* before, if known."""
        owner, former = (
            address_hash(_address_of(one)) if one else None for one in (user_id, former_user_id)
        )
        return cls(at=at, evidence=evidence, owner=owner, former=former)

    @classmethod
    def key(cls, company: str, of_address: str) -> Attributes:
        """Return the key of a number, by its hash."""
        return Consent.key(company, of_address, cls.sk_pattern)

    def attributes(self) -> Attributes:
        """Return the item as it is stored, without its key."""
        return {"item_type": self.item_type, **super().attributes()}

    @property
    def changes(self) -> list[Change]:
        """All changes, oldest first."""
        return [*(self.earlier or ()), Change(at=self.at, owner=self.owner, former=self.former)]


def note(table: Table, company: str, number: str, record: Withdrawal) -> None:
    """
    Record that a number (E.164) changed hands. Idempotent, in any order.

    Of more than MOST_CHANGES changes the first one and the newest stay. Raises Transient after many concurrent writes.
    """
    key = Withdrawal.key(company, address_hash(normal_form(number)))
    (change,) = record.changes
    for _ in range(MOST_ROUNDS):
        item = table.get(key)
        stored = Withdrawal.read(item) if item else None
        known = stored.changes if stored else []
        if change in known:
            return
        first, *others = sorted([*known, change], key=lambda one: (one.at, one.owner or ""))
        kept = [first, *others[-(MOST_CHANGES - 1) :]]
        newest = record if stored is None or kept[-1] == change else stored
        written = newest.model_copy(update={"earlier": kept[:-1] or None})
        try:
            table.put({**key, **written.attributes()}, when=_as_read(stored))
        except ConditionFailed:
            continue
        return
    raise Transient("withdrawal_contended")


def keys_of(company: str, number: str) -> list[Attributes]:
    """Return the keys of the records of a number (E.164); usually one."""
    return [Withdrawal.key(company, one) for one in address_hashes(normal_form(number))]


def changes_of(table: Table, company: str, number: str) -> list[Change]:
    """Return the changes of a number (E.164) as `changes_in`. One strongly consistent read."""
    return changes_in(table.get_many(keys_of(company, number)))


def changes_in(items: Iterable[Attributes]) -> list[Change]:
    """
    Return the changes in the records of one number, oldest first, each once: a first message of the next owner after a
    notice is the change of that notice.
    """
    return _distinct([one for item in items for one in Withdrawal.read(item).changes])


def change_before(changes: Sequence[Change], at: str, user_id: str | None) -> Change | None:
    """
    Return the change by which a customer got a number that they first proved *at* a time; None for the first owner.

    *user_id*: the customer's, if known: it decides, since a user id stays with its number.
    """
    hashes = address_hashes(_address_of(user_id)) if user_id else []
    if changes and changes[0].former in hashes:
        return None
    of_user = next((one for one in changes if one.owner in hashes), None)
    found = of_user or next((one for one in reversed(changes) if one.at <= at), None)
    is_first_again = found is not None and found.owner and found.owner == changes[0].former
    return None if is_first_again else found


def withdrawn_at(
    table: Table,
    company: str,
    number: str,
    proven_at: str,
    *,
    named_at: str = "",
    user_id: str | None = None,
    is_consistent: bool = True,
) -> str | None:
    """
    Return when a number (E.164) was withdrawn, if its customer has not proven it since; None if it may be used.

    *proven_at*: when the customer last proved it; *named_at*: when the company last named it; *user_id*: the
    customer's, if known. One strongly consistent read, or at half its cost one that may miss a record of the last
    second.
    """
    items = table.get_many(keys_of(company, number), is_consistent=is_consistent)
    newest = max(map(Withdrawal.read, items), key=lambda record: record.at, default=None)
    if newest is None or newest.at <= proven_at:
        return None
    if newest.owner and newest.at <= named_at:
        return None
    if newest.owner and user_id and newest.owner in address_hashes(_address_of(user_id)):
        return None
    return newest.at


def _distinct(changes: Sequence[Change]) -> list[Change]:
    found: list[Change] = []
    for one in sorted(changes, key=lambda each: each.at):
        last = found[-1] if found else None
        if last is not None and _is_same(last, one):
            known = {"owner": last.owner or one.owner, "former": last.former or one.former}
            found[-1] = last.model_copy(update=known)
        else:
            found.append(one)
    return found


def _is_same(earlier: Change, later: Change) -> bool:
    """Whether two records are of one change: with one owner since, or from one owner, as far as they say it."""
    if earlier.owner and later.owner:
        return earlier.owner == later.owner
    if earlier.former and later.former:
        return earlier.former == later.former
    soon = clock.from_text(later.at) - clock.from_text(earlier.at) < SAME_NOTICE_MS
    return earlier.owner is None and (later.owner is not None or soon)


def _as_read(stored: Withdrawal | None) -> ConditionBase:
    if stored is None:
        return Attr("pk").not_exists()
    earlier = Withdrawal.attr("earlier")
    same = earlier.eq(stored.attributes()["earlier"]) if stored.earlier else earlier.not_exists()
    return Withdrawal.attr("at").eq(stored.at) & same


def _address_of(user_id: str) -> str:
    return USER_ID_PREFIX + user_id.removeprefix(USER_ID_PREFIX)
