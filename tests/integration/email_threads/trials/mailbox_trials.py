"""The desk with a version of its settings on trial: what it drafts, is asked and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result
from tests.simulation.email_threads.system import ASSISTED, MODEL

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

PATH = f"/email-mailboxes/{ASSISTED}"
TRIALS = f"{PATH}/trials"
PRICE = {"input": 1_000, "output": 2_000}  # dollars a million tokens
FACTS = ["A chair costs $40."]
LIVE, TRIED = desk.answer("The live answer is ready."), desk.answer("The tried answer is ready.")


def version(system: System, **settings: Any) -> int:
    """Make a version that is not live, and return its number."""
    settings = settings or {"facts": FACTS, "ai": MODEL | {"price": PRICE}}
    number: int = result(system.call("POST", f"{PATH}/versions", {"settings": settings}))["number"]
    return number


def begin(system: System, mode: str = "shadow", **given: Any) -> str:
    """Begin a trial of a new version, and return its id."""
    bounds = {"most_answers": 10} if mode == "shadow" else {"share": 100}
    number = given.pop("version", None) or version(system)
    body = {"mode": mode, "version": number, **bounds, **given}
    trial = result(system.call("POST", TRIALS, body))
    return str(trial["trial_id"])


def outcomes(system: System, trial_id: str) -> dict[str, Any]:
    return result(system.call("GET", f"{TRIALS}/{trial_id}"))


def pairs(system: System, trial_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result(system.call("GET", f"{TRIALS}/{trial_id}/drafts"))[
        "drafts"
    ]
    return found


def stop(system: System, trial_id: str, **given: Any) -> dict[str, Any]:
    return result(system.call("POST", f"{TRIALS}/{trial_id}/stop", given))


def mailbox(system: System) -> dict[str, Any]:
    """The mailbox's item."""
    return system.rows()[f"mailbox#{ASSISTED}"]


def prompts(system: System) -> list[dict[str, Any]]:
    """What the model was asked, oldest first."""
    found: list[Any] = [one.body for one in system.sandbox.sent if one.provider == "openai"]
    return found


def read(system: System, name: str = "a@x", live: Any = LIVE, tried: Any = TRIED) -> None:
    """A mail arrives that the live version and the one in shadow answer."""
    desk.answers(system, live, tried)
    desk.receive(system, name, subject=name)
