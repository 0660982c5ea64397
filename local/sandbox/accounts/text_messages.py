"""Text messages in the sandbox: outbound and inbound messages, opt-outs, and configured final statuses."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Literal

from pydantic import Field, HttpUrl

from local.sandbox.accounts.seeds import Seed

API = "2010-04-01"
_KEYWORDS = {
    "STOP": frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"}),
    "START": frozenset({"START", "UNSTOP", "YES"}),
    "HELP": frozenset({"HELP", "INFO"}),
}
_E164 = r"^(whatsapp:)?\+[1-9][0-9]{6,14}$"
_USER_ID = r"^whatsapp:[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$"


class Ending(Seed):
    """The final status of messages to *to*, with Twilio's error code for failures."""

    to: str
    status: Literal["sent", "delivered", "read", "undelivered", "failed"]
    error_code: int | None = None


class CustomerText(Seed):
    """
    A customer's message, with the number of webhook calls for it; 0 simulates a missed webhook.

    `fields` are additional fields of the webhook, such as `OptOutType` or `ButtonPayload`.
    """

    sender: str = Field(pattern=f"{_E164}|{_USER_ID}")
    to: str = Field(pattern=_E164)
    body: str = ""
    media: list[HttpUrl] = Field(default_factory=list)
    fields: dict[str, str] = Field(default_factory=dict)
    webhooks: int = Field(default=1, ge=0, le=5)


@dataclass
class TextMessage:
    """One message. Addresses have their prefix; *at* is in seconds since 1970."""

    sid: str
    account_sid: str
    direction: Literal["inbound", "outbound-api"]
    sender: str | None
    to: str
    body: str
    status: str
    at: float
    segments: int
    service: str | None = None
    error_code: int | None = None
    media: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the message in the API's format: numbers as text, times as in e-mails."""
        path = f"/{API}/Accounts/{self.account_sid}/Messages/{self.sid}"
        date = format_datetime(datetime.fromtimestamp(int(self.at), UTC))
        is_out = self.status not in {"accepted", "queued"}
        return {
            "account_sid": self.account_sid,
            "api_version": API,
            "body": self.body,
            "date_created": date,
            "date_sent": date if is_out else None,
            "date_updated": date,
            "direction": self.direction,
            "error_code": self.error_code,
            "error_message": None,
            "from": self.sender,
            "messaging_service_sid": self.service,
            "num_media": str(len(self.media)),
            # A messaging service has not chosen a sender yet, so segments are not counted.
            "num_segments": "0" if self.service else str(self.segments),
            "price": None,
            "price_unit": "USD",
            "sid": self.sid,
            "status": self.status,
            "subresource_uris": {"media": f"{path}/Media.json"},
            "to": self.to,
            "uri": f"{path}.json",
        }

    def media_json(self) -> list[dict[str, Any]]:
        """Return its files in the API's format."""
        parent = f"/{API}/Accounts/{self.account_sid}/Messages/{self.sid}/Media"
        sids = [media_sid(self.sid, number) for number in range(len(self.media))]
        return [
            {
                "account_sid": self.account_sid,
                "content_type": "image/jpeg",
                "parent_sid": self.sid,
                "sid": sid,
                "uri": f"{parent}/{sid}.json",
            }
            for sid in sids
        ]


class TextMessages:
    """
    Twilio's messages, oldest first; configured endings by address; opt-outs as (our number, their number).

    The list contains a message *list_lag_seconds* after it was sent. *templates* are bodies by their content sid; a
    template that is not among them accepts any variables. With *refuses_user_ids* only numbers can be written to.
    """

    def __init__(self) -> None:
        self.messages: list[TextMessage] = []
        self.list_lag_seconds = 0.0
        self.refuses_user_ids = False
        self.templates: dict[str, str] = {}
        self.endings: dict[str, Ending] = {}
        self.stopped: set[tuple[str, str]] = set()

    def apply_keyword(self, text: CustomerText) -> str | None:
        """Apply a message's keyword as providers do by default and return it: STOP, START, HELP or None."""
        word = text.body.strip().upper()
        keyword = next((keyword for keyword, words in _KEYWORDS.items() if word in words), None)
        if keyword == "STOP":
            self.stopped.add((text.to, text.sender))
        elif keyword == "START":
            self.stopped.discard((text.to, text.sender))
        return keyword


def made_up_sid(prefix: str) -> str:
    """Return an id in Twilio's format."""
    return prefix + uuid.uuid4().hex


def media_sid(message_sid: str, number: int) -> str:
    """Return the id of one file of a message."""
    return "ME" + uuid.uuid5(uuid.NAMESPACE_URL, f"{message_sid}/{number}").hex


def is_address(text: str) -> bool:
    """Whether Twilio can send to it: E.164, optionally with `whatsapp:`, or a business-scoped id of WhatsApp."""
    return bool(re.fullmatch(_E164, text)) or is_user_id(text)


def is_user_id(text: str) -> bool:
    """Whether it is a business-scoped id of WhatsApp."""
    return bool(re.fullmatch(_USER_ID, text))
