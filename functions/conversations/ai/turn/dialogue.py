"""
One turn of the AI: model calls, function calls and at most one repair call, mapped to an outcome.

    ask -> refusal                              -> hand-off, at once
        -> fatal fault                          -> hand-off, at once
        -> first fault to repair                -> ask again, naming the fault
        -> second fault to repair               -> the faulty sentences are removed; nothing left, or a fault of another
                                                   kind: hand-off `ai_invalid_output`
        -> note                                 -> recorded
        -> call, not listed or not valid        -> ask again with the error; the second time hand-off `function_failed`
        -> call that needs approval             -> hand-off `function_approval`, nothing runs
        -> hand-off that is barred              -> as a fault, or as a call that is not valid
        -> calls, 8 at most                     -> executed, ask again with their results; 4 rounds at most
        -> call of an outdated turn             -> the turn ends, nothing runs
        -> search in the company's documents    -> as a call; a later answer cites passages, or it is a fault
        -> answer, and an agent must answer     -> hand-off without it, see `escalation`
        -> answer
        -> opt-out that the customer's words do not show: as a call that needs approval

This module stores and sends nothing. Repeating a turn after a crash only costs more model calls: the `Execute` callback
runs equal function calls once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conversations.ai.checks import guardrails
from conversations.ai.checks.faults import ADVICE, Fault, Severity
from conversations.ai.checks.guardrails import LONGEST_SUBJECT
from conversations.ai.config import BuiltIn
from conversations.ai.functions import (
    MOST_CALLS,
    REFUSED,
    TOO_MANY,
    Call,
    CallRefused,
    Result,
    TurnOutdated,
    checked,
    exchange,
    recorded_in,
    tools_of,
)
from conversations.ai.outcome import Answer, Cause, Cost, HandOff, MadeCall
from conversations.ai.prompt import system_prompt
from conversations.ai.prompt.questions import answerable_questions
from conversations.ai.schemas.output_schema import Output, parse, schema_for
from conversations.ai.turn import escalation
from conversations.ai.turn.answer_review import Review
from conversations.ai.turn.task import (
    Task,
    asks_to_stop,
    barred_in,
    bounds_of,
    calls_of,
    content_rules_of,
    documents_of,
    facts_in,
    functions_done,
    limits_of,
    variables_of,
    with_own_ids,
)
from shared.ai import port as ai
from shared.ai.calls.model_calls import SHORTEST_LEFT_MS, AnswerInvalid, as_received
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.ai.functions import Execute
    from conversations.ai.prompt.whatsapp_templates import Template

ROUNDS = 4
MOST_REFUSALS = 2  # replies with a refused call
LONGEST_NAME = 64  # of a function
# The order of the calls of one reply, 1 for functions of projects: a call that ends the turn comes after the others.
_POSITIONS: Mapping[str, int] = {BuiltIn.RECORD_ANSWER: 0, BuiltIn.OPT_OUT: 2, BuiltIn.HAND_OFF: 3}
_NEEDS_APPROVAL = 4
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def answer(model: ai.Model, task: Task, execute: Execute) -> Answer:
    """
    Run one turn of the AI. *execute* runs a function, once for equal calls, and returns its result.

    Raises ai.Unavailable if the model gives no answer: its `repeat` says whether the same turn may work later.
    """
    turn = _Turn(model, task, execute)
    if task.template and not turn.to_fill:
        return turn.filled(task.template, {})
    while (ended := turn.step()) is None:
        pass
    return ended


class _Turn:
    """A running turn: its history, corrections, faults and calls so far."""

    def __init__(self, model: ai.Model, task: Task, execute: Execute) -> None:
        config, template = task.config, task.template
        self._task, self._execute = task, execute
        self._model_calls, self._limits = calls_of(model, task), limits_of(task)
        project_values, self.to_fill = variables_of(task)
        self._documents = documents_of(task)
        more_tools = self._documents.tools if self._documents else ()
        of_documents = self._documents.rules if self._documents else ()
        more_rules = (*content_rules_of(task), *of_documents)
        self._tools = (*tools_of(config.functions), *more_tools)
        own_words = config.prompts.initial if task.kind == "initial" else config.prompts.reply
        rules = system_prompt.channel_rules(
            task.channel,
            longest=task.longest,
            is_first=not task.history,
            template=template,
            to_fill=self.to_fill,
        )
        self._system = system_prompt.system_text(
            task.facts, own_words, rules, self._tools, *more_rules
        )
        self._history = [*system_prompt.history(task.history), *with_own_ids(task.decided)]
        self._barred = barred_in(task)
        self._review = Review(
            task=task,
            bounds=bounds_of(task, own_words, self._tools, more_rules),
            documents=self._documents,
            barred=self._barred,
            project_values=project_values,
        )
        self._recorded = dict(task.facts.recorded_answers)
        self._schema = schema_for(
            has_subject=task.channel == "email",
            variables={variable.name: variable.longest for variable in self.to_fill},
        )
        self._correction = ""
        self._is_repaired = False
        self._calls: list[MadeCall] = []
        self._done = functions_done(task)
        self._refusals = 0
        self._has_refused = False
        self._rounds = 0

    def step(self) -> Answer | None:
        """Call the model once; return the outcome of the turn, or None if it continues."""
        system, self._correction = self._system + self._correction, ""
        reply = self._model_calls.ask(
            ai.Request(system, self._history, self._limits, self._schema, self._tools), as_received
        )
        if reply.stop is ai.Stop.REFUSED:
            return self._hand_off(Cause.REFUSED)
        if fault := guardrails.fault_of_stop(reply.stop):
            return self._repair_or_hand_off(reply.text, fault)
        if reply.tool_calls:
            return self._handle_calls(reply.tool_calls)
        try:
            output = parse(reply.text)
        except AnswerInvalid:
            return self._repair_or_hand_off(reply.text, Fault.NOT_THE_SCHEMA)
        return self._handle_output(reply.text, output)

    def _handle_output(self, text: str, output: Output) -> Answer | None:
        """Check an answer, and use it, request its repair or reduce it."""
        request = self._call_in(output)
        if request is None and (cause := self._escalation(output)):
            return self._hand_off(cause)
        if self._documents:
            output = self._documents.cited(output)
        # Text beside a call of a project's function is discarded: it was written without the result.
        if request and request.name == BuiltIn.RECORD_ANSWER:
            self._review.bounds = replace(self._review.bounds, has_recorded=True)
        is_used = request is None or request.name in set(BuiltIn) or output.hand_off is not None
        faults = self._review.note(output) if is_used else ()
        if faults:
            is_fatal = any(fault.severity is Severity.FATAL for fault in faults)
            if not is_fatal and not self._is_repaired:
                self._request_repair(text, faults)
                return None
            reduced = None if is_fatal else self._review.reduced(output, faults)
            if reduced is None:
                return self._hand_off(Cause.INVALID)
            output = reduced
        if self._documents:
            output = self._documents.with_list(output, self._review.bounds)
        return self._handle_calls([request], output) if request else self._handle_answer(output)

    def filled(self, template: Template, values: Mapping[str, str]) -> Answer:
        """Complete the template and end the turn; hand off if it cannot be completed."""
        filled = self._review.completed(template, values)
        if isinstance(filled, tuple):
            self._review.faults += filled
            return self._hand_off(Cause.INVALID)
        return self._end(content=filled.body, variables=filled.values)

    def _repair_or_hand_off(self, text: str, fault: Fault) -> Answer | None:
        """Request a repair of an answer that cannot be read; the second time hand off."""
        self._review.faults.append(fault)
        if self._is_repaired:
            return self._hand_off(Cause.INVALID)
        self._request_repair(text, (fault,))
        return None

    def _request_repair(self, text: str, faults: tuple[Fault, ...]) -> None:
        self._is_repaired = True
        self._correction = system_prompt.correction(text, faults)

    def _call_in(self, output: Output) -> ai.ToolCall | None:
        request = output.function_call
        if request is None:
            return None
        return ai.ToolCall(f"call-{self._rounds + 1}", request.name, request.arguments)

    def _handle_calls(
        self, requests: Sequence[ai.ToolCall], output: Output | None = None
    ) -> Answer | None:
        """Carry out the calls of one reply, those that can end the turn last; calls over the limit are refused."""
        self._rounds += 1
        if self._rounds > ROUNDS:
            return self._hand_off(Cause.FUNCTION_FAILED)
        self._has_refused = False
        for request in sorted(requests[:MOST_CALLS], key=self._position):
            if (ended := self._handle_call(request, output)) is not None:
                return ended
        self._history += [exchange(request, TOO_MANY) for request in requests[MOST_CALLS:]]
        return None

    def _position(self, request: ai.ToolCall) -> int:
        needs_approval = {f.name for f in self._task.config.functions if f.approval}
        return (
            _NEEDS_APPROVAL if request.name in needs_approval else _POSITIONS.get(request.name, 1)
        )

    def _handle_call(self, request: ai.ToolCall, output: Output | None) -> Answer | None:
        try:
            if self._documents and self._documents.is_search(request):
                return self._search(request, output)
            call = checked(request, self._task.config.functions, self._questions())
        except CallRefused as refused:
            return self._refuse(request, str(refused))
        if output and output.hand_off and not call.is_built_in:
            return self._handle_answer(output)  # Human agents decide on it.
        return self._carry_out(request, call, output)

    def _search(self, request: ai.ToolCall, output: Output | None) -> Answer | None:
        """Give the model the passages for its query. Raises CallRefused for invalid arguments."""
        assert self._documents is not None  # noqa: S101 - for mypy: only then there is such a call
        if output and output.hand_off:
            return self._handle_answer(output)
        call, result = self._documents.search(request)
        self._calls.append(MadeCall(call, result))
        self._review.bounds = self._review.bounds.with_facts(facts_in(result.text, is_error=False))
        self._history.append(exchange(request, result))
        return None

    def _questions(self) -> list[str]:
        """Return the questions that an answer may be recorded for; none until the customer has written."""
        if not any(message.role is ai.Role.USER for message in self._task.history):
            return []
        return answerable_questions(self._task.facts.project_data, self._recorded)

    def _refuse(self, request: ai.ToolCall, why: str) -> Answer | None:
        self._refusals += not self._has_refused  # once per reply
        self._has_refused = True
        if self._refusals == MOST_REFUSALS:
            return self._hand_off(Cause.FUNCTION_FAILED)
        # Providers refuse a call with an invalid name, also in a history.
        name = _NOT_IN_NAMES.sub("_", request.name)[:LONGEST_NAME] or "_"
        named = request if name == request.name else replace(request, name=name, items=())
        self._history.append(exchange(named, Result(why, is_error=True)))
        return None

    def _carry_out(self, request: ai.ToolCall, call: Call, output: Output | None) -> Answer | None:
        text = output.content.strip() if output else ""
        if call.name == BuiltIn.HAND_OFF:
            if self._barred is Cause.AI:
                return self._refuse(request, ADVICE[Fault.HANDED_BACK])
            reason = str(call.arguments["reason"])
            self._calls.append(MadeCall(call, Result("{}")))
            return self._end(content=text, hand_off=HandOff(Cause.AI, reason))
        is_unproven = call.name == BuiltIn.OPT_OUT and not asks_to_stop(self._task)
        if is_unproven or (call.function and call.function.approval):
            return self._propose(request, call)
        return self._run(request, call, output)

    def _run(self, request: ai.ToolCall, call: Call, output: Output | None) -> Answer | None:
        """Execute a call; the turn ends with the text beside a built-in one, else the model gets the result."""
        text = output.content.strip() if output else ""
        if call.function and self._task.deadline_ms - clock.now_ms() < SHORTEST_LEFT_MS:
            # A retry of the turn gets the results so far, and continues.
            raise ai.Unavailable("no_time_left")
        try:
            result = self._execute(call)
        except TurnOutdated as outdated:
            return self._end(content=f"[{call.name}]", outdated=outdated.reason)
        self._calls.append(MadeCall(call, result))
        done = [call.function] if call.function and result.has_succeeded else []
        self._done += [function.name for function in done]
        texts = facts_in(result.text, is_error=result.is_error)
        purposes = [function.purpose for function in done]
        self._review.bounds = self._review.bounds.with_facts(texts, purposes)
        if call.name == BuiltIn.RECORD_ANSWER:
            self._recorded |= recorded_in(call)
            self._review.bounds = replace(self._review.bounds, has_recorded=True)
        if call.name == BuiltIn.OPT_OUT and not result.is_error:
            return self._end()
        if output and (text or output.hand_off) and call.is_built_in and not result.is_error:
            return self._handle_answer(output)
        self._history.append(exchange(request, result))
        return None

    def _propose(self, request: ai.ToolCall, call: Call) -> Answer | None:
        """Hand off a call that needs approval; if an equal call was just decided, use that result."""
        same = [d for d in self._task.decided if _is_same(d.call, call)]
        if same:
            self._history.append(exchange(request, Result(same[-1].result, same[-1].is_error)))
            return None
        if self._barred is Cause.APPROVAL:
            return self._refuse(request, REFUSED.text)
        self._calls.append(MadeCall(call, None))
        return self._hand_off(Cause.APPROVAL)

    def _handle_answer(self, output: Output) -> Answer:
        task = self._task
        if cause := self._escalation(output):
            return self._hand_off(cause)
        if output.hand_off:
            hand_off = HandOff(Cause.AI, output.hand_off.reason)
            content = "" if task.template else output.content.strip()
            return self._end(content=content, subject=self._subject(output), hand_off=hand_off)
        if task.template:
            return self.filled(task.template, output.variables or {})
        return self._end(
            content=output.content.strip(),
            subject=self._subject(output),
            asks_again=output.asks_again,
        )

    def _escalation(self, output: Output) -> Cause | None:
        """Return why an agent must answer in place of this answer; None if the answer may be sent or hands off."""
        if output.hand_off or self._task.kind == "initial" or self._task.template:
            return None
        says_so = output.asks_for_person and self._barred is None
        asked = Cause.ASKED_FOR_PERSON if says_so else None
        found = escalation.cause_of(
            self._task.since_hand_back, output.content, asks_again=output.asks_again
        )
        return found or asked

    def _subject(self, output: Output) -> str | None:
        subject = (output.subject or "").strip()
        is_usable = 0 < len(subject) <= LONGEST_SUBJECT
        return subject if is_usable and self._task.channel == "email" else None

    def _hand_off(self, cause: Cause) -> Answer:
        return self._end(hand_off=HandOff(cause, cause.value))

    def _end(self, **fields: Any) -> Answer:  # noqa: ANN401 - the fields of an Answer
        calls = self._model_calls
        return Answer(
            **fields,
            calls=tuple(self._calls),
            done=tuple(self._done),
            faults=tuple(self._review.faults),
            retrieved=self._documents.retrieved if self._documents else (),
            cost=Cost(calls.model.name, calls.usage, calls.count, calls.ms),
        )


def _is_same(decided: ai.ToolCall, call: Call) -> bool:
    return (decided.name, decided.arguments) == (call.name, call.canonical_arguments)
