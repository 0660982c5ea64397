"""
A sample call of every action, at the demo company: `<action>.json` is an API Gateway event for `WhatsAppActions`.

The modules have the parameters, by package of the actions; ids of earlier calls (campaigns, refunds ...) are made up.
One file of each group of actions is kept in this folder; `make events` writes all of them.
"""

import importlib
import pkgutil
from typing import Final

from events.whatsapp.payloads import Json

KEPT: Final = frozenset((
    "block_users", "create_event_destination", "create_flow", "create_group", "create_qr_code",
    "create_refund", "create_template_meta", "eum_create_template", "eum_upload_media", "get_analytics",
    "get_business_profile", "get_conversation_analytics", "get_group_invite_link", "get_service_window",
    "get_templates", "get_throughput_limits", "get_webhook_events", "initiate_call", "list_actions",
    "list_parked_events", "list_phones", "request_call_permission", "save_tenant", "search_messages",
    "send_address_message", "send_catalog_message", "send_conversion_event", "send_flow_message",
    "send_marketing_message", "send_media_carousel", "send_payment_order", "send_text", "set_consent",
    "set_conversational_automation", "start_campaign", "update_commerce_settings", "use_library_template",
    "validate_webhook_signature",
))  # fmt: skip


def bodies() -> dict[str, Json]:
    """Return the parameters of each action's sample. Raises ValueError if an action has two."""
    found: dict[str, Json] = {}
    for module in pkgutil.iter_modules(__path__):
        declared = importlib.import_module(f"{__name__}.{module.name}").BODIES
        if twice := found.keys() & declared.keys():
            raise ValueError(f"two samples of {sorted(twice)}")
        found |= declared
    return found
