"""A project with a version in shadow: what it answers, is asked and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.versions.trials import Trials
from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.runtime import clock
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    model_answer,
    start_conversation,
    with_model,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.conversations.system import System

OF_PROJECT = {"project_id": sample_data.PROJECT}
FIRST = model_answer("Hello Ann, can you start in May?")
LIVE = model_answer("You start at nine.")
TRIED = model_answer("At nine. See you then.")
PRICE = {"input": 10, "output": 20}  # dollars a million tokens
TRIALS = "POST /projects/{project_id}/trials"
TRIAL = "/projects/{project_id}/trials/{trial_id}"


def prompt(reply: str) -> dict[str, Any]:
    """The settings of a version that tells its model something else."""
    own = {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID, "price": PRICE}
    return {
        "ai_config": {
            "provider": "openai",
            "openai_config": dict.fromkeys(("whatsapp", "sms", "email"), own),
            "prompts": {"initial": "Invite.", "reply": reply},
        }
    }


def project(system: System, *texts: str) -> int:
    """Give the project a model and a second version, and return its number."""
    with_model(system, *texts, **prompt("Be brief and kind.")["ai_config"])
    return version(system, "Say TRIED.")


def version(system: System, reply: str, **more: Any) -> int:
    body = {"settings": prompt(reply) | more}
    line = "POST /projects/{project_id}/versions"
    return int(system.call_admin_api(line, body, **OF_PROJECT)["number"])


def begin(system: System, **given: Any) -> str:
    trial = system.call_admin_api(TRIALS, given, **OF_PROJECT)
    system.new_process()  # functions read settings again at most 30 seconds later
    return str(trial["trial_id"])


def outcomes(system: System, trial_id: str) -> dict[str, Any]:
    return system.call_admin_api(f"GET {TRIAL}", trial_id=trial_id, **OF_PROJECT)


def pairs(system: System, trial_id: str) -> list[dict[str, Any]]:
    found = system.call_admin_api(f"GET {TRIAL}/answers", trial_id=trial_id, **OF_PROJECT)
    answers: list[dict[str, Any]] = found["answers"]
    return answers


def shadow(system: System, **given: Any) -> tuple[str, str]:
    """A conversation whose first message was sent, and a trial in shadow."""
    number = project(system, FIRST)
    ref = start_conversation(system)
    return ref, begin(system, mode="shadow", version=number, **{"most_answers": 10, **given})


def shadow_of_booking(system: System) -> str:
    """A trial in shadow of a project whose model may book slots."""
    item = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    own = item["ai_config"] | {"prompts": {"initial": "Invite.", "reply": "Say TRIED."}}
    line = "POST /projects/{project_id}/versions"
    number = system.call_admin_api(line, {"settings": {"ai_config": own}}, **OF_PROJECT)["number"]
    return begin(system, mode="shadow", version=number, most_answers=5)


def before_shadow(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let something happen after the live answer, before the version on trial reads the conversation."""
    begin_shadow = Trials.begin_shadow

    def acts_first(trials: Trials, *given: Any) -> bool | None:
        is_new = begin_shadow(trials, *given)
        act()
        return is_new

    monkeypatch.setattr(Trials, "begin_shadow", acts_first)


def add_messages(system: System, ref: str, text: str, count: int, *, after_ms: int) -> None:
    """Messages from a time on, in ms after the newest one, a second apart."""
    newest = system.log(ref)[-1]
    begin_ms = clock.from_text(str(newest["message_timestamp"])) + after_ms
    for number in range(count):
        at, name = clock.to_text(begin_ms + number * 1_000), f"{text.lower()}-{number}"
        one = {"sk": f"MSG#{at}#{name}", "message_timestamp": at, "entry_id": name}
        system.write("log", {**newest, **one, "content": f"{text} {number}."})


def says(system: System, *texts: str) -> None:
    for text in texts:
        system.sandbox.openai.answers.append(OpenAiAnswer(text=text))


def asked(system: System) -> list[str]:
    """What models were asked, in order."""
    return [str(one.body) for one in system.sandbox.sent if one.operation == "create_response"]


def is_answer(ref: str, key: tuple[str, ...]) -> bool:
    return key[1] == f"CONV#{ref}" and key[2].startswith("SHADOW#")
