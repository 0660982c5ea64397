"""Media files of messages."""

from typing import ClassVar

from pydantic import Field

from whatsapp.items.item import WhatsAppItem


class Media(WhatsAppItem):
    """
    A media file. Contract item 11; below the gap is ours.

    TTL 7 days while it is a mere reference (PENDING, FAILED, EXPIRED); none once STORED. `expires_at`: 30 days after
    it was received, when the provider deletes it.
    """

    item_type: ClassVar[str] = "MEDIA"
    pk_pattern: ClassVar[str] = "MEDIA#{mediaId}"

    media_id: str
    s3_bucket: str | None = Field(default=None, alias="s3Bucket")
    s3_key: str | None = Field(default=None, alias="s3Key")
    content_type: str | None = None
    content_length: int | None = None
    uploaded_at: str | None = None
    expires_at: str | None = None
    waba_meta_id: str | None = None

    media_status: str = "PENDING"  # PENDING | STORED | FAILED | EXPIRED | REVOKED
    reason: str | None = None
    phone: str | None = None
    message_pk: str | None = None
