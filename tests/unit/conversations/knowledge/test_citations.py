"""Citations: which numbers stay, which are removed, and the list of documents on each channel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.ai.functions import LONGEST_RESULT, CallRefused
from conversations.ai.knowledge.citations import cited, states_something
from conversations.ai.knowledge.search_tool import Sources, query_of
from shared.ai.retrieval import Passage
from tests.cases import each

if TYPE_CHECKING:
    from shared.events.exchange import Channel

PRICES, TRADE = "https://example.org/prices", "https://example.org/trade"


def passage(text: str, url: str = "", title: str = "", uri: str = "s3://b/notes.md") -> Passage:
    return Passage(text, 0.5, title, url, uri, "2026-03-01", "local-corpus")


def sources() -> Sources:
    """Two passages of one document, one of another, and one without a public address."""
    found = Sources()
    found.add(
        [
            passage("Maize is scarce.", PRICES, "Prices"),
            passage("Prices rise.", PRICES, "Prices"),
            passage("Exports stop.", TRADE, "Trade"),
            passage("Opening hours.", title="Handbook"),
        ]
    )
    return found


def text(content: str, channel: Channel = "email") -> str:
    return cited(content, sources(), channel).text


def message(content: str, channel: Channel, longest: int = 1_000) -> str:
    return cited(content, sources(), channel).with_list(channel, lambda m: len(m) <= longest)


@each(
    ("written", "shown"),
    [
        ("Maize is scarce [1].", "Maize is scarce [1]."),
        ("Exports stop [3].", "Exports stop [1]."),
        ("Exports stop [3]. Scarce [1].", "Exports stop [1]. Scarce [2]."),
        ("Scarce [1]. Rising [2].", "Scarce [1]. Rising [1]."),  # one document
        ("Both [1][2].", "Both [1]."),
        ("Both [1][3].", "Both [1][2]."),
        ("Both [1, 3].", "Both [1][2]."),
        ("Both [3;1].", "Both [1][2]."),
        ("Both [1] [3].", "Both [1][2]."),
        ("Scarce[1].", "Scarce [1]."),
        ("Scarce [ 1 ].", "Scarce [1]."),
        ("Scarce \u30101\u3011.", "Scarce [1]."),
        ("Scarce \u30101\u2020source 9\u3011.", "Scarce [1]."),
    ],
)
def test_documents_are_numbered_in_the_order_of_their_citation(written: str, shown: str) -> None:
    assert text(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("It costs five [9].", "It costs five."),
        ("It costs five [0].", "It costs five."),
        ("It costs five [1][9].", "It costs five [1]."),
        ("It costs five [9, 1].", "It costs five [1]."),
        ("[9]", ""),
        ("Press [9999] twice", "Press twice"),
    ],
)
def test_a_number_of_no_retrieved_passage_is_removed(written: str, shown: str) -> None:
    assert text(written) == shown
    assert cited(written, sources(), "email").is_marked


@pytest.mark.parametrize("written", ["[a]", "[1](https://example.org)", "[12345]", "(1)", "[]"])
def test_other_brackets_are_no_citation(written: str) -> None:
    assert text(written) == written
    found = cited(written, sources(), "email")
    assert (found.documents, found.is_marked) == ((), False)


def test_the_list_has_title_and_address_of_each_cited_document() -> None:
    whole = "Exports stop [3]. Prices rise [2][1]. Open daily [4]."
    lines = (
        "[1] Trade: https://example.org/trade\n[2] Prices: https://example.org/prices\n[3] Handbook"
    )

    assert message(whole, "email") == (
        f"Exports stop [1]. Prices rise [2]. Open daily [3].\n\n{lines}"
    )
    assert message(whole, "whatsapp") == message(whole, "email")


def test_an_sms_has_the_list_without_numbers() -> None:
    assert message("Exports stop [3]. Prices rise [1].", "sms") == (
        "Exports stop. Prices rise.\n\nTrade: https://example.org/trade\nPrices: https://example.org/prices"
    )


def test_a_list_that_does_not_fit_is_shortened_to_addresses() -> None:
    assert message("Exports stop [3].", "sms", longest=42) == (
        "Exports stop.\n\nhttps://example.org/trade"
    )
    # Still too long: the caller refuses it.
    assert message("Exports stop [3].", "sms", longest=10).endswith("/trade")


def test_a_text_without_citations_has_no_list() -> None:
    assert message("Hello.", "email") == "Hello."


def test_the_cited_passages_are_known() -> None:
    assert cited("A [2]. B [4]. C [9].", sources(), "sms").passages == {2, 4}


def test_a_passage_keeps_its_number_in_later_searches() -> None:
    found = sources()

    again = json.loads(found.add([passage("Exports stop.", TRADE, "Trade"), passage("New.")]))

    assert [entry["n"] for entry in again] == [3, 5]
    assert found.searches == 2


def test_the_model_gets_five_passages_with_their_source() -> None:
    result = json.loads(Sources().add([passage(f"Text {n}.", PRICES, "A") for n in range(9)]))
    assert [entry["n"] for entry in result] == [1, 2, 3, 4, 5]
    assert result[0] == {
        "n": 1,
        "title": "A",
        "url": PRICES,
        "date": "2026-03-01",
        "text": "Text 0.",
    }
    assert Sources().add([]) == "[]"


def test_the_longest_result_is_not_cut() -> None:
    long = [
        passage(f"{n}" + '"\n' * 1_000, "https://example.org/" + "a" * 480, '"' * 300)
        for n in range(5)
    ]
    result = Sources().add(long)
    assert len(result) <= LONGEST_RESULT
    assert all(len(entry["text"]) == 1_200 for entry in json.loads(result))


@pytest.mark.parametrize(
    ("title", "uri", "shown"),
    [
        ("Prices", "", "Prices"),
        ("  A\n [click](x) <b> ", "", "A click(x) b"),
        ("", "s3://bucket/corpus/acme/notes.md", "notes"),
        ("Visit evil.example.com now", "s3://bucket/notes.md", "notes"),
        ("a" * 200, "", "a" * 119 + "\u2026"),
    ],
)
def test_a_title_is_shown_without_marks_and_links(title: str, uri: str, shown: str) -> None:
    found = Sources()
    found.add([passage("Text.", PRICES, title, uri)])
    [source] = found.found.values()
    assert source.title == shown


def test_a_passage_that_cannot_be_named_is_no_source() -> None:
    found = Sources()
    assert found.add([passage("Text.", uri="")]) == "[]"
    assert found.found == {}


def test_an_address_that_is_too_long_to_show_is_left_out() -> None:
    found = Sources()
    found.add([passage("Text.", "https://example.org/" + "a" * 600, "Prices")])
    assert message_of(found) == "Text [1].\n\n[1] Prices"


def message_of(found: Sources) -> str:
    return cited("Text [1].", found, "email").with_list("email", lambda _: True)


@each(
    "content",
    [
        "Which product do you mean?",
        "Hello Ann, which product do you mean?",
        "Which one? The red or the blue one?",
        "\u0623\u064a \u0645\u0646\u062a\u062c\u061f",
        "\u54ea\u4e00\u4e2a\uff1f",
        '"Which one?"',
        "",
        "...",
    ],
)
def test_questions_state_nothing(content: str) -> None:
    assert not states_something(content)


@pytest.mark.parametrize(
    "content",
    [
        "We are open daily.",
        "Yes",
        "It is closed. Do you want to come tomorrow?",
        "Did you know that it costs 5 euros?",
        "Which one?\nThe red one is sold out.",
    ],
)
def test_every_other_sentence_states_something(content: str) -> None:
    assert states_something(content)


@pytest.mark.parametrize(
    "arguments",
    ["", "[]", "{}", '{"query": ""}', '{"query": 1}', '{"query": "a", "company_id": "b"}'],
)
def test_a_search_without_a_query_is_refused(arguments: str) -> None:
    with pytest.raises(CallRefused):
        query_of(arguments)


def test_the_query_is_the_only_argument() -> None:
    assert query_of('{"query": "maize prices"}') == "maize prices"


@given(st.text("a1293,;[] .\u3010\u3011\u2020", max_size=60))
def test_every_number_that_stays_has_a_line_in_the_list(content: str) -> None:
    result: Any = cited(content, sources(), "email")
    again = cited(result.text, sources(), "email")
    assert len(again.documents) <= len(result.documents) or not result.documents
    for number in range(len(result.documents) + 1, 10):
        assert f" [{number}]" not in result.text
