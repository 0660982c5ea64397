"""The texts that the console shows for messages without text."""

from __future__ import annotations

from tests.unit.console.typescript import run

MARKS = {
    "[image]": ([("image", None)], ""),
    "[document] bill.pdf": ([("document", None)], "bill.pdf"),
    "[image] [file]": ([("image", None), ("file", None)], ""),
    "[contacts, 2]": ([("contacts", "2")], ""),
    "[order, 1 item]": ([("order", "1")], ""),
    "[incoming call, 1:56]": ([("incoming_call", "1:56")], ""),
    "[outgoing call, not answered]": ([("outgoing_call", "not answered")], ""),
    "[Image] of a customer": ([], "[Image] of a customer"),
    "Hello [image]": ([], "Hello [image]"),
    "": ([], ""),
}


def test_marks_of_the_api_are_read_at_the_beginning_of_a_text_and_nowhere_else() -> None:
    found = run("texts/marks.ts", "value.map(m.marksOf)", list(MARKS))

    read = {
        text: ([(mark["name"], mark["detail"]) for mark in one["marks"]], one["rest"])
        for text, one in zip(MARKS, found, strict=True)
    }
    assert read == MARKS


def test_contact_details_are_read_as_the_provider_sends_them_and_nothing_else_is() -> None:
    grace = {
        "name": {"formatted_name": "Grace"},
        "phones": [{"phone": "+44 7700 900107", "wa_id": "447700900107"}, {"phone": 7}, None],
        "emails": [{"email": "grace@example.com"}],
    }
    value = [{"contacts": [grace, {"phones": [{"phone": "+49 30 1"}]}, {}]}, None, {"contacts": 1}]

    found = run(
        "conversations/whatsapp/message/content/contactCards.ts", "value.map(m.cardsOf)", value
    )

    assert found == [
        [
            {"name": "Grace", "details": ["+44 7700 900107", "grace@example.com"]},
            {"name": "+49 30 1", "details": ["+49 30 1"]},
            {"name": "-", "details": []},
        ],
        [],
        [],
    ]
