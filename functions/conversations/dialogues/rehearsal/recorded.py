"""Models that answer as a dialogue has it, and the passages of its documents."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.ai import port as ai
from shared.ai.retrieval.port import Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.dialogues.scenarios.format import Document, ModelAnswer

_CHARACTERS_A_TOKEN = 4  # a rule of thumb


@dataclass(slots=True)
class RecordedModel:
    """Gives the *answers* in order, the last one again if it is asked further."""

    answers: Sequence[ModelAnswer] = field(repr=False)
    given: int = 0
    name: str = "recorded"

    @property
    def unused(self) -> int:
        """The number of answers that were not asked for."""
        return max(0, len(self.answers) - self.given)

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        if not self.answers:
            raise ai.Unavailable("no_recorded_answer", ai.Repeat.NEVER)
        answer = self.answers[min(self.given, len(self.answers) - 1)]
        self.given += 1
        if answer.refused is not None:
            raise ai.Unavailable(answer.refused[1], ai.Repeat.NEVER)
        calls = tuple(
            ai.ToolCall(f"call-{self.given}-{number}", one.call, json.dumps(one.arguments))
            for number, one in enumerate(answer.calls)
        )
        text = "" if calls else answer.as_output()
        read = sum(map(len, request.texts))
        usage = ai.Usage(read // _CHARACTERS_A_TOKEN, len(text) // _CHARACTERS_A_TOKEN)
        return ai.Reply(text, ai.Stop.TOOLS if calls else ai.Stop.END, usage, calls)


def passages_of(documents: Sequence[Document]) -> list[Passage]:
    """Return the documents as passages that a search has found, best first."""
    return [
        Passage(
            text=one.text,
            score=round(1 - number / 100, 4),
            title=one.title,
            url=one.url,
            uri="",
            date=one.date,
            source="scenario",
        )
        for number, one in enumerate(documents)
    ]
