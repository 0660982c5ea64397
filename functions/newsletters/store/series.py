"""Access patterns of series: made, changed by people, and moved on by workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import Series
from newsletters.store.items.item import (
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    timestamp,
)
from newsletters.store.items.jobs import OPEN_WORK, due_key
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

MOST: Final = 100  # of a company
_READ: Final = (
    2 * MOST
)  # calls at the same time may pass the limit: what they have made is listed and erased, too
LOOK_AFTER_MS: Final = 6 * 60 * clock.SECOND_MS
_DUE: Final = (INDEX_PARTITION_KEY, INDEX_SORT_KEY)


class TooManySeries(Exception):
    """The company has as many series as it may have."""


def get(table: Table, company_id: str, series_id: str) -> Series | None:
    """Return a series."""
    item = table.get(Series.key(company_id, series_id))
    return Series.read(item) if item else None


def of_company(table: Table, company_id: str) -> list[Series]:
    """Return the series of a company."""
    condition = Key(PARTITION_KEY).eq(Series.key(company_id, "-")[PARTITION_KEY])
    rows, _ = table.query(None, condition, limit=_READ)
    return [Series.read(row) for row in rows]


def create(table: Table, made: Series) -> Series:
    """Write a series and return what is stored. Safe to repeat. Raises TooManySeries."""
    present = [one.series_id for one in of_company(table, made.company_id)]
    if len(present) >= MOST and made.series_id not in present:  # not by an earlier attempt
        raise TooManySeries(f"a company has at most {MOST} series")
    written = made.attributes() | _due(made, made.next_run)
    try:
        table.put(_scheduled(made, written), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        return Series.read(refusal.existing or written)
    return made


def change(table: Table, series: Series, version: int, **changes: Any) -> Series:  # noqa: ANN401 - fields of the series
    """Change a series that is as a person read it; a run goes on with the new values. Raises StaleVersion."""
    changed = series.model_copy(
        update={**changes, "version": series.version + 1, "updated_at": timestamp(clock.now_ms())}
    )
    is_as_read: ConditionBase = Series.attr("version").eq(version)
    is_as_read &= Series.attr("turn").eq(series.turn)
    is_open = changed.enabled or changed.run is not None
    due_ms = clock.now_ms() + LOOK_AFTER_MS if changed.run is not None else changed.next_run
    names = [*changes, "version", "updated_at"]
    written = changed.attributes()
    put = {name: written[name] for name in names if name in written}
    drop = [name for name in names if name not in written]
    put |= _due(changed, due_ms) if is_open else {}
    try:
        table.update(
            Series.key(series.company_id, series.series_id),
            put=put,
            drop=drop if is_open else [*drop, *_DUE],
            when=is_as_read,
        )
    except ConditionFailed:
        raise StaleVersion("version: the series has changed; read it again") from None
    return changed


def delete(table: Table, series: Series) -> None:
    """Delete a series; its newsletters stay. Idempotent."""
    table.delete(Series.key(series.company_id, series.series_id))


def next_turn(table: Table, series: Series, due_ms: int) -> Series | None:
    """Move a due series to its next turn, and look after it again at *due_ms*; None if it was moved or removed."""
    try:
        moved = table.update(
            Series.key(series.company_id, series.series_id),
            put={"turn": series.turn + 1, **_due(series, due_ms)},
            when=Series.attr("turn").eq(series.turn) & Attr(INDEX_SORT_KEY).exists(),
        )
    except ConditionFailed:
        return None
    return Series.read(moved)


def advance(table: Table, series: Series, due_ms: int | None, **facts: Any) -> Series | None:  # noqa: ANN401 - fields of the series
    """
    Write what the present turn has found; None if people or another worker were faster. *due_ms*: of the next look,
    None if the series is disabled.
    """
    changed = series.model_copy(update=facts)
    written = changed.attributes()
    is_present: ConditionBase = Series.attr("turn").eq(series.turn)
    is_present &= Series.attr("version").eq(series.version)
    drop = [name for name in facts if name not in written]
    try:
        stored = table.update(
            Series.key(series.company_id, series.series_id),
            put={
                **{name: written[name] for name in facts if name in written},
                **(_due(series, due_ms) if due_ms is not None else {}),
            },
            drop=drop if due_ms is not None else [*drop, *_DUE],
            when=is_present,
        )
    except ConditionFailed:
        return None
    return Series.read(stored)


def end_of_author(table: Table, company_id: str, user_id: str) -> None:
    """End the series of a user, whose newsletters are gone. Idempotent."""
    for one in of_company(table, company_id):
        if one.created_by == user_id:
            delete(table, one)


def _due(series: Series, due_ms: int) -> Attributes:
    name = due_key(due_ms, f"{series.company_id}#{series.series_id}", "series")
    return {INDEX_PARTITION_KEY: OPEN_WORK, INDEX_SORT_KEY: name}


def _scheduled(series: Series, written: Attributes) -> Attributes:
    if series.enabled:
        return written
    return {name: value for name, value in written.items() if name not in _DUE}
