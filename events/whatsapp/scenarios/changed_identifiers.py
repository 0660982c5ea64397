"""Customers change their number, or share it later: they keep one conversation."""

from events.whatsapp import payloads
from events.whatsapp.payloads import content, text
from events.whatsapp.sample_builder import STORED, Sample, SampleBuilder
from events.whatsapp.sample_data import COUNTER, ROBIN, ROBIN_HIDDEN, TOMAS, TOMAS_NEW_NUMBER


def changed_identifiers(builder: SampleBuilder) -> list[Sample]:
    """A changed number, then a customer with only a user id and later with both ids."""
    notice = content(
        "system",
        {
            "body": f"User {TOMAS.name} changed from {TOMAS.wa_id} to {TOMAS_NEW_NUMBER.wa_id}",
            "wa_id": TOMAS_NEW_NUMBER.wa_id,
            "type": "user_changed_number",
        },
    )
    changed = payloads.message(
        TOMAS, builder.inbound_id(TOMAS, "system_changed_number"), builder.at(610), notice
    )
    return [
        builder.post(
            "system_changed_number",
            "The provider reports that a customer has a new number (no `contacts`).",
            610,
            payloads.messages_change(COUNTER, [changed], []),
            expects=STORED,
        ),
        builder.customer_message(
            "text_new_number",
            "The same customer writes from the new number: same conversation.",
            TOMAS_NEW_NUMBER,
            612,
            text("New phone, same old bike. When can I come?"),
        ),
        builder.customer_message(
            "user_id_only",
            "A customer who hides the phone number: a business-scoped user id and no `wa_id`.",
            ROBIN_HIDDEN,
            620,
            text("Hi! Do you also repair tandems?"),
        ),
        builder.customer_message(
            "user_id_and_phone",
            "The same customer, now with both ids: same conversation.",
            ROBIN,
            626,
            text("You may call me, here is my number."),
        ),
    ]
