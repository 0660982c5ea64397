"""
The rule-based classifier: combines the lexicon scores of a text with the likelihoods of the learned word model.

Deterministic, and linear in the length of the text. Tier 0 (the P0 intents) is searched in the whole text, in every
language, and is not reduced by "not" or "if".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from richpanel.classification.answers import (
    MOST_CHARACTERS,
    Classification,
    Doubt,
    Language,
    Message,
    Scored,
    is_present,
)
from richpanel.classification.evidence_score import WordModelResult, combined_scores, is_doubted
from richpanel.classification.languages import language_of
from richpanel.classification.lexicon.evidence import likelihoods, urgency
from richpanel.classification.lexicon.lexicon import WEIGHTS, Entry, Mark, lexicon
from richpanel.classification.lexicon.search import Search
from richpanel.classification.lexicon.tokens import tokens_of
from richpanel.classification.lexicon_score import (
    has,
    negated_intents,
    non_urgent_scores,
    strong_tier0,
    urgent_scores,
)
from richpanel.classification.order_numbers import Numbers, numbers_in
from richpanel.classification.taxonomy import (
    Intent,
    Level,
    Modifier,
    RiskFlag,
    channels,
    intents,
    modifiers,
)
from richpanel.classification.text import MOST_TIER0_CHARACTERS, plain

VERSION = "rules-2"
_RESOLVED_WEIGHT = 0.5
# Messages with these modifiers contain words of many intents without expressing one.
_OF_NO_INTENT = frozenset(
    {Modifier.AUTOMATIC_MAIL, Modifier.PRIVACY_REQUEST, Modifier.SECURITY_SENSITIVE}
)
_ANSWERED_SUBJECT = ("re:", "aw:", "rv:", "sv:", "tr:", "fwd:", "fw:", "wg:")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """
    A turn prepared for searching. *text* is the classified text, *body* its search; *tier0_body* searches more of the
    older text, for Tier 0. *title* is the subject; *is_ours*: the subject is ours, as the mail replies to one of ours.
    """

    text: str
    title: str
    language: Language
    is_ours: bool
    body: Search
    tier0_body: Search
    subject: Search


def classify(message: Message) -> Classification:
    """Classify *message* by the rules. Never raises for any text."""
    turn = _prepared(message)
    found_modifiers = _modifiers(message, turn.body, turn.subject)
    is_resolved = has(turn.body, lexicon().marks.get(Mark.RESOLUTION, ()))
    non_urgent = _non_urgent_scores(turn, is_resolved=is_resolved)
    scores = urgent_scores(_entries(is_urgent=True), turn.tier0_body, turn.subject) | non_urgent
    model_result: WordModelResult | None = None
    model_applies = turn.language is Language.ENGLISH and any(map(str.isalpha, turn.text))
    numbers = _numbers(message, turn.text)
    is_answer = message.expects_order_number and bool(numbers.orders)
    if model_applies and not is_resolved:
        model_result = _word_model_result(turn, non_urgent)
        if not found_modifiers.isdisjoint(_OF_NO_INTENT):
            model_result = model_result.against(scores)
        elif Modifier.WANTS_PERSON in found_modifiers:
            model_result = model_result.for_agent_request
        scores = combined_scores(scores, model_result)
    if not is_answer and _is_thanks(turn.body, turn.text, scores):
        found_modifiers |= {Modifier.THANKS_ONLY}
    ranked = _ranked(scores, message)
    return Classification(
        language=turn.language,
        intents=ranked,
        strong_tier0=strong_tier0(_entries(is_urgent=True), turn.tier0_body, turn.subject),
        risk_flags=_risk_flags(ranked, found_modifiers),
        modifiers=found_modifiers,
        doubts=_doubts(turn.body, ranked, numbers.orders),
        order_numbers=numbers.orders,
        tracking_numbers=numbers.trackings,
        word_count=len(turn.text.split()),
        has_text=any(sign.isalnum() for sign in turn.text),
        is_resolution=is_resolved,
        names_own_order=bool(numbers.orders)
        or has(turn.body, lexicon().marks.get(Mark.OWN_ORDER, ())),
        is_doubted=model_result is not None and is_doubted(ranked[0].intent, model_result),
        version=VERSION,
    )


def _prepared(message: Message) -> _Turn:
    whole = "\n".join(
        plain(text) for text in (*message.earlier, message.text) if text.strip()
    ).strip()
    text = whole[-MOST_CHARACTERS:]
    body = _search(text)
    title = plain(message.subject or "")[:300]
    return _Turn(
        text=text,
        title=title,
        language=language_of(text if text else message.subject or ""),
        is_ours=(message.subject or "").lower().startswith(_ANSWERED_SUBJECT),
        body=body,
        tier0_body=body
        if len(whole) <= MOST_CHARACTERS
        else _search(whole[-MOST_TIER0_CHARACTERS:]),
        subject=_search(title),
    )


def _non_urgent_scores(turn: _Turn, *, is_resolved: bool) -> dict[Intent, float]:
    """Return the scores of all intents except Tier 0; empty for a language without a lexicon."""
    if turn.language is Language.UNKNOWN:
        return {}
    scores = non_urgent_scores(
        _entries(is_urgent=False), turn.body, None if turn.is_ours else turn.subject
    )
    weight = _RESOLVED_WEIGHT if is_resolved else 1.0
    return {intent: score * weight for intent, score in scores.items()}


def _word_model_result(turn: _Turn, non_urgent: dict[Intent, float]) -> WordModelResult:
    """Return the likelihoods of the word model, with those of negated intents set to 0.0."""
    is_alone = turn.is_ours or not turn.title
    searched = turn.body if is_alone else _search(f"{turn.title}\n{turn.text}")
    not_meant = dict.fromkeys(
        negated_intents(_entries(is_urgent=False), turn.body, non_urgent), 0.0
    )
    likely = likelihoods(searched.tokens) | not_meant
    return WordModelResult(likely, urgency(turn.tier0_body.tokens), len(turn.body.tokens))


def _numbers(message: Message, text: str) -> Numbers:
    """Return the numbers of the text, followed by further ones of the subject."""
    body = numbers_in(text, expects_order=message.expects_order_number, mask=message.order_mask)
    subject = numbers_in(message.subject or "", expects_order=False, mask=message.order_mask)
    return Numbers(
        tuple(dict.fromkeys((*body.orders, *subject.orders))),
        tuple(dict.fromkeys((*body.trackings, *subject.trackings))),
    )


def _search(text: str) -> Search:
    return Search(tokens_of(text, lexicon().vocabulary))


def _ranked(scores: dict[Intent, float], message: Message) -> tuple[Scored, ...]:
    unordered = [Scored(intent, score) for intent, score in scores.items()]
    present = sorted(
        (scored for scored in unordered if is_present(scored)),
        key=lambda scored: (
            intents[scored.intent].level,
            -scored.confidence,
            intents[scored.intent].row,
        ),
    )
    others = sorted(
        (scored for scored in unordered if not is_present(scored)),
        key=lambda scored: (-scored.confidence, intents[scored.intent].row),
    )
    if present:
        return (*present, *others)
    channel_intent = channels[message.channel].unknown_becomes
    if others and channel_intent is None:
        return tuple(others)
    return (Scored(channel_intent or Intent.UNKNOWN_OTHER, 0.0), *others)


def _modifiers(message: Message, body: Search, subject: Search) -> frozenset[Modifier]:
    """Return the modifiers except `thanks_only`, which depends on the intents found."""
    present: set[Modifier] = {
        modifier
        for modifier, patterns in lexicon().modifiers.items()
        if modifier is not Modifier.THANKS_ONLY
        and (
            has(body, patterns)
            or (modifier is not Modifier.REPEATED_CONTACT and has(subject, patterns))
        )
    }
    if message.is_automatic:
        present.add(Modifier.AUTOMATIC_MAIL)
    return frozenset(present)


def _is_thanks(body: Search, text: str, scores: dict[Intent, float]) -> bool:
    about_something = any(score >= WEIGHTS["weak"] for score in scores.values())
    return (
        not about_something
        and "?" not in text
        and has(body, lexicon().modifiers[Modifier.THANKS_ONLY])
    )


def _risk_flags(
    ranked: Iterable[Scored], found_modifiers: frozenset[Modifier]
) -> frozenset[RiskFlag]:
    flags = {intents[scored.intent].risk_flag for scored in ranked if is_present(scored)}
    flags |= {modifiers[modifier].risk_flag for modifier in found_modifiers}
    return frozenset(flag for flag in flags if flag is not None)


def _doubts(body: Search, ranked: tuple[Scored, ...], orders: tuple[str, ...]) -> frozenset[Doubt]:
    doubts = {doubt for doubt, patterns in lexicon().doubts.items() if has(body, patterns)}
    if len(orders) > 1:
        doubts.add(Doubt.SEVERAL_ORDERS)
    if any(intents[scored.intent].level in _CHANGES for scored in ranked):
        doubts.add(Doubt.CHANGE_REQUEST)
    return frozenset(doubts)


_CHANGES = frozenset({Level.P1, Level.P3})


@cache
def _entries(*, is_urgent: bool) -> tuple[Entry, ...]:
    """Return the lexicon's entries of Tier 0, or all others."""
    return tuple(
        entry
        for entry in lexicon().entries
        if (intents[entry.intent].level is Level.P0) is is_urgent
    )
