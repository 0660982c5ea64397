"""Scores of the lexicon signals found in a text, for Tier 0 and for all other intents."""

from collections.abc import Collection, Container, Iterable

from richpanel.classification import scope
from richpanel.classification.lexicon.lexicon import WEIGHTS, Entry, Signal
from richpanel.classification.lexicon.patterns import Pattern
from richpanel.classification.lexicon.search import Search, Span
from richpanel.classification.taxonomy import Intent

_CAP = 0.98
_STRONG = WEIGHTS["strong"] * 0.8  # also reached by a strong signal in the subject alone
_SUBJECT_WEIGHT = 0.8


def urgent_scores(entries: Iterable[Entry], body: Search, subject: Search) -> dict[Intent, float]:
    """Return the scores of Tier 0 intents, 0 to 1. Negations and conditions do not reduce them."""
    scores: dict[Intent, float] = {}
    for entry in entries:
        weights = [
            signal.weight
            for signal in entry.signals
            if any(_hits(search, entry, signal) for search in (body, subject))
        ]
        if weights:
            scores[entry.intent] = _joined(weights)
    return scores


def non_urgent_scores(
    entries: Collection[Entry], body: Search, subject: Search | None
) -> dict[Intent, float]:
    """Return the scores of all other intents, 0 to 1. *subject* is None if the customer did not write it."""
    weights_of = {
        entry.intent: {
            signal.name: weight
            for signal in entry.signals
            if (weight := _weight(body, subject, entry, signal))
        }
        for entry in entries
        if not has(body, entry.unless)
    }
    strong = {
        intent
        for intent, signal_weights in weights_of.items()
        if max(signal_weights.values(), default=0.0) >= _STRONG
    }
    scores: dict[Intent, float] = {}
    for entry in entries:
        silent = {
            name
            for other, names in entry.silent_beside.items()
            if other in strong
            for name in names
        }
        signal_weights = [
            weight
            for name, weight in weights_of.get(entry.intent, {}).items()
            if name not in silent
        ]
        if signal_weights:
            scores[entry.intent] = _joined(signal_weights)
    return scores


def strong_tier0(entries: Iterable[Entry], body: Search, subject: Search) -> frozenset[Intent]:
    """Return the Tier 0 intents with a strong pattern in the text."""
    return frozenset(
        entry.intent
        for entry in entries
        for signal in entry.signals
        if signal.weight == WEIGHTS["strong"]
        and any(_hits(search, entry, signal) for search in (body, subject))
    )


def negated_intents(
    entries: Iterable[Entry], body: Search, scored: Container[Intent]
) -> list[Intent]:
    """
    Return the intents, except those *scored*, that the text mentions only in negated form: "I do not want to cancel".

    "no" does not count as a negation: "still no refund" means that the customer waits for one.
    """
    return [
        entry.intent
        for entry in entries
        if entry.is_negatable
        and entry.intent not in scored
        and any(
            scope.is_negated(body.tokens, span) and not _follows_no(body, span)
            for signal in entry.signals
            for pattern in signal.patterns
            for span in body.spans(pattern)
        )
    ]


def _follows_no(body: Search, span: Span) -> bool:
    words = body.tokens.words[max(0, span.lead[0] - 2) : span.lead[0]]
    return any(word.text == "no" for word in words)


def _weight(body: Search, subject: Search | None, entry: Entry, signal: Signal) -> float:
    """Return the weight of *signal* in this text; 0.0 if it does not occur."""
    best = 0.0
    for span in _hits(body, entry, signal):
        if entry.is_negatable and scope.is_negated(body.tokens, span):
            continue
        if not (entry.is_negatable and scope.is_conditional(body.tokens, span)):
            best = max(best, signal.weight)
        elif signal.weight > WEIGHTS["weak"]:
            best = max(best, WEIGHTS["weak"])
    if subject is not None and best < signal.weight * _SUBJECT_WEIGHT:
        for span in _hits(subject, entry, signal):
            if not (entry.is_negatable and scope.is_negated(subject.tokens, span)):
                best = max(best, signal.weight * _SUBJECT_WEIGHT)
    return best


def _hits(search: Search, entry: Entry, signal: Signal) -> list[Span]:
    """Return the matches of *signal* in a text, except those that overlap an excuse of the entry."""
    hits = [span for pattern in signal.patterns for span in search.spans(pattern)]
    if not hits:
        return []
    excused = {
        at for pattern in entry.excuses for span in search.spans(pattern) for at in span.words
    }
    return [span for span in hits if excused.isdisjoint(span.words)]


def has(search: Search, patterns: Iterable[Pattern]) -> bool:
    """Return whether a text matches any of *patterns*."""
    return any(search.spans(pattern) for pattern in patterns)


def _joined(weights: Iterable[float]) -> float:
    """Combine several weights as independent evidence (noisy-or), at most `_CAP`."""
    open_part = 1.0
    for weight in weights:
        open_part *= 1.0 - weight
    return round(min(_CAP, 1.0 - open_part), 4)
