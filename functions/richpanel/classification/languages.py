"""Whether a text is English, Spanish or something else, told by the small words that every sentence needs."""

import re
from collections import Counter

from richpanel.classification.answers import Language
from richpanel.classification.lexicon.vocabulary import unaccented, written_down

_small: dict[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in written_down["languages"].items()
}
_WORD = re.compile(r"[^\W\d_]{2,}|\b[iay]\b", re.IGNORECASE)
_FOREIGN = 0.4  # share of letters outside the Latin script from which a text is not for our lists


def language_of(text: str) -> Language:
    """What *text* is written in; English where nothing tells."""
    letters = [sign for sign in text if sign.isalpha()]
    foreign = sum(1 for sign in letters if sign > "\u024f")
    if letters and foreign / len(letters) > _FOREIGN:
        return Language.UNKNOWN
    words = Counter(unaccented(word) for word in _WORD.findall(text))
    hits = {
        name: sum(count for word, count in words.items() if word in small)
        for name, small in _small.items()
    }
    best = max(hits, key=lambda name: (hits[name], name == "en", name == "es"))
    if best == "en" or not hits[best]:
        return Language.ENGLISH
    return Language.SPANISH if best == "es" else Language.UNKNOWN
