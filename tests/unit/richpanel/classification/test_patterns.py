"""The pattern language of the lexicons."""

import pytest

from richpanel.classification.lexicon.patterns import PatternBroken, compiled, words_of
from richpanel.classification.lexicon.search import Search
from richpanel.classification.lexicon.tokens import tokens_of
from richpanel.classification.lexicon.vocabulary import Vocabulary
from tests.cases import each

GROUPS = {"ORDER": ("order", "package"), "GOT": ("receive", "in the box")}


def fits(source: str, text: str) -> bool:
    pattern = compiled(source, GROUPS)
    words = set(words_of(pattern))
    return bool(Search(tokens_of(text, Vocabulary(words, words))).spans(pattern))


@each(
    ("source", "text"),
    [
        ("cancel ORDER", "they canceled orders"),
        ("where .. ORDER", "where on earth is package"),
        ("cancel + ORDER", "this order has to be cancelled"),
        ("when > ORDER", "when will this lovely order come"),
        ("deliver ~ nothing", "It says delivered. There is nothing here"),
        ("order >> receive", "I ordered one and received two"),
        ("my? order", "order"),
        ("=charged", "they charged me"),
        ("(cash back|refund) now", "cash back now"),
        ("^ refund $", "Hello. Refund! Thanks"),
        ("ORDER NUMBER", "order 5512"),
        ("order COUNT", "order 3 of them"),
        ("missing GOT", "it was missing in the box"),
        ("refund*", "refunds"),
        ("cancel|stop .. ORDER", "stop my package"),
        ("receive", "recieved"),
        ("cancellation", "cancelation"),
    ],
)
def test_a_pattern_matches_the_texts_it_describes(source: str, text: str) -> None:
    assert fits(source, text)


@each(
    ("source", "text"),
    [
        ("charge", "my charger"),
        ("where .. ORDER", "where on this big earth can my order be"),
        ("cancel + ORDER", "cancel it. My order is late"),
        ("cancel + ORDER", "cancel it but send my order"),
        ("order >> receive", "I received one and ordered two"),
        ("deliver ~ nothing", "delivered. Then it rained. And so it is. I have nothing"),
        ("=charged", "they charge me"),
        ("^ refund $", "a refund for me"),
        ("order COUNT", "order 3 days ago"),
        ("retail", "the details"),
        ("lawyer", "two layers"),
    ],
)
def test_a_pattern_matches_no_other_text(source: str, text: str) -> None:
    assert not fits(source, text)


@pytest.mark.parametrize("source", ["where .. NOWHERE", "a || b", "my?", "where ..", "two - words"])
def test_an_invalid_pattern_is_refused(source: str) -> None:
    with pytest.raises(PatternBroken):
        compiled(source, GROUPS)
