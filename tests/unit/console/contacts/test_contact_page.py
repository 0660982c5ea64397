"""What the contact page offers: where a person may be written to, and values as they are sent."""

from __future__ import annotations

from tests.unit.console.typescript import run

SOURCE = "contacts/source.ts"


def test_a_person_is_written_to_in_the_newest_conversation_of_each_channel_that_is_not_archived() -> (
    None
):
    rows = [
        {"key": "a", "channel": "email", "status": "archived"},
        {"key": "b", "channel": "sms", "status": "resolved"},
        {"key": "c", "channel": "sms", "status": "open"},
        {"key": "d", "channel": "whatsapp", "status": "open"},
    ]

    found = run(SOURCE, "[...m.writable(value)].map(([name, row]) => [name, row.key])", rows)

    assert found == [["sms", "b"], ["whatsapp", "d"]]


def test_nothing_is_offered_on_a_channel_whose_identifiers_are_all_opted_out() -> None:
    def of(channel: str, *states: str | None) -> dict[str, object]:
        return {"channel": channel, "identifiers": [{"state": state} for state in states]}

    consents = {
        "channels": [
            of("sms", "opted_out", "opted_out"),
            of("whatsapp", "opted_out", None),
            of("email"),
        ]
    }

    found = run(
        SOURCE, "['sms', 'whatsapp', 'email'].map((one) => m.isOptedOut(value, one))", consents
    )

    assert found == [True, False, False]


def test_entered_values_are_sent_in_the_kind_of_their_attribute() -> None:
    given = [
        *([kind, text] for kind, text in (("number", " 2,5 "), ("number", "many"))),
        *([kind, text] for kind, text in (("boolean", "false"), ("text", " Tea "), ("date", ""))),
    ]

    found = run(SOURCE, "value.map(([kind, text]) => m.entered({ kind }, text))", given)

    assert found == [2.5, "many", False, "Tea", None]
