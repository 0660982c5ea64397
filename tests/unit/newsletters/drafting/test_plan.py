"""The plan of a newsletter, and the tone in words."""

from __future__ import annotations

import pytest

from newsletters.drafting.plan import KINDS, plan_of, word_targets
from newsletters.drafting.tone import PRESETS, audience_of, nearest_preset, tone_of
from tests.cases import each
from tests.unit.newsletters.drafting.samples import metadata, topics

NEWS, FINDINGS, LIVESTOCK = "Policy Updates", "Research Findings", "Livestock & Animal Health"
FUNDING, GUIDES = "Funding Opportunities", "Publications & Resources"
ALL = (NEWS, FINDINGS, LIVESTOCK, FUNDING, GUIDES)
WORDS = ((400, 600), (1_000, 1_500), (2_500, 3_500))
SIZES = {"quick_read": 0, "short": 0, "standard": 1, "mixed": 1, "deep_dive": 2, "long": 2}


def planned(length: str, *types: str) -> list[tuple[str, int]]:
    plan = plan_of(metadata(length_preference=length), topics(*types))
    return [(one.kind, one.items) for one in plan]


@pytest.mark.parametrize(
    ("length", "counts"),
    [
        ("short", [1, 2, 1, 1, 1]),
        ("quick_read", [1, 2, 1, 1, 1]),
        ("standard", [1, 4, 2, 2, 1, 1]),
        ("mixed", [1, 4, 2, 2, 1, 1]),
        ("long", [1, 6, 3, 2, 2, 1]),
        ("deep_dive", [1, 6, 3, 2, 2, 1]),
    ],
)
def test_each_kind_with_passages_has_a_section(length: str, counts: list[int]) -> None:
    kinds = [kind for kind in KINDS if kind != "resources" or SIZES[length] > 0]

    assert planned(length, *ALL) == list(zip(kinds, counts, strict=True))


def test_kinds_without_passages_have_no_section() -> None:
    assert [kind for kind, _ in planned("standard", NEWS)] == [
        "introduction",
        "updates",
        "conclusion",
    ]


def test_a_short_newsletter_of_resources_only_has_their_section() -> None:
    assert planned("short", GUIDES) == [("introduction", 1), ("resources", 1), ("conclusion", 1)]


def test_the_main_section_is_named_after_its_only_type() -> None:
    def main(*types: str) -> list[str]:
        plan = plan_of(metadata(), topics(*types))
        return [one.name for one in plan if one.kind == "main"]

    assert main(FINDINGS, FINDINGS, NEWS) == [FINDINGS]
    assert main(FINDINGS, LIVESTOCK) == ["Main Stories"]
    assert main(FINDINGS, "An own topic") == ["Main Stories"]


@each("length", SIZES)
@each("kinds", [list(KINDS), ["introduction", "main", "conclusion"], ["updates"], ["main", "main"]])
def test_the_words_of_all_sections_are_those_of_the_newsletter(
    length: str, kinds: list[str]
) -> None:
    fewest, most = WORDS[SIZES[length]]

    targets = word_targets(metadata(length_preference=length), kinds)

    assert len(targets) == len(kinds)
    assert all(target > 0 for target in targets)
    assert abs(sum(targets) - (fewest + most) / 2) <= len(kinds) / 2
    assert fewest <= sum(targets) <= most


@pytest.mark.parametrize(
    ("length", "targets"),
    [
        ("short", [50, 250, 85, 55, 30, 30]),
        ("standard", [125, 625, 212, 138, 75, 75]),
        ("long", [300, 1_500, 510, 330, 180, 180]),
    ],
)
def test_each_section_has_its_share_of_the_middle_of_the_words(
    length: str, targets: list[int]
) -> None:
    assert word_targets(metadata(length_preference=length), list(KINDS)) == targets


def test_a_newsletter_without_sections_has_no_words() -> None:
    assert word_targets(metadata(), []) == []


@pytest.mark.parametrize(
    ("professional", "technical", "words"),
    [
        (0, 0, "casual and warm; plain words"),
        (33, 33, "casual and warm; plain words"),
        (34, 66, "friendly and factual; common technical terms"),
        (67, 67, "formal and professional; the technical terms"),
        (100, 100, "formal and professional; the technical terms"),
    ],
)
def test_the_tone_has_three_bands(professional: int, technical: int, words: str) -> None:
    tone = tone_of(metadata(tone_professional=professional, tone_technical=technical))

    assert tone.startswith(words)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_numbers_of_a_preset_are_nearest_to_it(preset: str) -> None:
    assert nearest_preset(*PRESETS[preset]) == preset


def test_other_numbers_have_the_nearest_preset() -> None:
    assert nearest_preset(100, 100) == "expert_analysis"
    assert nearest_preset(0, 0) == "friendly_summary"
    assert nearest_preset(65, 45) == "industry_insight"


def test_the_audience_is_in_words() -> None:
    assert audience_of(metadata(target_audience=["policy_makers", "myself", "farmers"])) == (
        "policy makers, farmers"
    )
    assert audience_of(metadata(target_audience=["myself"])) == "the author"
