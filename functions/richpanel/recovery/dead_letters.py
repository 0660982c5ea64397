"""
Dead letters of both lanes, put back where they come from.

First the queue, then the letter is taken away: where we die between the two it is in both, and is handled once, as
whatever comes twice.
"""

from collections.abc import Callable
from dataclasses import dataclass

from richpanel.api.access import Instruction, Office, leave_trace
from richpanel.channels import Channel
from richpanel.event import parse_event
from shared.aws.dead_letters import Letter
from shared.aws.sqs_fifo import Entry, digest
from shared.failures import Permanent


@dataclass(frozen=True, slots=True)
class Redriven:
    """One letter. *conversation_id* is None where its text is no event: the worker parks it."""

    id: str
    conversation_id: str | None


def redrive(
    office: Office,
    given: Instruction,
    *,
    limit: int,
    tell: Callable[[Redriven], None],
    is_over: Callable[[], bool],
) -> None:
    """
    Put up to *limit* letters back, oldest first, each with a trace of who did. *tell* is told of each at once; stops
    when *is_over*.

    Raises NotEnqueued; what was not put back by then stays.
    """
    with office.dead_letters.opened() as held:
        for letter in held.each(limit):
            redriven = _redrive(office, given, letter)
            held.remove(letter)
            tell(redriven)
            if is_over():
                return


def _redrive(office: Office, given: Instruction, letter: Letter) -> Redriven:
    try:
        event = parse_event(letter.body)
    except Permanent:
        event = None
    lane = office.lanes.of(event.channel if event else Channel.UNKNOWN)
    redriven = Redriven(letter.id, event.conversation_id if event else None)
    facts = {"change": "redrive", "letter": letter.id, "conversation": redriven.conversation_id}
    leave_trace(office, given, f"redrive:{letter.id}", facts)
    # The letter's id makes it another message than the one that died: the queue drops what it has seen within five
    # minutes. Put back twice it is the same.
    lane.send([Entry(letter.body, letter.group, digest("redrive", letter.id))])
    return redriven
