"""
Extraction of the customer's own text from e-mail and chat messages: without markup, quotes and signature.

All functions are linear in the length of the text: no pattern backtracks from every character, and text longer than
`MOST_READ` is cut first.
"""

import html
import re
import unicodedata

MOST_READ = 60_000  # characters of one comment with its markup and quotes
MOST_TIER0_CHARACTERS = (
    20_000  # characters of a turn searched for Tier 0: a threat may precede a long text
)

_INVISIBLE = dict.fromkeys(
    {0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF}
    | {*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065)}
    | {*range(0x2066, 0x206A), *range(0xFE00, 0xFE10)}
)
_SIGNS = {
    "'": "\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4",
    '"': "\u201c\u201d\u201e\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013",
    " - ": "\u2014\u2015",
    "\n": "\r\u2028\u2029\u0085",
    " ": "\t",
}
_PLAIN = str.maketrans({sign: plain for plain, signs in _SIGNS.items() for sign in signs})
# Letters of other scripts that look like Latin ones, used to evade filters ("ch\u0430rgeback").
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0391\u0392\u0395\u039f\u03a1\u03bf\u0410\u0412\u0415\u041e\u0420\u0421\u0422\u041d\u041a\u041c",
    "aeopcyxiABEOPoABEOPCTHKM",
)

_TAG = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})(?=[\s/>])[^<>]{0,2000}>|<!--|<![a-zA-Z][^<>]{0,500}>"
)
_UNSEEN = frozenset({"script", "style", "head", "title", "blockquote"})
_BREAKS = frozenset(
    {"br", "p", "div", "li", "tr", "table", "ul", "ol", "hr", "h1", "h2", "h3", "h4", "section"}
)
_QUOTE_CLASS = re.compile(
    r"gmail_quote|yahoo_quoted|moz-cite-prefix|divRplyFwdMsg|OutlookMessageHeader", re.IGNORECASE
)


def plain(raw: str) -> str:
    """Return the customer's own lines of one comment, without markup, quoted history and signature."""
    text = as_text(raw)
    own = _without_signature(_without_history(text))
    # Without own text, the quoted or forwarded text is the message.
    return own if own.strip() else text.strip()


def as_text(raw: str) -> str:
    """Return the whole text of a comment including quotes, with markup removed and characters normalised."""
    text = raw[:MOST_READ]
    if "<" in text and _TAG.search(text):
        text = _without_markup(text)
    if "&" in text:
        text = html.unescape(text)
    text = (
        unicodedata.normalize("NFKC", text.translate(_PLAIN))
        .translate(_PLAIN)
        .translate(_INVISIBLE)
    )
    return _unmasked(text)


def _unmasked(text: str) -> str:
    """Replace look-alike letters in words of mixed scripts; a word entirely in another script is unchanged."""
    if text.isascii():
        return text
    return " ".join(
        word.translate(_LOOK_ALIKES) if any("a" <= sign <= "z" for sign in word.lower()) else word
        for word in text.split(" ")
    )


def _without_markup(text: str) -> str:
    parts: list[str] = []
    at, unseen = 0, 0
    for tag in _TAG.finditer(text):
        if tag.start() < at:
            continue
        if not unseen:
            parts.append(text[at : tag.start()])
        at = tag.end()
        if tag.group() == "<!--":
            end = text.find("-->", at)
            at = len(text) if end < 0 else end + 3
            continue
        name = (tag.group(2) or "").lower()
        if name in _UNSEEN:
            unseen = max(0, unseen - 1) if tag.group(1) else unseen + 1
        elif name in _BREAKS and not unseen:
            parts.append("\n")
        if not unseen and _QUOTE_CLASS.search(tag.group()):
            break  # The quoted mail follows.
    else:
        if not unseen:
            parts.append(text[at:])
    return "".join(parts)


# -- Quoted history ----------------------------------------------------------------------------------------------------

_ATTRIBUTION = re.compile(
    r"^(on\b.{0,200}\bwrote|el\b.{0,200}\bescribió|le\b.{0,200}\ba écrit|am\b.{0,200}\bschrieb.{0,80}|"
    r"em\b.{0,200}\bescreveu|il\b.{0,200}\bha scritto|op\b.{0,200}\bschreef.{0,80})\s?:$",
    re.IGNORECASE,
)
_ATTRIBUTION_START = re.compile(r"^(on|el|le|am|em|il|op)\b.{0,40}\d", re.IGNORECASE)
_RULER = re.compile(
    r"^[-_ ]{0,20}(original message|mensaje original|message d'origine|ursprüngliche nachricht|"
    r"forwarded message|mensaje reenviado|reply above this line|please type your reply above)\b.{0,40}$"
    r"|^_{10,}$|^##-.{0,80}-##$|^begin forwarded message:?$",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"^\*?(from|sent|to|cc|date|subject|de|enviado|para|asunto|von|gesendet|an|betreff|objet|envoyé|à)\*?\s?:",
    re.IGNORECASE,
)
_LONGEST_ATTRIBUTION = 300
_HEADERS_OF_A_MAIL = 3


def _without_history(text: str) -> str:
    lines = [line.strip() for line in text.split("\n")]
    own_lines: list[str] = []
    for number, line in enumerate(lines):
        if line.startswith((">", "|>")):
            continue
        if len(line) <= _LONGEST_ATTRIBUTION and _starts_history(lines[number : number + 6]):
            if _is_marked(lines[number + 1 : number + 4]):
                continue  # The reply may be below the quote.
            break
        own_lines.append(line)
    return "\n".join(own_lines)


def _is_marked(lines: list[str]) -> bool:
    """Return whether the first non-empty line of *lines* starts with a quote mark."""
    return next((line for line in lines if line), "").startswith(">")


def _starts_history(lines: list[str]) -> bool:
    """Return whether the quoted mail begins at the first of *lines* (attribution, ruler or mail headers)."""
    first, second = lines[0], lines[1][:_LONGEST_ATTRIBUTION] if len(lines) > 1 else ""
    if _RULER.match(first) or _ATTRIBUTION.match(first):
        return True
    if _ATTRIBUTION_START.match(first) and _ATTRIBUTION.match(f"{first} {second}"):
        return True
    headers = sum(1 for line in lines if _HEADER.match(line))
    return headers >= _HEADERS_OF_A_MAIL and bool(_HEADER.match(first))


# -- Signatures --------------------------------------------------------------------------------------------------------

_SIGN_OFF = re.compile(
    r"^(((many|with|kind|best|warm|kindest|warmest) )*(regards|wishes|thanks)( and (regards|thanks))?|best|cheers|"
    r"sincerely|yours (sincerely|truly|faithfully)|sincerely yours|respectfully|cordially|thank you( so much)?|thanks|"
    r"thx|saludos( cordiales)?|un saludo|atentamente|cordialement|mit freundlichen grüßen|mfg)[\s,.!-]{0,3}$",
    re.IGNORECASE,
)
_SENT_FROM = re.compile(
    r"^(sent (from|via|on) (my )?.{1,60}|get outlook for .{1,20}|enviado desde .{1,40}|envoyé de .{1,40}|"
    r"von meinem .{1,40} gesendet|--|yahoo mail.{0,60})$",
    re.IGNORECASE,
)
# Confidentiality footers. They mention unauthorised use and legal action, which would match P0 patterns.
_FOOTER = re.compile(
    r"^\W{0,3}(confidentiality( notice)?\b|disclaimer\b|legal notice\b|(this|the) (e-?mail|message|communication|"
    r"information)( (message|transmission))?( contained)?( in this e-?mail)?( and any (attachments?|files?).{0,40})? "
    r"(is|are|may|contains?|transmitted|(is )?intended)\b.{0,120}\b(confidential|intended|privileged)|"
    r"if you are not the intended recipient|please consider the environment)",
    re.IGNORECASE,
)
_SHORT_LINE_WORDS = 6
_LONGEST_SIGN_OFF = 60
_MOST_SIGNATURE_LINES = 8
_HAS_CONTENT = re.compile(
    r"[?!#]|\b(ps|p\.s|please|not|my|you|your|i|we|order|pedido|tracking|1z\w+)\b", re.IGNORECASE
)


def _without_signature(text: str) -> str:
    lines = text.split("\n")
    own_lines: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if own_lines and _FOOTER.match(line[:400]):
            break
        if _SENT_FROM.match(line[:100]):
            at = len(lines) if line == "--" else at + 1
            continue
        own_lines.append(lines[at])
        at += 1
        if len(line) <= _LONGEST_SIGN_OFF and _SIGN_OFF.match(line):
            at = _after_name(lines, at)
    return "\n".join(own_lines)


def _after_name(lines: list[str], at: int) -> int:
    """
    Return the index of the first line after a sign-off that is not a name, title or number. Lines that are long or
    match `_HAS_CONTENT` are kept.
    """
    for number in range(at, min(at + _MOST_SIGNATURE_LINES, len(lines))):
        line = lines[number].strip()
        if len(line.split()) > _SHORT_LINE_WORDS or _HAS_CONTENT.search(line):
            return number
    return min(at + _MOST_SIGNATURE_LINES, len(lines))
