"""Answers of the shop from its own app, and their delivery statuses."""

from events.whatsapp import payloads
from events.whatsapp.payloads import status, text
from events.whatsapp.sample_builder import CHANGED, STORED, Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, PRIYA, TOMAS, Customer

ANSWERS = {
    "echo": "Bring it in before noon, it will be ready at four.",
    "echo_undelivered": "Yes, the spring check runs until Sunday.",
    "echo_reordered": "Thank you, the guarantee still covers the hub.",
}
FREE_REPLY = {
    "billable": False,
    "pricing_model": "PMP",
    "type": "free_customer_service",
    "category": "service",
}
PAID_TEMPLATE = {
    "billable": True,
    "pricing_model": "PMP",
    "type": "regular",
    "category": "utility",
}
UNDELIVERABLE = {
    "code": 131026,
    "title": "Message undeliverable",
    "message": "Message undeliverable",
    "error_data": {"details": "The receiver cannot be reached on WhatsApp."},
    "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
}
FOREIGN_ACTION = "K5SWYY3PNVSSA5DPEBUGKZLMPA"
"""Callback data in the format of Parley: an action id, 26 characters of base 32."""


def answers_of_the_shop(builder: SampleBuilder) -> list[Sample]:
    """Three answers from the app with their delivery statuses: in order, failed, out of order."""
    return [
        *_read_in_order(builder),
        *_failed(builder),
        *_out_of_order(builder),
        *_unknown_send(builder),
    ]


def _read_in_order(builder: SampleBuilder) -> list[Sample]:
    wamid = builder.outbound_id(ADA, "echo")
    conversation = {
        "id": "c0ffee5a9d3e4f60a1b2c3d4e5f60718",
        "expiration_timestamp": str(builder.at(530 + 24 * 60)),
        "origin": {"type": "service"},
    }
    return [
        _answer(
            builder, "echo", "The shop answers in its own app (`smb_message_echoes`).", ADA, 530
        ),
        builder.delivery_statuses(
            "status_sent",
            "The provider sent the answer; for older numbers the webhook also names the conversation.",
            530,
            [
                status(
                    ADA,
                    wamid,
                    "sent",
                    builder.at(530) + 1,
                    conversation=conversation,
                    pricing=FREE_REPLY,
                )
            ],
        ),
        builder.delivery_statuses(
            "status_delivered",
            "The answer reached the customer's phone.",
            531,
            [status(ADA, wamid, "delivered", builder.at(531), pricing=FREE_REPLY)],
        ),
        builder.delivery_statuses(
            "status_read",
            "The customer read the answer.",
            533,
            [status(ADA, wamid, "read", builder.at(533))],
        ),
    ]


def _failed(builder: SampleBuilder) -> list[Sample]:
    wamid = builder.outbound_id(TOMAS, "echo_undelivered")
    failure = status(TOMAS, wamid, "failed", builder.at(536), errors=[UNDELIVERABLE])
    return [
        _answer(builder, "echo_undelivered", "An answer that is not delivered.", TOMAS, 535),
        builder.delivery_statuses(
            "status_failed", "The delivery failed, with an error.", 536, [failure]
        ),
    ]


def _out_of_order(builder: SampleBuilder) -> list[Sample]:
    wamid = builder.outbound_id(PRIYA, "echo_reordered")
    newest_first = [
        status(PRIYA, wamid, "read", builder.at(541)),
        status(PRIYA, wamid, "delivered", builder.at(540) + 5, pricing=FREE_REPLY),
        status(PRIYA, wamid, "sent", builder.at(540) + 2, pricing=FREE_REPLY),
    ]
    return [
        _answer(builder, "echo_reordered", "An answer to a customer with a user id.", PRIYA, 540),
        builder.delivery_statuses(
            "statuses_reordered",
            "Its statuses in one POST, newest first, recipient in `contacts`: it remains read.",
            542,
            newest_first,
            recipients=[PRIYA],
            expects=Expects(accepted=3, changed=3),
        ),
    ]


def _unknown_send(builder: SampleBuilder) -> list[Sample]:
    delivered = status(
        JUERGEN,
        builder.outbound_id(JUERGEN, "service_reminder"),
        "delivered",
        builder.at(545),
        pricing=PAID_TEMPLATE,
        biz_opaque_callback_data=FOREIGN_ACTION,
    )
    return [
        builder.delivery_statuses(
            "status_unknown_message",
            "A status, with callback data, of an unknown message: it waits for the message.",
            545,
            [delivered],
            expects=CHANGED,
        )
    ]


def _answer(
    builder: SampleBuilder, name: str, description: str, customer: Customer, minute: int
) -> Sample:
    written = payloads.echo(
        COUNTER,
        customer,
        builder.outbound_id(customer, name),
        builder.at(minute),
        text(ANSWERS[name]),
    )
    change = payloads.change("smb_message_echoes", COUNTER, message_echoes=[written])
    return builder.post(name, description, minute, change, expects=STORED)
