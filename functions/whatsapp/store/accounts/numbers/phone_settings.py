"""Changes to single settings of the business's numbers; `phones.register` writes all of them."""

from typing import Any

from shared.aws.dynamodb import ConditionFailed, Table, TransactionRefused
from shared.runtime.failures import Transient
from whatsapp.store.accounts.numbers import phones
from whatsapp.store.items import Phone, pk


def change(table: Table, phone: Phone, **facts: Any) -> None:  # noqa: ANN401 - values of any field
    """
    Set fields of a number that differ from the stored ones. Safe to repeat; a removed number stays removed.

    Workers use the new values within a minute.
    """
    changed = {name: value for name, value in facts.items() if getattr(phone, name) != value}
    if not changed:
        return
    named = Phone.named(**changed)
    try:
        table.update(
            pk(phone.pk),
            put=named,
            drop=[name for name, value in named.items() if value is None],
            when=Phone.attr("company").eq(phone.company),
        )
    except ConditionFailed:
        return
    phones.forget()


def set_welcome_sequences(table: Table, phone: Phone, wanted: dict[str, str]) -> None:
    """
    Set the sequences that a number starts, if they differ from *phone*. Safe to repeat; a removed number stays
    removed. Raises Transient after a concurrent change.
    """
    seen = phone.welcome_sequences or {}
    if wanted == seen:
        return
    field = Phone.attr("welcome_sequences")
    unchanged = field.eq(seen) if seen else field.not_exists()
    named = Phone.named(welcome_sequences=wanted or None)
    try:
        table.update(
            pk(phone.pk),
            put=named,
            drop=[] if wanted else list(named),
            when=Phone.attr("company").eq(phone.company) & unchanged,
        )
    except ConditionFailed as refusal:
        stored = (refusal.existing or {}).get(Phone.name_of("welcome_sequences"), {})
        if refusal.existing is not None and stored != wanted:  # else this write, repeated
            raise Transient("phone_contended") from None
    phones.forget()


def make_default(table: Table, phone: Phone, others: list[Phone]) -> None:
    """
    Make a number the default one of its account instead of the *others*, all at once: of two concurrent calls the last
    one decides. Safe to repeat. Raises Transient.
    """
    name = Phone.name_of("is_default")
    writes = [_update(table, phone, put={name: True})]
    writes += [_update(table, other, drop=[name]) for other in others]
    try:
        table.transact(*writes)
    except TransactionRefused:
        return  # A number was removed meanwhile: the next call sees the new list.
    phones.forget()


def _update(table: Table, phone: Phone, **change: Any) -> dict[str, Any]:  # noqa: ANN401 - parameters of `to_update`
    return table.to_update(pk(phone.pk), when=Phone.attr("company").eq(phone.company), **change)
