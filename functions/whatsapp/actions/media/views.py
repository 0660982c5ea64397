"""Views of media files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from whatsapp.sending.views import View

if TYPE_CHECKING:
    from whatsapp.store.items import Media


class MediaFile(View):
    """
    A media file. *media_status*: PENDING for a reference without a downloaded copy, STORED with one.

    *s3_key*: our copy, or the file that was uploaded. *expires_at*: when the provider deletes it.
    """

    media_id: str
    media_status: Literal["PENDING", "STORED", "FAILED", "EXPIRED", "REVOKED"]
    s3_bucket: str | None = Field(default=None, alias="s3Bucket")
    s3_key: str | None = Field(default=None, alias="s3Key")
    content_type: str | None = None
    content_length: int | None = None
    uploaded_at: str | None = None
    expires_at: str | None = None


def file_view(record: Media) -> MediaFile:
    """Return the view of a record."""
    return MediaFile(**record.model_dump(include=set(MediaFile.model_fields)))
