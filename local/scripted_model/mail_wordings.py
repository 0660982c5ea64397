"""Phrases by which the scripted analysis of mails recognises requests, and its questions and replies."""

from collections.abc import Mapping
from dataclasses import dataclass

# Phrases in the form of `has_phrase`. The first type with a phrase applies.
REQUEST_TYPES: Mapping[str, str] = {
    "complaint": """
        complaint, complain, broken, damaged, defective, faulty, unacceptable, disappointed, refund, wrong item,
        not working, does not work, doesn t work, reklamation, beschwerde, beschweren, kaputt, defekt, beschädigt,
        enttäuscht, funktioniert nicht, falsch geliefert""",
    "project": """
        project, website, web site, quote, proposal, redesign, renovation, projekt, webseite, angebot, umbau,
        kostenvoranschlag""",
    "order": """
        order, buy, purchase, bestellen, bestelle, bestellung, kaufen""",
    "question": """
        question, how do, how can, how much, how long, do you, can you, could you, what is, when will, where is, frage,
        können sie, haben sie, wie lange, wie viel, wann""",
}
OTHER_TYPE = "other"

# Phrases that a person has to answer, besides phrases that ask for a person; by the code of the reason.
REASONS: Mapping[str, str] = {
    "legal_threat": "lawyer, attorney, legal action, sue you, anwalt, rechtsanwalt, anwältin, rechtliche schritte",
    "refund_demand": "refund now, money back, my money now, geld zurück, sofort erstatten",
    "asks_for_person": """
        a human, human being, mitarbeiter, mitarbeiterin, rückruf, zurückrufen, rufen sie mich, call back, phone me,
        your manager, your supervisor""",
}
ASKS_FOR_PERSON = "asks_for_person"

URGENT = """
    urgent, urgently, asap, as soon as possible, immediately, right away, emergency, dringend, sofort, eilig,
    so schnell wie möglich, umgehend"""
NO_HURRY = """
    no hurry, no rush, not urgent, whenever, when you have time, take your time, keine eile, eilt nicht, nicht dringend,
    nicht eilig"""
POSITIVE = """
    thank, thanks, great, love, happy, perfect, excellent, wonderful, pleased, danke, super, toll, freue, zufrieden,
    perfekt, wunderbar"""
NEGATIVE = """
    angry, terrible, unacceptable, disappointed, awful, broken, damaged, defective, worst, bad, unhappy, annoyed,
    lawyer, verärgert, schrecklich, enttäuscht, kaputt, defekt, schlecht, unverschämt, ärgerlich, anwalt"""
# Words of short texts, in which frequent function words are rare.
GERMAN = """
    bitte, danke, grüße, grüßen, gruß, guten tag, hallo zusammen, sehr geehrte, bestellung, rückruf, mitarbeiter,
    können, möchte, brauche, hätte, moin, angebot, rechnung"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailWording:
    """Questions and replies of one language. *asked* has a question for each usual field."""

    asked: Mapping[str, str]
    ask: str  # {label}
    thanks: str  # {subject}
    thanks_without_subject: str


MAIL_WORDINGS: Mapping[str, MailWording] = {
    "en": MailWording(
        asked={
            "title": "What is your request about?",
            "description": "Could you describe your request in a few sentences?",
            "request_type": "Is this an order, a project, a complaint or a question?",
            "deadline": "By when do you need this?",
            "budget": "What is your budget?",
            "reference": "What is your order or reference number?",
            "items": "Which items do you need?",
            "contact_name": "What is your name?",
        },
        ask="Could you please tell us the {label}?",
        thanks="Thank you for your message about \u201c{subject}\u201d. We have received it.",
        thanks_without_subject="Thank you for your message. We have received it.",
    ),
    "de": MailWording(
        asked={
            "title": "Worum geht es in Ihrer Anfrage?",
            "description": "K\u00f6nnten Sie Ihre Anfrage in einigen S\u00e4tzen beschreiben?",
            "request_type": "Ist das eine Bestellung, ein Projekt, eine Beschwerde oder eine Frage?",
            "deadline": "Bis wann brauchen Sie das?",
            "budget": "Wie hoch ist Ihr Budget?",
            "reference": "Wie lautet Ihre Bestell- oder Referenznummer?",
            "items": "Welche Artikel brauchen Sie?",
            "contact_name": "Wie ist Ihr Name?",
        },
        ask="K\u00f6nnten Sie uns bitte noch mitteilen: {label}?",
        thanks="Vielen Dank f\u00fcr Ihre Nachricht zu \u201e{subject}\u201c. Wir haben sie erhalten.",
        thanks_without_subject="Vielen Dank f\u00fcr Ihre Nachricht. Wir haben sie erhalten.",
    ),
}
