"""What must not be in a log line, and what must stay readable in it."""

import pytest

from shared.redaction import outline, redact


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("mail ann.doe+x@example.co.uk now", "mail [email] now"),
        ("call +44 7700 900123", "call [phone]"),
        ("call (020) 7946-0018 or 447700900123", "call ([phone] or [phone]"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: [token]"),
        ("token EAAGm0PX4ZCpsBAKZBfZA", "token [token]"),
        ("sha256=0123456789abcdef0123456789abcdef", "[signature]"),
        ("key pk_abcd_0123456789abcdef0123", "key [token]"),
        ("key pk_0123456789abcdef_a-b_c-d_e-f_g-h_i-j_k", "key [token]"),
    ],
)
def test_personal_data_and_secrets_are_replaced_by_their_kind(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "event handled",
        "3 of 10 entries refused: InternalError",
        "graph_131026",
        "worker.py:120 handler",
        "2026-01-01T00:00:00.000Z",
        "PutItem: ConditionalCheckFailedException",
    ],
)
def test_the_words_of_the_system_itself_stay(text: str) -> None:
    assert redact(text) == text


def test_an_outline_shows_the_shape_of_a_payload_and_nothing_of_its_content() -> None:
    payload = {
        "from": "447700900123",
        "type": "text",
        "timestamp": "1767225600",
        "text": {"body": "my card is 4111"},
        "errors": [{"code": 131051, "title": "Unsupported"}],
        "voice": True,
        "447700900123": None,
    }

    assert outline(payload) == {
        "from": "<text of 12>",
        "type": "text",
        "timestamp": "<text of 10>",
        "text": {"body": "<text of 15>"},
        "errors": [{"code": 131051, "title": "<text of 11>"}],
        "voice": True,
        "[phone]": None,
    }


def test_an_outline_does_not_trust_a_provider_word_that_is_none() -> None:
    assert outline({"type": "call 447700900123", "status": "447700900123"}) == {
        "type": "<text of 17>",
        "status": "<text of 12>",
    }
