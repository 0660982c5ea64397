"""The desk, a mailbox whose mails a model reads: deliveries to it, answers of the model, and what people do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from email_threads.inbound.events import EmailAnalyse, entry
from email_threads.store.items import Automation
from local.sandbox.accounts.openai import OpenAiAnswer
from tests.simulation.email_threads.system import ASSISTED, MODEL, mail
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

ORDER = "We want to order ten chairs."
# Fields of a mailbox that needs a budget; a deadline may be missing.
BUDGETED = {
    "properties": {
        "title": {"type": "string"},
        "budget": {"type": "string"},
        "deadline": {"type": "string"},
    },
    "required": ["title", "budget"],
}


def set_up(system: System, **more: Any) -> None:
    """Replace settings of the desk."""
    system.register(ASSISTED, **{"automation": Automation.EMAIL_THREADS, "ai": MODEL, **more})


def receive(system: System, message_id: str, body: str = ORDER, **more: Any) -> None:
    """A mail arrives at the desk, a second after the previous one, and all that follows is done."""
    system.clock.ms += 1_000
    system.deliver(mail(message_id, body, to=ASSISTED, **more), name=message_id, address=ASSISTED)
    system.drain()


def answers(system: System, *texts: str | dict[str, Any]) -> None:
    """Queue what the model answers to the next requests."""
    for text in texts:
        written = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        system.sandbox.openai.answers.append(OpenAiAnswer(text=written))


def answer(reply: str | None = "Thank you.", **more: Any) -> dict[str, Any]:
    """An answer of the model about no fields."""
    analysis = {
        "summary": "Chairs.",
        "intent": "order",
        "language": "en",
        "urgency": "medium",
        "needs_human": False,
        "reason": None,
        "confidence": 0.9,
    }
    return {
        "requirements": more.pop("requirements", {}),
        "evidence": more.pop("evidence", []),
        "missing": more.pop("missing", []),
        "analysis": analysis | more,
        "sentiment": {"label": "neutral", "score": 0},
        "reply": reply,
    }


def asked(system: System) -> int:
    """How often the model was asked."""
    return len([one for one in system.sandbox.sent if one.provider == "openai"])


def thread(system: System) -> dict[str, Any]:
    """The only thread."""
    (found,) = system.threads()
    return found


def analysis(system: System) -> dict[str, Any]:
    """The analysis of the only thread; empty if there is none."""
    found: dict[str, Any] = thread(system).get("ai_analysis", {})
    return found


def states(system: System) -> list[tuple[str, str | None]]:
    """Status and reason of all drafts, in the order of the mails that they answer."""
    found = sorted(system.drafts(), key=lambda draft: int(draft["in_reply_to_n"]))
    return [(str(one["draft_status"]), one.get("reason")) for one in found]


def analyse_again(system: System, n: int = 1) -> None:
    """The event of a mail's analysis is delivered again."""
    event = EmailAnalyse(
        conversation_id=thread(system)["conversation_id"], n=n, cause=str(system.clock.ms)
    )
    system.fifo_queues.put(system.queue, entry(event))
    system.drain()


def store_waiting(system: System) -> None:
    """Another worker stores the mails that wait, while one is busy."""
    for _ in range(2):  # its notification, then the mail
        for queue, message in system.fifo_queues.receive():
            if queue in system.workers:
                event = {"Records": [message.as_record(queue)]}
                system.workers[queue].handler(event, Invocation(system.clock))
                system.fifo_queues.delete(queue, message)


def approve(system: System, draft: dict[str, Any], **more: Any) -> tuple[int, dict[str, Any]]:
    """A person approves a draft, and it is sent."""
    thread_id = draft["conversation_id"].partition("#")[0]
    path = f"/email-threads/{thread_id}/replies/{draft['reply_id']}/approve"
    answered = system.call("POST", path, {"version": int(draft["version"]), **more})
    system.drain()
    return answered


def changes(system: System) -> list[tuple[str, str, str | None]]:
    """Author, action and detail of all changes, oldest first."""
    rows = sorted((key, row) for key, row in system.rows().items() if "#audit#" in key)
    return [(row["actor"], row["action"], row.get("detail")) for _, row in rows]
