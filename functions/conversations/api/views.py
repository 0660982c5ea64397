"""
What callers of the admin API see of conversations.

An address of a customer shows where somebody has to know it: in the one conversation that was asked for, and at a
message that people have to place. Lists name conversations by their `ref`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from conversations.initiation.context_object import as_json

LINK_SECONDS = 15 * 60

# Numbers as JSON has them: DynamoDB gives decimals, which would come out as texts.
type Json = Annotated[dict[str, Any], BeforeValidator(as_json)]


class View(BaseModel):
    """Part of an answer. What is None is left out of it."""

    model_config = ConfigDict(defer_build=True, hide_input_in_errors=True)


class SummaryView(View):
    """A conversation in a list. `last_activity_at` is to the hour for open ones."""

    ref: str
    project_id: str
    conversation_status: str
    channel_method: str
    hand_off_to_human: bool
    hand_off_to_human_reason: str | None
    since: str
    last_activity_at: str


class ConversationsView(View):
    """Part of a list of conversations."""

    conversations: list[SummaryView]


class RecipientView(View):
    """The person whom a conversation is with."""

    first_name: str | None
    last_name: str | None
    tel: str | None
    email: str | None


class TurnView(View):
    """A message that is being written or sent just now."""

    entry_id: str
    kind: str
    stage: str


class ChangeView(View):
    """
    A change of status: who, from what to what, why, and because of which event.

    `principal` is the authenticated caller behind a change that was made over the API.
    """

    at: str
    who: str
    principal: str | None
    from_status: str | None
    to_status: str
    reason: str | None
    cause: str


class UnreachableView(View):
    """Nothing is sent to the customer on this channel: its provider says that it does not reach them."""

    reason: str
    since: str


class FunctionView(View):
    """A function that the model asked for and people decide about; without a verdict it waits, or was never shown."""

    name: str
    arguments: Json
    verdict: str | None


class WaitingView(FunctionView):
    """The function that waits now: `entry_id` is its draft's, which `release` takes."""

    entry_id: str


class ConversationView(View):
    """
    A conversation: the contract's item and the state beside it. `changes` are the newest, newest first.

    `recorded_answers` are the customer's answers by question; `project_data` holds only what the request gave.
    `unreadable` names those of the two whose stored object is missing or damaged: what is shown of it is incomplete.
    """

    ref: str
    company_id: str
    project_id: str
    request_id: str
    channel_method: str
    conversation_status: str
    status_reason: str | None
    resumes_at: str | None
    mode: str
    owner: str | None
    turn: TurnView | None
    hand_off_to_human: bool
    hand_off_to_human_reason: str | None
    function_call: bool
    function_call_type: str | None
    waits_for_approval: WaitingView | None
    task_complete: bool
    comms_consent: bool
    recipient: RecipientView
    unreachable: UnreachableView | None
    business_address: str
    language: str | None
    template: str | None
    company_name: str | None
    project_name: str | None
    project_data: Json
    recorded_answers: dict[str, str]
    unreadable: list[str]
    thread_id: str | None
    email_id: str | None
    created_at: str
    updated_at: str
    initial_request_timestamp: str | None
    last_message_at: str | None
    last_inbound_at: str | None
    last_outbound_at: str | None
    window_until: str | None
    changes: list[ChangeView]


class Link(View):
    """A download that needs no key and ends by itself."""

    link: str
    expires_in_seconds: int = LINK_SECONDS


class FileView(View):
    """
    A file of a message; without a download where it is not kept here, or not where files of its conversation are.

    `media_state` says why: `pending` and `failed` of what is copied from a provider, `awaited` of what the inbox
    fetches.
    """

    name: str | None
    mime_type: str | None
    download: Link | None


class MessageView(View):
    """A message. `whole_text` leads to a text that is too long to be shown."""

    entry_id: str
    message_timestamp: str
    role: str
    author: str
    principal: str | None
    resolved_by: str | None
    resolved_principal: str | None
    kind: str
    content: str
    whole_text: Link | None
    subject: str | None
    template: str | None
    variables: dict[str, str] | None
    button: dict[str, str] | None
    location: dict[str, str] | None
    media: list[FileView]
    media_state: str | None
    delivery_status: str | None
    delivery_status_at: str | None
    error_code: str | None
    provider: str | None
    provider_message_id: str | None
    encoding: str | None
    segments: int | None
    price: str | None
    currency: str | None
    model: str | None
    ai_prompt_tokens: int | None
    ai_completion_tokens: int | None
    ai_total_tokens: int | None
    processing_time_ms: int | None
    functions: list[str]
    function: FunctionView | None
    hand_off_reason: str | None
    hand_off_cause: str | None


class MessagesView(View):
    """Part of a log, newest first. With `before` there may be older ones."""

    messages: list[MessageView]
    before: str | None


class InFlightView(View):
    """A message that was on its way when people took over; the last one that they did not write."""

    entry_id: str


class StandingView(View):
    """How a conversation stands after a change."""

    ref: str
    conversation_status: str
    mode: str
    owner: str | None
    ai_reply_in_flight: InFlightView | None = None


class AcceptedView(View):
    """What will be sent: `entry_id` is that of the message in the log, None where the model words it."""

    ref: str
    entry_id: str | None
    ai_reply_in_flight: InFlightView | None = None


class ResolvedView(View):
    """What is now known of a message; `resent_as` is the one that says it again."""

    ref: str
    entry_id: str
    delivery_status: str
    resent_as: str | None


class UnmatchedView(View):
    """A message that belongs to no conversation."""

    id: str
    project_id: str
    channel_method: str
    received_at: str
    kind: str
    text: str | None
    files: int
    business_address: str
    customer_address: str | None
    customer_user_id: str | None
    profile_name: str | None


class UnmatchedListView(View):
    """Part of a list of such messages."""

    messages: list[UnmatchedView]


class AttachedView(View):
    """Where a message was placed."""

    id: str
    ref: str


class ChannelConsentView(View):
    """What counts for a channel: `opted_in`, `opted_out`, or `unknown` where nobody has said anything."""

    channel: str
    state: str
    at: str | None = None
    source: str | None = None
    evidence: str | None = None
    said_by: str | None = None
    recorded_by: str | None = None
    principal: str | None = None


class ConsentView(View):
    """How a person stands with the company."""

    channels: list[ChannelConsentView]


class RecordedView(View):
    """What was put on record; `refs` are the conversations whose status changed with it."""

    recorded: bool
    channels: list[str]
    refs: list[str]
