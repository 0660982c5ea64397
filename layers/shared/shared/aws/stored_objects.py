"""
Stored objects with an owner: written under the owner's prefix, and read through a validated pointer.

A pointer is a map `{key, sha256, bytes}` in an attribute that no request can set. It names no bucket: objects are read
from the bucket of this deployment only. A folder reads, links to and deletes only keys under its own prefix, so that a
pointer never leads to an object of another company or conversation.

    write   body -> object under the prefix, named by its hash -> pointer
    read    pointer -> key under the prefix? -> exists? -> size? -> SHA-256? -> body
"""

from __future__ import annotations

import hashlib
import re
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import ClientError

from shared.runtime.json_objects import json_object
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from shared.aws.s3 import Bucket

# Reasons why an object cannot be used.
BAD_POINTER, FOREIGN_KEY = "bad_pointer", "foreign_key"
# Without permission to list, S3 reports a missing object as forbidden, too.
MISSING, FORBIDDEN = "missing", "forbidden"
GONE = frozenset({MISSING, FORBIDDEN})
WRONG_SIZE, WRONG_HASH, NOT_JSON = "wrong_size", "wrong_hash", "not_json"
MEDIA_PREFIX = "media/"  # files that the inbox copies from providers
UNUSABLE = "StoredObjectUnusable"  # metric name
_BY_STATUS = {404: MISSING, 403: FORBIDDEN}
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_HASH_CHARACTERS = 24
_LARGEST = 5 << 40  # bytes; maximum size of an S3 object
_INVALID_SEGMENTS = frozenset({"", ".", ".."})


class ObjectUnusable(Exception):
    """A stored object cannot be used. *reason* is one of the codes above; contains no key and no content."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A reference to an object: its key, its SHA-256 in hex and its size in bytes."""

    key: str = field(repr=False)
    sha256: str
    size: int

    @classmethod
    def read(cls, value: object) -> Pointer:
        """Parse a pointer from an attribute or a queue message. Raises ObjectUnusable (`bad_pointer`)."""
        fields = value if isinstance(value, dict) else {}
        key, sha256, size = fields.get("key"), fields.get("sha256"), fields.get("bytes")
        if (
            not isinstance(key, str)
            or not isinstance(sha256, str)
            or not _SHA256.fullmatch(sha256)
            or not isinstance(size, int | Decimal)
            or isinstance(size, bool)
            or not 0 <= size <= _LARGEST
        ):
            raise ObjectUnusable(BAD_POINTER)
        return cls(key=key, sha256=sha256, size=int(size))

    def attributes(self) -> dict[str, Any]:
        """Return the pointer as it is stored."""
        return {"key": self.key, "sha256": self.sha256, "bytes": self.size}


@dataclass(frozen=True, slots=True)
class Folder:
    """The objects of one owner: all keys of *bucket* under *prefix*, which ends with `/`."""

    bucket: Bucket
    prefix: str

    def holds(self, key: str) -> bool:
        """Whether the key is under the prefix, without empty or relative path segments."""
        rest = key.removeprefix(self.prefix)
        return rest != key and _INVALID_SEGMENTS.isdisjoint(rest.split("/"))

    def put(self, name: str, body: bytes) -> Pointer:
        """
        Write a JSON object. Idempotent.

        The hash is part of the key: an object is never replaced by other content while a pointer to it exists.
        """
        sha256 = hashlib.sha256(body).hexdigest()
        key = f"{self.prefix}{name}-{sha256[:_HASH_CHARACTERS]}.json"
        self.bucket.put(key, body)
        return Pointer(key=key, sha256=sha256, size=len(body))

    def get(self, pointer: Pointer) -> bytes:
        """Read the object. Raises ObjectUnusable if it differs from the written one; ClientError otherwise."""
        if not self.holds(pointer.key):
            raise ObjectUnusable(FOREIGN_KEY)
        try:
            response = self.bucket.client.get_object(Bucket=self.bucket.name, Key=pointer.key)
        except ClientError as error:
            reason = _BY_STATUS.get(error.response["ResponseMetadata"]["HTTPStatusCode"])
            if reason is None:
                raise
            raise ObjectUnusable(reason) from None
        with closing(response["Body"]) as stream:
            if response["ContentLength"] != pointer.size:
                raise ObjectUnusable(WRONG_SIZE)
            body = stream.read()
        if hashlib.sha256(body).hexdigest() != pointer.sha256:
            raise ObjectUnusable(WRONG_HASH)
        return body

    def get_json(self, pointer: Pointer) -> dict[str, Any]:
        """Read the stored JSON object. Raises as `get`, and ObjectUnusable (`not_json`)."""
        value = json_object(self.get(pointer))
        if value is None:
            raise ObjectUnusable(NOT_JSON)
        return value

    def delete(self, pointer: Pointer) -> None:
        """Delete the object; a missing object is no error. Raises ObjectUnusable (`foreign_key`)."""
        if not self.holds(pointer.key):
            raise ObjectUnusable(FOREIGN_KEY)
        self.bucket.delete(pointer.key)

    def link_to(
        self, key: str, *, seconds: int, filename: str | None = None, inline: bool = False
    ) -> str:
        """Return a presigned link to an object (see `Bucket.link_to`). Raises ObjectUnusable."""
        if not self.holds(key):
            raise ObjectUnusable(FOREIGN_KEY)
        return self.bucket.link_to(key, seconds=seconds, filename=filename, inline=inline)

    def key_in(self, url: str) -> str:
        """Return the key in an `s3://` URL of this folder. Raises ObjectUnusable (`foreign_key`)."""
        scheme = f"s3://{self.bucket.name}/"
        key = url.removeprefix(scheme)
        if key == url or not self.holds(key):
            raise ObjectUnusable(FOREIGN_KEY)
        return key


def media_of(bucket: Bucket, company: str | None) -> Folder:
    """Return the folder of files that the inbox has copied for a company; its conversations link to them too."""
    return Folder(bucket, f"{MEDIA_PREFIX}{company}/")


def mail_files_of(bucket: Bucket, company: str | None) -> Folder:
    """Return the folder of files of mails, which the threads of e-mail copy for a company's conversations."""
    return Folder(bucket, f"{media_of(bucket, company).prefix}email/")


def record(fault: ObjectUnusable, attribute: str) -> None:
    """Log and count a stored object that cannot be used. *attribute* names the attribute that points to it."""
    metrics.add_metric(UNUSABLE, MetricUnit.Count, 1)
    logger.error("stored object unusable", extra={"what": attribute, "reason": fault.reason})
