"""The configuration of a newsletter: limits of its fields, null and absence, tones, progress, and idempotency keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.aws.dynamodb import Table
from tests.integration.newsletters.api.author import NEWSLETTER, ONE, TYPES
from tests.simulation.newsletters.system import BEN

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

ALL = "/newsletters"
KEY = "a-key-of-eight-or-more"
AUDIENCES = [f"group_{number}" for number in range(11)]

# field, values at the limit, values beyond it
LIMITS: list[tuple[str, list[Any], list[Any]]] = [
    ("title", ["x", "x" * 200], ["", "  \n ", "x" * 201, 7, ["x"]]),
    ("description", ["", "x" * 2_000, "two\nlines\tand a tab"], ["x" * 2_001, 7]),
    ("geographic_focus", ["", "x" * 200], ["x" * 201]),
    ("preview", ["", "x" * 150], ["x" * 151, 7]),
    ("user_name", ["", "x" * 100], ["x" * 101]),
    ("user_email", ["", "x" * 320], ["x" * 321]),
    ("tone_professional", [0, 100], [-1, 101, 50.5, "50", True]),
    ("tone_technical", [0, 100], [-1, 101, 50.5, "50", True]),
    ("tone_preset", ["expert_analysis", "friendly_summary"], ["rude", ""]),
    ("format_type", ["email", "pdf", "web", "html"], ["docx", "EMAIL"]),
    (
        "length_preference",
        ["quick_read", "standard", "deep_dive", "short", "mixed", "long"],
        ["huge"],
    ),
    ("frequency", ["daily", "weekly", "monthly", "quarterly", "custom"], ["yearly"]),
    ("language", ["en", "de-AT", "zh-Hant-TW"], ["english", "EN", "en_US", "e", ""]),
    (
        "target_audience",
        [[], ["ab"], ["myself", "farmers"], AUDIENCES[:10]],
        [AUDIENCES, ["farmers", "farmers"], ["Farmers"], ["a"], ["a" * 41], ["1st"], "farmers"],
    ),
]


@pytest.mark.parametrize(("name", "good", "bad"), LIMITS, ids=[one[0] for one in LIMITS])
def test_a_field_takes_values_within_its_limits_only_in_a_creation_and_a_change(
    author: Author, name: str, good: list[Any], bad: list[Any]
) -> None:
    author.at("created")
    for value in good:
        author.patch(**{name: value})
        assert author.whole["metadata"][name] == value
    version = author.version("metadata")

    for value in bad:
        for call in (("POST", ALL, {}), ("PATCH", ONE, {"version": version})):
            problems = author.problems(call[0], call[1], {**call[2], name: value})
            assert {field.partition(".")[0] for field in problems} == {name}, value


def test_unknown_fields_are_refused_by_name(author: Author) -> None:
    author.at("planned")

    assert set(author.problems("POST", ALL, {"titel": "x"})) == {"titel"}
    assert set(author.problems("POST", ALL, {"status": "exported"})) == {"status"}
    body = {"selected_types": ["funding"], "retrieved": []}
    assert set(author.problems("PUT", f"{ONE}/topics", body)) == {"retrieved"}
    assert set(author.problems("POST", f"{ONE}/draft/start", {"force": True})) == {"force"}
    assert set(author.problems("GET", ALL, None, query={"sort": "title"})) == {"sort"}


def test_owner_code_and_id_can_be_sent_back_but_not_changed(author: Author) -> None:
    author.at("created")
    read = author.whole["metadata"]
    fixed = {"user_id": BEN, "newsletter_code": "NL-20260101-AAAA", "id": "x", "created_at": "x"}

    assert set(author.problems("PATCH", ONE, {**read, **fixed, "title": "x"})) == set(fixed)
    author.do("PATCH", ONE, {**read, "title": "New"})
    assert author.whole["metadata"]["title"] == "New"


def test_a_newsletter_is_sent_back_with_another_preset_or_other_numbers(author: Author) -> None:
    author.at("created")

    author.do("PATCH", ONE, {**author.whole["metadata"], "tone_preset": "expert_analysis"})
    read = author.whole["metadata"]
    assert (read["tone_professional"], read["tone_technical"]) == (90, 90)
    author.do("PATCH", ONE, {**read, "tone_technical": 10, "tone_professional": 25})
    read = author.whole["metadata"]
    assert (read["tone_preset"], read["tone_technical"]) == ("friendly_summary", 10)
    both = {"tone_preset": "expert_analysis", "tone_technical": 20}
    assert set(author.problems("PATCH", ONE, {**read, **both})) == {"tone_preset"}


def test_all_violations_of_a_call_are_named_at_once(author: Author) -> None:
    body = {"title": "", "tone_technical": 101, "language": "?", "colour": "red"}

    assert set(author.problems("POST", ALL, body)) == {
        "title", "tone_technical", "language", "colour",
    }  # fmt: skip


def test_an_empty_creation_has_the_defaults(author: Author) -> None:
    author.at("created")
    created = author.do("POST", ALL, {})

    found = author.do("GET", f"{ALL}/{created['newsletter_code']}")["metadata"]

    assert {name: found[name] for name in ("title", "format_type", "length_preference")} == {
        "title": "Newsletter Draft", "format_type": "email", "length_preference": "standard",
    }  # fmt: skip
    assert (found["frequency"], found["language"], found["target_audience"]) == ("weekly", "en", [])
    assert (found["tone_professional"], found["tone_technical"]) == (70, 50)
    assert (found["tone_preset"], found["current_step"], found["version"]) == (
        "industry_insight", 1, 1,
    )  # fmt: skip


def test_null_sets_the_default_and_an_absent_field_stays(author: Author) -> None:
    author.at("created").patch(
        title="A title", description="About", frequency="daily", geographic_focus="Kenya"
    )

    author.patch(title=None, description=None, target_audience=None)

    found = author.whole["metadata"]
    assert (found["title"], found["description"]) == ("Newsletter Draft", "")
    assert found["target_audience"] == []
    assert (found["frequency"], found["geographic_focus"]) == ("daily", "Kenya")


def test_a_change_without_a_change_or_without_a_version_is_refused(author: Author) -> None:
    author.at("created")

    assert author.problems("PATCH", ONE, {"version": 1})
    assert set(author.problems("PATCH", ONE, {"title": "x"})) == {"version"}
    assert author.refused("PATCH", ONE, {"version": 7, "title": "x"}) == (409, "stale_version")


def test_texts_are_normalised_and_titles_have_one_line(author: Author) -> None:
    author.at("created").patch(title="  Cafe\u0301 \n notes ", description="Cafe\u0301\nnotes")

    found = author.whole["metadata"]
    assert (found["title"], found["description"]) == ("Café notes", "Café\nnotes")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"tone_preset": "expert_analysis"}, (90, 90, "expert_analysis")),
        ({"tone_preset": "friendly_summary"}, (30, 20, "friendly_summary")),
        ({"tone_professional": 85, "tone_technical": 95}, (85, 95, "expert_analysis")),
        ({"tone_technical": 0}, (70, 0, "friendly_summary")),
        ({"tone_professional": 10, "tone_technical": 10}, (10, 10, "friendly_summary")),
    ],
)
def test_a_preset_sets_the_numbers_and_numbers_set_the_nearest_preset(
    author: Author, changes: dict[str, Any], expected: tuple[int, int, str]
) -> None:
    author.at("created")
    created = author.do("POST", ALL, changes)["newsletter_code"]
    author.patch(**changes)

    for code in (created, author.system.code):
        found = author.do("GET", f"{ALL}/{code}")["metadata"]
        numbers = (found["tone_professional"], found["tone_technical"])
        assert (*numbers, found["tone_preset"]) == expected
        row = author.system.rows()[f"NEWSLETTER#{code} METADATA"]
        assert row["tone_preset"] == expected[2]


def test_null_for_the_preset_sets_the_default_tone(author: Author) -> None:
    author.at("created").patch(tone_preset="expert_analysis")

    author.patch(tone_preset=None)

    found = author.whole["metadata"]
    assert (found["tone_professional"], found["tone_technical"]) == (70, 50)
    assert found["tone_preset"] == "industry_insight"


def test_a_preset_and_numbers_together_are_refused(author: Author) -> None:
    body = {"tone_preset": "expert_analysis", "tone_technical": 1}

    assert author.problems("POST", ALL, body)


def test_progress_rises_with_content_and_is_lowered_by_a_change_only(author: Author) -> None:
    author.at("planned")
    assert author.whole["metadata"]["current_step"] == 3

    author.patch(current_step=1)
    author.select(*TYPES[:2])
    author.save_outline(author.sections)
    assert author.whole["metadata"]["current_step"] == 1

    author.patch(current_step=3)
    author.generate("topics")
    assert author.whole["metadata"]["current_step"] == 3


@pytest.mark.parametrize("step", [2, 4])
def test_progress_cannot_be_set_ahead_of_the_content(author: Author, step: int) -> None:
    author.at("created")
    body = {"version": 1, "current_step": step}

    assert set(author.problems("PATCH", ONE, body)) == {"current_step"}
    for number in (0, 5, "1"):
        assert set(author.problems("PATCH", ONE, body | {"current_step": number})) == {
            "current_step"
        }


# Idempotency keys


def test_a_call_repeated_under_its_key_has_the_same_answer_and_one_effect(author: Author) -> None:
    author.at("created")
    first = author.do("POST", ALL, NEWSLETTER, key=KEY)
    before = author.kept()

    assert author.do("POST", ALL, NEWSLETTER, key=KEY) == first
    assert author.kept() == before
    assert author.do("POST", ALL, NEWSLETTER, key=f"{KEY}-2") != first


def test_a_change_repeated_under_its_key_has_the_answer_of_then_also_after_other_changes(
    author: Author,
) -> None:
    author.at("created")
    body = {"version": 1, "title": "First"}
    first = author.do("PATCH", ONE, body, key=KEY)
    author.patch(title="Second")

    assert author.do("PATCH", ONE, body, key=KEY) == first
    assert author.whole["metadata"]["title"] == "Second"


@pytest.mark.parametrize(
    "other",
    [
        {"version": 1, "description": "Other"},
        {"version": 1, "frequency": None},
        {"version": 1, "description": None, "title": None},
    ],
)
def test_other_content_under_the_same_key_is_refused(author: Author, other: dict[str, Any]) -> None:
    author.at("created")
    author.do("PATCH", ONE, {"version": 1, "description": None}, key=KEY)

    assert author.refused("PATCH", ONE, other, key=KEY) == (409, "idempotency_key_conflict")


def test_two_users_with_the_same_key_get_newsletters_of_their_own(author: Author) -> None:
    author.at("created")
    first = author.do("POST", ALL, NEWSLETTER, key=KEY)
    second = author.do("POST", ALL, NEWSLETTER, key=KEY, user=BEN)

    assert first["newsletter_code"] != second["newsletter_code"]
    path = f"{ALL}/{second['newsletter_code']}"
    assert author.do("GET", path, user=BEN)["metadata"]["user_id"] == BEN


@pytest.mark.parametrize("key", ["short", "x" * 256, "with blank key", "ключ-ключ"])
def test_a_key_of_a_wrong_form_is_refused(author: Author, key: str) -> None:
    author.at("created")

    assert set(author.problems("POST", ALL, NEWSLETTER, key=key)) == {"Idempotency-Key"}


def test_a_refused_change_does_not_use_its_key_up(author: Author) -> None:
    author.at("created")
    author.refused("POST", f"{ONE}/topics/start", {}, key=KEY)
    author.select(*TYPES)

    assert author.do("POST", f"{ONE}/topics/start", {}, key=KEY)["status"] == "queued"


def test_a_copy_has_the_configuration_and_topics_of_another_newsletter_and_own_values(
    author: Author,
) -> None:
    author.at("retrieved")
    custom = ({"name": "Bee keeping", "query": "bees honey", "kind": "updates"},)
    author.select(TYPES[0], "Bee keeping", custom=custom)
    author.patch(tone_preset="friendly_summary", language="de", user_name="Ann", preview="New")
    body = {"copy_from": author.system.code.lower(), "title": "December", "frequency": "weekly"}

    made = author.do("POST", ALL, body, key=KEY)

    path = f"{ALL}/{made['newsletter_code']}"
    copy, first = author.do("GET", path), author.whole
    own = {"title": "December", "frequency": "weekly", "user_name": ""}
    same = (
        "target_audience",
        "tone_professional",
        "tone_technical",
        "tone_preset",
        "language",
        "preview",
    )
    for name in same:
        assert copy["metadata"][name] == first["metadata"][name]
    assert {name: copy["metadata"].get(name) or "" for name in own} == own
    assert copy["metadata"]["version"] == made["version"]
    assert copy["topics"]["selected_types"] == [TYPES[0], "Bee keeping"]
    assert copy["topics"]["custom_topics"] == first["topics"]["custom_topics"]
    assert (copy["topics"]["status"], copy["topics"]["retrieved_content"]) == ("pending", [])
    assert author.do("POST", ALL, body, key=KEY) == made


def test_a_copy_of_topics_that_are_no_type_any_more_names_them_and_makes_nothing(
    author: Author,
) -> None:
    author.at("selected")
    stored = [TYPES[0], "Beekeeping of an earlier release"]
    table = Table(author.system.dynamodb, author.system.table)
    key = {"PK": f"NEWSLETTER#{author.system.code}", "SK": "TOPICS"}
    table.update(key, put={"selected_types": stored})
    before = author.do("GET", ALL)["newsletters"]

    problems = author.problems("POST", ALL, {"copy_from": author.system.code})

    assert problems == {
        "copy_from": f"selects {stored[1]}, which is no type any more: change its topics first"
    }
    assert author.do("GET", ALL)["newsletters"] == before


def test_only_newsletters_that_the_caller_may_read_are_copied(author: Author) -> None:
    author.at("selected")
    body = {"copy_from": author.system.code}

    assert author.refused("POST", ALL, body, company="other") == (404, "not_found")
    writer = {"user": BEN, "scopes": "newsletters:write"}
    assert author.refused("POST", ALL, body, **writer) == (404, "not_found")
    assert author.refused("POST", ALL, {"copy_from": "NL-20260101-ZZZZ"}) == (404, "not_found")
    reader = {"user": BEN, "scopes": "newsletters:write newsletters:read"}
    assert author.do("POST", ALL, body, **reader)["version"] >= 1
