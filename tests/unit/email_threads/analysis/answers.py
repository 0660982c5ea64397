"""Answers of a model, and the thread with the mails that they are about."""

from __future__ import annotations

import json
from typing import Any

from email_threads.analysis.requirements import Merged, merge
from email_threads.analysis.schema import Answer
from email_threads.configuration.requirements_schema import USUAL, RequirementsSchema
from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store.items import AiAnalysis, AnalysisState, Mail, OpenQuestion, Status, Thread
from email_threads.store.items.threads.thread import Direction
from shared.runtime import clock

NOW = 1_793_620_800_000  # 2026-11-02T12:00:00Z
NOW_TEXT = clock.to_text(NOW)

type Missing = tuple[str, str, bool]  # field, question, blocking


def raw_answer(
    requirements: dict[str, Any] | None = None,
    *,
    evidence: dict[str, tuple[int, str]] | None = None,
    missing: tuple[Missing, ...] = (),
    **analysis: Any,
) -> dict[str, Any]:
    """An answer as the model writes it; *evidence* has number and quote by field."""
    return {
        "requirements": requirements or {},
        "evidence": [
            {"field": field, "n": n, "quote": quote}
            for field, (n, quote) in (evidence or {}).items()
        ],
        "missing": [
            {"field": field, "question": question, "blocking": blocking}
            for field, question, blocking in missing
        ],
        "analysis": {
            "summary": "Chairs.",
            "intent": "order",
            "language": "en",
            "urgency": "medium",
            "needs_human": False,
            "reason": None,
            "confidence": 0.9,
            **analysis,
        },
        "sentiment": {"label": "neutral", "score": 0},
        "reply": "Thank you.",
    }


def thread(
    requirements: dict[str, Any] | None = None, questions: list[OpenQuestion] | None = None
) -> Thread:
    """A thread with what earlier mails said and what was asked."""
    return Thread(
        conversation_id="c",
        created_at=NOW_TEXT,
        updated_at=NOW_TEXT,
        status=Status.ACTIVE,
        original_message_id="<a@x>",
        subject="Chairs",
        requirements=requirements or {},
        ai_analysis=AiAnalysis(state=AnalysisState.DONE, pending_info=questions)
        if questions is not None
        else None,
    )


def mail(n: int = 1, text: str = "Hello.", **more: Any) -> Mail:
    """Mail number *n* of the customer."""
    values: dict[str, Any] = {
        "conversation_id": f"c#mail#{n:08d}",
        "n": n,
        "company_id": "acme",
        "kind": Kind.MAIL,
        "trust": Trust.VERIFIED,
        "received_at": NOW_TEXT,
        "fingerprint": "f",
        "email_id": f"mail-{n}",
        "message_id": f"{n}@x",
        "subject": "Chairs",
        "body": text,
        "new_text": text,
        "timestamp": NOW_TEXT,
        "direction": Direction.INBOUND,
        **more,
    }
    return Mail(**values)


def merged(
    answer: dict[str, Any],
    *mails: Mail,
    about: Thread | None = None,
    fields: RequirementsSchema = USUAL,
    now_ms: int = NOW,
) -> Merged:
    """Merge an answer into a thread, by default one about which nothing is known."""
    parsed = Answer.parse(json.dumps(answer))
    return merge(about or thread(), parsed, mails or (mail(),), fields, now_ms)
