"""Reactions, edits and revocations, and messages that the provider cannot deliver."""

from events.whatsapp.payloads import content, text
from events.whatsapp.sample_builder import CHANGED, Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, JUERGEN, PRIYA, TOMAS

TYPE_UNKNOWN = {
    "code": 131051,
    "title": "Message type unknown",
    "message": "Message type unknown",
    "error_data": {"details": "This type of message is not supported."},
}


def edits_and_reactions(builder: SampleBuilder) -> list[Sample]:
    """Changes to stored messages, and messages without readable content."""
    answer = builder.outbound_id(ADA, "echo")
    return [
        builder.customer_message(
            "reaction",
            "A reaction to the shop's answer.",
            ADA,
            590,
            content("reaction", {"message_id": answer, "emoji": "👍"}),
            expects=CHANGED,
        ),
        builder.customer_message(
            "reaction_removed",
            "The reaction is removed (empty `emoji`).",
            ADA,
            591,
            content("reaction", {"message_id": answer, "emoji": ""}),
            expects=CHANGED,
        ),
        builder.customer_message(
            "edit",
            "A customer corrects a text (`edit`).",
            TOMAS,
            595,
            content(
                "edit",
                {
                    "original_message_id": builder.inbound_id(TOMAS, "product_question"),
                    "message": text("Does this one fit a 26 inch wheel?"),
                },
            ),
            expects=CHANGED,
        ),
        builder.customer_message(
            "revoke",
            "A customer deletes a text for everyone (`revoke`).",
            TOMAS,
            596,
            content("revoke", {"original_message_id": builder.inbound_id(TOMAS, "forwarded")}),
            expects=CHANGED,
        ),
        builder.customer_message(
            "unsupported",
            "A poll, whose content the provider does not send (`unsupported`).",
            JUERGEN,
            598,
            content("unsupported", {"type": "poll_creation"}),
            errors=[TYPE_UNKNOWN],
        ),
        builder.customer_message(
            "unknown_type",
            "An unknown message type; it is stored as received.",
            PRIYA,
            599,
            content("ride_invitation", {"title": "Sunday ride", "starts": "Mill Lane"}),
        ),
    ]
