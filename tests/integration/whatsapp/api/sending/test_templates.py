"""Templates that agents send: their variables, their approval, and consent to marketing."""

from __future__ import annotations

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.api.sending.conftest import HOUR_SECONDS, AgentHarness, reason
from tests.integration.whatsapp.conftest import NOW, PHONE

TEMPLATE = {
    "template": {
        "name": "bike_ready",
        "language": "en_GB",
        "body": ["Ada"],
        "buttons": {"1": "77"},
    }
}
READY = [
    {"type": "HEADER", "format": "TEXT", "text": "Acme"},
    {"type": "BODY", "text": "Hello {{1}}, your bike is ready."},
    {
        "type": "BUTTONS",
        "buttons": [
            {"type": "QUICK_REPLY", "text": "Thanks"},
            {"type": "URL", "text": "Track", "url": "https://acme.example/{{1}}"},
        ],
    },
]


def test_an_approved_template_is_sent_after_the_window_with_its_variables(
    agent_harness: AgentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_harness.add_template(components=READY)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 30 * HOUR_SECONDS * 1_000)

    answer = agent_harness.send(TEMPLATE)

    assert answer.status == 200
    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    assert sent["template"] == {
        "name": "bike_ready",
        "language": {"code": "en_GB"},
        "components": [
            {"type": "body", "parameters": [{"type": "text", "text": "Ada"}]},
            {
                "type": "button",
                "sub_type": "url",
                "index": "1",
                "parameters": [{"type": "text", "text": "77"}],
            },
        ],
    }
    assert (shown["type"], shown["preview"]) == ("template", "[template] bike_ready")
    stored = agent_harness.harness.item(f"MSG#{shown['id']}")
    assert stored["template"] == "bike_ready"


@pytest.mark.parametrize(
    ("stored", "body", "problem"),
    [
        (None, {}, "unknown in this language"),
        ({"language": "de"}, {}, "unknown in this language"),
        ({"company": "globex"}, {}, "unknown in this language"),
        ({"status": "PAUSED"}, {}, "its status is PAUSED"),
        ({}, {"body": []}, "template.body: needs 1 values"),
        ({}, {"body": {"name": "Ada"}}, "template.body: needs 1 values"),
        ({}, {"header": "New"}, "template.header: needs 0 values"),
        ({}, {"buttons": {}}, "template.buttons: needs values for the buttons [1]"),
    ],
)
def test_a_template_that_cannot_be_sent_is_refused_with_what_it_needs(
    agent_harness: AgentHarness, stored: dict[str, Any] | None, body: dict[str, Any], problem: str
) -> None:
    if stored is not None:
        agent_harness.add_template(components=READY, **stored)

    answer = agent_harness.send({"template": TEMPLATE["template"] | body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert problem in answer.body["error"]["message"]
    assert agent_harness.sent == []


def test_marketing_needs_consent_and_a_number_that_is_not_rated_red(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.add_template(components=READY, category="MARKETING")
    table = agent_harness.harness.resources.table
    [head] = [key for key in agent_harness.harness.keys() if key.startswith("CONV#")]

    assert reason(agent_harness.send(TEMPLATE)) == "no_consent"
    table.update({"pk": head}, put={"marketingOptOut": True})
    assert reason(agent_harness.send(TEMPLATE, request="request-10")) == "opted_out"
    table.update({"pk": head}, put={"marketingOptOut": False})
    capped_at = clock.now_ms() - 24 * HOUR_SECONDS * 1_000 + 1_000
    table.update({"pk": head}, put={"marketingCappedAt": clock.to_text(capped_at)})
    assert reason(agent_harness.send(TEMPLATE, request="request-13")) == "frequency_cap"
    table.update({"pk": head}, put={"marketingCappedAt": clock.to_text(capped_at - 1_000)})
    rating = {"pk": f"QUALITY#{PHONE}", "itemType": "QUALITY_RATING", "phone": PHONE}
    table.put(rating | {"wabaMetaId": "102290129340398", "qualityRating": "RED"})
    assert reason(agent_harness.send(TEMPLATE, request="request-11")) == "quality_low"
    table.put(rating | {"wabaMetaId": "102290129340398", "qualityRating": "YELLOW"})
    assert agent_harness.send(TEMPLATE, request="request-12").status == 200
