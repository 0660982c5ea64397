"""Sentences of passages, fixed texts and markers of faults of the scripted writer of newsletters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.scripted_model.newsletters.faults import Fault, fault_in
from local.scripted_model.newsletters.sentences import one_line, sentences_of, shortened
from local.scripted_model.newsletters.wordings import WORDINGS, wording_of
from tests.cases import each


@each(
    ("text", "sentences"),
    [
        ("Rain fell. It helped! Why? Ask.", ["Rain fell.", "It helped!", "Why?", "Ask."]),
        ("It was 3.5 % in 2026. Then 4.", ["It was 3.5 % in 2026.", "Then 4."]),
        ("Am 1. Mai regnete es.", ["Am 1. Mai regnete es."]),
        ("# Rain\n\nIt fell\nhere.\n- one\n- two", ["Rain", "It fell here.", "one", "two"]),
        ('He said "no." Then yes.', ['He said "no."', "Then yes."]),
        ("See [the report](https://a.example/x) at https://b.example.", ["See the report at"]),
        ("1\u202f200 people.\t\tMany", ["1\u202f200 people.", "Many"]),
        ("\u0647\u0644\u061f \u0646\u0639\u0645.", ["\u0647\u0644\u061f", "\u0646\u0639\u0645."]),
        ("\u4e0b\u96e8\u4e86\u3002\u5f88\u5927\u3002", ["\u4e0b\u96e8\u4e86\u3002", "\u5f88\u5927\u3002"]),
        ("--- . !", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_passage_has_sentences(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


def test_a_line_has_no_mark_of_a_block() -> None:
    assert one_line("> ## *Rain*\nfell") == "*Rain* fell"


@given(st.text(max_size=60), st.integers(2, 40))
def test_a_shortened_text_is_not_longer_than_allowed(text: str, longest: int) -> None:
    short = shortened(text, longest)

    assert len(short) <= longest
    assert short == text or text.startswith(short[:-1])


def test_a_text_is_cut_after_a_word() -> None:
    assert shortened("Rain fell, heavily", 13) == "Rain fell\u2026"


def test_every_language_has_all_names() -> None:
    assert all(list(one.names) == list(WORDINGS["en"].names) for one in WORDINGS.values())
    assert wording_of("de-AT") is WORDINGS["de"]
    assert wording_of("SW") is WORDINGS["sw"]
    assert wording_of("am") is WORDINGS["en"]


@pytest.mark.parametrize(
    ("description", "first", "second"),
    [
        ("Weekly news", None, None),
        ("[[break:json]]", Fault.JSON, Fault.JSON),
        ("News [[break:once:json]]", Fault.JSON, None),
        ("[[break:once:link]] [[break:json]]", Fault.LINK, None),
        ("[[break:other]] [[break:number]]", Fault.NUMBER, Fault.NUMBER),
        ("[break:json]", None, None),
    ],
)
def test_the_first_marker_names_the_fault(
    description: str, first: Fault | None, second: Fault | None
) -> None:
    assert fault_in(description, is_first_attempt=True) is first
    assert fault_in(description, is_first_attempt=False) is second
