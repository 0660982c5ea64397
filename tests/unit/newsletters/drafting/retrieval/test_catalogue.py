"""How much is retrieved for a rhythm and a length, and what is asked for a type."""

from __future__ import annotations

from typing import Any

import pytest

from newsletters.drafting.retrieval.catalogue import (
    TYPES,
    WINDOW_DAYS,
    kind_of,
    most_chunks,
    queries_of,
    type_named,
)
from newsletters.drafting.retrieval.type_phrases import PHRASES
from newsletters.store.items import CustomTopic, Metadata
from shared.ai.retrieval import Query

OWN = CustomTopic(name="Bee keeping", query="bees honey hives", kind="opportunities")


def metadata(**values: Any) -> Metadata:
    return Metadata(
        **Metadata.key("NL-20260301-ABCD"),
        GSI1PK="USER#ann",
        GSI1SK="NEWSLETTER#",
        id="1",
        newsletterCode="NL-20260301-ABCD",
        title="Field notes",
        user_id="ann",
        company_id="acme",
        created_at="",
        updated_at="",
        **values,
    )


@pytest.mark.parametrize(
    ("frequency", "short", "standard", "long"),
    [
        ("daily", 9, 15, 22),
        ("weekly", 15, 25, 38),
        ("custom", 15, 25, 38),
        ("monthly", 24, 40, 60),
        ("quarterly", 30, 50, 75),
    ],
)
def test_the_number_of_passages_follows_rhythm_and_length(
    frequency: str, short: int, standard: int, long: int
) -> None:
    def most(length: str) -> int:
        return most_chunks(metadata(frequency=frequency, length_preference=length))

    assert (most("quick_read"), most("standard"), most("deep_dive")) == (short, standard, long)
    assert (most("short"), most("mixed"), most("long")) == (short, standard, long)


def test_the_window_follows_the_rhythm() -> None:
    assert WINDOW_DAYS == {
        "daily": 2, "weekly": 14, "custom": 14, "monthly": 45, "quarterly": 120,
    }  # fmt: skip


def test_types_are_found_by_id_and_name_in_any_case_and_spacing() -> None:
    for one in TYPES:
        assert type_named(one.id.upper()) is one
        assert type_named(f"  {one.name.lower().replace(' ', '   ')} ") is one
    assert type_named("gossip") is None
    assert len({one.id for one in TYPES} | {one.name for one in TYPES}) == 24


def test_the_kind_of_a_type_decides_its_section_and_that_of_a_custom_topic_is_its_own() -> None:
    assert kind_of("Funding Opportunities", []) == "opportunities"
    assert kind_of("Publications & Resources", []) == "resources"
    assert kind_of("Bee keeping", [OWN]) == "opportunities"
    assert kind_of("A topic that was removed", [OWN]) == "main"


def queries(name: str, *, is_semantic: bool = False, **values: Any) -> list[Query]:
    return queries_of(name, [OWN], metadata(**values), is_semantic=is_semantic)


def test_a_type_is_searched_in_the_newsletters_language_then_in_english() -> None:
    german, english = queries("Funding Opportunities", language="de-AT", geographic_focus="Tirol")

    assert (german.language, english.language) == ("de", "en")
    assert "Zuschuss" in german.text
    assert "grant" in english.text
    assert german.context == english.context == "Tirol"


@pytest.mark.parametrize("language", ["en", "so", "fi"])
def test_english_is_searched_once_and_in_place_of_a_language_without_phrases(language: str) -> None:
    (only,) = queries("Funding Opportunities", language=language)

    assert only.language == "en"


def test_a_custom_topic_is_searched_by_its_own_words_in_the_newsletters_language() -> None:
    (own,) = queries("Bee keeping", language="de")

    assert (own.text, own.language) == ("bees honey hives", "de")


def test_a_semantic_query_has_up_to_three_words_of_the_audience_and_no_second_language() -> None:
    audience = ["myself", "field_staff", "policy_makers"]

    (only,) = queries(
        "Funding Opportunities", is_semantic=True, language="de", target_audience=audience
    )

    assert only.context == "field staff policy"
    assert queries("Bee keeping", target_audience=audience)[0].context == ""


def test_each_language_has_a_phrase_for_each_type() -> None:
    assert list(PHRASES) == ["en", "de", "fr", "es", "pt", "ar", "sw", "am"]
    for phrases in PHRASES.values():
        assert len(phrases) == len(set(phrases)) == len(TYPES)
        assert all(len(phrase.split()) >= 6 for phrase in phrases)
