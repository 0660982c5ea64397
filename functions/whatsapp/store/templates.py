"""Templates as the providers report them: read, brought forward, written if nobody else wrote meanwhile."""

from collections.abc import Mapping
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.templates import TemplateEum, TemplateMeta

# Whatever changes in an item changes one of these, and each of them only grows.
ORDERS = (
    "status_order",
    "status_raw_order",
    "category_order",
    "quality_order",
    "components_order",
)


def get[Template: (TemplateEum, TemplateMeta)](
    table: Table, kind: type[Template], template_pk: str
) -> Template | None:
    """What is known of a template, strongly consistent."""
    item = table.get(pk(template_pk))
    return kind.read(item) if item else None


def add(table: Table, template: TemplateEum | TemplateMeta) -> None:
    """Write a template that nobody knew. Raises Transient when somebody has written it meanwhile."""
    # Our own lost write counts as somebody: the redelivery finds nothing left to do.
    try:
        table.put(template.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        raise Transient("template_contended") from None


def change(
    table: Table, seen: TemplateEum | TemplateMeta, facts: Mapping[str, Any], dropped: list[str]
) -> None:
    """
    Set *facts* and remove the *dropped* fields of the template that the caller saw.

    Raises Transient when somebody else changed it meanwhile: the redelivery sees what they wrote.
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
