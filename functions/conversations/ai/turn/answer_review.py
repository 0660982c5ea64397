"""Reviews the answers of one turn: their faults, what is left of one after its repair, and the values of a template."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conversations.ai.checks import guardrails, removal
from conversations.ai.checks.faults import Fault, Severity
from conversations.ai.outcome import Cause
from conversations.ai.schemas.output_schema import Output
from conversations.ai.turn import escalation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conversations.ai.checks.guardrails import Bounds
    from conversations.ai.knowledge.documents import Documents
    from conversations.ai.prompt.whatsapp_templates import Filled, Template
    from conversations.ai.turn.task import Task


@dataclass(slots=True, kw_only=True, eq=False)
class Review:
    """The limits of a turn's answers, which results of functions extend, and the *faults* found so far, in order."""

    task: Task
    bounds: Bounds
    documents: Documents | None
    barred: Cause | None
    project_values: Mapping[str, str]
    faults: list[Fault] = field(default_factory=list)

    def note(self, output: Output) -> tuple[Fault, ...]:
        """Record the faults of an answer; return those that are more than notes."""
        faults = self._faults_of(output, self.bounds)
        self.faults += faults
        return tuple(fault for fault in faults if fault.severity is not Severity.NOTE)

    def reduced(self, output: Output, faults: Iterable[Fault]) -> Output | None:
        """
        Return the answer without its faulty sentences; None if that is not possible or leaves nothing.

        One that is too long is cut to what several messages can have on a channel that divides texts, else one message.
        """
        if self.task.template is not None or not all(fault.is_removable for fault in faults):
            return None
        bounds = replace(self.bounds, is_divisible=True)
        reduced = removal.reduced(output, bounds)
        if not reduced.content and output.hand_off:
            return reduced  # Human agents get the model's reason.
        left = self._faults_of(reduced, bounds)
        has_faults = any(fault.severity is not Severity.NOTE for fault in left)
        return reduced if reduced.content and not has_faults else None

    def completed(
        self, template: Template, values: Mapping[str, str]
    ) -> Filled | tuple[Fault, ...]:
        """Return the template with the values of the project and these ones, or the faults of these."""
        from conversations.ai.prompt.whatsapp_templates import completed  # noqa: PLC0415 - of one channel

        return completed(template, self.project_values, values, self.task.longest)

    def _faults_of(self, output: Output, bounds: Bounds) -> tuple[Fault, ...]:
        template = self.task.template
        if template is not None:
            return self._faults_of_values(template, output)
        faults = {*guardrails.faults_of(output, bounds)}
        if output.hand_off and self.barred is Cause.AI:
            faults.add(Fault.HANDED_BACK)
        if not output.hand_off and escalation.is_repeated(output.content, self.task.history):
            faults.add(Fault.REPEATED_ANSWER)
        if self.documents:
            faults |= self.documents.faults_of(output, self.bounds)
        return tuple(fault for fault in Fault if fault in faults)

    def _faults_of_values(self, template: Template, output: Output) -> tuple[Fault, ...]:
        if output.hand_off or output.function_call:
            return ()  # No message is sent.
        values = output.variables or {}
        filled = self.completed(template, values)
        faults = {*guardrails.faults_of(Output(content="", variables=values), self.bounds)}
        faults = faults - {Fault.EMPTY} | {*(filled if isinstance(filled, tuple) else ())}
        return tuple(fault for fault in Fault if fault in faults)
