"""Finds what mail programs and people add below a text: signatures, footers of phones and apps, separators."""

from __future__ import annotations

import re
from typing import Final

_SIGNATURE_LINES: Final = 12
_LONGEST_FOOTER: Final = 160
_FOOTER_LINES: Final = 2

# The usual mark, and the line above the footer of mailing lists.
_SIGNATURE: Final = re.compile(r"(?:-- ?|_{20,})\s*")
_SEPARATOR: Final = re.compile(r"[-_=*~\u2013\u2014]{2,}\s*")
_LINK: Final = re.compile(r"[<(\[]?https?://[^\s>)\]]*[>)\]]?")
# A footer names a device or a program, and says that it sent the mail or where to get it.
_PRODUCT: Final = re.compile(
    r"iphon|ipad|ipod|ios\b|mac(?:book)?\b|apple watch|vision pro|android|galaxy|samsung|huawei|honor\b|xiaomi|redmi"
    r"|oneplus|oppo\b|pixel|xperia|nokia|motorola|blackberry|windows|outlook|yahoo|gmail|proton|zoho|aol\b|gmx|web\.de"
    r"|t-online|freenet|thunderbird|k-9|fairemail|bluemail|spark\b|mailspring|mymail|mail\.ru|yandex|яндекс|почт"
    r"|tuta(?:nota)?\b|fastmail|hey\b|superhuman|canary|edison|newton|airmail|naver|netease|qq\s?(?:mail|邮箱)|foxmail"
    r"|163|126|網易|网易|smart\s?phone|smarttelefon|mobil|handy\b|cell|téléphone|teléfono|telemóvel|celular|telefon"
    r"|телефон|смартфон|手机|手機|スマート|携帯|휴대|τηλέφωνο|เครื่อง|điện thoại|ponsel|телеф",
    re.IGNORECASE,
)
_SENT_WORDS: Final = (
    r"(?:\bsent\b|\bget\b|gesendet|gesandt|verschickt|\bholen?\b|laden sie|envoy|\bobter\b|\bobten|télécharg|enviad|enviat|envia\b"
    r"|inviat|scarica|ottieni|verzonden|verstuurd|gestuurd|download|\bskicka|\bsendt\b|\bsent fra|hent\b|hämta|\bfå\b"
    r"|lähetetty|lähetin|hanki\b|wysłan|pobierz|odesl[áa]n|odoslan|poslan[oe]|poslano|poslato|získ|küld[vöt]|trimis"
    r"|preluat|obține|отправлен|послан|надіслан|відправлен|изпрате|послат|испраќ|стáл|στ[άα]λ|αποστ[άα]λ|απεστ[άα]λ"
    r"|λήψη|gönder|yollan|edinin|נשלח|השג|הורד|الحصول|[أا]رسل|مرسل|ارسال|فرستاده|भेजा(?: गया)?|送信|から送|发自|發自|发送|發送|傳送|传送|寄出|來自|来自"
    r"|获取|取得|入手|보냄|보낸|발송|전송|ส่งจาก|ส่งมาจาก|(?:đã )?(?:được )?gửi từ|dikirim|dihantar|išsiųst|nosūtīt|saadetud|sendur|sent úr"
    r"|wysłano|poslané|dërguar|ipadala|imetumwa|gestuur|bidalita|\bvon meinem\b|\bvon unterwegs\b|de mon i(?:phone|pad)"
    r"|desde mi\b|dal mio i(?:phone|pad)|\bdo meu\b|\bvia\b)"
)
_SENT: Final = re.compile(_SENT_WORDS, re.IGNORECASE)
_SENT_AT_END: Final = re.compile(rf"{_SENT_WORDS}\w{{0,6}}$", re.IGNORECASE)
_THIS_WAS_SENT: Final = re.compile(
    rf"(?:this|diese|ce|cette|este|esta|questo|dit|deze|detta|dette|denne|tato|ta|это|эта|це)\w* (?:\w+ ){{0,4}}{_SENT_WORDS}",
    re.IGNORECASE,
)
_APP_LINK: Final = re.compile(
    r"https?://(?:aka\.ms|go\.microsoft\.com|go\.onelink\.me|apps\.apple\.com|itunes\.apple\.com|play\.google\.com)/",
    re.IGNORECASE,
)
_ARABIC_MARKS: Final = re.compile("[\u064b-\u0652\u0640\u200e\u200f]")
# A line about its writer, its reader or an order is text.
_PERSONAL: Final = re.compile(
    r"\b(?:i|you|your|order|ich|(?<!laden )(?<!holen )sie|ihr|bestellung|je|j'ai|vous|commande|yo|usted|pedido|io|lei|ordine)\b|\d{5,}",
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


def without_footers(lines: list[str]) -> list[str]:
    """Return the lines without signature, footers of phones and apps, and separators at their end."""
    while True:
        shorter = _without_app(_without_separator(without_signature(lines)))
        if len(shorter) == len(lines):
            return lines
        lines = shorter


def _without_separator(lines: list[str]) -> list[str]:
    while lines and (not lines[-1].strip() or _SEPARATOR.fullmatch(lines[-1].strip())):
        lines = lines[:-1]
    return lines


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
    says_so = (
        has_app_link
        or _SENT.match(words)
        or _SENT_AT_END.search(words)
        or _THIS_WAS_SENT.match(words)
    )
    return bool(says_so and _PRODUCT.search(words) and not _PERSONAL.search(words))
