"""
Verifies Twilio's webhook signature: over the called URL and the form, with a secret of the account.

    X-Twilio-Signature = base64(HMAC(key, URL + name + value + name + value ...))

Names are in code point order, each with its distinct values in order. The key is the account's auth token, with SHA-1;
or, if `X-Twilio-Webhooks-Signature-Settings` is present, a shared key, with SHA-256. A JSON body is not signed itself:
its SHA-256 is in the query. (Twilio, "Webhooks security", "Sign webhooks with shared keys".)

The signature contains no time, so a captured call stays valid for ever: intake's markers detect replays.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from shared.aws.secrets import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

type Form = list[tuple[bytes, bytes]]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PORT = re.compile(r":\d+$")
_SHARED_KEY_ALGORITHM = "HMAC_SHA256"
_MOST_TO_PERMUTE = 3
# Twilio's webhooks have about 30 parameters, and two more for each of at most 10 files ("Twilio's request to your
# incoming message webhook URL"); the query has the parameters an operator configured, `a` and `bodySHA256`.
MOST_FIELDS = 256
MOST_QUERY_PARAMETERS = 16


@dataclass(frozen=True, slots=True)
class Call:
    """
    The signed parts of a call. *urls*: the candidate URLs that Twilio may have signed, see `urls_of`.

    *settings* is the header that names a shared key, None if absent. *body_hashes* are the values of `bodySHA256` in
    the query.
    """

    body: bytes = field(repr=False)
    is_json: bool
    urls: Sequence[str]
    signature: str = field(repr=False)
    settings: str | None = None
    body_hashes: Sequence[str] = ()


def has_too_many_fields(body: bytes, *, is_json: bool, query: Sequence[tuple[str, str]]) -> bool:
    """Return whether a call has more fields than Twilio sends; counted before anything is parsed or hashed."""
    in_form = 0 if is_json else body.count(b"&") + 1
    return in_form > MOST_FIELDS or len(query) > MOST_QUERY_PARAMETERS


def fields_of(body: bytes, *, is_json: bool) -> dict[str, Any]:
    """Return the fields of a body by name; a list if a name has several values. Empty if the body is unreadable."""
    if is_json:
        return _object(body)
    fields: dict[str, list[str]] = {}
    for name, value in _form(body):
        values = fields.setdefault(name.decode("utf-8", "replace"), [])
        values.append(value.decode("utf-8", "replace"))
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def signer_of(call: Call, accounts: object) -> str | None:
    """
    Return the SID of the account that signed the call; None unless the account claimed in the call signed it.

    *accounts* is that part of the secret: `{"AC...": {"auth_tokens": [...], "shared_keys": {id: key}}}`. The claim only
    selects keys. All candidate keys are tried even after a match, so that timing reveals nothing.
    """
    claimed = fields_of(call.body, is_json=call.is_json).get("AccountSid")
    if not isinstance(claimed, str) or not isinstance(accounts, dict):
        return None
    account = accounts.get(claimed)
    keys = _keys(call.settings, account if isinstance(account, dict) else {})
    if call.is_json and not _is_hashed(call):
        return None
    form = [] if call.is_json else _form(call.body)
    # The sender controls the header's characters; compare_digest accepts non-ASCII text only as bytes.
    received = call.signature.encode("utf-8", "surrogatepass")
    matches = [
        hmac.compare_digest(_signature(url, form, key, algorithm), received)
        for url in call.urls
        for key, algorithm in keys
    ]
    return claimed if any(matches) else None


def urls_of(event: Mapping[str, Any], public_urls: Sequence[str]) -> list[str]:
    """
    Return the URLs that Twilio may have called for this API Gateway event.

    *public_urls* are the bases before the path, such as `https://api.example.com`. They are configured, because the
    caller controls the call's host header. Without any, uses API Gateway's own domain and its path with the stage.
    """
    if public_urls:
        addresses = [public_url.rstrip("/") + event["path"] for public_url in public_urls]
    else:
        context = event["requestContext"]
        addresses = [f"https://{context['domainName']}{context['path']}"]
    queries = _queries(query_of(event))
    return [
        url + query for address in addresses for url in _with_ports(address) for query in queries
    ]


def query_of(event: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the decoded query parameters."""
    several = event.get("multiValueQueryStringParameters")
    if several:
        return [(name, value) for name, values in several.items() for value in values]
    return list((event.get("queryStringParameters") or {}).items())


def _signature(url: str, form: Form, key: str, algorithm: str) -> bytes:
    """Return the header value that signs a call of *url* with *form* as its body."""
    # UTF-8 bytes sort in code point order.
    fields = b"".join(name + value for name, value in sorted(set(form)))
    signed = url.encode("utf-8", "surrogatepass") + fields
    return b64encode(hmac.digest(key.encode(), signed, algorithm))


def _with_ports(url: str) -> list[str]:
    """Return the URL without a port and with its explicit or default port: Twilio signs either."""
    parts = urlsplit(url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    host = _PORT.sub("", parts.netloc)
    return [parts._replace(netloc=netloc).geturl() for netloc in (host, f"{host}:{port}")]


def _queries(parameters: list[tuple[str, str]]) -> list[str]:
    """
    Return the query strings that may have been signed, in every order.

    API Gateway passes the query as a map, and Twilio is reported to send it sorted but to sign it as configured
    (github.com/twilio/twilio-php/issues/790). Parley's own URLs have two parameters at most.
    """
    orders = [parameters]
    if len(parameters) <= _MOST_TO_PERMUTE:
        orders = [list(order) for order in permutations(parameters)]
    # The caller controls the characters, and a lone surrogate has no UTF-8 encoding.
    written = [urlencode(order, errors="surrogatepass") for order in orders]
    return [f"?{query}" if query else "" for query in dict.fromkeys(written)]


def _keys(settings: str | None, account: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the candidate keys, each with its algorithm; none if the settings header has an unknown format."""
    if settings is None:
        return [(token, "sha1") for token in texts(account.get("auth_tokens"))]
    named = _shared_key_named_in(settings)
    shared_keys = account.get("shared_keys")
    if named is None or not isinstance(shared_keys, dict):
        return []
    return [(key, "sha256") for key in texts(shared_keys.get(named))]


def _shared_key_named_in(settings: str) -> str | None:
    """Return the key id in `key=<id>,algorithm=HMAC_SHA256`; None for anything else (a beta: the format may change)."""
    parts = [part.strip().partition("=") for part in settings.split(",")]
    named = {name: value for name, _, value in parts}
    if len(parts) != len(named) or named.keys() != {"key", "algorithm"}:
        return None
    return named["key"] if named["algorithm"] == _SHARED_KEY_ALGORITHM else None


def _is_hashed(call: Call) -> bool:
    """Return whether the query has exactly one `bodySHA256`, and it is the hash of the body."""
    expected = hashlib.sha256(call.body).hexdigest().encode()
    received = [text.encode("utf-8", "surrogatepass") for text in call.body_hashes]
    return len(received) == 1 and hmac.compare_digest(expected, received[0].lower())


def _form(body: bytes) -> Form:
    # Blank values are signed too. Bytes, because the signed data need not be UTF-8.
    return parse_qsl(body, keep_blank_values=True)


def _object(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
