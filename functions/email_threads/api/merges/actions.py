"""Queues merges and splits of threads, and the undo of a merge. A split is undone by a merge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.api import changes, views
from email_threads.api.changes import InvalidTransition, cause_of
from email_threads.api.queries import head_of, own_head_of
from email_threads.inbound.events import EmailMerge, EmailSeparate, entry
from email_threads.store import threads
from email_threads.threading.links.separation import MOST_MAILS, moved_away
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest

if TYPE_CHECKING:
    from email_threads.api.inputs import MergeInput, SplitInput
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Thread
    from shared.api.models.inputs import NoInput
    from shared.api.routing.routes import Request

MOST_MERGED: Final = 500  # mails; a merge must end within the time of a worker
MOST_SEPARATED: Final = 2_500  # mails of a thread whose head is derived again
_ID_DIGITS: Final = 16
_READ: Final = MOST_MAILS + 1  # mails: one more than those that move


def merge(deps: ApiDependencies, thread: Thread, request: Request[MergeInput]) -> views.Merging:
    """Queue the merge of a thread into another one of the company. Raises NotFound, InvalidInput and NotEnqueued."""
    into = head_of(deps.table, thread.company_id, request.input.into)
    if into.conversation_id == thread.conversation_id:
        raise _invalid("into", "must be another thread")
    if thread.email_count > MOST_MERGED:
        raise _invalid("body", f"the thread has more than {MOST_MERGED} mails")
    if thread.email_count + into.email_count > MOST_SEPARATED:  # It could not be undone.
        raise _invalid("into", f"the threads have more than {MOST_SEPARATED} mails together")
    changes.record(
        deps.table,
        thread,
        request,
        lambda present: {"kept_apart": present.kept_apart - {into.conversation_id}},
        f"merge into {into.conversation_id}",
    )
    event = EmailMerge(
        loser=thread.conversation_id, winner=into.conversation_id, cause=cause_of(request)
    )
    deps.queue.send([entry(event)])
    return views.Merging(conversation_id=thread.conversation_id, into=into.conversation_id)


def unmerge(deps: ApiDependencies, thread: Thread, request: Request[NoInput]) -> views.Separating:
    """
    Queue the undo of a merge: *thread* is the one that became part of another. Idempotent.

    Raises NotFound, InvalidTransition if it is part of none or of one that was merged itself, or if mails of it were
    moved since, and NotEnqueued.
    """
    winner_id = thread.merged_into
    if winner_id is None or thread.split_from == winner_id:
        raise InvalidTransition("conversation_id: no merge of the thread can be undone")
    winner = own_head_of(deps.table, thread.company_id, winner_id)
    if winner.merged_into is not None:
        raise InvalidTransition("conversation_id: a later merge must be undone first")
    _check_length(winner)
    if moved := _moved_away(deps, thread, winner):
        listed = ", ".join(sorted(moved))
        rule = f"mails of the thread are in {listed} since: merge these into {winner_id} first"
        raise InvalidTransition(f"conversation_id: {rule}")
    event = EmailSeparate(
        source=winner_id,
        target=thread.conversation_id,
        actor=request.caller.principal,
        cause=cause_of(request),
        seq=thread.seq,
    )
    deps.queue.send([entry(event)])
    return views.Separating(conversation_id=winner_id, into=thread.conversation_id)


def _moved_away(deps: ApiDependencies, thread: Thread, winner: Thread) -> set[str]:
    """
    Return the threads to which people have moved mails of a merged thread since. An undo without these would leave gaps
    in the thread, and could not be completed later.
    """
    known = {entry.email_id for entry in thread.email_history}
    if len(known) < thread.email_count:
        return moved_away(deps.table, winner, thread.conversation_id)
    places = threads.aliases(deps.table, sorted(known))
    return {place.thread for place in places.values()} - {winner.conversation_id}


def split(deps: ApiDependencies, thread: Thread, request: Request[SplitInput]) -> views.Separating:
    """Queue the move of mails into a new thread. Idempotent. Raises InvalidInput, Transient and NotEnqueued."""
    _check_length(thread)
    cause = cause_of(request)
    target = digest(thread.company_id, thread.conversation_id, "split", cause)[:_ID_DIGITS]
    numbers = sorted(set(request.input.mails))
    if not thread.has_made(cause):
        _check_numbers(deps, thread, numbers)
        changes.record(deps.table, thread, request, lambda _: {}, f"split into {target}")
    event = EmailSeparate(
        source=thread.conversation_id,
        target=target,
        actor=request.caller.principal,
        cause=digest(cause)[:20],
        numbers=numbers,
        subject=request.input.subject,
    )
    deps.queue.send([entry(event)])
    return views.Separating(conversation_id=thread.conversation_id, into=target)


def _check_numbers(deps: ApiDependencies, thread: Thread, numbers: list[int]) -> None:
    """Raise InvalidInput unless the mails exist, and another one stays."""
    name = thread.conversation_id
    is_known = numbers[-1] <= thread.email_count
    if not is_known or len(threads.mails(deps.table, name, numbers)) < len(numbers):
        raise _invalid("mails", "the thread has no such mail")
    # From the newest one on: almost always the first read finds one that stays.
    for last in range(thread.email_count, 0, -_READ):
        others = set(range(max(0, last - _READ) + 1, last + 1)) - set(numbers)
        if threads.mails(deps.table, name, sorted(others)):
            return
    raise _invalid("mails", "at least one mail must stay")


def _check_length(thread: Thread) -> None:
    if thread.email_count > MOST_SEPARATED:
        raise _invalid("body", f"the thread has more than {MOST_SEPARATED} mails")


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
