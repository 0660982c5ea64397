"""A client of one S3 bucket with the operations that Parley uses."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from typing import IO

    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef, CopySourceTypeDef


_MISSING = frozenset({403, 404})


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An entry of a listing. *etag* changes with the content; *size* is in bytes."""

    key: str
    etag: str
    size: int
    changed_at: datetime


@dataclass(eq=False)
class Bucket:
    """A bucket whose client is created at first use: most events do not use S3."""

    make_client: Callable[[], S3Client]
    name: str

    def beside(self, name: str) -> Bucket:
        """Return another bucket, which the same client reaches."""
        return Bucket(lambda: self.client, name)

    @cached_property
    def client(self) -> S3Client:
        """The S3 client."""
        return self.make_client()

    def put(self, key: str, body: bytes, content_type: str = "application/json") -> None:
        """Write an object. Idempotent, because keys are derived from the content."""
        self.client.put_object(Bucket=self.name, Key=key, Body=body, ContentType=content_type)

    def put_file(self, key: str, file: IO[bytes], content_type: str) -> None:
        """Write an object from a file; large ones as a multipart upload in the calling thread."""
        # Imported here: only media events need boto3's transfer modules.
        from boto3.s3.transfer import TransferConfig  # noqa: PLC0415 - see above

        self.client.upload_fileobj(
            file,
            self.name,
            key,
            ExtraArgs={"ContentType": content_type, "ContentDisposition": "attachment"},
            Config=TransferConfig(use_threads=False),
        )

    def begin_upload(self, key: str, content_type: str) -> str:
        """Begin an upload in parts and return its id. An upload that is never completed is removed by the bucket."""
        answer = self.client.create_multipart_upload(
            Bucket=self.name, Key=key, ContentType=content_type, ContentDisposition="attachment"
        )
        return answer["UploadId"]

    def upload_part(self, key: str, upload: str, number: int, body: bytes) -> str:
        """
        Write part *number*, from 1, of an upload and return its ETag. Idempotent. All parts but the last have 5 MB.

        Raises ClientError (NoSuchUpload) after the upload was completed or removed.
        """
        answer = self.client.upload_part(
            Bucket=self.name, Key=key, UploadId=upload, PartNumber=number, Body=body
        )
        return answer["ETag"]

    def complete_upload(self, key: str, upload: str, etags: Sequence[str]) -> None:
        """Make the object of all parts of an upload. Raises ClientError (NoSuchUpload) as `upload_part` does."""
        parts: list[CompletedPartTypeDef] = [
            {"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, start=1)
        ]
        self.client.complete_multipart_upload(
            Bucket=self.name, Key=key, UploadId=upload, MultipartUpload={"Parts": parts}
        )

    def size(self, key: str) -> int:
        """Return the object's size in bytes."""
        return self.client.head_object(Bucket=self.name, Key=key)["ContentLength"]

    def content_type(self, key: str) -> str:
        """Return the object's type, as its writer gave it."""
        return self.client.head_object(Bucket=self.name, Key=key)["ContentType"]

    def first_bytes(self, key: str, count: int) -> bytes:
        """Return the first *count* bytes of an object."""
        try:
            part = self.client.get_object(Bucket=self.name, Key=key, Range=f"bytes=0-{count - 1}")
        except ClientError as error:
            if error.response["Error"]["Code"] != "InvalidRange":
                raise
            return b""  # An empty object has no range.
        return part["Body"].read()

    def chunks(self, key: str) -> Iterator[bytes]:
        """Yield the object in chunks of a megabyte."""
        # closing, because entering the body itself would return its raw stream.
        with closing(self.client.get_object(Bucket=self.name, Key=key)["Body"]) as body:
            yield from body.iter_chunks(1 << 20)

    def chunks_from(self, key: str, position: int) -> Iterator[bytes]:
        """Yield the object from a byte position on, in chunks of a megabyte; nothing if it ends before."""
        if position >= self.size(key):
            return
        part = self.client.get_object(Bucket=self.name, Key=key, Range=f"bytes={position}-")
        with closing(part["Body"]) as body:
            yield from body.iter_chunks(1 << 20)

    def get(self, key: str) -> bytes:
        """Read a whole object. Raises ClientError (NoSuchKey) if it does not exist."""
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def bounded(self, key: str, most_bytes: int) -> bytes | None:
        """Return an object of up to *most_bytes*; empty if it is larger, None if it is missing. Raises ClientError."""
        try:
            answer = self.client.get_object(Bucket=self.name, Key=key)
        except ClientError as error:
            # Without permission to list, S3 reports a missing object as forbidden.
            if error.response["ResponseMetadata"]["HTTPStatusCode"] not in _MISSING:
                raise
            return None
        with closing(answer["Body"]) as body:
            return body.read() if answer["ContentLength"] <= most_bytes else b""

    def is_missing(self, key: str, error: ClientError) -> bool:
        """Whether a read of an object failed because it does not exist; then S3 may report it as forbidden, too."""
        is_possible = error.response["ResponseMetadata"]["HTTPStatusCode"] in _MISSING
        return is_possible and key not in self.keys_under(key)

    def keys_under(self, prefix: str) -> list[str]:
        """Return the keys of at most 1,000 objects under a prefix."""
        listing = self.client.list_objects_v2(Bucket=self.name, Prefix=prefix)
        return [entry["Key"] for entry in listing.get("Contents", [])]

    def all_keys_under(self, prefix: str) -> Iterator[str]:
        """The keys of all objects under a prefix, in their order; objects may be deleted meanwhile."""
        last = ""
        while True:
            listing = self.client.list_objects_v2(
                Bucket=self.name, Prefix=prefix, StartAfter=last or prefix
            )
            for entry in listing.get("Contents", []):
                last = entry["Key"]
                yield last
            if not listing["IsTruncated"]:
                return

    def objects_under(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        """The objects under a prefix in the order of their keys, from the key *after* (exclusive)."""
        while True:
            listing = self.client.list_objects_v2(
                Bucket=self.name, Prefix=prefix, StartAfter=after or prefix
            )
            for entry in listing.get("Contents", []):
                after = entry["Key"]
                etag = entry["ETag"].strip('"')
                yield StoredObject(after, etag, entry["Size"], entry["LastModified"])
            if not listing["IsTruncated"]:
                return

    def copy(self, key: str, copy: str, content_type: str | None = None) -> None:
        """
        Copy an object of up to 5 GB inside the bucket. *content_type*: the type of the copy, else the object's.

        Raises ClientError (NoSuchKey) if it does not exist.
        """
        source: CopySourceTypeDef = {"Bucket": self.name, "Key": key}
        if content_type is None:
            self.client.copy_object(Bucket=self.name, Key=copy, CopySource=source)
            return
        self.client.copy_object(
            Bucket=self.name, Key=copy, CopySource=source,
            ContentType=content_type, MetadataDirective="REPLACE",
        )  # fmt: skip

    def delete(self, key: str) -> None:
        """Delete an object; a missing object is no error."""
        self.client.delete_object(Bucket=self.name, Key=key)

    def link_to(
        self,
        key: str,
        *,
        seconds: int,
        content_type: str | None = None,
        filename: str | None = None,
        inline: bool = False,
    ) -> str:
        """
        Return a presigned https link that downloads the object, or shows it *inline*, and expires after *seconds*.

        *content_type* replaces the stored type in the response; *filename*, in any script, is the name of the download.
        """
        # RFC 5987; without a name, programs take the last part of the key.
        named = f"; filename*=UTF-8''{quote(filename, safe='')}" if filename else ""
        shown = {"ResponseContentType": content_type} if content_type else {}
        return self.client.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self.name,
                "Key": key,
                "ResponseContentDisposition": f"{'inline' if inline else 'attachment'}{named}",
                **shown,
            },
            ExpiresIn=seconds,
        )

    def upload_form(
        self, key: str, *, content_type: str, largest_bytes: int, seconds: int
    ) -> tuple[str, dict[str, str]]:
        """
        Return address and fields of a form that uploads one object of this type: a POST as multipart/form-data, whose
        last field is `file`. S3 refuses larger and empty objects; the form expires after *seconds*.
        """
        form = self.client.generate_presigned_post(
            self.name,
            key,
            Fields={"Content-Type": content_type},
            Conditions=[
                {"Content-Type": content_type},
                ["content-length-range", 1, largest_bytes],
            ],
            ExpiresIn=seconds,
        )
        return form["url"], form["fields"]
