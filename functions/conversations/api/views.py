"""
Response models of the admin API.

Customer addresses appear only where they are needed: in a single requested conversation, and in an unmatched message
that an agent must attach. Lists identify conversations by their `ref`.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator

from conversations.initiation.context_object import as_json
from shared.api.models.views import View

LINK_SECONDS = 15 * 60

# Converts the decimals of DynamoDB to JSON numbers; they would be serialised as text otherwise.
type Json = Annotated[dict[str, Any], BeforeValidator(as_json)]


class SummaryView(View):
    """A conversation in a list. `last_activity_at` is truncated to the hour for open ones."""

    ref: str
    project_id: str
    conversation_status: str
    channel_method: str
    hand_off_to_human: bool
    hand_off_to_human_reason: str | None
    since: str
    last_activity_at: str


class ConversationsView(View):
    """Page of a list of conversations."""

    conversations: list[SummaryView]


class RecipientView(View):
    """Customer of a conversation."""

    first_name: str | None
    last_name: str | None
    tel: str | None
    tel_text: str | None  # as people write it: `+44 7700 900101`
    email: str | None


class TurnView(View):
    """Message that is currently being written or sent."""

    entry_id: str
    kind: str
    stage: str


class ChangeView(View):
    """
    Status change: actor, old and new status, reason and the triggering event.

    `principal` is the authenticated caller of a change that was made over the API.
    """

    at: str
    who: str
    principal: str | None
    from_status: str | None
    to_status: str
    reason: str | None
    cause: str


class UnreachableView(View):
    """The provider reports that the channel does not reach the customer: nothing is sent on it."""

    reason: str
    since: str


class FunctionView(View):
    """
    Function call of the model that needs approval; without a verdict it waits, or was never shown to agents.

    `decided_by`: the author who released or refused it.
    """

    name: str
    arguments: Json
    verdict: str | None
    decided_by: str | None


class WaitingView(FunctionView):
    """Function call that waits for approval: `entry_id` is its draft id for `release`."""

    entry_id: str


class ReplacedAnswerView(View):
    """An answer that a correction of the customer has replaced."""

    question: str
    answer: str
    replaced_at: str


class SatisfactionView(View):
    """How satisfied the customer is, 1 to 5, once they have answered the question."""

    score: int
    comment: str | None
    answered_at: str


class ConversationView(View):
    """
    A conversation: the contract's item and its state. `changes` are the latest ones, newest first.

    `revision` counts the changes of labels and snoozes. `snoozed_until` is absent when the snooze is over.

    `recorded_answers` are the customer's answers by question, `replaced_answers` the last ones that were corrected,
    oldest first; `project_data` contains only data of the request.
    `ai_dollars`: what the model's messages cost, by list prices or the prices in the project's settings.
    `unreadable` names the fields of these two whose stored object is missing or damaged: their value is incomplete.
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
    replaced_answers: list[ReplacedAnswerView]
    unreadable: list[str]
    thread_id: str | None
    email_id: str | None
    ai_dollars: str | None
    satisfaction: SatisfactionView | None
    created_at: str
    updated_at: str
    initial_request_timestamp: str | None
    last_message_at: str | None
    last_inbound_at: str | None
    last_outbound_at: str | None
    window_until: str | None
    labels: list[str]
    snoozed_until: str | None
    revision: int
    changes: list[ChangeView]


class Link(View):
    """Presigned download link; it needs no API key and expires."""

    link: str
    expires_in_seconds: int = LINK_SECONDS


class FileView(View):
    """
    File of a message; without `download` if it is not stored, or stored outside the folders of its conversation.

    `media_state` of the message gives the reason: `pending` or `failed` for a copy from a provider, `awaited` for a
    file that the inbox fetches. `transcript` are the words of a voice note, written by a machine; `no_transcript`
    is the reason why a recording has none.
    """

    name: str | None
    mime_type: str | None
    download: Link | None
    transcript: str | None
    no_transcript: str | None


class SourceView(View):
    """Passage of the company's documents that the model was given; `cited` if the message cites it. Without content."""

    chunk_id: str
    score: str
    cited: bool


class MessageView(View):
    """
    A message. `whole_text` links to the full text if it is too long to be shown.

    Of the model: `ai_version` of the project's settings, `calls` of the provider, `functions` that it called, `sources`
    that it was given and `answers` of the customer that it recorded, by question; `ratings` of people, by principal:
    `rated_up`, or `rated_down` with its reason after a colon.
    """

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
    ai_version: int | None
    ai_prompt_tokens: int | None
    ai_completion_tokens: int | None
    ai_total_tokens: int | None
    ai_cached_tokens: int | None
    ai_dollars: str | None
    processing_time_ms: int | None
    calls: int | None
    functions: list[str]
    sources: list[SourceView]
    answers: dict[str, str]
    function: FunctionView | None
    hand_off_reason: str | None
    hand_off_cause: str | None
    ratings: dict[str, str]


class MessagesView(View):
    """Page of a message log, newest first. `before` is absent on the last page."""

    messages: list[MessageView]
    before: str | None


class InFlightView(View):
    """Message that was in flight at the take-over; the last one that no agent wrote."""

    entry_id: str


class StandingView(View):
    """Status of a conversation after a change."""

    ref: str
    conversation_status: str
    mode: str
    owner: str | None
    ai_reply_in_flight: InFlightView | None = None


class AcceptedView(View):
    """Accepted message: `entry_id` is its id in the log, None if the model writes it or for a function call."""

    ref: str
    entry_id: str | None
    ai_reply_in_flight: InFlightView | None = None


class ResolvedView(View):
    """Resolved delivery status of a message; `resent_as` is the id of the message that repeats it."""

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
    """Page of a list of unmatched messages."""

    messages: list[UnmatchedView]


class AttachedView(View):
    """Conversation that a message was attached to."""

    id: str
    ref: str


class ChannelConsentView(View):
    """Consent in force for a channel: `opted_in`, `opted_out`, or `unknown` if none is recorded."""

    channel: str
    state: str
    at: str | None = None
    source: str | None = None
    evidence: str | None = None
    said_by: str | None = None
    recorded_by: str | None = None
    principal: str | None = None


class ConsentView(View):
    """Consent of a recipient per channel of the company."""

    channels: list[ChannelConsentView]


class RecordedView(View):
    """Recorded consent; `refs` are the conversations whose status changed with it."""

    recorded: bool
    channels: list[str]
    refs: list[str]
