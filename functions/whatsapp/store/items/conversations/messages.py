"""Messages, and related data about them."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import shard_of
from whatsapp.store.items.item import AtMost, WhatsAppItem

type MessageType = Literal[
    "text", "image", "video", "audio", "document", "sticker", "location", "contacts", "interactive", "template"
]  # fmt: skip


class Message(WhatsAppItem):
    """
    A message to or from a customer. Contract item 1; fields below the gap are ours.

    `received_at` is the provider's second; the digits after it are the order within that second
    (`whatsapp.store.ordering`). Outbound it equals `sent_at`.
    Sparse index keys (`delivery_status`, `group_id` ...) are absent where they do not apply.
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
        "gsi_webhook_event",
    )
    ttl_note: ClassVar[str] = "kept; MESSAGE_TTL_DAYS if set"
    failed_pattern: ClassVar[str] = "#failed_message#{company}"
    erased_suffix: ClassVar[str] = (
        "#erased"  # of the partition of gsi_inbox that keeps the counts of erased messages
    )

    direction: Literal["INBOUND", "OUTBOUND"]
    received_at: str
    sent_at: str | None = None
    wa_timestamp: str | None = None  # as received
    from_: str = Field(
        default="", alias="from"
    )  # contact key, or the business's number; empty in an erased message, like all empty fields
    from_pk: str = ""  # the same, also in a group: of the participant
    to: str | None = None
    sender_name: str | None = None
    conversation_pk: str = ""
    type: MessageType  # `subtype` has the provider's type
    preview: str | None = None
    text_body: str | None = None
    caption: str | None = None
    media_id: str | None = None
    mime_type: str | None = None
    s3_bucket: str | None = Field(default=None, alias="s3Bucket")
    s3_key: str | None = Field(default=None, alias="s3Key")
    delivery_status: Literal["sent", "delivered", "read", "failed"] | None = None
    # One entry per rank, and for words without one: {status, at, code?}.
    delivery_status_history: Annotated[list[dict[str, Any]], AtMost(15)] | None = None
    inbox_pk: str = ""

    phone: str
    payload_hash: str
    subtype: str | None = None
    sender_phone: str | None = (
        None  # digits that the customer wrote from, or an agent sent to, even if the contact's number is another today
    )
    sender_user_id: str | None = None  # scoped to the business portfolio
    parent_user_id: str | None = None  # shared by linked portfolios
    username: str | None = None
    identity_hash: str | None = None  # of the key of the customer's phone
    # app: written in the business's own WhatsApp app; history: from before the number was connected
    origin: Literal["app", "history"] | None = None
    content: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    content_s3_key: str | None = Field(
        default=None, alias="contentS3Key"
    )  # all of the text, the content and the fields besides them, if they are too long for the item
    sha256: str | None = None
    filename: str | None = None
    voice: bool | None = None
    animated: bool | None = None
    transcript: str | None = None  # the words of a recording, written by a machine
    no_transcript: str | None = None  # why there is none
    transcribing_until: str | None = None  # a worker has the recording until then
    reply_to: str | None = None  # id of the message it answers
    forwarded: bool | None = None
    forwarded_many_times: bool | None = None
    referred_product: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    referral: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    ad_source: str | None = None  # the ad that the customer came from, for the counts
    reply_of: str | None = None  # template or campaign of the message it answers, for the counts
    errors: Annotated[list[dict[str, Any]], AtMost(8_000, "bytes")] | None = None
    # The provider's fields without an attribute here, in its own structure.
    other_fields: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    group_id: str | None = None
    reactions: Annotated[dict[str, Any], AtMost(10)] | None = None  # actor -> {emoji, order}
    edited_at: str | None = None
    edit_order: str | None = None
    revoked_at: str | None = None
    deleted_at: str | None = None  # hidden from every list by an agent; only our copy
    # Set first, so that no event adds anything. Then only the facts without a person are kept, for 35 days.
    erased: bool | None = None
    status_rank: int | None = None
    status_at: str | None = None
    played_at: str | None = None
    marked_as_read_at: str | None = None  # when an API call told the customer that it was read
    status_error: Annotated[dict[str, Any], AtMost(1_000, "bytes")] | None = None
    price_category: str | None = None
    action_id: str | None = None
    sent_by: str | None = None  # the authenticated principal, if an agent sent it over the API
    resent_from: str | None = None  # key of the message that this one repeats
    # The outcome of the send is unknown: shown to agents until a status arrives, never sent again.
    send_state: Literal["unknown"] | None = None
    template: str | None = None  # name of the sent template
    campaign_id: str | None = None
    # Of a failed message: it is listed under its company in gsi_webhook_event. Names of provider fields have no `#`.
    webhook_event_type: str | None = None

    @classmethod
    def inboxes(cls, phone_arn: str) -> tuple[str, str]:
        """Return the partitions of gsi_inbox with the messages of a number: what its lists show, and erased ones."""
        return phone_arn, f"{phone_arn}{cls.erased_suffix}"

    @classmethod
    def failed_list(cls, company: str) -> str:
        """Return the partition of gsi_webhook_event that lists a company's failed messages."""
        return cls.failed_pattern.format(company=company)

    @classmethod
    def listed(cls, company: str | None, stored: Attributes) -> Attributes:
        """Return the attributes that list a message with these ones, if it has failed."""
        if company is None or stored.get(cls.name_of("delivery_status")) != "failed":
            return {}
        return cls.named(webhook_event_type=cls.failed_list(company))

    @property
    def status_words(self) -> tuple[str, ...]:
        """The words of the statuses that the message may have, one for each key of a status."""
        listed = {str(entry.get("status")) for entry in self.delivery_status_history or []}
        has_others = bool(listed - {*Status.words, "accepted"})
        return (*Status.words, Status.other) if has_others else Status.words

    @property
    def is_recording(self) -> bool:
        """Whether its file is a stored recording, which may have words."""
        return self.s3_key is not None and (self.mime_type or "").startswith("audio/")

    @property
    def message_id(self) -> str:
        """The provider's id of the message; the id of our action if the provider never accepted the message."""
        return self.id_of(self.pk)

    @classmethod
    def id_of(cls, message_pk: str) -> str:
        """Return the id contained in a message's key."""
        return message_pk.removeprefix(cls.pk_pattern.partition("{")[0])


class Status(WhatsAppItem):
    """
    One delivery status of a message. While its message is unknown it has a TTL of 35 days.

    The key has the number that reported it: a report of another company, of a message that is not its own, is separate.
    All words without a rank have one key, `other`; the item has the first of them, and lists the others.
    """

    item_type: ClassVar[str] = "STATUS"
    words: ClassVar[tuple[str, ...]] = ("sent", "delivered", "read", "played", "failed")
    words_of_unplayed: ClassVar[tuple[str, ...]] = ("sent", "delivered", "read", "failed")
    other: ClassVar[str] = "other"
    pk_pattern: ClassVar[str] = "STATUS#{phone}#{messageId}#{status}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)
    ttl_days: ClassVar[int | None] = 35
    ttl_note: ClassVar[str] = "while its message is unknown, then the message's lifetime"

    status: str
    status_at: str
    participant: str | None = None
    price_category: str | None = None
    # `pricing`, `conversation` ({id, origin, expiration_timestamp}) and `errors` as the provider sends them.
    pricing: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    conversation: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    errors: Annotated[list[dict[str, Any]], AtMost(8_000, "bytes")] | None = None
    # The provider's fields without an attribute here, such as the recipient.
    other_fields: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    content_s3_key: str | None = Field(
        default=None, alias="contentS3Key"
    )  # all of these four, if they are too long for the item
    report: str | None = (
        None  # a short hash of what the provider sent; also in the message's history
    )
    # One object for each further report of this word with other content: time, prices, errors.
    further_s3_keys: Annotated[set[str], AtMost(100)] = Field(
        default_factory=set, alias="furtherS3Keys"
    )
    # Of words without a rank, which share a key: the other words that were reported, as entries of the history in JSON.
    further_words: Annotated[set[str], AtMost(100)] = Field(default_factory=set)
    action_id: str | None = None
    # `subject#` and a keyed hash of the customer while the message is unknown, or of a group's participant: an erasure
    # finds the item by it.
    customer_phone: str | None = None
    created_at: str | None = None

    @classmethod
    def of(cls, phone: str, message_id: str, status: str, participant: str = "") -> str:
        """Return the key; in a group each *participant* has a separate status."""
        status = status if status in cls.words else cls.other
        return cls.key(phone, message_id, f"{status}#{participant}" if participant else status)

    @property
    def has_known_word(self) -> bool:
        """Whether the word has a rank among the delivery statuses."""
        return self.status in self.words


class Reaction(WhatsAppItem):
    """
    A participant's newest reaction to a message of a number; without `emoji` the reaction was removed.

    Before the message arrives, the same actor may name it in several conversations, of which one is its own. So the key
    has `actor@conversation` in a group, and of the business before the message.
    """

    item_type: ClassVar[str] = "REACTION"
    pk_pattern: ClassVar[str] = "REACTION#{phone}#{messageId}#{actor}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)

    most_earlier: ClassVar[int] = 5

    actor: str
    emoji: str | None = None
    order: str
    event_id: str | None = None  # the provider's id of the reaction
    sender_name: str | None = None
    # Ids of the participant's earlier reactions of the same second, which the provider may deliver again.
    earlier_ids: Annotated[list[str], AtMost(5)] | None = None
    other_fields: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    content_s3_key: str | None = Field(
        default=None, alias="contentS3Key"
    )  # `other_fields`, if too long
    conversation: str | None = None  # if the key names it
    # `subject#` and a keyed hash of the customer, if the message was unknown: an erasure finds the item by it.
    customer_phone: str | None = None
    created_at: str | None = None

    def named_in(self, conversation: str) -> Self:
        """Return the reaction under the name of its actor in a conversation, unless it is the actor's own."""
        if conversation == self.actor:
            return self
        named = f"{self.actor}@{conversation}"
        pk = f"{self.pk.removesuffix(self.actor)}{named}"
        return self.model_copy(update={"pk": pk, "conversation": conversation})

    @property
    def name(self) -> str:
        """The name of the actor in the key."""
        return f"{self.actor}@{self.conversation}" if self.conversation else self.actor


class Edit(WhatsAppItem):
    """
    Changes to a message of a number after it was written; may exist before the message does.

    `versions`: the newest 10 edits, oldest first, each {id, order, at, author} and the attributes of the message that
    it sets; older ones are in S3. `original`: the same attributes before the first edit. `reactions`: received before
    the message, each {order, emoji?, name?, in}: `in` is the conversation, and follows the actor after `@` unless it is
    the actor's own. A revocation removes versions and original,
    and its own fields are in `revoked_by` (its id), `revoked_from` (its author) and `other_fields`. `revocations`:
    received before the message, each {id, at, author}; a revocation by the message's author revokes it. An author is
    {business?, phone?, userId?, group?}: the ids are the customer's.
    """

    item_type: ClassVar[str] = "EDIT"
    pk_pattern: ClassVar[str] = "EDIT#{phone}#{messageId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)
    ttl_note: ClassVar[str] = "kept; MESSAGE_TTL_DAYS if set"

    most_versions: ClassVar[int] = 10  # an item with fewer has all of them
    most_revocations: ClassVar[int] = 10  # before the message

    revision: int = 0
    original: Annotated[dict[str, Any], AtMost(12)] | None = None
    versions: Annotated[list[dict[str, Any]], AtMost(10)] = Field(default_factory=list)
    revoked_at: str | None = None
    revoked_by: str | None = None
    revoked_from: Annotated[dict[str, Any], AtMost(4)] | None = None
    revocations: Annotated[list[dict[str, Any]], AtMost(10)] | None = None
    other_fields: Annotated[dict[str, Any], AtMost(8_000, "bytes")] | None = None
    content_s3_key: str | None = Field(
        default=None, alias="contentS3Key"
    )  # `other_fields`, if too long
    reactions: Annotated[dict[str, Any], AtMost(10)] | None = None
    # Changes before the message, made by others than its author: kept apart, and never shown.
    foreign_versions: Annotated[list[dict[str, Any]], AtMost(10)] | None = None
    # `subject#` and a keyed hash of the customer, if the message was unknown: an erasure finds the item by it.
    customer_phone: str | None = None
    created_at: str | None = None

    @property
    def message_id(self) -> str:
        """The provider's id of the message."""
        return self.pk.split("#", 2)[2]


class Intent(WhatsAppItem):
    """
    A message that is being sent. Once the outcome is known it becomes the MESSAGE and is deleted.

    An intent that still exists after minutes is an unfinished send: `webhook_event_type` and `received_at`, the time of
    the attempt, list all intents in gsi_webhook_event. A later attempt of the same action overwrites both time and
    message.

    Every send writes and deletes an intent, two units of the index, and a partition takes 1,000 a second. So four
    partitions share the intents of all companies: about 2,000 sends a second.
    """

    item_type: ClassVar[str] = "INTENT"
    pk_pattern: ClassVar[str] = "INTENT#{actionId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_webhook_event",)
    ttl_days: ClassVar[int | None] = 35
    # Names of provider fields are stored without `#`.
    listed_as: ClassVar[str] = "#unfinished_send#{shard}"
    shards: ClassVar[int] = 4
    # The partition of all intents that the first release wrote; they have their TTL, too.
    first_listed_as: ClassVar[str] = "#unfinished_send"

    # The attributes of the future MESSAGE, without `pk`.
    message: Annotated[dict[str, Any], AtMost(60)]
    webhook_event_type: str | None = None
    received_at: str | None = None
    phone: str | None = None
    seen_key: str | None = None  # order key of the newest message that the agent could have read

    @classmethod
    def list_of(cls, action_id: str) -> str:
        """Return the partition of gsi_webhook_event that lists an action's intent."""
        return cls.listed_as.format(shard=shard_of(action_id, cls.shards))

    @classmethod
    def lists(cls) -> list[str]:
        """Return all partitions with intents."""
        shards = [cls.listed_as.format(shard=shard) for shard in range(cls.shards)]
        return [cls.first_listed_as, *shards]

    @classmethod
    def action_of(cls, intent_pk: str) -> str:
        """Return the action id contained in an intent's key."""
        return intent_pk.removeprefix(cls.pk_pattern.partition("{")[0])
