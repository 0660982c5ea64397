"""Claims of names by companies; a conditional write ensures that only one company holds a name."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from boto3.dynamodb.conditions import Attr

from conversations.store.items.base import PARTITION_KEY, key
from conversations.store.items.claims import Claim
from shared.aws.dynamodb import ConditionFailed, Table


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A name that one company may claim: *kind* is a channel or `phone_number_id`, *text* the address, domain or id."""

    kind: str
    text: str = field(repr=False)


def holders(table: Table, names: Iterable[Name]) -> dict[Name, str]:
    """Return the companies that have claimed these names, strongly consistent; names without a claim are omitted."""
    names_by_key = {Claim.partition(name.kind, name.text): name for name in names}
    items = table.get_many([key(pk) for pk in names_by_key]) if names_by_key else []
    return {names_by_key[str(item[PARTITION_KEY])]: Claim.read(item).company_id for item in items}


def claim(table: Table, name: Name, company_id: str) -> bool:
    """
    Claim a name for a company; False if another company holds it. Idempotent.

    The write succeeds if the claim does not exist, or if the company already holds it.
    """
    item = Claim(company_id=company_id)
    is_own = Claim.attr("company_id").eq(company_id)
    try:
        table.put(item.attributes(_key(name)), when=Attr(PARTITION_KEY).not_exists() | is_own)
    except ConditionFailed:
        return False
    return True


def release(table: Table, name: Name, company_id: str) -> bool:
    """Remove a company's claim; False if another company holds the name. Idempotent."""
    is_own = Claim.attr("company_id").eq(company_id)
    try:
        table.delete(_key(name), when=Attr(PARTITION_KEY).not_exists() | is_own)
    except ConditionFailed:
        return False
    return True


def _key(name: Name) -> dict[str, str]:
    return key(Claim.partition(name.kind, name.text))
