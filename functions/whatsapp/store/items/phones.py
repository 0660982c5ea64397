"""The business's numbers: which provider, whose company, which settings."""

from typing import Annotated, Any, ClassVar, Literal

from shared.events import Provider
from whatsapp.store.items.item import AtMost, WhatsAppItem

# Who answers by itself at a number.
NOBODY = "none"
CONVERSATIONS = "conversations"


class Phone(WhatsAppItem):
    """
    A business number. Tenant and company of an event come from here and from nowhere else.

    `phone_arn` is the AWS ARN, or `arn:parley:whatsapp:::phone-number-id/{phone}` for a number that is only on Graph.
    `token_ref` names the access token in the secret of tokens. `app_id`: the Meta app that may report about it.
    `message_ttl_days`: how long its messages are kept, where that is not what the deployment says.
    """

    item_type: ClassVar[str] = "PHONE"
    pk_pattern: ClassVar[str] = "PHONE#{phone}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)
    # Learned from the provider; the other fields are settings.
    reported: ClassVar[frozenset[str]] = frozenset(
        {
            "verified_name",
            "verified_name_order",
            "messaging_limit",
            "messaging_limit_order",
            "sending_blocked",
            "sending_blocked_reason",
            "sending_blocked_at",
            "sending_blocked_until",
            "sending_blocks",
        }
    )

    company: str
    phone: str
    display_phone: str
    phone_arn: str
    provider: Literal["graph", "eum"]
    waba_meta_id: str
    aws_phone: str | None = None
    aws_waba: str | None = None
    tenant: str | None = None
    app_id: str | None = None
    token_ref: str | None = None
    business_account_name: str | None = None
    enabled: bool = True
    auto_mark_read: bool = False
    message_ttl_days: int | None = None
    automation: str = NOBODY  # who answers by itself: none, or conversations
    verified_name: str | None = None
    messaging_limit: str | None = None  # the provider's word, such as TIER_1K
    sending_blocked: bool | None = None
    sending_blocked_reason: str | None = None  # the provider's word, such as DISABLE
    sending_blocked_at: str | None = None
    sending_blocked_until: str | None = None  # over after this time, even if nobody says so

    # What the four above are made from: ban, connection, restriction -> {order, at, reason, until}; no reason: over.
    sending_blocks: Annotated[dict[str, Any], AtMost(3)] | None = None
    verified_name_order: str | None = None
    messaging_limit_order: str | None = None

    @property
    def is_automated(self) -> bool:
        """Whether what happens at this number is handed over to the context `conversations`."""
        return self.automation == CONVERSATIONS

    @property
    def carrier(self) -> Provider:
        """The provider, as contexts call it (`shared.events`)."""
        return "meta" if self.provider == "graph" else "aws_social"

    @property
    def arn_suffix(self) -> str:
        """What follows the last `/` of the ARN: the first part of a conversation's key."""
        return self.phone_arn.rsplit("/", 1)[-1]


class PhoneList(WhatsAppItem):
    """All numbers of the deployment: `phones` has {phone, company, phoneArn, displayPhone, waba} of each."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#PHONES"

    phones: Annotated[list[dict[str, Any]], AtMost(500)]
