"""How much is retrieved for a rhythm and a length, and what is asked for a type."""

from __future__ import annotations

from typing import Any

import pytest

from newsletters.retrieval.catalogue import (
    TYPES,
    WINDOW_DAYS,
    kind_of,
    most_chunks,
    query_of,
    type_named,
)
from newsletters.store.items import CustomTopic, Metadata

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


def test_a_query_has_the_words_of_the_type_and_the_region() -> None:
    asked = metadata(geographic_focus="East Africa", target_audience=["field_staff"])

    assert query_of("Funding Opportunities", [], asked, is_semantic=False) == (
        "grant call proposals funding deadline East Africa"
    )
    assert query_of("Bee keeping", [OWN], asked, is_semantic=False) == (
        "bees honey hives East Africa"
    )


def test_a_semantic_query_has_up_to_three_words_of_the_audience_too() -> None:
    audience = ["myself", "field_staff", "policy_makers"]

    query = query_of("Bee keeping", [OWN], metadata(target_audience=audience), is_semantic=True)

    assert query == "bees honey hives field staff policy"
