"""Sentences that look like attributions, clients with unusual ones, and the signatures and footers around own text."""

import pytest

from email_threads.parsing.mail import parse
from shared.policy.consent.keywords import ConsentKeyword, vocabulary
from tests.cases import each
from tests.unit.email_threads.parsing.labelled.mails import source_of

QUOTE = "> Our news\n> of today\n"
ADDRESS = "Shop Support <support@shop.example>"


def own_text(text: str | None, document: str | None = None) -> str:
    return parse(source_of(text=text, document=document)).new_text


@each(
    "text",
    [
        "Am 3. Mai schrieb Ann:\n\nIch habe schon bezahlt.",
        "Hallo,\n\nAm 3. Mai 2026 schrieb Ann:\nIch habe schon bezahlt.\n\nStimmt das?",
        "On Monday Ann wrote: please call",
        "On Monday, Ann wrote:\nplease call",
        "On Tuesday at 10:30 Ann said:\n\nno refund.",
        f"On 2 November 2026, at 15:40, {ADDRESS} wrote:\n\nBut I never ordered it.",
        f"2026-11-02 15:40 {ADDRESS}:\n\nThis is my answer.",
        "El lunes, Ann escribió:\n\nya pagué",
        "Lunedì, Ann ha scritto:\n\nho già pagato",
        "Na segunda-feira, Ann escreveu:\n\njá paguei",
        "Please read this.\n----- Kitchen list -----\nFour chairs",
        "Hello,\n\nFrom: Berlin\nTo: Hamburg\nDate: 3 May 2026 10:30\nSeats: 2\n\nPlease book.",
        "The original message of Monday:\n\nIt never arrived.",
        "Hallo,\n\nam 2. März 2026 um 10:14 schrieb mir Ann Lee:\nSie kommt morgen.\n\nSie kam nicht.",
        "Le 2 mars 2026 à 10:14, Ann m'a écrit :\nC'est parti.\n\nRien n'est arrivé.",
    ],
)
def test_a_sentence_like_an_attribution_is_own_text_if_no_quote_follows(text: str) -> None:
    assert own_text(text) == text


def test_an_answer_below_an_attribution_without_quote_stays_above_the_next_quote() -> None:
    text = f"On 2 November 2026, at 15:40, {ADDRESS} wrote:\n\nI never ordered it.\n\nOn 1 November 2026, at 15:40, Ann <ann@x.example> wrote:\n{QUOTE}\nThanks"

    assert own_text(text).startswith("On 2 November")
    assert "I never ordered it." in own_text(text)
    assert own_text(text).endswith("Thanks")
    assert "Our news" not in own_text(text)


def test_a_sentence_like_an_attribution_is_own_text_above_the_quote_that_the_client_marked() -> (
    None
):
    document = f"<p>On Monday, 2 Nov 2026 at 10:30 {ADDRESS.replace('<', '&lt;')} wrote:</p><p>please call</p><div class='gmail_quote'>Old</div>"

    assert own_text(None, document).endswith("please call")


@each(
    "attribution",
    [
        f"On Mon, 2 Nov 2026 15:40:14 +0100 {ADDRESS} wrote",
        "2026-11-02 15:40 GMT+01:00 Shop Support",
        f"2026/11/2 {ADDRESS}",
        f"{ADDRESS} wrote:",
        "---- On Mon, 02 Nov 2026 15:40:14 +0100 support@shop.example wrote ----",
        "Am 02.11.2026 15:40 schrieb Shop Support <support@shop.example\n>:",
        "man. 2. nov. 2026 kl. 15:40 skrev Shop Support <support@shop.example\n>:",
        "On Mon, Nov 2, 2026 at 3:40 PM Shop Support\n\n<\nmailto:Shop Support <support@shop.example>\n> wrote:",
        f"On Nov 2, 2026, at 3:40 PM, Shop Support <\n{'4' * 40}@shop.example>\nwrote:",
        "\u202bבתאריך יום ב׳, 2 בנוב׳ 2026 ב-15:40 מאת \u202aShop\u202c\u200f <\u202asupport@shop.example\u202c\u200f>:\u202c",
        "-----Original Message-----",
        "----- Mensaje original -----",
        "-------- Ursprüngliche Nachricht --------",
    ],
)
@each("quoted", [QUOTE, "Our news\nSTOP\n"])
def test_an_opt_out_above_the_attribution_of_a_rare_client_is_heard_and_none_inside_the_quote(
    attribution: str, quoted: str
) -> None:
    assert own_text(f"STOP\n\n{attribution}\n\n{quoted}") == "STOP"
    for nothing in ("", "Hello"):
        said = own_text(f"{nothing}\n\n{attribution}\n\n{quoted}")
        assert vocabulary().keyword_of(said) is not ConsentKeyword.STOP


@each(
    ("text", "own"),
    [
        ("STOP On Mon, Nov 2, 2026 at 3:40 PM, ann@x.example wrote:\n> Old", "STOP"),
        ("STOP--- Am 2.11.2026 um 15:40 schrieb ann@x.example:\n\n> Old", "STOP"),
        ("STOP\n\nOn Mon, Nov 2, Shop\n<support@shop.example>\nwrote:\n> Old", "STOP"),
        (
            f"Please call me tomorrow at noon, or write to me in the evening if not.\nOn Nov 2, 2026, at 3:40 PM, {ADDRESS} wrote:\n> Old",
            "Please call me tomorrow at noon, or write to me in the evening if not.",
        ),
        (
            "Hi,\nShop Support of the very large company with a long name <s@shop.example>\nschrieb am 02.11.2026 um 15:40:\n> Old",
            "Hi,",
        ),
        (
            "STOP\n\nOn 2 Nov 2026 at 15:40, Ann wrote:\n> A long sentence that the server wrapped in its middle, with a comma,\nthat goes on without the mark of a quote\n> and ends here.",
            "STOP",
        ),
        (
            "STOP\n\nOn 2 Nov 2026 at 15:40, Ann wrote:\n> See https://shop.example/action\n_nonce=3dd518)\n>\n",
            "STOP",
        ),
        (
            "I ordered on 2 November 2026 and you said:\n> We deliver\n> in May.\n\nWhen?",
            "I ordered on 2 November 2026 and you said:\n\nWhen?",
        ),
    ],
)  # fmt: skip
def test_lines_beside_an_attribution_and_in_a_quote_belong_to_the_right_writer(
    text: str, own: str
) -> None:
    assert own_text(text) == own


@each(
    "footer",
    [
        *("Von meinem Mobilgerät gesendet", "Von meinem/meiner Galaxy gesendet"),
        *("Outlook für iOS beziehen", "Outlook für Android herunterladen"),
        *("Gesendet mit der WEB.DE Mail App", "Gesendet von Mail für Windows"),
        *("Enviado desde mi teléfono Samsung Galaxy.", "Descargar Outlook para Android"),
        *("Enviado desde Yahoo Mail para iPhone", "Obtener Outlook para iOS"),
        *("Enviado do meu telefone Samsung", "Baixe o Outlook para Android"),
        *("Enviado do Email para Windows", "Obter o Outlook para iOS"),
        *("Inviato dal mio dispositivo Android", "Ottieni Outlook per Android"),
        *("Inviato da Posta per Windows", "Scarica Outlook per iOS"),
        *("Sent from my TI-85", "Sent from my Alcatel Flash2", "From my iPhone 6"),
        *("(sent from a phone)", "Sent with Sparrow (http://www.sparrowmailapp.com/?sig)"),
        *("Sent from TypeApp<http://www.typeapp.com/r?b=2621>", "Sent from my moto g"),
        *("Provenance : Courrier pour Windows", "Outlook voor Android ophalen"),
        *("iOS용 Outlook 다운로드", "تم الإرسال من هاتفي", "Получите Outlook для iOS"),
        *("\u2063Hol dir BlueMail für Android \u200b", "Sent from eM Client | www.emclient.com"),
        *("Εστάλη από το iPhone μου", "Outlook til iOS hentes", "Stáhnout Outlook pro iOS"),
        *("Virenfrei. www.avast.com", "Virus-free.www.avast.com <https://www.avast.com/sig>"),
        "This email has been checked for viruses by AVG. www.avg.com",
        "Please consider the environment before printing this mail.",
        "This message and any attachments are confidential and meant for the intended recipient only.",
        "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Adressat sind, vernichten Sie sie bitte.",
        "Si ha recibido este mensaje por error, le rogamos que lo notifique al remitente y lo elimine.",
    ],
)
def test_an_opt_out_above_a_footer_of_each_preset_language_is_heard(footer: str) -> None:
    assert own_text(f"STOP\n\n{footer}\n") == "STOP"
    assert own_text(f"STOP\n{footer}\n\nAm 02.11.2026 um 15:40 schrieb Shop:\n{QUOTE}") == "STOP"


@each(
    "closing",
    [
        "Mit freundlichen Grüßen\nAnn Lee",
        "MfG\nAnn",
        "Saludos cordiales,\n\nAnn Lee\nCalle Mayor 1",
        "Obrigada,\nAnn",
        "Cordiali saluti\nAnn Lee\nTel. 030 12 34",
        "Kind regards,\nAnn Lee\nLee Ltd.",
        "Thanks",
        *(
            "Cheers, Ann",
            "LG Ann",
            "Pozdrawiam\nAnna",
            "С уважением,\nАнна",
            "よろしくお願いします。\n安",
        ),
    ],
)
def test_an_opt_out_above_a_closing_formula_and_a_name_is_heard(closing: str) -> None:
    assert own_text(f"STOP\n\n{closing}\n\nAm 02.11.2026 um 15:40 schrieb Shop:\n{QUOTE}") == "STOP"
    sentence = f"Please do not stop my order\n\n{closing}"
    assert own_text(sentence) == sentence
    assert own_text(f"STOP\n\nI mean it.\n\n{closing}").endswith(closing)
    assert own_text(closing) == closing


@each(
    "letter",
    [
        *("Hello,\n\nSTOP\n\nBest regards\nAnn Lee", "Hallo\nSTOP", "Guten Tag,\n\nSTOP\n\nLG"),
        *(
            "Sehr geehrte Damen und Herren,\n\nSTOP\n\nAnn Lee\nHauptstr. 5",
            "STOP\n\nAnn",
            "您好，\nSTOP",
        ),
    ],
)
def test_an_opt_out_alone_between_a_greeting_and_the_name_of_its_writer_is_heard(
    letter: str,
) -> None:
    assert own_text(f"{letter}\n\nAm 02.11.2026 um 15:40 schrieb Shop:\n{QUOTE}") == "STOP"
    other = letter.replace("STOP", "Sure.")
    assert own_text(other).startswith(other.split("\n")[0])


@each(
    "text",
    [
        "Hi,\n\nplease keep it confidential, the recipient of this gift must not know about it before Friday.",
        "Hi,\n\nthe order was placed in error, please delete it from the system as soon as possible.",
        "Hi,\n\nI sent this e-mail in error, please delete it before you print it, for the environment.",
        "Hi,\n\nAvast says that the shop has a virus",
        "STOP\n\nsending two copies, but keep the order",
        "Thanks\nAnn",
        "We meet on 2. Nov. 2026, 15:40 mit ann@x.example:\n\nPlease come.",
        "Name: Ann\n\nDate: 2 November 2026\n\nE-mail: ann@x.example\n\nI need ten.",
    ],
)
def test_sentences_like_a_disclaimer_or_a_signature_are_own_text(text: str) -> None:
    assert own_text(text) == text


@each(
    "quoted",
    [
        "From: Shop <support@shop.example>\nSent: Monday, November 2, 2026 3:40 PM\nTo: Ann\nSubject: Your delivery 4711",
        '------ Original Message ------\nFrom "Shop" <support@shop.example>\nDate 02/11/2026 15:40:12',
        "-----Original-Nachricht-----\nBetreff: Your delivery 4711\nDatum: 2026-11-02T15:40:12+0100\nVon: Shop",
        "---------- Původní e-mail ----------\nOd: Shop <support@shop.example>\nDatum: 2. 11. 2026 15:40:12",
        "---- 回复的原邮件 ----",
    ],
)
def test_an_answer_without_own_text_has_none_above_copied_headers(quoted: str) -> None:
    text = f"{quoted}\n\nShall we deliver on Tuesday?\nSTOP\n"

    assert own_text(text) == ""
    assert own_text(f"-- \nSent from my iPhone\n\n{text}") == ""
    assert own_text(f"STOP\n\n{text}") == "STOP"
    forwarded = parse(source_of(text=text, subject="Your delivery 4711"))
    assert forwarded.new_text == text.strip()


@each(
    "attribution",
    [
        ">>> Shop Support <support@shop.example> 11/2/2026 3:40 PM >>>",
        "W dniu 2.11.2026 o 15:40, Shop Support pisze:",
        "2026-11-02 오후 3:40에 Shop Support 이(가) 쓴 글:",
        "Shop Support yazmış (2.11.2026 15:40):",
        "2. Nov. 2026, 15:40 von support@shop.example:",
        "From: Shop\n\nSent: Monday, November 2, 2026 3:40 PM\n\nTo: Ann\n\nSubject: Your delivery 4711\n",
    ],
)
def test_an_attribution_above_a_quote_without_marks_ends_the_own_text(attribution: str) -> None:
    assert own_text(f"STOP\n\n{attribution}\nHello Ann,\n\nour news\n") == "STOP"


@each(
    "sentence",
    [
        *("Das iPhone wurde am Montag gesendet", "Das Paket mit dem iPhone wurde gesendet."),
        *("Mit dem Galaxy wurde auch die Rechnung gesendet", "Holen Sie das iPhone ab"),
        *("Sent the Samsung back on Monday", "Get the iPhone repaired please"),
        *("Sent from my desk, is much easier than my mobile phone.", "Via the app it works"),
        *("Enviado el iPhone ayer", "Inviata la fattura del Samsung", "Download of the app fails"),
        *("Descargar la app no funciona", "This phone was sent by mistake"),
        *("Outlook für Android funktioniert nicht", "Esta funda del iPhone fue enviada"),
    ],
)
def test_a_last_sentence_about_a_phone_or_an_app_is_no_footer(sentence: str) -> None:
    assert own_text(f"Hallo,\n\n{sentence}") == f"Hallo,\n\n{sentence}"


@pytest.mark.parametrize(
    "mark",
    [
        'class="gmail_signature"',
        'class="moz-signature"',
        'class="protonmail_signature_block"',
        'id="ms-outlook-mobile-signature"',
        'id="Signature"',
        'class="front-signature"',
        'id="Zm-_Id_-Sgn"',
        'name="messageSignatureSection"',
    ],
)
def test_a_signature_that_the_client_marks_is_no_own_text(mark: str) -> None:
    signature = f'<div {mark}>Ann <b>Lee</b><br><a href="https://x.example">Lee GmbH</a></div>'
    quote = '<div id="divRplyFwdMsg">Shop, yesterday</div><p>Old</p>'
    plain = "STOP\nAnn *Lee*\nLee GmbH <https://x.example>\n\nShop, yesterday\nOld"

    assert own_text(None, f"<p>STOP</p>{signature}") == "STOP"
    assert own_text(plain, f"<p>STOP</p>{signature}{quote}") == "STOP"
    assert own_text(None, f"<p>Hi</p>{signature}<p>STOP</p>").endswith("STOP")
    assert own_text(None, signature).startswith("Ann Lee")


def test_an_image_that_counts_readers_has_no_text() -> None:
    assert own_text(None, '<img src="cid:a" alt="Sent by x" width="1" height="1"><p>STOP</p>') == (
        "STOP"
    )
