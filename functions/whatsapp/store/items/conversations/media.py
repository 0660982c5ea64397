"""Media files of messages."""

from typing import ClassVar, Literal

from pydantic import Field

from whatsapp.store.items.item import WhatsAppItem


class Media(WhatsAppItem):
    """
    A media file. Contract item 11; fields below the gap are ours.

    TTL 7 days while there is no stored file (PENDING, FAILED, EXPIRED); none once STORED. `expires_at`: 30 days after
    receipt, when the provider deletes the file.
    """

    item_type: ClassVar[str] = "MEDIA"
    pk_pattern: ClassVar[str] = "MEDIA#{mediaId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)
    ttl_days: ClassVar[int | None] = 7
    ttl_note: ClassVar[str] = "until STORED, then kept"

    media_id: str
    s3_bucket: str | None = Field(default=None, alias="s3Bucket")
    s3_key: str | None = Field(default=None, alias="s3Key")
    content_type: str | None = None
    content_length: int | None = None
    uploaded_at: str | None = None
    expires_at: str | None = None
    waba_meta_id: str | None = None

    media_status: Literal["PENDING", "STORED", "FAILED", "EXPIRED", "REVOKED"] = "PENDING"
    reason: str | None = None
    phone: str | None = None
    message_pk: str | None = None
