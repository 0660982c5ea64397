"""Templates of the counter's account on Graph and of the workshop's account on AWS."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER, WORKSHOP

_TO_ADA: Json = {"phone": COUNTER.phone, "to": f"+{ADA.wa_id}"}
_ON_GRAPH: Json = {"metaWabaId": COUNTER.waba}
_AT_AWS: Json = {"metaWabaId": WORKSHOP.waba}
_BODY: Json = {
    "type": "BODY",
    "text": "Hello {{1}}, your bike is ready.",
    "example": {"body_text": [["Ada"]]},
}
_COUPON: Json = {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "example": "SPRING25"}]}
_CARD: Json = {"headerMediaId": "1003383421387256", "bodyParams": ["Ada"]}

BODIES: dict[str, Json] = {
    # Messages
    "send_marketing_message": _TO_ADA | {"templateName": "spring_sale", "bodyParams": ["Ada"]},
    "send_utility_template": _TO_ADA | {"templateName": "bike_ready", "bodyParams": ["Ada"]},
    "send_auth_template": _TO_ADA | {"templateName": "login_code", "otpCode": "739415"},
    "send_catalog_template": _TO_ADA | {"templateName": "our_catalog"},
    "send_coupon_template": _TO_ADA | {"templateName": "coupon", "couponCode": "SPRING25"},
    "send_limited_offer_template": _TO_ADA
    | {"templateName": "weekend_offer", "offerExpirationTimestamp": 4_102_444_800_000},
    "send_carousel_template": _TO_ADA | {"templateName": "new_bikes", "cards": [_CARD, _CARD]},
    "send_mpm_template": _TO_ADA
    | {
        "templateName": "accessories",
        "catalogId": "194836987003835",
        "sections": [
            {"title": "Locks", "product_items": [{"product_retailer_id": "lock-1"}]},
        ],
    },
    # Templates on Graph, or where the account's numbers are
    "create_marketing_template": _ON_GRAPH
    | {
        "templateName": "coupon",
        "components": [{"type": "BODY", "text": "A coupon for you."}, _COUPON],
        "templateType": "coupon",
    },
    "get_template_analytics": _ON_GRAPH | {"templateName": "spring_sale"},
    "get_template_pacing": _ON_GRAPH | {"templateName": "spring_sale"},
    "set_template_ttl": _ON_GRAPH | {"templateName": "bike_ready", "ttlSeconds": 3_600},
    "get_templates_meta": _ON_GRAPH | {"refresh": True},
    "cache_template_meta": _ON_GRAPH | {"template": {"name": "bike_ready", "language": "en_US"}},
    "create_template_meta": _ON_GRAPH | {"name": "bike_ready", "components": [_BODY]},
    "edit_template_meta": _ON_GRAPH | {"name": "bike_ready", "components": [_BODY]},
    "delete_template_meta": _ON_GRAPH | {"name": "old_offer", "language": "en_US"},
    "get_template_quality": _ON_GRAPH | {"name": "spring_sale"},
    "sync_templates_meta": _ON_GRAPH,
    "get_template_library": _ON_GRAPH | {"searchKey": "delivery"},
    "use_library_template": _ON_GRAPH
    | {"templateName": "delivery_failed_2_form", "customName": "delivery_failed"},
    "get_local_templates": _ON_GRAPH | {"status": "APPROVED"},
    "customize_template": _ON_GRAPH
    | {"templateName": "bike_ready", "footer": {"text": "Acme Bikes"}},
    # Templates at AWS
    "eum_list_templates": _AT_AWS,
    "eum_get_template": _AT_AWS | {"templateName": "bike_ready", "language": "en_US"},
    "eum_create_template": _AT_AWS | {"name": "bike_ready", "components": [_BODY]},
    "eum_update_template": _AT_AWS
    | {"templateName": "bike_ready", "language": "en_US", "components": [_BODY]},
    "eum_delete_template": _AT_AWS | {"templateName": "old_offer", "deleteAllLanguages": True},
    "eum_list_template_library": _AT_AWS | {"topic": "ORDER_MANAGEMENT"},
    "eum_create_from_library": _AT_AWS
    | {"libraryTemplateName": "delivery_failed_2_form", "name": "delivery_failed"},
    "eum_create_template_media": _AT_AWS | {"s3Key": "uploads/acme/bike.jpg"},
    "eum_sync_templates": _AT_AWS,
    "eum_get_template_status": _AT_AWS | {"templateName": "bike_ready"},
    # Older names
    "templates": _AT_AWS | {"op": "list"},
    "get_templates": _ON_GRAPH,
    "refresh_templates": _AT_AWS,
}
