"""
Scenarios of drafts by mail: mails, the recorded answer of a model, and what must follow.

Prompt, schema, requirements and checks are those of the worker (`analysis.trial`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import Field, model_validator

from email_threads.analysis import trial
from email_threads.analysis.model_call import NoAnswer
from email_threads.api.mailboxes.inputs import MOST_MAILS, MailboxSettings, WrittenMail
from shared.ai import port as ai
from shared.ai.evaluation.answers import Expected, Made, NotMade
from shared.ai.evaluation.format import Strict

if TYPE_CHECKING:
    from email_threads.store.items import Mailbox

MOST_BAD: Final = 10
NOT_RECORDED: Final = "no_recorded_answer"
# What the model has written cannot be used: a person writes, as in the worker.
_OF_THE_ANSWER: Final = frozenset({"answer_invalid", "refused"})


class ExpectedDraft(Expected):
    """What a draft must have."""

    intent: str | None = None


class MailAnswer(Strict):
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


class MailScenario(Strict):
    """Mails that a mailbox answers. *mailbox* are settings of a version; a stored set has none."""

    kind: Literal["mail"]
    name: str = Field(min_length=1, max_length=200)
    mailbox: MailboxSettings = MailboxSettings()
    mails: list[WrittenMail] = Field(min_length=1, max_length=MOST_MAILS)
    answer: MailAnswer | None = None
    bad_answers: list[MailAnswer] = Field(default_factory=list, max_length=MOST_BAD)
    expect: ExpectedDraft

    @model_validator(mode="after")
    def _has_a_mail_to_answer(self) -> Self:
        if self.mails[-1].by != "customer":
            raise ValueError("the last of mails must be by the customer")
        return self


@dataclass(frozen=True, slots=True)
class Recorded:
    """A model that always gives the same answer."""

    answer: MailAnswer
    name: str = "recorded"

    def reply(self, request: ai.Request) -> ai.Reply:  # noqa: ARG002 - the answer is recorded
        """See `Model.reply`."""
        return ai.Reply(self.answer.as_output(), ai.Stop.END)


def of_recorded(mailbox: Mailbox, scenario: MailScenario, answer: MailAnswer | None) -> Made:
    """Return the draft with a recorded answer. Raises NotMade without one."""
    if answer is None:
        raise NotMade(NOT_RECORDED)
    return made(Recorded(answer), mailbox, scenario)


def made(
    model: ai.Model, mailbox: Mailbox, scenario: MailScenario, deadline_ms: int | None = None
) -> Made:
    """Return the draft that *model* writes for a mailbox with its settings. Raises NotMade."""
    mails = [
        trial.mail_of(mailbox, n, one.subject, one.text, by_customer=one.by == "customer")
        for n, one in enumerate(scenario.mails, 1)
    ]
    try:
        found = trial.tried(model, mailbox, mails, deadline_ms)
    except NoAnswer as failure:
        if failure.code not in _OF_THE_ANSWER:
            raise NotMade(failure.code, may_pass=failure.may_repeat) from None
        return Made(text=None, waits=failure.code, facts={"intent": "none"})
    waits = found.waits or (None if found.text else "no_text")
    return Made(text=found.text, waits=waits, facts={"intent": found.answer.analysis.intent})
