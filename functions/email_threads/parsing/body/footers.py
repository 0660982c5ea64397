"""Finds what mail programs and people add below a text: signatures, footers of phones and apps, separators."""

from __future__ import annotations

import re
from typing import Final

from shared.policy.consent.keywords import vocabulary

_SIGNATURE_LINES: Final = 12
_LONGEST_SIGNATURE: Final = 1_000
_STATED_WORDS: Final = 2
_MOST_STATED_LINES: Final = 16  # a greeting, a statement, and a signature
_LONGEST_SIGNED: Final = 120  # characters of a line of a signature
_LONGEST_GREETING: Final = 60
_FEWEST_DISCLAIMED: Final = 40  # characters
_LONGEST_DISCLAIMER: Final = 3_000
_DISCLAIMER_LINES: Final = 40
_WRAPPED_FROM: Final = 60  # characters from which clients wrap a line
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
    r"|163|126|網易|网易|smart\s?phone|smarttelefon|mobil|handy\b|\bcell|\bphone\b|tablet|\bapp(?:licazione|lication|li)?\b|alcatel|wiko\b|\bmoto\b|lenovo|nexus|lumia|\bhtc\b|\blg\b|mailbox|em client|emclient|mailbird|sparrow|typeapp|front$|aquamail|téléphone|teléfono|telemóvel|celular|telefon"
    r"|телефон|смартфон|手机|手機|スマート|携帯|휴대|هاتف|τηλέφωνο|เครื่อง|điện thoại|ponsel|телеф",
    re.IGNORECASE,
)
# "Sent from": in the languages of the first lines with a preposition, as orders and parcels are sent, too.
_SENT: Final = re.compile(
    r"(?:\b(?:sent|gesendet|gesandt|verschickt|geschrieben|envoyée?|enviad[oa]|enviat|inviat[oa]|scritto|escrito|verzonden|verstuurd|gestuurd|skicka\w{0,2}|sendt)\b(?:[ ,]+\w+)?[ ,]+"
    r"(?:from|with|using|by|via|through|on|von|vom|mit|auf|aus|über|de|depuis|du|d['’]\w*|par|à|avec|des|desde|con|do|no|da|dal(?:la|l['’]\w*)?|del|com|pel[oa]|a partir|tramite|vanaf|vanuit|van|met|från|fra|med)\b"
    r"|provenance|lähetetty|lähetin|wysłan|odesl[áa]n|odoslan|poslan[oe]|poslano|poslato|elküld|küld[vöt]|trimis"
    r"|отправлен|послан|надіслан|відправлен|изпрате|послат|испраќ|εστ[άα]λ|στ[άα]λ|αποστ[άα]λ|απεστ[άα]λ|נשלח|(?:تم )?الإرسال|[أا]رسل|مرسل|ارسال|فرستاده|भेजा(?: गया)?"
    r"|送信|から送|发自|發自|发送|發送|傳送|传送|寄出|來自|来自|從|보냄|보낸|보냈|발송|전송|ส่งจาก|ส่งมาจาก|(?:đã )?(?:được )?gửi từ|dikirim|dihantar|išsiųst|nosūtīt|saadetud|sendur|sent úr"
    r"|dërguar|ipadala|imetumwa|bidalita|\bvon meinem\b|\bvon unterwegs\b|de mon i(?:phone|pad)|desde mi\b|dal mio i(?:phone|pad)|\bdo meu\b|\bvia\b|\bfrom my\b)",
    re.IGNORECASE,
)
# "Get", which names a mail program.
_GET: Final = re.compile(
    r"(?:\bget\b|(?:\bholen?|laden) sie|\bhole? dir\b|\bholen\b|\bobter\b|\bobten|obtén|\bbaix[ea]r?\b|\bdescarg|télécharg|scarica|ottieni|download|\bskaffa?\b|hent\b|hämta|\bfå\b|hanki\b|pobierz|získ|stáhn"
    r"|(?:az outlook )?beszerz|preluat|obțin|получит|скача|завантаж|λήψη|αποκτ|השג|הורד|الحصول|获取|取得|下载|ดาวน์โหลด|\btải\b|dapatkan"
    r"|.{0,60}(?:herunterladen|beziehen|downloaden|ophalen|beszerzése|hentes|edinin|다운로드|받기|入手|प्राप्त करें)\W{0,3}$)",
    re.IGNORECASE,
)
_MAIL_PROGRAM: Final = re.compile(
    r"outlook|mail\b|yahoo|gmx|web\.de|aol\b|proton|spark\b|bluemail", re.IGNORECASE
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
_SLOGAN: Final = re.compile(
    r"yahoo mail: search, organize, conquer|sent (?:with shift|from nine|from front)|secured by skiff mail",
    re.IGNORECASE,
)
_SENT_MAIL: Final = r"(?:\b(?:sent|gesendet|gesandt|verschickt|geschrieben|envoyée?|enviad[oa]|inviat[oa]|verzonden|verstuurd|gestuurd|skickat|sendt|odeslána?|отправлен\w?|надіслан\w?)\b)"
_THIS_WAS_SENT: Final = re.compile(
    rf"(?:this|diese|ce|cette|este|esta|questo|dit|deze|detta|dette|denne|tato|ta|это|эта|це)\w* (?:e-?mail|message|nachricht|mail|messaggio|mensaje|mensagem|correo|courriel|courrier|bericht|meddelande|besked|melding|zpráva|wiadomość|сообщение|письмо|повідомлення|лист)\w* (?:\S+ ){{0,10}}?{_SENT_MAIL}",
    re.IGNORECASE,
)
_APP_LINK: Final = re.compile(
    r"https?://(?:aka\.ms|go\.microsoft\.com|go\.onelink\.me|apps\.apple\.com|itunes\.apple\.com|play\.google\.com)/",
    re.IGNORECASE,
)
# A whole line, perhaps with the name of its writer.
_CLOSING: Final = re.compile(
    r"(?:(?:(?:mit )?(?:freundlich|best|viel|lieb|herzlich|schön)(?:e[nmr]?|st\w*)? )?(?:gr(?:ü|u|ue)(?:ß|ss)e?n?|gruß|gruss)|mfg|lg|vg|bg|hochachtungsvoll|danke(?:schön| schön)?|vielen dank|(?:mit )?(?:besten|freundlichem) (?:dank|gruß)"
    r"|(?:(?:best|kind(?:est)?|warm(?:est)?|many) )?(?:regards|wishes)|best|sincerely(?: yours)?|yours (?:sincerely|faithfully|truly)|thanks|thx|many thanks|thank you|cheers|br|rgds"
    r"|(?:un )?(?:(?:cordial|atento) )?saludos?(?: cordial(?:es)?)?|atentamente|(?:muchas )?gracias|atenciosamente|att|abraços?|(?:muito )?obrigad[oa]|(?:com os melhores )?cumprimentos"
    r"|(?:cordiali|distinti|tanti) saluti|saluti|(?:molte )?grazie|(?:bien )?cordialement|cdlt|merci(?: d['’]avance)?|bien à vous|(?:meilleures )?salutations|(?:met )?(?:vriendelijke )?groet(?:en)?|mvg|mvh|med (?:vänlig\w*|venlig|vennlig) (?:hälsning\w*|hilsen)|(?:vänliga )?hälsningar|hilsen|tack|takk?"
    r"|pozdrawiam(?: serdecznie)?|z poważaniem|dziękuję|s (?:pozdrav\w+|úctou)|děkuji|ďakujem|(?:lijep )?pozdrav|(?:lep )?pozdrav|с уважением|с уважение|спасибо|з повагою|дякую|благодаря|поздрави|üdvözlettel|tisztelettel|köszönöm|(?:ystävällisin )?terveisin|kiitos"
    r"|(?:cu )?(?:stimă|respect)|mulțumesc|με εκτίμηση|ευχαριστώ|saygılar\w*|teşekkürler|iyi günler|בברכה|תודה|(?:مع )?(?:أطيب )?(?:التحيات|التحية|تحياتي)|شكرا|با احترام|धन्यवाद|सादर|terima kasih|salam|hormat (?:saya|kami)|trân trọng|cảm ơn|ขอบคุณ\w*|ด้วยความเคารพ"
    r"|よろしくお願い(?:いた|致)?します|敬具|以上|此致|敬礼|敬禮|谢谢|謝謝|祝好|감사합니다|안녕히 계세요)"
    r"[,.!\u3002\u060c]*(?:[ ,]+(?-i:[^\W\d_a-zß-öø-ÿ])[\w.'-]{0,20}){0,3}",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(
    r"(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)|to whom it may concern|hallo|moin|servus|grüezi|guten (?:tag|morgen|abend)|sehr geehrte[rs]?|liebe[rs]?|bonjour|bonsoir|madame|monsieur|ch(?:er|ère)s?"
    r"|hola|buen(?:os|as)? (?:días|dias|tardes|noches)|estimad[oa]s?|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]s?|car[oaie]|ciao|buongiorno|buonasera|gentil[ei]|salve|spett(?:abile|\.le)|beste|geachte|goede(?:morgen|middag|navond)|goedendag"
    r"|hej|hei|bästa|kære|kjære|god (?:dag|morgon|morgen)|dzień dobry|witam|szanown\w+|dobrý (?:den|deň)|vážen\w+|dobar dan|poštovan\w+|pozdravljeni|здравствуйте|добрый (?:день|вечер)|уважаем\w+|добрий день|доброго дня|вітаю|здравейте|добър ден|kedves|tisztelt|jó napot|bună(?: ziua)?|stimat\w+"
    r"|γεια(?: σας)?|καλημέρα|αγαπητ\w+|merhaba|sayın|שלום|مرحبا|السلام عليكم|سلام|नमस्ते|halo|selamat \w+|yth|xin chào|kính gửi|สวัสดี\w*|您好|你好|こんにちは|お世話になっております|안녕하세요)"
    r"(?:[ ,.]+[^\s?:]{1,30}){0,5}[ ,.!:\uff0c\u3002\uff01]*",
    re.IGNORECASE,
)
# A paragraph about this mail that speaks of secrecy and the right reader, or of a mistake; one about paper; and the line
# of a virus scanner.
_THIS_MAIL: Final = re.compile(
    r"(?:\b(?:this|these|the|diese[rsnm]?|dies|ce|cette|présent|este|esta|presente|quest[oa]|dit|deze|det?ta|dette|denne|tato|tento|táto|ta|niniejsz\w+|это|данн\w+|это\w+|це|цей) (?:\S+ )?(?:e-?mail|message|communication|transmission|nachricht|mail|messaggio|comunicazione|mensaje|mensagem|correo|courriel|bericht|meddelande|besked|melding|zpráv|správ|wiadomość|сообщен|письмо|повідомлення|лист)"
    r"|(?:e-?mail|message) (?:and|or|transmission)|本(?:邮件|郵件|メール)|此(?:邮件|郵件)|このメール|이 (?:메일|메시지))",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|my|me|ich|mein\w*|je|j'ai|mon|mes|yo|mis?|io|mio|mia|ik|mijn)\b", re.IGNORECASE
)
_SECRECY: Final = re.compile(
    r"confiden[tc]i|vertraulich|vertrouwelijk|privileged|riservat|konfiden[tc]|poufn|důvěrn|dôvern|povjerljiv|zaupn|bizalmas|luottamuksell|fortrolig|gizli|εμπιστευτικ|конфиденц|конфіденц|поверител|סודי|סרי|機密|机密|보안|기밀|mật",
    re.IGNORECASE,
)
_READER: Final = re.compile(
    r"recipient|addressee|empfänger|adress[ae]t|destinat|ontvanger|geadresseerde|odbiorc|príjemc|příjemc|primate?lj|naslovnik|címzett|vastaanottaj|mottaker|mottagar|modtager|alıcı|παραλήπτ|получател|одержувач|адресат|נמען|受信者|宛先|收件人|수신|người nhận",
    re.IGNORECASE,
)
_MISTAKE: Final = re.compile(
    r"(?:\berror\b|mistake|irrtümlich|irrtum|par erreur|per errore|por (?:error|erro)|abusivement|ten onrechte|omyłk|омилк|ошибк|誤)\W(?:.{0,400})(?:delete|destroy|lösch|vernicht|supprim|détrui|elimin|borr|cancell|apag|verwijder|usun|удал|видал|削除)",
    re.IGNORECASE | re.DOTALL,
)
_PAPER: Final = re.compile(
    r"(?=.*(?:environment|umwelt|environnement|medio ?ambiente|meio ambiente|ambiente|milieu|środowisk))(?=.*(?:print|druck|imprim|stamp|afdruk|wydruk))"
    r".*\b(?:before|bevor|vor dem|avant|antes|prima|voordat|alvorens|zanim|really need)\b",
    re.IGNORECASE | re.DOTALL,
)
_SCANNED: Final = re.compile(
    r"(?=.*(?:virus-?free|virenfrei|sans virus|(?:libre|livre) de v[ií]rus|(?:privo di|senza) virus|virusvrij|\bwoln\w+ od|checked|scanned|geprüft|vérifié|analy[sz]|verific|controll|gecontroleerd|sprawdz|kontrol|проверен|без вирус))"
    r"(?=.*(?:avast|\bavg\b|avira|norton|kaspersky|\beset\b|mcafee|bitdefender|sophos))(?=.*(?:\bv[ií]r(?:us|en|i\b|ov|ey|o\b)|wirus|вирус|вірус|ウイルス|病毒|바이러스|ιο[ύί]))",
    re.IGNORECASE,
)
# Vowels of Arabic, and invisible characters, which apps put around their footers.
_IGNORED_MARKS: Final = re.compile("[\u064b-\u0652\u0640\u200b-\u200f\u2060-\u2064\ufeff]")
# A line about its writer, its reader or an order is text.
_PERSONAL: Final = re.compile(
    r"\b(?:i|you|your|order|ich|(?<!laden )(?<!holen )sie|ihr|bestellung|je|j'ai|vous|commande|yo|usted|pedido|io|lei|ordine|not|nicht|non|não|works|fails?|funktioniert|funciona)\b|\d{5,}",
    re.IGNORECASE,
)


def without_signature(lines: list[str], *, may_be_all: bool = False) -> list[str]:
    """Return the lines above a signature mark that is not the first text and has at most 12 lines below it."""
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    for number in range(count - 1, max(count - _SIGNATURE_LINES - 2, -1), -1):
        if _SIGNATURE.fullmatch(lines[number]) and (may_be_all or _has_text(lines[:number])):
            return lines[:number]
    return lines


def without_marked_signature(
    lines: list[str], signature: str, *, may_be_all: bool = False
) -> list[str]:
    """Return the lines above the signature that ends them, which the mail client marked; all of them without one."""
    wanted = _signs(signature)
    if not 0 < len(wanted) <= _LONGEST_SIGNATURE:
        return lines
    ending = ""
    for number in range(len(lines) - 1, -1, -1):
        ending = _signs(lines[number]) + ending
        if not wanted.endswith(ending):
            break
        if ending == wanted and (may_be_all or _has_text(lines[:number])):
            return lines[:number]
    return lines


def without_letter_form(lines: list[str], writer: str) -> list[str]:
    """
    Return a line of one or two words that stands alone above a closing, and a keyword below a greeting; else all lines.

    The closing is a formula, or the name of the *writer*, with the short lines of a signature below it.
    """
    texts = [line.strip() for line in lines if line.strip()]
    if not 1 < len(texts) <= _MOST_STATED_LINES:
        return lines
    is_greeted = len(texts[0]) <= _LONGEST_GREETING and bool(_GREETING.fullmatch(texts[0]))
    stated, *below = texts[1:] if is_greeted else texts
    if is_greeted:
        is_alone = vocabulary().keyword_of(stated) is not None
    else:
        is_alone = len(stated.split()) <= _STATED_WORDS and not _CLOSING.fullmatch(stated)
    return [stated] if is_alone and (not below or _is_closing(below, writer)) else lines


def is_closing(line: str) -> bool:
    """Whether a line is a formula such as "Best regards", perhaps with the name of its writer."""
    return len(line) <= _LONGEST_SIGNED and bool(_CLOSING.fullmatch(line))


def _is_closing(lines: list[str], writer: str) -> bool:
    first, *others = lines
    return bool(_CLOSING.fullmatch(first) or _is_name(first, writer)) and all(
        len(line) <= _LONGEST_SIGNED and not line.endswith(("?", "!", ":")) for line in others
    )


def _is_name(line: str, writer: str) -> bool:
    """Whether a line consists of names of the writer, or of initials."""
    names = {name.casefold() for name in re.split(r"[\W_]+", writer) if name}
    words = [word.casefold() for word in re.split(r"[\W_]+", line) if word]
    return (
        bool(names)
        and any(word in names for word in words)
        and all(word in names or len(word) == 1 for word in words)
    )


def _signs(text: str) -> str:
    """Return the letters and digits: plain text and HTML differ in the others."""
    return "".join(filter(str.isalnum, text))


def without_footers(lines: list[str], *, may_be_all: bool = False) -> list[str]:
    """
    Return the lines without signature, footers of phones and apps, disclaimers, and separators at their end.

    *may_be_all*: the lines may be nothing else, as above the quote of a mail that was sent without own text.
    """
    for _ in range(_MOST_FOOTERS):
        shorter = _without_separator(without_signature(lines, may_be_all=may_be_all))
        shorter = _without_app(shorter, may_be_all=may_be_all)
        shorter = _without_disclaimer(shorter, may_be_all=may_be_all)
        if len(shorter) == len(lines):
            return lines
        lines = shorter
    return lines


def _has_text(lines: list[str]) -> bool:
    return any(line.strip() for line in lines)


def _without_separator(lines: list[str]) -> list[str]:
    count = len(lines)
    while count and (
        not lines[count - 1].strip() or _SEPARATOR.fullmatch(lines[count - 1].strip())
    ):
        count -= 1
    return lines[:count]


def _without_app(lines: list[str], *, may_be_all: bool) -> list[str]:
    """Return the lines without a footer of at most two lines."""
    for count in range(1, min(_FOOTER_LINES, len(lines)) + 1):
        above, last = lines[:-count], lines[-count:]
        if not all(line.strip() for line in last) or not (may_be_all or _has_text(above)):
            break
        if is_app_footer(" ".join(line.strip() for line in last)) and (
            count == 1 or not above or not above[-1].strip()
        ):
            return above
    return lines


def _without_disclaimer(lines: list[str], *, may_be_all: bool) -> list[str]:
    """Return the lines above the last ones if these say who may read a mail. A line below a short one begins a text."""
    first = max(len(lines) - _DISCLAIMER_LINES, 0)
    for begin in range(len(lines) - 1, first - 1, -1):
        if not lines[begin].strip():
            break
        is_begin = not begin or len(lines[begin - 1]) < _WRAPPED_FROM
        if is_begin and _disclaims(" ".join(lines[begin:])):
            return lines[:begin] if may_be_all or _has_text(lines[:begin]) else lines
    return lines


def _disclaims(text: str) -> bool:
    if not _FEWEST_DISCLAIMED <= len(text) <= _LONGEST_DISCLAIMER or text.rstrip().endswith("?"):
        return False
    if _FIRST_PERSON.search(text):
        return False
    is_about_reader = bool(_SECRECY.search(text) and _READER.search(text)) or _MISTAKE.search(text)
    return bool((is_about_reader and _THIS_MAIL.search(text)) or _PAPER.match(text))


def is_app_footer(text: str) -> bool:
    """Whether a line is the footer of a phone or a mail program, as "Sent from my iPhone"."""
    if len(text) > 2 * _LONGEST_FOOTER:
        return False
    has_app_link = bool(_APP_LINK.search(text))
    text = _IGNORED_MARKS.sub("", text)
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
    is_app = bool(says_so and _PRODUCT.search(words)) or bool(_SCANNED.match(words))
    return is_app and not _PERSONAL.search(words)
