"""A request of a browser, or of a mail program, to the public pages."""

from __future__ import annotations

import base64
import binascii
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from newsletters.issues.readers.texts import language_of
from shared.identity.keyed_hashes import keyed_hash
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_BODY: Final = 20_000
_MOST_FIELDS: Final = 300
_HASH_DIGITS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """
    *path* is what follows `/n/` or `/u/`, *fields* are fields of a form or of a JSON object, each with its values.
    *base_url* is the address of the stage.
    """

    path: tuple[str, ...]
    is_post: bool
    is_json: bool
    fields: Mapping[str, list[str]] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)
    ip: str = field(repr=False)
    user_agent: str = field(repr=False)
    base_url: str

    def first(self, name: str) -> str:
        """Return the first value of a field; empty without one."""
        return next(iter(self.fields.get(name, [])), "")

    @property
    def action(self) -> str:
        """The address, relative to the page, to which its form is sent."""
        return f"{'../' * len(self.path)}u/{'/'.join(self.path)}"

    def language(self, *others: str | None) -> str:
        """Return the language of the page: the one that is asked for, else the first of *others* that has texts."""
        return language_of(*filter(None, (self.query.get("language"), *others)))

    @property
    def network(self) -> str:
        """The keyed hash of the network address."""
        return keyed_hash("network address", self.ip)[:_HASH_DIGITS]

    @property
    def user_agent_hash(self) -> str | None:
        """The keyed hash of the browser's name; None without one."""
        return keyed_hash("user agent", self.user_agent)[:_HASH_DIGITS] if self.user_agent else None


def visit_of(event: Mapping[str, Any]) -> Visit:
    """Return the request of an event of API Gateway. A body that cannot be read has no fields."""
    parameters = event.get("pathParameters") or {}
    headers = {
        str(name).lower(): str(value) for name, value in (event.get("headers") or {}).items()
    }
    is_json = "json" in headers.get("content-type", "")
    identity = (event.get("requestContext") or {}).get("identity") or {}
    proxy = str(parameters.get("proxy") or "")
    return Visit(
        path=tuple(proxy.split("/")),
        is_post=event.get("httpMethod") == "POST",
        is_json=is_json,
        fields=_fields(event, is_json=is_json),
        query=event.get("queryStringParameters") or {},
        ip=str(identity.get("sourceIp") or ""),
        user_agent=headers.get("user-agent", "")[:500],
        base_url=_base_url(event, headers),
    )


def _fields(event: Mapping[str, Any], *, is_json: bool) -> Mapping[str, list[str]]:
    body = str(event.get("body") or "")[:_LONGEST_BODY]
    with suppress(binascii.Error, UnicodeDecodeError, ValueError):
        if event.get("isBase64Encoded"):
            body = base64.b64decode(body).decode()
        if not is_json:
            return parse_qs(body, max_num_fields=_MOST_FIELDS)
        given = json_object(body) or {}
        return {name: [value] for name, value in given.items() if isinstance(value, str)}
    return {}


def _base_url(event: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """Return the address of the stage, from what API Gateway says of the request."""
    context = event.get("requestContext") or {}
    host = str(context.get("domainName") or headers.get("host", ""))
    whole, own = str(context.get("path") or ""), str(event.get("path") or "")
    return f"https://{host}{whole.removesuffix(own)}"
