"""Message templates as the providers report them."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from shared.aws.audited import audited
from whatsapp.store.items.item import AtMost, WhatsAppItem

type TemplateStatus = Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]
type TemplateCategory = Literal["UTILITY", "MARKETING", "AUTHENTICATION"]
type Rating = Literal["GREEN", "YELLOW", "RED"]


@audited("template_name")
class TemplateEum(WhatsAppItem):
    """A template in one language at AWS End User Messaging Social. Contract item 8; fields below the gap are ours."""

    item_type: ClassVar[str] = "TEMPLATE_EUM"
    pk_pattern: ClassVar[str] = "TEMPLATE_EUM#{wabaId}#{templateName}#{language}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_template_waba", "gsi_template_name")
    ttl_note: ClassVar[str] = "30 days after its deletion; none before"

    waba_id: str  # AWS's id: waba-...
    template_name: str
    meta_template_id: str | None = None
    template_status: TemplateStatus | None = None  # absent until the provider reports one
    template_category: TemplateCategory | None = None
    template_language: str
    quality_score: Rating | None = None  # absent if the provider reports none or an unknown value
    components: Annotated[list[dict[str, Any]], AtMost(30_000, "bytes")] | None = None
    cached_at: str | None = None
    synced_at: str | None = None

    status_raw: str | None = None  # the provider's value
    status_at: str | None = None  # the provider's times of these values: they only move forward
    category_at: str | None = None
    quality_at: str | None = None
    components_at: str | None = None
    # A pointer (`shared.aws.stored_objects`) to components that are too large for the item.
    components_object: Annotated[dict[str, Any], AtMost(3)] | None = None
    message_send_ttl_seconds: int | None = None  # how long the provider tries to deliver
    reason: str | None = None  # why it was rejected, paused or disabled
    # Ranks of the reports of each value: the provider's time, then a hash to break ties.
    status_order: str | None = None
    status_raw_order: str | None = None
    category_order: str | None = None
    quality_order: str | None = None
    components_order: str | None = None


@audited("template_name")
class TemplateMeta(WhatsAppItem):
    """
    A template at Meta. Contract item 9; fields below the gap are ours.

    The contract's key contains only the name: that item shows the template's first language, and all of them in
    `languages`. Each translation is also an item, under this key plus `#{language}`.
    """

    item_type: ClassVar[str] = "TEMPLATE_META"
    pk_pattern: ClassVar[str] = "TEMPLATE_META#{wabaId}#{templateName}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)
    ttl_note: ClassVar[str] = "30 days after its deletion; none before"

    waba_meta_id: str
    template_name: str
    template_id: str | None = None
    status: TemplateStatus | None = None  # absent until the provider reports one
    category: TemplateCategory | None = None
    language: str
    cached_at: str | None = None

    # language -> {id, status, order, gone}: the status only moves forward, as `status_order` does; gone: deleted
    languages: Annotated[dict[str, Any], AtMost(100)] = Field(default_factory=dict)
    quality_score: Rating | None = None
    components: Annotated[list[dict[str, Any]], AtMost(30_000, "bytes")] | None = None
    status_raw: str | None = None
    status_at: str | None = None
    category_at: str | None = None
    quality_at: str | None = None
    components_at: str | None = None
    # A pointer (`shared.aws.stored_objects`) to components that are too large for the item.
    components_object: Annotated[dict[str, Any], AtMost(3)] | None = None
    message_send_ttl_seconds: int | None = None  # how long the provider tries to deliver
    reason: str | None = None
    status_order: str | None = None
    status_raw_order: str | None = None
    category_order: str | None = None
    quality_order: str | None = None
    components_order: str | None = None

    @classmethod
    def of_language(cls, waba: str, name: str, language: str) -> str:
        """Return `TEMPLATE_META#{wabaId}#{templateName}#{language}`, the key of one translation."""
        return f"{cls.key(waba, name)}#{language}"


class TemplateMedia(WhatsAppItem):
    """A header file for templates. Contract item 10; `mediaId` is a hash of the provider's handle."""

    item_type: ClassVar[str] = "TEMPLATE_MEDIA"
    pk_pattern: ClassVar[str] = "TEMPLATE_MEDIA#{mediaId}"
    ttl_days: ClassVar[int | None] = 30

    media_id: str
    waba_id: str
    s3_bucket: str | None = Field(default=None, alias="s3Bucket")
    s3_key: str | None = Field(default=None, alias="s3Key")
    content_type: str | None = None
    content_length: int | None = None
    uploaded_at: str | None = None

    header_handle: str | None = None
