"""Questions that ask the same in other words, and questions that only look alike."""

from __future__ import annotations

from itertools import pairwise

from conversations.ai.phrases.question_topics import LONGEST, complains, question_in
from tests.cases import each

SAME = (
    ("When does my shift start?", "What time do I begin work?", "At what hour does work start?"),
    ("When will my parcel arrive?", "What day do I get my order?", "When is my package delivered?"),
    ("Where is my order?", "When will the package arrive?"),
    ("Wo bleibt mein Paket?", "Wann kommt das Paket an?"),
    ("¿Dónde está mi pedido?", "¿Cuándo llega el paquete?"),
    ("Où est mon colis ?", "Quand arrivera la commande ?"),
    ("Where's my refund?", "When do I get my refund?", "When will the money be back?"),
    ("Was kostet der Versand?", "Versandkosten? Wie viel?"),
    ("Wann macht ihr auf?", "Ab wann habt ihr geöffnet?"),
    ("Wie lange dauert die Reparatur?", "Wie viele Tage braucht die Reparatur?"),
    ("Muss ich die Rechnung zahlen?", "Soll ich die Rechnung bezahlen oder nicht?"),
    ("Is my order shipped?", "Did my order ship?"),
    ("Where is it?", "What is the address?"),
    ("Where does my shift start?", "At what address do I begin work?"),
    ("How much is a filling?", "What does a filling cost?", "The price of a filling, please?"),
    ("Until when are you open?", "What time is it open until?"),
    ("How long does the appointment take?", "What is the duration of the appointment?"),
    ("When do I get my money back?", "What day will the refund arrive?"),
    ("Wann beginnt meine Schicht?", "Um wie viel Uhr fange ich die Arbeit an, wann geht es los?"),
    ("Wann kommt mein Paket?", "An welchem Tag bekomme ich die Lieferung?"),
    ("Was kostet die Reinigung?", "Wie viel kostet eine Reinigung denn?", "Preis der Reinigung?"),
    ("Quand commence mon travail ?", "À quelle heure débute le poste ?"),
    ("Combien coûte la livraison ?", "Quel est le prix de la livraison ?"),
    ("¿Cuándo llega mi pedido?", "¿Qué día recibo el paquete?"),
    ("¿A qué hora empieza mi turno?", "¿Cuándo comienza el trabajo?"),
    ("Quando arriva il mio pacco?", "Che giorno ricevo l'ordine?"),
    ("A che ora inizia il turno?", "Quando comincia il lavoro?"),
    ("When is my order going to arrive?", "Any idea when the parcel comes?"),
    ("Wann werde ich beliefert, wann kommt das Paket?", "Wann ist die Lieferung da?"),
    ("Quando chega a minha encomenda?", "Que dia recebo o pacote?"),
    ("A que horas começa o turno?", "Quando começa o trabalho?"),
)
OTHER = (
    ("When does my shift start?", "When does my shift end?"),
    ("When does my shift start?", "Where does my shift start?"),
    ("How much is delivery to France?", "How much is delivery to Spain?"),
    ("How much is a filling?", "How much is a crown?"),
    ("When do I get my order?", "Can I cancel my order?"),
    ("Can I move the appointment?", "When is the appointment?"),
    ("When is my parcel 1234 here?", "When is my parcel 9876 here?"),
    ("Where can I return my order?", "When will my order arrive?"),
    ("Who is my dentist?", "Where is my dentist?"),
    ("Wann beginnt die Schicht?", "Wann endet die Schicht?"),
    ("Was kostet die Reinigung?", "Was kostet die Füllung?"),
    ("Quand commence le cours de yoga ?", "Quand commence le cours de danse ?"),
    ("¿Cuánto cuesta la habitación doble?", "¿Cuánto cuesta la habitación individual?"),
    ("Quando arriva il pacco?", "Dove arriva il pacco?"),
    ("Quando começa o turno?", "Quando termina o turno?"),
    ("Is it warm?", "Is it cold?"),
    ("", ""),
)


@each("same", SAME)
def test_questions_in_other_words_are_alike(same: tuple[str, ...]) -> None:
    for one, other in pairwise(same):
        assert question_in(one).is_like(question_in(other)), (one, other)


@each("other", OTHER)
def test_questions_about_something_else_are_not(other: tuple[str, str]) -> None:
    assert not question_in(other[0]).is_like(question_in(other[1]))


def test_only_the_first_words_of_a_message_are_read() -> None:
    long = f"When is my shift {'and ' * LONGEST} in Leeds"

    assert question_in(long) == question_in("When is my shift")


@each(
    "text",
    [
        "That's not what I asked.",
        "I asked if I can move it",
        "Ich frage nochmal: wann?",
        "You still didn't answer my question",
        "Das war nicht meine Frage!",
        "Ich weiß immer noch nicht, wann",
        "Ce n'est pas ce que j'ai demandé",
        "Eso no es lo que pregunté",
        "Non è quello che ho chiesto.",
        "Não foi isso que perguntei",
    ],
)
def test_a_customer_whose_question_was_not_answered_says_so(text: str) -> None:
    assert complains(text)


@each(
    "text", ["You answered my question, thanks", "My question is answered", "Ich habe eine Frage"]
)
def test_thanks_for_an_answer_are_no_complaint(text: str) -> None:
    assert not complains(text)
