"""An answer calls an action done only where it says so without a condition or negation."""

import pytest

from conversations.ai.checks.statements import (
    claimed_actions,
    claims_to_be_human,
    has_unproven_action,
)
from tests.cases import each


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("I've just booked it.", "booked"), ("Your order has been canceled.", "cancelled"),
        ("Ich habe den Termin für Sie storniert.", "storniert"), ("J'ai annulé votre commande.", "annulé"),
        ("He reservado su cita.", "reservad"), ("Ho prenotato la camera.", "prenotat"),
        ("Cancelei a reserva.", "cancelei"), ("Ik heb de afspraak geannuleerd.", "geannuleerd"),
        ("Anulowałem zamówienie.", "anulował"), ("Din tid är avbokad.", "avbokad"), ("Я отменил заказ.", "отмени"),
        ("Rezervasyonunuzu iptal ettim.", "iptal"), ("لقد ألغيت موعدك.", "ألغيت"),
    ],
)  # fmt: skip
def test_an_action_that_is_called_done_needs_a_proof(text: str, verb: str) -> None:
    assert claimed_actions(text) == {verb}
    assert has_unproven_action(text, ["Nothing about it"])
    assert not has_unproven_action(text, [f"status: {verb}"])


@each(
    "text",
    [
        "I have not booked it.", "Once I have booked it, I will write.", "I can book it.", "Shall I cancel it?",
        "Ich habe es noch nicht storniert.", "Sobald ich es gebucht habe, schreibe ich.", "Je peux annuler.",
        "If it has been cancelled, you get a mail.", "Ik heb het nog niet geannuleerd.", "Zapisałem odpowiedź.",
        "Als de afspraak is geannuleerd, hoort u dat.", "Вы отменили заказ?", "Ik heb een notitie gemaakt.",
    ],
)  # fmt: skip
def test_plans_conditions_and_negations_are_no_actions(text: str) -> None:
    assert not claimed_actions(text)


@each(
    ("text", "claims"),
    [
        ("I am a real person.", True), ("I'm not a bot.", True), ("Ich bin ein Mensch.", True),
        ("No soy un robot.", True), ("Je suis une vraie personne.", True), ("I am not a person.", False),
        ("I am a human resources assistant.", False), ("Ich bin kein Mensch.", False),
        ("I will hand you over to a person.", False), ("Ik ben een echt mens.", True), ("Ik ben geen mens.", False),
        ("Jestem prawdziwym człowiekiem.", True), ("Nie jestem człowiekiem.", False), ("Jag är en människa.", True),
        ("Jag är inte en människa.", False), ("Я живой человек.", True), ("Я не человек.", False),
        ("Ben gerçek bir insan\u0131m.", True), ("أنا إنسان.", True),
        ("Sono sempre qui, una persona vi risponde.", False),
    ],
)  # fmt: skip
def test_only_a_claim_to_be_a_person_is_one(text: str, claims: bool) -> None:
    assert claims_to_be_human(text) is claims
