"""
Sends the first message of a conversation, from the Context Object to acceptance by the provider.

Everything needed to match an answer to its conversation (item, state, route, address) is written before the message
is sent. A retry finds these and continues; a different request with the same id is parked.
"""

from dataclasses import replace

from conversations.ai.checks.guardrails import hosts_in
from conversations.configuration import projects
from conversations.configuration.projects import Company, ConfigurationInvalid, ProjectStatus
from conversations.configuration.resources import Resources, Run
from conversations.dialogue import conversation_item, trial_version
from conversations.dialogue.context import DialogueDependencies
from conversations.initiation import requests
from conversations.initiation.context_object import ContextObject, context_hash
from conversations.initiation.json_body import RequestRefused
from conversations.initiation.requests import Request
from conversations.lifecycle import conversation
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status, may_become
from conversations.lifecycle.transitions import Cause, finish_move, keep_open, move
from conversations.outbound.delivery.channel_fallback import arrived_before, fall_back
from conversations.outbound.policy.gate import send_request_of
from conversations.outbound.policy.review import must_be_reviewed
from conversations.outbound.results import End, Ended
from conversations.outbound.turns import deferral, engine
from conversations.outbound.turns.plan import Outcome, Plan
from conversations.privacy import erasure_checks
from conversations.store import conversations, erasures, routes, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation
from conversations.store.items.log import Mode
from conversations.store.items.parts.state import State
from conversations.store.items.records import ParkReason
from conversations.store.items.routes import BusinessAddress
from conversations.store.items.turn import TurnKind
from shared.policy.facts import Reason
from shared.providers.action_ledger import State as Sending
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

REVIEW = "initial_review"
SCHEDULED = "scheduled"  # the request names a time for the first message
ARRIVED_BEFORE = "arrived_before"  # on another channel, after its provider had reported a failure


def begin(
    deps: DialogueDependencies, context: ContextObject, channel: ChannelMethod, run: Run
) -> Outcome | None:
    """
    Begin the conversation of a Context Object; None if it was begun before or waits for a human agent.

    Raises Permanent if it can never be begun, Transient if a retry may succeed.
    """
    request, company = _read(context, channel)
    if erasure_checks.is_erased_request(deps.resources.log, context, request):
        request_key = identifiers.request(
            request.company_id, request.project_id, request.request_id
        )
        erasures.forget_in_answer(
            deps.resources.log, request_key, "conversation_id"
        )  # The conversation was not begun, so the erasure cannot find this id.
        raise Permanent(ParkReason.ERASED)
    opened = establish(deps, context, request, company)
    return go_on(deps, replace(opened, company=_now(deps.resources, company)), run)


def go_on(deps: DialogueDependencies, opened: OpenConversation, run: Run) -> Outcome | None:
    """Send the first message of a conversation if it was not sent and sending is allowed now."""
    opened = trial_version.given(deps, opened)
    conversation, state = opened.conversation, opened.state
    finished = engine.resume(deps.turns, opened, run)
    if finished is not None:
        if finished.ended is Ended.FAILED:
            fall_back(deps.resources, opened)
        return finished
    turn_id = identifiers.first_turn(state.releases)
    settled = _send_outcome(deps, opened, turn_id)
    if conversation.task_complete or settled or state.mode is not Mode.AI:
        opened = finish_move(deps.resources, opened)
        keep_open(deps.resources, opened.ref, opened.conversation)
        if settled is Sending.FAILED:
            fall_back(deps.resources, opened)
        return None
    cause = Cause(who="parley", what=turn_id, reason=REVIEW)
    if state.releases == 0 and must_be_reviewed(opened, is_reply=False):
        move(deps.resources, opened, Status.HANDOFF_PENDING, cause)
        return None
    refused = _refusal(deps, opened, turn_id)
    if refused is not None:
        return _hold_back(deps, opened, refused, turn_id)
    if Status(conversation.conversation_status) is not Status.PROCESSING:
        opened = move(deps.resources, opened, Status.PROCESSING, Cause(who="parley", what=turn_id))
    missing = _missing_secret(deps, opened)
    if missing is not None:
        deferral.apply_refusal(
            deps.resources, opened, End(reason=missing, status=Status.FAILED), turn_id
        )
        return Outcome(Ended.FAILED, None, missing)
    plan = Plan(turn_id=turn_id, kind=TurnKind.INITIAL)
    outcome = engine.take(
        deps.turns,
        opened,
        plan,
        run,
        lambda: deps.writer.first_message(opened, turn_id, run),
    )
    if outcome.ended is Ended.FAILED or outcome.reason == Reason.ADDRESS_UNUSABLE:
        fall_back(deps.resources, opened)
    return outcome


def _refusal(deps: DialogueDependencies, opened: OpenConversation, turn_id: str) -> End | None:
    """
    Return the refusal of the first message by its time, by policy or by an earlier delivery; None if it may be sent.

    An agent's release sends it before its time.
    """
    send_at = opened.state.send_at
    if send_at and opened.state.releases == 0 and clock.from_text(send_at) > clock.now_ms():
        due_at_ms = clock.from_text(send_at)
        return End(reason=SCHEDULED, status=Status.DEFERRED, due_at_ms=due_at_ms)
    # The first message on WhatsApp is always a template.
    is_template = opened.conversation.channel_method is ChannelMethod.WHATSAPP
    request = send_request_of(opened, TurnKind.INITIAL, turn_id, is_template=is_template)
    refused = deps.policy_gate.refusal(opened, request)
    if refused is None and arrived_before(deps.resources, opened):
        return End(reason=ARRIVED_BEFORE, status=Status.BLOCKED)
    return refused


def _hold_back(
    deps: DialogueDependencies, opened: OpenConversation, refused: End, turn_id: str
) -> Outcome:
    """Move a refused conversation to the status of its refusal, via `processing` if no direct transition exists."""
    status = Status(opened.conversation.conversation_status)
    if refused.status and not may_become(status, refused.status):
        opened = move(deps.resources, opened, Status.PROCESSING, Cause(who="parley", what=turn_id))
    deferral.apply_refusal(deps.resources, opened, refused, turn_id)
    if refused.reason == Reason.ADDRESS_UNUSABLE:
        fall_back(deps.resources, opened)
    return Outcome(Ended.REFUSED, None, refused.reason)


def _send_outcome(
    deps: DialogueDependencies, opened: OpenConversation, turn_id: str
) -> Sending | None:
    """
    Return how the send of a failed conversation ended; None if it did not end or the conversation has not failed.

    A settled send is not repeated. A release sends under another turn id.
    """
    if opened.conversation.conversation_status != Status.FAILED:
        return None
    action = deps.resources.ledger.action(identifiers.action_id(opened.ref, turn_id))
    return None if action is None or action.state is Sending.RESERVED else action.state


def _missing_secret(deps: DialogueDependencies, opened: OpenConversation) -> str | None:
    """Return the code of a secret that is missing for sending, or None. Raises Transient if it cannot be checked."""
    try:
        deps.turns.gateway.check(opened)
    except Misconfigured as refusal:
        return refusal.code
    except NotSent as failure:
        raise Transient(failure.code, failure.wait_ms) from None
    return None


def _read(context: ContextObject, channel: ChannelMethod) -> tuple[Request, Company]:
    try:
        company = projects.parse(context.company_data_payload)
        request = requests.parse(
            context.frontend_payload, lambda *_: company.default_region, max_age_ms=0
        )
        company.channel(request.channel_method)
    except RequestRefused as refusal:
        raise Permanent(refusal.code) from None
    except ConfigurationInvalid:
        raise Permanent("configuration_invalid") from None
    if request.channel_method is not channel:
        raise Permanent("wrong_queue")
    conversation_id = identifiers.conversation_id(
        company.company_id, company.project_id, request.request_id, request.recipient.in_id(channel)
    )
    if conversation_id != context.conversation_data.conversation_id:
        raise Permanent("conflict")
    return request, company


def _now(resources: Resources, then: Company) -> Company:
    """Return the current project settings; a project deactivated or deleted while the request waited is inactive."""
    off = {"project_status": ProjectStatus.INACTIVE}
    return conversation.load_project(
        resources, then.company_id, then.project_id
    ) or then.model_copy(update=off)


def establish(
    deps: DialogueDependencies, context: ContextObject, request: Request, company: Company
) -> OpenConversation:
    """Create item, state, route and list entry of a conversation if absent. Raises Permanent (`conflict`)."""
    resources, data = deps.resources, context.conversation_data
    possible = identifiers.refs_of(data.conversation_id, data.conversation_ref)
    built = conversation_item.conversation_of(
        context,
        request,
        company,
        resources.bucket,
        ref=states.ref_in_use(resources.log, possible),
        version=deps.processor_version,
    )
    conversation = conversations.create(resources.table, built)
    ref = identifiers.ref_of_item(conversation)
    state = states.create(resources.log, ref, _state(conversation, request, company, context))
    if state.context_hash != context_hash(context.frontend_payload):
        raise Permanent("conflict")
    store_route(resources, ref, conversation, company)
    opened = OpenConversation(ref=ref, conversation=conversation, state=state, company=company)
    if Status(conversation.conversation_status) is Status.PROCESSING:
        keep_open(resources, ref, conversation)
    return opened


def store_route(
    resources: Resources, ref: str, conversation: Conversation, company: Company
) -> None:
    """Write the route and address by which answers are matched to the conversation. Idempotent."""
    method, customer = conversation.channel_method, conversation.primary_channel
    channel, address = company.channel(method), company.sender(method, customer)
    pair = identifiers.pair(method, address, customer)
    routes.add(resources.log, pair, conversation.created_at, ref, conversation.ttl)
    owner = BusinessAddress(
        company_id=company.company_id,
        project_id=company.project_id,
        provider=channel.provider,
        account=channel.account,
    )
    routes.add_address(resources.log, method, address, owner)


def _state(
    conversation: Conversation, request: Request, company: Company, context: ContextObject
) -> State:
    return State.of_item(
        conversation,
        company.sender(conversation.channel_method, conversation.primary_channel),
        context_hash(context.frontend_payload),
        fallback=context.conversation_data.fallback,
        asked_at=clock.to_text(clock.now_ms()),
        template=request.template,
        send_at=request.send_at,
        email_as_given=request.recipient.email_as_given,
        customer_user_id=request.recipient.user_id,
        language=request.recipient.language,
        link_hosts=sorted(hosts_in(request.payload.get("project_data") or {}))[:20],
    )
