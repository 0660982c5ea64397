"""
Access patterns of the steps: content by people and by jobs, and the changes of status.

Every write holds the version that its caller has read, and the job that was working on the step then. METADATA is part
of each transaction, so that a late write cannot bring a deleted newsletter back.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr

from newsletters.store.bucket.large_values import fitted
from newsletters.store.content.newsletters import Newsletter, StaleVersion, has_exports_of
from newsletters.store.content.step_inputs import EXPORTED
from newsletters.store.items import Draft, Metadata, Outline, StepItem, Topics
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY, timestamp
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import Export
    from newsletters.store.items.item import TableItem
    from shared.aws.dynamodb import Attributes, Table

# Written by exports alone, which do not hold the version: a change of the text must not undo one of them.
_OF_EXPORTS = frozenset({"exports"})
_KEYS = frozenset({PARTITION_KEY, SORT_KEY})


def is_written(present: TableItem | None, changed: TableItem, version: int) -> bool:
    """
    Whether the change of version *version* has been made already: the next version has all its values.

    Then a repeated call, whose first one wrote but did not answer, gets the answer of the first one.
    """
    return present == changed and getattr(present, "version", 0) == version + 1


def save_topics(
    store: Store, before: Newsletter, topics: Topics, metadata: dict[str, Any], *also: Attributes
) -> Topics:
    """
    Write TOPICS and the changes of METADATA that it causes, together with the writes *also*, or nothing.

    Raises StaleVersion if the step or its job has changed since *before* was read, or one of *also* was refused.
    """
    return _save(store, before, topics, metadata, also)


def save_outline(
    store: Store, before: Newsletter, outline: Outline, metadata: dict[str, Any], *also: Attributes
) -> Outline:
    """Write OUTLINE as `save_topics` writes TOPICS."""
    return _save(store, before, outline, metadata, also)


def save_draft(
    store: Store, before: Newsletter, draft: Draft, metadata: dict[str, Any], *also: Attributes
) -> Draft:
    """Write DRAFT, apart from its exports, as `save_topics` writes TOPICS."""
    return _save(store, before, draft, metadata, also)


def save(
    store: Store, before: Newsletter, step: StepItem, metadata: dict[str, Any], *also: Attributes
) -> StepItem:
    """Write a step of any kind as `save_topics` writes TOPICS."""
    match step:
        case Topics():
            return save_topics(store, before, step, metadata, *also)
        case Outline():
            return save_outline(store, before, step, metadata, *also)
        case Draft():
            return save_draft(store, before, step, metadata, *also)
        case _:
            raise TypeError(type(step).__name__)


def save_status(
    store: Store, before: Newsletter, step: StepItem, changes: dict[str, Any], *also: Attributes
) -> None:
    """
    Change the status of a step, and nothing of its content, together with the writes *also*, or nothing.

    Values that are None are removed, or stored as NULL where the contract has it. Raises StaleVersion as `save_topics`.
    """
    changes = {**changes, "updated_at": timestamp(clock.now_ms())}
    put, drop = _split(step, changes)
    seen: StepItem | None = before.step(_name(step))
    if seen is None:
        write = store.table.to_put(
            step.model_copy(update=changes).attributes(), when=Attr(PARTITION_KEY).not_exists()
        )
    else:
        write = store.table.to_update(_key(step), put=put, drop=drop, when=_is_unchanged(seen))
    _transact(store, before, write, {}, also)


def prolong(table: Table, key: Attributes, job_id: str, deadline_ms: int) -> None:
    """Set the deadline of a step whose job waits, unless another job works on it by now. Idempotent."""
    with suppress(ConditionFailed):
        table.update(
            key,
            put=StepItem.named(deadline_ms=deadline_ms),
            when=StepItem.attr("job_id").eq(job_id),
        )


def save_export(
    store: Store,
    before: Newsletter,
    exported: tuple[str, Export],
    metadata: dict[str, Any],
    *also: Attributes,
) -> None:
    """Record an exported file in DRAFT. Raises StaleVersion if the draft or its exports were written meanwhile."""
    draft = before.draft
    name, export = exported
    if draft is None:
        raise StaleVersion("draft: there is no draft")
    exports = {**draft.exports, name: export}
    stored = draft.model_copy(update={"exports": exports}).attributes()["exports"]
    unchanged = _is_unchanged(draft) & has_exports_of(draft)
    write = store.table.to_update(_key(draft), put={"exports": stored}, when=unchanged)
    _transact(store, before, write, metadata, also)


def _save[Step: StepItem](
    store: Store,
    before: Newsletter,
    step: Step,
    metadata: dict[str, Any],
    also: tuple[Attributes, ...],
) -> Step:
    seen: StepItem | None = before.step(_name(step))
    saved = step.model_copy(
        update={
            "version": (seen.version if seen else 0) + 1,
            "updated_at": timestamp(clock.now_ms()),
        }
    )
    item = fitted(store, before.code, saved)
    if seen is None:
        write = store.table.to_put(item, when=Attr(PARTITION_KEY).not_exists())
    else:
        put = {name: v for name, v in item.items() if name not in _KEYS | _OF_EXPORTS}
        drop = [name for name in type(step).model_fields if name not in item]
        write = store.table.to_update(_key(step), put=put, drop=drop, when=_is_unchanged(seen))
    _transact(store, before, write, metadata, also)
    return saved


def _transact(
    store: Store,
    before: Newsletter,
    write: Attributes,
    metadata: dict[str, Any],
    also: tuple[Attributes, ...],
) -> None:
    changed = {**metadata, "updated_at": timestamp(clock.now_ms())}
    is_there: ConditionBase = Metadata.attr("company_id").eq(before.metadata.company_id)
    if "status" in metadata:  # which depends on what exports show of METADATA
        for name in EXPORTED:
            value = getattr(before.metadata, name)
            is_same: ConditionBase = Metadata.attr(name).eq(value)
            # Newsletters of earlier releases lack an attribute that is empty.
            is_there &= is_same if value else is_same | Metadata.attr(name).not_exists()
    head = store.table.to_update(Metadata.key(before.code), put=changed, when=is_there)
    try:
        store.table.transact(write, head, *also)
    except TransactionRefused:
        raise StaleVersion("version: the step has changed; read it again") from None


def _is_unchanged(seen: StepItem) -> ConditionBase:
    job = StepItem.attr("job_id")
    is_of_job = job.not_exists() if seen.job_id is None else job.eq(seen.job_id)
    return StepItem.attr("version").eq(seen.version) & is_of_job


def _split(step: StepItem, changes: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    put = {n: v for n, v in changes.items() if v is not None or n in step.nullable}
    return put, [name for name in changes if name not in put]


def _key(step: StepItem) -> Attributes:
    return {PARTITION_KEY: step.PK, SORT_KEY: step.SK}


def _name(step: StepItem) -> Any:  # noqa: ANN401 - a StepName; the sort key is text
    return step.SK.lower()
