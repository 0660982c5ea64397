"""Messages to Ada, who wrote today."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER

FROM_COUNTER: Json = {"phone": COUNTER.phone}
TO_ADA: Json = FROM_COUNTER | {"to": f"+{ADA.wa_id}"}
HERS: Json = {"messageId": "wamid.SGVsbG8="}
CATALOG = "194836987003835"
PHOTO, VOICE, RECEIPT, CLIP, STICKER = (
    "1003383421387256",
    "1003383421387259",
    "1003383421387258",
    "1003383421387260",
    "1003383421387261",
)
SECTIONS = [{"title": "Town bikes", "product_items": [{"product_retailer_id": "bike-7"}]}]
SHOP = "https://acme.example"
TEMPLATE: Json = {
    "templateName": "bike_ready",
    "components": [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}],
}
CARDS = [
    {
        "headerType": "image",
        "link": f"{SHOP}/bike-{n}.jpg",
        "body": f"Bike {n}",
        "button": {"type": "cta_url", "text": "Open", "url": f"{SHOP}/bikes/{n}"},
    }
    for n in (7, 8)
]
BUTTONS: Json = {
    "body": {"text": "When do you collect it?"},
    "action": {
        "buttons": [
            {"type": "reply", "reply": {"id": "today", "title": "Today"}},
            {"type": "reply", "reply": {"id": "later", "title": "Later"}},
        ]
    },
}
CARD_OF_ANN: Json = {
    "name": {"formatted_name": "Ann Doe", "first_name": "Ann"},
    "phones": [{"phone": "+447700900123", "type": "WORK"}],
}

BODIES: dict[str, Json] = {
    "send_text": TO_ADA | {"text": "Your bike is ready."},
    "send_media": TO_ADA | {"mediaType": "image", "mediaId": PHOTO, "caption": "Your bike"},
    "send_image": TO_ADA | {"s3Key": "uploads/acme/photo.jpg", "caption": "Your bike"},
    "send_video": TO_ADA | {"mediaId": CLIP},
    "send_audio": TO_ADA | {"mediaId": VOICE},
    "send_document": TO_ADA | {"mediaId": RECEIPT, "filename": "receipt.pdf"},
    "send_sticker": TO_ADA | {"mediaId": STICKER},
    "send_location": TO_ADA | {"latitude": 51.5007, "longitude": -0.1246, "name": "Acme Bikes"},
    "send_contact": TO_ADA | {"contacts": [CARD_OF_ANN]},
    "send_reaction": TO_ADA | HERS | {"emoji": "\N{BICYCLE}"},
    "remove_reaction": TO_ADA | HERS,
    "send_interactive": TO_ADA | {"interactiveType": "button", "interactive": BUTTONS},
    "send_cta_url": TO_ADA
    | {"body": "Your order", "buttonText": "Track it", "url": f"{SHOP}/orders/7"},
    "send_template": TO_ADA | TEMPLATE,
    "send_reply": TO_ADA | {"replyToMessageId": HERS["messageId"], "text": "Yes, it is."},
    "mark_read": FROM_COUNTER | HERS,
    "send_typing_indicator": FROM_COUNTER | HERS,
    "send_with_fallback": TO_ADA | {"text": "Your bike is ready.", "templateName": "bike_ready"},
    "send_group_message": {"groupId": "Y2FwaV9ncm91cDox", "text": "The ride begins at nine."},
    "send_catalog_message": TO_ADA | {"messageType": "catalog_message", "body": "All our bikes"},
    "send_single_product": TO_ADA | {"catalogId": CATALOG, "productRetailerId": "bike-7"},
    "send_product": TO_ADA | {"catalogId": CATALOG, "productRetailerId": "bike-7"},
    "send_product_list": TO_ADA
    | {"catalogId": CATALOG, "sections": SECTIONS, "header": "Bikes", "body": "For you"},
    "send_product_carousel": TO_ADA
    | {"catalogId": CATALOG, "body": "New", "productRetailerIds": ["bike-7", "bike-8"]},
    "send_media_carousel": TO_ADA | {"body": "New bikes", "cards": CARDS},
    "send_address_message": TO_ADA | {"values": {"name": ADA.name, "in_pin_code": "400001"}},
    "send_location_request": TO_ADA | {"body": "Where do we collect the bike?"},
    "resend_message": HERS,
    "retry_failed_messages": FROM_COUNTER | {"limit": 5},
}
