"""Sequences of messages to new customers: their definition, the run of each customer, and the steps due in a minute."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from shared.aws.audited import audited
from whatsapp.store.items.item import AtMost, WhatsAppItem

FIRST_MESSAGE: Literal["first_message"] = "first_message"
REQUEST_WELCOME: Literal["request_welcome"] = "request_welcome"

type Trigger = Literal["first_message", "request_welcome"]


@audited("sequence_name")
class Sequence(WhatsAppItem):
    """
    Messages that new customers of an account get one after the other. `account` is Meta's id of it.

    `steps` have `delayMinutes` after the message before, and `text`, or `templateName` and `language`. The numbers of
    the account name the sequence that they start (`welcomeSequences` of PHONE).
    """

    item_type: ClassVar[str] = "SEQUENCE"
    pk_pattern: ClassVar[str] = "SEQUENCE#{wabaMetaId}#{sequenceName}"

    account: str
    sequence_name: str
    steps: Annotated[list[dict[str, Any]], AtMost(10)] = Field(repr=False)
    enabled: bool
    trigger: Trigger
    stop_on_reply: bool
    created_by: str  # principal of the API key
    updated_at: str


class SequenceRun(WhatsAppItem):
    """
    A sequence of one customer. The conversation's head names it in `sequenceRun`, which makes it the only one.

    `run_id` is a hash of the message that started it, at `started_at`. `step` is the next one, from 0, due at `due_at`.
    `outcomes` has a step -> its outcome and reason, such as `refused:window_closed`. `tries` counts the attempts of
    `step` that have to be repeated.
    """

    item_type: ClassVar[str] = "SEQUENCE_RUN"
    pk_pattern: ClassVar[str] = "SEQUENCE_RUN#{runId}"
    ttl_days: ClassVar[int | None] = 35  # as long as the ledger knows what was sent

    run_id: str
    phone: str
    account: str
    sequence_name: str
    conversation: str  # key of the head
    started_at: str
    state: Literal["running", "completed", "stopped"] = "running"
    step: int = 0
    due_at: str | None = None
    tries: int = 0
    outcomes: Annotated[dict[str, str], AtMost(10)] = Field(default_factory=dict)
    stop_reason: str | None = None


class Timer(WhatsAppItem):
    """
    Runs with a step due in a minute, as `{phone}#{runId}`. The next number is used when the one before is full.

    An entry stays when its step was done, or is due later: the run decides.
    """

    item_type: ClassVar[str] = "TIMER"
    pk_pattern: ClassVar[str] = "TIMER#{yyyymmddHHMM}#{n}"
    ttl_note: ClassVar[str] = "2 days after its minute"
    most: ClassVar[int] = 100

    runs: Annotated[set[str], AtMost(100)] = Field(default_factory=set)

    @classmethod
    def of(cls, minute: str, number: int) -> str:
        """Return the key of the item *number*, from 0, of a minute `YYYY-MM-DDTHH:MM`."""
        return cls.key("".join(c for c in minute if c.isdecimal()), str(number))
