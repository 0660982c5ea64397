"""A conversation that agents read and change over the API."""

from typing import Any

import pytest

from tests.integration.whatsapp.api.conftest import CONVERSATION, Api
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text

HEAD = f"CONV#{PHONE}#447700900101"
CHANGE = f"PATCH {CONVERSATION}"
CHANGES = f"{CONVERSATION}/changes"
AT = NOW // 1000 - 600


def customer_writes(harness: Harness, number: int, **more: Any) -> None:
    harness.take({"messages": [text(f"wamid.{number}", f"text {number}", at=AT + number, **more)]})


def business_answers(harness: Harness, number: int) -> None:
    echo = {"id": f"wamid.e{number}", "from": "15550783881", "to": "447700900101", "type": "text",
            "timestamp": str(AT + number), "text": {"body": "an answer"}}  # fmt: skip
    harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})


@pytest.fixture
def key(harness: Harness, api: Api) -> str:
    """A conversation with three unread messages."""
    for number in range(3):
        customer_writes(harness, number)
    return str(api.conversations()[0]["key"])


def shown(api: Api, key: str) -> dict[str, Any]:
    view: dict[str, Any] = api.get(CONVERSATION, key=key).body["result"]
    return view
