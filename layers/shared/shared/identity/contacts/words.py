"""The form in which searches compare texts and the names of columns, and their words."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from shared.identity.addresses import visible

# Accents, the vowel points of Hebrew and Arabic, its hamza and lengthening stroke, and variation selectors.
_ACCENTS = re.compile(
    r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\ufe00-\ufe0f]"
)
# Letters with a stroke or a hook have no decomposition in Unicode; apostrophes and hyphens are typed in many ways, and
# so are some letters of Arabic.
_PLAIN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ŧ": "t",
        "ħ": "h",
        "\u0131": "i",
        "æ": "ae",
        "œ": "oe",
    }
    | {
        "\u0629": "\u0647",  # teh marbuta as heh
        "\u0649": "\u064a",  # alef maksura as yeh
        "\u06cc": "\u064a",  # Persian yeh
        "\u06a9": "\u0643",  # Persian kaf
    }
    | dict.fromkeys("\u2018\u2019\u02bc", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013", "-")
)
_WORD = re.compile(r"[^\W_]+")
# Letters that people also write as two, where their keyboard lacks them or in another country.
_SPELLED_OUT = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ø": "oe",
        "å": "aa",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "Ø": "Oe",
        "Å": "Aa",
    }
)
_TWO_LETTERS = re.compile("(?<=a)[ae]|(?<=[ou])e")
_SIGNS = re.compile(r"[\W_]+")
# Names of a column of phone numbers in files of several languages, as `column_name` returns it.
_PHONE_COLUMNS = (
    "phone phonenumber telephone tel mobile mobilephone mobilenumber cell cellphone number whatsapp whatsappnumber"
    " telefon telefonnummer handy handynummer mobil mobilnummer mobiltelefon rufnummer whatsappnummer"
    " telefone telefono celular cellulare telemovel movil portable numero numerodetelefone numerodetelefono"
    " numerodetelephone numerodecelular numerodemovil telefonomovil telefonocelular numeroditelefono"
    " هاتف الهاتف رقمالهاتف"
    " جوال الجوال رقمالجوال"
    " موبايل رقمالموبايل"
)
PHONE_COLUMNS = frozenset(_PHONE_COLUMNS.split())


def folded(text: str) -> str:
    """Return the form of a text in which a search compares it: case, accents and compatibility forms are equal."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", visible(text).casefold())
    return _ACCENTS.sub("", parts).casefold().translate(_PLAIN)


def column_name(text: str) -> str:
    """Return the name of a column as names are compared: folded, without spaces and signs."""
    return _SIGNS.sub("", folded(text))


def spelled_out(text: str) -> str:
    """Return a text with two letters for each that people also write so: `Mueller` for `Müller`, `Aase` for `Åse`."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_SPELLED_OUT)


def contracted(word: str) -> str:
    """Return a folded word with one letter for two that may stand for it: `muller` for `mueller`."""
    return _TWO_LETTERS.sub("", word)


def searched(text: str) -> str:
    """Return the form of a text in which a search looks for words: folded, also with two letters for one."""
    wide = spelled_out(text)
    return folded(text) if wide == text else f"{folded(text)}\n{folded(wide)}"


def words_of(text: str) -> list[str]:
    """
    Return the words of a text, folded and each once, in their order: letters and digits with their marks, as of vowels
    in Thai and Hindi. Of a text without both, such as a name of symbols, the parts between spaces.
    """
    plain = folded(text)
    if plain.isascii():
        words = _WORD.findall(plain)
    else:
        words = ["".join(run) for is_word, run in groupby(plain, _is_of_word) if is_word]
        words = [word for word in words if any(map(str.isalnum, word))]
    return list(dict.fromkeys(words or plain.split()))


def _is_of_word(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign).startswith("M")
