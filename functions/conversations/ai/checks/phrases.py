"""Matches phrases as whole words, without case, accents and punctuation: requests for an agent, or to stop."""

from collections.abc import Sequence
from functools import cache

from shared.ai.languages.function_words import plain_words

# By language, separated by commas. A phrase that begins with `=` must be the whole message.
_PERSON = {
    "en": """
        speak to a person, speak with a person, talk to a person, talk with a person, speak to a human, talk to a
        human, speak with a human, speak to someone, speak with someone, talk to someone, talk with someone, speak to
        somebody, talk to somebody, speak to an agent, talk to an agent, speak with an agent, speak to a
        representative, talk to a representative, speak to an advisor, speak to a manager, talk to a manager, speak to
        a colleague, real person, real human, human being please, person please, agent please, call me, ring me, put
        me through, connect me, =human, =agent, =operator, =person""",
    "de": """
        mit einem menschen, mit einer person, mit jemandem sprechen, mit jemand sprechen, mit jemandem reden, mit
        einem mitarbeiter, mit einer mitarbeiterin, mit einem berater, mit einem ansprechpartner, echter mensch,
        echten menschen, echte person, verbinden sie mich, rufen sie mich an, ruf mich an, mensch bitte, mitarbeiter
        bitte, =mensch, =mitarbeiter""",
    "fr": """
        parler à une personne, parler avec une personne, parler à quelqu'un, parler avec quelqu'un, parler à un
        humain, parler avec un humain, parler à un conseiller, parler avec un conseiller, parler à un agent, parler à
        un responsable, une vraie personne, être mis en relation, rappelez moi, appelez moi, un humain, =humain,
        =conseiller""",
    "es": """
        hablar con una persona, hablar con alguien, hablar con un agente, hablar con un humano, hablar con un asesor,
        hablar con un representante, hablar con un responsable, persona real, pásame con, páseme con, llámenme,
        llámame, un humano, =agente, =humano, =operador""",
    "it": """
        parlare con una persona, parlare con qualcuno, parlare con un operatore, parlare con un umano, parlare con un
        consulente, parlare con un responsabile, persona reale, persona vera, mi chiami, chiamatemi, richiamatemi, un
        operatore, un umano, =operatore, =umano""",
    "pt": """
        falar com uma pessoa, falar com alguém, falar com um atendente, falar com um humano, falar com um agente,
        falar com um responsável, pessoa real, pessoa de verdade, me liga, me ligue, liguem me, um humano, um
        atendente, =atendente, =humano""",
}

# Phrases of `_PERSON` that also have other meanings: "you can call me Ann", "a table for one person please".
_UNCLEAR = """
    real person, real human, human being please, person please, agent please, call me, ring me, echter mensch, echten
    menschen, echte person, rufen sie mich an, ruf mich an, mensch bitte, mitarbeiter bitte, une vraie personne,
    rappelez moi, appelez moi, un humain, persona real, llámenme, llámame, un humano, persona reale, persona vera, mi
    chiami, chiamatemi, richiamatemi, un operatore, un umano, pessoa real, pessoa de verdade, me liga, me ligue,
    liguem me, um humano, um atendente"""
# Further clear ones, also of languages for which `asks_for_a_person` has none.
_CLEAR = """
    get me a human, get me a person, get me an agent, want a human, want a person, want an agent, need a human, need
    an agent, to a live agent, to customer service, human agent, nicht mit einem bot, nicht mit einer maschine, einen
    menschen sprechen, menschen schreiben, jemanden sprechen, einen mitarbeiter sprechen, einen menschen bitte, met
    een mens, met een medewerker, met iemand spreken, met iemand praten, medewerker spreken, z człowiekiem, z
    konsultantem, z pracownikiem, med en människa, med en person, med et menneske, med en medarbejder, bir insanla,
    bir temsilciyle, müşteri temsilcisi, met een persoon spreken, met een persoon praten, een echte persoon, een echt
    persoon, een echt mens, mluvit s člověkem, mluvit s operátorem, vorbesc cu o persoană, vorbi cu o persoană,
    vorbesc cu un om, vorbi cu un om, vorbesc cu un operator, поговорить с человеком, говорить с человеком, с
    оператором, поговорити з людиною, з оператором, puhua ihmisen kanssa, puhua asiakaspalvelijan kanssa, emberrel
    beszélni, ügyintézővel beszélni, speak to a real person, speak with a real person, talk to a real
    person, talk with a real person, me to a real person, talk to a real human, speak to a real human, mit einer
    echten person sprechen, mit einer echten person reden, mit einem echten menschen sprechen, mit einem echten
    menschen reden, parler à une vraie personne, parler avec une vraie personne, التحدث مع شخص,
    التحدث الى شخص, التحدث مع موظف, التحدث الى موظف, اتكلم مع موظف, اكلم موظف, μιλήσω με άνθρωπο, μιλήσω με κάποιον,
    μιλήσω με έναν άνθρωπο, μιλήσω με εκπρόσωπο, μιλήσω με υπάλληλο, इंसान से बात करनी, इंसान से बात करना,
    किसी व्यक्ति से बात, एजेंट से बात, nói chuyện với người, gặp nhân viên, nói chuyện với nhân viên, bicara dengan
    manusia, bicara dengan orang, bicara dengan petugas, bicara dengan agen, לדבר עם נציג,
    לדבר עם אדם, לדבר עם בן אדם"""
# Parts of texts in scripts without blanks between words.
_UNSPACED = """
    担当者と話し, 担当者に繋い, 担当者につない, 人間と話し, 人と話したい, オペレーターと話,
    オペレーターにつない, スタッフと話し, 转人工, 轉人工, 找人工, 人工客服, 真人客服, 跟真人, 和真人, 與真人,
    상담원과, 상담원 연결, 사람과 이야기, คุยกับเจ้าหน้าที่, คุยกับพนักงาน, คุยกับคน"""
_UNSPACED_NEGATIONS = "不 别 別 ไม่"
_NEGATIONS = "not don't dont no never nicht kein keine keinen ne pas non não nunca geen niet nie"
_QUESTION_WORDS = """
    what when where who which why how was wann wo wer wie warum wieso welche welcher welches wohin quand pourquoi
    comment combien quel quelle cuándo dónde quién cómo cuál cuánto cuánta quando dove chi perché quale quanto onde
    quem qual wat wanneer waar wie hoe waarom welke kiedy gdzie kto jak dlaczego ile"""
_BEFORE = 5  # words before a phrase in which a negation counts
# By language, separated by commas.
_NO_MESSAGES = {
    "en": """
        stop, unsubscribe, opt out, do not contact, don't contact, dont contact, never contact, do not message, don't
        message, dont message, do not text, don't text, dont text, do not email, don't email, dont email, do not
        write, don't write, dont write, do not call, don't call, leave me alone, off your list, from your list, no
        more messages, no more texts, no more emails, no more mails, delete my number, remove my number, remove me,
        lose my number, quit texting, quit messaging""",
    "de": """
        stop, stopp, abmelden, abbestellen, melden sie mich ab, melde mich ab, kontaktieren sie mich nicht, nicht mehr
        kontaktieren, nicht mehr kontaktiert, schreiben sie mir nicht, schreib mir nicht, schreibt mir nicht, nicht
        mehr schreiben, nicht mehr anschreiben, nicht mehr anrufen, keine nachrichten, keine weiteren nachrichten,
        keine mails mehr, keine sms mehr, in ruhe, aus dem verteiler, nummer löschen, löschen sie meine nummer""",
    "fr": """
        stop, ne me contactez, ne me contacte, ne m'écrivez, ne m'écris, ne m'envoyez, arrêtez, arrête, laissez moi
        tranquille, laisse moi tranquille, plus de messages, plus de message, désinscrivez moi, désabonnez moi,
        désabonner, supprimez mon numéro""",
    "es": """
        no me contacten, no me contacte, no me contactes, no me escriban, no me escriba, no me escribas, no me envíen,
        no me manden, no me llamen, dejen de, deje de, deja de, en paz, no más mensajes, no quiero más mensajes, no
        quiero recibir, darme de baja, dame de baja, denme de baja, borren mi número""",
    "it": """
        non contattatemi, non mi contatti, non mi contattate, non scrivetemi, non mi scriva, non mi scrivete, non mi
        scrivere, non scrivermi, in pace, basta messaggi, smettetela, smettete, smetta, niente più messaggi, non
        voglio più, cancellatemi, disiscrivetemi""",
    "pt": """
        não me contate, não me contacte, não me contactem, não me contatem, não me escreva, não me escrevam, não me
        envie, não me enviem, não me mande, não me mandem, parem de, pare de, em paz, chega de mensagens, não quero
        mais, não quero receber, descadastrar, cancelar inscrição""",
    "nl": """
        stop, niet meer contacteren, neem geen contact, geen berichten meer, geen berichten, niet meer schrijven, laat
        me met rust, afmelden, uitschrijven""",
    "pl": """
        nie pisz, nie piszcie, proszę nie pisać, nie kontaktujcie, nie kontaktować, nie chcę więcej, wypisz mnie,
        wypisać, dajcie mi spokój, daj mi spokój""",
}


def clearly_asks_for_a_person(words: Sequence[str]) -> bool:
    """Return whether the plain *words* ask for a human agent and mean nothing else, in any of the languages."""
    if _asks_in_unspaced_script(words):
        return True
    if not (asks_for_a_person(words) or has_phrase(_CLEAR, words)):
        return False
    return any(
        tuple(words) == phrase if is_whole else _is_affirmed(words, phrase)
        for phrase, is_whole in _clear_phrases()
    )


def wants_no_messages(words: Sequence[str]) -> bool:
    """Return whether the plain *words* ask for no more messages, in any of the languages."""
    return any(has_phrase(phrases, words) for phrases in _NO_MESSAGES.values())


def has_question_word(words: Sequence[str]) -> bool:
    """Return whether one of the plain *words* begins a question, in any of the languages."""
    return not _question_words().isdisjoint(words)


@cache
def _question_words() -> frozenset[str]:
    return frozenset(plain_words(_QUESTION_WORDS))


@cache
def _clear_phrases() -> tuple[tuple[tuple[str, ...], bool], ...]:
    every = [found for phrases in (*_PERSON.values(), _CLEAR) for found in compiled(phrases)]
    return tuple(found for found in every if found not in compiled(_UNCLEAR))


def _asks_in_unspaced_script(words: Sequence[str]) -> bool:
    """Return whether a part of `_UNSPACED` occurs in the plain *words* without a negation shortly before it."""
    text = "".join(words)
    if text.isascii():
        return False
    negations = plain_words(_UNSPACED_NEGATIONS)
    return any(
        not any(negation in text[max(0, at - _BEFORE) : at] for negation in negations)
        for phrase in _UNSPACED.split(",")
        if (at := text.find("".join(plain_words(phrase)))) >= 0
    )


@cache
def _negations() -> frozenset[str]:
    return frozenset(plain_words(_NEGATIONS)) - {"t"}


def _is_affirmed(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    """Return whether *phrase* occurs without a negation shortly before it."""
    size = len(phrase)
    return any(
        tuple(words[at : at + size]) == phrase
        and _negations().isdisjoint(words[max(0, at - _BEFORE) : at])
        for at in range(len(words) - size + 1)
    )


def asks_for_a_person(words: Sequence[str]) -> bool:
    """Return whether the plain *words* ask for a human agent, in any of the languages."""
    return any(has_phrase(phrases, words) for phrases in _PERSON.values())


def has_phrase(phrases: str, words: Sequence[str]) -> bool:
    """Return whether one of the comma-separated *phrases* occurs in the plain *words*."""
    text = _delimited(words)
    return any(
        text == phrase if is_whole else phrase in text
        for phrase, is_whole in _delimited_of(phrases)
    )


def _delimited(words: Sequence[str]) -> str:
    """Return the words with a space before and after each, so that a text contains only whole words of another."""
    return f" {' '.join(words)} "


@cache
def _delimited_of(phrases: str) -> tuple[tuple[str, bool], ...]:
    return tuple((_delimited(phrase), is_whole) for phrase, is_whole in compiled(phrases))


@cache
def compiled(phrases: str) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """Return the words of each phrase, and whether it must be the whole message."""
    return tuple(
        (tuple(plain_words(phrase)), phrase.strip().startswith("="))
        for phrase in phrases.split(",")
    )
