"""Templates: sent, created, edited, deleted and synchronised at both providers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import boto3

from events.whatsapp import payloads
from events.whatsapp.sample_data import ADA, COUNTER, WORKSHOP
from tests.simulation.whatsapp.actions.scenario import Scenario
from tests.simulation.whatsapp.event_builders import EVENT_MINUTE, TIMELINE, post

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]

TO_ADA: Json = {"phoneNumberId": COUNTER.phone, "to": f"+{ADA.wa_id}", "templateName": "bike_ready"}
ACCOUNT: Json = {"metaWabaId": COUNTER.waba}
AT_AWS: Json = {"metaWabaId": WORKSHOP.waba}
AWS_WABA = f"waba-{WORKSHOP.waba_arn.rpartition('/')[2]}"
TEXT: Json = {"type": "BODY", "text": "Your bike is ready."}
NEW: Json = {"type": "BODY", "text": "Your bicycle is ready."}
READY: Json = {"name": "bike_ready", "components": [TEXT]}
IMAGE: Json = {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::a"]}}
SAMPLE = "uploads/acme/bike.jpg"
LIBRARY: Json = {
    "id": "500",
    "name": "ready",
    "language": "en_US",
    "category": "UTILITY",
    "body": "Hi",
}


def button(kind: str) -> Json:
    return {"type": "BUTTONS", "buttons": [{"type": kind}]}


def prepared(*components: Json, waba: str = COUNTER.waba, **facts: Any) -> Callable[[System], None]:
    """The provider has an approved template, which is not cached, a library, and our bucket a sample."""
    return partial(_prepare, [*components] or [TEXT], waba, facts)


def _prepare(components: list[Json], waba: str, facts: Json, system: System) -> None:
    template: Json = {
        "waba": waba,
        "id": "77000077",
        "name": "bike_ready",
        "language": "en_US",
        "category": "UTILITY",
        "status": "APPROVED",
        "components": components,
    }
    system.sandbox.templates.append(template | facts)
    system.sandbox.objects["library_templates"]["ready"] = LIBRARY
    boto3.Session().client("s3").put_object(
        Bucket=system.bucket, Key=SAMPLE, Body=b"\xff\xd8\xff\x00", ContentType="image/jpeg"
    )
    choice = {
        "wa_id": ADA.wa_id,
        "category": "marketing_messages",
        "detail": "opted in",
        "value": "resume",
        "timestamp": str(TIMELINE.at(EVENT_MINUTE)),
    }
    contact = {"wa_id": ADA.wa_id}
    change = payloads.change(
        "user_preferences", COUNTER, contacts=[contact], user_preferences=[choice]
    )
    system.deliver_until_accepted(post(change))
    system.drain()


MEDIA = {"headerMediaLink": "https://acme.example/bike.jpg"}
CARD: Json = {"components": [IMAGE]}
SENDS: tuple[tuple[str, Json, Callable[[System], None]], ...] = (
    ("send_marketing_message", {}, prepared(TEXT, category="MARKETING")),
    ("send_utility_template", {}, prepared()),
    (
        "send_auth_template",
        {"otpCode": "739415"},
        prepared({"type": "BODY"}, button("OTP"), category="AUTHENTICATION"),
    ),
    ("send_catalog_template", {}, prepared(TEXT, button("CATALOG"))),
    ("send_coupon_template", {"couponCode": "A"}, prepared(TEXT, button("COPY_CODE"))),
    (
        "send_limited_offer_template",
        {"offerExpirationTimestamp": 4_102_444_800_000},
        prepared(TEXT, {"type": "LIMITED_TIME_OFFER"}),
    ),
    (
        "send_carousel_template",
        {"cards": [MEDIA, MEDIA]},
        prepared(TEXT, {"type": "CAROUSEL", "cards": [CARD, CARD]}),
    ),
    (
        "send_mpm_template",
        {
            "catalogId": "194836987003835",
            "sections": [{"title": "A", "product_items": [{"product_retailer_id": "a"}]}],
        },
        prepared(TEXT, button("MPM")),
    ),
)
ON_AWS = prepared(waba=AWS_WABA)
NAMED: Json = {"templateName": "bike_ready"}

SCENARIOS = (
    *(
        Scenario(
            action=action,
            body=TO_ADA | body,
            prepare=prepare,
            effect=("send_message",),
        )
        for action, body, prepare in SENDS
    ),
    Scenario(
        action="create_marketing_template",
        body=ACCOUNT | NAMED | {"components": [TEXT]},
        effect=("create_template",),
    ),
    Scenario(action="create_template_meta", body=ACCOUNT | READY, effect=("create_template",)),
    Scenario(
        action="set_template_ttl",
        body=ACCOUNT | NAMED | {"ttlSeconds": 60},
        prepare=prepared(),
        effect=("edit_template",),
    ),
    Scenario(
        action="cache_template_meta",
        body=ACCOUNT | {"template": {"name": "bike_ready", "language": "en_US"}},
        prepare=prepared(),
    ),
    Scenario(
        action="edit_template_meta",
        body=ACCOUNT | {"name": "bike_ready", "components": [NEW]},
        prepare=prepared(),
        effect=("edit_template",),
    ),
    Scenario(
        action="customize_template",
        body=ACCOUNT | NAMED | {"body": {"text": NEW["text"]}},
        prepare=prepared(),
        effect=("edit_template",),
    ),
    Scenario(
        action="delete_template_meta",
        body=ACCOUNT | {"name": "bike_ready", "language": "en_US"},
        before=(("sync_templates_meta", ACCOUNT),),
        prepare=prepared(),
        effect=("delete_template",),
    ),
    Scenario(action="sync_templates_meta", body=ACCOUNT, prepare=prepared()),
    Scenario(action="refresh_templates", body=ACCOUNT, prepare=prepared()),
    Scenario(
        action="use_library_template",
        body=ACCOUNT | {"templateName": "ready", "customName": "ours"},
        prepare=prepared(),
        effect=("create_template",),
    ),
    Scenario(
        action="eum_create_template",
        body=AT_AWS | READY,
        effect=("CreateWhatsAppMessageTemplate",),
    ),
    Scenario(
        action="eum_update_template",
        body=AT_AWS | NAMED | {"language": "en_US", "components": [NEW]},
        prepare=ON_AWS,
        effect=("UpdateWhatsAppMessageTemplate",),
    ),
    Scenario(
        action="eum_delete_template",
        body=AT_AWS | NAMED | {"deleteAllLanguages": True},
        before=(("eum_sync_templates", AT_AWS),),
        prepare=ON_AWS,
        effect=("DeleteWhatsAppMessageTemplate",),
    ),
    Scenario(
        action="eum_create_from_library",
        body=AT_AWS | {"libraryTemplateName": "ready", "name": "ours"},
        prepare=ON_AWS,
        effect=("CreateWhatsAppMessageTemplateFromLibrary",),
    ),
    Scenario(
        action="eum_create_template_media",
        body=AT_AWS | {"s3Key": SAMPLE},
        prepare=ON_AWS,
        effect=("CreateWhatsAppMessageTemplateMedia",),
    ),
    Scenario(action="eum_sync_templates", body=AT_AWS, prepare=ON_AWS),
    Scenario(
        action="templates",
        body=AT_AWS
        | {"op": "create_with_media", "templateName": "with_picture", "s3Key": SAMPLE}
        | {"components": [{"type": "HEADER", "format": "IMAGE"}, TEXT]},
        prepare=ON_AWS,
        effect=("CreateWhatsAppMessageTemplateMedia", "CreateWhatsAppMessageTemplate"),
    ),
)
