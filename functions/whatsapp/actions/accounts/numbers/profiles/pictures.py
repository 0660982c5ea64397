"""Checks pictures of profiles in the bucket, and uploads them with Graph's resumable upload API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from shared.api.errors import InvalidInput
from shared.providers.outcomes import InDoubt
from whatsapp.actions.calls.remote import GraphAccount, answered
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import uploads_of
from whatsapp.sending.failures import NotConfigured
from whatsapp.worker.media.types import SNIFFED_BYTES, plain, refusal_of

if TYPE_CHECKING:
    from shared.aws.s3 import Bucket
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

LARGEST_BYTES = 5 << 20
_TYPES = frozenset({"image/jpeg", "image/png"})
MISSING = frozenset({403, 404})
# The id is an address: it has a signature in its query.
_SESSION = re.compile(r"upload:[A-Za-z0-9_=.~+/%-]+(\?[A-Za-z0-9_=.~&%:+-]+)?")


def check(bucket: Bucket, company: str, key: str, field: str) -> str:
    """
    Return the type of a picture in the bucket. Raises InvalidInput unless it is a JPEG or PNG of at most 5 MB, and
    NotFound if it is missing or another company's.
    """
    if not key.startswith((f"media/{company}/", uploads_of(company))):
        raise NotFound(f"{field}: no file with this key")
    try:
        size, mime_type = bucket.size(key), plain(bucket.content_type(key))
        first_bytes = bucket.first_bytes(key, SNIFFED_BYTES) if size else b""
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in MISSING:
            raise
        raise NotFound(f"{field}: no file with this key") from None
    if not 0 < size <= LARGEST_BYTES:
        raise InvalidInput([{"field": field, "problem": f"must have 1 to {LARGEST_BYTES} bytes"}])
    if refusal_of("image", mime_type, first_bytes) is not None:
        raise InvalidInput([{"field": field, "problem": "must be a JPEG or PNG picture"}])
    return mime_type


def upload(resources: SendingResources, graph: GraphAccount, phone: Phone, key: str) -> str:
    """
    Upload a picture for the app of a number, and return the handle by which Graph takes it. Repeatable: an earlier
    upload stays unused.

    Raises NotConfigured without an app, and the provider's failures. (Meta, "Resumable Upload API".)
    """
    if phone.app_id is None:
        raise NotConfigured("the number has no appId, which uploads need")
    content = resources.bucket.get(key)
    query = {
        "file_length": str(len(content)),
        "file_type": plain(resources.bucket.content_type(key)),
        "file_name": "picture",
    }
    app = phone.app_id
    session = answered(lambda: graph.attempt("POST", app, "uploads", query=query)).get("id")
    if not isinstance(session, str) or not _SESSION.fullmatch(session):
        raise NotConfigured("the provider did not open an upload")
    headers = {"Authorization": f"OAuth {graph.token}", "file_offset": "0"}

    def send() -> dict[str, Any]:
        answer = resources.graph.upload(session, headers, content)
        if not isinstance(answer.get("h"), str):
            raise InDoubt("no_handle")
        return answer

    return str(answered(send)["h"])
