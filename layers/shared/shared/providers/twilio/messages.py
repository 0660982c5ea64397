"""Twilio's Messages API, for SMS and WhatsApp: sends a message and lists sent and received ones."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

from shared.events.exchange import File
from shared.identity.addresses import USER_ID_PREFIX
from shared.providers import http
from shared.providers.outcomes import InDoubt, Refused, Sent
from shared.providers.twilio import api
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shared.providers.twilio.api import Credentials

WHATSAPP = "whatsapp:"
_STATUS_PATH = "/webhooks/twilio/status"
_PAGE_SIZE = 1_000  # Twilio's maximum
_MOST_PAGES = 20
_NOT_SENT_AFTER_ALL = frozenset({"failed", "undelivered", "canceled"})


@dataclass(frozen=True, slots=True)
class Text:
    """Free text, at most 1,600 characters."""

    body: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A content template of the account (`HX...`), and the values of its variables by name."""

    content_sid: str
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """
    One message. *to* and *sender* are E.164 without a prefix; either *sender* or *messaging_service_sid* is given. On
    WhatsApp *to* may also be a normalised user id, see `whatsapp_address`.

    *status_callback* is the URL for Twilio's delivery statuses, see the function of this name.
    """

    channel: Literal["sms", "whatsapp"]
    to: str = field(repr=False)
    sender: str | None = None
    messaging_service_sid: str | None = None
    content: Text | Template
    status_callback: str | None = None

    def form(self) -> dict[str, str]:
        """Return the parameters of the request."""
        is_whatsapp = self.channel == "whatsapp"
        prefix = WHATSAPP if is_whatsapp else ""
        parameters = {
            "To": whatsapp_address(self.to) if is_whatsapp else self.to,
            "From": prefix + self.sender if self.sender else None,
            "MessagingServiceSid": self.messaging_service_sid,
            "StatusCallback": self.status_callback,
        }
        if isinstance(self.content, Text):
            parameters["Body"] = self.content.body
        else:
            parameters["ContentSid"] = self.content.content_sid
            parameters["ContentVariables"] = json.dumps(dict(self.content.variables))
        return {name: value for name, value in parameters.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A message in Twilio's listing: Twilio's own words for *direction* and *status*, addresses with their prefix."""

    sid: str
    account_sid: str
    direction: str
    sender: str = field(repr=False)
    recipient: str = field(repr=False)
    body: str = field(repr=False)
    status: str
    error_code: str | None
    media_count: int
    created_at_ms: int
    updated_at_ms: int  # last status change, as far as Twilio reports it

    @property
    def is_inbound(self) -> bool:
        """Whether a customer wrote it."""
        return self.direction == "inbound"

    @property
    def body_hash(self) -> str:
        """The hash to compare with the hash of a text that may have been sent."""
        return body_hash(self.body)

    def webhook_fields(self, media: list[File]) -> dict[str, str]:
        """Return the webhook parameters of this message, as far as the listing contains them."""
        parameters = {
            "MessageSid": self.sid,
            "AccountSid": self.account_sid,
            "From": self.sender,
            "To": self.recipient,
            "Body": self.body,
            "NumMedia": str(len(media)),
        }
        for position, file in enumerate(media):
            parameters[f"MediaUrl{position}"] = file.url or ""
            parameters[f"MediaContentType{position}"] = file.mime_type or ""
        return parameters

    def callback_fields(self) -> dict[str, str]:
        """Return the parameters of a status callback for the message's current status."""
        parameters = {
            "MessageSid": self.sid,
            "AccountSid": self.account_sid,
            "From": self.sender,
            "To": self.recipient,
            "MessageStatus": self.status,
        }
        return parameters | ({"ErrorCode": self.error_code} if self.error_code else {})


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of messages, newest first. *following*: path of the next page; None on the last one."""

    messages: list[Listed]
    following: str | None


@dataclass(slots=True, eq=False)
class Twilio:
    """The API at *base_url*, such as `https://api.twilio.com`."""

    base_url: str

    def send(
        self, credentials: Credentials, message: Message, within_ms: int = http.LONGEST_ANSWER_MS
    ) -> Sent:
        """
        Send one message: one attempt, limited to *within_ms*. There is no idempotency key.

        Raises Refused (or a subclass, depending on Twilio's code), NotSent or InDoubt. (Twilio, "Messages resource".)
        """
        # A lone surrogate has no UTF-8; it is replaced by a question mark rather than losing the message.
        form = urlencode(message.form(), errors="replace").encode()
        url = f"{self.base_url}{credentials.path}/Messages.json"
        created = api.request("POST", url, credentials, form, within_ms)
        if not created.get("sid"):
            raise InDoubt("twilio_no_sid")
        status = str(created.get("status", ""))
        if status in _NOT_SENT_AFTER_ALL:
            code = api.number(created.get("error_code"))
            raise api.refusal(code) if code else Refused(f"twilio_{status}")
        # A messaging service chooses the sender later, and reports 0 until then.
        segments = api.number(created.get("num_segments")) or None
        return Sent(str(created["sid"]), status, segments)

    def sent_to(self, credentials: Credentials, to: str, since_ms: int) -> list[Listed]:
        """
        List our messages to *to* (with its prefix) that Twilio created since then: the evidence for a send in doubt.

        Reads all messages ever sent to this address: a message not yet handed over has no date to filter by.
        Twilio does not document how soon a message is listed. Raises as `send` does.
        """
        listed = self._listed(credentials, {"To": to}, since_ms)
        return [message for message in listed if not message.is_inbound]

    def between(
        self, credentials: Credentials, since_ms: int, until_ms: int, path: str | None = None
    ) -> Page:
        """
        List messages to and from all numbers of the account created in that period: its first page, or the one at
        *path* of an earlier call for the same period. Raises as `send` does.
        """
        # Twilio's own libraries send a time, its documentation mentions only days: both results contain the
        # period.
        query = {"DateSent>": _moment(since_ms), "DateSent<": _moment(until_ms + clock.SECOND_MS)}
        page = self._page(credentials, path or _list_path(credentials, query))
        first_ms = since_ms - since_ms % clock.SECOND_MS
        of_period = [m for m in page.messages if first_ms <= m.created_at_ms <= until_ms]
        return Page(of_period, page.following)

    def media_of(self, credentials: Credentials, message_sid: str) -> list[File]:
        """Return the files of a message, in the form of a webhook. Raises as `send` does."""
        path = f"{credentials.path}/Messages/{quote(message_sid, safe='')}/Media.json"
        answer = api.request("GET", self.base_url + path, credentials)
        return [
            File(
                url=self.base_url + entry["uri"].removesuffix(".json"),
                mime_type=entry.get("content_type"),
            )
            for entry in _objects(answer.get("media_list"))
            if isinstance(entry.get("uri"), str)
        ]

    def _listed(
        self, credentials: Credentials, query: Mapping[str, str], since_ms: int
    ) -> Iterator[Listed]:
        """Yield messages created since then, to the second. Raises InDoubt above `_MOST_PAGES` pages."""
        since_ms -= since_ms % clock.SECOND_MS
        path: str | None = _list_path(credentials, query)
        for _ in range(_MOST_PAGES):
            if path is None:
                return
            page = self._page(credentials, path)
            yield from (message for message in page.messages if message.created_at_ms >= since_ms)
            path = page.following
        if path is not None:
            raise InDoubt("twilio_list_too_long")

    def _page(self, credentials: Credentials, path: str) -> Page:
        answer = api.request("GET", self.base_url + path, credentials)
        messages = [_message(entry) for entry in _objects(answer.get("messages"))]
        following = str(answer.get("next_page_uri") or "")
        return Page(messages, following if following.startswith("/") else None)


def _list_path(credentials: Credentials, query: Mapping[str, str]) -> str:
    query_string = urlencode({**query, "PageSize": str(_PAGE_SIZE)})
    return f"{credentials.path}/Messages.json?{query_string}"


def status_callback(public_url: str, action_id: str) -> str:
    """Return the URL for Twilio's status callbacks of an action: our route, with the action id in the query."""
    return f"{public_url.rstrip('/')}{_STATUS_PATH}?{urlencode({'a': action_id})}"


def whatsapp_address(address: str) -> str:
    """
    Return Twilio's WhatsApp address of a phone number or of a user id (`bsuid:US.1349`).

    Check: that `To` takes the bare user id of a customer without a number is Twilio's announcement of `ExternalUserId`
    and not confirmed by Parley's traffic. Only this function depends on it.
    """
    return WHATSAPP + address.removeprefix(USER_ID_PREFIX)


def body_hash(text: str) -> str:
    """Return the SHA-256 in hex of a message's text; the ledger stores only this hash."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _moment(ms: int) -> str:
    """Format a time for the filters of a list, to the second."""
    return f"{clock.to_text(ms).partition('.')[0]}Z"


def _message(entry: Mapping[str, Any]) -> Listed:
    error = entry.get("error_code")
    created_at_ms = _date_ms(entry.get("date_created"))
    if created_at_ms is None:
        raise InDoubt("twilio_no_date")
    return Listed(
        sid=str(entry.get("sid", "")),
        account_sid=str(entry.get("account_sid", "")),
        direction=str(entry.get("direction", "")),
        sender=str(entry.get("from") or ""),
        recipient=str(entry.get("to") or ""),
        body=str(entry.get("body") or ""),
        status=str(entry.get("status", "")),
        error_code=None if error is None else str(error),
        media_count=api.number(entry.get("num_media")),
        created_at_ms=created_at_ms,
        updated_at_ms=_date_ms(entry.get("date_updated")) or created_at_ms,
    )


def _date_ms(value: object) -> int | None:
    """Parse an RFC 2822 date into milliseconds since 1970; None if invalid."""
    try:
        return int(parsedate_to_datetime(str(value)).timestamp()) * clock.SECOND_MS
    except ValueError:
        return None


def _objects(value: object) -> list[dict[str, Any]]:
    entries = value if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]
