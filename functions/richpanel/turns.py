"""
A ticket read as turns: which comments of the customer are to be handled, together with which, and in what order.

The queue's event only says that something happened. What is to be done is read off the ticket: the newest comment of
the customer that is not handled yet, with those before it that nobody answered, is one turn. So a burst of messages is
answered once, and a call that is repeated, late or without any id ends in the same turn.
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

MOST_COMMENTS = 10  # of a turn that are read; what is older is handled along with them
MOST_ASIDE = 30  # other messages that are looked through for what only people may handle
# A message may become visible after a newer one was handled. What is older than this against it is history.
LATE_WITHIN_MS = 15 * 60 * clock.SECOND_MS

# Position of a comment: (created_at in ms, id). The head of a conversation only moves forward in it.
type Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Said:
    """
    One comment of the customer, or what the queue brought in its place. *key* is its event's id, *name* the last part.

    *message_id* is the help desk's, None where the comment has none.
    """

    key: str
    name: str
    message_id: str | None
    at_ms: int
    text: str
    attachment_ids: tuple[str, ...]

    @property
    def place(self) -> Place:
        """Where it stands among the others."""
        return self.at_ms, self.message_id or self.name


@dataclass(frozen=True, slots=True)
class Talk:
    """A turn: *target* is what is decided on and keyed by, *earlier* what is handled with it, *aside* the rest."""

    target: Said
    earlier: tuple[Said, ...] = ()
    route_only: RouteOnly | None = None
    aside: tuple[Said, ...] = ()

    @property
    def said(self) -> tuple[Said, ...]:
        """What is read of it, oldest first."""
        return (*self.earlier[1 - MOST_COMMENTS :], self.target)


@dataclass(frozen=True, slots=True)
class Reading:
    """
    A ticket's comments, sorted out, oldest first. *says_who*: the help desk tells customers and operators apart.

    *people* and *robots* are the places of operators' comments, those of machines apart.
    """

    customer: tuple[Said, ...]
    newest: Newest
    people: tuple[Place, ...]
    robots: tuple[Place, ...]
    says_who: bool

    @property
    def last_person_at_ms(self) -> int | None:
        """When a person wrote last, ms since 1970."""
        return self.people[-1][0] if self.people else None

    def has_automatic_reply(self, before: Place) -> bool:
        """Whether a machine wrote before this place: our own reply to the message there does not count."""
        return any(place < before for place in self.robots)


def read(conversation_id: str, ticket: Ticket, robots: Collection[str]) -> Reading:
    """Sort the comments of a ticket. *robots* are the authors who are no people: ours, and the shop's automations."""
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
    """What the queue brought, for a ticket that cannot be read; None where it brought neither id nor words."""
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
    The turns that are to be handled now, oldest first: none where all is done.

    *named* is the event's id of a message that the call named. *rows* are the events known of the ticket's comments. An
    event that somebody began is rolled forward first, by itself. What is older than the head is late: it gets no reply,
    and what was never begun of it is handled only if it was named, or came just before the head and no person wrote
    since.
    """
    fresh = [said for said in reading.customer if said.key not in rows]
    begun = [said for said in reading.customer if _is_begun(rows.get(said.key))]
    # A turn that died may have moved the head already: what belongs to it is not late.
    unfinished = [said for said in begun if said.place == head]
    along = [said for target in unfinished for said in _asked(reading, fresh, target)]
    late = [said for said in fresh if _is_late(said, head) and said not in along]
    waiting = [said for said in fresh if said not in late]
    turns = [
        Talk(said, route_only=RouteOnly.LATE_MESSAGE)
        for said in late
        if said.key == named or _is_missed(said, head, reading)
    ]
    # What is older than something begun comes along with that, as it would have without the accident.
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
    """What a message is, as its payload hash sees it: not the turn, which grows when others become visible late."""
    return {
        "conv": conversation_id,
        "message": said.message_id or said.name,
        # Its words: the help desk signs the addresses of pictures anew at every read.
        "text": plain(said.text),
        "attachments": sorted(said.attachment_ids),
    }


def _is_late(said: Said, head: Place | None) -> bool:
    return head is not None and said.place < head


def _is_missed(said: Said, head: Place | None, reading: Reading) -> bool:
    """Whether a late message is none of the history that was there before us: nobody has seen it yet."""
    # What has no time that can be read may be from just now.
    is_recent = head is not None and (not said.at_ms or head[0] - said.at_ms <= LATE_WITHIN_MS)
    return is_recent and not any(place > said.place for place in reading.people)


def _asked(reading: Reading, among: list[Said], target: Said) -> list[Said]:
    """Those before the target that no person answered before it; an acknowledgement of a machine answers nothing."""
    last = max((place for place in reading.people if place < target.place), default=None)
    return [s for s in among if s.place < target.place and (last is None or s.place > last)]


def _covered(reading: Reading, rows: Mapping[str, Event], target: Said) -> list[Said]:
    """Those that an earlier run of the target's event handled along with it, before it died."""
    found = [(said, rows.get(said.key)) for said in reading.customer]
    return [said for said, row in found if row and row.covered_by == target.key]


def _aside(talk: Talk, fresh: list[Said]) -> tuple[Said, ...]:
    """What the customer wrote besides, that nobody handled: a threat in it counts, whoever is handled first."""
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
    # A file without words or id: its time is all that tells it from another.
    of_file = event_id_of_message(conversation_id, digest("file", str(at_ms), *files))
    key = event_id_of_text(conversation_id, comment.text, at_ms) or of_file
    return Said(key, key.rpartition(":")[2], None, at_ms, comment.text, files)
