"""The sender's own text in the labelled mails of all clients and languages."""

import re
from functools import cache

import pytest

from email_threads.parsing.mail import parse
from shared.policy.consent.keywords import PRESETS, ConsentKeyword, vocabulary
from tests.cases import each
from tests.unit.email_threads.parsing.labelled import mails
from tests.unit.email_threads.parsing.labelled.languages import LANGUAGES
from tests.unit.email_threads.parsing.labelled.mails import DOCUMENTS, TEXTS, source_of

parsed = cache(parse)  # for the tests of the labelled set, which read each mail
LEAST_SHARE = 0.99
WORDS = ("STOP", "Unsubscribe", *(word for words in PRESETS.values() for word in words))


@pytest.mark.long
def test_the_labelled_set_has_the_promised_size() -> None:
    every = mails.mails()

    assert len(every) >= 150
    assert len({mail.language for mail in every}) >= 20
    assert len({mail.client for mail in every}) >= 12


@pytest.mark.long
def test_the_own_text_of_nearly_all_labelled_mails_is_found() -> None:
    right, every, wrong = mails.scores(lambda mail: parsed(mail.source).new_text)

    failed = [(mail.client, mail.language) for mail in wrong]
    assert sum(right.values()) >= LEAST_SHARE * sum(every.values()), failed


def test_nothing_of_the_original_is_lost_from_the_body() -> None:
    for mail in mails.mails():
        body = parsed(mail.source).text
        words = next(one for one in LANGUAGES if one.code == mail.language)
        assert words.answer in body
        assert words.question in body


@each("client", [*TEXTS, *DOCUMENTS])
def test_an_opt_out_above_a_quote_and_a_footer_of_any_client_is_heard(client: str) -> None:
    unheard = []
    for number, words in enumerate(LANGUAGES):
        said = words._replace(answer=WORDS[number % len(WORDS)])
        if client in TEXTS:
            source = source_of(text=TEXTS[client](said), is_flowed=client == "format=flowed")
        else:
            source = source_of(text=None, document=DOCUMENTS[client](said))
        if vocabulary().keyword_of(parse(source).new_text) is not ConsentKeyword.STOP:
            unheard.append(words.code)

    assert not unheard


@pytest.mark.long
@each("client", [*TEXTS, *DOCUMENTS])
def test_an_opt_out_in_the_quoted_mail_is_never_heard(client: str) -> None:
    for words in LANGUAGES:
        for answer in ("", words.answer):
            asked = words._replace(answer=answer, question="STOP")
            if client in TEXTS:
                source = source_of(text=TEXTS[client](asked), is_flowed=client == "format=flowed")
            else:
                source = source_of(text=None, document=DOCUMENTS[client](asked))
            assert vocabulary().keyword_of(parse(source).new_text) is None, words.code


@pytest.mark.parametrize(
    ("document", "plain"),
    [
        (
            '<div>STOP</div><div class="gmail_quote">Foo sanoi sen<div>Old text of the shop</div></div>',
            "STOP\n\nFoo sanoi sen\nOld text of the shop",
        ),
        (
            '<p>STOP</p><div id="divRplyFwdMsg">Shop, yesterday</div><div>Our news</div>',
            "STOP\nShop, yesterday\nOur news",
        ),
        (
            '<p>Please call me <b>tomorrow</b> at noon.</p><blockquote type="cite">Old</blockquote>',
            "Please call me *tomorrow* at\nnoon.\n\nOld",
        ),
        (
            '<p>Dear shop, the table is great.</p><div class="zmail_extra">Shop: Old</div>',
            "Dear shop,\nthe table is great.\nShop: Old",
        ),
    ],
)
def test_a_mark_in_the_html_part_also_ends_the_text_of_the_plain_part(
    document: str, plain: str
) -> None:
    read = parse(source_of(text=plain, document=document))

    own = re.split(r"\n(?:Shop|\nFoo|\nOld)", plain, maxsplit=1)[0]
    assert read.new_text == own
    assert read.text.strip() == plain


@each(
    "attribution",
    [
        "Dana pon, 2. stu 2026. u 15:40 Shop Support <support@shop.example>\nnapisao je:",
        "На пн, 2.11.2026 г. в 15:40 ч. Shop Support\n<support@shop.example> написа:",
        "Vào Th 2, 2 thg 11, 2026 vào lúc 15:40\nShop Support <support@shop.example>\nđã viết:",
        "Pada tanggal Sen, 2 Nov 2026 pukul 15.40 Shop Support <\nsupport@shop.example> menulis:",
        "เมื่อ จ. 2 พ.ย. 2026 เวลา 15:40 Shop Support <support@shop.example> เขียนว่า:",
        "Kuupäeval E, 2. november 2026 kell 15:40 kirjutas Shop Support <support@shop.example>:",
        "2026-11-02, pr, 15:40, Shop Support <support@shop.example> rašė:",
        "در تاریخ دوشنبه ۲ نوامبر ۲۰۲۶ ساعت ۱۵:۴۰ Shop Support <support@shop.example> نوشت:",
        "support@shop.example, 02.11.2026 15:40:",
        "Quoting Shop Support <support@shop.example>:",
        "* Shop Support <support@shop.example> [2026-11-02 15:40]:",
    ],
)
@each("gap", ["\n", "\n\n"])
def test_an_attribution_of_another_language_goes_with_its_quote(attribution: str, gap: str) -> None:
    text = f"STOP\n\n{attribution}{gap}> Our news\n> of today\n"

    assert parse(source_of(text=text)).new_text == "STOP"


@each(
    "footer",
    [
        "Sent from my iPhone. Please excuse typos.",
        "Sent from Yahoo Mail on Android (https://go.onelink.me/107872968)",
        "Sent from Mail (https://go.microsoft.com/fwlink/?LinkId=550986) for Windows 10",
        "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
        "Gesendet mit der GMX Mail App",
        "Envoyé depuis mon mobile Orange",
        "Enviado desde mi Samsung Mobile de Telcel",
        "Inviato da Libero Mail per Android",
        "Poslano z mého mobilu",
        "Изпратено от моя iPhone",
        "Poslano s mog iPhonea",
        "Đã được gửi từ iPhone của tôi",
        "Dikirim dari iPhone saya",
        "ส่งจาก iPhone ของฉัน",
        "從我的 iPhone 傳送",
        "ارسال شده از iPhone من",
        "-- \nSent from my Galaxy",
        "--\nSent from my phone using Spark",
        "Sent with Proton Mail secure email.",
        "Získejte Outlook pro Android<https://aka.ms/AAb9ysg>",
        "Sent from Outlook for Android (https://aka.ms/AAb9ysg)",
    ],
)
def test_an_opt_out_above_the_footer_of_a_phone_or_an_app_is_heard(footer: str) -> None:
    for between in ("\n\n", "\n"):
        assert parse(source_of(text=f"STOP{between}{footer}\n")).new_text == "STOP"


@each(
    "text",
    [
        "Which phone?\n\nMy iPhone 15",
        "The parcel with the iPhone was sent on Monday.\n\nIt never arrived",
        "Hello,\n\nI sent the order with Outlook",
        "Name: Ann Lee\nDate: 2 November 2026\nPhone: 0301234567\nE-mail: ann@x.example\nI need ten.",
        "Order: 4711\nDate: 2026-11-02 15:40\nE-mail: ann@x.example\n\nPlease deliver.",
        "On 2 November 2026 I wrote:\n\nThe table is broken.",
        "My questions of 2 November 2026:\n\nWhen does it come?",
        "Please send it to Ann <ann@x.example>\nand to Bob.\nThanks:\nall fine",
        "The times:\n10:30 Monday\n11:30 Tuesday\n\nBest,\nAnn",
        "----- Kitchen -----\n\nFour chairs\n\n----- Garden -----\n\nOne bench",
        "Our budget is > 5000 and 3 > 2.",
    ],
)
def test_forms_lists_and_ordinary_sentences_are_the_senders_text(text: str) -> None:
    assert parse(source_of(text=text, subject="Question")).new_text == text


@pytest.mark.parametrize(
    ("quoted", "delsp", "unfolded"),
    [
        ("a long \nline\nnext", "no", "a long line\nnext"),
        ("> a quoted \n> line\n>> deeper", "no", "> a quoted line\n>> deeper"),
        (" From the start\n >not a quote", "no", "From the start\n>not a quote"),
        ("text\n-- \nAnn", "no", "text\n-- \nAnn"),
        ("soft \n-- \nAnn", "no", "soft \n-- \nAnn"),
        ("二行 \n一つ", "yes", "二行一つ"),
        ("> quoted \nown", "no", "> quoted \nown"),
    ],
)
def test_flowed_text_is_unfolded(quoted: str, delsp: str, unfolded: str) -> None:
    raw = f"From: ann@x.example\nContent-Type: text/plain; charset=utf-8; format=flowed; delsp={delsp}\n\n{quoted}"

    assert parse(raw.encode()).text == unfolded


def test_the_remainder_of_a_wrapped_quoted_line_is_no_answer() -> None:
    line = "> We deliver on Tuesdays and Thursdays only, from eight until twelve in the"
    text = f"STOP\n\nOn 2 Nov 2026 at 15:40 Shop <s@x.example> wrote:\n{line}\nmorning\n> and bring it in.\n"

    assert parse(source_of(text=text)).new_text == "STOP"
