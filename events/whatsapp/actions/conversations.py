"""Ada's conversation with the counter: lists, search, changes and an export."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER

WITH_ADA: Json = {"phone": COUNTER.phone, "to": f"+{ADA.wa_id}"}
NUMBER: Json = {"phone": COUNTER.phone}
MESSAGE: Json = {"messageId": "wamid.HBgMNDQ3NzAwOTAwMTAxFQIAEhggQURBMDAwMQ=="}

BODIES: dict[str, Json] = {
    "archive_conversation": WITH_ADA,
    "delete_message": MESSAGE,
    "export_messages": WITH_ADA | {"format": "csv", "limit": 10_000},
    "get_archived_conversations": NUMBER,
    "get_conversation": WITH_ADA,
    "get_conversation_messages": WITH_ADA | {"order": "asc", "presign": True},
    "get_conversations": NUMBER | {"unreadOnly": True},
    "get_delivery_status": MESSAGE,
    "get_failed_messages": NUMBER | {"since": "2026-01-01T00:00:00Z"},
    "get_message": MESSAGE,
    "get_message_by_wa_id": {"messageId": MESSAGE["messageId"]},
    "get_messages": NUMBER | {"direction": "INBOUND", "limit": 20},
    "get_service_window": WITH_ADA,
    "get_unread_count": WITH_ADA | {"exact": True},
    "mark_conversation_read": WITH_ADA | {"sendReceipt": True},
    "search_messages": WITH_ADA | {"query": "bike"},
    "unarchive_conversation": WITH_ADA,
    "update_conversation": WITH_ADA | {"markAsRead": True, "archived": False},
}
