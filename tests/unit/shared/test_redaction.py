"""Redaction of log lines, and the ids that are not redacted. Figures over many strings: tests/redaction."""

import pytest

from shared.runtime.redaction import outline, redact, redacted
from tests.cases import each


@each(
    ("text", "expected"),
    [
        # the notation of the contract
        ("mail ann.doe+x@example.co.uk now", "mail ***@*** now"),
        ("call +44 7700 900123", "call ***-***-0123"),
        ("order #20418", "order #***0418"),
        ("order #204", "order #***"),
        ("parcel 1Z999AA10123456784", "parcel ***"),
        ("see https://www.ups.com/track?tracknum=1Z999AA10123456784.", "see ***."),
        ("card 4111 1111 1111 1111 ok", "card *** ok"),
        ("IBAN DE89 3704 0044 0532 0130 00 thanks", "IBAN *** thanks"),
        ("to 221B Baker Street, London NW1 6XE", "to ***"),
        ("My name is John Smith and", "My name is *** and"),
        ("Thanks,\nSarah K.", "Thanks,\n***"),
        # addresses of the net
        ("write to ann(at)example.com", "write to ***@***"),
        ("ann at example dot com", "***@***"),
        ("https://shop.example.com/orders/20418/a?key=9f8e", "https://shop.example.com/orders/***/a?***"),
        ("https://ann:secret@example.com/x", "https://***/x"),
        ("mailto:ann@example.com", "mailto:***@***"),
        # phones
        ("call (020) 7946-0018 or 447700900123", "call ***-***-0018 or ***-***-0123"),
        ("+49 (0) 30 123456", "***-***-3456"),
        ("0044 20 7946 0018", "***-***-0018"),
        ("phone:2025550173", "phone:***-***-0173"),
        ("06.12.34.56.78", "***-***-5678"),
        ("13800138000", "***-***-8000"),
        ("My phone number is 555-0123", "My phone number is ***-***-0123"),
        ("8 (800) 555-35-35", "***-***-3535"),
        # orders
        ("order no:12345678", "order no:***5678"),
        ("my order number was 98765", "my order number was ***8765"),
        ("Orders 1001, 1002 and 1003", "Orders ***1001, ***1002 and ***1003"),
        ("order number 5551234567", "order number ***4567"),
        ("numero de orden AB-45678", "numero de orden ***5678"),
        # parcels
        ("my usps tracking 9505511234567890123456", "my usps tracking ***"),
        ("9400 1118 9922 3062 3424 12", "***"),
        ("00340434161094042557 is the DHL one", "*** is the DHL one"),
        ("FedEx 7946 1234 5678", "FedEx ***"),
        ("RR 123 456 785 CN", "***"),
        # API keys, passwords, tokens, signatures
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"),
        ("token EAAGm0PX4ZCpsBAKZBfZA", "token ***"),
        ("sha256=0123456789abcdef0123456789abcdef", "***"),
        ("key pk_abcd_0123456789abcdef0123", "key ***"),
        ("key pk_0123456789abcdef_a-b_c-d_e-f_g-h_i-j_k", "key ***"),
        ("client_secret=9f8e7d6c5b4a", "client_secret=***"),
        ("my password is hunter2", "my password is ***"),
        # addresses and names of other countries
        ("Musterstr. 12a, 12345 Berlin, Germany", "***, Germany"),
        ("Av. Paulista 1578, S\u00e3o Paulo - SP, 01310-200", "***"),
        ("P.O. Box 123, Anytown, CA 12345", "***"),
        ("2 weeks in a row, order #12345 missing", "2 weeks in a row, order #***2345 missing"),
        ("123 main street, springfield il 62704", "***"),
        ("12 Oak Hill Court, Salem, OR 97301", "***"),
        ("Me llamo Carlos P\u00e9rez", "Me llamo ***"),
        ("Hi this is Mike Jones calling", "Hi this is *** calling"),
    ],
)  # fmt: skip
def test_personal_data_and_secrets_are_replaced_by_the_mark_of_their_kind(
    text: str, expected: str
) -> None:
    assert redact(text) == expected


@each(
    "text",
    [
        # identifiers of the system itself
        "event handled",
        "3 of 10 entries refused: InternalError",
        "graph_131026",
        "worker.py:120 handler",
        "2026-01-01T00:00:00.000Z",
        "2026-01-01 12:00:00,123+0000",
        "PutItem: ConditionalCheckFailedException",
        "790a433cb230d1dc5d33878e70",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "6f1c1e5e-3c64-4d0e-9b0a-1d2e3f405162",
        "evt:rp:70411:c-88121",
        "evt:rp:5551234567:c-88121",
        "arn:aws:sqs:us-east-1:123456789012:parley-prod-richpanel.fifo",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:parley-prod-richpanel-webhook-AbCdEf",
        "wamid.HBgMNDQ3NzAwOTAwMTIzFQIAEhggMUY1QTk4NzY1NDMyMTAA",
        "1767225600000",
        "1767225600",
        "106540352242922",
        # customer texts without personal data
        "It cost $1,234.56 on 03/04/2026 at 10:30",
        "1.299,00 \u20ac or 12 345 kr",
        "delivered 02.03.2026 - 05.03.2026",
        "tracking since 2026-01-15",
        "I want to order 1000 pcs",
        "order 3 more, 2 x 500 g",
        "sizes 36 38 40 42",
        "Sony WH-1000XM4, RTX 4090, iPhone 14 Pro",
        "SKU 100-200-3000",
        "Part #A1234",
        "ISBN 978-0-306-40615-7",
        "EAN 4006381333931",
        "192.168.100.200",
        "react@18.2.0",
        "Boeing 737-800",
        "2019-2024",
        "5604-5704 pieces",
        "lat 40.712776, lon -74.005974",
        "4111 1111 1111 1112",
        "DE88 3704 0044 0532 0130 00",
        "I'm Sorry",
        "I am Very disappointed",
        "This is Unacceptable.",
        "Thanks, Everyone",
        "the password is wrong",
        "see https://example.com/faq/returns",
        "UPS charged me $120.50",
        "2 weeks in a row, and 12345 is still not here",
        "10 minutes drive from 20418",
        "the order is late, order from 2026-03-02",
    ],
)
def test_all_other_text_is_unchanged(text: str) -> None:
    assert redact(text) == text


# Repeated 60,000 characters long. A rule with more than linear time would take minutes for one of them.
HOSTILE = [
    "1", "1 ", "1-", "(1", "+1 ", "1.", "0 0", "9400 ", "12/", "2026-", "a@", "a.", "a@a.", "www.", "http://", "a/",
    "a at b dot ", "(at) a", "#1", "order ", "order is my ", "order 1 and ", "tracking: 1", "UPS 1", "dhl 1234567890 ",
    "1Z", "A1 ", "GB33 ", "GB33A", "Bearer ", "password is ", "token=", "eyJ", "-----BEGIN A-----", "12 Main St ",
    "Main St, ", "1 A ", "Rua A ", "ul. ", "A ", "My name is ", "I am A ", "Thanks,\n", "\n", "\u00e9", "x",
]  # fmt: skip


@pytest.mark.long
@each("part", HOSTILE)
def test_hostile_texts_of_any_length_are_redacted_in_time(part: str) -> None:
    text = (part * (60_000 // len(part) + 1))[:60_000]

    assert len(redact(text)) <= 2 * len(text)


def test_every_text_of_a_payload_is_redacted_and_names_entirely() -> None:
    payload = {
        "customer_name": "Ann",
        "firstName": "Ann",
        "name": "",
        "lines": ["call 447700900123", {"note": "ann@example.com"}],
        "pair": ("order #20418", 7),
        "ok": True,
        "id": "447700900123",
    }

    assert redacted(payload, keep=frozenset({"id"})) == {
        "customer_name": "***",
        "firstName": "***",
        "name": "",
        "lines": ["call ***-***-0123", {"note": "***@***"}],
        "pair": ("order #***0418", 7),
        "ok": True,
        "id": "447700900123",
    }


def test_an_outline_has_the_shape_of_a_payload_without_its_content() -> None:
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
        "***-***-0123": None,
    }


def test_an_outline_keeps_only_valid_provider_keywords() -> None:
    assert outline({"type": "call 447700900123", "status": "447700900123"}) == {
        "type": "<text of 17>",
        "status": "<text of 12>",
    }
