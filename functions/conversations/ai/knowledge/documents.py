"""
The documents of one turn: searches, and the rule "without a source no claim".

    answer before any search        the project's other rules apply, unless it cites a passage that it cannot know
    answer after a search           has to cite a passage, or only to ask: else it is a fault (`source_missing`)

The second fault of a turn hands off to an agent, so no answer without a source is sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from conversations.ai.checks.faults import Fault
from conversations.ai.functions import Call, Result
from conversations.ai.knowledge import citations
from conversations.ai.knowledge.citations import CitedText
from conversations.ai.knowledge.search_tool import RULES, TOOL, Sources, query_of
from conversations.ai.outcome import Retrieved

if TYPE_CHECKING:
    from conversations.ai.checks.guardrails import Bounds
    from conversations.ai.knowledge.search_tool import Knowledge
    from conversations.ai.schemas.output_schema import Output
    from shared.ai import port as ai
    from shared.events.exchange import Channel


@dataclass(slots=True)
class Documents:
    """The model's searches and citations so far. *tools* and *rules* complete the turn's tools and rules."""

    tools: ClassVar = (TOOL,)
    rules: ClassVar = (RULES,)

    knowledge: Knowledge
    channel: Channel
    sources: Sources = field(default_factory=Sources)
    answer: CitedText = field(default_factory=lambda: CitedText(""))

    @property
    def retrieved(self) -> tuple[Retrieved, ...]:
        """The passages that the model was given, in the order of their numbers."""
        return tuple(
            Retrieved(chunk_id, source.passage.score, source.number in self.answer.passages)
            for chunk_id, source in self.sources.found.items()
        )

    def is_search(self, request: ai.ToolCall) -> bool:
        """Whether a call is one of the search."""
        return request.name == TOOL.name

    def search(self, request: ai.ToolCall) -> tuple[Call, Result]:
        """Search the documents. Raises CallRefused for invalid arguments, and what the search raises."""
        query = query_of(request.arguments)
        self.answer = CitedText("")  # Text beside the call is discarded.
        result = Result(self.sources.add(self.knowledge.search(query)))
        return Call(request.call_id, request.name, {"query": query}), result

    def cited(self, output: Output) -> Output:
        """Return the answer with numbers of documents in place of numbers of passages, without the list."""
        self.answer = citations.cited(output.content, self.sources, self.channel)
        subject = output.subject and citations.cited(output.subject, Sources(), self.channel).text
        return output.model_copy(update={"content": self.answer.text, "subject": subject})

    def faults_of(self, output: Output, bounds: Bounds) -> set[Fault]:
        """Return the faults of an answer that `cited` returned: no source, or no room for the list."""
        faults: set[Fault] = set()
        relies_on_documents = self.sources.searches > 0 or self.answer.is_marked
        is_bound = self.knowledge.sources_required and relies_on_documents
        if is_bound and not self.answer.documents and citations.states_something(output.content):
            faults.add(Fault.SOURCE_MISSING)
        if not bounds.has_room_for(self.with_list(output, bounds).content):
            faults.add(Fault.TOO_LONG)
        return faults

    def with_list(self, output: Output, bounds: Bounds) -> Output:
        """Return the answer with the list of the documents that it cites."""
        content = self.answer.with_list(self.channel, bounds.has_room_for)
        return output.model_copy(update={"content": content})
