"""
Lists of cached templates: of an account at either provider, or with one name.

The indexes are eventually consistent; their entries are read again as whole items.
"""

from collections.abc import Iterator, Sequence

from boto3.dynamodb.conditions import ConditionBase, Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMedia, TemplateMeta
from whatsapp.store.items.item import PARTITION_KEY

ACCOUNT_INDEX, NAME_INDEX = "gsi_template_waba", "gsi_template_name"
META_INDEX = "gsi_waba_itemtype"
PAGE = 100


def many[Template: (TemplateEum, TemplateMeta)](
    table: Table, kind: type[Template], keys: Sequence[str]
) -> dict[str, Template]:
    """Return the existing ones of at most 100 templates, by key."""
    items = table.get_many([pk(key) for key in dict.fromkeys(keys)])
    return {item[PARTITION_KEY]: kind.read(item) for item in items}


def of_aws_account(
    table: Table,
    aws_waba: str,
    *,
    status: str | None = None,
    limit: int = PAGE,
    start: Attributes | None = None,
) -> tuple[list[TemplateEum], Attributes | None]:
    """Return up to *limit* templates of an account at AWS, of one status or by status, and the next start key."""
    when: ConditionBase = Key(TemplateEum.name_of("waba_id")).eq(aws_waba)
    if status is not None:
        when &= Key(TemplateEum.name_of("template_status")).eq(status)
    entries, last = table.query(ACCOUNT_INDEX, when, limit=limit, start=start)
    return _of_entries(table, TemplateEum, entries), last


def of_meta_account(
    table: Table, waba: str, *, limit: int = PAGE, start: Attributes | None = None
) -> tuple[list[TemplateMeta], Attributes | None]:
    """Return the translations among up to *limit* templates of an account at Meta, and the next start key."""
    when = Key(TemplateMeta.name_of("waba_meta_id")).eq(waba) & Key("itemType").eq(
        TemplateMeta.item_type
    )
    entries, last = table.query(META_INDEX, when, limit=limit, start=start)
    found = _of_entries(table, TemplateMeta, entries)
    # Each name is an item too; its languages are separate items.
    return [one for one in found if one.pk != TemplateMeta.key(waba, one.template_name)], last


def every_of_aws_account(table: Table, aws_waba: str) -> Iterator[TemplateEum]:
    """Yield all templates of an account at AWS."""
    start: Attributes | None = None
    while True:
        page, start = of_aws_account(table, aws_waba, start=start)
        yield from page
        if start is None:
            return


def every_of_meta_account(table: Table, waba: str) -> Iterator[TemplateMeta]:
    """Yield the translations of all templates of an account at Meta."""
    start: Attributes | None = None
    while True:
        page, start = of_meta_account(table, waba, start=start)
        yield from page
        if start is None:
            return


def of_name(table: Table, name: str, aws_waba: str) -> list[TemplateEum]:
    """Return the translations of a template of an account at AWS, by language; other accounts may use the name."""
    found: list[Attributes] = []
    start: Attributes | None = None
    when = Key(TemplateEum.name_of("template_name")).eq(name)
    while True:
        entries, start = table.query(NAME_INDEX, when, limit=PAGE, start=start)
        found += [one for one in entries if one.get(TemplateEum.name_of("waba_id")) == aws_waba]
        if start is None:
            return _of_entries(table, TemplateEum, found)


def add_media(table: Table, media: TemplateMedia) -> None:
    """Write the sample of a header. Safe to repeat: the key is a hash of its handle."""
    table.put(media.attributes())


def _of_entries[Template: (TemplateEum, TemplateMeta)](
    table: Table, kind: type[Template], entries: list[Attributes]
) -> list[Template]:
    keys = [str(entry[PARTITION_KEY]) for entry in entries]
    found: dict[str, Template] = {}
    for at in range(0, len(keys), PAGE):
        found |= many(table, kind, keys[at : at + PAGE])
    return [found[key] for key in keys if key in found]
