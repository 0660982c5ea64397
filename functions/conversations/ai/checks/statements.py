"""
Statements about the writer and its actions: "I have booked", "I am a person", in six languages.

An action is proven by a successful function of this conversation, or by the company's words about it. Without a
language's patterns its statements are not checked.
"""

import re
from collections.abc import Iterable
from functools import cache

_DONE: tuple[str, ...] = (
    # English
    r"\b(?:I|we)(?:['\u2019]ve| have)?(?: (?:just|now|already|also|successfully|gone ahead and))*"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|scheduled|refunded|purchased|moved|paid)\b",
    r"\b(?:has|have)(?: now| just)? been(?: successfully| now)?"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled"
    r"|refunded)\b",
    r"\b(?:is|are) now (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded)\b",
    # German
    r"\b(?:habe ich|ich habe|haben wir|wir haben)\b(?P<between>[^.!?]{0,60}?)\b(?P<verb>gebucht|storniert|bestellt"
    r"|reserviert|umgebucht|verschoben|erstattet|abgesagt|gekündigt)\b",
    r"\bwurden?\b(?P<between>[^.!?]{0,40}?)\b(?P<verb>gebucht|storniert|bestellt|reserviert|umgebucht|verschoben"
    r"|erstattet|abgesagt)\b",
    # French
    r"(?:\bj['\u2019]ai|\bnous avons)(?: bien| déjà| maintenant)? (?P<verb>réservé|annulé|commandé|remboursé|déplacé"
    r"|reporté)e?s?\b",
    r"\ba(?: bien)? été (?P<verb>réservé|annulé|commandé|remboursé|déplacé|reporté)e?s?\b",
    # Spanish
    r"\b(?:he|hemos|ha sido)(?: ya)? (?P<verb>reservad|cancelad|anulad|pedid|reembolsad|cambiad)[oa]s?\b",
    # Italian
    r"\b(?:ho|abbiamo|è stat[oa])(?: già)? (?P<verb>prenotat|annullat|cancellat|ordinat|rimborsat|spostat)[oaie]\b",
    # Portuguese
    r"\b(?P<verb>reservei|cancelei|encomendei|agendei|reembolsei|marquei|reservámos|cancelámos)\b",
    r"\bfoi (?P<verb>reservad|cancelad|encomendad|agendad|reembolsad|marcad)[oa]\b",
)  # fmt: skip
_CONDITION = re.compile(
    r"(?i)\b(?:if|once|when|until|after|before|as soon as|whether|sobald|wenn|falls|nachdem|ob|dès que|quand|si|cuando"
    r"|en cuanto|quando|se|appena|assim que)\b[^.!?,;]{0,30}$"
)
_NEGATION = re.compile(r"(?i)\b(?:nicht|keine?[nmrs]?|nie)\b")
_HUMAN: tuple[str, ...] = (
    r"\bI(?:['\u2019]m| am)(?: (?:really|actually|indeed|definitely|of course))?"
    r" (?:a |an )?(?:real |actual |live |genuine )?"
    r"(?:person|human(?: being)?|man|woman)\b(?! resources)",
    r"\bI(?:['\u2019]m| am) not (?:a |an )?(?:bot|robot|machine|computer|program|AI|chatbot|automated)\b",
    r"\bich bin (?:wirklich |tatsächlich |natürlich )?(?:ein|eine)"
    r" (?:echter? |richtiger? )?(?:Mensch|Person|Mann|Frau)\b",
    r"\bich bin (?:kein|keine) (?:Bot|Roboter|Maschine|Computer|Programm|KI|Chatbot)\b",
    r"\bje suis (?:bien )?(?:une? )?(?:vraie? )?(?:personne|humaine?|être humain)\b",
    r"\bje ne suis pas une? (?:robot|bot|machine|IA|ordinateur|programme)\b",
    r"\bsoy (?:una |un )?(?:persona|humano|humana|ser humano)\b",
    r"\bno soy (?:una |un )?(?:bot|robot|máquina|IA)\b",
    r"\bsono (?:una |un )?(?:persona|essere umano|umano|umana)\b",
    r"\bnon sono (?:una |un )?(?:bot|robot|macchina|IA)\b",
    r"\bsou (?:uma |um )?(?:pessoa|humano|humana|ser humano)\b",
    r"\bnão sou (?:uma |um )?(?:bot|robô|máquina|IA)\b",
)


def claims_to_be_human(text: str) -> bool:
    """Return whether *text* says that its writer is a person or not a machine."""
    return any(pattern.search(text) for pattern in _compiled(_HUMAN))


def claimed_actions(text: str) -> frozenset[str]:
    """Return the verbs of the actions that *text* says are done, without conditions and negations."""
    return frozenset(
        match["verb"].casefold().replace("canceled", "cancelled")
        for pattern in _compiled(_DONE)
        for match in pattern.finditer(text)
        if not _CONDITION.search(text[: match.start()])
        and not _NEGATION.search(match.groupdict().get("between") or "")
    )


def has_unproven_action(text: str, company_texts: Iterable[str]) -> bool:
    """Return whether *text* says that an action is done that *company_texts* do not name as done."""
    claimed = claimed_actions(text)
    if not claimed:
        return False
    words = "\n".join(company_texts).casefold().replace("canceled", "cancelled")
    return any(verb not in words for verb in claimed)


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"(?i:{pattern})") for pattern in patterns)
