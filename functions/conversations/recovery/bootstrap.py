"""Composition root of the recovery of this context, for the admin function and `operations recovery`."""

from conversations.recovery.dead_letters import ConversationsLetters
from conversations.recovery.destinations import Destinations
from conversations.recovery.parked_events import ConversationsParkedEvents, ParkedRecord
from shared.aws.dead_letters import DeadLetters
from shared.aws.s3 import Bucket
from shared.events.recovery.port import Recovery


def recovery_of(
    destinations: Destinations,
    bucket: Bucket,
    dead_letters: DeadLetters,
    media_dead_letters: DeadLetters,
) -> Recovery[ParkedRecord]:
    """Return the parked events and dead letters of the AI conversations."""
    log = destinations.log
    return Recovery(
        context="conversations",
        parked=ConversationsParkedEvents(log, bucket, destinations),
        dead_letters=(
            ConversationsLetters(dead_letters, log, destinations),
            ConversationsLetters(media_dead_letters, log, destinations, "media"),
        ),
    )
