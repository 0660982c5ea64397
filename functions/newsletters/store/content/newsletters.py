"""Access patterns of whole newsletters: create, read, list, configure and delete."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.bucket.large_values import whole
from newsletters.store.content.step_inputs import (
    EXPORTED,
    draft_hash,
    outline_hash,
    status_of,
    topics_hash,
)
from newsletters.store.items import (
    STEPS,
    CompanyEntry,
    Deletion,
    Draft,
    Metadata,
    Outline,
    StepItem,
    StepName,
    Topics,
)
from newsletters.store.items.item import (
    INDEX,
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    timestamp,
)
from newsletters.store.items.jobs import due_key
from newsletters.store.items.metadata import LISTED, USER_PARTITION
from shared.aws.dynamodb import TransactionRefused
from shared.aws.tables.items import filled
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from newsletters.store.bucket.objects import Store
    from shared.aws.dynamodb import Attributes, Table

CODE_ATTEMPTS: Final = 8
_CROCKFORD: Final = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)
_SUFFIX: Final = 4
_COMPANY: Final = Metadata.name_of("company_id")  # other systems do not write it
_STEP_ITEMS: Final[dict[str, type[Topics | Outline | Draft]]] = {
    kind.sort: kind for kind in (Topics, Outline, Draft)
}
# The first purge follows the deletion; the last one comes after every worker of the newsletter has ended.
PURGE_AFTER_MS: Final = 40 * 60 * clock.SECOND_MS


class StaleVersion(Exception):
    """The item was changed since the caller has read it; contains the present version if known."""


class NoCode(Transient):
    """No free newsletter code was found."""

    def __init__(self) -> None:
        super().__init__("no_newsletter_code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Newsletter:
    """All items of a newsletter; a step without an item is None, which means `pending`, version 0."""

    metadata: Metadata
    topics: Topics | None = None
    outline: Outline | None = None
    draft: Draft | None = None

    @property
    def code(self) -> str:
        """The code."""
        return self.metadata.newsletterCode

    def step(self, name: StepName) -> StepItem | None:
        """Return the item of a step."""
        step: StepItem | None = getattr(self, name)
        return step

    def stale_steps(self) -> dict[StepName, bool]:
        """
        Return for each step whether its content was generated from inputs that have changed since.

        A step below a stale one is stale, too: its content derives from those inputs.
        """
        topics, outline, draft = self.topics, self.outline, self.draft
        topics_stale = bool(topics and topics.has_content) and (
            topics is not None and topics.inputs_hash != topics_hash(self.metadata, topics)
        )
        outline_stale = bool(outline and outline.has_content) and (
            topics_stale
            or (outline is not None and outline.inputs_hash != outline_hash(self.metadata, topics))
        )
        draft_stale = bool(draft and draft.has_content) and (
            outline_stale
            or (draft is not None and draft.inputs_hash != draft_hash(self.metadata, outline))
        )
        return {"topics": topics_stale, "outline": outline_stale, "draft": draft_stale}


def generate_newsletter_code(request: str, attempt: int, now_ms: int) -> str:
    """
    Return a code `NL-YYYYMMDD-XXXX`: the UTC date and four characters of Crockford's base 32.

    The characters come from a hash of *request*, the id of the call, so that a repeated call finds its first code;
    another *attempt* gives another code.
    """
    hashed = hashlib.sha256(f"newsletter code {attempt} {request}".encode()).digest()
    suffix = base64.b32encode(hashed).decode().translate(_CROCKFORD)[:_SUFFIX]
    return f"NL-{timestamp(now_ms)[:10].replace('-', '')}-{suffix}"


def create_newsletter(store: Store, metadata: Metadata) -> Metadata:
    """
    Write METADATA and the entry in the company's list; return what is stored.

    The code is free, or this newsletter's own (the same `id`): then the first call has created it. Raises CodeTaken.
    """
    code, table = metadata.newsletterCode, store.table
    entry = CompanyEntry(
        **CompanyEntry.key(metadata.company_id, metadata.created_at, code), code=code
    )
    try:
        table.transact(
            table.to_put(metadata.attributes(), when=Attr(PARTITION_KEY).not_exists()),
            table.to_check(Deletion.key(code), when=Attr(PARTITION_KEY).not_exists()),
            table.to_put(entry.attributes()),
        )
    except TransactionRefused:
        stored = get_metadata(table, code)
        if stored is None or stored.id != metadata.id:
            raise CodeTaken from None
        return stored
    return metadata


class CodeTaken(Exception):
    """Another newsletter has, or had, the code."""


def get_metadata(table: Table, code: str) -> Metadata | None:
    """Return METADATA; None also for one of another system, which names no company."""
    item = table.get(Metadata.key(code))
    return Metadata.read(item) if item and _COMPANY in item else None


def get_newsletter_full(store: Store, code: str) -> Newsletter | None:
    """Return all items by one strongly consistent query, with whole values. Raises ObjectUnusable."""
    stored = get_newsletter_stored(store.table, code)
    if stored is None:
        return None
    steps: dict[str, Any] = {
        name: whole(store, code, step) for name in STEPS if (step := stored.step(name)) is not None
    }
    return Newsletter(metadata=stored.metadata, **steps)


def get_newsletter_stored(table: Table, code: str) -> Newsletter | None:
    """Return all items by one strongly consistent query, as they are stored: large values are shortened."""
    items: list[Attributes] = []
    start: Attributes | None = None
    while True:
        page, start = table.query(
            None, Key(PARTITION_KEY).eq(Metadata.key(code)[PARTITION_KEY]), start=start
        )
        items += page
        if start is None:
            break
    by_sort_key = {str(item["SK"]): item for item in items}
    if _COMPANY not in by_sort_key.get(Metadata.sort, {}):
        return None
    steps: dict[str, Any] = {
        name: _STEP_ITEMS[name.upper()].read(by_sort_key[name.upper()])
        for name in STEPS
        if name.upper() in by_sort_key
    }
    return Newsletter(metadata=Metadata.read(by_sort_key[Metadata.sort]), **steps)


def list_of_user(
    table: Table, user_id: str, company_id: str, *, limit: int, start: Attributes | None
) -> tuple[list[Metadata], Attributes | None]:
    """Return newsletters of a user, newest first, and the next start key."""
    rows, last = table.query(
        INDEX,
        Key(INDEX_PARTITION_KEY).eq(filled(USER_PARTITION, user_id))
        & Key(INDEX_SORT_KEY).begins_with(LISTED),
        limit=limit,
        start=start,
        newest_first=True,
        only=Attr("company_id").eq(company_id),
    )
    return [Metadata.read(row) for row in rows], last


def list_of_company(
    table: Table, company_id: str, *, limit: int, start: Attributes | None
) -> tuple[list[Metadata], Attributes | None]:
    """Return newsletters of a company, newest first, and the next start key."""
    rows, last = table.query(
        None,
        Key(PARTITION_KEY).eq(filled(CompanyEntry.partition, company_id))
        & Key("SK").begins_with(LISTED),
        limit=limit,
        start=start,
        newest_first=True,
    )
    entries = [CompanyEntry.read(row) for row in rows]
    found = {
        item["newsletterCode"]: Metadata.read(item)
        for item in table.get_many([Metadata.key(entry.code) for entry in entries])
    }
    return [found[entry.code] for entry in entries if entry.code in found], last


def configure(store: Store, newsletter: Newsletter, changes: dict[str, Any]) -> Metadata:
    """
    Write *changes* of the configuration, and the status that follows from them. Raises StaleVersion if METADATA, or the
    draft that the status depends on, was changed meanwhile.
    """
    if set(EXPORTED).isdisjoint(changes):
        return change_metadata(store.table, newsletter.metadata, changes)
    draft = newsletter.draft
    changed = newsletter.metadata.model_copy(update=changes)
    unchanged: ConditionBase = Attr(PARTITION_KEY).not_exists()
    if draft is not None:
        unchanged = Draft.attr("version").eq(draft.version) & has_exports_of(draft)
    return change_metadata(
        store.table,
        newsletter.metadata,
        {**changes, "status": status_of(changed, draft)},
        store.table.to_check(Draft.key(newsletter.code), when=unchanged),
    )


def has_exports_of(draft: Draft) -> ConditionBase:
    """Return the condition that DRAFT has the exports of *draft*, by attributes that every version writes."""
    condition: ConditionBase = Draft.attr("exports").size().eq(len(draft.exports))
    for name, export in draft.exports.items():
        place = f"{Draft.name_of('exports')}.{name}"
        condition &= Attr(f"{place}.generated_at").eq(export.generated_at)
        condition &= Attr(f"{place}.file_size").eq(export.file_size)
    return condition


def change_metadata(
    table: Table, metadata: Metadata, changes: dict[str, Any], *checks: Attributes
) -> Metadata:
    """Write *changes* and the next version, if METADATA is as it was read and *checks* pass. Raises StaleVersion."""
    changed = metadata.model_copy(
        update={
            **changes,
            "version": metadata.version + 1,
            "updated_at": timestamp(clock.now_ms()),
        }
    )
    written = changed.attributes()
    names = [*changes, "version", "updated_at"]
    write = table.to_update(
        Metadata.key(metadata.newsletterCode),
        put={name: written[name] for name in names if name in written},
        drop=[name for name in names if name not in written],
        when=Metadata.attr("version").eq(metadata.version),
    )
    try:
        # A transaction, because the SDK's own retries of it have no second effect.
        table.transact(write, *checks)
    except TransactionRefused:
        raise StaleVersion("version: the newsletter has changed; read it again") from None
    return changed


def delete_newsletter(store: Store, metadata: Metadata) -> None:
    """
    Delete all items of a newsletter and mark its code as used for good. Idempotent.

    Its objects and jobs are left to the purge, which is open work from now on.
    """
    code, table, now = metadata.newsletterCode, store.table, clock.now_ms()
    entry = CompanyEntry.key(metadata.company_id, metadata.created_at, code)
    deletion = Deletion(
        **Deletion.key(code),
        code=code,
        deleted_at=timestamp(now),
        GSI1SK=due_key(now, code, "purge"),
    )
    table.transact(
        *(table.to_delete(kind.key(code)) for kind in (Metadata, Topics, Outline, Draft)),
        table.to_delete(entry),
        table.to_put(deletion.attributes()),
    )
