"""Tier 0: the intents for human agents only, found by patterns in the whole text, in every language."""

from collections.abc import Iterable

from richpanel.classification.lexicon.lexicon import Entry, Strength, lexicon
from richpanel.classification.lexicon.patterns import Pattern
from richpanel.classification.lexicon.search import Search
from richpanel.classification.taxonomy import Intent


def tier0_intents(
    strength: Strength, searches: Iterable[Search], *, only_english: bool
) -> frozenset[Intent]:
    """
    Return the intents with a pattern of *strength*. Negations and conditions cancel none; idioms are excused.

    *only_english*: the text is English, in which words of other languages mean something else ("legal", "justice").
    """
    entries = lexicon().english if only_english else (*lexicon().english, *lexicon().foreign)
    return frozenset(
        entry.intent for search in searches for entry in entries if _is_hit(search, entry, strength)
    )


def _is_hit(search: Search, entry: Entry, strength: Strength) -> bool:
    hits = [span for pattern in entry.patterns[strength] for span in search.spans(pattern)]
    if not hits:
        return False
    excused = {
        at for pattern in entry.excuses for span in search.spans(pattern) for at in span.words
    }
    return any(excused.isdisjoint(span.words) for span in hits)


def has(search: Search, patterns: Iterable[Pattern]) -> bool:
    """Return whether a text matches any of *patterns*."""
    return any(search.spans(pattern) for pattern in patterns)
