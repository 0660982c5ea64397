"""Reactions, edits and revocations, and messages that the provider cannot deliver."""

from events.whatsapp.cast import ADA, JUERGEN, PRIYA, TOMAS
from events.whatsapp.payloads import content, text
from events.whatsapp.story import CHANGED, Sample, Story

TYPE_UNKNOWN = {
    "code": 131051,
    "title": "Message type unknown",
    "message": "Message type unknown",
    "error_data": {"details": "This type of message is not supported."},
}


def edits_and_reactions(story: Story) -> list[Sample]:
    """Changes to stored messages, and messages without readable content."""
    answer = story.outbound_id(ADA, "echo")
    return [
        story.customer_message(
            "reaction",
            "A reaction to the shop's answer.",
            ADA,
            590,
            content("reaction", {"message_id": answer, "emoji": "👍"}),
            expects=CHANGED,
        ),
        story.customer_message(
            "reaction_removed",
            "The reaction is removed (empty `emoji`).",
            ADA,
            591,
            content("reaction", {"message_id": answer, "emoji": ""}),
            expects=CHANGED,
        ),
        story.customer_message(
            "edit",
            "A customer corrects a text (`edit`).",
            TOMAS,
            595,
            content(
                "edit",
                {
                    "original_message_id": story.inbound_id(TOMAS, "product_question"),
                    "message": text("Does this one fit a 26 inch wheel?"),
                },
            ),
            expects=CHANGED,
        ),
        story.customer_message(
            "revoke",
            "A customer deletes a text for everyone (`revoke`).",
            TOMAS,
            596,
            content("revoke", {"original_message_id": story.inbound_id(TOMAS, "forwarded")}),
            expects=CHANGED,
        ),
        story.customer_message(
            "unsupported",
            "A poll, whose content the provider does not send (`unsupported`).",
            JUERGEN,
            598,
            content("unsupported", {"type": "poll_creation"}),
            errors=[TYPE_UNKNOWN],
        ),
        story.customer_message(
            "unknown_type",
            "An unknown message type; it is stored as received.",
            PRIYA,
            599,
            content("ride_invitation", {"title": "Sunday ride", "starts": "Mill Lane"}),
        ),
    ]
