"""
The input of one turn of the AI, and what follows from it before the first model call.

    task -> the calls to its model, and their limits
         -> the known values of its template, and the values to fill
         -> the limits of an answer: length, language, hosts, contacts, facts
         -> the documents that the model may search
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from conversations.ai.checks import guardrails
from conversations.ai.functions import Result
from conversations.ai.phrases.opt_outs import wants_no_messages
from conversations.ai.phrases.person_requests import may_ask_for_a_person
from conversations.ai.prompt import marks, system_prompt
from shared.ai import port as ai
from shared.ai.calls.model_calls import ModelCalls
from shared.ai.texts.languages.function_words import plain_words
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.ai.config import AiConfig
    from conversations.ai.knowledge.documents import Documents
    from conversations.ai.knowledge.search_tool import Knowledge
    from conversations.ai.outcome import Cause
    from conversations.ai.prompt.system_prompt import Facts, HistoryMessage
    from conversations.ai.prompt.whatsapp_templates import Template, Variable
    from shared.events.exchange import Channel
    from shared.providers.sms.segments import SmsLength

LONGEST_CALL_MS = 45 * clock.SECOND_MS
PAUSE_MS = (500, 2_000)  # before a call is repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    Input of one turn. *history* is oldest first, and empty for a first message.

    *longest* is in characters; *sms_length* is for SMS only. *link_hosts* are the allowed hosts of links:
    `policy.link_hosts`, and `guardrails.hosts_in` of the integrating system's data. *contacts* are texts with the
    allowed numbers and addresses: the company's and the customer's. *sources* fill variables of a
    *template* (see `whatsapp_templates.known_values`). *language* (BCP 47) is the one that the request asks for.
    *decided* are function calls that human agents approved or refused, with their results. *barred* is a cause of
    hand-off that is not allowed, because an agent has just handed the conversation back; it is lifted if the
    customer asks for an agent. *since_hand_back* is the history after the last hand-back. *knowledge* are the documents
    that the model may search; not used with a template. *deadline_ms* is when the turn must end, in milliseconds since
    1970.
    """

    kind: Literal["initial", "reply"]
    channel: Channel
    config: AiConfig
    facts: Facts
    history: Sequence[HistoryMessage] = ()
    template: Template | None = None
    sources: Mapping[str, Any] = field(default_factory=dict, repr=False)
    longest: int
    sms_length: SmsLength | None = None
    link_hosts: frozenset[str] = frozenset()
    contacts: Sequence[str] = field(default=(), repr=False)
    language: str | None = None
    decided: Sequence[ai.Exchange] = field(default=(), repr=False)
    barred: Cause | None = None
    since_hand_back: Sequence[HistoryMessage] = ()
    knowledge: Knowledge | None = None
    deadline_ms: int


def calls_of(model: ai.Model, task: Task) -> ModelCalls:
    """Return the calls of a turn to its model. A failed call is repeated unless the failure is known to last."""
    return ModelCalls(
        model=model,
        deadline_ms=task.deadline_ms,
        pause_ms=PAUSE_MS,
        may_repeat=lambda failure: failure.repeat is not ai.Repeat.NEVER,
    )


def limits_of(task: Task) -> ai.Limits:
    """Return the limits of one call."""
    return ai.Limits(
        most_tokens=task.config.max_output_tokens,
        within_ms=LONGEST_CALL_MS,
        temperature=task.config.temperature,
    )


def documents_of(task: Task) -> Documents | None:
    """Return the documents of a turn; None if its model has none, and for the variables of a template."""
    if task.knowledge is None or task.template is not None:
        return None
    from conversations.ai.knowledge.documents import Documents  # noqa: PLC0415 - few projects have documents

    return Documents(task.knowledge, task.channel)


def content_rules_of(task: Task) -> tuple[str, ...]:
    """Return the rules about what customers send besides text, and about opening hours, where they apply."""
    of_marks = (marks.RULES,) if any(message.marks for message in task.history) else ()
    of_hours = (system_prompt.OUTSIDE_HOURS,) if task.facts.people_back else ()
    return (*of_marks, *of_hours)


def variables_of(task: Task) -> tuple[Mapping[str, str], Sequence[Variable]]:
    """Return the known values of the task's template and the variables to fill; both empty without a template."""
    if task.template is None:
        return {}, ()
    from conversations.ai.prompt import whatsapp_templates  # noqa: PLC0415 - of one channel

    values = whatsapp_templates.known_values(task.template, task.sources)
    return values, whatsapp_templates.missing_variables(task.template, values)


def bounds_of(
    task: Task, own_words: str, tools: Sequence[ai.Tool], more_rules: Sequence[str] = ()
) -> guardrails.Bounds:
    """Return the limits of an answer: *own_words* are the project's prompt, *more_rules* the rules of functions."""
    facts = task.facts
    fact_texts = frozenset(guardrails.texts_in(facts.stated_to(own_words)))
    # The customer's words, and the words that were sent to the customer.
    given = [part for message in task.history for part in (message.text, *message.marks)]
    names = [facts.company_name, facts.project_name, *facts.representatives]
    from conversations.ai.checks.statements.claims import claimed_actions  # noqa: PLC0415 - not at a cold start

    sent = [message.text for message in task.history if message.role is ai.Role.ASSISTANT]
    # Of sent messages only what they call done: "I have not booked it" is no proof.
    done = [verb for text in sent for verb in claimed_actions(text)]
    company_texts = fact_texts | frozenset(done)
    bounds = guardrails.Bounds(
        longest=task.longest,
        sms_length=task.sms_length,
        language=_wanted_language(task, own_words),
        hosts=task.link_hosts | guardrails.hosts_in([*names, own_words]),
        contacts=guardrails.Contacts.of([*task.contacts, own_words, *fact_texts, *given]),
        fact_texts=fact_texts,
        given_words=guardrails.words_in(given),
        rules="\n".join([system_prompt.RULES, *more_rules]),
        secret_words=frozenset(tool.name for tool in tools),
        company_texts=company_texts,
        known_texts=fact_texts
        | frozenset([*given, *names, own_words, *task.contacts, *facts.recorded_answers.values()]),
        today=facts.today,
        has_unheard=_has_unheard(task.history),
        has_recorded=bool(facts.recorded_answers),
    )
    results = (facts_in(decided.result, is_error=decided.is_error) for decided in task.decided)
    earlier = [name for message in task.history for name in message.done]
    acts = {*functions_done(task), *earlier}
    return bounds.with_facts(
        (text for result in results for text in result),
        (function.purpose for function in task.config.functions if function.name in acts),
    )


def functions_done(task: Task) -> list[str]:
    """Return the functions whose calls agents have released and that have succeeded since the last turn."""
    return [
        decided.call.name
        for decided in task.decided
        if Result(decided.result, decided.is_error).has_succeeded
    ]


def _wanted_language(task: Task, own_words: str) -> str | None:
    """
    Return the language that the answer must have; None if it is not certain.

    It is the language of an approved template, else of the customer's newest messages; before the first message,
    the one of the request. A project's default language and a text that names a language are not certain.
    """
    from shared.ai.texts.languages.certain_languages import (  # noqa: PLC0415 - not at a cold start
        certain_language,
        known_language,
        names_a_language,
    )

    if task.template:
        return known_language(task.template.language or "")
    if names_a_language(own_words):
        return None
    if not any(message.role is ai.Role.USER for message in task.history):
        return known_language(task.language or "")
    newest = "\n".join(message.text for message in _newest_of_the_person(task.history))
    own = guardrails.without_quotations(newest)
    return None if names_a_language(newest) else certain_language(own)


def facts_in(result: str, *, is_error: bool) -> list[str]:
    """Return the texts in a function's result: the values of JSON, else the whole text; none in an error."""
    if is_error:
        return []
    try:
        return list(guardrails.texts_in(json.loads(result)))
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        return [result]


def barred_in(task: Task) -> Cause | None:
    """Return the cause of hand-off that is not allowed; None once the customer asks for an agent."""
    if task.barred is None:
        return None
    newest = "\n".join(message.text for message in _newest_of_the_person(task.history))
    return None if may_ask_for_a_person(newest) else task.barred


def asks_to_stop(task: Task) -> bool:
    """Return whether the customer's newest messages say, in any of the languages, that they want no more messages."""
    newest = _newest_of_the_person(task.history)
    own = (guardrails.without_quotations(message.text) for message in newest)
    return any(wants_no_messages(plain_words(text)) for text in own)


def with_own_ids(decided: Sequence[ai.Exchange]) -> list[ai.Exchange]:
    """Return the exchanges with new call ids: ids of earlier turns may equal ids of this one."""
    return [
        replace(made, call=replace(made.call, call_id=f"decided-{number}"))
        for number, made in enumerate(decided, 1)
    ]


def _has_unheard(history: Sequence[HistoryMessage]) -> bool:
    """Whether the customer has sent a voice note since our last message that the model does not have."""
    newest = _newest_of_the_person(history)
    return any(marks.NOT_HEARD in mark for message in newest for mark in message.marks)


def _newest_of_the_person(history: Sequence[HistoryMessage]) -> list[HistoryMessage]:
    """Return the customer's messages since our last one, oldest first."""
    newest: list[HistoryMessage] = []
    for message in reversed(history):
        if message.role is not ai.Role.USER:
            break
        newest.insert(0, message)
    return newest
