"""Operators of the help desk on the deployed stack: settings, report and backfill, by command and over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import uuid
from typing import TYPE_CHECKING, Any

import pytest
import urllib3

from events.whatsapp.sample_data import COMPANY
from local.stack.processes import ROOT
from tests.e2e.versions import another_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from local.stack.cli import Stack
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
http = urllib3.PoolManager(retries=False, timeout=180)
WITHIN_SECONDS = 120
WORKER = "parley-local-richpanel-worker"
ROUTE = "route-returns-admin"
RETURN = "Hi, I want to return my order, how do I do that?"
DRY_RUN = "/parley/local/richpanel/dry_run"
TEMPLATE = "t_return_request_intake"
OWN = {"default": "Bring it back.\n\n{{support_signature}}", "livechat": "Bring it back."}


def call(method: str, url: str, **options: Any) -> Any:
    answer = http.request(method, url, **options)
    assert answer.status in {200, 201, 204}, answer.data.decode()
    return answer.json() if answer.data else None


def operate(*words: str) -> str:
    """Run a command; returns its standard output."""
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "operations", *words, "--local"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def eventually[Found](look: Callable[[], Found | None]) -> Found:
    deadline = time.monotonic() + WITHIN_SECONDS
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.5)
    pytest.fail(f"not found within {WITHIN_SECONDS} s")


@pytest.fixture(scope="module")
def stack(deployed: Deployed) -> Iterator[Stack]:
    yield deployed.stack
    operate("richpanel", "rollback", "0")


def switch_dry_run(stack: Stack, text: str) -> None:
    stack.client("ssm").put_parameter(Name=DRY_RUN, Value=text, Type="String", Overwrite=True)


def write(stack: Stack) -> str:
    """A new customer opens a ticket; returns its id."""
    ticket_id = f"operators-{uuid.uuid4().hex[:12]}"
    sender = f"{ticket_id}@example.com"
    seed = {"id": ticket_id, "sender": sender, "profile_email": sender, "comments": []}
    call("POST", f"{stack.sandbox_url}/_tickets", json=seed)
    message = {"ticket_id": ticket_id, "comment": {"body": RETURN}}
    assert call("POST", f"{stack.sandbox_url}/_comments", json=message)["webhooks"] == [200]
    return ticket_id


def test_a_ticket_decided_in_dry_run_is_routed_after_it(stack: Stack) -> None:
    def listed(command: str, *options: str) -> dict[str, list[str]]:
        lines = operate("richpanel", command, "--days", "1", *options).splitlines()
        return {line.split("\t")[0]: line.split("\t")[1:] for line in lines}

    # Running processes see a switch within 30 seconds, processes of another version at once.
    with another_version(stack, WORKER) as publish:
        switch_dry_run(stack, "true")
        publish({"RELEASE": "dry run"})
        try:
            ticket_id = write(stack)
            eventually(lambda: listed("backfill").get(ticket_id))
        finally:
            switch_dry_run(stack, "false")
    assert listed("report", "--rules-only")[ticket_id][1] == "replied"
    assert listed("backfill", "--apply")[ticket_id][-1] == "queued"

    def routed() -> dict[str, Any] | None:
        ticket: dict[str, Any] = call("GET", f"{stack.sandbox_url}/_tickets/{ticket_id}")
        return ticket if ROUTE in ticket["tags"] else None

    assert len(eventually(routed)["comments"]) == 1
    assert ticket_id not in listed("backfill")


def test_settings_stored_by_command_are_shown_and_previewed_over_http(
    stack: Stack, tmp_path: Path
) -> None:
    settings = {"templates": {TEMPLATE: {"en": OWN}}}
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(settings))
    operate("richpanel", "put-settings", str(file))
    created = operate(
        "api-keys", "create", "--company", COMPANY, "--scopes", "richpanel:read", "--name", "reader"
    )
    headers = {"x-api-key": created.split()[-1]}
    root = f"{stack.api_url}/admin/richpanel"

    shown = call("GET", f"{root}/settings", headers=headers)["result"]
    preview = call(
        "POST", f"{root}/settings/preview", headers=headers, json={"template": TEMPLATE}
    )["result"]

    assert shown["settings"] == settings
    assert preview["text"].startswith("Bring it back.\n\n")
