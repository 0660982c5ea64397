"""
Contents of a question: its topics, in words that are the same for all ways to ask it, and its other words; and the
words of a customer whose question was not answered.

    "At what time does my shift start?", "When do I begin work?"    both: when, work, start
    "How much is delivery to Spain?"                                price, parcel, and the other word "spain"

The topics are in English, German, French, Spanish, Italian and Portuguese; questions in other languages have no topics
and keep their words. Pure, and bounded by the words of a message that are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from shared.ai.texts.languages.function_words import SMALL_WORDS, plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 60  # words of a message that are read
_STEM = 5  # letters that words of the same stem share
_LEAST_ALIKE = 0.6  # topics and words that both questions have, of all their topics and words
_FEWEST_COMMON = 2
_SHORTEST_BEGIN = 4  # letters of a stem that begins another one: "ship", "shipp"

# Phrases without accents, comma-separated; a longer phrase goes before its words.
_TOPICS: Mapping[str, str] = {
    "when": """when, what time, which time, what hour, which hour, what day, which day, what date, which date,
        how soon, time, wann, wie viel uhr, wieviel uhr, welche uhrzeit, welcher uhrzeit, uhrzeit, welchem tag,
        welcher tag, welches datum, welchem datum, quand, quelle heure, quel jour, quelle date, heure, cuando,
        que hora, que dia, que fecha, quando, che ora, che ore, che giorno, che data, orario, que horas, que
        data, wie lange kann ich noch, how long can i still""",
    "where": """where, address, location, place, which way, how do i get, how do i find, directions, wo bleibt,
        wo bleiben, wo, wohin, adresse, ort, anfahrt, standort, wie komme ich, ou est, ou se, ou dois, ou puis,
        ou faut, ou aller, ou c est, lieu, endroit, donde, adonde, direccion, lugar, ubicacion, dove, indirizzo,
        luogo, onde, aonde, endereco, morada, local, est ou, wo finde ich, wo seid ihr, wo sind sie""",
    "price": """how much, cost, costs, price, prices, fee, charge, wie viel kostet, wie viel kosten, was kostet,
        was kosten, kosten, kostet, preis, preise, gebuhr, combien coute, combien, prix, tarif, cout, coute,
        coutent, cuanto cuesta, cuanto vale, cuanto, precio, cuesta, coste, quanto costa, quanto, prezzo, costo,
        costa, quanto custa, preco, custo, custa, wie teuer, teuer, wie viel, wie hoch""",
    "how_long": """how long, duration, wie lange, dauert, dauer, combien de temps, dure, duree, cuanto tiempo,
        dura, quanto tempo, durata, duracao, how many days, how many hours, wie viele tage, wie viele stunden,
        wie viele wochen, combien de jours, cuantos dias, quanti giorni, quantos dias""",
    "who": "who, whom, wer, wem, wen, qui, quien, chi, quem",
    "start": """start, starts, starting, begin, begins, beginning, commences, beginnt, beginnen, fangt, anfangen,
        anfangt, startet, beginn, anfang, los, losgeht, commence, commencer, commences, debut, debute, empieza,
        empiezo, empezar, comienza, comienzo, comenzar, inicia, inicio, inizia, inizio, iniziare, comincia, comincio,
        cominciare, comeca, comeco, comecar""",
    "end": """end, ends, finish, finishes, over, until, endet, enden, ende, aufhort, schluss, vorbei, feierabend,
        finit, finis, finir, termine, terminer, fin, termina, termino, terminar, acaba, acabo, acabar, final, finisce,
        finisco, finire, fine, fim""",
    "work": """shift, shifts, work, working, job, duty, schicht, schichten, arbeit, arbeiten, arbeite, dienst, travail,
        travailler, travaille, poste, turno, turnos, trabajo, trabajar, turni, lavoro, lavorare, trabalho,
        trabalhar""",
    "parcel": """order, parcel, package, shipment, delivery, goods, bestellung, paket, sendung, ware, lieferung,
        commande, colis, paquet, livraison, pedido, paquete, envio, entrega, ordine, pacco, spedizione,
        consegna, encomenda, pacote, versand, versandkosten, lieferkosten""",
    "arrive": """arrive, arrives, arriving, come, comes, coming, get, receive, delivered, deliver, here, kommt,
        ankommen, ankommt, kommen, erhalte, bekomme, geliefert, beliefert, da sein, arrivera, arriver, recevoir,
        recevrai, recois, livre, livree, llega, llegara, llegar, recibo, recibire, recibir, arriva, arrivare,
        ricevo, ricevero, ricevere, chega, chegara, chegar, recebo, receber, vem, vendra, viene, vient""",
    "refund": """refund, refunded, money back, reimbursed, ruckerstattung, erstattung, erstattet, geld zuruck,
        remboursement, remboursee, rembourse, reembolso, devolucion, rimborso, rimborsato, my money, the money
        be back, the money, mein geld, das geld, mon argent, mi dinero, meu dinheiro, i miei soldi""",
    "cancel": """cancel, cancelled, cancellation, stornieren, absagen, kundigen, storno, annuler, annulation, cancelar,
        anular, annullare, disdire""",
    "change": """change, move, reschedule, postpone, andern, verschieben, umbuchen, changer, modifier, deplacer,
        cambiar, mover, cambiare, spostare, mudar, alterar, remarcar""",
    "appointment": """appointment, booking, meeting, reservation, visit, termin, buchung, reservierung, besuch,
        rendez vous, rdv, visite, cita, reserva, appuntamento, prenotazione, visita, consulta, marcacao,
        agendamento""",
    "open": """open, opening, opens, geoffnet, offen, offnet, offnungszeiten, ouvert, ouverts, ouvre, ouvrez,
        abierto, abiertos, abre, abren, aperto, aperti, apre, aprite, aberto, abertos, abrem, macht ihr auf,
        machen sie auf, aufmachen, habt ihr auf, haben sie auf, ouvrez vous""",
    "pay": """pay, paying, zahlen, bezahlen, zahle, bezahle, payer, paie, pagar, pago, pagare""",
    "invoice": "invoice, bill, receipt, rechnung, beleg, facture, factura, fattura, fatura",
}
# Words of a request around a question, in all languages.
_FILLERS = """
    tell know say said ask asked asking question answer actually again exactly sorry just need want supposed possible
    information hi hello hey thanks thank ok okay now still really give let see find out get got go again more then yes
    going idea no ve re ll s t d m don didn
    sagen sag wissen weiss genau nochmal nochmals mal eigentlich denn jetzt also gern gerne muss soll sollte mochte
    viel habt haben habe braucht ab
    hallo danke nun ja nein doch endlich einfach frage antwort bescheid geben geht gibt wollte will werde
    dire savoir sais exactement encore juste dois faut peux veux bonjour merci alors donc oui non question reponse mon
    est ce qu
    desde estan euch eure ihr
    decir saber dime digame exactamente todavia quiero necesito debo tengo hola gracias entonces pregunta respuesta
    otra vez si
    dire sapere dimmi mi dica esattamente ancora voglio devo ciao grazie allora domanda risposta volta scusi scusa
    dizer saber diga exatamente ainda quero preciso devo ola obrigado obrigada entao pergunta resposta vez
"""
# Words of a customer whose question was not answered.
_COMPLAINTS = """
    that is not what i asked, that was not what i asked, that s not what i asked, not what i asked, not my question,
    you did not answer, you didn t answer, you have not answered, you haven t answered, you are not answering,
    you re not answering, answer my question, answered my question yet, i already asked, i asked you already,
    i have asked you, i asked if, i asked whether, i asked when, i asked where, i asked how, i am asking again,
    i ask again, i still do not know, i still don t know, you keep saying the same, you keep repeating,
    das war nicht meine frage, das ist nicht meine frage, das habe ich nicht gefragt, danach habe ich nicht
    gefragt, meine frage nicht beantwortet, meine frage war, das beantwortet meine frage nicht, ich habe schon
    gefragt, ich habe doch gefragt, ich frage noch einmal, ich frage nochmal, ich fragte, ich weiss immer noch
    nicht, sie wiederholen sich, keine antwort auf meine frage,
    ce n est pas ma question, ce n etait pas ma question, ce n est pas ce que j ai demande, pas repondu a ma question,
    vous ne repondez pas, j ai deja demande, je ne sais toujours pas, vous repetez,
    eso no es lo que pregunte, no es lo que pregunte, no ha respondido, no has respondido, no me ha contestado,
    no me has contestado, no responde a mi pregunta, ya lo pregunte, ya le pregunte, ya pregunte, sigo sin saber,
    non e quello che ho chiesto, non era la mia domanda, non e la mia domanda, non ha risposto, non hai risposto,
    non risponde alla mia domanda, l ho gia chiesto, ho gia chiesto, non so ancora, continuo a non sapere,
    nao foi isso que perguntei, nao e isso que perguntei, nao respondeu, nao responde a minha pergunta,
    ja perguntei, ainda nao sei, continuo sem saber
"""
_DIFFER = frozenset({"end", "cancel", "change", "refund", "how_long"})
_ARRIVING = frozenset({"parcel", "refund"})


@dataclass(frozen=True, slots=True)
class Question:
    """The topics of a question and the stems of its other words."""

    topics: frozenset[str]
    words: frozenset[str]

    def is_like(self, other: Question) -> bool:
        """
        Return whether two questions ask the same in other words.

        They have most topics and words in common. If each has a word that the other does not have, they ask about
        different things, and so if only one asks about an end, a change or the like.
        """
        if self == other:
            return bool(self.topics)
        own, others = _unmatched(self.words, other.words), _unmatched(other.words, self.words)
        if own and others:
            return False
        if (self.topics ^ other.topics) & _DIFFER or _numbers(own | others):
            return False
        common = len(self.topics & other.topics) + len(self.words) - len(own)
        every = len(self.topics | other.topics) + len(self.words) + len(others)
        has_topic = bool(self.topics & other.topics)
        return has_topic and common >= _FEWEST_COMMON and common >= _LEAST_ALIKE * every


def question_in(text: str) -> Question:
    """Return what a question is about."""
    rest = f" {' '.join(plain_words(text)[:LONGEST])} "
    topics = set()
    for phrase, topic in _phrases():
        if phrase in rest:
            topics.add(topic)
            rest = rest.replace(phrase, " ")
    words = frozenset(word[:_STEM] for word in rest.split() if word not in _fillers())
    if "where" in topics and len(topics) > 1 and topics - {"where"} <= _ARRIVING and not words:
        topics = topics - {"where"} | {
            "when",
            "arrive",
        }  # "Where is my parcel?" asks when it arrives.
    return Question(frozenset(topics), words)


def complains(text: str) -> bool:
    """Return whether the customer says that a question was not answered."""
    words = f" {' '.join(plain_words(text)[:LONGEST])} "
    return any(phrase in words for phrase in _complaints())


def _unmatched(words: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the stems without one among *others* that begins with them, or that they begin with."""
    return frozenset(
        word
        for word in words - others
        if len(word) < _SHORTEST_BEGIN
        or not any(
            len(other) >= _SHORTEST_BEGIN and (word.startswith(other) or other.startswith(word))
            for other in others
        )
    )


def _numbers(words: frozenset[str]) -> list[str]:
    return [word for word in words if re.search(r"\d", word)]


@cache
def _phrases() -> tuple[tuple[str, str], ...]:
    """Return the phrases with their topics, longest first, so that `how long` is found before `how`."""
    listed = [
        (f" {' '.join(plain_words(phrase))} ", topic)
        for topic, phrases in _TOPICS.items()
        for phrase in phrases.split(",")
    ]
    return tuple(sorted(listed, key=lambda entry: -len(entry[0])))


@cache
def _complaints() -> tuple[str, ...]:
    return tuple(f" {' '.join(plain_words(phrase))} " for phrase in _COMPLAINTS.split(","))


@cache
def _fillers() -> frozenset[str]:
    return frozenset(plain_words(_FILLERS)).union(*SMALL_WORDS.values())
