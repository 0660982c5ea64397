"""The deployment and its actions, webhooks, event destinations, and what became of sends and events."""

import json

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import APP_SECRET, COUNTER, SOCIAL_TOPIC_ARN, WORKSHOP
from shared.api.webhook_signatures import meta_signature

ACCOUNT: Json = {"metaWabaId": COUNTER.waba}
ON_AWS: Json = {"metaWabaId": WORKSHOP.waba}
SEND: Json = {"actionId": "mfrggzdfmztwq2lknnwg23tpoa"}
EVENT_ID = "5f" * 32
WEBHOOK: Json = {
    "object": "whatsapp_business_account",
    "entry": [
        {
            "id": COUNTER.waba,
            "changes": [{"field": "account_alerts", "value": {"entity_type": "PHONE_NUMBER"}}],
        }
    ],
}
RAW = json.dumps(WEBHOOK)
SIGNATURE = meta_signature(RAW.encode(), APP_SECRET)

BODIES: dict[str, Json] = {
    "create_event_destination": ON_AWS | {"snsTopicArn": SOCIAL_TOPIC_ARN},
    "delete_event_destination": ON_AWS | {"destinationType": "SNS"},
    "get_action": SEND,
    "get_best_practices": {"topic": "errors"},
    "get_config": {},
    "get_event_destinations": ON_AWS,
    "get_infra": {},
    "get_webhook_config": ACCOUNT,
    "get_webhook_events": ACCOUNT,
    "get_webhook_subscriptions": ACCOUNT,
    "help": {"name": "send_text"},
    "list_actions": {"category": "core_messaging", "limit": 10},
    "list_parked_events": {"reason": "conflict"},
    "list_unknown_sends": {"since": "2026-01-01T00:00:00Z"},
    "ping": {},
    "process_secure_webhook": {"headers": {"X-Hub-Signature-256": SIGNATURE}, "body": RAW},
    "process_webhook_event": {"webhookBody": WEBHOOK},
    "refresh_infra": {},
    "register_webhook": ACCOUNT,
    "replay_parked_events": {"reason": "conflict", "limit": 100},
    "resolve_unknown_send": SEND | {"decision": "was_sent", "note": "Ada has confirmed it."},
    "set_webhook_config": ACCOUNT | {"enabled": True},
    "test_event_destination": ON_AWS,
    "test_webhook_signature": {},
    "unregister_webhook": ACCOUNT | {"confirm": True},
    "update_event_destination": ON_AWS
    | {"destinationType": "SNS", "snsTopicArn": SOCIAL_TOPIC_ARN},
    "validate_webhook_signature": {"signature": SIGNATURE, "payload": RAW},
    "verify_webhook": {
        "queryStringParameters": {
            "hub.mode": "subscribe",
            "hub.verify_token": "sample-verify-token",
            "hub.challenge": "1158201444",
        }
    },
    "webhook_retry": {"webhookEventId": EVENT_ID},
}
