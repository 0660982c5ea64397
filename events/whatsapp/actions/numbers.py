"""Numbers of the shop: registration, quality, limits, profile, QR codes and greetings."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER

COUNTERS: Json = {"phone": COUNTER.phone}
CODE: Json = COUNTERS | {"code": "ABCDEFGHIJKLMN"}
PICTURE = "uploads/acme/shop-front.png"

BODIES: dict[str, Json] = {
    "get_wabas": {"source": "stored"},
    "get_phone_info": COUNTERS | {"refresh": True},
    "get_quality": COUNTERS | {"history": True, "limit": 20},
    "refresh_quality": {"metaWabaId": COUNTER.waba},
    "get_business_profile": COUNTERS,
    "update_business_profile": COUNTERS
    | {
        "data": {
            "about": "Bikes and repairs in Mill Lane",
            "email": "shop@example.com",
            "websites": ["https://shop.example.com"],
            "vertical": "RETAIL",
        }
    },
    "upload_profile_picture": COUNTERS | {"s3Key": PICTURE},
    "get_business_profile_apply_instructions": COUNTERS,
    "get_throughput_limits": COUNTERS,
    "set_throughput_tier": COUNTERS | {"messagesPerSecond": 40},
    "get_throughput_stats": COUNTERS | {"period": "hour"},
    "check_rate_limit": COUNTERS | {"messageCount": 10, "to": f"+{ADA.wa_id}"},
    "create_qr_code": COUNTERS | {"prefilledMessage": "I have a question about my bike."},
    "get_qr_codes": COUNTERS | {"limit": 10},
    "update_qr_code": CODE | {"prefilledMessage": "I would like to book a repair."},
    "delete_qr_code": CODE,
    "get_conversational_automation": COUNTERS,
    "set_conversational_automation": COUNTERS
    | {
        "prompts": ["When are you open?", "Where is my bike?"],
        "commands": [{"name": "repair", "description": "Book a repair"}],
        "enableWelcomeMessage": True,
    },
    # A number of an account that is not registered yet, such as the new shop's.
    "save_phone": {
        "phone": "406540352242955",
        "metaWabaId": "402290129340400",
        "tenantId": "acme-harbour",
        "provider": "graph",
        "displayPhoneNumber": "+12025550162",
        "automation": "off",
        "enabled": False,
    },
    "sync_phones": {"metaWabaId": COUNTER.waba},
    "list_phones": {"limit": 10},
    "set_phone_automation": COUNTERS | {"automation": "off"},
    "add_phone_number": {
        "metaWabaId": COUNTER.waba,
        "phoneNumber": "2025550161",
        "countryCode": "1",
        "verifiedName": "Acme Bikes",
    },
    "request_verification_code": COUNTERS | {"codeMethod": "SMS", "language": "en_US"},
    "verify_phone_code": COUNTERS | {"code": "123456"},
    "register_phone": COUNTERS,
    "deregister_phone": COUNTERS | {"confirm": True},
    "set_two_step_pin": COUNTERS | {"rotate": True},
    "get_phone_health": COUNTERS,
    "get_messaging_limits": COUNTERS,
}
