"""
Dead letters: lists them with their recorded reasons, and redrives them.

A redrive queues the event first and then deletes the letter: after a crash in between it is in both places, and is
processed once like any duplicate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.events.recovery.port import COMMAND_LINE, NotReplayable
from shared.events.recovery.views import DeadLetters, Redriven

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from shared.aws.dead_letters import Letter
    from shared.events.recovery.port import DeadLetterQueue

# Most letters examined when searching for letters by their ids.
MOST_LOOKED_AT = 1_000


def listed(queues: Sequence[DeadLetterQueue], *, limit: int) -> DeadLetters:
    """Return up to *limit* letters (100 at most) of each queue, without deleting any."""
    shown = []
    for queue in queues:
        with queue.letters.opened() as held:
            shown += queue.views(list(held.each(limit)))
    return DeadLetters(letters=shown, waiting=waiting(queues))


def waiting(queues: Sequence[DeadLetterQueue]) -> dict[str, int]:
    """Return the approximate number of letters in each queue."""
    return {queue.name: queue.letters.count() for queue in queues}


def redrive(
    queues: Sequence[DeadLetterQueue],
    *,
    ids: Collection[str] | None,
    limit: int,
    report: Callable[[Redriven], None],
    is_over: Callable[[], bool] = lambda: False,
    by: str = COMMAND_LINE,
) -> None:
    """
    Redrive the letters with these ids, or with None up to *limit* letters, to their source.

    *report* is called immediately for each. A letter that cannot be redriven stays, reported as refused. Stops when
    *is_over*, after one letter at the earliest; after an exception from *report* or *is_over* the remaining letters
    stay in the queue. *by* is the authenticated caller.

    Raises NotEnqueued; letters not redriven by then stay.
    """
    remaining = limit if ids is None else len(ids)
    for queue in queues:
        with queue.letters.opened() as held:
            for letter in held.each(MOST_LOOKED_AT) if remaining else ():
                if ids is not None and letter.id not in ids:
                    continue
                redriven = _redrive(queue, letter, by)
                if redriven.refused is None:
                    held.remove(letter)
                # Refused letters stay: without ids they must not use up the limit of every call.
                remaining -= ids is not None or redriven.refused is None
                report(redriven)
                if is_over():
                    return
                if not remaining:
                    break


def _redrive(queue: DeadLetterQueue, letter: Letter, by: str) -> Redriven:
    # The letter's id makes the deduplication id differ from the failed message's: the queue drops ids seen within five
    # minutes. Redriving the same letter twice uses the same id.
    try:
        return queue.send_again(letter, digest("redrive", letter.id), by)
    except NotReplayable as refusal:
        return Redriven(id=letter.id, queue=queue.name, refused=refusal.why)
