"""QR codes and automatic greetings at the provider."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import Actions
from tests.integration.whatsapp.conftest import PHONE

SENDER = {"phoneNumberId": PHONE}
CREATED = {**SENDER, "prefilledMessage": "I need a bike"}
EDGE = "/{Version}/{Phone-Number-ID}/message_qrdls"


def test_a_code_is_created_once_and_found_by_its_key_again(actions: Actions) -> None:
    created = actions.run("create_qr_code", {**CREATED, "imageFormat": "PNG"}, key="key-code-1")
    again = actions.run("create_qr_code", {**CREATED, "imageFormat": "PNG"}, key="key-code-1")

    assert created.result["qrImageUrl"].endswith(".PNG")
    assert again.result == created.result
    assert [sent.operation for sent in actions.wire] == ["save_qr_code"]
    assert wire.problems(actions.wire[0], "POST", EDGE) == []


def test_a_lost_answer_to_a_creation_is_in_doubt(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="save_qr_code", kind="lost_answer")
    answer = actions.run("create_qr_code", CREATED, key="key-code-2")

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert "get_qr_codes" in answer.result["message"]
    actions.run("create_qr_code", CREATED, key="key-code-2")
    assert len(actions.wire) == 1


def test_codes_are_listed_page_by_page_and_one_is_shown(actions: Actions) -> None:
    codes = [actions.run("create_qr_code", CREATED).result["code"] for _ in range(3)]

    first = actions.run("get_qr_codes", {**SENDER, "limit": 2})
    second = actions.run("get_qr_codes", {**SENDER, "limit": 2, "cursor": first.body["cursor"]})
    shown = [one["code"] for page in (first, second) for one in page.result["qrCodes"]]
    assert shown == codes
    assert wire.problems(actions.wire[-1], "GET", EDGE) == []
    one = actions.run("get_qr_codes", {**SENDER, "code": codes[0]})
    assert [code["code"] for code in one.result["qrCodes"]] == codes[:1]
    assert wire.problems(actions.wire[-1], "GET", f"{EDGE}/{{QR-Code-ID}}") == []


def test_a_code_gets_another_message_and_is_deleted(actions: Actions) -> None:
    code = actions.run("create_qr_code", CREATED).result["code"]

    changed = actions.run("update_qr_code", {**SENDER, "code": code, "prefilledMessage": "Hello"})
    assert changed.result["prefilledMessage"] == "Hello"
    # Meta's document has two schemas for this request, and both accept a change.
    sent = actions.wire[-1]
    assert sent.path == f"/v23.0/{PHONE}/message_qrdls"
    assert sent.body == {"code": code, "prefilled_message": "Hello"}
    assert actions.run("delete_qr_code", {**SENDER, "code": code}).result == {"done": True}
    assert wire.problems(actions.wire[-1], "DELETE", f"{EDGE}/{{QR-Code-ID}}") == []
    assert actions.run("delete_qr_code", {**SENDER, "code": code}).result == {"done": True}


def test_a_refused_deletion_of_an_existing_code_is_refused(actions: Actions) -> None:
    code = actions.run("create_qr_code", CREATED).result["code"]
    actions.sandbox.faults.add(
        provider="meta", operation="delete_qr_code", kind="status", status=403
    )

    assert actions.run("delete_qr_code", {**SENDER, "code": code}).error == "provider_rejected"


def test_a_deletion_whose_answer_was_lost_is_done(actions: Actions) -> None:
    code = actions.run("create_qr_code", CREATED).result["code"]
    actions.sandbox.faults.add(provider="meta", operation="delete_qr_code", kind="lost_answer")

    assert actions.run("delete_qr_code", {**SENDER, "code": code}).result == {"done": True}


def test_greetings_are_set_and_shown(actions: Actions) -> None:
    given = {
        "prompts": ["Opening hours?"],
        "commands": [{"name": "track", "description": "Track an order"}],
        "enableWelcomeMessage": True,
    }
    assert actions.run("set_conversational_automation", SENDER | given).result == {"done": True}
    sent = actions.wire[-1]
    assert (
        wire.problems(sent, "POST", "/{Version}/{Phone-Number-ID}/conversational_automation") == []
    )
    assert actions.run("get_conversational_automation", SENDER).result == given
    assert wire.problems(actions.wire[-1], "GET", "/{Version}/{Phone-Number-ID}") == []


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("create_qr_code", {"prefilledMessage": "x" * 141}, "prefilledMessage"),
        ("delete_qr_code", {"code": "short"}, "code"),
        ("set_conversational_automation", {}, "body"),
        ("set_conversational_automation", {"prompts": ["x"] * 5}, "prompts"),
        ("set_conversational_automation", {"prompts": ["Hello \U0001f600"]}, "prompts.0"),
        (
            "set_conversational_automation",
            {"commands": [{"name": "a b", "description": "x"}]},
            "commands.0.name",
        ),
    ],
)
def test_limits_are_checked_before_any_call(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    answer = actions.run(action, SENDER | body)

    assert (answer.status, answer.fields) == (400, [field])
    assert actions.wire == []
