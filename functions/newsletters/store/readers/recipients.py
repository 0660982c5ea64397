"""
The ledger of an issue's recipients, and its counters.

A change of a recipient that counts is one transaction with its counter, so the counters always equal a recount. Each
change has a condition on the state before it: of two writers one wins, and a repetition changes nothing.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.items import IssueStats, Recipient, RecipientState, VariantStats
from newsletters.store.items.issues import SHARDS
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from newsletters.store.items.recipients import (
    ENDED,
    MAILBOX_PROVIDERS,
    PROVIDER_COUNTS,
    VARIANT_COUNTS,
    Count,
)
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import shard_of
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from newsletters.store.items import Issue
    from newsletters.store.items.issues import Variant
    from newsletters.store.items.recipients import MailboxProvider
    from shared.aws.dynamodb import Attributes, Table

ROUNDS: Final = 4
_OF_RECIPIENT: Final = 0  # its position in a transaction
_PREFIX: Final = Recipient.sort.partition("{")[0]


class NoPlace(Exception):
    """The day has no place left for the mail, or another worker has changed its counter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailEvent:
    """
    An event of a mail, and its time. *count* is its counter and the beginning of its attribute. *evidence* is the state
    that it proves of a recipient without a result, *ses_id* the provider's id, *beside* a write of another counter.
    """

    at: str
    count: Count | None
    evidence: RecipientState | None = None
    ses_id: str | None = None
    beside: Attributes | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """The next state of a recipient, changes of its counters, its attributes, and a write beside them."""

    state: RecipientState
    counts: Mapping[str, int]
    facts: Mapping[str, Any]
    beside: Attributes | None = None


def plan(table: Table, issue_id: str, recipients: Sequence[Recipient]) -> None:
    """
    Write the recipients that are not in the ledger yet, and count them, in one transaction of at most 98. Safe to
    repeat. Raises Transient after many concurrent writes.
    """
    for _ in range(ROUNDS):
        stored = table.get_many([one.own_key() for one in recipients]) if recipients else []
        known = {str(item[SORT_KEY]) for item in stored}
        new = [one for one in recipients if one.SK not in known]
        if not new:
            return
        counts = Counter[str](audience=len(new))
        counts.update(one.state.value for one in new if one.state in ENDED)
        counts.update(
            IssueStats.counted(provider_of(one), "waiting") for one in new if one.state not in ENDED
        )
        absent = Attr(PARTITION_KEY).not_exists()
        try:
            table.transact(
                *(table.to_put(one.attributes(), when=absent) for one in new),
                table.to_update(IssueStats.key_for(issue_id, new[0].recipient), add=dict(counts)),
            )
        except TransactionRefused:
            continue
        return
    raise Transient("recipients_contended")


def get(table: Table, issue_id: str, recipient: str) -> Recipient | None:
    """Return a recipient by its name."""
    item = table.get(Recipient.key_of(issue_id, recipient))
    return Recipient.read(item) if item else None


def page(
    table: Table, issue_id: str, shard: int, *, limit: int, after: str | None = None
) -> tuple[list[Recipient], str | None]:
    """Return the next recipients of a shard in their order, and the position of the next page, None on the last."""
    condition: ConditionBase = Key(PARTITION_KEY).eq(Recipient.shard_key(issue_id, shard))
    # Between two recipients there is no other item, so a prefix alone begins the shard.
    condition &= (
        Key(SORT_KEY).gt(after) if after is not None else Key(SORT_KEY).begins_with(_PREFIX)
    )
    rows, last = table.query(None, condition, limit=limit)
    return [Recipient.read(row) for row in rows], str(rows[-1][SORT_KEY]) if last else None


def reserve(table: Table, recipient: Recipient, owner: str, deadline_ms: int) -> Recipient | None:
    """Note a wire attempt before it is made; None if another worker has made one."""
    put = Recipient.named(
        state=RecipientState.SENDING.value,
        attempt=recipient.attempt + 1,
        owner=owner,
        deadline_ms=deadline_ms,
    )
    unchanged = _is_in(RecipientState.PLANNED) & Recipient.attr("attempt").eq(recipient.attempt)
    try:
        return Recipient.read(table.update(recipient.own_key(), put=put, when=unchanged))
    except ConditionFailed as refusal:
        # Our own first attempt at this write, whose response was lost, has the same owner and number.
        stored = Recipient.read(refusal.existing) if refusal.existing else recipient
        is_ours = (stored.owner, stored.attempt) == (owner, recipient.attempt + 1)
        return stored if is_ours and stored.state is RecipientState.SENDING else None


def reserve_within(
    table: Table, recipient: Recipient, owner: str, deadline_ms: int, place: Attributes
) -> Recipient | None:
    """
    Reserve as `reserve` does, and take *place*, a write of the day's counter, in one transaction. Raises NoPlace if
    there is none left.
    """
    changes = {"attempt": recipient.attempt + 1, "owner": owner, "deadline_ms": deadline_ms}
    unchanged = _is_in(RecipientState.PLANNED) & Recipient.attr("attempt").eq(recipient.attempt)
    put = Recipient.named(state=RecipientState.SENDING.value, **changes)
    try:
        table.transact(table.to_update(recipient.own_key(), put=put, when=unchanged), place)
    except TransactionRefused as refusal:
        if _OF_RECIPIENT in refusal.positions:
            return None
        raise NoPlace from None
    return recipient.model_copy(update={**changes, "state": RecipientState.SENDING})


def give_back(table: Table, reserved: Recipient, place: Attributes | None = None) -> None:
    """
    Plan a recipient again whose mail the provider certainly has not taken; *place* gives the place of the day back.
    Safe to repeat.
    """
    change: dict[str, Any] = {
        "put": Recipient.named(state=RecipientState.PLANNED.value),
        "drop": [Recipient.name_of("owner"), Recipient.name_of("deadline_ms")],
        "when": _is_attempt(reserved),
    }
    if place is not None:
        with suppress(
            TransactionRefused
        ):  # The day is over, or the recipient has changed: see below.
            table.transact(table.to_update(reserved.own_key(), **change), place)
            return
    with suppress(ConditionFailed):  # An event of the provider was faster, or our own first write.
        table.update(reserved.own_key(), **change)


def settle(
    table: Table,
    issue_id: str,
    reserved: Recipient,
    state: RecipientState,
    **facts: Any,  # noqa: ANN401 - fields of the item
) -> bool:
    """End a wire attempt with its result; False if it has ended before."""
    move = Move(state, {state.value: 1}, facts)
    return _make(table, issue_id, reserved, move, _is_attempt(reserved))


def skip(table: Table, issue_id: str, recipient: Recipient, reason: str) -> bool:
    """End a planned recipient without a mail; False if it is not planned any more."""
    state = RecipientState.SKIPPED
    move = Move(state, {state.value: 1}, {"reason": reason})
    return _make(table, issue_id, recipient, move, _is_in(RecipientState.PLANNED))


def plan_again(table: Table, issue_id: str, recipient: Recipient) -> bool:
    """Plan a recipient again of whose mail nothing is known; False if an event of the provider was faster."""
    move = Move(RecipientState.PLANNED, {RecipientState.UNKNOWN.value: -1}, {})
    return _make(table, issue_id, recipient, move, _is_in(RecipientState.UNKNOWN))


def note_event(table: Table, issue_id: str, recipient: Recipient, event: MailEvent) -> bool:
    """Note an event of a recipient's mail, each kind once. False if nothing changes, or another writer was faster."""
    facts: dict[str, Any] = {}
    counts: dict[str, int] = {}
    condition: ConditionBase = _is_in(recipient.state)
    if event.count is not None and getattr(recipient, f"{event.count}_at") is None:
        facts[f"{event.count}_at"] = event.at
        counts[event.count] = 1
        condition &= Recipient.attr(f"{event.count}_at").not_exists()
    state = recipient.state
    if event.evidence is not None and recipient.is_in_doubt:
        counts[event.evidence.value] = 1
        if state is RecipientState.UNKNOWN:
            counts[RecipientState.UNKNOWN.value] = -1
        state = event.evidence
        facts["ses_id"] = event.ses_id
    if not counts:
        return False
    beside = event.beside if event.count in counts else None
    return _make(table, issue_id, recipient, Move(state, counts, facts, beside), condition)


def stats(table: Table, issue_id: str) -> IssueStats:
    """Return the counters of an issue: the sums of all parts. Strongly consistent."""
    keys = [IssueStats.key(issue_id, f"{shard:02}") for shard in range(SHARDS)]
    total = Counter[str]()
    names = [name for name in IssueStats.model_fields if name not in {PARTITION_KEY, SORT_KEY}]
    for item in table.get_many(keys):
        for name in names:
            total[name] += int(item.get(name, 0))
    return IssueStats(**IssueStats.key(issue_id, "sum"), **total)


def variant_stats(table: Table, issue: Issue) -> dict[Variant, VariantStats]:
    """Return the counters of the variants in the sample of a subject test. Strongly consistent."""
    totals: dict[Variant, Counter[str]] = {}
    for variant in issue.subjects:
        keys = [VariantStats.key(issue.issue_id, variant, f"{shard:02}") for shard in range(SHARDS)]
        totals[variant] = Counter()
        for item in table.get_many(keys):
            totals[variant].update({name: int(item.get(name, 0)) for name in VARIANT_COUNTS})
    return {
        variant: VariantStats(**VariantStats.key(issue.issue_id, variant, "sum"), **total)
        for variant, total in totals.items()
    }


def _make(
    table: Table, issue_id: str, recipient: Recipient, move: Move, when: ConditionBase
) -> bool:
    put = Recipient.named(state=move.state.value, **move.facts)
    try:
        table.transact(
            table.to_update(
                recipient.own_key(),
                put={name: value for name, value in put.items() if value is not None},
                drop=[Recipient.name_of("owner"), Recipient.name_of("deadline_ms")],
                when=when,
            ),
            *_counted(table, issue_id, recipient, move.counts),
            *([move.beside] if move.beside is not None else []),
        )
    except TransactionRefused:
        return False
    return True


def _counted(
    table: Table, issue_id: str, recipient: Recipient, counts: Mapping[str, int]
) -> list[Attributes]:
    """Return the updates of the counters that a recipient's counts are part of."""
    own = IssueStats.key_for(issue_id, recipient.recipient)
    provider = provider_of(recipient)
    of_provider = {
        IssueStats.counted(provider, name): counts[name]
        for name in PROVIDER_COUNTS
        if name in counts
    }
    if ended := sum(counts.get(state.value, 0) for state in ENDED):
        of_provider[IssueStats.counted(provider, "waiting")] = -ended
    updates = [table.to_update(own, add={**counts, **of_provider})]
    of_variant = {name: count for name, count in counts.items() if name in VARIANT_COUNTS}
    if recipient.variant is not None and of_variant:
        shard = f"{shard_of(f'stats {recipient.recipient}', SHARDS):02}"
        key = VariantStats.key(issue_id, recipient.variant, shard)
        updates.append(table.to_update(key, add=of_variant))
    return updates


def provider_of(recipient: Recipient) -> MailboxProvider:
    """Return the mailbox provider that counts a recipient's mail."""
    named = recipient.mailbox_provider
    return next((one for one in MAILBOX_PROVIDERS if one == named), "other")


def _is_in(state: RecipientState) -> ConditionBase:
    return Recipient.attr("state").eq(state.value)


def _is_attempt(reserved: Recipient) -> ConditionBase:
    attempt: Attributes = {"attempt": reserved.attempt, "owner": reserved.owner}
    condition: ConditionBase = _is_in(RecipientState.SENDING)
    for name, value in attempt.items():
        condition &= Recipient.attr(name).eq(value)
    return condition
