"""
Encoding and segments of an SMS text, to know its cost before sending.

GSM 03.38 has 160 characters in one message, and 153 in each segment of a longer one. Characters of the extension table
take two and are never split. One character outside GSM 03.38 makes the text UCS-2: 70 UTF-16 units, or 67 per segment.
(3GPP TS 23.038 section 6.2.1; TS 23.040 section 9.2.3.24.1 for the header of each segment.)
"""

from dataclasses import dataclass
from typing import Literal

_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED = frozenset("\f^{}\\[~]|€")
_GSM = _BASIC | _EXTENDED
_GSM_ONE, _GSM_PART = 160, 153
_UCS2_ONE, _UCS2_PART = 70, 67
_LAST_OF_ONE_UNIT = "\uffff"

# Typographic variants, written by word processors and language models, of characters in GSM 03.38. By code point: many
# look alike.
_GSM_EQUIVALENTS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\u2039\u203a\u0060\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043", "-")
    | dict.fromkeys("\t\u00a0\u1680\u202f\u205f\u3000", " ")
    | dict.fromkeys(map(chr, range(0x2000, 0x200B)), " ")  # spaces of all widths
    | dict.fromkeys("\u0085\u2028\u2029", "\n")
    | dict.fromkeys("\u200b\u2060\ufeff\u00ad")  # zero-width characters
    | {"\u2026": "..."}
)


@dataclass(frozen=True, slots=True)
class Size:
    """*units* are septets of GSM 03.38 or UTF-16 units; *segments* is the billed number. An empty text has 0."""

    encoding: Literal["GSM-7", "UCS-2"]
    units: int
    segments: int


def gsm_equivalent(text: str) -> str:
    """Replace typographic quotes, dashes, dots and spaces by their GSM 03.38 equivalents; keep everything else."""
    return text.translate(_GSM_EQUIVALENTS)


def measure(text: str) -> Size:
    """Measure *text* as it is; apply `gsm_equivalent` first, because one curly quote more than halves the capacity."""
    if _GSM.issuperset(text):
        widths = [2 if character in _EXTENDED else 1 for character in text]
        return Size("GSM-7", sum(widths), _segments(widths, _GSM_ONE, _GSM_PART))
    widths = [2 if character > _LAST_OF_ONE_UNIT else 1 for character in text]
    return Size("UCS-2", sum(widths), _segments(widths, _UCS2_ONE, _UCS2_PART))


def _segments(widths: list[int], single_limit: int, part_limit: int) -> int:
    """Count the segments needed; no character is split between two."""
    if sum(widths) <= single_limit:
        return 1 if widths else 0
    segments, remaining = 1, part_limit
    for width in widths:
        if width > remaining:
            segments, remaining = segments + 1, part_limit
        remaining -= width
    return segments


@dataclass(frozen=True, slots=True, kw_only=True)
class SmsLength:
    """
    The most segments and characters that an SMS may have, and the *ending* that is added to its text.

    *messages*: the most SMS into which a longer text may be divided.
    """

    segments: int
    characters: int
    ending: str = ""
    messages: int = 1

    def as_sent(self, text: str) -> str:
        """Return a text as it is sent: with `gsm_equivalent` and the ending."""
        return gsm_equivalent(text.strip()) + self.ending

    def is_exceeded_by(self, text: str) -> bool:
        """Whether a text, as it is sent, is too long for one SMS."""
        whole = self.as_sent(text)
        return measure(whole).segments > self.segments or len(whole) > self.characters
