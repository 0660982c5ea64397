"""Events of the workshop's number, which is linked to AWS End User Messaging Social: over SNS."""

import json

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import Json, media, text
from events.whatsapp.sample_builder import Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import SOCIAL_TOPIC_ARN, WORKSHOP, ZOE
from events.whatsapp.scenarios.account_updates import APPROVED, STATUS
from events.whatsapp.scenarios.shop import UNDELIVERABLE
from local.sandbox.accounts.media import PNG_IMAGE

STORED = Expects(status=None, accepted=1, stored=1)
OTHER_TOPIC = SOCIAL_TOPIC_ARN.replace("whatsapp-social", "newsletter")
AWS_MESSAGE_ID = "0d1c2b3a-4f5e-4d6c-8b7a-9f8e7d6c5b4a"
"""The service's id of a message that Meta did not accept."""


def workshop(builder: SampleBuilder) -> list[Sample]:
    """Messages and a status of the second number, and notifications of the wrong shape or topic."""
    failure = payloads.status(
        ZOE, AWS_MESSAGE_ID, "failed", builder.at(730), errors=[UNDELIVERABLE]
    )
    approved = {"value": APPROVED, "field": STATUS}
    as_object = _entry(builder, "sns_entry_object", 735, text("Can I wait while you fix it?"))
    elsewhere = _entry(builder, "sns_other_topic", 740, text("This came through a wrong topic."))
    return [
        _notified(
            builder,
            "sns_text",
            "A text to the second number; the entry is JSON inside a string.",
            720,
            json.dumps(
                _entry(builder, "sns_text", 720, text("Hello workshop, my chain broke. 🔗"))
            ),
        ),
        _notified(
            builder,
            "sns_image",
            "A photo; the service itself copies the file to the bucket.",
            722,
            json.dumps(
                _entry(builder, "sns_image", 722, media("image", PNG_IMAGE, caption="The chain"))
            ),
            expects=Expects(status=None, accepted=1, stored=1, media="STORED"),
        ),
        _notified(
            builder,
            "sns_status_failed",
            "A failed send with the service's own message id.",
            730,
            json.dumps(
                payloads.entry(WORKSHOP.waba, payloads.statuses_change(WORKSHOP, [failure]))
            ),
            expects=Expects(status=None, accepted=1, changed=1),
        ),
        _notified(
            builder,
            "sns_template_status",
            "A template was approved; the service omits the time of the notice.",
            732,
            json.dumps(payloads.entry(WORKSHOP.waba, approved)),
            expects=Expects(status=None, accepted=1, changed=1),
        ),
        _notified(
            builder,
            "sns_entry_object",
            "The entry as an object instead of a string.",
            735,
            as_object,
        ),
        _notified(
            builder,
            "sns_broken_entry",
            "An entry with truncated inner JSON.",
            738,
            json.dumps(as_object)[:90],
            expects=Expects(status=None, accepted=1, parked=("malformed",)),
        ),
        _notified(
            builder,
            "sns_other_topic",
            "A notification of an unknown topic: dropped.",
            740,
            json.dumps(elsewhere),
            topic=OTHER_TOPIC,
            expects=Expects(status=None, refused=True),
        ),
    ]


def _entry(builder: SampleBuilder, name: str, minute: int, body: Json) -> Json:
    message = payloads.message(ZOE, builder.inbound_id(ZOE, name), builder.at(minute), body)
    return payloads.entry(WORKSHOP.waba, payloads.messages_change(WORKSHOP, [message], [ZOE]))


def _notified(
    builder: SampleBuilder,
    name: str,
    description: str,
    minute: int,
    webhook_entry: Json | str,
    *,
    topic: str = SOCIAL_TOPIC_ARN,
    expects: Expects = STORED,
) -> Sample:
    at = builder.at(minute) + 1
    published = gateway.social_message(name, at, WORKSHOP, webhook_entry)
    return Sample(name, description, gateway.sns(name, at, published, topic), expects)
