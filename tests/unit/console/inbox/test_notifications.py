"""The pure functions of notifications: when a person is not disturbed, and mentions in notes."""

from __future__ import annotations

from typing import Any

from tests.cases import each
from tests.unit.console.typescript import run

NIGHT = {"quietFrom": "22:00", "quietTo": "07:00", "zone": "Europe/Berlin"}
PEOPLE = {
    "people": [
        {"principal": "user:1111-a", "name": "Ann Lee", "roles": ["agent"]},
        {"principal": "user:2222-b", "name": "Ann", "roles": ["agent"]},
        {"principal": "user:3333-c", "name": "José Núñez", "roles": ["agent"]},
        {"principal": "user:4444-d", "name": "José Nunez", "roles": ["agent"]},
        {"principal": "user:5555-e", "roles": ["agent"]},
    ],
    "teams": ["sales"],
}


@each(
    ("settings", "now", "is_quiet"),
    [
        ({}, "2026-01-01T23:00:00Z", False),
        ({"quietUntil": "2026-01-01T23:30:00Z"}, "2026-01-01T23:00:00Z", True),
        ({"quietUntil": "2026-01-01T22:30:00Z"}, "2026-01-01T23:00:00Z", False),
        (NIGHT, "2026-01-01T20:59:00Z", False),
        (NIGHT, "2026-01-01T21:00:00Z", True),
        (NIGHT, "2026-01-02T05:59:00Z", True),
        (NIGHT, "2026-01-02T06:00:00Z", False),
        (NIGHT, "2026-07-01T20:00:00Z", True),
        ({**NIGHT, "quietFrom": "12:00", "quietTo": "13:00"}, "2026-01-01T11:30:00Z", True),
        ({**NIGHT, "quietFrom": "12:00", "quietTo": "13:00"}, "2026-01-01T12:00:00Z", False),
    ],
)
def test_a_person_is_not_disturbed_until_a_time_and_in_hours_of_their_zone(
    settings: dict[str, Any], now: str, is_quiet: bool
) -> None:
    quiet = run(
        "notifications/quiet.ts", "m.isQuiet(value[0], new Date(value[1]))", [settings, now]
    )

    assert quiet is is_quiet


def test_an_at_sign_after_a_blank_begins_a_mention_up_to_the_cursor() -> None:
    texts = ["@", "see @An", "see @Ann Le", "ann@exam", "a @b, c", "two\n@x"]

    found = run(
        "notifications/mentionAt.ts", "value.map((one) => m.mentionAt(one, one.length))", texts
    )

    assert [one and one["words"] for one in found] == ["", "An", "Ann Le", None, None, "x"]
    completed = run(
        "notifications/mentionAt.ts",
        "m.completed('see @An there', m.mentionAt('see @An there', 7), 'Ann Lee')",
        None,
    )
    assert completed == {"text": "see @Ann Lee there", "position": 13}


def test_people_and_teams_are_found_by_the_beginnings_of_their_names() -> None:
    expression = "value[1].map((words) => m.matching(m.mentionables(value[0]), words).map((one) => one.label))"

    found = run(
        "notifications/mentions.ts",
        expression,
        [PEOPLE, ["ann", "le", "jose nun", "SAL", "x", "sales "]],
    )

    both = ["José Núñez (3333)", "José Nunez (4444)"]
    assert found == [["Ann Lee", "Ann"], ["Ann Lee"], both, ["sales"], [], []]


def test_a_note_is_stored_with_the_ids_of_those_it_mentions() -> None:
    note = "@ann lee, @Ann: ask @sales, @José Nunez (4444), @unknown and me@sales.example"

    stored = run(
        "notifications/mentions.ts", "m.withIds(value[1], m.mentionables(value[0]))", [PEOPLE, note]
    )

    assert stored == (
        "<@user:1111-a>, <@user:2222-b>: ask <@team:sales>, <@user:4444-d>, @unknown and me@sales.example"
    )
    parts = run("ui/notes/mentions.ts", "m.partsOf(value)", stored)
    assert "".join(one["text"] for one in parts) == stored
    assert [one.get("id") for one in parts if one["isMention"]] == [
        *("user:1111-a", "user:2222-b", "team:sales", "user:4444-d"),
        None,
    ]
