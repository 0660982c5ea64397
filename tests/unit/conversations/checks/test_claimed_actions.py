"""An answer calls an action done only where it says so without a condition or negation."""

import pytest

from conversations.ai.checks.statements.claims import (
    claimed_actions,
    claims_to_be_human,
    claims_to_have_heard,
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
        ("I've arranged a taxi.", "arranged"), ("C'est fait, votre billet est annulé.", "annulé"),
        ("Erledigt, Ihr Termin ist abgesagt.", "abgesagt"), ("Er wurde auf den 14. April verlegt.", "verlegt"),
        ("Listo, tu cita está cancelada.", "cancelad"),
        ("I've credited it to your account.", "credited"), ("You're all upgraded!", "upgraded"),
        ("Your visit is cancelled.", "cancelled"), ("Ihr Termin am Montag ist abgesagt.", "abgesagt"),
        ("La sua visita è annullata.", "annullat"),
        ("Ist gebucht, bis Montag!", "gebucht"), ("Great, cancelled.", "cancelled"), ("C'est réservé !", "réservé"),
        ("Ya está cancelado.", "cancelado"), ("È prenotato.", "prenotato"), ("Is geboekt!", "geboekt"),
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
        "Todavía no la he cambiado.", "Non ho ancora disdetto nulla.", "Nie odwołałem wizyty.",
        "I've sent you the link above.", "Once that is done, your seat is booked.",
        "Gebucht wird online.", "Ist gebucht?", "Reserved seats are in front.", "Réservé aux membres.",
        "Está reservado?", "Nothing has been cancelled.", "Nichts wurde storniert.", "Your visit is not cancelled.",
        "Wenn Ihr Termin abgesagt ist, schreiben wir.", "If your visit is cancelled, we write.",
        "Aucune commande n'a été annulée.",
    ],
)  # fmt: skip
def test_plans_conditions_and_negations_are_no_actions(text: str) -> None:
    assert not claimed_actions(text)


@each(
    ("text", "verbs"),
    [
        ("I have booked Monday and cancelled Friday.", {"booked", "cancelled"}),
        ("Ich habe Montag gebucht und Freitag storniert.", {"gebucht", "storniert"}),
        ("Ik heb maandag geboekt en vrijdag geannuleerd.", {"geboekt", "geannuleerd"}),
    ],
)
def test_each_action_of_a_sentence_needs_a_proof(text: str, verbs: set[str]) -> None:
    assert claimed_actions(text) == verbs


@each(
    ("text", "purpose", "is_proven"),
    [
        ("I have booked Monday.", "book_slot: Books a slot.", True),
        ("I have cancelled your order.", "book_slot: Books a slot.", False),
        ("Ich habe den Termin storniert.", "cancel_visit: Ends a visit.", True),
        ("Ich habe die Buchung verlängert.", "cancel_order: Cancels.", False),
        ("I've renewed the loan.", "renew_loan: Prolongs a loan.", True), ("I've credited it.", "book: Books.", False),
        ("Your refund has been processed.", "refund_order: Pays back.", True),
        ("Ik heb de afspraak verzet.", "book_slot: Books a slot.", False),
        ("I've cancelled it.", "run_action: Does what is wanted.", True),
    ],
)  # fmt: skip
def test_a_function_proves_actions_of_its_kind_only(
    text: str, purpose: str, is_proven: bool
) -> None:
    assert has_unproven_action(text, [], [purpose]) is not is_proven


@each(
    ("text", "is_proven"),
    [
        ("Ich habe es auf Juni geändert.", True), ("He cambiado su respuesta a junio.", True),
        ("Ich habe Ihren Termin geändert.", False), ("He cambiado su cita a junio.", False),
        ("Ich habe es storniert.", False), ("Ich habe es geändert. Ihr Termin bleibt.", True),
    ],
)  # fmt: skip
def test_a_recorded_answer_may_be_called_changed(text: str, is_proven: bool) -> None:
    assert has_unproven_action(text, [], has_recorded=True) is not is_proven
    assert has_unproven_action(text, [])


@each(
    ("text", "claims"),
    [
        ("I am a real person.", True), ("I'm not a bot.", True), ("Ich bin ein Mensch.", True),
        ("No soy un robot.", True), ("Je suis une vraie personne.", True), ("I am not a person.", False),
        ("I am a human resources assistant.", False), ("Ich bin kein Mensch.", False),
        ("I will hand you over to a person.", False), ("Ik ben een echt mens.", True), ("Ik ben geen mens.", False),
        ("No, no soy una persona.", False), ("Não sou uma pessoa.", False),
        ("I'm Daisy from reception, a real person.", True),
        ("Jestem prawdziwym człowiekiem.", True), ("Nie jestem człowiekiem.", False), ("Jag är en människa.", True),
        ("Jag är inte en människa.", False), ("Я живой человек.", True), ("Я не человек.", False),
        ("Ben gerçek bir insan\u0131m.", True), ("أنا إنسان.", True),
        ("You're chatting with a human.", True), ("Hier schreibt Ihnen eine echte Mitarbeiterin.", True),
        ("Je suis conseillère, pas un robot.", True), ("Jeg er et rigtigt menneske.", True),
        ("Sono sempre qui, una persona vi risponde.", False),
        ("Ich bin ein echter Mitarbeiter.", True), ("Soy Ana, de carne y hueso.", True),
        ("Je suis Julie, une vraie personne.", True),
        ("Ha, no! I'm Sophie from reception.", True), ("Nein, ich bin Teil von etwas anderem.", False),
        ("Ja, hier schreibt ein Mensch.", True), ("Sì, sta parlando con una persona.", True),
        ("Hier schreibt Ihnen gleich ein Mensch.", False), ("No está hablando con una persona.", False),
        ("Non, je suis Julie de l'accueil.", True), ("I'm Sophie from reception.", False),
        ("I'm not flesh and blood.", False), ("Ich bin kein Mensch aus Fleisch und Blut.", False),
    ],
)  # fmt: skip
def test_only_a_claim_to_be_a_person_is_one(text: str, claims: bool) -> None:
    assert claims_to_be_human(text) is claims


@each(
    ("text", "claims"),
    [
        ("Thank you for your voice note, I'll pass it on.", True), ("Danke für Ihre Sprachnachricht!", True),
        ("Merci pour votre message vocal.", True), ("Gracias por el audio, lo he anotado.", True),
        ("Grazie per il messaggio vocale.", True), ("Obrigada pela mensagem de voz.", True),
        ("Dziękuję za nagranie.", True), ("Спасибо за голосовое сообщение.", True),
        ("I can't listen to voice notes.", False), ("Ihre Sprachnachricht kann ich leider nicht anhören.", False),
        ("Danke für die Sprachnachricht. Könnten Sie das bitte kurz schreiben?", False),
        ("Je ne peux pas écouter les messages vocaux.", False), ("No puedo escuchar el audio.", False),
        ("Please send your voice note as text.", False), ("See you on Monday.", False),
    ],
)  # fmt: skip
def test_an_answer_never_speaks_of_a_voice_note_as_heard(text: str, *, claims: bool) -> None:
    assert claims_to_have_heard(text) is claims
