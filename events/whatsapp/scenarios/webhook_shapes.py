"""Webhooks with several messages, repeats, unknown fields, or invalid content."""

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import Json, message, messages_change, text
from events.whatsapp.sample_builder import RECORDED, STORED, Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, STRANGER, TOMAS_NEW_NUMBER, Customer
from events.whatsapp.scenarios.first_contact import HELLO, HELLO_MINUTE

RATE_LIMIT = {
    "code": 130429,
    "title": "Rate limit hit",
    "message": "Rate limit hit",
    "error_data": {"details": "Too many messages from this number in a short time."},
}


def regrouped(builder: SampleBuilder) -> list[Sample]:
    """Several messages in one POST, repeats among new ones, and another encoding."""

    def message_item(customer: Customer, label: str, minute: int, body: Json) -> Json:
        return message(customer, builder.inbound_id(customer, label), builder.at(minute), body)

    both = [
        message_item(ADA, "batch", 640, text("I am a little late.")),
        message_item(JUERGEN, "batch", 640, text("Ist mein Rad fertig?")),
    ]
    third = [message_item(TOMAS_NEW_NUMBER, "batch", 640, text("Is anybody there?"))]
    first_text = message_item(ADA, "text", HELLO_MINUTE, HELLO)
    follow_up = message_item(ADA, "duplicate_regrouped", 645, text("I am at the door now."))
    unescaped = payloads.webhook(
        payloads.entry(
            COUNTER.waba,
            messages_change(
                COUNTER,
                [message_item(JUERGEN, "base64_body", 650, text("Schöne Grüße! 🛠️"))],
                [JUERGEN],
            ),
        )
    )
    return [
        builder.post(
            "batch",
            "Three messages of three customers in two changes of one POST, all in one second.",
            640,
            messages_change(COUNTER, both, [ADA, JUERGEN]),
            messages_change(COUNTER, third, [TOMAS_NEW_NUMBER]),
            expects=Expects(accepted=3, stored=3),
        ),
        builder.post(
            "duplicate_regrouped",
            "The first text again, unchanged, together with a new one.",
            645,
            messages_change(COUNTER, [first_text, follow_up], [ADA]),
            expects=Expects(accepted=2, stored=1, duplicate=1),
        ),
        builder.customer_message(
            "conflict",
            "The id of the first text with a different text: the first remains.",
            ADA,
            HELLO_MINUTE,
            text("These are not the words that came first."),
            message_id=builder.inbound_id(ADA, "text"),
            arrives=648,
            expects=Expects(accepted=1, parked=("conflict",)),
        ),
        Sample(
            "base64_body",
            "A body in base64, UTF-8 without escapes, and the signature header in lower case.",
            gateway.post(
                "base64_body",
                builder.at(650),
                gateway.utf8_bytes(unescaped),
                signature_header="x-hub-signature-256",
                in_base64=True,
            ),
            STORED,
        ),
    ]


def unhandled_changes(builder: SampleBuilder) -> list[Sample]:
    """Changes without a message and without a handler: stored, because no accepted event may be lost."""
    loyalty = [{"id": "loyalty-1", "points": 12}]
    return [
        builder.post(
            "unknown_field",
            "A change of an unknown field.",
            662,
            payloads.change("loyalty_card_update", COUNTER, cards=loyalty),
            expects=RECORDED,
        ),
        builder.post(
            "errors",
            "An error about the number, without a message.",
            664,
            payloads.change("messages", COUNTER, errors=[RATE_LIMIT]),
            expects=RECORDED,
        ),
    ]


def refused_and_parked(builder: SampleBuilder) -> list[Sample]:
    """Webhooks that are refused or parked."""
    malformed = Expects(accepted=1, parked=("malformed",))
    forged = payloads.webhook(
        payloads.entry(
            COUNTER.waba,
            messages_change(
                COUNTER,
                [
                    message(
                        ADA,
                        builder.inbound_id(ADA, "forged_signature"),
                        builder.at(680),
                        text("Please send the money to this account."),
                    )
                ],
                [ADA],
            ),
        )
    )
    return [
        builder.customer_message(
            "unknown_phone",
            "A message to an unregistered number: parked, can be replayed.",
            ADA,
            675,
            text("Is this the right number?"),
            number=STRANGER,
            expects=Expects(accepted=1, parked=("unknown_phone",)),
        ),
        Sample(
            "forged_signature",
            "A message signed with a secret that is not the app's.",
            gateway.post(
                "forged_signature",
                builder.at(680),
                gateway.meta_bytes(forged),
                secret="a guess",  # noqa: S106 - the point of the sample: it is not the secret
            ),
            Expects(status=403, refused=True),
        ),
        Sample(
            "malformed",
            "A signed but truncated body: not JSON.",
            gateway.post("malformed", builder.at(682), gateway.meta_bytes(forged)[:120]),
            malformed,
        ),
        Sample(
            "other_object",
            "Signed JSON of another product (`object` is `page`).",
            gateway.post(
                "other_object",
                builder.at(684),
                gateway.meta_bytes({"object": "page", "entry": [{"id": "1", "changes": []}]}),
            ),
            malformed,
        ),
    ]
