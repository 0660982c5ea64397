"""An account of WhatsApp with one number, for pages that show one account."""

from __future__ import annotations

from typing import Any, Final

WABA: Final = "102290129340398"
PHONE: Final = "106540352242922"
ACTION: Final = "POST /whatsapp/actions/"
NUMBER: Final[dict[str, Any]] = {
    "phone": PHONE, "displayPhone": "15550783881", "displayText": "+1 555-078-3881",
    "waba": WABA, "provider": "graph", "enabled": True, "automation": "none", "sendingBlocked": False,
    **dict.fromkeys(("businessAccountName", "verifiedName", "messagingLimit", "transcription")),
    **dict.fromkeys(("sendingBlockedReason", "sendingBlockedUntil")),
}  # fmt: skip
INDIAN: Final = NUMBER | {"displayPhone": "919876543210", "displayText": "+91 98765 43210"}
