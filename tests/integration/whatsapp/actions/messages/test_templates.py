"""Templates, and texts that fall back to a template."""

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import WABA, Actions
from tests.integration.whatsapp.conftest import NOW
from whatsapp import store
from whatsapp.store.items.accounts.templates import TemplateMeta

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
# The document requires the only policy, which Meta's newer examples omit.
WITHOUT_POLICY = ["body: $.template.language 'policy' is a required property"]
READY = [{"type": "BODY", "text": "Your {{1}} is ready."}]
VALUES = [{"type": "body", "parameters": [{"type": "text", "text": "bike"}]}]
FALLBACK = {"templateName": "bike_ready", "text": "bike"}
DAY_LATER = NOW + 25 * 3_600_000


def add_template(actions: Actions, **facts: Any) -> None:
    given = {"company": "acme", "status": "APPROVED", "language": "en_US", "components": READY}
    # Read today: the provider is not asked again within the test.
    given |= {"cached_at": clock.to_text(DAY_LATER)} | facts
    key = TemplateMeta.of_language(WABA, "bike_ready", str(given["language"]))
    item = TemplateMeta(pk=key, waba_meta_id=WABA, template_name="bike_ready", **given)
    store.account_reports.add_template(actions.harness.resources.table, item)


def late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: DAY_LATER)


def test_a_template_is_sent_after_the_window(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_template(actions)
    late(monkeypatch)
    answer = actions.send("send_template", {"templateName": "bike_ready", "components": VALUES})

    assert wire.problems(actions.wire[0], "POST", MESSAGES) == WITHOUT_POLICY
    assert actions.wire[0].body["template"] == {  # type: ignore[index] # JSON
        "name": "bike_ready",
        "language": {"code": "en_US"},
        "components": VALUES,
    }
    stored = actions.item(answer.result["messagePk"])
    assert (stored["template"], stored["content"]["components"]) == ("bike_ready", VALUES)


def test_the_values_of_an_authentication_template_are_not_stored(actions: Actions) -> None:
    add_template(actions, category="AUTHENTICATION")
    answer = actions.send("send_template", {"templateName": "bike_ready", "components": VALUES})

    stored = actions.item(answer.result["messagePk"])
    assert stored["content"] == {"name": "bike_ready", "language": {"code": "en_US"}}


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        ({"status": "PAUSED"}, {"components": VALUES}),
        ({}, {"components": VALUES, "languageCode": "de"}),
        ({}, {}),
        ({"company": "globex"}, {"components": VALUES}),
    ],
)
def test_a_template_that_is_not_approved_or_does_not_fit_is_refused(
    actions: Actions, stored: dict[str, Any], body: dict[str, Any]
) -> None:
    add_template(actions, **stored)
    answer = actions.send("send_template", {"templateName": "bike_ready", **body})

    assert (answer.status, answer.error) == (409, "template_not_sendable")
    assert [sent for sent in actions.wire if sent.operation == "send_message"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"components": [{"type": "colour"}]}, "components.0.type"),
        ({"components": [{"type": "body", "parameters": "bike"}]}, "components.0.parameters"),
        ({"components": [{"type": "body", "parameters": [{}]}]}, "components.0.parameters.0.type"),
        ({"components": [{"type": "body"}] * 21}, "components"),
        ({"languageCode": "English"}, "languageCode"),
        ({"templateName": "Bike Ready"}, "templateName"),
    ],
)
def test_values_of_another_structure_are_refused(
    actions: Actions, body: dict[str, Any], field: str
) -> None:
    answer = actions.send("send_template", {"templateName": "bike_ready", **body})

    assert (answer.status, answer.fields, actions.wire) == (400, [field], [])


def test_a_text_is_sent_while_the_window_is_open(actions: Actions) -> None:
    answer = actions.send("send_with_fallback", FALLBACK)

    assert actions.wire[0].body["text"] == {"body": "bike"}  # type: ignore[index] # JSON
    assert "window is open" in answer.result["note"]


@pytest.mark.parametrize("more", [{}, {"bodyParams": ["scooter"]}])
def test_the_template_is_sent_after_the_window(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    add_template(actions)
    late(monkeypatch)
    answer = actions.send("send_with_fallback", {**FALLBACK, **more})

    template = actions.wire[0].body["template"]  # type: ignore[index] # JSON
    value = more.get("bodyParams", ["bike"])[0]
    assert template["components"][0]["parameters"] == [{"type": "text", "text": value}]
    assert "template bike_ready" in answer.result["note"]


def test_a_template_without_variables_takes_no_text(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_template(actions, components=[{"type": "BODY", "text": "Please write to us."}])
    late(monkeypatch)
    answer = actions.send("send_with_fallback", FALLBACK)

    assert answer.status == 200
    assert "components" not in actions.wire[0].body["template"]  # type: ignore[index] # JSON


@pytest.mark.parametrize("text", ["one\ntwo", "a     b", "a\tb", "x" * 1_025])
def test_a_text_that_fits_no_variable_needs_values(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    add_template(actions)
    late(monkeypatch)
    answer = actions.send("send_with_fallback", {**FALLBACK, "text": text})

    assert (answer.status, answer.fields, actions.wire) == (400, ["bodyParams"], [])


def test_a_template_with_two_variables_needs_values(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_template(actions, components=[{"type": "BODY", "text": "Your {{1}} is {{2}}."}])
    late(monkeypatch)
    answer = actions.send("send_with_fallback", FALLBACK)

    assert (answer.status, answer.error) == (409, "template_not_sendable")


def test_the_same_key_sends_one_of_the_two_messages(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_template(actions)
    first = actions.send("send_with_fallback", FALLBACK, key="key-fallback-1")
    late(monkeypatch)
    again = actions.send("send_with_fallback", FALLBACK, key="key-fallback-1")

    assert again.result == first.result
    assert len(actions.wire) == 1
