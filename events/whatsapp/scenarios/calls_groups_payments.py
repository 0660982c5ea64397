"""Webhooks other than messages: calls, the history of a number, a group, a marketing preference, a payment."""

from events.whatsapp.payloads import Json, change, contact, message, text
from events.whatsapp.sample_builder import CHANGED, RECORDED, Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, PRIYA, ZOE, Customer

GROUP = "Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjMyMjI3NzE5NjMwNjcZD"
SDP = "v=0\r\no=- 7669997803033704573 2 IN IP4 127.0.0.1\r\ns=-\r\n"
CALLER_AND_CALLEE = {"from": ADA.wa_id, "to": COUNTER.display, "direction": "USER_INITIATED"}


def calls(builder: SampleBuilder) -> list[Sample]:
    """A call that a customer makes, and one of the shop that the customer rejects."""
    incoming = {
        "id": f"wacid.in-{builder.start}",
        "timestamp": str(builder.at(710)),
    } | CALLER_AND_CALLEE
    ended = {
        "start_time": str(builder.at(710) + 4),
        "end_time": str(builder.at(712)),
        "duration": 116,
    }

    def call_webhook(name: str, description: str, minute: int, **arrays: list[Json]) -> Sample:
        return builder.post(
            name, description, minute, change("calls", COUNTER, **arrays), expects=CHANGED
        )

    return [
        call_webhook(
            "call_connect",
            "A customer calls; the ingress removes the session description (SDP).",
            710,
            calls=[incoming | {"event": "connect", "session": {"sdp_type": "offer", "sdp": SDP}}],
            contacts=[contact(ADA)],
        ),
        call_webhook(
            "call_completed",
            "The same call has ended, with its duration.",
            712,
            calls=[
                incoming
                | {"event": "terminate", "status": "COMPLETED", "timestamp": str(builder.at(712))}
                | ended
            ],
        ),
        call_webhook(
            "call_rejected",
            "A call of the shop is rejected: an item of `statuses`, which names only the callee.",
            716,
            statuses=[
                {
                    "id": f"wacid.out-{builder.start}",
                    "type": "call",
                    "status": "REJECTED",
                    "timestamp": str(builder.at(715) + 9),
                    "recipient_id": JUERGEN.wa_id,
                }
            ],
        ),
    ]


def history(builder: SampleBuilder) -> list[Sample]:
    """Messages from before the number was connected."""

    def thread(customer: Customer, label: str, minute: int, body: str, answer: str) -> Json:
        question = message(
            customer, builder.inbound_id(customer, label), builder.at(minute), text(body)
        )
        answered = {
            "from": COUNTER.display,
            "id": builder.outbound_id(customer, label),
            "timestamp": str(builder.at(minute) + 30),
        }
        return {
            "id": customer.wa_id,
            "messages": [
                question | {"history_context": {"status": "READ"}},
                answered | text(answer) | {"history_context": {"status": "DELIVERED"}},
            ],
        }

    threads = [
        thread(ZOE, "history", -1500, "Do you sell helmets?", "We do, come and try some."),
        thread(ADA, "history", -1400, "Are you open on Sundays?", "From ten to two."),
    ]
    chunk = {"metadata": {"phase": 0, "chunk_order": 1, "progress": 100}, "threads": threads}
    declined = [{"code": 2593109, "title": "History sharing is off", "message": "Not shared"}]
    return [
        builder.post(
            "history",
            "Two conversations of the day before: shown, not counted.",
            720,
            change("history", COUNTER, history=[chunk]),
            expects=Expects(accepted=4, stored=4),
        ),
        builder.post(
            "history_declined",
            "The owner of a number does not share its history.",
            721,
            change("history", COUNTER, history=[{"errors": declined}]),
            expects=RECORDED,
        ),
    ]


def group(builder: SampleBuilder) -> list[Sample]:
    """A group is created, a customer joins it, and it is renamed."""

    def group_webhook(
        name: str, description: str, minute: int, field: str, **facts: object
    ) -> Sample:
        entry = {"timestamp": str(builder.at(minute)), "group_id": GROUP} | facts
        return builder.post(
            name, description, minute, change(field, COUNTER, groups=[entry]), expects=CHANGED
        )

    return [
        group_webhook(
            "group_created",
            "A group that the shop requested was created.",
            725,
            "group_lifecycle_update",
            type="group_create",
            request_id="784D93D0C468593037EA0B1ECA245D9C",
            subject="Sunday riders",
            invite_link="https://chat.whatsapp.com/sample",
        ),
        group_webhook(
            "group_joined",
            "A customer joins the group by its link.",
            726,
            "group_participants_update",
            type="group_participants_add",
            reason="invite_link",
            added_participants=[{"wa_id": ADA.wa_id}],
        ),
        group_webhook(
            "group_renamed",
            "The group has a new subject; its description could not be changed.",
            727,
            "group_settings_update",
            type="group_settings_update",
            request_id="884D93D0C468593037EA0B1ECA245D9C",
            group_subject={"text": "Slow Sunday riders", "update_successful": True},
            group_description={"text": "No hills", "update_successful": False},
        ),
    ]


def choices_and_payments(builder: SampleBuilder) -> list[Sample]:
    """A customer opts out of marketing and is saved in the app; a payment is reported for an unknown order."""
    stop = {
        "wa_id": JUERGEN.wa_id,
        "detail": "User requested to stop marketing messages",
        "category": "marketing_messages",
        "value": "stop",
        "timestamp": builder.at(730),
    }
    saved = {
        "type": "contact",
        "contact": {
            "full_name": "Juergen (blue tandem)",
            "first_name": "Juergen",
            "phone_number": JUERGEN.wa_id,
        },
        "action": "add",
        "metadata": {"timestamp": str(builder.at(731))},
    }
    paid = {
        "id": builder.outbound_id(PRIYA, "payment_captured"),
        "type": "payment",
        "status": "captured",
        "timestamp": str(builder.at(732)),
        "recipient_id": PRIYA.wa_id,
        "payment": {
            "reference_id": "bike-7781",
            "amount": {"value": 149900, "offset": 100},
            "currency": "INR",
            "transaction": {"id": "order-tx-1", "type": "upi", "status": "success"},
        },
    }
    return [
        builder.post(
            "marketing_stopped",
            "A customer stops marketing messages in WhatsApp's own settings.",
            730,
            change(
                "user_preferences", COUNTER, contacts=[contact(JUERGEN)], user_preferences=[stop]
            ),
            expects=RECORDED,
        ),
        builder.post(
            "contact_saved",
            "The business saves a customer in its app's address book.",
            731,
            change("smb_app_state_sync", COUNTER, state_sync=[saved]),
            expects=RECORDED,
        ),
        builder.post(
            "payment_captured",
            "A payment for an unknown order: stored, but changes no order.",
            732,
            change("messages", COUNTER, statuses=[paid]),
            expects=RECORDED,
        ),
    ]
