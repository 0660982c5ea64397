"""
Reports of the providers about an account: its templates, and the quality ratings of its numbers.

The caller reads and merges them; writes use optimistic locking.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.accounts import QualityEntry, QualityRating
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta
from whatsapp.store.items.item import PARTITION_KEY

# Every change to an item raises at least one of these, and none ever decreases.
ORDERS = (
    "status_order",
    "status_raw_order",
    "category_order",
    "quality_order",
    "components_order",
)


def get_template[Template: (TemplateEum, TemplateMeta)](
    table: Table, kind: type[Template], template_pk: str
) -> Template | None:
    """Return the stored template (strongly consistent read)."""
    item = table.get(pk(template_pk))
    return kind.read(item) if item else None


def add_template(table: Table, template: TemplateEum | TemplateMeta) -> None:
    """Write a new template. Raises Transient after a concurrent write."""
    # Includes a first write whose response was lost: the redelivery finds nothing to do.
    try:
        table.put(template.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        raise Transient("template_contended") from None


def change_template(
    table: Table, seen: TemplateEum | TemplateMeta, facts: Mapping[str, Any], dropped: list[str]
) -> None:
    """
    Set *facts* and remove the *dropped* fields of the template that the caller read.

    Raises Transient after a concurrent change: the redelivery reads the new state.
    """
    condition: ConditionBase = Attr(PARTITION_KEY).exists()
    fields = [*ORDERS, "languages"] if isinstance(seen, TemplateMeta) else [*ORDERS]
    for field in fields:
        value = getattr(seen, field)
        condition &= seen.attr(field).eq(value) if value else seen.attr(field).not_exists()
    try:
        table.update(
            pk(seen.pk),
            put=seen.named(**facts),
            drop=[seen.name_of(field) for field in dropped],
            when=condition,
        )
    except ConditionFailed:
        raise Transient("template_contended") from None


def get_quality(table: Table, phone: str) -> QualityRating | None:
    """Return a number's quality rating (strongly consistent read)."""
    item = table.get(pk(QualityRating.key(phone)))
    return QualityRating.read(item) if item else None


def add_quality_entry(table: Table, entry: QualityEntry) -> QualityEntry:
    """Write an entry once and return it, or return the existing entry with its number."""
    try:
        table.put(entry.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return QualityEntry.read(refusal.existing)
    return entry


def replace_quality(table: Table, seen: QualityRating | None, new: QualityRating) -> None:
    """Write *new*, derived from *seen*; does nothing after a concurrent write, or if a first attempt succeeded."""
    condition: ConditionBase = Attr(PARTITION_KEY).not_exists()
    is_counted: ConditionBase
    if seen is not None:
        at = QualityRating.attr("rating_at")
        unchanged = at.eq(seen.rating_at) if seen.rating_at else at.not_exists()
        count, limits = QualityRating.attr("history_count"), QualityRating.attr("limit_history")
        is_counted = count.eq(seen.history_count)
        if not seen.history_count:  # an item that a limit or a check has made
            is_counted |= count.not_exists()
        kept = limits.eq(seen.limit_history) if seen.limit_history else limits.not_exists()
        condition = is_counted & unchanged & kept
    try:
        table.put(new.attributes(), when=condition)
    except ConditionFailed:
        return


def note_check(table: Table, seen: QualityRating, throughput: str | None, at: str) -> None:
    """
    Record that the provider was asked about a number at *at*, and its throughput level. Safe to repeat; an older check
    changes nothing.
    """
    checked_at = QualityRating.attr("last_checked_at")
    identity = {"itemType": QualityRating.item_type} | QualityRating.named(
        company=seen.company, waba_meta_id=seen.waba_meta_id, phone=seen.phone
    )
    try:
        table.update(
            pk(seen.pk),
            put=QualityRating.named(throughput_status=throughput, last_checked_at=at),
            put_once=identity,
            when=checked_at.not_exists() | checked_at.lte(at),
        )
    except ConditionFailed:
        return


def replace_limits(table: Table, seen: QualityRating, history: Sequence[Mapping[str, str]]) -> bool:
    """Write the limits of a number, derived from those of *seen*; False after a concurrent change. Safe to repeat."""
    field = QualityRating.attr("limit_history")
    before = seen.limit_history
    identity = {"itemType": QualityRating.item_type} | QualityRating.named(
        company=seen.company, waba_meta_id=seen.waba_meta_id, phone=seen.phone
    )
    try:
        table.update(
            pk(seen.pk),
            put=QualityRating.named(limit_history=[dict(one) for one in history]),
            put_once=identity,
            when=field.eq(before) if before else field.not_exists(),
        )
    except ConditionFailed:
        return False
    return True


def quality_entries(table: Table, phone: str, numbers: Sequence[int]) -> list[QualityEntry]:
    """Return a number's ratings by their numbers, in that order; missing ones are omitted."""
    keys = [QualityEntry.of(phone, number) for number in numbers]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [QualityEntry.read(items[key]) for key in keys if key in items]
