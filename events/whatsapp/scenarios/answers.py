"""Answers of customers: to a message, to buttons and lists, to a flow; and an order."""

import json

from events.whatsapp.payloads import Json, content, interactive, replying_to, text
from events.whatsapp.sample_builder import Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, PRIYA, TOMAS, Customer

SPARE_PARTS = {
    "catalog_id": "194836987003801",
    "text": "Please keep them at the counter.",
    "product_items": [
        {
            "product_retailer_id": "inner-tube-26",
            "quantity": 2,
            "item_price": 6.95,
            "currency": "GBP",
        },
        {
            "product_retailer_id": "pannier-20l",
            "quantity": 1,
            "item_price": 49,
            "currency": "GBP",
        },
    ],
}
BOOKING = {
    "flow_token": "sample-flow-token-7c1e",
    "service": "full_service",
    "day": "2026-01-05",
    "needs_loan_bike": True,
}
ADDRESS = {
    "saved_address_id": "home",
    "values": {
        "name": "Priya Nair",
        "phone_number": "+447700900103",
        "in_pin_code": "560001",
        "house_number": "12",
        "address": "12 Lantern Street",
        "landmark_area": "behind the library",
        "city": "Bengaluru",
        "state": "Karnataka",
    },
}


def answers_of_customers(builder: SampleBuilder) -> list[Sample]:
    """A quoted reply and each kind of `interactive`, then a template button and an order."""

    def context_of(customer: Customer, sample_name: str) -> Json:
        return replying_to(COUNTER, builder.outbound_id(customer, sample_name))

    return [
        builder.customer_message(
            "reply",
            "A reply that quotes the shop's answer (`context`).",
            ADA,
            550,
            text("Four is perfect, see you then."),
            context=context_of(ADA, "echo"),
        ),
        builder.customer_message(
            "button_reply",
            "A tap on one of three reply buttons.",
            ADA,
            555,
            interactive("button_reply", {"id": "slot-1600", "title": "Today at 16:00"}),
            context=context_of(ADA, "slot_buttons"),
        ),
        builder.customer_message(
            "list_reply",
            "A choice from a list.",
            PRIYA,
            560,
            interactive(
                "list_reply",
                {
                    "id": "full_service",
                    "title": "Full service",
                    "description": "Wheels, brakes, gears, two days",
                },
            ),
            context=context_of(PRIYA, "service_list"),
        ),
        builder.customer_message(
            "flow_reply",
            "The answers of a booking flow; `response_json` is JSON inside a string.",
            PRIYA,
            564,
            interactive(
                "nfm_reply", {"name": "flow", "body": "Sent", "response_json": json.dumps(BOOKING)}
            ),
            context=context_of(PRIYA, "booking_flow"),
        ),
        builder.customer_message(
            "address_reply",
            "An address, as an address message asks for it (`nfm_reply`, also JSON in a string).",
            PRIYA,
            566,
            interactive(
                "nfm_reply",
                {
                    "name": "address_message",
                    "body": "Priya Nair\n12 Lantern Street, Bengaluru",
                    "response_json": json.dumps(ADDRESS),
                },
            ),
            context=context_of(PRIYA, "address_message"),
        ),
        builder.customer_message(
            "call_permission_reply",
            "The customer lets the shop call for a week.",
            TOMAS,
            570,
            interactive(
                "call_permission_reply",
                {
                    "response": "accept",
                    "is_permanent": False,
                    "expiration_timestamp": builder.at(570 + 7 * 24 * 60),
                    "response_source": "user_action",
                },
            ),
            context=context_of(TOMAS, "call_permission"),
        ),
        builder.customer_message(
            "template_button",
            "A tap on a quick reply of a template (type `button`).",
            JUERGEN,
            575,
            content("button", {"payload": "remind-me-in-march", "text": "Later"}),
            context=context_of(JUERGEN, "service_reminder"),
        ),
        builder.customer_message(
            "order",
            "An order from the catalog, prices with and without decimals.",
            PRIYA,
            580,
            content("order", SPARE_PARTS),
        ),
    ]
