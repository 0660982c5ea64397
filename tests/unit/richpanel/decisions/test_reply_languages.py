"""An automatic reply is sent only in the customer's language."""

import json

import pytest

from richpanel.classification import Classification, Language, Message
from richpanel.classification.classifier import classify
from richpanel.classification.taxonomy import Intent
from richpanel.decisions.facts import Memory, PendingFlow
from richpanel.decisions.model_answers import ModelDecision, merge
from richpanel.inbound.channels import Channel
from tests.unit.richpanel.situations import about, ago, order, outcome, status

RETURN = (Intent.RETURN_REQUEST, 0.96)


def by_model(text: str, language: str, intent: Intent = Intent.RETURN_REQUEST) -> Classification:
    answer = {
        "schema_version": "rp_decision_v1",
        "language": language,
        "intents": [{"intent": intent, "confidence": 0.96}],
        "risk_flags": [],
        "wants_human": False,
    }
    rules = classify(Message(text=text, channel=Channel.EMAIL))
    return merge(rules, ModelDecision.parse(json.dumps(answer)))[0]


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.SPANISH])
def test_a_reply_is_in_the_customers_language(language: Language) -> None:
    reply = outcome(about(RETURN, language=language)).reply

    assert reply is not None
    assert reply.language is language


def test_without_a_wording_in_the_customers_language_there_is_no_reply() -> None:
    decision = outcome(about(RETURN, language=Language.UNKNOWN))

    assert (decision.reply, decision.reason) == (None, "no_template_in_language")
    assert decision.team == "returns"


def test_facts_of_an_order_are_stated_in_english_only() -> None:
    decision = outcome(status(language=Language.SPANISH), order_facts=order())

    assert (decision.reply, decision.reason) == (None, "no_template_in_language")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Quiero devolver mi pedido, ¿cómo lo hago?", "es"),
        ("Ich möchte meine Bestellung zurückschicken", "de"),
        ("Je voudrais renvoyer ma commande", "fr"),
        ("Quero devolver a minha encomenda", "pt"),
        ("Vorrei restituire il mio ordine", "it"),
        ("Ik wil mijn bestelling terugsturen", "nl"),
    ],
)
def test_the_language_that_a_model_names_decides(text: str, language: str) -> None:
    decision = outcome(by_model(text, language))

    assert bool(decision.reply) is (language == "es")


@pytest.mark.parametrize("text", ["Retour 4711", "Paket 4711??", "colis perdu", "rimborso?"])
def test_a_few_words_in_an_unknown_language_are_not_taken_for_english(text: str) -> None:
    assert outcome(by_model(text, "unknown")).reply is None
    assert outcome(classify(Message(text=text, channel=Channel.EMAIL))).reply is None


@pytest.mark.parametrize(
    ("text", "language"),
    [("#1001", Language.SPANISH), ("my number is #1001, thank you", Language.ENGLISH)],
)
def test_a_number_alone_is_answered_in_the_language_of_our_question(
    text: str, language: Language
) -> None:
    memory = Memory(pending_flow=PendingFlow(ago(hours=1), 1, language=Language.SPANISH))
    answer = classify(Message(text=text, channel=Channel.EMAIL, expects_order_number=True))

    decision = outcome(answer, memory)

    assert decision.language is language
    assert decision.reply is not None
    assert decision.reply.language is language
