"""The word model, and how the classifier combines it with the patterns of Tier 0."""

import pytest

from richpanel.classification import Classification, Message
from richpanel.classification.classifier import classify
from richpanel.classification.lexicon.tokens import Tokens, tokens_of
from richpanel.classification.lexicon.vocabulary import Vocabulary
from richpanel.classification.taxonomy import Intent
from richpanel.classification.word_model import (
    URGENT,
    encoded,
    features,
    likelihoods,
    word_model_result,
)


def words(text: str) -> Tokens:
    return tokens_of(text, Vocabulary(()))


def about(text: str) -> Classification:
    return classify(Message(text=text))


def test_likelihoods_are_of_every_intent_and_together_one() -> None:
    found = word_model_result(words("my kettle arrived in bits"), question=False).likely

    assert set(found) == set(Intent)
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_text_of_unknown_words_is_doubted() -> None:
    result = word_model_result(words("zzxq vvkp"), question=False)

    assert result.known == 0.0
    assert max(result.likely.values()) < 0.5
    assert about("zzxq vvkp qqrt wwop").is_doubted


def test_inflections_of_a_word_and_all_numbers_share_a_feature() -> None:
    assert "0" in features(words("2 of 3"), question=False)
    ordered = features(words("ordered"), question=False)
    assert features(words("orders"), question=False) & ordered >= {"order", "^ order"}


def test_pairs_of_words_end_with_their_sentence() -> None:
    found = features(words("cancel. now"), question=False)

    assert "^ now" in found
    assert "cancel now" not in found


def test_a_greeting_before_a_text_changes_no_feature() -> None:
    asked = "I ordered a bell. Where is it"
    found = features(words(asked), question=False)

    for greeting in ("Hi there\n", "Good morning. "):
        assert features(words(greeting + asked), question=False) == found
    assert "hi" in features(words("Hi there"), question=False)


def test_words_after_a_negator_have_features_of_their_own() -> None:
    assert "!cancel" in features(words("do not want to cancel"), question=False)
    assert "!cancel" not in features(words("no. cancel"), question=False)


def test_a_feature_that_is_not_stored_changes_nothing() -> None:
    assert likelihoods({"qqq www"}) == likelihoods(set())


def test_weights_are_stored_rounded_and_clamped() -> None:
    signs = [ord(sign) for sign in encoded([0.0, 0.6, -0.6, 99.0, -99.0], 0.06)]

    assert signs == [79, 89, 69, 126, 33]


def test_a_threat_inside_a_long_story_is_suspected() -> None:
    story = "We bought a lamp for the hall last month and it looks lovely there. " * 6
    threat = "If nobody answers me I am going to smash up your driver's face and your shop. "

    assert word_model_result(words(story), question=False).urgency < 0.5
    assert word_model_result(words(story + threat + story), question=False).urgent_part > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Expect a chargeback from my bank",
        "I am suing you",
        "I will kill you",
        "Somebody hacked my account",
        "You scam people, and Amex are going to take the money back from you",
    ],
)
def test_a_clear_threat_is_tier_0(text: str) -> None:
    assert about(text).primary in URGENT


@pytest.mark.parametrize(
    "text",
    [
        "scammers, where is my order",
        "I contacted my bank about the refund, where is it",
        "This is unacceptable, refund me now you idiots",
        "I will call the police, where is my refund",
    ],
)
def test_a_weak_signal_holds_the_reply_and_flags_nothing(text: str) -> None:
    answer = about(text)

    assert answer.suspected_tier0
    assert answer.primary not in URGENT
    assert answer.risk_flags == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "You took the money from my bank account twice",
        "worst shop ever, you ruined my daughter's birthday",
        "I want to make a formal complaint about the delay",
        "I want to talk to a human being",
        "Hello, are you a real person?",
        "this wait is killing me",
        "Here you go: 12345",
    ],
)
def test_ordinary_anger_and_talk_of_banks_is_not_tier_0(text: str) -> None:
    assert about(text).primary not in URGENT


def test_words_of_other_languages_do_not_count_in_english_text() -> None:
    assert about("Is this justice? My parcel is late, please help").strong_tier0 == frozenset()
    assert about("voy a poner una denuncia con mi abogado").strong_tier0 == {Intent.LEGAL_THREAT}


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to cancel, I want to know where it is",
        "can I have a refund instead of the replacement",
        "No refund please, just tell me when my order arrives",
    ],
)
def test_a_request_that_is_negated_or_compared_gets_no_automatic_reply(text: str) -> None:
    assert about(text).is_doubted
