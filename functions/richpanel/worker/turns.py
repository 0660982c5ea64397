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
from richpanel.inbound.event import (
    RichpanelEvent,
    event_id_of_message,
    event_id_of_text,
    id_or_hash,
    plain,
)
from richpanel.store.items import Event, EventStatus
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

MOST_COMMENTS = 10  # of a turn that are read; older ones are handled with them unread
MOST_OTHER_COMMENTS = 30  # other messages that are checked for topics reserved for agents
# A message may become visible after a newer one was handled. Older ones count as history.
LATE_WITHIN_MS = 15 * 60 * clock.SECOND_MS

# Position of a comment: (created_at in ms, id). The head of a conversation only moves forward in this order.
type Position = tuple[int, str]


@dataclass(frozen=True, slots=True)
class CustomerComment:
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
    def position(self) -> Position:
        """The position among the ticket's comments."""
        return self.at_ms, self.message_id or self.name


@dataclass(frozen=True, slots=True)
class CustomerTurn:
    """
    A turn: *target* is decided on and gives the key, *earlier* is handled with it, *other_comments* are the customer's
    other unhandled messages.
    """

    target: CustomerComment
    earlier: tuple[CustomerComment, ...] = ()
    route_only: RouteOnly | None = None
    other_comments: tuple[CustomerComment, ...] = ()

    @property
    def comments(self) -> tuple[CustomerComment, ...]:
        """The comments that are read, oldest first."""
        return (*self.earlier[1 - MOST_COMMENTS :], self.target)


@dataclass(frozen=True, slots=True)
class Reading:
    """
    A ticket's comments by kind, oldest first. *has_author_kinds*: the help desk marks each as a customer's or an
    operator's.

    *agent_positions* and *automation_positions* are the positions of operators' comments: by human agents, and by
    automations.
    """

    customer: tuple[CustomerComment, ...]
    newest: Newest
    agent_positions: tuple[Position, ...]
    automation_positions: tuple[Position, ...]
    has_author_kinds: bool

    @property
    def last_person_at_ms(self) -> int | None:
        """Time of the newest comment by a human agent, ms since 1970."""
        return self.agent_positions[-1][0] if self.agent_positions else None

    def has_automatic_reply(self, before: Position) -> bool:
        """Whether an automation wrote before this position, so that our own reply to the message does not count."""
        return any(position < before for position in self.automation_positions)


def read(conversation_id: str, ticket: Ticket, automation_authors: Collection[str]) -> Reading:
    """
    Sort a ticket's comments by kind. *automation_authors* are the ids of authors that are not human: ours, and the
    shop's.
    """
    comments = ticket.in_order
    operators = [comment for comment in comments if comment.is_operator]
    last = comments[-1] if comments else None
    newest = Newest.CUSTOMER
    if last is not None and last.is_operator:
        newest = Newest.AUTOMATION if last.author_id in automation_authors else Newest.PERSON
    return Reading(
        customer=tuple(
            _customer_comment(conversation_id, c) for c in comments if not c.is_operator
        ),
        newest=newest,
        agent_positions=tuple(
            _position(c) for c in operators if c.author_id not in automation_authors
        ),
        automation_positions=tuple(
            _position(c) for c in operators if c.author_id in automation_authors
        ),
        has_author_kinds=all(comment.is_operator is not None for comment in comments),
    )


def queued(event: RichpanelEvent, conversation_id: str) -> CustomerComment | None:
    """Return the comment that the event carries, for an unreadable ticket; None if it has neither an id nor words."""
    moment = event.created_at if event.created_at is not None else event.received_at
    key = event.event_id or event_id_of_text(conversation_id, event.text, moment)
    if key is None:
        return None
    files = tuple(f"queued-{number}" for number in range(event.attachments))
    name = key.removeprefix(f"evt:rp:{conversation_id}:")
    return CustomerComment(key, name, event.message_id, moment, event.text, files)


def due(
    reading: Reading,
    named: str | None,
    head: Position | None,
    rows: Mapping[str, Event],
) -> list[CustomerTurn]:
    """
    Return the turns to handle now, oldest first; an empty list if all is done.

    *named* is the event id of the message that the webhook call named, *rows* the event rows of the ticket's comments.
    Unfinished events (status `processing`) are rolled forward first, each as its own turn. A message older than the
    head is late: it gets no reply, and without an event row it is handled only if it was named, or is just older than
    the head and no agent has written since.
    """
    fresh = [comment for comment in reading.customer if comment.key not in rows]
    begun = [comment for comment in reading.customer if _is_begun(rows.get(comment.key))]
    # A turn that died may have moved the head already: its own messages are not late.
    unfinished = [comment for comment in begun if comment.position == head]
    joining = [
        comment for target in unfinished for comment in _unanswered_before(reading, fresh, target)
    ]
    late = [comment for comment in fresh if _is_late(comment, head) and comment not in joining]
    waiting = [comment for comment in fresh if comment not in late]
    turns = [
        CustomerTurn(comment, route_only=RouteOnly.LATE_MESSAGE)
        for comment in late
        if comment.key == named or _is_missed(comment, head, reading)
    ]
    # Older messages join an unfinished turn, as they would have without the crash.
    newest = [
        comment
        for comment in waiting[-1:]
        if all(comment.position > begun_comment.position for begun_comment in begun)
    ]
    for target in [*begun, *newest]:
        before = [comment for comment in waiting if comment.position < target.position]
        waiting = [comment for comment in waiting if comment not in before]
        earlier = sorted(
            [*_unanswered_before(reading, before, target), *covered(reading, rows, target)],
            key=lambda comment: comment.position,
        )
        route_only = RouteOnly.LATE_MESSAGE if _is_late(target, head) else _route_only(reading)
        turns.append(CustomerTurn(target, tuple(earlier), route_only))
    return [replace(turn, other_comments=_other_comments(turn, fresh)) for turn in turns]


def canonical(conversation_id: str, comment: CustomerComment) -> dict[str, object]:
    """Return a message's content for its payload hash: not the turn's, which grows if others become visible late."""
    return {
        "conv": conversation_id,
        "message": comment.message_id or comment.name,
        # The words only: the help desk signs the URLs of pictures anew at every read.
        "text": plain(comment.text),
        "attachments": sorted(comment.attachment_ids),
    }


def _is_late(comment: CustomerComment, head: Position | None) -> bool:
    return head is not None and comment.position < head


def _is_missed(comment: CustomerComment, head: Position | None, reading: Reading) -> bool:
    """Whether a late message is recent and unanswered, not part of the history from before Parley."""
    # A message without a readable time may be recent.
    is_recent = head is not None and (
        not comment.at_ms or head[0] - comment.at_ms <= LATE_WITHIN_MS
    )
    return is_recent and not any(
        position > comment.position for position in reading.agent_positions
    )


def _unanswered_before(
    reading: Reading, candidates: list[CustomerComment], target: CustomerComment
) -> list[CustomerComment]:
    """Return the messages before the target that no agent answered before it; automatic replies do not count."""
    last = max(
        (position for position in reading.agent_positions if position < target.position),
        default=None,
    )
    return [
        comment
        for comment in candidates
        if comment.position < target.position and (last is None or comment.position > last)
    ]


def covered(
    reading: Reading, rows: Mapping[str, Event], target: CustomerComment
) -> list[CustomerComment]:
    """Return the messages that an earlier run of the target's event covered before it died."""
    comments_with_rows = [(comment, rows.get(comment.key)) for comment in reading.customer]
    return [comment for comment, row in comments_with_rows if row and row.covered_by == target.key]


def _other_comments(
    turn: CustomerTurn, fresh: list[CustomerComment]
) -> tuple[CustomerComment, ...]:
    """Return other unhandled messages of the customer: a threat in one of them counts, in any order of handling."""
    return tuple(comment for comment in fresh if comment not in turn.comments)[
        -MOST_OTHER_COMMENTS:
    ]


def _route_only(reading: Reading) -> RouteOnly | None:
    return None if reading.has_author_kinds else RouteOnly.OPERATOR_FLAG_MISSING


def _is_begun(row: Event | None) -> bool:
    return row is not None and row.status == EventStatus.PROCESSING


def _position(comment: Comment) -> Position:
    return comment.created_at or 0, comment.id or ""


def _customer_comment(conversation_id: str, comment: Comment) -> CustomerComment:
    at_ms = comment.created_at or 0
    files = tuple(file.id or "" for file in comment.attachments)
    if comment.id:
        key, name = event_id_of_message(conversation_id, comment.id), id_or_hash(comment.id)
        return CustomerComment(key, name, comment.id, at_ms, comment.text, files)
    # A file without words or id: identified by its time and its attachment ids.
    of_file = event_id_of_message(conversation_id, digest("file", str(at_ms), *files))
    key = event_id_of_text(conversation_id, comment.text, at_ms) or of_file
    return CustomerComment(key, key.rpartition(":")[2], None, at_ms, comment.text, files)
