"""
Tries a version of a project's settings: the model writes the next message of a conversation that does not exist.

Real turns have the same model, checks and search in documents. Nothing is sent or stored but the count of
tokens, and no function of the project is called: their results come from the request.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.ai import dialogue
from conversations.ai.functions import Result
from conversations.ai.prompt.system_prompt import HistoryMessage
from conversations.ai.task import Task
from conversations.api.access import ModelUnavailable, ModelUnusable
from conversations.api.projects import views
from conversations.configuration.projects import ConfigurationInvalid, EmailChannel
from conversations.initiation.case_data import CaseData
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status
from conversations.outbound.compose import facts, limits
from conversations.outbound.compose.functions.calls import DONE
from conversations.outbound.policy.token_budget import Metered
from conversations.outbound.unwritable import Unwritable
from conversations.store.items.conversation import Conversation
from conversations.store.items.parts.state import State
from shared.ai import model_creation
from shared.ai import port as ai
from shared.ai.files.refused_files import ReadsFiles
from shared.ai.spending import prices
from shared.api.errors import InvalidInput
from shared.aws.secrets import SecretUnreadable
from shared.aws.sqs_fifo import to_json
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.ai.config import AiConfig
    from conversations.ai.functions import Call
    from conversations.ai.outcome import Answer, MadeCall
    from conversations.api.projects.inputs import PlaygroundInput
    from conversations.configuration.projects import Company
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.ai.model_creation import ModelDependencies
    from shared.aws.dynamodb import Table

SPARE_MS = 3 * clock.SECOND_MS  # to build and send the response
NOT_SIMULATED = Result(
    "This could not be done: the playground was given no result of this function.", is_error=True
)
_NO_ONE = {
    "whatsapp": "+15550000000",
    "sms": "+15550000000",
    "email": "playground@example.com",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundDependencies:
    """Models, the companies' documents, and the table that counts tokens."""

    log: Table
    model_deps: ModelDependencies
    documents: DocumentSearch


@dataclass(slots=True, eq=False)
class _Traced:
    """A model that keeps what it was asked and what it answered."""

    model: ai.Model
    calls: list[views.ModelCallView] = field(default_factory=list)

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        began = clock.now_ms()
        reply = self.model.reply(request)
        self.calls.append(
            views.ModelCallView(
                system=request.system,
                history=[_described(turn) for turn in request.history],
                answer=reply.text,
                calls=[f"{call.name} {call.arguments}" for call in reply.tool_calls],
                stop=reply.stop,
                tokens_in=reply.usage.tokens_in,
                tokens_out=reply.usage.tokens_out,
                ms=clock.now_ms() - began,
            )
        )
        return reply


def answer(
    deps: PlaygroundDependencies, company: Company, given: PlaygroundInput, remaining_ms: int
) -> views.PlaygroundView:
    """
    Return what the model would send. Raises InvalidInput for a channel that the project does not have, ModelUnavailable
    and ModelUnusable.
    """
    try:
        opened = _opened(company, given)
        config = facts.config_of(opened)
        task = _task(deps, opened, config, given, clock.now_ms() + remaining_ms - SPARE_MS)
        model = model_creation.model_for(config, deps.model_deps, company.company_id)
        traced = _Traced(ReadsFiles(model, config.media))
        made = dialogue.answer(
            Metered(traced, deps.log, company), task, lambda call: _simulated(call, given)
        )
    except ConfigurationInvalid as fault:
        raise InvalidInput(
            [{"field": "channel", "problem": f"is not set up: {fault.attribute}"}]
        ) from None
    except SecretUnreadable:
        raise ModelUnusable("secrets_missing") from None
    except Misconfigured as refusal:
        raise ModelUnusable(refusal.code) from None
    except Unwritable as refusal:
        raise (ModelUnavailable if refusal.may_pass else ModelUnusable)(refusal.reason) from None
    except NotSent as failure:
        raise ModelUnavailable(failure.code) from None
    except ai.Unavailable as failure:
        is_lasting = failure.repeat is ai.Repeat.NEVER
        raise (ModelUnusable if is_lasting else ModelUnavailable)(failure.code) from None
    return _view(company, given, made, traced.calls)


def _task(
    deps: PlaygroundDependencies,
    opened: OpenConversation,
    config: AiConfig,
    given: PlaygroundInput,
    deadline_ms: int,
) -> Task:
    is_first = not given.messages
    return Task(
        kind="initial" if is_first else "reply",
        channel=given.channel.value,
        config=config,
        facts=facts.facts_of(opened, CaseData(project_data=given.project_data)),
        history=[
            HistoryMessage(
                role=ai.Role.USER if one.by == "customer" else ai.Role.ASSISTANT, text=one.text
            )
            for one in given.messages[-facts.HISTORY :]
        ],
        longest=limits.longest(opened),
        sms_length=limits.sms_length(opened, is_first=is_first),
        link_hosts=frozenset(opened.company.policy.link_hosts),
        contacts=facts.contacts_of(opened),
        language=opened.state.language,
        knowledge=deps.documents.knowledge_of(opened, config)
        if opened.company.knowledge_config
        else None,
        deadline_ms=deadline_ms,
    )


def _opened(company: Company, given: PlaygroundInput) -> OpenConversation:
    """Return a conversation with a customer that does not exist. Raises ConfigurationInvalid without the channel."""
    channel, customer = company.channel(given.channel), _NO_ONE[given.channel]
    now = clock.to_text(clock.now_ms())
    conversation = Conversation(
        primary_channel=customer,
        conversation_id="playground",
        company_id=company.company_id,
        project_id=company.project_id,
        channel_method=given.channel,
        conversation_status=Status.REPLY_SENT,
        request_id="playground",
        created_at=now,
        updated_at=now,
        recipient_first_name=given.recipient_first_name,
        **{"recipient_email" if isinstance(channel, EmailChannel) else "recipient_tel": customer},
    )
    state = State(
        primary_channel=customer,
        conversation_id=conversation.conversation_id,
        company_id=company.company_id,
        project_id=company.project_id,
        channel_method=given.channel,
        business_address=channel.address,
        created_at=now,
        context_hash="playground",
        language=given.language,
        last_inbound_at=now if given.messages else None,
    )
    return OpenConversation(
        ref="playground", conversation=conversation, state=state, company=company
    )


def _simulated(call: Call, given: PlaygroundInput) -> Result:
    if call.is_built_in:
        return DONE
    if call.name not in given.functions:
        return NOT_SIMULATED
    result = given.functions[call.name]
    return Result(result if isinstance(result, str) else to_json(result))


def _view(
    company: Company,
    given: PlaygroundInput,
    made: Answer,
    model_calls: list[views.ModelCallView],
) -> views.PlaygroundView:
    cost = made.cost
    return views.PlaygroundView(
        version=None if given.settings.given() else company.ai_version,
        content=made.content,
        subject=made.subject,
        hand_off=made.hand_off.cause if made.hand_off else None,
        hand_off_reason=made.hand_off.reason if made.hand_off else None,
        calls=[_called(one, given) for one in made.calls],
        faults=[views.FaultView(fault=one, severity=one.severity) for one in made.faults],
        passages=[
            views.PassageView(chunk_id=one.chunk_id, score=f"{one.score:.4f}", cited=one.is_cited)
            for one in made.retrieved
        ],
        model=cost.model,
        model_calls=model_calls,
        tokens_in=cost.usage.tokens_in,
        tokens_out=cost.usage.tokens_out,
        ms=cost.ms,
        dollars=prices.dollars(prices.price_of(cost.model, cost.usage)),
    )


def _called(made: MadeCall, given: PlaygroundInput) -> views.CalledView:
    return views.CalledView(
        name=made.call.name,
        arguments=dict(made.call.arguments),
        result=made.result.text if made.result else None,
        simulated=made.call.name in given.functions,
    )


def _described(turn: ai.Turn) -> str:
    """Return one line of the history that a model reads."""
    if isinstance(turn, ai.Message):
        return f"{turn.role}: {turn.text}"
    return f"{turn.call.name} {turn.call.arguments} -> {turn.result}"
