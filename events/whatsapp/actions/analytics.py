"""Counters, clicks and conversions of the counter's account."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER

ACCOUNT: Json = {"metaWabaId": COUNTER.waba}
AD = "120226305854810701"

DECEMBER: Json = {"startDate": "2025-12-01", "endDate": "2025-12-31"}

BODIES: dict[str, Json] = {
    "get_stats": {},
    "get_analytics": {**ACCOUNT, "source": "local"},
    "get_ctwa_metrics": {**ACCOUNT},
    "get_funnel_insights": {**ACCOUNT},
    "track_ctwa_click": {**ACCOUNT, "clickId": "click-0001", "adId": AD, "source": "spring-check"},
    "get_conversation_analytics": ACCOUNT | DECEMBER | {"dimensions": ["CONVERSATION_CATEGORY"]},
    "get_pricing_analytics": ACCOUNT | DECEMBER | {"dimensions": ["PRICING_CATEGORY"]},
    "get_call_analytics": ACCOUNT | DECEMBER,
    "setup_welcome_sequence": {
        **ACCOUNT,
        "sequenceName": "welcome",
        "messages": [
            {"delayMinutes": 0, "text": "Hello! We open at nine."},
            {"delayMinutes": 30, "text": "Can we help you with a bike?"},
            {"delayMinutes": 1_440, "templateName": "bike_ready", "language": "en_US"},
        ],
    },
    "create_conversion_dataset": {**ACCOUNT},
    "send_conversion_event": {
        **ACCOUNT,
        "to": f"+{ADA.wa_id}",
        "eventName": "Purchase",
        "eventId": "order-0001",
        "value": 3_900,
        "currency": "USD",
    },
}
