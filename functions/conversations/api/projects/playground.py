"""
Tries a version of a project's settings: the model writes the next message of a conversation that does not exist.

Real turns have the same model, checks and search in documents. Nothing is sent or stored but the count of
tokens, and no function of the project is called: their results come from the request.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.ai.prompt.marks import mark
from conversations.ai.prompt.system_prompt import HistoryMessage
from conversations.ai.turn import dialogue
from conversations.api.access import ModelUnavailable, ModelUnusable
from conversations.api.projects import views
from conversations.configuration.projects import ConfigurationInvalid
from conversations.dialogues.rehearsal.unstored import Unstored
from conversations.outbound.compose import facts
from conversations.outbound.compose.model_turns import models_of
from conversations.outbound.policy.token_budget import Metered
from conversations.outbound.unwritable import Unwritable
from shared.ai import port as ai
from shared.ai.attachments import Attachment, recognised
from shared.ai.spending import prices
from shared.api.errors import InvalidInput
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.ai.config import AiConfig
    from conversations.ai.outcome import Answer, MadeCall
    from conversations.api.projects.inputs import PlaygroundInput
    from conversations.configuration.projects import Company
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.ai.attachments import Medium
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.aws.dynamodb import Table

NOT_SHOWN = "not shown to you"
SPARE_MS = 3 * clock.SECOND_MS  # to build and send the response


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
        unstored = _unstored(company, given)
        opened = unstored.opened(has_customer_written=bool(given.messages))
        config = facts.config_of(opened)
        knowledge = (
            deps.documents.knowledge_of(opened, config) if company.knowledge_config else None
        )
        deadline_ms = clock.now_ms() + remaining_ms - SPARE_MS
        task = unstored.task(opened, _history(given, config), knowledge, deadline_ms)
        company_id = company.company_id
        traced = _Traced(models_of(config, deps.model_deps, company_id, deadline_ms, _unreported))
        made = dialogue.answer(Metered(traced, deps.log, company), task, unstored.simulated)
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


def _unreported(failure: ai.Unavailable) -> None:
    """Count no failure of a first model: no customer waits."""


def _unstored(company: Company, given: PlaygroundInput) -> Unstored:
    return Unstored(
        company=company,
        channel=given.channel,
        language=given.language,
        first_name=given.recipient_first_name,
        data=given.project_data,
        functions=given.functions,
    )


def _history(given: PlaygroundInput, config: AiConfig) -> list[HistoryMessage]:
    """Return the conversation as models read it, with the files that the model can read. Raises InvalidInput."""
    roles = {"customer": ai.Role.USER, "company": ai.Role.ASSISTANT}
    history, number = [], 0
    for position, one in enumerate(given.messages):
        files: list[Attachment] = []
        marks: list[str] = []
        for at, sent in enumerate(one.files):
            kind, data = _content(sent.content, f"messages.{position}.files.{at}.content")
            is_read = kind[0] in config.media
            number += is_read
            if is_read:
                files.append(Attachment(*kind, label=f"file {number}", data=data))
            marks.append(mark(kind[0], f"attached as file {number}" if is_read else NOT_SHOWN))
        history.append(
            HistoryMessage(
                role=roles[one.by], text=one.text, marks=tuple(marks), files=tuple(files)
            )
        )
    return history


def _content(content: str, field: str) -> tuple[tuple[Medium, str], bytes]:
    """Return what a file is, and its bytes. Raises InvalidInput."""
    try:
        data = base64.b64decode(content, validate=True)
    except ValueError:
        raise InvalidInput([{"field": field, "problem": "must be base64"}]) from None
    kind = recognised(data)
    if kind is None:
        raise InvalidInput([{"field": field, "problem": "must be a PNG, JPEG, GIF, WebP or PDF"}])
    return kind, data


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
