"""Finds what mail programs and people add below a text: signatures, footers of phones and apps, separators."""

from __future__ import annotations

import re
from typing import Final

_SIGNATURE_LINES: Final = 12
_LONGEST_SIGNATURE: Final = 1_000
_CLOSED_WORDS: Final = 2
_CLOSING_LINES: Final = 7
_LONGEST_NAME: Final = 60
_LONGEST_FOOTER: Final = 160
_FOOTER_LINES: Final = 2
_MOST_FOOTERS: Final = 20

# The usual mark, and the line above the footer of mailing lists.
_SIGNATURE: Final = re.compile(r"(?:-- ?|_{20,})\s*")
# The last one is the mark that a tracker of opened mail leaves.
_SEPARATOR: Final = re.compile(r"(?:[-_=*~+#\u2013\u2014]{2,}|\u1427)\s*")
_LINK: Final = re.compile(r"[<(\[]?https?://[^\s>)\]]*[>)\]]?")
# A footer names a device or a program, and says that it sent the mail or where to get it.
_PRODUCT: Final = re.compile(
    r"iphon|ipad|ipod|ios\b|mac(?:book)?\b|apple watch|vision pro|android|galaxy|samsung|huawei|honor\b|xiaomi|redmi"
    r"|oneplus|oppo\b|pixel|xperia|nokia|motorola|blackberry|windows|outlook|yahoo|gmail|proton|zoho|aol\b|gmx|web\.de"
    r"|t-online|freenet|thunderbird|k-9|fairemail|bluemail|spark\b|mailspring|mymail|mail\.ru|yandex|яндекс|почт"
    r"|tuta(?:nota)?\b|fastmail|hey\b|superhuman|canary|edison|newton|airmail|naver|netease|qq\s?(?:mail|邮箱)|foxmail"
    r"|163|126|網易|网易|smart\s?phone|smarttelefon|mobil|handy\b|\bcell|\bphone\b|tablet|\bapp(?:licazione|lication|li)?\b|alcatel|wiko\b|\bmoto\b|lenovo|nexus|lumia|\bhtc\b|\blg\b|mailbox|sparrow|typeapp|front$|aquamail|téléphone|teléfono|telemóvel|celular|telefon"
    r"|телефон|смартфон|手机|手機|スマート|携帯|휴대|هاتف|τηλέφωνο|เครื่อง|điện thoại|ponsel|телеф",
    re.IGNORECASE,
)
# "Sent from": in the languages of the first lines with a preposition, as orders and parcels are sent, too.
_SENT: Final = re.compile(
    r"(?:\b(?:sent|gesendet|gesandt|verschickt|geschrieben|envoyée?|enviad[oa]|enviat|inviat[oa]|scritto|escrito|verzonden|verstuurd|gestuurd|skicka\w{0,2}|sendt)\b(?:[ ,]+\w+)?[ ,]+"
    r"(?:from|with|using|by|via|through|on|von|vom|mit|auf|aus|über|de|depuis|du|d['’]\w*|par|à|avec|des|desde|con|do|no|da|dal(?:la|l['’]\w*)?|del|com|pel[oa]|a partir|tramite|vanaf|vanuit|van|met|från|fra|med)\b"
    r"|provenance|lähetetty|lähetin|wysłan|odesl[áa]n|odoslan|poslan[oe]|poslano|poslato|elküld|küld[vöt]|trimis"
    r"|отправлен|послан|надіслан|відправлен|изпрате|послат|испраќ|στ[άα]λ|αποστ[άα]λ|απεστ[άα]λ|נשלח|(?:تم )?الإرسال|[أا]رسل|مرسل|ارسال|فرستاده|भेजा(?: गया)?"
    r"|送信|から送|发自|發自|发送|發送|傳送|传送|寄出|來自|来自|從|보냄|보낸|보냈|발송|전송|ส่งจาก|ส่งมาจาก|(?:đã )?(?:được )?gửi từ|dikirim|dihantar|išsiųst|nosūtīt|saadetud|sendur|sent úr"
    r"|dërguar|ipadala|imetumwa|bidalita|\bvon meinem\b|\bvon unterwegs\b|de mon i(?:phone|pad)|desde mi\b|dal mio i(?:phone|pad)|\bdo meu\b|\bvia\b|\bfrom my\b)",
    re.IGNORECASE,
)
# "Get", which names a mail program.
_GET: Final = re.compile(
    r"(?:\bget\b|(?:\bholen?|laden) sie|\bholen\b|\bobter\b|\bobten|obtén|\bbaix[ea]r?\b|\bdescarg|télécharg|scarica|ottieni|download|\bskaffa?\b|hent\b|hämta|\bfå\b|hanki\b|pobierz|získ"
    r"|(?:az outlook )?beszerz|preluat|obțin|получит|скача|завантаж|λήψη|αποκτ|השג|הורד|الحصول|获取|取得|下载|ดาวน์โหลด|\btải\b|dapatkan"
    r"|.{0,60}(?:herunterladen|beziehen|downloaden|ophalen|beszerzése|edinin|다운로드|받기|入手|प्राप्त करें)\W{0,3}$)",
    re.IGNORECASE,
)
_MAIL_PROGRAM: Final = re.compile(
    r"outlook|mail\b|yahoo|gmx|web\.de|aol\b|proton|spark\b", re.IGNORECASE
)
# The verb at the end: a German or Dutch footer begins with the device, other languages have only it and the verb.
_SENT_AT_END: Final = re.compile(
    r"(?!.*\b(?:wurden?|haben?|habe|werden|werd)\b)(?:von|vom|mit|aus|über|via|vanaf|met|per)\b.{4,120}\b(?:gesendet|gesandt|verschickt|geschrieben|verzonden|verstuurd)"
    r"|.{2,100}(?:gönder|yollan|küld|送信|から送|傳送|传送|發送|发送|寄出|보냄|보낸|보냈|발송|전송|भेजा(?: गया)?)\w{0,6}",
    re.IGNORECASE,
)
# A device that is known by its number only, as "Sent from my TI-85".
_OWN_DEVICE: Final = re.compile(
    r"(?:sent from my|envoyée? (?:de|depuis) mon|gesendet von meinem|enviado desde mi|enviado do meu|inviato dal mio|verzonden vanaf mijn) (?=[^,]{0,30}\d)[^,.;:]{2,30}",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[,;.] ")
_SLOGAN: Final = re.compile(r"yahoo mail: search, organize, conquer", re.IGNORECASE)
_SENT_MAIL: Final = r"(?:\b(?:sent|gesendet|gesandt|verschickt|geschrieben|envoyée?|enviad[oa]|inviat[oa]|verzonden|verstuurd|gestuurd|skickat|sendt|odeslána?|отправлен\w?|надіслан\w?)\b)"
_THIS_WAS_SENT: Final = re.compile(
    rf"(?:this|diese|ce|cette|este|esta|questo|dit|deze|detta|dette|denne|tato|ta|это|эта|це)\w* (?:e-?mail|message|nachricht|mail|messaggio|mensaje|mensagem|correo|courriel|courrier|bericht|meddelande|besked|melding|zpráva|wiadomość|сообщение|письмо|повідомлення|лист)\w* (?:\S+ ){{0,10}}?{_SENT_MAIL}",
    re.IGNORECASE,
)
_APP_LINK: Final = re.compile(
    r"https?://(?:aka\.ms|go\.microsoft\.com|go\.onelink\.me|apps\.apple\.com|itunes\.apple\.com|play\.google\.com)/",
    re.IGNORECASE,
)
# A whole line, with or without a comma.
_CLOSING: Final = re.compile(
    r"(?:(?:(?:mit )?(?:freundlich|best|viel|lieb|herzlich|schön)(?:e[nm]?|st\w*)? )?(?:gr(?:ü|u|ue)(?:ß|ss)e?n?|gruß|gruss)|mfg|lg|vg|bg|hochachtungsvoll|danke|vielen dank"
    r"|(?:(?:best|kind|warm|many) )?(?:regards|wishes)|best|sincerely(?: yours)?|yours (?:sincerely|faithfully|truly)|thanks|many thanks|thank you|cheers"
    r"|(?:un )?(?:(?:cordial|atento) )?saludos?(?: cordial(?:es)?)?|atentamente|(?:muchas )?gracias|atenciosamente|att|abraços?|(?:muito )?obrigad[oa]|(?:com os melhores )?cumprimentos"
    r"|(?:cordiali|distinti|tanti) saluti|saluti|(?:molte )?grazie|cordialement|merci|bien à vous|salutations|(?:met )?(?:vriendelijke )?groet(?:en)?|mvg|mvh|med (?:vänlig|venlig|vennlig) (?:hälsning\w*|hilsen))"
    r"[,.]?",
    re.IGNORECASE,
)
_ARABIC_MARKS: Final = re.compile("[\u064b-\u0652\u0640\u200e\u200f]")
# A line about its writer, its reader or an order is text.
_PERSONAL: Final = re.compile(
    r"\b(?:i|you|your|order|ich|(?<!laden )(?<!holen )sie|ihr|bestellung|je|j'ai|vous|commande|yo|usted|pedido|io|lei|ordine|not|nicht|non|não|works|fails?|funktioniert|funciona)\b|\d{5,}",
    re.IGNORECASE,
)


def without_signature(lines: list[str]) -> list[str]:
    """Return the lines above a signature mark that is not the first line and has at most 12 lines below it."""
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    for number in range(count - 1, max(count - _SIGNATURE_LINES - 2, 0), -1):
        if _SIGNATURE.fullmatch(lines[number]) and any(line.strip() for line in lines[:number]):
            return lines[:number]
    return lines


def without_marked_signature(lines: list[str], signature: str) -> list[str]:
    """Return the lines above the signature that ends them, which the mail client marked; all of them without one."""
    wanted = _signs(signature)
    if not 0 < len(wanted) <= _LONGEST_SIGNATURE:
        return lines
    ending = ""
    for number in range(len(lines) - 1, 0, -1):
        ending = _signs(lines[number]) + ending
        if not wanted.endswith(ending):
            break
        if ending == wanted and any(line.strip() for line in lines[:number]):
            return lines[:number]
    return lines


def without_closing(lines: list[str]) -> list[str]:
    """Return a line of one or two words that stands alone above a closing formula and a name; else all lines."""
    texts = [line.strip() for line in lines if line.strip()]
    if not 1 < len(texts) <= _CLOSING_LINES or len(texts[0].split()) > _CLOSED_WORDS:
        return lines
    is_closed = _CLOSING.fullmatch(texts[1]) and all(
        len(line) <= _LONGEST_NAME and not line.endswith(("?", "!", ":")) for line in texts[1:]
    )
    return [texts[0]] if is_closed else lines


def _signs(text: str) -> str:
    """Return the letters and digits: plain text and HTML differ in the others."""
    return "".join(filter(str.isalnum, text))


def without_footers(lines: list[str]) -> list[str]:
    """Return the lines without signature, footers of phones and apps, and separators at their end."""
    for _ in range(_MOST_FOOTERS):
        shorter = _without_app(_without_separator(without_signature(lines)))
        if len(shorter) == len(lines):
            return lines
        lines = shorter
    return lines


def _without_separator(lines: list[str]) -> list[str]:
    count = len(lines)
    while count and (
        not lines[count - 1].strip() or _SEPARATOR.fullmatch(lines[count - 1].strip())
    ):
        count -= 1
    return lines[:count]


def _without_app(lines: list[str]) -> list[str]:
    """Return the lines without a footer of at most two lines, which is not the only text."""
    for count in range(1, min(_FOOTER_LINES, len(lines) - 1) + 1):
        above, last = lines[:-count], lines[-count:]
        if not all(line.strip() for line in last) or not any(line.strip() for line in above):
            break
        if is_app_footer(" ".join(line.strip() for line in last)) and (
            count == 1 or not above[-1].strip()
        ):
            return above
    return lines


def is_app_footer(text: str) -> bool:
    """Whether a line is the footer of a phone or a mail program, as "Sent from my iPhone"."""
    if len(text) > 2 * _LONGEST_FOOTER:
        return False
    has_app_link = bool(_APP_LINK.search(text))
    text = _ARABIC_MARKS.sub("", text)
    words = _LINK.sub(" ", text).strip(" *_-.<>()[]\u2013\u2014\u3002")
    if not words or len(words) > _LONGEST_FOOTER or words.endswith(("?", "!", "\uff1f")):
        return False
    clause = _CLAUSE.split(words, maxsplit=1)[0]
    says_so = (
        has_app_link
        or (_SENT.match(words) and _PRODUCT.search(clause))
        or (_GET.match(words) and _MAIL_PROGRAM.search(words))
        or _SENT_AT_END.fullmatch(words)
        or _THIS_WAS_SENT.match(words)
    )
    if _OWN_DEVICE.fullmatch(words) or _SLOGAN.fullmatch(words):
        return True
    return bool(says_so and _PRODUCT.search(words) and not _PERSONAL.search(words))
