"""The form in which searches compare texts and the names of columns, and their words."""

from __future__ import annotations

import re
import unicodedata

from shared.identity.addresses import visible

_ACCENTS = re.compile(r"[\u0300-\u036f]")
# Letters with a stroke or a hook have no decomposition in Unicode; apostrophes and hyphens are typed in many ways.
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
    | dict.fromkeys("\u2018\u2019\u02bc", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013", "-")
)
_WORD = re.compile(r"\w+")
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


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded and each once, in their order."""
    return list(dict.fromkeys(_WORD.findall(folded(text))))
