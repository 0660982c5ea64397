"""The tests' HTTP client for a sandbox: no retries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import urllib3

GRAPH_NUMBER = "106540352242922"
MESSAGES = f"/v23.0/{GRAPH_NUMBER}/messages"
AWS_NUMBER = "phone-number-id-0123456789abcdef0123456789abcdef"
AWS_NUMBER_ARN = (
    "arn:aws:social-messaging:us-east-1:000000000000:"
    "phone-number-id/0123456789abcdef0123456789abcdef"
)
BEARER = "Bearer a-token"
# The sandbox checks the form of an AWS signature, not its value.
SIGNED = "AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/social-messaging/aws4_request"
RECEIPT = {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.SGVsbG8="}
TEXT = {"messaging_product": "whatsapp", "to": "+16505551234", "text": {"body": "Hello"}}


@dataclass(frozen=True)
class Reply:
    """A completely read response."""

    status: int
    headers: urllib3.HTTPHeaderDict
    content: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.content)


class Client:
    """Requests to one sandbox."""

    def __init__(self, url: str, *, timeout_seconds: float = 120) -> None:
        self._url = url
        self._pool = urllib3.PoolManager(retries=False, timeout=timeout_seconds)

    def get(self, path: str, *, authorization: str | None = BEARER) -> Reply:
        """GET a path of the sandbox, or a full URL."""
        return self.send("GET", path, authorization=authorization)

    def post(self, path: str, body: object, *, authorization: str | None = BEARER) -> Reply:
        """POST JSON, or unchanged bytes."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("POST", path, raw, authorization=authorization)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        authorization: str | None = BEARER,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send any request."""
        url = path if path.startswith("http") else self._url + path
        credentials = {"Authorization": authorization} if authorization is not None else {}
        response = self._pool.request(
            method, url, body=body, headers={**credentials, **(headers or {})}
        )
        return Reply(response.status, response.headers, response.data)

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()
