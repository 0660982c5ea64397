"""
The classifier without a language model: patterns of Tier 0 and a linear word model.

Deterministic, and linear in the length of the text. Precision first: it stays silent rather than choose a wrong reply.
Tier 0 (the P0 intents) is searched in the whole text, in every language, and is not reduced by "not" or "if"; other
intents are recognised in English only.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from richpanel.classification.answers import (
    MOST_CHARACTERS,
    Classification,
    Doubt,
    Language,
    Message,
    Scored,
    is_present,
    with_reroute,
)
from richpanel.classification.languages import is_certainly_english, language_of
from richpanel.classification.lexicon.lexicon import Mark, Strength, lexicon
from richpanel.classification.lexicon.search import Search
from richpanel.classification.lexicon.tokens import tokens_of
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
from richpanel.classification.tier0 import has, tier0_intents
from richpanel.classification.word_model import URGENT, WordModelResult, word_model_result

VERSION = "rules-3"
_RESOLVED_WEIGHT = 0.5
_HIGHEST = 0.98
_STRONG_SCORE = 0.96
# Likelihoods of the word model.
_AGREES = 0.70  # all P0 intents together: with a weak pattern the text is Tier 0 ...
_ALONE = 0.95  # ... and without one
_SUSPECTS = 0.10  # all P0 intents together: no automatic reply
_CERTAIN = 0.90  # the primary intent: minimum for an automatic reply
_KNOWN_WORDS = 0.60  # minimum share of known words for an automatic reply
_WORTH_NAMING = 0.15
_SCORE_OF_A_TOPIC = 0.40  # a text with such an intent is more than thanks
# Messages with these modifiers contain words of threats without being one.
_OF_NO_INTENT = frozenset(
    {Modifier.AUTOMATIC_MAIL, Modifier.PRIVACY_REQUEST, Modifier.SECURITY_SENSITIVE}
)
_ANSWERED_SUBJECT = ("re:", "aw:", "rv:", "sv:", "tr:", "fwd:", "fw:", "wg:")


@dataclass(frozen=True, slots=True)
class _Tier0:
    """*scores* of the Tier 0 intents, of which *strong* were found by strong patterns; *suspected*: weak signals."""

    scores: dict[Intent, float]
    strong: frozenset[Intent]
    suspected: frozenset[Intent]


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
    numbers = _numbers(message, turn.text)
    result = _word_model_result(turn)
    tier0 = _tier0(turn, result, found_modifiers)
    weight = _RESOLVED_WEIGHT if is_resolved else 1.0
    scores = {intent: score * weight for intent, score in _scores(result).items()} | tier0.scores
    is_answer = message.expects_order_number and bool(numbers.orders)
    if not is_answer and _is_thanks(turn.body, turn.text, scores):
        found_modifiers |= {Modifier.THANKS_ONLY}
    ranked = _ranked(scores, message)
    classification = Classification(
        language=turn.language,
        intents=ranked,
        strong_tier0=tier0.strong,
        suspected_tier0=tier0.suspected,
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
        may_reroute=_may_reroute(turn),
        is_language_certain=turn.language is not Language.ENGLISH
        or is_certainly_english(turn.text or turn.title),
        is_doubted=result is not None and _is_doubted(turn.body, ranked[0].intent, result),
        version=VERSION,
    )
    return with_reroute(classification)


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


def _word_model_result(turn: _Turn) -> WordModelResult | None:
    """Return the word model's result for the text and the customer's subject; None unless they are English."""
    is_alone = turn.is_ours or not turn.title
    whole = turn.text if is_alone else f"{turn.title}\n{turn.text}"
    if turn.language is not Language.ENGLISH or not any(map(str.isalpha, whole)):
        return None
    tokens = turn.body.tokens if is_alone else _search(whole).tokens
    return word_model_result(tokens, "?" in whole)


def _tier0(turn: _Turn, result: WordModelResult | None, modifiers: Container[Modifier]) -> _Tier0:
    """
    Decide Tier 0.

        strong pattern                                Tier 0
        weak pattern, and the word model agrees       Tier 0
        the word model alone, almost certain          Tier 0
        weak pattern, or the word model suspects it   suspected: no automatic reply
    """
    searches = (turn.tier0_body, turn.subject)
    english = is_certainly_english(f"{turn.title}\n{turn.text}")
    strong = tier0_intents(Strength.STRONG, searches, only_english=english)
    weak = tier0_intents(Strength.WEAK, searches, only_english=english)
    found = dict.fromkeys(strong, _STRONG_SCORE)
    if result is None:
        return _Tier0(found, strong, weak - strong)
    # Automatic mail and requests about data contain words of threats without being one.
    is_threat = not strong and all(modifier not in modifiers for modifier in _OF_NO_INTENT)
    likeliest = max(URGENT, key=result.likely.__getitem__)
    if is_threat and result.urgency >= (_AGREES if weak else _ALONE):
        found[likeliest] = _bounded(result.urgency)
    suspected = weak | ({likeliest} if result.urgency >= _SUSPECTS else set())
    return _Tier0(found, strong, suspected - found.keys())


def _may_reroute(turn: _Turn) -> bool:
    if turn.language is not Language.ENGLISH:
        return True
    marks = lexicon().marks
    is_correction = has(turn.body, marks.get(Mark.ADDRESS_CORRECTION, ()))
    return has(turn.body, marks.get(Mark.DELIVERY_PLACE, ())) and not is_correction


def _scores(result: WordModelResult | None) -> dict[Intent, float]:
    """Return the scores of the intents except Tier 0; none if the text most likely has no intent."""
    if result is None or max(result.likely, key=result.likely.__getitem__) is Intent.UNKNOWN_OTHER:
        return {}
    return {
        intent: _bounded(likelihood)
        for intent, likelihood in result.likely.items()
        if likelihood >= _WORTH_NAMING
        and intent not in URGENT
        and intent is not Intent.UNKNOWN_OTHER
    }


def _is_doubted(body: Search, primary: Intent, result: WordModelResult) -> bool:
    """Return whether *primary* is too uncertain, or the text too unusual, for an automatic reply."""
    is_unusual = result.known < _KNOWN_WORDS or has(body, lexicon().marks.get(Mark.CONTRAST, ()))
    return result.likely[primary] < _CERTAIN or is_unusual


def _bounded(likelihood: float) -> float:
    return round(min(_HIGHEST, likelihood), 4)


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
    about_something = any(score >= _SCORE_OF_A_TOPIC for score in scores.values())
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
