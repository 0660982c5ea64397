"""
Labelled mails: a table of mail clients and languages gives answers as the clients write them.

Every mail answers the same question of a shop. `mails` returns client, language, source and the sender's own text.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from functools import cache
from html import escape
from typing import NamedTuple

from tests.unit.email_threads.parsing.labelled.languages import LANGUAGES, Language

NAME, MAIL = "Shop Support", "support@shop.example"
SUBJECT = "Your delivery 4711"


class Labelled(NamedTuple):
    """A mail with the text that its sender wrote; *plain* is its text without HTML, for comparisons."""

    client: str
    language: str
    source: bytes
    plain: str
    expected: str


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _wrapped(line: str, width: int = 72) -> str:
    return "\n".join(textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False))


def _attribution(template: str) -> str:
    return template.format(name=NAME, mail=MAIL)


def _original(words: Language) -> str:
    return f"{words.question}\n\n{NAME}\n+49 30 1234567"


def _block(words: Language, *, bold: bool = False, addresses: bool = True) -> str:
    author = f"{NAME} <{MAIL}>" if addresses else NAME
    values = (author, words.date, "Ann Lee <ann@x.example>" if addresses else "Ann Lee", SUBJECT)
    mark = "*" if bold else ""
    pairs = zip(words.labels, values, strict=True)
    return "\n".join(f"{mark}{label}:{mark} {value}" for label, value in pairs)


def _gmail(words: Language) -> str:
    return (
        f"{words.answer}\n\n{_wrapped(_attribution(words.gmail))}\n\n{_quoted(_original(words))}\n"
    )


def _apple(words: Language) -> str:
    body = f"{words.answer}\n\n{words.iphone}\n\n"
    return f"{body}> {_attribution(words.apple)}\n> \n{_quoted(_original(words))}\n"


def _apple_mac(words: Language) -> str:
    return f"{words.answer}\n\n{_attribution(words.apple)}\n\n{_quoted(_original(words))}\n"


def _outlook(words: Language) -> str:
    return f"{words.answer}\n\n-----{words.original}-----\n{_block(words)}\n\n{_original(words)}\n"


def _outlook_names(words: Language) -> str:
    return f"{words.answer}\n\n{_block(words, addresses=False)}\n\n{_original(words)}\n"


def _outlook_bold(words: Language) -> str:
    return f"{words.answer}\n\n\n{_block(words, bold=True)}\n\n{_original(words)}\n"


def _outlook_mobile(words: Language) -> str:
    line = "_" * 32
    footer = f"{words.outlook}<https://aka.ms/o0ukef>"
    return f"{words.answer}\n\n{footer}\n{line}\n{_block(words)}\n\n{_original(words)}\n"


def _samsung(words: Language) -> str:
    footer = words.iphone.replace("iPhone", "Galaxy")
    head = f"-------- {words.original} --------\n{_block(words)}"
    return f"{words.answer}\n\n\n{footer}\n\n\n{head}\n\n{_original(words)}\n"


def _yahoo(words: Language) -> str:
    quoted = "\n".join(f" {line}" for line in _original(words).split("\n"))
    return f"{words.answer}\n\n    {_attribution(words.gmail)}\n\n{quoted}\n"


def _thunderbird(words: Language) -> str:
    signature = "-- \nAnn Lee\nOrchard Ltd."
    return f"{_attribution(words.apple)}\n{_quoted(_original(words))}\n\n{words.answer}\n\n{signature}\n"


def _proton(words: Language) -> str:
    head = (
        f"{words.answer}\n\nSent with Proton Mail secure email.\n\n------- {words.original} -------"
    )
    return f"{head}\n{_attribution(words.gmail)}\n\n{_quoted(_original(words))}\n"


def _zoho(words: Language) -> str:
    line = f"---- {_attribution(words.gmail).rstrip(':： ')} ---"
    return f"{words.answer}\n\n\n{_wrapped(line)}\n\n{_original(words)}\n"


def _lotus(words: Language) -> str:
    sender, sent, recipient, topic = words.labels
    rows = f"{sender}:\t{NAME} <{MAIL}>\n{recipient}:\tAnn Lee <ann@x.example>\n{sent}:\t{words.date}\n{topic}:\t{SUBJECT}"
    return f"{words.answer}\n\n\n\n{rows}\n\n\n\n{_original(words)}\n"


def _gmx(words: Language) -> str:
    sender, sent, recipient, topic = words.labels
    rows = f'{sent}: {words.date}\n{sender}: "{NAME}" <{MAIL}>\n{recipient}: ann@x.example\n{topic}: {SUBJECT}'
    return f"{words.answer}\n \n\n{rows}\n\n{_original(words)}\n"


def _flowed(words: Language) -> str:
    line = _wrapped(_attribution(words.gmail), 50).replace("\n", " \n")
    return f"{words.answer}\n\n{line}\n{_quoted(_original(words))}\n"


def _html_paragraphs(text: str) -> str:
    return "".join(f"<div>{escape(line) or '<br>'}</div>" for line in text.split("\n"))


def _gmail_html(words: Language) -> str:
    line = f'<div dir="ltr" class="gmail_attr">{escape(_attribution(words.gmail))}<br></div>'
    quote = f'<blockquote class="gmail_quote">{_html_paragraphs(_original(words))}</blockquote>'
    return f'<div dir="ltr">{words.answer}</div><br><div class="gmail_quote">{line}{quote}</div>'


def _outlook_html(words: Language) -> str:
    rows = "<br>".join(
        f"<b>{escape(row)}</b>" for row in _block(words, addresses=False).split("\n")
    )
    style = "border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"
    return f'<p>{words.answer}</p><div style="{style}"><p>{rows}</p></div>{_html_paragraphs(_original(words))}'


def _outlook_web(words: Language) -> str:
    rows = "<br>".join(f"<b>{escape(row)}</b>" for row in _block(words).split("\n"))
    head = f'<hr><div id="divRplyFwdMsg" dir="ltr">{rows}</div>'
    return f'<div>{words.answer}</div><div id="appendonsend"></div>{head}{_html_paragraphs(_original(words))}'


def _apple_html(words: Language) -> str:
    line = f"<div>{escape(_attribution(words.apple))}</div><br>"
    quote = f'<blockquote type="cite">{line}{_html_paragraphs(_original(words))}</blockquote>'
    return f'{words.answer}<br><div dir="ltr">{words.iphone}</div><div><br>{quote}</div>'


def _yahoo_html(words: Language) -> str:
    quote = f"<div>{escape(_attribution(words.gmail))}</div>{_html_paragraphs(_original(words))}"
    return f'<div>{words.answer}</div><div id="yahoo_quoted_42" class="yahoo_quoted"><div>{quote}</div></div>'


TEXTS: dict[str, Callable[[Language], str]] = {
    "Gmail": _gmail,
    "Apple Mail on a phone": _apple,
    "Apple Mail": _apple_mac,
    "Outlook": _outlook,
    "Outlook with names only": _outlook_names,
    "Outlook, converted from HTML": _outlook_bold,
    "Outlook on a phone": _outlook_mobile,
    "Samsung Mail": _samsung,
    "Yahoo Mail": _yahoo,
    "Thunderbird, answer below": _thunderbird,
    "Proton Mail": _proton,
    "Zoho Mail": _zoho,
    "Lotus Notes": _lotus,
    "GMX and WEB.DE": _gmx,
    "format=flowed": _flowed,
}
DOCUMENTS: dict[str, Callable[[Language], str]] = {
    "Gmail, HTML": _gmail_html,
    "Outlook, HTML": _outlook_html,
    "Outlook on the web, HTML": _outlook_web,
    "Apple Mail, HTML": _apple_html,
    "Yahoo Mail, HTML": _yahoo_html,
}


def source_of(
    *,
    text: str | None,
    document: str | None = None,
    subject: str = f"Re: {SUBJECT}",
    is_flowed: bool = False,
) -> bytes:
    """Return a mail with this text, with this HTML, or with both as alternatives."""
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@x.example>"
    message["To"] = f"{NAME} <{MAIL}>"
    message["Subject"] = subject
    message["Message-ID"] = "<labelled@x.example>"
    if text is not None:
        message.set_content(text, cte="base64")
        if is_flowed:
            message.set_param("format", "flowed")
    if document is not None:
        if text is None:
            message.set_content(document, subtype="html", cte="base64")
        else:
            message.add_alternative(document, subtype="html", cte="base64")
    return message.as_bytes()


@cache
def mails(languages: tuple[Language, ...] = LANGUAGES) -> tuple[Labelled, ...]:
    """Return the labelled mails of all clients, made once."""
    return tuple(_mails(languages))


def _mails(languages: tuple[Language, ...]) -> Iterator[Labelled]:
    for words in languages:
        for client, text_of in TEXTS.items():
            text = text_of(words)
            source = source_of(text=text, is_flowed=client == "format=flowed")
            yield Labelled(client, words.code, source, text, words.answer)
        for client, document_of in DOCUMENTS.items():
            source = source_of(text=None, document=document_of(words))
            yield Labelled(client, words.code, source, "", words.answer)


def scores(read: Callable[[Labelled], str]) -> tuple[Counter[str], Counter[str], list[Labelled]]:
    """Return right mails and all mails of each client, and the wrong ones, by what *read* takes for the own text."""
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    wrong: list[Labelled] = []
    for mail in mails():
        every[mail.client] += 1
        if " ".join(read(mail).split()) == mail.expected:
            right[mail.client] += 1
        else:
            wrong.append(mail)
    return right, every, wrong
