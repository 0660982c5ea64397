"""
Serves the web console to browsers: GET /console and the files below it.

No authorizer: the files are the same for everyone and name no company. The pages get their data from the API, with the
token of the person who signed in.
"""

import base64
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from console.api import pages
from console.api.pages import Asset
from shared.access.logins import SCOPES, LoginSettings, StoredLogins
from shared.api.proxy_event import header
from shared.aws.sqs_fifo import to_json
from shared.runtime.failures import Transient
from shared.runtime.observability import logger
from shared.runtime.settings import Settings

PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Strict-Transport-Security": "max-age=31536000",
}
_CONFIGURATION = "config.json"
_KEPT = "public, max-age=31536000, immutable"
_CHECKED = "no-cache"  # kept, but asked for each time


@dataclass(frozen=True, kw_only=True)
class AssetsSettings(Settings):
    """
    The environment of this function. `live_url`: the WebSocket API (wss://...). `upload_origin`: the
    bucket of files to send; `preview_origin`: the bucket of newsletters, whose files are shown.
    """

    stage: str
    login_settings_name: str
    live_url: str | None = None
    upload_origin: str | None = None
    preview_origin: str | None = None


settings = AssetsSettings.load()
# A page that is loaded waits for it once in five minutes.
quick = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 3})
logins = StoredLogins(lambda: boto3.client("ssm", config=quick), settings.login_settings_name)


def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    response = _response(event)
    logger.info(
        "page answered",
        extra={
            "correlation_id": event["requestContext"]["requestId"],
            "route": event["resource"],
            "status": response["statusCode"],
        },
    )
    return response


def _response(event: dict[str, Any]) -> dict[str, Any]:
    path = (event.get("pathParameters") or {}).get("proxy")
    if path is None:
        # Relative addresses of the page count from /console, without a slash at its end.
        if event["path"].endswith("/"):
            return _answer(HTTPStatus.PERMANENT_REDIRECT, {"Location": "../console"})
        return _file(event, _pages()[pages.INDEX])
    if path == _CONFIGURATION:
        return _answer(HTTPStatus.OK, _typed("json", "no-store"), to_json(_configuration()))
    if path in {"", "/"}:
        return _answer(HTTPStatus.PERMANENT_REDIRECT, {"Location": "../console"})
    # A look-up among known names: no path reaches the file system.
    asset = _pages().get(path)
    if asset is None or asset.name == pages.INDEX:
        return _answer(HTTPStatus.NOT_FOUND, _typed("txt", "no-store"), "there is no such page\n")
    return _file(event, asset)


def _configuration() -> dict[str, Any]:
    """
    Return what the pages need to know before a person has signed in. `apiUrl` is relative to this document.

    `login` is null while its settings cannot be read: signing in is not possible then.
    """
    found = _login()
    login = found and {
        "provider": found.provider,
        "authorizeUrl": found.authorize_url,
        "tokenUrl": found.token_url,
        "logoutUrl": found.logout_url or None,
        "revokeUrl": found.revoke_url or None,
        "clientId": found.client_id,
        "scopes": " ".join(SCOPES),
        "groupsClaim": found.groups_claim,
    }
    return {"apiUrl": "..", "login": login, "liveUrl": settings.live_url, "stage": settings.stage}


def _login() -> LoginSettings | None:
    try:
        return logins.value()
    except Transient:
        return None  # logged already


@cache
def _pages() -> dict[str, Asset]:
    return pages.load()


def _file(event: dict[str, Any], asset: Asset) -> dict[str, Any]:
    # API Gateway decodes base64 only for requests with an Accept header, of any value (BinaryMediaTypes "*/*").
    accepted = _encodings(header(event, "accept-encoding")) if header(event, "accept") else set()
    encoding = next((name for name in asset.compressed if name in accepted), None)
    etag = f'"{asset.etag}{"-" + encoding if encoding else ""}"'
    headers = {
        "Content-Type": asset.type,
        "Cache-Control": _KEPT if asset.is_hashed else _CHECKED,
        "ETag": etag,
        "Vary": "Accept-Encoding",
    }
    if etag in header(event, "if-none-match"):
        return _answer(HTTPStatus.NOT_MODIFIED, headers)
    if encoding is None:
        return _answer(HTTPStatus.OK, headers, asset.plain.read_text("utf-8"))
    body = base64.b64encode(asset.compressed[encoding].read_bytes()).decode()
    encoded = _answer(HTTPStatus.OK, {**headers, "Content-Encoding": encoding}, body)
    return {**encoded, "isBase64Encoded": True}


def _encodings(accepted: str) -> set[str]:
    """Return the encodings that an Accept-Encoding header names and does not exclude by `q=0`."""
    named = [entry.replace(" ", "").casefold().partition(";q=") for entry in accepted.split(",")]
    return {name for name, _, weight in named if not weight or weight.strip("0.")}


def _typed(ending: str, caching: str) -> dict[str, str]:
    return {"Content-Type": pages.TYPES[ending], "Cache-Control": caching}


def _answer(status: HTTPStatus, headers: dict[str, str], body: str = "") -> dict[str, Any]:
    return {
        "statusCode": int(status),
        "headers": {**PROTECTION, "Content-Security-Policy": _policy(), **headers},
        "body": body,
        "isBase64Encoded": False,
    }


def _policy() -> str:
    """Return the sources that a page may load, and the servers that it may call."""
    login = _login()
    of_login = (login.token_url, login.revoke_url) if login else ()
    addresses = (*of_login, settings.live_url, settings.upload_origin)
    connected = sorted({_origin(address) for address in addresses if address})
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' https: blob: data:",
        "media-src": "'self' https: blob:",
        "connect-src": " ".join(["'self'", *connected]),
        **({"frame-src": _origin(settings.preview_origin)} if settings.preview_origin else {}),
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "push-worker",  # made once, and of one file: notifications/push.ts
    }
    return "; ".join(f"{name} {value}" for name, value in policy.items())


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
