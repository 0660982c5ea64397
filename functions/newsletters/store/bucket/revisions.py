"""
Content of steps that was replaced: kept as objects.

Of each step the newest twenty that edits of people replaced, and the newest twenty others: many saves push no generated
content out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Key

from newsletters.store.bucket.objects import Store, revisions_of
from newsletters.store.items import Draft, Outline, Revision, Topics
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY, timestamp
from shared.aws.sqs_fifo import to_json
from shared.aws.stored_objects import Pointer
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.store.items import StepItem, StepName
    from shared.aws.dynamodb import Attributes, Table

MOST: Final = 20  # of a step, apart for edits and other causes
EDITED: Final = "edited"
# The content of a step, which comes back when a revision is restored; its version, status and exports do not.
CONTENT: Final[dict[str, tuple[str, ...]]] = {
    Topics.sort: (
        "selected_types", "custom_topics", "retrieved_content", "total_chunks_retrieved", "queries", "inputs_hash",
    ),
    Outline.sort: (
        "sections", "references", "user_modifications", "generated_items", "removed_items", "generated_at",
        "inputs_hash", "warnings", "ai_version",
    ),
    Draft.sort: (
        "generated_content", "sections", "section_order", "section_names", "user_edits", "has_user_edits", "citations",
        "warnings", "generated_at", "inputs_hash", "has_source_links",
        "ai_versions",
    ),
}  # fmt: skip


def to_keep(store: Store, code: str, replaced: StepItem, *, by: str, cause: str) -> Attributes:
    """Write the content of a step that is about to be replaced; return the write of its item, for a transaction."""
    content = {name: plain(replaced.attributes().get(name)) for name in CONTENT[replaced.SK]}
    label = f"{replaced.SK.lower()}-{replaced.version:08d}"
    pointer = revisions_of(store, code).put(label, to_json(content).encode())
    revision = Revision(
        **Revision.key(code, replaced.SK.lower(), f"{replaced.version:08d}"),
        step=replaced.SK.lower(),
        version=replaced.version,
        at=timestamp(clock.now_ms()),
        by=by,
        cause=cause,
        content=pointer.attributes(),
    )
    return store.table.to_put(revision.attributes())


def of_step(table: Table, code: str, step: StepName) -> list[Revision]:
    """Return the newest revisions of a step, newest first."""
    return _kept(_found(table, code, step))


def prune(store: Store, code: str, step: StepName) -> None:
    """Remove all but the newest revisions of a step. Idempotent."""
    found = _found(store.table, code, step)
    kept = {one.SK for one in _kept(found)}
    for old in (one for one in found if one.SK not in kept):
        revisions_of(store, code).delete(Pointer.read(old.content))
        store.table.delete({PARTITION_KEY: old.PK, SORT_KEY: old.SK})


def restored[Step: StepItem](store: Store, code: str, step: Step, revision: Revision) -> Step:
    """Return a step with the content of a revision. Raises ObjectUnusable."""
    folder = revisions_of(store, code)
    content: dict[str, Any] = folder.get_json(Pointer.read(revision.content))
    # Content of an earlier release lacks later attributes: their defaults belong to it, not the present values.
    kept = {name: one for name, one in step.model_dump().items() if name not in CONTENT[step.SK]}
    return type(step).model_validate({**kept, **content})


def _kept(found: Sequence[Revision]) -> list[Revision]:
    counts: Counter[bool] = Counter()
    kept = []
    for one in found:
        counts[one.cause == EDITED] += 1
        if counts[one.cause == EDITED] <= MOST:
            kept.append(one)
    return kept


def _found(table: Table, code: str, step: StepName) -> list[Revision]:
    key = Revision.key(code, step, "0")
    condition = Key(SORT_KEY).begins_with(str(key[SORT_KEY]).removesuffix("0"))
    rows, _ = table.query(
        None,
        Key(PARTITION_KEY).eq(key[PARTITION_KEY]) & condition,
        limit=5 * MOST,
        newest_first=True,
    )
    return [Revision.read(row) for row in rows]
