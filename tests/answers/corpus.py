"""Right and bad answers of models, each with its case (facts, prompt, date) and the customer's message before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conversations.ai.checks.guardrails import faults_of
from conversations.ai.config import AiConfig
from conversations.ai.prompt.system_prompt import Facts, HistoryMessage
from conversations.ai.schemas.output_schema import Output
from conversations.ai.turn.task import Task, bounds_of, facts_in
from shared.ai import port as ai

if TYPE_CHECKING:
    from conversations.ai.checks.faults import Fault

HERE = Path(__file__).parent
HELD = HERE / "held"
FRESH = HERE / "fresh"
SECOND = HERE / "second"
TOOLS = (ai.Tool("book_slot", "Book a slot.", {}), ai.Tool("cancel_order", "Cancel.", {}))
CONFIG = AiConfig.read(
    {"provider": "openai", "openai_config": {"sms": {"model": "m", "api_key_reference": "k"}}},
    "sms",
)


@dataclass(frozen=True, kw_only=True)
class LabelledAnswer:
    """One answer; *expected* is the name of its fault, None for a right one."""

    folder: Path
    case: str
    said: tuple[str, ...]
    answer: str
    results: tuple[str, ...]
    expected: str | None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that the checks find."""
        case = cases_of(self.folder)[self.case]
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
            bounds = bounds.with_facts(facts_in(result, is_error=False), ["act"])
        return faults_of(Output(content=self.answer), bounds)


def read(part: str, folder: Path = HERE) -> list[LabelledAnswer]:
    """Return the labelled answers of a part, `right` or `bad`, of the corpus in *folder*."""
    rows = map(json.loads, (folder / f"{part}.jsonl").read_text("utf-8").splitlines())
    return [
        LabelledAnswer(
            folder=folder,
            case=row["case"],
            said=tuple(filter(None, (row["said"], row.get("said2")))),
            answer=row["answer"],
            results=tuple(row.get("results", ())),
            expected=row.get("fault"),
        )
        for row in rows
    ]


def untouched(rows: list[LabelledAnswer]) -> list[LabelledAnswer]:
    """Return the rows of the held-out corpus that no change of the checks has considered: every second case."""
    order = list(cases_of(HELD))
    return [row for row in rows if order.index(row.case) % 2]


@cache
def cases_of(folder: Path) -> dict[str, Any]:
    """Return the cases of the corpus in *folder*, in the order of their file."""
    cases: dict[str, Any] = json.loads((folder / "cases.json").read_text("utf-8"))
    return cases
