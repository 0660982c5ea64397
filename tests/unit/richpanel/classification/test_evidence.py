"""The word model, and how its likelihoods are combined with the lexicon scores."""

import pytest

from richpanel.classification import Message
from richpanel.classification.classifier import classify
from richpanel.classification.evidence_score import WordModelResult, combined_scores, is_doubted
from richpanel.classification.lexicon.evidence import (
    URGENT,
    features,
    likelihoods,
    signs_of,
    urgency,
    weights_of,
)
from richpanel.classification.lexicon.tokens import Tokens, tokens_of
from richpanel.classification.lexicon.vocabulary import Vocabulary
from richpanel.classification.taxonomy import Intent


def words(text: str) -> Tokens:
    return tokens_of(text, Vocabulary(()))


def test_likelihoods_are_of_every_intent_and_together_one() -> None:
    found = likelihoods(words("my kettle arrived in bits"))

    assert set(found) == set(Intent)
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_text_of_unknown_words_has_only_low_likelihoods() -> None:
    assert max(likelihoods(words("zzxq vvkp")).values()) < 0.4


def test_the_same_text_always_has_the_same_likelihoods() -> None:
    text = "where is the parcel that I ordered for my mother"

    assert likelihoods(words(text)) == likelihoods(words(text))


def test_inflections_of_a_word_and_all_numbers_share_a_feature() -> None:
    assert "0" in features(words("2 of 3"))
    assert features(words("orders")) & features(words("ordered")) >= {"order", "^ order"}


def test_pairs_of_words_end_with_their_sentence() -> None:
    found = features(words("cancel. now"))

    assert "^ now" in found
    assert "cancel now" not in found


def test_weights_are_stored_rounded_and_clamped() -> None:
    weights = [0.0, 1.3, -1.3, 99.0, -99.0]

    found = weights_of(signs_of(weights))

    assert found[:3] == pytest.approx(weights[:3], abs=0.031)
    assert found[3] == max(found)
    assert found[4] == min(found)


def test_a_threat_inside_a_long_story_is_detected() -> None:
    story = "We bought a lamp for the hall last month and it looks lovely there. " * 6
    threat = "If nobody answers me I am going to beat up your driver and burn down your shop. "

    assert urgency(words(story)) < 0.5
    assert urgency(words(story + threat + story)) > 0.75


def word_model_result(
    *, urgent_part: float = 0.0, words: int = 8, **likely: float
) -> WordModelResult:
    named = {Intent(name): value for name, value in likely.items()}
    return WordModelResult(dict.fromkeys(Intent, 0.0) | named, urgent_part, words)


def test_urgent_likelihoods_add_an_intent_that_no_pattern_matched() -> None:
    scores = combined_scores(
        {Intent.BILLING_ISSUE: 0.96}, word_model_result(fraud_suspected=0.4, legal_threat=0.1)
    )

    assert scores[Intent.FRAUD_SUSPECTED] == pytest.approx(0.5)
    assert scores[Intent.BILLING_ISSUE] == 0.96


def test_the_word_model_does_not_cancel_a_tier_0_pattern() -> None:
    found = {Intent.LEGAL_THREAT: 0.96}

    assert combined_scores(found, word_model_result(unknown_other=1.0)) == found


def test_a_clear_likelihood_decides_which_urgent_intent_is_first() -> None:
    scores = combined_scores(
        {Intent.CHARGEBACK_DISPUTE: 0.96}, word_model_result(fraud_suspected=0.9)
    )

    assert scores[Intent.FRAUD_SUSPECTED] > scores[Intent.CHARGEBACK_DISPUTE]


def test_without_a_lexicon_match_the_model_stays_below_the_threshold_of_order_facts() -> None:
    scores = combined_scores({}, word_model_result(order_status_tracking=0.99))

    assert scores[Intent.ORDER_STATUS_TRACKING] == 0.84


def test_a_clear_other_intent_of_the_model_replaces_the_lexicons_and_lowers_the_confidence() -> (
    None
):
    scores = combined_scores(
        {Intent.ORDER_STATUS_TRACKING: 0.96},
        word_model_result(technical_support=0.9, refund_request=0.1),
    )

    assert scores[Intent.TECHNICAL_SUPPORT] == pytest.approx(0.74)
    assert scores[Intent.ORDER_STATUS_TRACKING] <= 0.5


def test_a_low_likelihood_changes_nothing() -> None:
    found = {Intent.ORDER_STATUS_TRACKING: 0.96}

    assert (
        combined_scores(found, word_model_result(technical_support=0.35, order_status_tracking=0.1))
        == found
    )


def test_low_likelihoods_of_several_urgent_intents_are_not_urgent() -> None:
    diffuse = word_model_result(harassment_threats=0.18, legal_threat=0.12, fraud_suspected=0.1)
    beside = word_model_result(harassment_threats=0.38, pre_purchase_question=0.2)

    assert combined_scores({}, diffuse).keys().isdisjoint(URGENT)
    assert combined_scores({Intent.PRE_PURCHASE_QUESTION: 0.96}, beside).keys().isdisjoint(URGENT)


def test_one_or_two_words_need_a_higher_likelihood_to_be_urgent() -> None:
    half = {"harassment_threats": 0.5}

    assert Intent.HARASSMENT_THREATS in combined_scores({}, word_model_result(words=8, **half))
    assert Intent.HARASSMENT_THREATS not in combined_scores({}, word_model_result(words=2, **half))


def test_a_text_that_is_likelier_of_no_intent_is_no_threat() -> None:
    scores = combined_scores({}, word_model_result(harassment_threats=0.42, unknown_other=0.5))

    assert scores.keys().isdisjoint(URGENT)


def test_a_nearly_urgent_or_unlikely_intent_is_doubted() -> None:
    status = Intent.ORDER_STATUS_TRACKING

    assert is_doubted(status, word_model_result(order_status_tracking=0.7, legal_threat=0.3))
    assert is_doubted(status, word_model_result(order_status_tracking=0.9, urgent_part=0.6))
    assert is_doubted(status, word_model_result(technical_support=0.3, order_status_tracking=0.01))
    assert not is_doubted(
        status, word_model_result(technical_support=0.3, order_status_tracking=0.3)
    )


def test_a_request_for_an_agent_is_a_threat_only_at_a_very_high_likelihood() -> None:
    likely = word_model_result(harassment_threats=0.7, phone_support_request=0.1)
    sure = word_model_result(harassment_threats=0.9)

    assert combined_scores({}, likely.for_agent_request).keys().isdisjoint(URGENT)
    assert Intent.HARASSMENT_THREATS in combined_scores({}, sure.for_agent_request)
    assert (
        not combined_scores({}, word_model_result(urgent_part=0.85).for_agent_request)
        .keys()
        .isdisjoint(URGENT)
    )


def test_the_model_can_only_remove_intents_of_a_privacy_request() -> None:
    result = word_model_result(order_status_tracking=0.1, legal_threat=0.5, unknown_other=0.4)
    status = {Intent.ORDER_STATUS_TRACKING: 0.96}

    assert combined_scores(status, result.against(status)) == {}
    assert classify(Message(text="Delete all my data and my account")).primary not in URGENT


@pytest.mark.parametrize(
    "text",
    [
        "Amex are going to take it from here, you had your chance",
        "My solicitor would like to know where to write to",
        "One of you is going to end up in hospital",
        "Three orders were placed while I was asleep and none of them is mine",
    ],
)
def test_indirect_wordings_of_tier_0_are_urgent(text: str) -> None:
    assert classify(Message(text=text)).primary in URGENT


@pytest.mark.parametrize(
    "text",
    [
        "You took the money from my bank account twice",
        "This is unacceptable, refund me now or I will leave a bad review",
        "worst shop ever, you ruined my daughter's birthday",
        "I want to make a formal complaint about the delay",
    ],
)
def test_ordinary_anger_and_talk_of_banks_is_not_tier_0(text: str) -> None:
    assert classify(Message(text=text)).primary not in URGENT


@pytest.mark.parametrize(
    "text",
    [
        "I want to talk to a human being",
        "put me through to a human",
        "Hello, are you a real person?",
    ],
)
def test_a_request_for_an_agent_is_no_threat(text: str) -> None:
    assert classify(Message(text=text)).primary not in URGENT


@pytest.mark.parametrize("custom", ["Here you go", "here it is", "There you are"])
def test_a_customary_opening_is_ignored(custom: str) -> None:
    """Threats contain the same words, but continue after them."""
    found = likelihoods(words(f"{custom}: 12345"))
    threat = likelihoods(words("I know where you are"))

    assert sum(found[intent] for intent in URGENT) < 0.2
    assert sum(threat[intent] for intent in URGENT) > 0.5
