"""Ratings of the model's messages by agents, for reports. Customer and model see none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api.access import NotFound, StateConflict, read_again
from conversations.api.agents.annotation_views import RatedView
from conversations.lifecycle import unanswered
from conversations.lifecycle.transitions import ROUNDS
from conversations.store import messages
from conversations.store.annotations import ratings
from conversations.store.annotations.ratings import MOST_OF_MESSAGE
from shared.api.errors import InvalidInput
from shared.inbox.reports.outcomes import RATED_DOWN, RATED_UP
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from conversations.api.inputs import RatingInput
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.api.routing.routes import Request


def rate(
    resources: Resources, opened: OpenConversation, request: Request[RatingInput]
) -> RatedView:
    """
    Rate a message of the model, or take the rating of the caller back. Safe to repeat.

    Raises NotFound, InvalidInput for another message, StateConflict beyond 20 people, Gone and Transient.
    """
    given, by = request.input, request.caller.principal
    for _ in range(ROUNDS):
        message = _message(resources, opened, given.entry_id)
        if given.rating is not None and by not in message.ratings:
            _check_room(message)
        rating, of_one = _rating_of(given), (opened.ref, opened.state, message)
        is_bad = given.rating == "down"
        notes = unanswered.to_rate(resources, opened, message) if is_bad else []
        if ratings.change(resources.log, *of_one, by=by, rating=rating, notes=notes):
            return RatedView(ref=opened.ref, entry_id=given.entry_id, rating=given.rating)
        opened = read_again(resources, opened)
    raise Transient("state_contended")


def _message(resources: Resources, opened: OpenConversation, entry_id: str) -> Message:
    message = messages.find(resources.log, opened.ref, entry_id)
    if message is None:
        raise NotFound("entry_id: message not found")
    if message.author != "ai":
        raise InvalidInput([{"field": "entry_id", "problem": "must be a message of the model"}])
    return message


def _check_room(message: Message) -> None:
    if len(message.ratings) >= MOST_OF_MESSAGE:
        raise StateConflict(f"entry_id: {MOST_OF_MESSAGE} people have rated the message")


def _rating_of(given: RatingInput) -> str | None:
    if given.rating is None:
        return None
    return RATED_UP if given.rating == "up" else f"{RATED_DOWN}:{given.reason}"
