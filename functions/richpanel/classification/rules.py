"""
The classifier that works by rules: what the lexicons find in a text, weighed, and what its words tell all together.

Deterministic, and linear in the length of the text. Tier 0 (the P0 intents) is read over all that the customer wrote,
in every language, and neither a "not" nor an "if" takes anything from it.
"""

from collections.abc import Iterable

from richpanel.classification import scope
from richpanel.classification.answers import (
    MOST_CHARACTERS,
    Classification,
    Doubt,
    Language,
    Message,
    Scored,
    is_present,
)
from richpanel.classification.evidence import likelihoods, urgency
from richpanel.classification.languages import language_of
from richpanel.classification.lexicon import WEIGHTS, Entry, Mark, Signal, load
from richpanel.classification.numbers import Numbers, numbers_in
from richpanel.classification.patterns import Pattern, Search, Span
from richpanel.classification.text import MOST_GUARDED, plain
from richpanel.classification.tokens import tokens_of
from richpanel.classification.weighing import Heard, is_doubted, weighed
from richpanel.taxonomy import Intent, Level, Modifier, RiskFlag, channels, intents, modifiers

VERSION = "rules-2"
_CAP = 0.98
_STRONG = WEIGHTS["strong"] * 0.8  # also when only the subject says it
_SUBJECT_WEIGHT = 0.8
_RESOLVED_WEIGHT = 0.5
# Messages of a kind of their own: they have words of many intents and are about none.
_OF_NO_INTENT = frozenset(
    {Modifier.AUTOMATIC_MAIL, Modifier.PRIVACY_REQUEST, Modifier.SECURITY_SENSITIVE}
)
_ANSWERED_SUBJECT = ("re:", "aw:", "rv:", "sv:", "tr:", "fwd:", "fw:", "wg:")

_lexicon = load()
_urgent = tuple(entry for entry in _lexicon.entries if intents[entry.intent].level is Level.P0)
_others = tuple(entry for entry in _lexicon.entries if intents[entry.intent].level is not Level.P0)


def classify(message: Message) -> Classification:
    """What *message* is about, by the lexicons. Never fails on a text, however strange."""
    whole = "\n".join(
        plain(text) for text in (*message.earlier, message.text) if text.strip()
    ).strip()
    text = whole[-MOST_CHARACTERS:]
    body = Search(tokens_of(text, _lexicon.vocabulary))
    guarded = body if len(whole) <= MOST_CHARACTERS else _search(whole[-MOST_GUARDED:])
    title = plain(message.subject or "")[:300]
    subject = _search(title)
    language = language_of(text if text else message.subject or "")
    is_ours = (message.subject or "").lower().startswith(_ANSWERED_SUBJECT)

    is_resolved = _has(body, _lexicon.marks.get(Mark.RESOLUTION, ()))
    scores = _urgent_scores(guarded, subject)
    calm: dict[Intent, float] = {}
    if language is not Language.UNKNOWN:
        calm = _calm_scores(body, None if is_ours else subject)
        if is_resolved:
            calm = {intent: score * _RESOLVED_WEIGHT for intent, score in calm.items()}
    scores |= calm
    found = _modifiers(message, body, subject)
    heard: Heard | None = None
    can_tell = language is Language.ENGLISH and any(map(str.isalpha, text))
    if can_tell and not is_resolved:
        said = body if is_ours or not title else _search(f"{title}\n{text}")
        denied = dict.fromkeys(_denied(body, calm), 0.0)
        heard = Heard(likelihoods(said.tokens) | denied, urgency(guarded.tokens), len(body.tokens))
        if not found.isdisjoint(_OF_NO_INTENT):
            heard = heard.against(scores)
        scores = weighed(scores, heard)
    if _is_thanks(body, text, scores):
        found |= {Modifier.THANKS_ONLY}
    numbers = _numbers(message, text)
    ranked = _ranked(scores, message)
    return Classification(
        language=language,
        intents=ranked,
        risk_flags=_risk_flags(ranked, found),
        modifiers=found,
        doubts=_doubts(body, ranked, numbers.orders),
        order_numbers=numbers.orders,
        tracking_numbers=numbers.trackings,
        word_count=len(text.split()),
        has_text=any(sign.isalnum() for sign in text),
        is_resolution=is_resolved,
        own_order_only=_is_own(body, ranked, bool(numbers.orders)),
        is_doubted=heard is not None and is_doubted(ranked[0].intent, heard),
        version=VERSION,
    )


def _numbers(message: Message, text: str) -> Numbers:
    """Those of the text, then what the subject has besides."""
    body = numbers_in(text, expects_order=message.expects_order_number, mask=message.order_mask)
    subject = numbers_in(message.subject or "", expects_order=False, mask=message.order_mask)
    return Numbers(
        tuple(dict.fromkeys((*body.orders, *subject.orders))),
        tuple(dict.fromkeys((*body.trackings, *subject.trackings))),
    )


def _search(text: str) -> Search:
    return Search(tokens_of(text, _lexicon.vocabulary))


def _urgent_scores(body: Search, subject: Search) -> dict[Intent, float]:
    scores: dict[Intent, float] = {}
    for entry in _urgent:
        weights = [
            signal.weight
            for signal in entry.signals
            if any(_hits(search, entry, signal) for search in (body, subject))
        ]
        if weights:
            scores[entry.intent] = _joined(weights)
    return scores


def _calm_scores(body: Search, subject: Search | None) -> dict[Intent, float]:
    found = {
        entry.intent: {
            signal.name: weight
            for signal in entry.signals
            if (weight := _weight(body, subject, entry, signal))
        }
        for entry in _others
        if not _has(body, entry.unless)
    }
    strong = {
        intent for intent, weights in found.items() if max(weights.values(), default=0.0) >= _STRONG
    }
    scores: dict[Intent, float] = {}
    for entry in _others:
        silent = {
            name
            for other, names in entry.silent_beside.items()
            if other in strong
            for name in names
        }
        weights = [
            weight for name, weight in found.get(entry.intent, {}).items() if name not in silent
        ]
        if weights:
            scores[entry.intent] = _joined(weights)
    return scores


def _denied(body: Search, calm: dict[Intent, float]) -> list[Intent]:
    """
    The intents that the text names only to say that it is not about them: "I do not want to cancel".

    Not by "no": who writes "still no refund" waits for one.
    """
    return [
        entry.intent
        for entry in _others
        if entry.is_negatable
        and entry.intent not in calm
        and any(
            scope.is_negated(body.tokens, span) and not _is_behind_no(body, span)
            for signal in entry.signals
            for pattern in signal.patterns
            for span in body.spans(pattern)
        )
    ]


def _is_behind_no(body: Search, span: Span) -> bool:
    words = body.tokens.words[max(0, span.lead[0] - 2) : span.lead[0]]
    return any(word.text == "no" for word in words)


def _weight(body: Search, subject: Search | None, entry: Entry, signal: Signal) -> float:
    """What *signal* counts in this text: 0.0 for nothing."""
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
    """Where *signal* stands in a text, without what the entry excuses."""
    hits = [span for pattern in signal.patterns for span in search.spans(pattern)]
    if not hits:
        return []
    excused = {
        at for pattern in entry.excuses for span in search.spans(pattern) for at in span.words
    }
    return [span for span in hits if excused.isdisjoint(span.words)]


def _has(search: Search, patterns: Iterable[Pattern]) -> bool:
    return any(search.spans(pattern) for pattern in patterns)


def _joined(weights: Iterable[float]) -> float:
    """Several signals together: each takes its part of what the others leave open."""
    open_part = 1.0
    for weight in weights:
        open_part *= 1.0 - weight
    return round(min(_CAP, 1.0 - open_part), 4)


def _ranked(scores: dict[Intent, float], message: Message) -> tuple[Scored, ...]:
    scored = [Scored(intent, score) for intent, score in scores.items()]
    there = sorted(
        (each for each in scored if is_present(each)),
        key=lambda each: (intents[each.intent].level, -each.confidence, intents[each.intent].row),
    )
    rest = sorted(
        (each for each in scored if not is_present(each)),
        key=lambda each: (-each.confidence, intents[each.intent].row),
    )
    if there:
        return (*there, *rest)
    instead = channels[message.channel].unknown_becomes
    if rest and instead is None:
        return tuple(rest)
    return (Scored(instead or Intent.UNKNOWN_OTHER, 0.0), *rest)


def _modifiers(message: Message, body: Search, subject: Search) -> frozenset[Modifier]:
    """All but `thanks_only`, which depends on what else the message says."""
    found: set[Modifier] = {
        modifier
        for modifier, patterns in _lexicon.modifiers.items()
        if modifier is not Modifier.THANKS_ONLY
        and (
            _has(body, patterns)
            or (modifier is not Modifier.REPEATED_CONTACT and _has(subject, patterns))
        )
    }
    if message.is_automatic:
        found.add(Modifier.AUTOMATIC_MAIL)
    return frozenset(found)


def _is_thanks(body: Search, text: str, scores: dict[Intent, float]) -> bool:
    about_something = any(score >= WEIGHTS["weak"] for score in scores.values())
    return (
        not about_something
        and "?" not in text
        and _has(body, _lexicon.modifiers[Modifier.THANKS_ONLY])
    )


def _risk_flags(ranked: Iterable[Scored], found: frozenset[Modifier]) -> frozenset[RiskFlag]:
    flags = {intents[each.intent].risk_flag for each in ranked if is_present(each)}
    flags |= {modifiers[modifier].risk_flag for modifier in found}
    return frozenset(flag for flag in flags if flag is not None)


def _doubts(body: Search, ranked: tuple[Scored, ...], orders: tuple[str, ...]) -> frozenset[Doubt]:
    found = {doubt for doubt, patterns in _lexicon.doubts.items() if _has(body, patterns)}
    if len(orders) > 1:
        found.add(Doubt.SEVERAL_ORDERS)
    if any(intents[each.intent].level in _CHANGES for each in ranked):
        found.add(Doubt.CHANGE_REQUEST)
    return frozenset(found)


_CHANGES = frozenset({Level.P1, Level.P3})


def _is_own(body: Search, ranked: tuple[Scored, ...], has_number: bool) -> bool:
    """Whether all that the text says is about the state of an order of the sender."""
    if not all(intents[each.intent].tier2 for each in ranked if is_present(each)):
        return False
    return has_number or _has(body, _lexicon.marks.get(Mark.OWN_ORDER, ()))
