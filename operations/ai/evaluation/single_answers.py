"""
Plays scenarios of one answer: a draft by mail (`kind: mail`), or a decision of the help desk (`kind: ticket`).

A recorded answer is read by the code of the workers. Each of `bad_answers` must be caught: it breaks an expectation, or
the worker's own checks leave it to a person.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from conversations.dialogues.scenarios.settings import merged
from email_threads.analysis import trial
from email_threads.analysis.model_call import NoAnswer
from email_threads.api.mailboxes.inputs import MailboxSettings, WrittenMail
from email_threads.store.items import Mailbox
from richpanel.classification.taxonomy import teams
from richpanel.decisions.command.recorded_answers import RecordedAnswers
from richpanel.decisions.command.samples import SampleInvalid, decided, parse_sample
from richpanel.decisions.facts import Shop
from richpanel.decisions.model_answers import ModelDecision
from richpanel.decisions.replies.renderer import BodyFormat, render
from shared.ai import port as ai
from shared.ai.calls.model_calls import AnswerInvalid
from shared.ai.evaluation.expectations import broken_by
from shared.runtime.validation.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

NO_MODEL: Final = {"provider": "openai", "model": "recorded", "api_key_reference": "none"}
KIND: Final = "kind"
_ID: Final = "trial"


class ScenarioInvalid(Exception):
    """A scenario cannot be played: its name, and place and rule of each error."""


def _texts(value: object) -> object:
    return [value] if isinstance(value, str) else value


type Texts = Annotated[list[str], BeforeValidator(_texts)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expected(_Strict):
    """
    What must follow. *hands_off*: a person has to write or approve the answer, or the reason for it. *decision*, *team*
    and *tags* are of tickets.
    """

    contains: Texts = Field(default_factory=list)
    contains_any: Texts = Field(default_factory=list)
    lacks: Texts = Field(default_factory=list)
    language: str | None = None
    hands_off: bool | str | None = None
    intent: str | None = None
    decision: Literal["auto_reply", "route_only", "escalate"] | None = None
    team: str | None = None
    tags: Texts = Field(default_factory=list)


class MailAnswer(_Strict):
    """What the model answers to mails, in the words of its schema."""

    reply: str | None
    intent: str = "other"
    language: str = "en"
    summary: str = "A mail."
    urgency: str = "medium"
    needs_human: bool = False
    reason: str | None = None
    confidence: float = 0.9
    requirements: dict[str, Any] = Field(default_factory=dict)
    evidence: list[dict[str, Any]] = Field(default_factory=list)
    missing: list[dict[str, Any]] = Field(default_factory=list)

    def as_output(self) -> str:
        """Return the answer as the model writes it."""
        own = self.model_dump()
        named = ("reply", "requirements", "evidence", "missing")
        whole = {name: own.pop(name) for name in named}
        sentiment = {"label": "neutral", "score": 0}
        return json.dumps(whole | {"analysis": own, "sentiment": sentiment}, ensure_ascii=False)


class MailScenario(_Strict):
    """Mails that a mailbox with these settings answers."""

    kind: Literal["mail"]
    name: str = Field(min_length=1)
    mailbox: MailboxSettings = MailboxSettings()
    mails: list[WrittenMail] = Field(min_length=1)
    answer: MailAnswer
    bad_answers: list[MailAnswer] = Field(default_factory=list)
    expect: Expected


class TicketScenario(_Strict):
    """A ticket, with facts as `richpanel.decisions.command` reads them; without *answer* rules decide alone."""

    kind: Literal["ticket"]
    name: str = Field(min_length=1)
    text: str
    channel: str = "email"
    context: dict[str, Any] = Field(default_factory=dict)
    answer: dict[str, Any] | None = None
    bad_answers: list[dict[str, Any]] = Field(default_factory=list)
    expect: Expected


type Scenario = Annotated[MailScenario | TicketScenario, Field(discriminator=KIND)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What follows from an answer. *waits* is the reason why a person has to write or approve it."""

    text: str | None
    waits: str | None
    intent: str
    decision: str | None = None
    team: str | None = None
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """How a scenario went: each failure as a line."""

    name: str
    made: Made
    failures: Sequence[str]


def is_single(values: Sequence[tuple[str, Any]]) -> bool:
    """Whether the values of a file are scenarios of one answer: the first one has a kind."""
    first = values[0][1] if values else None
    inner = first.get("defaults", first) if isinstance(first, dict) else None
    return isinstance(inner, dict) and KIND in inner


def parsed(values: Iterable[tuple[str, Any]], where: object) -> list[Scenario]:
    """Return the scenarios that *values* have. Raises ScenarioInvalid."""
    adapter: TypeAdapter[Any] = TypeAdapter(Scenario)
    defaults: dict[str, Any] = {}
    found, problems = list[Any](), list[str]()
    for place, value in values:
        if isinstance(value, dict) and value.keys() == {"defaults"}:
            defaults = value["defaults"]
            continue
        name = value.get("name") if isinstance(value, dict) else None
        try:
            found.append(
                adapter.validate_python(merged(defaults, value) if name is not None else value)
            )
        except ValidationError as error:
            problems += [
                f"{where}: {name or place}: {'.'.join(map(str, one['loc']))}: {one['msg']}"
                for one in errors_of(error)
            ]
    names = Counter(one.name for one in found)
    problems += [f"{where}: {name}: the name is used twice" for name, n in names.items() if n > 1]
    if problems:
        raise ScenarioInvalid("\n".join(problems))
    return found


def played(scenario: Scenario) -> Result:
    """Play a scenario with its recorded answer, then each bad one. Raises ScenarioInvalid."""
    make: Callable[[Any, Any], Made] = _mail if isinstance(scenario, MailScenario) else _ticket
    try:
        made = make(scenario, scenario.answer)
        failures = [*_failures(scenario.expect, made)]
        for number, bad in enumerate(scenario.bad_answers, start=1):
            if not _is_caught(scenario, make, made, bad):
                failures.append(f"bad answer {number} is not caught")
    except SampleInvalid as fault:
        raise ScenarioInvalid(f"{scenario.name}: {fault}") from None
    return Result(scenario.name, made, failures)


def _is_caught(
    scenario: Scenario, make: Callable[[Any, Any], Made], good: Made, bad: object
) -> bool:
    """Whether a bad answer breaks an expectation, or is left to a person where the good one is not."""
    made = make(scenario, bad)
    is_left = made.waits is not None and good.waits is None
    return is_left or any(_failures(scenario.expect, made))


def _failures(expected: Expected, made: Made) -> Iterator[str]:
    yield from broken_by(expected, made.text or "")
    wanted = expected.hands_off
    if wanted is not None and bool(wanted) != (made.waits is not None):
        yield "no hand-off" if wanted else f"a person has to act: {made.waits}"
    elif isinstance(wanted, str) and made.waits != wanted:
        yield f"a person has to act because of {made.waits} instead of {wanted}"
    for name in ("intent", "decision", "team"):
        own, found = getattr(expected, name), getattr(made, name)
        if own not in {None, found}:
            yield f"the {name} is {found} instead of {own}"
    for tag in expected.tags:
        if tag not in made.tags:
            yield f"the tag {tag} is missing"


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A model that always gives the same answer."""

    text: str
    name: str = "recorded"

    def reply(self, request: ai.Request) -> ai.Reply:  # noqa: ARG002 - the answer is recorded
        """See `Model.reply`."""
        return ai.Reply(self.text, ai.Stop.END)


def _mail(scenario: MailScenario, answer: MailAnswer) -> Made:
    settings = {"ai": NO_MODEL} | {
        name: value for name, value in scenario.mailbox.values().items() if value is not None
    }
    mailbox = Mailbox(conversation_id=_ID, address=_ID, company_id=_ID, **settings)
    mails = [
        trial.mail_of(mailbox, n, one.subject, one.text, by_customer=one.by == "customer")
        for n, one in enumerate(scenario.mails, 1)
    ]
    try:
        found = trial.tried(_Recorded(answer.as_output()), mailbox, mails)
    except NoAnswer as failure:
        return Made(text=None, waits=failure.code, intent="none")
    waits = found.waits or (None if found.text else "no_text")
    return Made(text=found.text, waits=waits, intent=found.answer.analysis.intent)


def _ticket(scenario: TicketScenario, answer: dict[str, Any] | None) -> Made:
    line = {
        "id": _ID,
        "text": scenario.text,
        "channel": scenario.channel,
        "context": scenario.context,
    }
    sample = parse_sample(json.dumps(line).encode())
    decision = decided(sample, _opinion(answer) if answer is not None else None)
    reply = decision.reply
    text = None
    if reply is not None:
        shop = Shop(support_signature="Customer Support", bot_author_id=None)
        wording = shop.wordings[reply.template][reply.language][reply.variant]
        text = render(
            reply.template,
            wording,
            reply.values,
            signature=shop.support_signature,
            first_name=sample.context.first_name,
            body_format=BodyFormat.TEXT,
        )
    without = "escalate" if decision.takes_over else "route_only"
    return Made(
        text=text,
        waits=None if text else decision.reason,
        intent=decision.intent,
        decision="auto_reply" if text else without,
        team=teams[decision.team].name,
        tags=decision.tags,
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
