"""The conversation: the item of the contract's table and its bounded window of messages."""

from enum import StrEnum
from typing import Any, ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict, Field

from shared.aws.dynamodb import Attributes

PARTITION_KEY = "primary_channel"
SORT_KEY = "conversation_id"
ID_PATTERN = "{company_id}#{project_id}#{request_id}#{recipient}"

WINDOW_ENTRIES = 10
ALWAYS_KEPT = 2
# The item and each of its six index entries are written in units of a kilobyte. The window fills the last one.
UNIT_BYTES = 1_024
SMALLEST_WINDOW_BYTES = 520  # two entries with about 100 bytes of text each
SPARE_BYTES = 16
CUT = "…"


class ChannelMethod(StrEnum):
    """Channel of a conversation."""

    WHATSAPP = "whatsapp"
    SMS = "sms"
    EMAIL = "email"


class Role(StrEnum):
    """Author role of an entry as the contract defines it: human agents are `assistant` too."""

    USER = "user"
    ASSISTANT = "assistant"


class Entry(BaseModel):
    """One element of `messages`."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)

    entry_id: str
    message_timestamp: str
    role: Role
    content: str = Field(repr=False)
    ai_prompt_tokens: int | None = None
    ai_completion_tokens: int | None = None
    ai_total_tokens: int | None = None
    processing_time_ms: int | None = None

    def stored(self) -> Attributes:
        """Return the map in stored form."""
        attributes: Attributes = self.model_dump(exclude_none=True, mode="json")
        return attributes


class Conversation(BaseModel):
    """
    The item: the contract's attributes, then Parley's. Absent values are not stored (contract, "Attributes
    Table").

    `project_data` contains only the request's data. If it is too large for the item it is absent, and
    `project_data_object` is the pointer to it (`shared.aws.stored_objects`). `recorded_answers` are the customer's
    answers by question; answers that exceed the item's limit are in the object of `recorded_answers_object`.
    `replaced_answers` are the newest ones that a correction has replaced (`question`, `answer`, `replaced_at`).
    No request and no model can set a pointer. `ref_key` is the fingerprint of the identifier key that made the
    conversation's `ref`: two characters, since the whole `ref` would cost a further write unit in each index.

    The eight indexes project the whole item, so each change is written seven times: growing or frequently changed
    data is in the log. `messages` is required by the contract, so its newest entries are here, too.
    """

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)
    by_created: ClassVar[str] = "created-at-index"
    by_task_complete: ClassVar[str] = "task-complete-index"
    by_status: ClassVar[str] = "conversation-status-index"
    by_channel: ClassVar[str] = "channel-method-index"
    by_pair: ClassVar[dict[ChannelMethod, tuple[str, str, str]]] = {
        ChannelMethod.WHATSAPP: (
            "company-whatsapp-number-recipient-tel-index",
            "gsi_company_whatsapp_number",
            "gsi_recipient_tel",
        ),
        ChannelMethod.SMS: (
            "company-sms-number-recipient-tel-index",
            "gsi_company_sms_number",
            "gsi_recipient_tel",
        ),
        ChannelMethod.EMAIL: (
            "company-email-recipient-email-index",
            "gsi_company_email",
            "gsi_recipient_email",
        ),
    }

    primary_channel: str = Field(repr=False)
    conversation_id: str = Field(repr=False)
    ref_key: str | None = None  # absent: another system wrote the item, see `inbound.legacy_import`
    recipient_tel: str | None = Field(default=None, repr=False)
    recipient_email: str | None = Field(default=None, repr=False)
    company_id: str
    project_id: str
    channel_method: ChannelMethod
    conversation_status: str
    request_id: str
    messages: list[Entry] = Field(default_factory=list)
    created_at: str
    updated_at: str
    initial_request_timestamp: str | None = None
    processor_version: str | None = None
    router_version: str | None = None
    thread_id: str | None = None
    email_id: str | None = None
    task_complete: int = 0
    processing_time_ms: int | None = None
    ai_cost_micros: int | None = None  # micro-dollars of the model's messages
    ai_version: int | None = None  # of the settings of the model's newest turn
    recipient_first_name: str | None = Field(default=None, repr=False)
    recipient_last_name: str | None = Field(default=None, repr=False)
    comms_consent: bool = False
    project_data: dict[str, Any] | None = Field(default=None, repr=False)
    company_name: str | None = None
    project_name: str | None = None
    company_rep: dict[str, str | None] | None = Field(default=None, repr=False)
    allowed_channels: list[str] | None = None
    project_status: str | None = None
    auto_queue_initial_message: bool | None = None
    auto_queue_initial_message_from_number: list[str] | None = Field(default=None, repr=False)
    auto_queue_initial_message_from_email: list[str] | None = Field(default=None, repr=False)
    auto_queue_reply_message: bool | None = None
    auto_queue_reply_message_from_number: list[str] | None = Field(default=None, repr=False)
    auto_queue_reply_message_from_email: list[str] | None = Field(default=None, repr=False)
    ai_config: dict[str, Any] | None = Field(default=None, repr=False)
    channel_config: dict[str, Any] | None = Field(default=None, repr=False)
    function_call: bool = False
    function_call_type: str | None = None
    hand_off_to_human: bool = False
    hand_off_to_human_reason: str | None = None
    hand_off_cause: str | None = None  # a code
    ttl: int | None = None
    gsi_recipient_tel: str | None = Field(default=None, repr=False)
    gsi_recipient_email: str | None = Field(default=None, repr=False)
    gsi_company_whatsapp_number: str | None = None
    gsi_company_sms_number: str | None = None
    gsi_company_email: str | None = None

    project_data_object: dict[str, Any] | None = Field(default=None, repr=False)
    recorded_answers: dict[str, str] | None = Field(default=None, repr=False)
    recorded_answers_object: dict[str, Any] | None = Field(default=None, repr=False)
    replaced_answers: list[dict[str, str]] | None = Field(default=None, repr=False)

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field for conditions. Raises KeyError."""
        return Attr(_declared(field))

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Return field values in stored form for updates; None means "unchanged". Raises KeyError."""
        return {_declared(field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse stored *attributes*."""
        return cls.model_validate(attributes)

    @property
    def key(self) -> Attributes:
        """The whole key."""
        return key(self.primary_channel, self.conversation_id)

    def attributes(self) -> Attributes:
        """Return the item in stored form."""
        stored = self.model_dump(exclude_none=True, mode="json")
        return {
            name: value
            for name, value in stored.items()
            if name == "messages" or value not in ("", {}, [])
        }


def key(primary_channel: str, conversation_id: str) -> Attributes:
    """Return the whole key of a conversation."""
    return {PARTITION_KEY: primary_channel, SORT_KEY: conversation_id}


def first_of_company(company_id: str) -> str:
    """Return the common prefix of the ids of a company's conversations."""
    return ID_PATTERN[: ID_PATTERN.index("{project_id}")].format(company_id=company_id)


def room_for_window(item: Conversation) -> int:
    """
    Return the bytes that entries may have so that the item costs no more units than without its window.

    If these are less than SMALLEST_WINDOW_BYTES, one unit more.
    """
    rest = {name: value for name, value in item.attributes().items() if name != "messages"}
    size = stored_bytes({**rest, "messages": []}) + SPARE_BYTES
    room = -size % UNIT_BYTES
    return room if room >= SMALLEST_WINDOW_BYTES else room + UNIT_BYTES


def window(stored: list[Entry], added: list[Entry], room: int) -> list[Entry]:
    """
    Return the newest entries: at most 10 and *room* bytes; the newest two are always kept, truncated if long.

    Entries are merged by `entry_id`, so that a repeated turn adds nothing. The log has all of them, complete.
    """
    merged = {entry.entry_id: entry for entry in [*stored, *added]}
    newest_first = sorted(
        merged.values(), key=lambda entry: (entry.message_timestamp, entry.entry_id), reverse=True
    )
    newest = _cut_to(newest_first[:ALWAYS_KEPT], room)
    left = room - sum(map(bytes_of, newest))
    for entry in newest_first[ALWAYS_KEPT:WINDOW_ENTRIES]:
        left -= bytes_of(entry)
        if left < 0:
            break
        newest.append(entry)
    return newest[::-1]


def _cut_to(entries: list[Entry], room: int) -> list[Entry]:
    """Return entries with equal shares of *room*; what a short one leaves is the share of a longer one."""
    texts = {id(entry): len(_encoded(entry.content)) for entry in entries}
    left = room - sum(map(bytes_of, entries)) + sum(texts.values())
    shown: dict[int, Entry] = {}
    for count, entry in enumerate(sorted(entries, key=lambda one: texts[id(one)])):
        text = cut(entry.content, left // (len(entries) - count))
        left -= len(_encoded(text))
        shown[id(entry)] = entry.model_copy(update={"content": text})
    return [shown[id(entry)] for entry in entries]


def cut(text: str, longest: int) -> str:
    """Return *text*, truncated with a mark if it has more than *longest* bytes."""
    encoded = _encoded(text)
    if len(encoded) <= longest:
        return text
    return encoded[: max(0, longest - len(CUT.encode()))].decode("utf-8", "ignore") + CUT


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def bytes_of(entry: Entry) -> int:
    """Return at least DynamoDB's size of an entry, with its place in the list."""
    return 1 + stored_bytes(entry.stored())


def stored_bytes(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """Return at least DynamoDB's size of a value: texts, digits, and some bytes for each map, list and member."""
    if isinstance(value, dict):
        return 3 + sum(
            1 + len(_encoded(name)) + stored_bytes(member) for name, member in value.items()
        )
    if isinstance(value, list):
        return 3 + sum(1 + stored_bytes(member) for member in value)
    if isinstance(value, str):
        return len(_encoded(value))
    return 1 if isinstance(value, bool) else 2 + len(str(value)) // 2


def _declared(field: str) -> str:
    if field not in Conversation.model_fields:
        raise KeyError(f"the conversation has no {field}")
    return field
