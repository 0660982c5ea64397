"""
The first message of a conversation, from a Context Object to what the provider took.

Everything that an answer needs to find its way (item, state, route, address) exists before the message can leave. A
repetition finds it there and goes on; another request under the same id is parked.
"""

from dataclasses import replace

from conversations import conversation, erased, projects
from conversations.ai.checks.guardrails import hosts_in
from conversations.conversation import Opened
from conversations.dialogue.context import Desk
from conversations.initiation import requests, snapshot
from conversations.initiation.context_object import ContextObject, context_hash
from conversations.initiation.json_body import RequestRefused
from conversations.initiation.requests import Request
from conversations.lifecycle import Status, may_become
from conversations.outbound.delivery.channel_fallback import arrived_before, fall_back
from conversations.outbound.policy.gate import Wanted
from conversations.outbound.policy.review import must_be_reviewed
from conversations.outbound.turns import deferral, engine
from conversations.outbound.turns.engine import Ended, Outcome, Plan
from conversations.outbound.turns.settlement import End
from conversations.projects import Company, ConfigurationInvalid, ProjectStatus
from conversations.resources import Resources, Run
from conversations.store import conversations, routes, states
from conversations.store import idempotency as answers
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation
from conversations.store.items.log import Mode, State, TurnKind
from conversations.store.items.records import ParkReason
from conversations.store.items.routes import BusinessAddress
from conversations.transitions import Cause, finish_move, keep_open, move
from shared import clock
from shared.action_ledger import State as Sending
from shared.failures import Permanent, Transient
from shared.policy import Author, Kind, Reason
from shared.providers.outcomes import Misconfigured, NotSent

REVIEW = "initial_review"
ARRIVED_BEFORE = "arrived_before"  # by another channel, whose provider had called it failed


def begin(desk: Desk, context: ContextObject, channel: ChannelMethod, run: Run) -> Outcome | None:
    """
    Begin the conversation of a Context Object; None where it was begun before, or waits for somebody.

    Raises Permanent for what can never be begun, Transient for what may later.
    """
    request, company = _read(context, channel)
    if erased.was_asked_before(desk.here.log, context, request):
        asked = identifiers.request(request.company_id, request.project_id, request.request_id)
        answers.forget(
            desk.here.log, asked, "conversation_id"
        )  # It was not begun: nobody else looks.
        raise Permanent(ParkReason.ERASED)
    opened = establish(desk, context, request, company)
    return go_on(desk, replace(opened, company=_now(desk.here, company)), run)


def go_on(desk: Desk, opened: Opened, run: Run) -> Outcome | None:
    """Send the first message of a conversation that has none yet, if it may leave now."""
    conversation, state = opened.conversation, opened.state
    finished = engine.resume(desk.turns, opened, run)
    if finished is not None:
        if finished.ended is Ended.FAILED:
            fall_back(desk.here, opened)
        return finished
    turn_id = identifiers.first_turn(state.releases)
    settled = _settled_as(desk, opened, turn_id)
    if conversation.task_complete or settled or state.mode is not Mode.AI:
        opened = finish_move(desk.here, opened)
        keep_open(desk.here, opened.ref, opened.conversation)
        if settled is Sending.FAILED:
            fall_back(desk.here, opened)
        return None
    cause = Cause(who="parley", what=turn_id, reason=REVIEW)
    if state.releases == 0 and must_be_reviewed(opened, is_reply=False):
        move(desk.here, opened, Status.HANDOFF_PENDING, cause)
        return None
    refused = _refusal(desk, opened, turn_id)
    if refused is not None:
        return _held_back(desk, opened, refused, turn_id)
    if Status(conversation.conversation_status) is not Status.PROCESSING:
        opened = move(desk.here, opened, Status.PROCESSING, Cause(who="parley", what=turn_id))
    missing = _missing(desk, opened)
    if missing is not None:
        deferral.put_off(desk.here, opened, End(reason=missing, status=Status.FAILED), turn_id)
        return Outcome(Ended.FAILED, None, missing)
    plan = Plan(turn_id=turn_id, kind=TurnKind.INITIAL)
    outcome = engine.take(
        desk.turns,
        opened,
        plan,
        run,
        lambda: desk.writer.first_message(opened, turn_id, run),
    )
    if outcome.ended is Ended.FAILED or outcome.reason == Reason.ADDRESS_UNUSABLE:
        fall_back(desk.here, opened)
    return outcome


def _refusal(desk: Desk, opened: Opened, turn_id: str) -> End | None:
    """What keeps the first message from leaving now; None where nothing does."""
    refused = desk.policing.refusal(opened, first_message(opened, turn_id))
    if refused is None and arrived_before(desk.here, opened):
        return End(reason=ARRIVED_BEFORE, status=Status.BLOCKED)
    return refused


def _held_back(desk: Desk, opened: Opened, refused: End, turn_id: str) -> Outcome:
    """What the policy refuses goes where that leads, if need be by way of `processing`."""
    status = Status(opened.conversation.conversation_status)
    if refused.status and not may_become(status, refused.status):
        opened = move(desk.here, opened, Status.PROCESSING, Cause(who="parley", what=turn_id))
    deferral.put_off(desk.here, opened, refused, turn_id)
    if refused.reason == Reason.ADDRESS_UNUSABLE:
        fall_back(desk.here, opened)
    return Outcome(Ended.REFUSED, None, refused.reason)


def _settled_as(desk: Desk, opened: Opened, turn_id: str) -> Sending | None:
    """How it ended at the provider: the same once more would change nothing. What a release sends is another one."""
    if opened.conversation.conversation_status != Status.FAILED:
        return None
    action = desk.here.ledger.action(identifiers.action_id(opened.ref, turn_id))
    return None if action is None or action.state is Sending.RESERVED else action.state


def _missing(desk: Desk, opened: Opened) -> str | None:
    """Which secret is missing to send at all, as a code. Raises Transient where that cannot be told just now."""
    try:
        desk.turns.wire.check(opened)
    except Misconfigured as refusal:
        return refusal.code
    except NotSent as failure:
        raise Transient(failure.code, failure.wait_ms) from None
    return None


def first_message(opened: Opened, turn_id: str, *, takes: bool = False) -> Wanted:
    """What the policy is asked about a first message. On WhatsApp it is always a template."""
    return Wanted(
        kind=Kind.FIRST,
        author=Author.AI,
        action_id=identifiers.action_id(opened.ref, turn_id),
        is_template=opened.conversation.channel_method is ChannelMethod.WHATSAPP,
        takes=takes,
    )


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
    known = identifiers.conversation_id(
        company.company_id, company.project_id, request.request_id, request.recipient.in_id(channel)
    )
    if known != context.conversation_data.conversation_id:
        raise Permanent("conflict")
    return request, company


def _now(here: Resources, then: Company) -> Company:
    """The project as it is set up now: whoever switched it off while the request waited is heard."""
    off = {"project_status": ProjectStatus.INACTIVE}
    return conversation.load_project(here, then.company_id, then.project_id) or then.model_copy(
        update=off
    )


def establish(desk: Desk, context: ContextObject, request: Request, company: Company) -> Opened:
    """Write all that a conversation is found by, unless it is there. Raises Permanent for another one's request."""
    here, data = desk.here, context.conversation_data
    possible = identifiers.refs_of(data.conversation_id, data.conversation_ref)
    built = snapshot.conversation_of(
        context,
        request,
        company,
        here.bucket,
        ref=states.ref_in_use(here.log, possible),
        version=desk.processor_version,
    )
    conversation = conversations.create(here.table, built)
    hashed = context_hash(context.frontend_payload)
    ref = identifiers.ref_of_item(conversation)
    state = states.create(here.log, ref, _state(conversation, request, company, hashed))
    if state.context_hash != hashed:
        raise Permanent("conflict")
    find_by(here, ref, conversation, company)
    opened = Opened(ref=ref, conversation=conversation, state=state, company=company)
    if Status(conversation.conversation_status) is Status.PROCESSING:
        keep_open(here, ref, conversation)
    return opened


def find_by(here: Resources, ref: str, conversation: Conversation, company: Company) -> None:
    """Let answers find the conversation. Safe to repeat."""
    method, customer = conversation.channel_method, conversation.primary_channel
    channel, address = company.channel(method), company.sender(method, customer)
    pair = identifiers.pair(method, address, customer)
    routes.add(here.log, pair, conversation.created_at, ref, conversation.ttl)
    owner = BusinessAddress(
        company_id=company.company_id,
        project_id=company.project_id,
        provider=channel.provider,
        account=channel.account,
    )
    routes.add_address(here.log, method, address, owner)


def _state(conversation: Conversation, request: Request, company: Company, hashed: str) -> State:
    return State.of_item(
        conversation,
        company.sender(conversation.channel_method, conversation.primary_channel),
        hashed,
        asked_at=clock.to_text(clock.now_ms()),
        template=request.template,
        email_as_given=request.recipient.email_as_given,
        customer_user_id=request.recipient.user_id,
        language=request.recipient.language,
        link_hosts=sorted(hosts_in(request.payload.get("project_data") or {}))[:20],
    )
