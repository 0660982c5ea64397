"""Addresses that agents save: each change of an address and of the customer's list is one transaction."""

from collections.abc import Iterable
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import Table, TransactionRefused
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.contacts.customers import Address, AddressDefault
from whatsapp.store.items.item import PARTITION_KEY


def of_list(table: Table, address_list: AddressDefault) -> list[Address]:
    """Return the addresses of a customer's list, in no order."""
    return by_key(table, address_list.addresses)


def by_key(table: Table, keys: Iterable[str]) -> list[Address]:
    """Return the existing ones of these addresses."""
    return [Address.read(item) for item in table.get_many([pk(key) for key in keys])]


def with_address(
    seen: AddressDefault, known: set[str], address_pk: str, order: str, *, is_default: bool
) -> AddressDefault:
    """
    Return the next revision of a list, with an address, as the default one if *is_default*.

    Keys that are not *known*, of addresses that are gone, are omitted.
    """
    kept = {key: at for key, at in seen.addresses.items() if key in known}
    changes: dict[str, Any] = {
        "addresses": kept | {address_pk: order},
        "revision": seen.revision + 1,
    }
    if is_default:
        changes |= {"address_pk": address_pk, "order": order}
    return seen.model_copy(update=changes)


def save(
    table: Table, address: Address, address_list: AddressDefault, old_default: str | None
) -> None:
    """
    Write an address with the next revision of its list; *old_default* is the key of the address that is the default no
    more. Safe to repeat. Raises Transient after a concurrent change.
    """
    writes = [table.to_put(address.attributes()), _list(table, address_list)]
    if old_default is not None:
        writes.append(
            table.to_update(
                pk(old_default),
                put=Address.named(is_default=False),
                when=Attr(PARTITION_KEY).exists(),
            )
        )
    _transact(table, *writes)


def delete(table: Table, address_pk: str, address_list: AddressDefault) -> None:
    """Delete an address with the next revision of its list. Raises Transient after a concurrent change."""
    _transact(table, table.to_delete(pk(address_pk)), _list(table, address_list))


def _list(table: Table, changed: AddressDefault) -> dict[str, object]:
    unchanged: ConditionBase = AddressDefault.attr("revision").eq(changed.revision - 1)
    if changed.revision == 1:
        unchanged |= Attr(PARTITION_KEY).not_exists()
    return table.to_put(changed.attributes(), when=unchanged)


def _transact(table: Table, *writes: dict[str, object]) -> None:
    try:
        table.transact(*writes)
    except TransactionRefused:
        raise Transient("addresses_contended") from None
