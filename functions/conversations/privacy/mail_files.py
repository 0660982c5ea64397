"""Files of mails that the threads of e-mail copy for the conversations: an erasure deletes them with their messages."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from shared.aws.stored_objects import ObjectUnusable, mail_files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shared.aws.s3 import Bucket


def keys(bucket: Bucket, company_id: str, media: object) -> list[str]:
    """Return the keys of the copies that the files of a message are; *media*: a value of a queued event."""
    return list(_keys(bucket, company_id, media if isinstance(media, list) else []))


def _keys(bucket: Bucket, company_id: str, files: Iterable[Any]) -> Iterator[str]:
    folder = mail_files_of(bucket, company_id)
    for file in files:
        with suppress(ObjectUnusable):
            if isinstance(file, dict):
                yield folder.key_in(str(file.get("url") or f"s3://{bucket.name}/{file.get('key')}"))
