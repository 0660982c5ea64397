"""Language detection by common function words."""

import re
from collections import Counter

from richpanel.classification.answers import Language
from richpanel.classification.lexicon.vocabulary import unaccented, word_lists

_small: dict[Language, frozenset[str]] = {
    Language(name): frozenset(words.split()) for name, words in word_lists["languages"].items()
}
_WORD = re.compile(r"[^\W\d_]{2,}|\b[iay]\b", re.IGNORECASE)
_FOREIGN = 0.4  # above this share of non-Latin letters the language is unknown


def is_certainly_english(text: str) -> bool:
    """Return whether *text* is English and has a word that indicates it."""
    return language_of(text) is Language.ENGLISH and any(
        unaccented(word) in _small[Language.ENGLISH] for word in _WORD.findall(text)
    )


def language_of(text: str) -> Language:
    """Return the language of *text*; English if no word indicates one."""
    letters = [sign for sign in text if sign.isalpha()]
    foreign = sum(1 for sign in letters if sign > "\u024f")
    if letters and foreign / len(letters) > _FOREIGN:
        return Language.UNKNOWN
    words = Counter(unaccented(word) for word in _WORD.findall(text))
    hits = {
        name: sum(count for word, count in words.items() if word in small)
        for name, small in _small.items()
    }
    best = max(
        hits, key=lambda name: (hits[name], name is Language.ENGLISH, name is Language.SPANISH)
    )
    return best if hits[best] else Language.ENGLISH
