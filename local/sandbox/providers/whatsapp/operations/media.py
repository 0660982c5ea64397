"""Uploaded and deleted media files of both providers."""

import hashlib
import json
import re
import secrets
from dataclasses import dataclass

from pydantic import BaseModel, Field

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.providers.whatsapp.node import Node
from local.sandbox.responses import json_response

UPLOADED, DELETED = "uploaded_media", "deleted_media"
_MB = 1 << 20
# Meta, "Supported media types": the largest files in bytes; all other types are refused.
_DOCUMENTS = (
    "application/pdf", "text/plain", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
)  # fmt: skip
_OFFICE = "application/vnd.openxmlformats-officedocument."
_LARGEST = (
    dict.fromkeys(("image/jpeg", "image/png"), 5 * _MB)
    | dict.fromkeys(("video/mp4", "video/3gpp"), 16 * _MB)
    | dict.fromkeys(("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"), 16 * _MB)
    | dict.fromkeys(_DOCUMENTS, 100 * _MB)
    | {"image/webp": 500_000}
)


async def upload_media(call: Call) -> Answer:
    """`POST /{version}/{phone number id}/media`: a file in a form."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    meta_graph.number_of(call, call.request.path_params["phone_number_id"])
    parts = _parts(call)
    product, file = parts.get("messaging_product"), parts.get("file")
    if product is None or product.content != b"whatsapp":
        raise meta_graph.invalid("(#100) The parameter messaging_product is required.")
    if file is None or not file.filename:
        raise meta_graph.invalid("(#100) The parameter file is required.")
    content, mime_type = file.content, file.mime_type
    if not content:
        raise meta_graph.invalid("Param file must not be empty")
    largest = 100 * _MB if mime_type.startswith(_OFFICE) else _LARGEST.get(mime_type)
    if largest is None:
        raise meta_graph.invalid(
            f"Param file must be a file with one of the supported types, got {mime_type}"
        )
    if len(content) > largest:
        raise meta_graph.invalid(f"Param file must have at most {largest} bytes")
    media_id = str(secrets.randbelow(10**15) + 10**15)
    sha256 = hashlib.sha256(content).hexdigest()
    call.sandbox.objects[UPLOADED][media_id] = {"type": mime_type, "sha256": sha256}
    call.sandbox.sendable_media.add(media_id)
    fields = {name: part.content.decode() for name, part in parts.items() if name != "file"}
    return Answer(json_response({"id": media_id}), fields | {"file": sha256})


async def delete_media(call: Call) -> Answer:
    """`DELETE /{version}/{media id}`: delete a file; with `phone_number_id` only one of that number."""
    if "phone_number_id" in call.request.query_params:
        meta_graph.number_of(call, call.request.query_params["phone_number_id"])
    _delete(call, call.request.path_params["node"])
    return Answer(json_response({"success": True}))


async def get_deleted(call: Call) -> Answer:
    """`GET /{version}/{media id}` of a deleted file."""
    raise meta_graph.no_such_object(call.request.path_params["node"], 404)


class DeleteRequest(BaseModel):
    """Input of DeleteWhatsAppMessageMedia, in the query."""

    originationPhoneNumberId: aws_social.Origination  # noqa: N815 - the API's name
    mediaId: str = Field(max_length=100, pattern=r"^[A-Za-z0-9]+$")  # noqa: N815 - the API's name


async def delete_aws_media(call: Call) -> Answer:
    """DeleteWhatsAppMessageMedia: delete a file."""
    request = aws_social.parsed(
        DeleteRequest, call, json.dumps(dict(call.request.query_params)).encode()
    )
    aws_social.check_number(call, request.originationPhoneNumberId)
    if not _is_there(call, request.mediaId):
        raise Refused(aws_social.aws_error("ResourceNotFoundException", "no media with this id"))
    _delete(call, request.mediaId)
    return Answer(json_response({"success": True}), request.model_dump())


def _is_there(call: Call, media_id: str) -> bool:
    known = media_id in call.sandbox.sendable_media
    return known and media_id not in call.sandbox.objects[DELETED]


def _is_deleted(call: Call, media_id: str) -> bool:
    return media_id in call.sandbox.objects[DELETED]


def _delete(call: Call, media_id: str) -> None:
    call.sandbox.objects[DELETED][media_id] = True


@dataclass(frozen=True)
class _Part:
    """One field of a form."""

    content: bytes
    mime_type: str
    filename: str


def _parts(call: Call) -> dict[str, _Part]:
    """Return the fields of a form by name. Raises Refused for a body that is no form."""
    kind = re.fullmatch(
        r"multipart/form-data; ?boundary=(\S+)", call.request.headers.get("content-type", "")
    )
    if kind is None:
        raise meta_graph.invalid("The body must be multipart/form-data")
    named = {}
    for section in call.raw.split(f"--{kind.group(1)}".encode())[1:-1]:
        head, _, content = section.partition(b"\r\n\r\n")
        lines = head.decode()
        found = {
            name: match.group(1) if match else ""
            for name, match in (
                ("name", re.search(r'; name="([^"]*)"', lines)),
                ("filename", re.search(r'; filename="([^"]*)"', lines)),
                ("type", re.search(r"(?i)^content-type: *(\S+)", lines, re.MULTILINE)),
            )
        }
        named[found["name"]] = _Part(
            content.removesuffix(b"\r\n"), found["type"], found["filename"]
        )
    return named


GRAPH = (Endpoint("POST", "/{version}/{phone_number_id}/media", ("upload_media",), upload_media),)
NODES = (
    Node("DELETE", "delete_media", _is_there, delete_media),
    Node("GET", "get_media", _is_deleted, get_deleted),
)
AWS = (Endpoint("DELETE", "/v1/whatsapp/media", ("DeleteWhatsAppMessageMedia",), delete_aws_media),)
