"""Access patterns of jobs: their lease, their units, and the work that is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key
from pydantic import ValidationError

from newsletters.store.items import (
    Choices,
    Deletion,
    FinishedUnit,
    Issue,
    Job,
    JobState,
    Series,
    Signup,
)
from newsletters.store.items.item import (
    INDEX,
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
    timestamp,
)
from newsletters.store.items.jobs import OPEN, OPEN_WORK, due_key
from newsletters.store.items.readers import SIGNUP_PREFIX
from newsletters.store.items.series import SERIES_PREFIX
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.leases import LeaseAttributes, LeaseLost, Leases
from shared.runtime import clock
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

type OpenWork = Job | Deletion | Issue | Signup | Choices | Series

LEASE: Final = LeaseAttributes(owner="lease_owner", until="lease_until", attempts="attempts")
LOOK_AFTER_MS: Final = 60 * clock.SECOND_MS  # after the end of a lease
_LEASE_NAMES: Final = ("lease_owner", "lease_until")
_DUE_NAMES: Final = (INDEX_PARTITION_KEY, INDEX_SORT_KEY)


def get(table: Table, code: str, name: str) -> Job | None:
    """Return the newest job of this name."""
    item = table.get(Job.key(code, name))
    return Job.read(item) if item else None


def get_many(table: Table, code: str, names: Iterable[str]) -> dict[str, Job]:
    """Return the newest jobs of these names, by name."""
    found = [Job.read(item) for item in table.get_many([Job.key(code, name) for name in names])]
    return {job.name: job for job in found}


def to_start(table: Table, job: Job, replaced: Job | None) -> Attributes:
    """Return the write of a new job, for a transaction; it is refused if another one was started meanwhile."""
    return table.to_put(job.attributes(), when=_may_follow(replaced))


def start(table: Table, job: Job, replaced: Job | None) -> None:
    """Write a new job by itself. Raises ConditionFailed if another one was started meanwhile."""
    table.put(job.attributes(), when=_may_follow(replaced))


def claim(table: Table, job: Job, owner: str, lease_until: int, deadline_ms: int) -> Job:
    """
    Take the lease of a job for a worker, and set its deadline. Raises Held (Transient) and Finished
    (`shared.aws.tables.leases`).
    """
    mine = {LEASE.owner: owner, LEASE.until: lease_until}
    taken = Leases(table, LEASE).take_over(
        _key(job),
        job.attributes(),
        mine,
        put={
            **Job.named(deadline_ms=deadline_ms),
            "state": JobState.RUNNING.value,
            INDEX_SORT_KEY: due_key(lease_until + LOOK_AFTER_MS, job.code, job.name),
        },
        when=Job.attr("job_id").eq(job.job_id),
    )
    return Job.read(taken)


def release(table: Table, job: Job, owner: str) -> None:
    """Free a job for the next worker at once."""
    Leases(table, LEASE).release(_key(job), owner)


def report(table: Table, job: Job, **progress: Any) -> None:  # noqa: ANN401 - fields of the job
    """Write the progress of a worker that has the lease. Raises LeaseLost."""
    try:
        table.update(_key(job), put=Job.named(**progress), when=_is_mine(job))
    except ConditionFailed:
        raise LeaseLost from None


def to_end(table: Table, job: Job, state: JobState, **facts: Any) -> Attributes:  # noqa: ANN401 - fields of the job
    """Return the write that ends a job, for a transaction; it is refused unless the worker still has the lease."""
    return table.to_update(
        _key(job), put=_ended(state, facts), drop=[*_LEASE_NAMES, *_DUE_NAMES], when=_is_mine(job)
    )


def end(table: Table, job: Job, state: JobState, **facts: Any) -> bool:  # noqa: ANN401 - fields of the job
    """End a job by itself as `to_end` does; False if it has ended, was replaced, or another worker has it."""
    try:
        table.update(
            _key(job),
            put=_ended(state, facts),
            drop=[*_LEASE_NAMES, *_DUE_NAMES],
            when=_is_mine(job),
        )
    except ConditionFailed:
        return False
    return True


def to_close(table: Table, job: Job, state: JobState, **facts: Any) -> Attributes:  # noqa: ANN401 - fields of the job
    """Return the write that ends an open job for a transaction, also one that a worker has: a person cancels it."""
    return table.to_update(
        _key(job),
        put=_ended(state, facts),
        drop=[*_LEASE_NAMES, *_DUE_NAMES],
        when=_is_open_run(job),
    )


def postpone(table: Table, job: Job, due_ms: int, *, deadline_ms: int | None = None) -> Job | None:
    """
    Move an open job to its next turn, and to a later time in the list of open work; None if it has ended.

    *deadline_ms*: its new deadline, if it changes.
    """
    put = {"turn": job.turn + 1, INDEX_SORT_KEY: due_key(due_ms, job.code, job.name)}
    if deadline_ms is not None:
        put |= Job.named(deadline_ms=deadline_ms)
    try:
        changed = table.update(
            _key(job), put=put, when=_is_open_run(job) & Job.attr("turn").eq(job.turn)
        )
    except ConditionFailed:
        return None
    return Job.read(changed)


def put_unit(table: Table, unit: FinishedUnit) -> FinishedUnit:
    """Store the result of a unit, once for the same inputs; return the stored one, which may be another worker's."""
    is_first = Attr(PARTITION_KEY).not_exists()
    is_of_other_inputs = FinishedUnit.attr("inputs_hash").ne(unit.inputs_hash)
    try:
        table.put(unit.attributes(), when=is_first | is_of_other_inputs)
    except ConditionFailed as refusal:
        return FinishedUnit.read(refusal.existing or unit.attributes())
    return unit


def units(table: Table, job: Job) -> dict[int, FinishedUnit]:
    """Return the finished units of a job by number."""
    prefix = FinishedUnit.key(job.code, job.job_id, "0")[SORT_KEY][:-1]
    found: dict[int, FinishedUnit] = {}
    start: Attributes | None = None
    while True:
        rows, start = table.query(
            None, Key(PARTITION_KEY).eq(job.PK) & Key(SORT_KEY).begins_with(prefix), start=start
        )
        for row in rows:
            found[int(str(row[SORT_KEY]).removeprefix(prefix))] = FinishedUnit.read(row)
        if start is None:
            return found


def due(
    table: Table, now_ms: int, start: Attributes | None
) -> tuple[list[OpenWork], Attributes | None]:
    """
    Return a page of the open work that is due, oldest first, and the next start key.

    An item that this version cannot read is logged and left out: it must not keep all others waiting.
    """
    until = timestamp(now_ms + clock.SECOND_MS)
    rows, last = table.query(
        INDEX, Key(INDEX_PARTITION_KEY).eq(OPEN_WORK) & Key(INDEX_SORT_KEY).lt(until), start=start
    )
    found = [_open_work(row) for row in rows]
    return [one for one in found if one is not None], last


def _open_work(row: Attributes) -> OpenWork | None:
    try:
        return _kind_of(str(row[SORT_KEY])).read(row)
    except ValidationError as refusal:
        logger.error("open work unreadable", extra=describe(refusal))
        return None


def _kind_of(sort_key: str) -> type[OpenWork]:
    by_key: dict[str, type[OpenWork]] = {
        Issue.sort: Issue,
        Deletion.sort: Deletion,
        Choices.sort: Choices,
    }
    if sort_key in by_key:
        return by_key[sort_key]
    by_prefix: dict[str, type[OpenWork]] = {SIGNUP_PREFIX: Signup, SERIES_PREFIX: Series}
    return next((one for prefix, one in by_prefix.items() if sort_key.startswith(prefix)), Job)


def get_deletion(table: Table, code: str) -> Deletion | None:
    """Return the mark of a deleted newsletter."""
    item = table.get(Deletion.key(code))
    return Deletion.read(item) if item else None


def postpone_deletion(table: Table, deletion: Deletion, due_ms: int) -> None:
    """Look after a deletion again at *due_ms*. Idempotent."""
    table.update(
        Deletion.key(deletion.code),
        put={INDEX_SORT_KEY: due_key(due_ms, deletion.code, "purge"), "turn": deletion.turn + 1},
    )


def finish_deletion(table: Table, code: str) -> None:
    """Record that a deleted newsletter is removed completely. Idempotent."""
    table.update(Deletion.key(code), put={"purge": "done"}, drop=_DUE_NAMES)


def work_keys(
    table: Table, code: str, start: Attributes | None
) -> tuple[list[Attributes], Attributes | None]:
    """Return a page of the keys of a newsletter's jobs and units, and the next start key."""
    rows, last = table.query(
        None, Key(PARTITION_KEY).eq(Deletion.key(code)[PARTITION_KEY]), start=start
    )
    keys = [{name: row[name] for name in (PARTITION_KEY, SORT_KEY)} for row in rows]
    return [key for key in keys if key[SORT_KEY] != Deletion.sort], last


def _may_follow(replaced: Job | None) -> ConditionBase:
    # An expired job may still be stored for two days.
    is_over = Job.attr("ttl").lte(clock.now_ms() // clock.SECOND_MS)
    is_first = Attr(PARTITION_KEY).not_exists() | is_over
    return is_first if replaced is None else Job.attr("job_id").eq(replaced.job_id) | is_first


def _ended(state: JobState, facts: dict[str, Any]) -> dict[str, Any]:
    return {"state": state.value, "ended_at": timestamp(clock.now_ms()), **Job.named(**facts)}


def _is_mine(job: Job) -> ConditionBase:
    return Job.attr("job_id").eq(job.job_id) & Job.attr("lease_owner").eq(job.lease_owner)


def _is_open_run(job: Job) -> ConditionBase:
    return Job.attr("job_id").eq(job.job_id) & Job.attr("state").is_in([one.value for one in OPEN])


def _key(job: Job) -> Attributes:
    return {PARTITION_KEY: job.PK, SORT_KEY: job.SK}
