"""Meta's Graph API for WhatsApp: sending messages, marking them as read, and fetching media."""

import hashlib
import hmac
import re
import secrets
from base64 import b64decode, b64encode

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from local.sandbox.accounts.media import MediaFile
from local.sandbox.config import Number
from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import rules, status_webhooks
from local.sandbox.providers.whatsapp.rules import Accepted, BrokenRule, digits_of
from local.sandbox.responses import json_response

MEDIA_URL_LIFETIME_SECONDS = 300
_DOWNLOAD_PATH = "/whatsapp_business/attachments/"
_VERSION = re.compile(r"v\d+\.\d+")
# Download addresses are signed, so that only addresses from the sandbox work.
_ADDRESS_KEY = secrets.token_bytes(32)

# HTTP status -> code, message, for configured faults
_FAILURES = {
    400: (100, "Invalid parameter"),
    401: (190, "Error validating access token"),
    403: (10, "Application does not have permission for this action"),
    429: (130429, "Rate limit hit"),
    500: (131000, "Something went wrong"),
}


def graph_error(
    status: int, code: int, message: str, *, details: str | None = None, subcode: int | None = None
) -> Response:
    """Return an error in Graph's format."""
    error: dict[str, object] = {
        "message": f"(#{code}) {message}",
        "type": "OAuthException",
        "code": code,
    }
    if subcode is not None:
        error["error_subcode"] = subcode
    if details is not None:
        error["error_data"] = {"messaging_product": "whatsapp", "details": details}
    return json_response({"error": error | {"fbtrace_id": secrets.token_urlsafe(16)}}, status)


def invalid(details: str, code: int = 100) -> Refused:
    """Return Graph's refusal of a request with an invalid parameter."""
    return Refused(graph_error(400, code, "Invalid parameter", details=details))


def failure(status: int) -> Response:
    """Return Graph's failure with this HTTP status."""
    code, message = _FAILURES.get(status, (2, "Service temporarily unavailable"))
    return graph_error(status, code, message)


def no_such_object(object_id: str, status: int = 400) -> Refused:
    """Return Graph's refusal of an id that is unknown or not visible to this token."""
    message = (
        f"Unsupported request. Object with ID '{object_id}' does not exist or cannot be loaded"
    )
    return Refused(graph_error(status, 100, message, subcode=33))


async def post_message(call: Call) -> Answer:
    """`POST /{version}/{phone number id}/messages`: a message to a customer, or a read receipt."""
    check_token(call.request)
    check_version(call.request)
    number = number_of(call, call.request.path_params["phone_number_id"])
    try:
        message = parse_json(call.raw)
    except ValueError as error:
        refusal = graph_error(
            400, 100, "Invalid parameter", details=f"Body: not JSON ({type(error).__name__})"
        )
        raise Refused(refusal) from None
    try:
        if rules.is_receipt(message):
            rules.check_receipt(message)
            return Answer(json_response({"success": True}), message)
        accepted = rules.check_message(message, call.sandbox.sendable_media)
    except BrokenRule as broken:
        raise Refused(
            graph_error(400, broken.code, "Invalid parameter", details=broken.details)
        ) from None
    message_id = "wamid." + b64encode(secrets.token_bytes(24)).decode()
    response = json_response(
        {
            "messaging_product": "whatsapp",
            "contacts": [_contact(accepted)],
            "messages": [{"id": message_id}],
        }
    )
    response.background = BackgroundTask(
        status_webhooks.report, call.sandbox, number, message_id, accepted
    )
    return Answer(response, message)


async def get_media(call: Call) -> Answer:
    """`GET /{version}/{media id}`: type and hash of the file, and an address that is valid for five minutes."""
    check_token(call.request)
    check_version(call.request)
    if "phone_number_id" in call.request.query_params:
        number_of(call, call.request.query_params["phone_number_id"])
    file = _file(call, call.request.path_params["node"])
    expires = int(call.sandbox.clock.now()) + MEDIA_URL_LIFETIME_SECONDS
    query = f"mid={file.media_id}&ext={expires}&hash={_signature(file.media_id, str(expires))}"
    listing = {
        "messaging_product": "whatsapp",
        "url": f"{call.base_url}{_DOWNLOAD_PATH}?{query}",
        "mime_type": file.mime_type,
        "sha256": file.listing_sha256,
        "file_size": len(file.content),
        "id": file.media_id,
    }
    return Answer(json_response(listing))


async def list_templates(call: Call) -> Answer:
    """`GET /{version}/{account id}/message_templates`: the account's templates whose name contains `name`."""
    check_token(call.request)
    check_version(call.request)
    waba, query = call.request.path_params["waba"], call.request.query_params
    if not any(n.waba == waba and n.aws_id is None for n in call.sandbox.config.numbers):
        raise no_such_object(waba)
    limit = query.get("limit", "25")
    if not limit.isdecimal():
        raise Refused(graph_error(400, 100, "Param limit must be an integer"))
    fields = {"id", *query.get("fields", "name,components,language,status,category").split(",")}
    found = [
        {name: value for name, value in template.items() if name in fields}
        for template in call.sandbox.templates
        if template["waba"] == waba and query.get("name", "") in str(template["name"])
    ]
    # Cursors are opaque; here they are positions.
    start = int(b64decode(query["after"])) if "after" in query else 0
    end = start + int(limit)
    following = b64encode(str(end).encode()).decode() if end < len(found) else None
    paging = {"cursors": {"after": following}, "next": "..."} if following else {}
    return Answer(json_response({"data": found[start:end], "paging": paging}))


async def download_media(call: Call) -> Answer:
    """The content of an address from `get_media`; 404 if it has expired or its signature is invalid."""
    check_token(call.request)
    media_id, expires, signature = (
        call.request.query_params.get(name, "") for name in ("mid", "ext", "hash")
    )
    genuine = hmac.compare_digest(signature.encode(), _signature(media_id, expires).encode())
    if not genuine or call.sandbox.clock.now() >= int(expires):
        raise Refused(Response("Not Found", 404, media_type="text/plain"))
    file = _file(call, media_id)
    return Answer(Response(file.content, media_type=file.mime_type))


def message_operation(call: Call) -> str:
    """Return the operation of a POST to `messages`; a body that is not JSON counts as a message."""
    try:
        message = parse_json(call.raw)
    except ValueError:
        return "send_message"
    return "mark_as_read" if rules.is_receipt(message) else "send_message"


def check_token(request: Request) -> None:
    """Raise Refused unless the request has an access token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused(graph_error(401, 190, "Invalid OAuth access token"))


def check_version(request: Request) -> None:
    """Raise Refused unless the path begins with a version."""
    if not _VERSION.fullmatch(request.path_params["version"]):
        raise Refused(
            graph_error(400, 2500, "Unknown path components: expected /v<major>.<minor>/...")
        )


def number_of(call: Call, phone_number_id: str) -> Number:
    """Return the number on Graph with this id. Raises Refused."""
    number = call.sandbox.config.graph_number(phone_number_id)
    if number is None:
        raise no_such_object(phone_number_id)
    return number


def _file(call: Call, media_id: str) -> MediaFile:
    file = call.sandbox.media.get(media_id)
    if file is None:
        raise no_such_object(media_id)
    if file.gone:
        raise no_such_object(media_id, 404)
    return file


def _contact(accepted: Accepted) -> dict[str, str]:
    address = accepted.address
    if accepted.is_user_id:
        return {"input": address, "user_id": address}
    return {"input": address, "wa_id": digits_of(address) or address}


def _signature(media_id: str, expires: str) -> str:
    return hmac.new(_ADDRESS_KEY, f"{media_id}|{expires}".encode(), hashlib.sha256).hexdigest()


ENDPOINTS = (
    Endpoint(
        "POST",
        "/{version}/{phone_number_id}/messages",
        ("send_message", "mark_as_read"),
        post_message,
        message_operation,
    ),
    Endpoint("GET", "/{version}/{waba}/message_templates", ("list_templates",), list_templates),
    Endpoint("GET", _DOWNLOAD_PATH, ("download_media",), download_media),
)
