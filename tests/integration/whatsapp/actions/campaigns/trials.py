"""A campaign with a test of two templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.whatsapp.actions.campaigns.runs import TEMPLATE, numbers

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.people import People
    from tests.integration.whatsapp.actions.campaigns.runs import Runs

OTHER = TEMPLATE | {"name": "bike_waits", "id": "1002"}
B = {"templateName": "bike_waits", "bodyFields": [{"field": "name", "default": "rider"}]}
RULE: dict[str, Any] = {"template": B, "share": 80, "measure": "read", "minimum": 1, "hours": 1}
PEOPLE = 30


@pytest.fixture
def tested(runs: Runs, people: People) -> str:
    """The id of a draft with a test of two templates, to 30 people."""
    runs.actions.sandbox.templates.append(OTHER)
    chosen = people.in_list(*(people.wrote(n, "Ada") for n in numbers(PEOPLE)))
    return str(people.create("list", chosen, test=RULE)["campaignId"])


def begin(runs: Runs, campaign: str) -> list[str]:
    """Start a test, and return the ids of its variants' campaigns."""
    begun = runs.control("start_campaign", campaign).result
    return [one["campaignId"] for one in begun["test"]["variants"]]


def read_all(runs: Runs, campaign: str) -> None:
    """Let everybody read their message of a campaign."""
    found = runs.control("get_campaign_recipients", campaign, outcome="sent", limit=100).result
    for one in found["recipients"]:
        report = {
            "id": one["messageId"], "status": "read", "recipient_id": one["to"],
            "timestamp": str(runs.now // 1_000),
        }  # fmt: skip
        runs.actions.harness.take({"statuses": [report]})


def sent_with(runs: Runs) -> dict[str, list[str]]:
    """The recipients of each template."""
    found: dict[str, list[str]] = {}
    for one in runs.actions.wire:
        if one.operation == "send_message" and isinstance(one.body, dict):
            found.setdefault(one.body["template"]["name"], []).append(one.body["to"])
    return found
