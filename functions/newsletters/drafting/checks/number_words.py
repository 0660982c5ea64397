"""
Cardinal and ordinal numbers in words, in the languages of the labels of exports.

Words have no case and no accents, see `folded`. Zero is left out, and one and first are parts of larger numbers only:
their words are articles, pronouns and negations as well. *vague* words count only after a number: `three millions`, and
not `millions of farmers`. An ordinal number is written as the cardinal one: `third` as `3rd`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

HUNDRED: Final = 100
THOUSAND: Final = 1_000
HALF: Final = Decimal("0.5")
_ORDER: Final = "2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 30 40 50 60 70 80 90"
# By language: the words of _ORDER, all words of one number joined by `/`; further words; vague ones.
_TABLES: Final = {
    "en": (
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety""",
        "one=1 hundred=100 thousand=1e3 million=1e6 billion=1e9 trillion=1e12 dozen=12",
        "mn=1e6 mln=1e6 bn=1e9 bln=1e9 tn=1e12 lakh=1e5 lakhs=1e5 crore=1e7 crores=1e7",
    ),
    "de": (
        """zwei/zwo drei vier fünf/fuenf sechs sieben acht neun zehn elf zwölf/zwoelf dreizehn vierzehn
        fünfzehn/fuenfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig/fuenfzig sechzig siebzig
        achtzig neunzig""",
        "hundert=100 tausend=1e3 million=1e6 milliarde=1e9 billion=1e12 dutzend=12",
        "millionen=1e6 milliarden=1e9 billionen=1e12 tsd=1e3 mio=1e6 mill=1e6 mrd=1e9",
    ),
    "fr": (
        """deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit
        dix-neuf vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante""",
        """un=1 une=1 cent=100 mille=1e3 million=1e6 milliard=1e9 dizaine=10 douzaine=12 vingtaine=20 trentaine=30
        cinquantaine=50 soixantaine=60 centaine=100 millier=1e3""",
        "centaines=100 milliers=1e3 cents=100 millions=1e6 milliards=1e9 mio=1e6 md=1e9 mds=1e9 mrd=1e9",
    ),
    "es": (
        """dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
        dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa""",
        """uno=1 un=1 una=1 veintiuno=21 veintiún=21 veintiuna=21 veintidós=22 veintitrés=23 veinticuatro=24
        veinticinco=25 veintiséis=26 veintisiete=27 veintiocho=28 veintinueve=29 cien=100 ciento=100
        doscientos=200 doscientas=200 trescientos=300 trescientas=300 cuatrocientos=400 cuatrocientas=400
        quinientos=500 quinientas=500 seiscientos=600 seiscientas=600 setecientos=700 setecientas=700
        ochocientos=800 ochocientas=800 novecientos=900 novecientas=900 mil=1e3 millón=1e6 billón=1e12 decena=10
        docena=12 veintena=20 treintena=30 centenar=100 millar=1e3""",
        "centenares=100 millares=1e3 millones=1e6 billones=1e12 mill=1e6 mdd=1e6",
    ),
    "pt": (
        """dois/duas três quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze
        dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte trinta quarenta cinquenta
        sessenta setenta oitenta noventa""",
        """um=1 uma=1 cem=100 cento=100 duzentos=200 duzentas=200 trezentos=300 trezentas=300 quatrocentos=400
        quatrocentas=400 quinhentos=500 quinhentas=500 seiscentos=600 seiscentas=600 setecentos=700
        setecentas=700 oitocentos=800 oitocentas=800 novecentos=900 novecentas=900 mil=1e3 milhão=1e6 bilhão=1e9
        dezena=10 dúzia=12 vintena=20 centena=100 milhar=1e3""",
        "centenas=100 milhares=1e3 milhões=1e6 bilhões=1e9 mi=1e6 bi=1e9",
    ),
    "ar": (
        """اثنان/اثنين/اثنتان/اثنتين/اثنا/اثني/اثنتا/اثنتي ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع
        ثمانية/ثماني/ثمان تسعة/تسع عشرة/عشر - - - - - - - - - عشرون/عشرين ثلاثون/ثلاثين أربعون/أربعين
        خمسون/خمسين ستون/ستين سبعون/سبعين ثمانون/ثمانين تسعون/تسعين""",
        """أحد=1 إحدى=1 مئة=100 مائة=100 مئتان=200 مئتين=200 مائتان=200 مائتين=200 ثلاثمئة=300 ثلاثمائة=300
        أربعمئة=400 أربعمائة=400 خمسمئة=500 خمسمائة=500 ستمئة=600 ستمائة=600 سبعمئة=700 سبعمائة=700 ثمانمئة=800
        ثمانمائة=800 تسعمئة=900 تسعمائة=900 ألف=1e3 ألفان=2000 ألفين=2000 ألفي=2000 مئتي=200 مائتي=200
        مليون=1e6 مليونان=2e6 مليونين=2e6 مليوني=2e6
        مليار=1e9 دزينة=12""",
        "آلاف=1e3 ألفا=1e3 ملايين=1e6 مليونا=1e6 مليارات=1e9",
    ),
    "sw": (
        """mbili/wawili/miwili/viwili/mawili tatu/watatu/mitatu/vitatu/matatu nne/wanne/minne/vinne/manne
        tano/watano/mitano/vitano/matano sita saba nane/wanane/minane/vinane/manane tisa kumi - - - - - - - - -
        ishirini thelathini arobaini hamsini sitini sabini themanini tisini""",
        "moja=1 mia=100 elfu=1e3 laki=1e5 milioni=1e6 bilioni=1e9 dazeni=12",
        "",
    ),
    "am": (
        """ሁለት ሦስት/ሶስት አራት አምስት ስድስት ሰባት ስምንት ዘጠኝ አስር/ዐሥር/አሥር/አስራ/አሥራ/ዐሥራ - - - - - - - - - ሃያ/ሀያ ሠላሳ/ሰላሳ አርባ
        ሃምሳ/ሀምሳ ስልሳ/ስድሳ ሰባ ሰማንያ/ሰማኒያ ዘጠና""",
        "አንድ=1 መቶ=100 ሺህ=1e3 ሺ=1e3 ሚሊዮን=1e6 ቢሊዮን=1e9 ደርዘን=12",
        "",
    ),
}  # fmt: skip
# From second on; first is a part of `twenty-first` only. German ones are read by `german_ordinal`, those of Swahili are
# cardinal numbers but for one.
_ORDINALS: Final = {
    "en": """first=1 second=2 third=3 fourth=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11
        twelfth=12 thirteenth=13 fourteenth=14 fifteenth=15 sixteenth=16 seventeenth=17 eighteenth=18 nineteenth=19
        twentieth=20 thirtieth=30 fortieth=40 fiftieth=50 sixtieth=60 seventieth=70 eightieth=80 ninetieth=90
        hundredth=100 thousandth=1e3""",
    "fr": """unième=1 second=2 seconde=2 deuxième=2 troisième=3 quatrième=4 cinquième=5 sixième=6 septième=7 huitième=8
        neuvième=9 dixième=10 onzième=11 douzième=12 treizième=13 quatorzième=14 quinzième=15 seizième=16 vingtième=20
        trentième=30 quarantième=40 cinquantième=50 soixantième=60 centième=100 millième=1e3""",
    "es": """primero=1 primer=1 primera=1 segundo=2 segunda=2 tercero=3 tercer=3 tercera=3 cuarto=4 cuarta=4 quinto=5
        quinta=5 sexto=6 sexta=6 séptimo=7 séptima=7 octavo=8 octava=8 noveno=9 novena=9 décimo=10 décima=10
        undécimo=11 undécima=11 duodécimo=12 duodécima=12 vigésimo=20 vigésima=20 trigésimo=30 trigésima=30
        centésimo=100 centésima=100""",
    "pt": """primeiro=1 primeira=1 segundo=2 segunda=2 terceiro=3 terceira=3 quarto=4 quarta=4 quinto=5 quinta=5 sexto=6
        sexta=6 sétimo=7 sétima=7 oitavo=8 oitava=8 nono=9 nona=9 décimo=10 décima=10 vigésimo=20 vigésima=20
        trigésimo=30 trigésima=30 centésimo=100 centésima=100""",
    "ar": """الثاني=2 الثانية=2 الثالث=3 الثالثة=3 الرابع=4 الرابعة=4 الخامس=5 الخامسة=5 السادس=6 السادسة=6 السابع=7
        السابعة=7 الثامن=8 الثامنة=8 التاسع=9 التاسعة=9 العاشر=10 العاشرة=10 ثالث=3 ثالثة=3 رابع=4 رابعة=4
        خامس=5 خامسة=5 سادس=6 سادسة=6 سابع=7 سابعة=7 ثامن=8 ثامنة=8 تاسع=9 تاسعة=9 عاشر=10 عاشرة=10""",
    "sw": "pili=2",
    "am": """ሁለተኛ=2 ሦስተኛ=3 ሶስተኛ=3 አራተኛ=4 አምስተኛ=5 ስድስተኛ=6 ሰባተኛ=7 ስምንተኛ=8 ዘጠነኛ=9 አስረኛ=10 አሥረኛ=10 ዐሥረኛ=10""",
}  # fmt: skip
_AMHARIC_BEFORE, _AMHARIC_BEHIND = ("", "የ", "በ", "ለ", "ከ"), ("", "ው", "ዋ", "ውን")  # `in the second`
_GERMAN_IRREGULAR: Final = {"drit": 3, "sieb": 7, "ach": 8}
_GERMAN_ENDINGS: Final = (re.compile(r"(.+)te[rnsm]?"), re.compile(r"(.+)ste[rnsm]?"))
_GERMAN_RANK: Final = re.compile(
    r"((?:zwei|drit|vier|funf|sechs|sieb|ach|neun|zehn)t)\w{3,}ste[rnsm]?"
)
_CONNECTORS: Final = {
    "en": {"and"}, "fr": {"et"}, "es": {"y"}, "pt": {"e", "de"}, "sw": {"na"}, "am": {"ከ"}, "de": {"und"},
}  # fmt: skip
_GERMAN_UNITS: Final = {"ein": 1, "eine": 1, "eins": 1}


@dataclass(frozen=True, slots=True)
class NumberWords:
    """The words of one language; *connectors* join two parts of a number. In Swahili the larger part comes first."""

    language: str
    values: dict[str, int]
    vague: dict[str, int]
    connectors: frozenset[str]


LANGUAGES: Final = tuple(_TABLES)


def folded(text: str) -> str:
    """Return a text without case, accents and vowel signs, for comparison with the words."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


# `and a half`, `y medio`: a half of the unit before it, and counted only behind a number.
HALVES: Final = frozenset(
    folded(one)
    for one in ("half", "medio", "media", "meio", "meia", "demi", "demie", "nusu", "نصف", "ተኩል")
)


@functools.cache
def words_of(language: str) -> NumberWords:
    """Return the number words of one of LANGUAGES."""
    in_order, further, vague = _TABLES[language]
    values = {
        folded(word): int(value)
        for value, words in zip(_ORDER.split(), in_order.split(), strict=True)
        for word in words.split("/")
        if word != "-"
    }
    connectors = frozenset(map(folded, _CONNECTORS.get(language, ())))
    values |= _pairs(further) | ordinals_of(language)
    return NumberWords(language, values, _pairs(vague), connectors)


@functools.cache
def ordinals_of(language: str) -> dict[str, int]:
    """Return the ordinal numbers of a language by their words."""
    found = _pairs(_ORDINALS.get(language, ""))
    if language != "am":
        return found
    return {
        f"{before}{word}{behind}": value
        for word, value in found.items()
        for before in _AMHARIC_BEFORE
        for behind in _AMHARIC_BEHIND
    }


def german_value(word: str) -> int:
    """Return the value of a German compound, such as `zweihundertfünfundzwanzig`; 0 if it is none."""
    words = words_of("de").values
    if word in words:
        return words[word]
    for scale, value in (("tausend", THOUSAND), ("hundert", HUNDRED)):
        before, found, after = word.partition(scale)
        if found:
            times = _GERMAN_UNITS.get(before) or german_value(before) if before else 1
            rest = (
                _GERMAN_UNITS.get(after) or german_value(after.removeprefix("und")) if after else 0
            )
            return times * value + rest if times and bool(rest) == bool(after) else 0
    unit, found, tens = word.partition("und")
    units = _GERMAN_UNITS.get(unit) or words.get(unit, 0)
    return units + words[tens] if found and 0 < units < 10 and words.get(tens, 0) >= 20 else 0  # noqa: PLR2004 - `fünfundzwanzig`


def german_ordinal(word: str) -> int:
    """Return the value of a German word such as `einundzwanzigste` or `drittgrößter`; 0 if it is none."""
    ranked = _GERMAN_RANK.fullmatch(word)
    stems = [one[1] for ending in _GERMAN_ENDINGS if (one := ending.fullmatch(word))]
    if ranked:
        stems = [ranked[1].removesuffix("t")]
    values = (_GERMAN_IRREGULAR.get(stem) or german_value(stem) for stem in stems)
    return next((value for value in values if value > 1), 0)


def german_half(word: str) -> Decimal:
    """Return the value of a German word such as `dreieinhalb`; 0 if it is none."""
    if word == "anderthalb":
        return Decimal("1.5")
    units = word.removesuffix("einhalb")
    value = (_GERMAN_UNITS.get(units) or german_value(units)) if units not in {"", word} else 0
    return value + HALF if value else Decimal(0)


def _pairs(written: str) -> dict[str, int]:
    found = re.findall(r"(\S+)=(\S+)", written)
    return {folded(word): int(float(value)) for word, value in found}
