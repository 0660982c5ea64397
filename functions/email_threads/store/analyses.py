"""Access patterns of what the model found out: the answer at the mail that it read, and the summary on the head."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from email_threads.store.changes import recorded
from email_threads.store.deadlines.service_levels import writes
from email_threads.store.items import AiAnalysis, Audit, Mail, Thread
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.threads import is_unanalysed_since, is_unchanged
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.dynamodb_json import plain
from shared.aws.tables.items import stored

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from email_threads.store.changes import Change
    from shared.aws.dynamodb import Attributes, Table

MOST_SENTIMENTS: Final = 10
MOST_ANALYSIS_BYTES: Final = 2_048  # of the head
_SHORTEST: Final = 20  # characters; shorter texts are left out


def keep_answer(
    table: Table, mail: Mail, answer: Attributes, *, evidence_seq: int = 0
) -> Attributes:
    """
    Store the model's answer at its mail, and return the stored one: the first that was stored stays, unless a person
    has changed since which mails count (*evidence_seq* of the thread that was read).
    """
    if evidence_seq:
        answer = {**answer, "evidence_seq": evidence_seq}
    is_other = mail.analysis is not None and mail.analysis.get("evidence_seq", 0) != evidence_seq
    item = table.update(
        {PARTITION_KEY: mail.conversation_id},
        put={"analysis": answer} if is_other else None,
        put_once=None if is_other else {"analysis": answer},
        when=Mail.attr("email_id").eq(mail.email_id) & Mail.attr("erased").not_exists(),
    )
    kept: Attributes = item["analysis"]
    return kept


def save(
    table: Table,
    thread: Thread,
    *,
    draft: str | None = None,
    closed: frozenset[str] = frozenset(),
    made: Change | None = None,
    counted: Attributes | None = None,
    **changes: Any,  # noqa: ANN401 - values of any field
) -> Thread | None:
    """
    Write attributes of the analysis on a head as it was read, name its open *draft* and no longer the *closed* ones.
    None if it was analysed otherwise, or the customer has written again, meanwhile.

    *made* is a change that is recorded with it; without one, `last_seq` and `updated_at` stay: an arriving mail does
    not collide with it. *counted* is a write of the same transaction. A long analysis is shortened.
    """
    if isinstance(analysis := changes.get("ai_analysis"), AiAnalysis):
        changes["ai_analysis"] = bounded(analysis)
    drafts = (thread.open_drafts - closed) | ({draft} if draft is not None else set())
    seq = (thread.analysis_seq or 0) + 1
    after = thread.model_copy(update={**changes, "analysis_seq": seq, "open_drafts": drafts})
    audit: Audit | None = None
    if made is not None:
        after, audit = recorded(after, made)
    write = _write_of(thread, after, draft, closed)
    if audit is not None:
        write["when"] &= is_unchanged(thread)
        return _save_with(table, after, write, _of_record(table, thread, after, audit, counted))
    if counted is not None:
        return _save_with(table, after, write, [counted])
    try:
        item = table.update(Thread.key(thread.conversation_id), **write)
    except ConditionFailed as refusal:
        return _own(refusal.existing, after)
    return Thread.read(item)


def _write_of(
    thread: Thread, after: Thread, draft: str | None, closed: frozenset[str]
) -> dict[str, Any]:
    """Return the update of the head. It adds to the open drafts, or replaces them if they are as they were read."""
    was, values = stored(thread), stored(after)
    write: dict[str, Any] = {
        "put": {name: value for name, value in values.items() if was.get(name) != value},
        "drop": [name for name in was if name not in values],
        "when": is_unanalysed_since(thread),
    }
    if thread.open_drafts & closed:
        write["when"] &= _has_same_drafts(thread)
    elif write["put"].pop("open_drafts", None):
        write["add"] = {"open_drafts": {draft}}
    return write


def _of_record(
    table: Table, before: Thread, after: Thread, audit: Audit, counted: Attributes | None
) -> list[Attributes]:
    """Return the writes beside the one of a head whose change is recorded."""
    return [
        table.to_put(audit.attributes(), when=Audit.attr("conversation_id").not_exists()),
        *writes(table, before, after),
        *([counted] if counted is not None else []),
    ]


def _save_with(
    table: Table, after: Thread, write: dict[str, Any], others: list[Attributes]
) -> Thread | None:
    try:
        table.transact(table.to_update(Thread.key(after.conversation_id), **write), *others)
    except TransactionRefused:
        return None
    return after


def _has_same_drafts(thread: Thread) -> ConditionBase:
    """Return the condition that no draft was listed or removed meanwhile."""
    listed = Thread.attr("open_drafts")
    same: ConditionBase = listed.size().eq(len(thread.open_drafts))
    for one in sorted(thread.open_drafts):
        same &= listed.contains(one)
    return same


def _own(existing: Attributes | None, intended: Thread) -> Thread | None:
    """Return the stored head if it has this write, whose response was lost; else None."""
    if existing is None:
        return None
    thread = Thread.read(existing)
    is_own = (thread.analysis_seq, thread.ai_analysis) == (
        intended.analysis_seq,
        intended.ai_analysis,
    )
    return thread if is_own else None


def bounded(analysis: AiAnalysis) -> AiAnalysis:
    """
    Return an analysis that fits into the head.

    Values without proof and answered questions go first, then the longest texts are halved, then the last questions go.
    """
    kept = analysis
    if _size(kept) > MOST_ANALYSIS_BYTES:
        kept = kept.model_copy(update={"unconfirmed": {}})
    if _size(kept) > MOST_ANALYSIS_BYTES:
        open_ones = [one for one in kept.pending_info if one.answered_n is None]
        kept = kept.model_copy(update={"pending_info": open_ones})
    while _size(kept) > MOST_ANALYSIS_BYTES and (shorter := _shortened(kept)) != kept:
        kept = shorter
    return kept


def _shortened(analysis: AiAnalysis) -> AiAnalysis:
    """Return an analysis with half of its longest text, or without its last question."""
    questions = analysis.pending_info
    longest = max(questions, key=lambda one: len(one.question), default=None)
    summary = analysis.summary or ""
    if len(summary) > max(_SHORTEST, len(longest.question) if longest is not None else 0):
        return analysis.model_copy(update={"summary": summary[: len(summary) // 2]})
    if longest is None:
        return analysis.model_copy(
            update={"summary": None, "needs_human_reason": None, "changed": []}
        )
    if len(longest.question) <= _SHORTEST:
        return analysis.model_copy(update={"pending_info": questions[:-1]})
    half = longest.question[: len(longest.question) // 2]
    shorter = [
        one.model_copy(update={"question": half}) if one is longest else one for one in questions
    ]
    return analysis.model_copy(update={"pending_info": shorter})


def _size(analysis: AiAnalysis) -> int:
    values = plain(analysis.model_dump(exclude_none=True))
    return len(json.dumps(values, ensure_ascii=False).encode())
