"""
Groups a ticket's comments into turns: which customer comments to handle, which ones together, and in what order.

An event of the queue only reports a change. The work is derived from the ticket: the newest unhandled customer comment,
with the earlier ones that no agent answered, is one turn. So a burst of messages is answered once, and a call that is
repeated, late or without any id leads to the same turn.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from richpanel.clients.tickets import Comment, Ticket
from richpanel.decisions.facts import Newest, RouteOnly
from richpanel.event import (
    RichpanelEvent,
    event_id_of_message,
    event_id_of_text,
    id_or_hash,
    plain,
)
from richpanel.store.items import Event, EventStatus
from shared import clock
from shared.aws.sqs_fifo import digest

MOST_COMMENTS = 10  # of a turn that are read; older ones are handled with them unread
MOST_ASIDE = 30  # other messages that are checked for topics reserved for agents
# A message may become visible after a newer one was handled. Older ones count as history.
LATE_WITHIN_MS = 15 * 60 * clock.SECOND_MS

# Position of a comment: (created_at in ms, id). The head of a conversation only moves forward in this order.
type Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Said:
    """
    One customer comment, from the ticket or from the event. *key* is its event's id, *name* the last part of that.

    *message_id* is the help desk's id, None if the comment has none.
    """

    key: str
    name: str
    message_id: str | None
    at_ms: int
    text: str
    attachment_ids: tuple[str, ...]

    @property
    def place(self) -> Place:
        """The position among the ticket's comments."""
        return self.at_ms, self.message_id or self.name


@dataclass(frozen=True, slots=True)
class Talk:
    """A turn: *target* is decided on and gives the key, *earlier* is handled with it, *aside* holds other messages."""

    target: Said
    earlier: tuple[Said, ...] = ()
    route_only: RouteOnly | None = None
    aside: tuple[Said, ...] = ()

    @property
    def said(self) -> tuple[Said, ...]:
        """The comments that are read, oldest first."""
        return (*self.earlier[1 - MOST_COMMENTS :], self.target)


@dataclass(frozen=True, slots=True)
class Reading:
    """
    A ticket's comments by kind, oldest first. *says_who*: the help desk marks each as a customer's or an operator's.

    *people* and *robots* are the places of operators' comments: by human agents, and by automations.
    """

    customer: tuple[Said, ...]
    newest: Newest
    people: tuple[Place, ...]
    robots: tuple[Place, ...]
    says_who: bool

    @property
    def last_person_at_ms(self) -> int | None:
        """Time of the newest comment by a human agent, ms since 1970."""
        return self.people[-1][0] if self.people else None

    def has_automatic_reply(self, before: Place) -> bool:
        """Whether an automation wrote before this place, so that our own reply to the message there does not count."""
        return any(place < before for place in self.robots)


def read(conversation_id: str, ticket: Ticket, robots: Collection[str]) -> Reading:
    """Sort a ticket's comments by kind. *robots* are the ids of authors that are not human: ours, and the shop's."""
    comments = ticket.in_order
    operators = [comment for comment in comments if comment.is_operator]
    last = comments[-1] if comments else None
    newest = Newest.CUSTOMER
    if last is not None and last.is_operator:
        newest = Newest.AUTOMATION if last.author_id in robots else Newest.PERSON
    return Reading(
        customer=tuple(_said(conversation_id, c) for c in comments if not c.is_operator),
        newest=newest,
        people=tuple(_place(c) for c in operators if c.author_id not in robots),
        robots=tuple(_place(c) for c in operators if c.author_id in robots),
        says_who=all(comment.is_operator is not None for comment in comments),
    )


def queued(event: RichpanelEvent, conversation_id: str) -> Said | None:
    """Return the comment that the event carries, for an unreadable ticket; None if it has neither an id nor words."""
    moment = event.created_at if event.created_at is not None else event.received_at
    key = event.event_id or event_id_of_text(conversation_id, event.text, moment)
    if key is None:
        return None
    files = tuple(f"queued-{number}" for number in range(event.attachments))
    name = key.removeprefix(f"evt:rp:{conversation_id}:")
    return Said(key, name, event.message_id, moment, event.text, files)


def due(
    reading: Reading,
    named: str | None,
    head: Place | None,
    rows: Mapping[str, Event],
) -> list[Talk]:
    """
    Return the turns to handle now, oldest first; an empty list if all is done.

    *named* is the event id of the message that the call named, *rows* the event rows of the ticket's comments.
    Unfinished events (status `processing`) are rolled forward first, each as its own turn. A message older than the
    head is late: it gets no reply, and without an event row it is handled only if it was named, or is just older than
    the head and no agent has written since.
    """
    fresh = [said for said in reading.customer if said.key not in rows]
    begun = [said for said in reading.customer if _is_begun(rows.get(said.key))]
    # A turn that died may have moved the head already: its own messages are not late.
    unfinished = [said for said in begun if said.place == head]
    along = [said for target in unfinished for said in _asked(reading, fresh, target)]
    late = [said for said in fresh if _is_late(said, head) and said not in along]
    waiting = [said for said in fresh if said not in late]
    turns = [
        Talk(said, route_only=RouteOnly.LATE_MESSAGE)
        for said in late
        if said.key == named or _is_missed(said, head, reading)
    ]
    # Older messages join an unfinished turn, as they would have without the crash.
    newest = [said for said in waiting[-1:] if all(said.place > other.place for other in begun)]
    for target in [*begun, *newest]:
        before = [said for said in waiting if said.place < target.place]
        waiting = [said for said in waiting if said not in before]
        earlier = sorted(
            [*_asked(reading, before, target), *_covered(reading, rows, target)],
            key=lambda said: said.place,
        )
        route_only = RouteOnly.LATE_MESSAGE if _is_late(target, head) else _route_only(reading)
        turns.append(Talk(target, tuple(earlier), route_only))
    return [replace(talk, aside=_aside(talk, fresh)) for talk in turns]


def canonical(conversation_id: str, said: Said) -> dict[str, object]:
    """Return a message's content for its payload hash: not the turn's, which grows if others become visible late."""
    return {
        "conv": conversation_id,
        "message": said.message_id or said.name,
        # The words only: the help desk signs the URLs of pictures anew at every read.
        "text": plain(said.text),
        "attachments": sorted(said.attachment_ids),
    }


def _is_late(said: Said, head: Place | None) -> bool:
    return head is not None and said.place < head


def _is_missed(said: Said, head: Place | None, reading: Reading) -> bool:
    """Whether a late message is recent and unanswered, not part of the history from before Parley."""
    # A message without a readable time may be recent.
    is_recent = head is not None and (not said.at_ms or head[0] - said.at_ms <= LATE_WITHIN_MS)
    return is_recent and not any(place > said.place for place in reading.people)


def _asked(reading: Reading, among: list[Said], target: Said) -> list[Said]:
    """Return the messages before the target that no agent answered before it; automatic replies do not count."""
    last = max((place for place in reading.people if place < target.place), default=None)
    return [s for s in among if s.place < target.place and (last is None or s.place > last)]


def _covered(reading: Reading, rows: Mapping[str, Event], target: Said) -> list[Said]:
    """Return the messages that an earlier run of the target's event covered before it died."""
    found = [(said, rows.get(said.key)) for said in reading.customer]
    return [said for said, row in found if row and row.covered_by == target.key]


def _aside(talk: Talk, fresh: list[Said]) -> tuple[Said, ...]:
    """Return other unhandled messages of the customer: a threat in one counts, in whatever order they are handled."""
    return tuple(said for said in fresh if said not in talk.said)[-MOST_ASIDE:]


def _route_only(reading: Reading) -> RouteOnly | None:
    return None if reading.says_who else RouteOnly.OPERATOR_FLAG_MISSING


def _is_begun(row: Event | None) -> bool:
    return row is not None and row.status == EventStatus.PROCESSING


def _place(comment: Comment) -> Place:
    return comment.created_at or 0, comment.id or ""


def _said(conversation_id: str, comment: Comment) -> Said:
    at_ms = comment.created_at or 0
    files = tuple(file.id or "" for file in comment.attachments)
    if comment.id:
        key, name = event_id_of_message(conversation_id, comment.id), id_or_hash(comment.id)
        return Said(key, name, comment.id, at_ms, comment.text, files)
    # A file without words or id: identified by its time and its attachment ids.
    of_file = event_id_of_message(conversation_id, digest("file", str(at_ms), *files))
    key = event_id_of_text(conversation_id, comment.text, at_ms) or of_file
    return Said(key, key.rpartition(":")[2], None, at_ms, comment.text, files)
