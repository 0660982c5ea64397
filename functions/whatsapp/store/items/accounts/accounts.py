"""Account-level items: profile, webhook configuration, quality of its numbers, deployment settings."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from shared.aws.audited import audited
from whatsapp.store.items.accounts.templates import Rating
from whatsapp.store.items.item import AtMost, WhatsAppItem


@audited("business_name", "vertical")
class BusinessProfile(WhatsAppItem):
    """
    The public profile of a business. Contract item 7: the account's default number; fields below the gap are ours.

    Other numbers have a separate item under this key plus `#{phone}`.
    """

    item_type: ClassVar[str] = "BUSINESS_PROFILE"
    pk_pattern: ClassVar[str] = "PROFILE#{metaWabaId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    waba_meta_id: str
    business_name: str | None = None
    about: str | None = None
    address: str | None = None
    description: str | None = None
    email: str | None = None
    websites: Annotated[list[str], AtMost(2)] | None = None
    vertical: str | None = None
    sync_status: Literal["local_only", "pending_sync", "synced"] | None = None
    updated_at: str | None = None

    phone: str | None = None
    revision: int = 0
    unsynced: Annotated[list[str], AtMost(7)] | None = None  # fields that the provider lacks
    picture_s3_key: str | None = None  # of a picture that the provider lacks
    attempts: int = 0  # failed ones at the provider, since the last change
    sync_error: str | None = None  # of the last attempt
    remote: Annotated[dict[str, Any], AtMost(6)] | None = None  # as last seen at the provider

    @classmethod
    def of_phone(cls, waba: str, phone: str) -> str:
        """Return `PROFILE#{metaWabaId}#{phone}`, the key of a number that is not the account's default."""
        return f"{cls.key(waba)}#{phone}"


@audited()
class WebhookConfig(WhatsAppItem):
    """Webhook verification settings of an account. Contract item 17: secrets as `secret name#field`, never values."""

    item_type: ClassVar[str] = "WEBHOOK_CONFIG"
    pk_pattern: ClassVar[str] = "WEBHOOK_CONFIG#{wabaId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    waba_meta_id: str
    verify_token: str | None = None
    app_secret: str | None = None
    enabled: bool = True
    updated_at: str | None = None


class QualityRating(WhatsAppItem):
    """
    Customers' quality rating of a number. Contract item 20: keyed by the number; fields below the gap are ours.

    `quality_history` has the newest 20 ratings; each rating is also a QUALITY_ENTRY, numbered up to `history_count`.
    """

    item_type: ClassVar[str] = "QUALITY_RATING"
    pk_pattern: ClassVar[str] = "QUALITY#{phoneNumberId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    waba_meta_id: str
    quality_rating: Rating | None = None
    throughput_status: str | None = None
    last_checked_at: str | None = None
    # {rating, at, event}, oldest first
    quality_history: Annotated[list[dict[str, Any]], AtMost(20)] = Field(default_factory=list)

    phone: str
    history_count: int = 0
    rating_at: str | None = None  # the provider's time of the newest rating
    messaging_limit: str | None = None
    # {limit, at}: the newest changes of the messaging limit, oldest first
    limit_history: Annotated[list[dict[str, Any]], AtMost(20)] | None = None


class QualityEntry(WhatsAppItem):
    """One rating of a number, kept after it drops out of `quality_history`."""

    item_type: ClassVar[str] = "QUALITY_ENTRY"
    pk_pattern: ClassVar[str] = "QUALITY#{phoneNumberId}#{n}"

    rating: str
    at: str
    event: str | None = None  # the provider's name of the event

    @classmethod
    def of(cls, phone: str, number: int) -> str:
        """Return the key of a number's rating *number*, counted from 1, in eight digits."""
        return cls.key(phone, f"{number:08d}")


class InfraConfig(WhatsAppItem):
    """The deployment of Parley, from template parameters. Contract item 21."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#INFRA"

    vpc_endpoint: str | None = None
    service_linked_role: str | None = None
    updated_at: str | None = None


@audited("supported_types", maps=("supported_types",))
class MediaTypesConfig(WhatsAppItem):
    """The file types that WhatsApp accepts. Contract item 22."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#MEDIA_TYPES"

    supported_types: Annotated[dict[str, Any], AtMost(20)] = Field(default_factory=dict)
    updated_at: str | None = None
