"""The scope of negations and conditions: which matches "not" cancels and "if" weakens. Word lists are in words.toml."""

from richpanel.classification.lexicon.search import Span
from richpanel.classification.lexicon.tokens import Tokens
from richpanel.classification.lexicon.vocabulary import word_lists

_words = {name: frozenset(words.split()) for name, words in word_lists["scope"].items()}
_REACH = 5  # words before a lead in which a negator applies to it
_RATHER_REACH = 8
_CONDITION_REACH = 20
_OWN_CLAUSE = 4  # maximum words from "if" to a lead that is part of the condition itself


def is_negated(tokens: Tokens, span: Span) -> bool:
    """Return whether a negator outside *span* precedes one of its lead words in the same clause and applies to it."""
    return any(_is_negated(tokens, span, at) for at in span.lead)


def _is_negated(tokens: Tokens, span: Span, head: int) -> bool:
    words = tokens.words
    is_listed = False  # "no need to refund or cancel": the negation continues across the "or"
    for at in range(head - 1, max(-1, head - 1 - _REACH), -1):
        word = words[at]
        if word.clause != words[head].clause:
            return False
        if word.text in _words["negators"] or _is_compared(tokens, at):
            return at not in span.words and not _is_exempt(tokens, at, head)
        if at == head - 1 and word.text in _words["breaks"]:
            return _is_object(tokens, at, head)
        if (
            word.text not in {"or", "nor"}
            and word.text not in _words["transparent"]
            and not is_listed
        ):
            return False
        is_listed = word.text in {"or", "nor"}
    return False


def _is_object(tokens: Tokens, at: int, head: int) -> bool:
    """Return whether the head refers to the pronoun at *at*: "not want it canceled", but not "not want it cancel"."""
    words = tokens.words
    if words[at].text not in _words["pronouns"] or not words[head].text.endswith("ed"):
        return False
    return any(word.text == "not" for word in words[max(0, at - 3) : at])


def _is_compared(tokens: Tokens, at: int) -> bool:
    """Return whether "instead of" or "rather than" ends at *at*: "instead of a refund", "rather than return it"."""
    words = tokens.words
    if words[at].text == "than":
        return any(word.text == "rather" for word in words[max(0, at - _RATHER_REACH) : at])
    return words[at].text == "of" and at > 0 and words[at - 1].text in _words["instead"]


def _is_exempt(tokens: Tokens, at: int, head: int) -> bool:
    """Return whether the head is requested despite the negator at *at*: "No, cancel it", "I can not cancel it here"."""
    words = tokens.words
    before = words[at - 1].text if at else ""
    after = words[at + 1].text
    return (
        words[at].comma
        or before in _words["able"]
        or before in _words["exempt_before"]
        or (after in _words["exempt_behind"] and at + 1 < head)
        or (words[at].text == "not" and _is_request_to_us(tokens, at))
        or (words[at].text == "no" and words[head].text in _words["policies"])
    )


def _is_request_to_us(tokens: Tokens, at: int) -> bool:
    """Return whether the "not" at *at* is part of a request or complaint to us: "why do you not cancel"."""
    before = {word.text for word in tokens.words[max(0, at - 3) : at]}
    return not before.isdisjoint({"you", "they", "why"})


def is_conditional(tokens: Tokens, span: Span) -> bool:
    """Return whether *span* is only announced on a condition: "if it is not here by Friday I will cancel"."""
    words, head = tokens.words, span.lead[-1]
    for at in range(head - 1, max(-1, head - 1 - _CONDITION_REACH), -1):
        if words[at].sentence != words[head].sentence:
            return False
        if words[at].text in _words["ifs"] and not _is_polite_or_whether(tokens, at):
            if head - at <= _OWN_CLAUSE and any(
                word.text in _words["people"] for word in words[at:head]
            ):
                return False  # "if I return it, who pays?" is about returning
            is_order = words[head - 1].text in _words["imperative"]
            return not is_order or words[head - 2].text in _words["intends"]
    return False


def _is_polite_or_whether(tokens: Tokens, at: int) -> bool:
    """Return whether an "if" means "whether" or is a polite phrase: "let me know if you can", "if possible"."""
    words = tokens.words
    before = {word.text for word in words[max(0, at - 2) : at]}
    after = [word.text for word in words[at + 1 : at + 3]]
    if not before.isdisjoint(_words["asking_before"]):
        return True
    return bool(after) and (
        after[0] in _words["asking_next"] or after[-1] in _words["asking_second"]
    )
