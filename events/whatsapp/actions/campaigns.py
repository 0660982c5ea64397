"""Campaigns of the account, and messages to several customers at once."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER

CAMPAIGN = "01JGFJJZ00ABCDEFGHJKMNPQRS"
OF_CAMPAIGN: Json = {"campaignId": CAMPAIGN}

BODIES: dict[str, Json] = {
    "create_campaign": {
        "phone": COUNTER.phone,
        "campaignName": "Bikes that are ready",
        "templateName": "bike_ready",
        "recipients": [{"to": f"+{ADA.wa_id}", "bodyParams": ["Ada"], "ref": "order-7"}],
        "scheduledAt": "2026-01-05T09:00:00Z",
    },
    "bulk_send": {
        "phone": COUNTER.phone,
        "type": "text",
        "text": "Your bike is ready.",
        "recipients": [f"+{ADA.wa_id}"],
        "name": "Bikes of today",
    },
    "get_campaigns": {"metaWabaId": COUNTER.waba, "status": "running"},
    "get_campaign": OF_CAMPAIGN,
    "get_campaign_stats": {
        "metaWabaId": COUNTER.waba,
        "startDate": "2026-01-01",
        "endDate": "2026-01-31",
    },
    "start_campaign": OF_CAMPAIGN,
    "pause_campaign": OF_CAMPAIGN | {"reason": "typing error"},
    "resume_campaign": OF_CAMPAIGN,
    "cancel_campaign": OF_CAMPAIGN | {"reason": "out of stock"},
    "get_campaign_test": OF_CAMPAIGN,
    "decide_campaign_test": OF_CAMPAIGN | {"winner": "b"},
    "retry_campaign": OF_CAMPAIGN | {"campaignName": "Bikes again"},
    "get_message_prices": {},
    "set_message_prices": {
        "currency": "EUR",
        "asOf": "2026-01-01",
        "source": "rate card of the provider",
        "prices": [{"country": "DE", "marketing": "0.1131", "utility": "0.0456"}],
    },
    "get_campaign_recipients": OF_CAMPAIGN | {"outcome": "refused"},
}
