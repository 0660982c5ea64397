"""People change a step while a job makes the next one from it, and the job's worker is killed meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.simulation.interceptor import When
from tests.simulation.newsletters.scenarios import (
    ONE,
    PLANNED,
    RETRIEVED,
    TYPES,
    Steps,
    settled,
    started,
)

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

_MODEL = "HTTP.POST"


def sections_reversed(system: System) -> None:
    """A person reverses the sections of the outline."""
    present = system.read(ONE)["outline"]
    names = ("id", "title", "description", "rag_reference_ids")
    sections = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [{name: item[name] for name in names} for item in section["items"]],
        }
        for section in reversed(present["sections"])
    ]
    system.act("PUT", f"{ONE}/outline", {"version": present["version"], "sections": sections})


def retrieved_again(system: System) -> None:
    """A person selects fewer types and has passages retrieved; the job of the step below waits meanwhile."""
    version = system.read(ONE)["topics"]["version"]
    wanted = {"selected_types": list(TYPES[1:]), "version": version}
    system.act("PUT", f"{ONE}/topics", wanted, key="again")
    system.act("POST", f"{ONE}/topics/start", {}, key="again")
    for queue, message in system.fifo_queues.receive():
        system.run_worker(queue, message)


def killed_after_an_answer(system: System, step: str) -> None:
    """The worker of a step's job is killed once it has stored an answer of the model."""
    before = system.snapshot()
    started(step)(system)
    system.settle()
    calls = system.interceptor.calls
    answer = next(number for number, call in enumerate(calls, 1) if call.startswith(_MODEL))

    system.restore(before)
    started(step)(system)
    # The call after the model's answer stores it.
    system.interceptor.die_at = (answer + 1, When.AFTER)
    for queue, message in system.fifo_queues.receive():
        system.run_worker(queue, message)


def generated(system: System, step: str) -> dict[str, Any]:
    """The content of a step, without ids, versions and times."""
    found = system.read(ONE)[step]
    assert found["status"] == "completed", found
    names = ("sections", "references", "content", "citations", "warnings")
    return {name: found[name] for name in names if name in found}


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "change", "step"),
    [(PLANNED, sections_reversed, "draft"), (RETRIEVED, retrieved_again, "outline")],
    ids=["draft", "outline"],
)
def test_a_redelivered_job_uses_no_answer_to_a_question_that_has_changed(
    system: System, before: Steps, change: Steps, step: str
) -> None:
    settled(before)(system)
    start = system.snapshot()
    settled(change, started(step))(system)
    clean = generated(system, step)

    system.restore(start)
    killed_after_an_answer(system, step)
    change(system)
    system.settle()

    assert generated(system, step) == clean
