"""Right and bad answers of models, each with its case (facts, prompt, date) and the customer's message before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conversations.ai.checks.guardrails import faults_of
from conversations.ai.config import AiConfig
from conversations.ai.output_schema import Output
from conversations.ai.prompt.system_prompt import Facts, HistoryMessage
from conversations.ai.task import Task, bounds_of, facts_in
from shared.ai import port as ai

if TYPE_CHECKING:
    from conversations.ai.checks.faults import Fault

HERE = Path(__file__).parent
TOOLS = (ai.Tool("book_slot", "Book a slot.", {}), ai.Tool("cancel_order", "Cancel.", {}))
CONFIG = AiConfig.read(
    {"provider": "openai", "openai_config": {"sms": {"model": "m", "api_key_reference": "k"}}},
    "sms",
)


@dataclass(frozen=True, kw_only=True)
class LabelledAnswer:
    """One answer; *expected* is the name of its fault, None for a right one."""

    case: str
    said: tuple[str, ...]
    answer: str
    results: tuple[str, ...]
    expected: str | None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that the checks find."""
        case = _cases()[self.case]
        facts = Facts(
            company_name=case["company"],
            project_name=case["company"],
            language=case["language"],
            local_date=case["date"],
            project_data=case["facts"],
        )
        task = Task(
            kind="reply",
            channel="whatsapp",
            config=CONFIG,
            facts=facts,
            history=[HistoryMessage(ai.Role.USER, text) for text in self.said],
            longest=1_000,
            deadline_ms=0,
        )
        bounds = bounds_of(task, case["prompt"], TOOLS)
        for result in self.results:
            bounds = bounds.with_facts(facts_in(result, is_error=False), has_acted=True)
        return faults_of(Output(content=self.answer), bounds)


def read(part: str) -> list[LabelledAnswer]:
    """Return the labelled answers of a part: `right` or `bad`."""
    rows = map(json.loads, (HERE / f"{part}.jsonl").read_text("utf-8").splitlines())
    return [
        LabelledAnswer(
            case=row["case"],
            said=tuple(filter(None, (row["said"], row.get("said2")))),
            answer=row["answer"],
            results=tuple(row.get("results", ())),
            expected=row.get("fault"),
        )
        for row in rows
    ]


@cache
def _cases() -> dict[str, Any]:
    cases: dict[str, Any] = json.loads((HERE / "cases.json").read_text("utf-8"))
    return cases
