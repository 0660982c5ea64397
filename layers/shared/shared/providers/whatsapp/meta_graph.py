"""Meta's Graph API for WhatsApp."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from shared.providers import http
from shared.providers.outcomes import ErrorDetails, InDoubt, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

# Throttled: the request was not acted on (Meta, "Error codes": app, account, number and pair rate limits).
_THROTTLED = frozenset({4, 80007, 80008, 130429, 131056})
_TOO_MANY = 429
_MOST_DIGITS = 18  # of a code
_SERVER_ERRORS = 500
_OK = 200


@dataclass(frozen=True, slots=True)
class MediaListing:
    """A media file's URL, valid for about five minutes, with Meta's MIME type and size."""

    url: str
    mime_type: str
    size_bytes: int


@dataclass(slots=True, eq=False)
class Graph:
    """The API at *base_url* in one version, such as `v23.0`."""

    base_url: str
    version: str

    def post_message(
        self,
        phone: str,
        token: str,
        message: Mapping[str, Any],
        edge: str = "messages",
        *,
        within_ms: int = http.LONGEST_ANSWER_MS,
    ) -> str | None:
        """
        Send message JSON from the number with Meta's id *phone*; return the new message's id, None for a receipt.

        *edge*: `messages`, or `marketing_messages` for marketing templates of an account that is onboarded to that API.
        One attempt. Raises Refused, NotSent or InDoubt. (Meta, "Messages": POST /{version}/{phone}/messages.)
        """
        answer = self.call("POST", f"{phone}/{edge}", token, message, within_ms=within_ms)
        ids = [entry["id"] for entry in answer.get("messages", []) if "id" in entry]
        return ids[0] if ids else None

    def media(self, phone: str, token: str, media_id: str) -> MediaListing:
        """Look up a media file. Raises Refused (also if it no longer exists), NotSent or InDoubt."""
        answer = self.call(
            "GET", f"{quote(media_id, safe='')}?phone_number_id={quote(phone, safe='')}", token
        )
        size = str(answer.get("file_size", ""))
        if not isinstance(answer.get("url"), str):
            raise InDoubt("no_url")
        return MediaListing(
            url=answer["url"],
            mime_type=str(answer.get("mime_type", "")),
            size_bytes=int(size) if size.isdecimal() else 0,
        )

    def templates(self, waba: str, token: str, name: str) -> list[dict[str, Any]]:
        """
        Return the translations of an account's template: name, language, status, category, components, id.

        At most 100; Graph may also return templates with similar names. Raises Refused, NotSent or InDoubt. (Meta,
        "Message Templates": GET /{version}/{waba}/message_templates.)
        """
        fields = "name,language,status,category,components,id"
        query = f"name={quote(name, safe='')}&fields={fields}&limit=100"
        answer = self.call("GET", f"{quote(waba, safe='')}/message_templates?{query}", token)
        found = answer.get("data")
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def call(
        self,
        method: str,
        path: str,
        token: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        within_ms: int = http.LONGEST_ANSWER_MS,
    ) -> dict[str, Any]:
        """
        Make one attempt at any call of the API; *path* is the part after the version, with its variables quoted.

        Returns the JSON object of the response. Raises Refused, NotSent or InDoubt.
        """
        return self._object(
            http.call(
                method,
                self._url(path, query),
                headers={"Authorization": f"Bearer {token}"},
                json=body,
                within_ms=within_ms,
            ),
            token,
        )

    def upload(
        self,
        path: str,
        headers: Mapping[str, str],
        content: bytes,
        *,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """POST bytes, such as a multipart form; *headers* include `Authorization`. Raises as `call` does."""
        return self._object(
            http.call("POST", self._url(path, query), headers=headers, body=content),
            headers["Authorization"].rpartition(" ")[2],
        )

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        return f"{self.base_url}/{self.version}/{path}" + (f"?{urlencode(query)}" if query else "")

    @staticmethod
    def _object(answer: http.Answer, token: str) -> dict[str, Any]:
        if answer.status != _OK:
            raise _failure(answer, token)
        try:
            parsed = json.loads(answer.data)
        except ValueError:
            raise InDoubt("no_json") from None
        return parsed if isinstance(parsed, dict) else {}


def _failure(answer: http.Answer, token: str) -> Refused | NotSent | InDoubt:
    try:
        parsed = json.loads(answer.data)
    except (ValueError, RecursionError):
        parsed = None
    found = parsed.get("error") if isinstance(parsed, dict) else None
    error: dict[str, Any] = found if isinstance(found, dict) else {}
    details, stated = _details(error, token), _whole(error.get("code"))
    code = answer.status if stated is None else stated
    if answer.status == _TOO_MANY or code in _THROTTLED:
        return NotSent(f"graph_{code}", details=details)
    if answer.status >= _SERVER_ERRORS:
        return InDoubt(f"graph_{code}", details)
    return Refused(f"graph_{code}", parsed if error else None, details)


def _whole(value: object) -> int | None:
    """Return a whole number that Graph sends as a number, or as its digits; None for other values."""
    if (
        isinstance(value, str)
        and value.isascii()
        and value.isdecimal()
        and len(value) <= _MOST_DIGITS
    ):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _details(error: Mapping[str, Any], token: str) -> ErrorDetails:
    """
    Return the details of Graph's error object. Its texts can repeat the access token.

    `message` is in English, for developers; `error_data.details` and `error_user_msg` say more. (Meta's OpenAPI,
    `GraphAPIError`.)
    """
    data = error.get("error_data")
    more = data.get("details") if isinstance(data, dict) else data
    texts = [error.get("error_user_title"), more, error.get("error_user_msg"), error.get("message")]
    title, more, for_users, message = (
        text.replace(token, "***") if isinstance(text, str) and token else text for text in texts
    )
    if isinstance(message, str):
        message = message.removeprefix(f"(#{error.get('code')}) ")
    explanation = next((text for text in (more, for_users) if isinstance(text, str) and text), None)
    return ErrorDetails.parsed(
        subcode=_whole(error.get("error_subcode")),
        title=title or (message if explanation else None),
        message=explanation or message,
        trace_id=error.get("fbtrace_id"),
        is_transient=error.get("is_transient") is True,
    )
