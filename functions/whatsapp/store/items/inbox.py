"""Items of the inbox: messages, conversations, and what is known about a message besides itself."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from whatsapp.store.items.item import AtMost, WhatsAppItem

type MessageType = Literal[
    "text", "image", "video", "audio", "document", "sticker", "location", "contacts", "interactive", "template"
]  # fmt: skip


class Message(WhatsAppItem):
    """
    A message to or from a customer. Contract item 1; below the gap is ours.

    `received_at` is the provider's time with the position in the webhook as milliseconds; of an outbound message it
    equals `sent_at`. The sparse index keys (`delivery_status`, `group_id` ...) are absent where they do not apply.
    """

    item_type: ClassVar[str] = "MESSAGE"
    pk_pattern: ClassVar[str] = "MSG#{waMessageId}"
    indexes: ClassVar[tuple[str, ...]] = (
        "gsi_direction",
        "gsi_from",
        "gsi_inbox",
        "gsi_conversation",
        "gsi_status",
        "gsi_group",
        "gsi_campaign",
    )
    ttl_note: ClassVar[str] = "kept; MESSAGE_TTL_DAYS, where it is set"

    direction: Literal["INBOUND", "OUTBOUND"]
    received_at: str
    sent_at: str | None = None
    wa_timestamp: str | None = None  # as received
    from_: str = Field(alias="from")
    from_pk: str
    to: str | None = None
    sender_name: str | None = None
    conversation_pk: str
    type: MessageType  # `subtype` has the provider's word
    preview: str | None = None
    text_body: str | None = None
    caption: str | None = None
    media_id: str | None = None
    mime_type: str | None = None
    s3_bucket: str | None = Field(default=None, alias="s3Bucket")
    s3_key: str | None = Field(default=None, alias="s3Key")
    delivery_status: Literal["sent", "delivered", "read", "failed"] | None = None
    # One entry per rank: {status, at, code?}.
    delivery_status_history: Annotated[list[dict[str, Any]], AtMost(5)] | None = None
    inbox_pk: str

    phone: str
    payload_hash: str
    subtype: str | None = None
    # app: written in the business's own WhatsApp app; history: from before the number was connected
    origin: Literal["app", "history"] | None = None
    content: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    content_s3_key: str | None = Field(
        default=None, alias="contentS3Key"
    )  # text and content, where long
    sha256: str | None = None
    filename: str | None = None
    voice: bool | None = None
    reply_to: str | None = None  # id of the message it answers
    forwarded: bool | None = None
    forwarded_many_times: bool | None = None
    referred_product: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    referral: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    ad_source: str | None = None  # the ad that the customer came from, for the counts
    reply_of: str | None = None  # template or campaign whose message it answers, for the counts
    errors: Annotated[list[dict[str, Any]], AtMost(5)] | None = None
    group_id: str | None = None
    reactions: Annotated[dict[str, Any], AtMost(10)] | None = None  # actor -> {emoji, order}
    edited_at: str | None = None
    edit_order: str | None = None
    revoked_at: str | None = None
    erased: bool | None = None
    status_rank: int | None = None
    status_at: str | None = None
    played_at: str | None = None
    status_error: Annotated[dict[str, Any], AtMost(1_000, "bytes")] | None = None
    price_category: str | None = None
    action_id: str | None = None
    template: str | None = None  # name of the template that was sent
    campaign_id: str | None = None

    @property
    def message_id(self) -> str:
        """The provider's id of the message; of one that the provider never took, the id of our action."""
        return self.id_of(self.pk)

    @classmethod
    def id_of(cls, message_pk: str) -> str:
        """The id that the key of a message was made of."""
        return message_pk.removeprefix(cls.pk_pattern.partition("{")[0])


class Conversation(WhatsAppItem):
    """
    The head of a conversation: what the inbox shows. Contract item 2; below the gap is ours.

    `recent_keys` holds the order keys of the newest inbound messages that are counted already, `ring_floor` the highest
    one that was dropped from it, `read_up_to` the order key up to which people have read.
    """

    item_type: ClassVar[str] = "CONVERSATION"
    pk_pattern: ClassVar[str] = "CONV#{phoneArnSuffix}#{customerWaId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_inbox", "gsi_waba_itemtype")

    inbox_pk: str | None = None
    from_: str | None = Field(default=None, alias="from")
    received_at: str | None = None
    unread_count: int = 0
    last_message_pk: str | None = None
    last_type: str | None = None
    last_preview: str | None = None
    archived: bool | None = None
    waba_meta_id: str | None = None
    business_account_name: str | None = None

    phone: str | None = None
    sender_name: str | None = None
    last_key: str | None = None
    recent_keys: Annotated[set[str], AtMost(29)] = Field(default_factory=set)
    ring_floor: str | None = None
    read_up_to: str | None = None
    last_inbound_at: str | None = None
    last_outbound_at: str | None = None
    referral_at: str | None = None
    free_entry_until: str | None = None
    free_entry_for: str | None = None  # the referral_at that free_entry_until was made from
    identity_changed_at: str | None = None
    call_permission_until: str | None = None
    marketing_opt_out: bool | None = None  # the customer's own choice in WhatsApp
    marketing_opt_out_at: str | None = None


class Alias(WhatsAppItem):
    """
    Another id of a customer, or of a message: the provider's ids change, ours stay.

    Of a message that another context sent also the id of its action, which statuses bring back; that lives 35 days.
    """

    item_type: ClassVar[str] = "ALIAS"
    pk_pattern: ClassVar[str] = "ALIAS#{kind}#{alias}"
    ttl_note: ClassVar[str] = "kept; of an action 35 days"

    target: str  # a contact key, or the key of a message
    created_at_ms: int

    @classmethod
    def of_phone(cls, phone: str, wa_id: str) -> str:
        """`ALIAS#WAID#{phone}#{wa_id}`: digits of a customer of the business number *phone*."""
        return cls.key("WAID", f"{phone}#{wa_id}")

    @classmethod
    def of_user(cls, phone: str, user_id: str) -> str:
        """`ALIAS#BSUID#{phone}#{user_id}`: a business-scoped user id."""
        return cls.key("BSUID", f"{phone}#{user_id}")

    @classmethod
    def of_message(cls, message_id: str) -> str:
        """`ALIAS#MSG#{id}`: another id of a message."""
        return cls.key("MSG", message_id)

    @classmethod
    def of_action(cls, phone: str, action_id: str) -> str:
        """`ALIAS#ACTION#{phone}#{action_id}`: the action of another context that sent a message from *phone*."""
        return cls.key("ACTION", f"{phone}#{action_id}")


class Status(WhatsAppItem):
    """One delivery status of a message. Waiting for an unknown message it has a TTL of 35 days."""

    item_type: ClassVar[str] = "STATUS"
    pk_pattern: ClassVar[str] = "STATUS#{messageId}#{status}"
    ttl_days: ClassVar[int | None] = 35
    ttl_note: ClassVar[str] = "while its message is unknown; then that of the message"

    status: str
    status_at: str
    participant: str | None = None
    price_category: str | None = None
    pricing: Annotated[dict[str, Any], AtMost(1_000, "bytes")] | None = None
    errors: Annotated[list[dict[str, Any]], AtMost(5)] | None = None
    action_id: str | None = None

    @classmethod
    def of(cls, message_id: str, status: str, participant: str = "") -> str:
        """The key; in a group each *participant* has a status of their own."""
        return cls.key(message_id, f"{status}#{participant}" if participant else status)


class Reaction(WhatsAppItem):
    """The newest reaction of one person to a message; without `emoji` it was taken back."""

    item_type: ClassVar[str] = "REACTION"
    pk_pattern: ClassVar[str] = "REACTION#{messageId}#{actor}"

    actor: str
    emoji: str | None = None
    order: str


class Edit(WhatsAppItem):
    """
    What became of a message after it was written; it may be here before the message is.

    `versions`: the newest 10 edits, oldest first, each {id, order, at, text}. `reactions`: those that came early.
    """

    item_type: ClassVar[str] = "EDIT"
    pk_pattern: ClassVar[str] = "EDIT#{messageId}"

    revision: int = 0
    versions: Annotated[list[dict[str, Any]], AtMost(10)] = Field(default_factory=list)
    revoked_at: str | None = None
    reactions: Annotated[dict[str, Any], AtMost(10)] | None = None


class Intent(WhatsAppItem):
    """A message that is being sent: it becomes the MESSAGE as soon as the provider's id is known, and goes then."""

    item_type: ClassVar[str] = "INTENT"
    pk_pattern: ClassVar[str] = "INTENT#{actionId}"

    # The attributes of the MESSAGE to be, without `pk`.
    message: Annotated[dict[str, Any], AtMost(60)]
