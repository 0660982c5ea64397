"""Encoding and segments of an SMS text."""
# ruff: noqa: RUF001 - characters that look like others are the subject of these tests

import pytest

from shared.providers.sms.segments import Size, SmsLength, gsm_equivalent, measure
from tests.cases import each

EVERY_BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EMOJI = "😀"  # two UTF-16 units


@each(
    ("text", "units", "segments"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        (EVERY_BASIC, 127, 1),
        ("a" * 160, 160, 1),
        ("a" * 161, 161, 2),
        ("a" * 306, 306, 2),
        ("a" * 307, 307, 3),
        ("a" * 1_600, 1_600, 11),
        ("^{}\\[~]|€\f", 20, 1),
        ("€" * 80, 160, 1),
        ("€" * 81, 162, 2),
        # 160 septets, not characters, fit in a single segment.
        ("a" * 158 + "€", 160, 1),
        ("a" * 159 + "€", 161, 2),
        # In parts: the 153rd septet of a part stays empty before a character that needs two.
        ("a" * 152 + "€" + "a" * 151, 305, 2),
        ("a" * 152 + "€" + "a" * 152, 306, 3),
        ("a" * 151 + "€" + "a" * 153, 306, 2),
        # An odd 153 holds 76 of them, so two parts hold 152.
        ("€" * 152, 304, 2),
        ("€" * 153, 306, 3),
        ("a" * 152 + "€" + "b" * 150 + "€" + "c" * 152, 458, 4),
    ],
    ids=lambda value: f"{value[:4]!a}x{len(value)}" if isinstance(value, str) else None,
)
def test_gsm_text_has_160_characters_alone_and_153_in_a_part(
    text: str, units: int, segments: int
) -> None:
    assert measure(text) == Size("GSM-7", units, segments)


@each(
    ("text", "units", "segments"),
    [
        ("ж", 1, 1),
        ("ж" * 70, 70, 1),
        ("ж" * 71, 71, 2),
        ("ж" * 134, 134, 2),
        ("ж" * 135, 135, 3),
        (EMOJI, 2, 1),
        (EMOJI * 35, 70, 1),
        (EMOJI * 36, 72, 2),
        # 67 units hold 33 emoji: the two halves of one are never split.
        (EMOJI * 66, 132, 2),
        (EMOJI * 67, 134, 3),
        ("a" * 66 + EMOJI + "a" * 65, 133, 2),
        ("a" * 66 + EMOJI + "a" * 66, 134, 3),
        ("a" * 69 + "’", 70, 1),
        ("a" * 159 + "ç", 160, 3),
        ("\ud83d" * 70, 70, 1),  # half an emoji is one unit
        ("€" + "ж" * 69, 70, 1),  # outside GSM nothing counts twice
    ],
    ids=lambda value: f"{value[:4]!a}x{len(value)}" if isinstance(value, str) else None,
)
def test_one_character_outside_gsm_makes_the_text_ucs_2(
    text: str, units: int, segments: int
) -> None:
    assert measure(text) == Size("UCS-2", units, segments)


@each(
    ("typographic", "plain"),
    [
        ("‘it’s’ ‚so‛ 5′", "'it's' 'so' 5'"),
        ("“so” „so‟ 5″ «so» ‹so›", '"so" "so" 5" "so" \'so\''),
        ("a‐b‑c‒d–e—f―g−h", "a-b-c-d-e-f-g-h"),
        ("`a´", "'a'"),
        ("1\u00a0000\u202f000\u2009km\u3000\u2003\u205f.\t!", "1 000 000 km   . !"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("a\u2028b\u2029c\u0085d", "a\nb\nc\nd"),
        ("wait…", "wait..."),
    ],
)
def test_typographic_characters_have_gsm_equivalents(typographic: str, plain: str) -> None:
    assert gsm_equivalent(typographic) == plain
    assert measure(gsm_equivalent(typographic)).encoding == "GSM-7"


@each(
    "text", ["", EVERY_BASIC, "^{}\\[~]|€\f", "Żółć ж", "👩‍👩‍👧", "e\u0301", "नमस्ते", "ç", "\ud83d"]
)
def test_characters_without_a_gsm_equivalent_are_kept(text: str) -> None:
    assert gsm_equivalent(text) == text


def test_one_curly_quote_costs_two_more_segments_until_it_is_replaced() -> None:
    text = "We’ll see you then. " + "x" * 140

    assert measure(text).segments == 3
    assert measure(gsm_equivalent(text)).segments == 1


@pytest.mark.parametrize(
    ("characters", "is_exceeded"),
    [(140, False), (150, True)],  # with the ending 150 and 160
)
def test_the_ending_counts_towards_the_length_of_an_sms(
    characters: int, *, is_exceeded: bool
) -> None:
    length = SmsLength(segments=1, characters=155, ending="\nSend STOP")

    assert length.is_exceeded_by("a" * characters) is is_exceeded
