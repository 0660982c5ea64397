"""Customers react, correct, take back, and send what the provider cannot pass on."""

from events.whatsapp.cast import ADA, JUERGEN, PRIYA, TOMAS
from events.whatsapp.payloads import content, text
from events.whatsapp.story import CHANGED, Sample, Story

TYPE_UNKNOWN = {
    "code": 131051,
    "title": "Message type unknown",
    "message": "Message type unknown",
    "error_data": {"details": "This type of message is not supported."},
}


def second_thoughts(story: Story) -> list[Sample]:
    """Changes to messages that are there, and messages without readable content."""
    answer = story.outbound_id(ADA, "echo")
    return [
        story.says(
            "reaction",
            "A thumb for the shop's answer.",
            ADA,
            590,
            content("reaction", {"message_id": answer, "emoji": "👍"}),
            expects=CHANGED,
        ),
        story.says(
            "reaction_removed",
            "The thumb is taken back (empty `emoji`).",
            ADA,
            591,
            content("reaction", {"message_id": answer, "emoji": ""}),
            expects=CHANGED,
        ),
        story.says(
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
        story.says(
            "revoke",
            "A customer deletes a text for everyone (`revoke`).",
            TOMAS,
            596,
            content("revoke", {"original_message_id": story.inbound_id(TOMAS, "forwarded")}),
            expects=CHANGED,
        ),
        story.says(
            "unsupported",
            "A poll, which the provider does not pass on (`unsupported`).",
            JUERGEN,
            598,
            content("unsupported", {"type": "poll_creation"}),
            errors=[TYPE_UNKNOWN],
        ),
        story.says(
            "unknown_type",
            "A message type that nobody here has heard of yet; it is kept raw.",
            PRIYA,
            599,
            content("ride_invitation", {"title": "Sunday ride", "starts": "Mill Lane"}),
        ),
    ]
