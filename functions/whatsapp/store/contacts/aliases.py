"""Aliases of customers: the contacts of their ids."""

from collections.abc import Mapping, Sequence

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.items import Alias, pk
from whatsapp.store.items.item import PARTITION_KEY

# Two workers may write the same alias, each at its own time.
_COMPARED = {
    *("company", "target", "user_id", "owners", "erased_until", "linked_to", "revision"),
    *("wa_id", "left_at", "left_by"),
}


def get(table: Table, alias_pk: str) -> Alias | None:
    """Return the alias with this key (strongly consistent read)."""
    item = table.get(pk(alias_pk))
    return Alias.read(item) if item else None


def of_number(table: Table, phone: str, wa_id: str) -> Alias | None:
    """Return the alias of a customer's number in any spelling: the normal form, or one that an older version wrote."""
    keys = Alias.all_of_phone(phone, wa_id)
    if len(keys) == 1:
        return get(table, keys[0])
    return found_of(
        keys, {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    )


def found_of(keys: Sequence[str], items_by_key: Mapping[str, Attributes]) -> Alias | None:
    """Return the first of these aliases among items that were read."""
    return next((Alias.read(items_by_key[key]) for key in keys if key in items_by_key), None)


def write(table: Table, alias: Alias) -> None:
    """
    Write a new alias, or one derived from the previous revision. Raises Transient after a concurrent write.

    Runs twice when the SDK lost the first response: the condition then fails against the first write.
    """
    _list_owners(table, alias)
    revision = Alias.attr("revision")
    unchanged: ConditionBase = Attr(PARTITION_KEY).not_exists()
    if alias.revision is not None:
        is_first = alias.revision == 1
        unchanged = revision.not_exists() if is_first else revision.eq(alias.revision - 1)
        # `point` changes no revision.
        pointer = Alias.attr("linked_to")
        unchanged &= pointer.eq(alias.linked_to) if alias.linked_to else pointer.not_exists()
    try:
        table.put(alias.attributes(), when=unchanged)
    except ConditionFailed as refusal:
        stored = Alias.read(refusal.existing) if refusal.existing else None
        if stored is None or stored.model_dump(include=_COMPARED) != alias.model_dump(
            include=_COMPARED
        ):
            raise Transient("identity_contended") from None


def _list_owners(table: Table, alias: Alias) -> None:
    """List a number that changed hands under its earlier owners, before it names another one. Safe to repeat."""
    for owner in alias.owners or []:
        contact_key = owner.get("target")
        if contact_key and contact_key != alias.target:
            listed = Alias(
                pk=Alias.of_owner(alias.pk, contact_key),
                company=alias.company,
                target=contact_key,
                created_at_ms=clock.now_ms(),
            )
            table.put(listed.attributes())


def point(table: Table, alias_pk: str, contact_key: str, linked_to: str, company: str) -> None:
    """Set the contact that continues a contact, in the alias of that contact's own key. Safe to repeat."""
    table.update(
        pk(alias_pk),
        put=Alias.named(linked_to=linked_to),
        put_once=Alias.named(
            target=contact_key,
            company=company,
            created_at_ms=clock.now_ms(),
            # Listed under its contact, as `Alias.attributes` does.
            customer_phone=contact_key,
            created_at=clock.to_text(clock.now_ms()),
        )
        | {"itemType": Alias.item_type},
    )


def unpoint(table: Table, alias_pk: str, linked_to: str) -> None:
    """Remove what `point` set. Safe to repeat."""
    try:
        table.update(
            pk(alias_pk),
            drop=[Alias.name_of("linked_to")],
            when=Alias.attr("linked_to").eq(linked_to),
        )
    except ConditionFailed:
        return
