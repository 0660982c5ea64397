"""A version on trial on the deployed stack: in shadow beside the live one, then with all new conversations."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import urllib3

from events.conversations import sample_data
from events.conversations.recruiting import HANDOFF_REQUEST, Run, project
from local.demo.scenarios import conversation_probe
from local.demo.scenarios.recruiting_scenarios import request_conversation, text
from local.stack.seed import operate, put_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from events.conversations.recruiting import Candidate
    from local.stack.cli import Stack
    from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=180)
SCOPES = ("conversations:initiate", "conversations:read", "conversations:admin")
PATIENCE_SECONDS = 180


@dataclass(frozen=True, slots=True)
class Project:
    """A project with a second version, which is not live."""

    stack: Stack
    project_id: str
    key: str
    run: Run

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {"x-api-key": self.key, "Idempotency-Key": str(uuid.uuid4())}
        url = f"{self.stack.api_url}/projects/{self.project_id}/{path}"
        answer = http.request(method, url, headers=headers, json=body)
        assert answer.status < 300, answer.data
        result: dict[str, Any] = answer.json()["result"]
        return result

    def started(self, candidate: Candidate, name: str) -> str:
        """A conversation whose first message has arrived."""
        ids = {"company_id": sample_data.COMPANY, "project_id": self.project_id}
        request = self.run.request(candidate, "sms", name) | {"company_data": ids}
        status, answer = request_conversation(self.stack, self.key, request)
        assert status == 200, answer
        ref = str(answer["conversation_ref"])
        conversation_probe.wait_for(self.stack, ref, lambda one: bool(one.outbound))
        return ref

    def outcomes(
        self, trial_id: str, is_reached: Callable[[dict[str, Any]], bool]
    ) -> dict[str, Any]:
        """The outcomes of a trial once they are as wanted, at the latest after three minutes."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = self.call("GET", f"trials/{trial_id}")
            if is_reached(found) or time.monotonic() > deadline:
                return found
            time.sleep(1)


def tried(deployed: Deployed, project_id: str, **trial: Any) -> tuple[Project, str]:
    """A project with a trial that has begun before any worker has read the project."""
    stack = deployed.stack
    put_project(stack, project() | {"project_id": project_id})
    of_company = ("--company", sample_data.COMPANY, "--scopes", *SCOPES, "--name", "trials")
    key = operate(stack, "api-keys", "create", *of_company)
    made = Project(stack, project_id, key, Run.now())
    settings = {"company_rep": {"company_rep_1": "Eve"}}
    number = made.call("POST", "versions", {"settings": settings})["number"]
    return made, str(made.call("POST", "trials", {"version": number, **trial})["trial_id"])


def test_a_version_in_shadow_answers_beside_the_live_one_without_sending(
    deployed: Deployed,
) -> None:
    made, trial_id = tried(deployed, "pi-aaa-003", mode="shadow", most_answers=5)
    candidate = made.run.candidate("Ann", "Doe", position=4)
    ref = made.started(candidate, "shadow")
    text(made.stack, candidate.text("Which shift would it be?"))

    found = made.outcomes(trial_id, lambda one: one["trial"]["answers"] + one["failed"] > 0)

    assert (found["begun"], found["failed"], found["live"]["answers"]) == (1, 0, 1)
    (pair,) = made.call("GET", f"trials/{trial_id}/answers")["answers"]
    assert (pair["ref"], pair["status"]) == (ref, "made")
    assert pair["text"]
    sent = conversation_probe.wait_for(made.stack, ref, lambda one: len(one.outbound) > 1)
    assert len(sent.outbound) == 2
    assert not made.call("POST", f"trials/{trial_id}/stop", {})["running"]


def test_a_hand_off_of_a_version_in_share_is_counted_by_the_inbox(deployed: Deployed) -> None:
    made, trial_id = tried(deployed, "pi-aaa-004", mode="share", share=100)
    candidate = made.run.candidate("Bea", "Ray", position=5)
    made.started(candidate, "share")
    text(made.stack, candidate.text(HANDOFF_REQUEST))

    found = made.outcomes(trial_id, lambda one: bool(one["trial"]["handed_off"]))

    assert (found["trial"]["conversations"], found["trial"]["handed_off"]) == (1, 1)
    assert made.call("POST", f"trials/{trial_id}/stop", {"withdraw": True})["withdrawn"]
    assert conversation_probe.dead_letters(made.stack) == 0
