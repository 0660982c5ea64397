"""The help desk's webhook on the deployed stack: its gateway, its roles, its queues and its secret."""

import json
import time
from typing import Any

import pytest
import urllib3

from events.richpanel.samples import MINIMAL, ROUTE, Sample, samples, sign
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=180)
COLD_STARTS = 5
# Tickets of the samples, and the message that a sample names.
TICKETS = {"70411": "", "70412": "c-88121", "70413": "c-88123", "70414": "c-88130", "70415": ""}

# Signed at an expired time.
BY_TOKEN = [sample for sample in samples() if sample.name not in {"signed", "stale_signature"}]


def post(deployed: Deployed, body: str, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    url = deployed.stack.api_url + ROUTE
    answer = http.request("POST", url, headers=headers, body=body.encode())
    return answer.status, json.loads(answer.data)


@pytest.fixture(scope="module", autouse=True)
def _warm(deployed: Deployed) -> None:
    """A cold start on a busy machine may take longer than the function's timeout: warm it up before the tests."""
    for _ in range(COLD_STARTS):
        try:
            if post(deployed, "{}", {})[0] == 401:
                return
        except (urllib3.exceptions.HTTPError, ValueError):
            continue
    pytest.fail(f"the webhook did not answer in {COLD_STARTS} attempts")


@pytest.fixture(scope="module", autouse=True)
def _tickets(deployed: Deployed) -> None:
    """
    Tickets for the samples: the emulator's queues pause for 30 s after a failed event, so the worker must find them.
    """
    for ticket, message in TICKETS.items():
        comments = [{"id": message, "body": "Is anybody there?"}] if message else []
        seed = {"id": ticket, "sender": "robin.vale@example.com", "comments": comments}
        answer = http.request("POST", f"{deployed.stack.sandbox_url}/_tickets", json=seed)
        assert answer.status == 201


@pytest.mark.parametrize("sample", BY_TOKEN, ids=lambda sample: sample.name)
def test_each_sample_is_answered_as_documented(deployed: Deployed, sample: Sample) -> None:
    headers = {
        name: sample.event["headers"][name] for name in ("Content-Type", "X-Middleware-Token")
    }

    status, body = post(deployed, sample.event["body"], headers)

    assert status == sample.status
    assert body.get("code", "") == sample.code
    assert body.get("event_id") == sample.event_id


def test_a_call_with_a_current_signature_is_accepted(deployed: Deployed) -> None:
    now, body = str(int(time.time())), json.dumps(MINIMAL)
    headers = {
        "Content-Type": "application/json",
        "X-Timestamp": now,
        "X-Signature": sign(body, now),
    }

    assert post(deployed, body, headers)[0] == 200
    assert post(deployed, body + " ", headers)[0] == 401
