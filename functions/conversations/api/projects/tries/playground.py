"""
Tries a version of a project's settings: the model writes the next message of a conversation that does not exist.

Real turns have the same model, checks and search in documents. Nothing is sent or stored but the counts of
tokens and dollars, and no function of the project is called: their results come from the request.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.ai.prompt.marks import mark
from conversations.ai.prompt.system_prompt import HistoryMessage
from conversations.ai.turn import dialogue
from conversations.api.projects import views
from conversations.configuration.projects import ConfigurationInvalid
from conversations.dialogues.rehearsal.unstored import Unstored
from conversations.outbound.compose import facts
from conversations.outbound.compose.model_turns import models_of
from conversations.outbound.policy.token_budget import Metered
from conversations.outbound.unwritable import Unwritable
from shared.ai import port as ai
from shared.ai.attachments import Attachment, recognised
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable
from shared.ai.playground.traces import Traced
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyCalls
from shared.api.errors import InvalidInput
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conversations.ai.config import AiConfig
    from conversations.ai.outcome import Answer, MadeCall
    from conversations.api.projects.inputs import PlaygroundInput, ReplayInput
    from conversations.configuration.projects import Company
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.ai.attachments import Medium
    from shared.ai.playground.views import ModelCallView
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.aws.dynamodb import Table

NOT_SHOWN = "not shown to you"
SPARE_MS = 3 * clock.SECOND_MS  # to build and send the response


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundDependencies:
    """Models, the companies' documents, and the tables that count tokens and what companies spend."""

    log: Table
    spending: Table
    model_deps: ModelDependencies
    documents: DocumentSearch


@dataclass(frozen=True, slots=True)
class Tried:
    """What the model would send, and each of its calls."""

    answer: Answer
    model_calls: list[ModelCallView]


def answer(
    deps: PlaygroundDependencies, company: Company, given: PlaygroundInput, remaining_ms: int
) -> views.PlaygroundView:
    """Return what the model would send. Raises like `tried`, and InvalidInput for a file that no model reads."""
    made = tried(
        deps,
        _unstored(company, given),
        lambda config: _history(given, config),
        remaining_ms,
        is_first=not given.messages,
    )
    return views.PlaygroundView(**shown(made, given, company))


def tried(
    deps: PlaygroundDependencies,
    unstored: Unstored,
    history_for: Callable[[AiConfig], Sequence[HistoryMessage]],
    remaining_ms: int,
    *,
    is_first: bool,
) -> Tried:
    """
    Let the model write the next message after a history, or the first one.

    Raises InvalidInput for a channel that the project does not have, ModelUnavailable and ModelUnusable.
    """
    company = unstored.company
    try:
        opened = unstored.opened(has_customer_written=not is_first)
        config = facts.config_of(opened)
        knowledge = (
            deps.documents.knowledge_of(opened, config) if company.knowledge_config else None
        )
        deadline_ms = clock.now_ms() + remaining_ms - SPARE_MS
        task = unstored.task(opened, history_for(config), knowledge, deadline_ms)
        traced = Traced(
            models_of(
                config,
                deps.model_deps,
                company.company_id,
                deadline_ms,
                _unreported,
                calls=CompanyCalls(deps.spending, company.company_id, spares=True),
            )
        )
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
    return Tried(made, traced.calls)


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


def shown(made: Tried, given: PlaygroundInput | ReplayInput, company: Company) -> dict[str, Any]:
    """Return the fields of a `PlaygroundView`. *given* has the results of functions."""
    answer, cost = made.answer, made.answer.cost
    return {
        "version": None if given.settings.given() else company.ai_version,
        "content": answer.content,
        "subject": answer.subject,
        "hand_off": answer.hand_off.cause if answer.hand_off else None,
        "hand_off_reason": answer.hand_off.reason if answer.hand_off else None,
        "calls": [_called(one, given.functions) for one in answer.calls],
        "faults": [views.FaultView(fault=one, severity=one.severity) for one in answer.faults],
        "passages": [
            views.PassageView(chunk_id=one.chunk_id, score=f"{one.score:.4f}", cited=one.is_cited)
            for one in answer.retrieved
        ],
        "model": cost.model,
        "model_calls": made.model_calls,
        "tokens_in": cost.usage.tokens_in,
        "tokens_out": cost.usage.tokens_out,
        "ms": cost.ms,
        "dollars": prices.dollars(prices.price_of(cost.model, cost.usage)),
    }


def _called(made: MadeCall, functions: Mapping[str, Any]) -> views.CalledView:
    return views.CalledView(
        name=made.call.name,
        arguments=dict(made.call.arguments),
        result=made.result.text if made.result else None,
        simulated=made.call.name in functions,
    )
