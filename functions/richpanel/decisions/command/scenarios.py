"""
Scenarios of decisions: a ticket with its facts, the recorded answer of a model, and what must follow.

Rules, gates and wordings are those of the worker.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field

from richpanel.classification.taxonomy import teams
from richpanel.decisions.command.recorded_answers import RecordedAnswers
from richpanel.decisions.command.samples import decided, parse_sample
from richpanel.decisions.facts import Shop
from richpanel.decisions.model_answers import ModelDecision
from richpanel.decisions.replies.renderer import BodyFormat, VariableMissing, render
from shared.ai.calls.model_calls import AnswerInvalid
from shared.ai.evaluation.answers import Expected, Made
from shared.ai.evaluation.format import Strict, Texts

if TYPE_CHECKING:
    from richpanel.decisions.command.samples import Judge, Sample
    from richpanel.decisions.outcome import Decision

MOST_BAD: Final = 10
_ID: Final = "trial"
STANDARD: Final = Shop(support_signature="Customer Support", bot_author_id=None)


class ExpectedDecision(Expected):
    """What a decision must be."""

    intent: str | None = None
    decision: Literal["auto_reply", "route_only", "escalate"] | None = None
    team: str | None = None
    tags: Texts = Field(default_factory=list)


class TicketScenario(Strict):
    """A ticket, with facts as `richpanel.decisions.command` reads them; without *answer* rules decide alone."""

    kind: Literal["ticket"]
    name: str = Field(min_length=1, max_length=200)
    text: str
    channel: str = "email"
    context: dict[str, Any] = Field(default_factory=dict)
    answer: dict[str, Any] | None = None
    bad_answers: list[dict[str, Any]] = Field(default_factory=list, max_length=MOST_BAD)
    expect: ExpectedDecision


def sample_of(scenario: TicketScenario) -> Sample:
    """Return the ticket. Raises SampleInvalid."""
    facts = {"text": scenario.text, "channel": scenario.channel, "context": scenario.context}
    return parse_sample(json.dumps({"id": _ID, **facts}).encode())


def of_recorded(sample: Sample, answer: dict[str, Any] | None, shop: Shop | None = None) -> Made:
    """Return what follows from a recorded answer, with the settings of *shop*, by default the standard ones."""
    given = None if answer is None else _opinion(answer)
    return _made(sample, decided(sample, given, shop=shop), shop or STANDARD)


def of_judge(sample: Sample, judge: Judge | None, shop: Shop | None) -> Made:
    """Return what follows with a model, None: with rules alone; *shop* as in `of_recorded`."""
    return _made(sample, decided(sample, judge=judge, shop=shop), shop or STANDARD)


def _made(sample: Sample, decision: Decision, shop: Shop) -> Made:
    text, faults = None, list[str]()
    try:
        text = text_of(decision, shop, sample.context.first_name)
    except VariableMissing as missing:
        faults = [f"the reply lacks a fact: {missing}"]
    without = "escalate" if decision.takes_over else "route_only"
    return Made(
        text=text,
        waits=None if text else str(decision.reason),
        facts={
            "intent": decision.intent,
            "decision": "auto_reply" if text else without,
            "team": teams[decision.team].name,
            "tags": [*decision.tags],
        },
        faults=faults,
    )


def text_of(decision: Decision, shop: Shop, first_name: str | None) -> str | None:
    """Return the reply as it would be sent, as text; None without one. Raises VariableMissing."""
    reply = decision.reply
    if reply is None:
        return None
    return render(
        reply.template,
        shop.wordings[reply.template][reply.language][reply.variant],
        reply.values,
        signature=shop.support_signature,
        first_name=first_name,
        body_format=BodyFormat.TEXT,
    )


def _opinion(answer: dict[str, Any]) -> RecordedAnswers:
    whole = {"schema_version": "rp_decision_v1", "language": "en", "risk_flags": []} | answer
    whole.setdefault("wants_human", False)
    read: ModelDecision | AnswerInvalid
    try:
        read = ModelDecision.parse(json.dumps(whole))
    except AnswerInvalid as invalid:
        read = invalid
    return RecordedAnswers({_ID: read})
