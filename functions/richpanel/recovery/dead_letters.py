"""
Redrives dead letters of both lanes to their queues.

The letter is sent before it is deleted: after a crash between the two it exists twice and, like any repeated event, is
handled once.
"""

from collections.abc import Callable
from dataclasses import dataclass

from richpanel.api.access import ApiDependencies, Instruction, leave_trace
from richpanel.channels import Channel
from richpanel.inbound.queued_events import parse_event
from shared.aws.dead_letters import Letter
from shared.aws.sqs_fifo import Entry, digest
from shared.failures import Permanent


@dataclass(frozen=True, slots=True)
class Redriven:
    """One redriven letter. *conversation_id* is None if its text is not a valid event: the worker parks it."""

    id: str
    conversation_id: str | None


def redrive(
    deps: ApiDependencies,
    given: Instruction,
    *,
    limit: int,
    tell: Callable[[Redriven], None],
    is_over: Callable[[], bool],
) -> None:
    """
    Redrive up to *limit* letters, oldest first, with an audit row for each. Calls *tell* after each, and stops when
    *is_over* returns True.

    Raises NotEnqueued; letters not redriven by then stay.
    """
    with deps.dead_letters.opened() as held:
        for letter in held.each(limit):
            redriven = _redrive(deps, given, letter)
            held.remove(letter)
            tell(redriven)
            if is_over():
                return


def _redrive(deps: ApiDependencies, given: Instruction, letter: Letter) -> Redriven:
    try:
        event = parse_event(letter.body)
    except Permanent:
        event = None
    lane = deps.lanes.of(event.channel if event else Channel.UNKNOWN)
    redriven = Redriven(letter.id, event.conversation_id if event else None)
    facts = {"change": "redrive", "letter": letter.id, "conversation": redriven.conversation_id}
    leave_trace(deps, given, f"redrive:{letter.id}", facts)
    # The letter's id replaces the original deduplication id, by which the queue could drop it within five minutes. A
    # second redrive of the same letter is deduplicated.
    lane.send([Entry(letter.body, letter.group, digest("redrive", letter.id))])
    return redriven
