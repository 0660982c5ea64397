"""
The calls of Meta's embedded sign-up. All that is known about it is in this module.

    dialog      Meta, "Facebook Login for Business": a configuration (`config_id`) instead of scopes; it returns a code
    token_of    Meta, "Access tokens": `oauth/access_token` with the code and the address that the dialog returned to
    granted     Meta, "Debug token": the accounts for which the token has whatsapp_business_management, newest first;
                a permission for all assets of a person may name none, and reaches no account here

Not confirmed by our own traffic: that the dialog of a WhatsApp configuration opens by its address, without Meta's
script, which the policy of the pages does not allow; that `oauth/access_token` takes POST.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from shared.providers.whatsapp.meta_graph import Graph

MOST_ACCOUNTS = 5  # newest first
_WITHIN_MS = 5_000  # of a call; a person waits
ALL_WITHIN_MS = 18_000  # of all calls of a sign-up: the function has 29 s
_API, _PAGES = "https://graph.facebook.com", "https://www.facebook.com"
_SCOPE = "whatsapp_business_management"


@dataclass(frozen=True, slots=True)
class GrantedAccounts:
    """The accounts that a token reaches. *expires_at*: seconds since 1970; 0: never."""

    accounts: list[str]
    expires_at: int


@dataclass(frozen=True, slots=True)
class ListedNumber:
    """A number of an account, as Meta lists it."""

    phone: str
    display: str
    name: str | None


def address(graph: Graph, app_id: str, config_id: str) -> str:
    """Return the address of the dialog, without `redirect_uri` and `state`, which the page adds."""
    query = {
        "client_id": app_id,
        "config_id": config_id,
        "response_type": "code",
        "override_default_response_type": "true",
    }
    base = graph.base_url.replace(_API, _PAGES)
    return f"{base}/{graph.version}/dialog/oauth?{urlencode(query)}"


def token_of(graph: Graph, app_id: str, secret: str, code: str, returned_to: str) -> str | None:
    """Return the access token for a code, which works once. Raises Refused, NotSent or InDoubt."""
    body = {
        "client_id": app_id,
        "client_secret": secret,
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": returned_to,
    }
    answer = graph.call(
        "POST", "oauth/access_token", _of_app(app_id, secret), body, within_ms=_WITHIN_MS
    )
    token = answer.get("access_token")
    return token if isinstance(token, str) and token else None


def granted(graph: Graph, app_id: str, secret: str, token: str) -> GrantedAccounts:
    """Return the accounts that a person has granted. Raises Refused, NotSent or InDoubt."""
    answer = graph.call(
        "GET",
        "debug_token",
        _of_app(app_id, secret),
        query={"input_token": token},
        within_ms=_WITHIN_MS,
    )
    data = _object(answer.get("data"))
    if not data.get("is_valid") or str(data.get("app_id")) != app_id:
        return GrantedAccounts([], 0)
    scopes = [_object(one) for one in data.get("granular_scopes") or []]
    targets = [
        str(one)
        for scope in scopes
        if scope.get("scope") == _SCOPE
        for one in scope.get("target_ids") or []
    ]
    return GrantedAccounts(
        list(dict.fromkeys(targets))[:MOST_ACCOUNTS], data.get("expires_at") or 0
    )


def numbers(graph: Graph, account: str, token: str, left_ms: int) -> list[ListedNumber]:
    """Return the first hundred numbers of an account, within *left_ms*. Raises Refused, NotSent or InDoubt."""
    query = {"fields": "id,display_phone_number,verified_name", "limit": "100"}
    within_ms = min(_WITHIN_MS, left_ms)
    answer = graph.call("GET", f"{account}/phone_numbers", token, query=query, within_ms=within_ms)
    return [
        ListedNumber(str(one["id"]), str(one["display_phone_number"]), one.get("verified_name"))
        for one in map(_object, answer.get("data") or [])
        if one.get("id") and one.get("display_phone_number")
    ]


def _of_app(app_id: str, secret: str) -> str:
    """Return the access token of the app itself."""
    return f"{app_id}|{secret}"


def _object(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}
