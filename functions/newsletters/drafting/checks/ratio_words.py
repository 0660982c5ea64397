"""
Words of fractions and multiples, in the languages of number words; folded words are matched as a whole.

*half* are words of a half, *parts* of other parts, *counted* of parts behind a number or an article (`a quarter`),
*plural* of parts behind a number (`two thirds`). *multiples* are words such as `doubled`, *times* what follows the
number of a multiple (`3 times`). *among* stands between the numbers of `one in ten`, *every* before `third` in `every
third`. *ones* are words of one, *articles* of which some are; *by* stands before a part, and *of* behind it.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Final

from newsletters.drafting.checks.number_words import folded

# By language, by the name of the field; the value of a word behind `=`.
_TABLES: Final = {
    "en": {
        "half": "half halves halve halved halving",
        "counted": "quarter=4 quarters=4",
        "plural": "thirds=3 fourths=4 fifths=5 sixths=6 sevenths=7 eighths=8 ninths=9 tenths=10 hundredths=100",
        "multiples": r"""doubl(?:e|ed|es|ing)=2 twice=2 twofold=2 trebl(?:e|ed|es|ing)=3 tripl(?:e|ed|es|ing)=3 thrice=3
            threefold=3 quadrupl(?:e|ed|es|ing)=4 fourfold=4 quintupl(?:e|ed|es|ing)=5 fivefold=5 sixfold=6 sevenfold=7
            eightfold=8 ninefold=9 tenfold=10 hundredfold=100""",
        "times": "times fold x",
        "among": "in|out of|in every|of every|out of every",
        "every": "every each",
        "ones": "one",
        "articles": "a an",
        "of": "of",
        "by": "by about almost nearly over than only around roughly least most just",
        "ignored": r"""second-?hand third-?part(?:y|ies) third-?world per-?second a-?second double-?digits?
            double-?check(?:s|ed)? (?:first|second|last|other)-?half half-?life""",
    },
    "de": {
        "half": r"halfte halften halb(?:e[rnsm]?)? halbier(?:en|t|te|ten|ung)",
        "multiples": r"(?:ver)?doppel\w*=2 gedoppelt=2",
        "times": "mal fach",
        "among": "von|aus",
        "every": "jede jeder jedes jeden jedem",
        "ones": "ein eins eine einer einem einen",
        "ignored": r"doppel(?:punkt|klick|zimmer)\w*",
    },
    "fr": {
        "half": "moitie moities",
        "half_of": "demi demie",
        "counted": "tiers=3 quart=4 quarts=4",
        "plural": "cinquiemes=5 sixiemes=6 septiemes=7 huitiemes=8 neuviemes=9 dixiemes=10 centiemes=100",
        "multiples": r"""doubl(?:e[srz]?|ee?s?|ent|ait|aient|era|eront|ement|ant)=2
            tripl(?:e[srz]?|ee?s?|ent|ait|aient|era|eront|ement|ant)=3
            quadrupl(?:e[srz]?|ee?s?|ent|ait|aient|era|eront|ement|ant)=4 quintupl(?:e[srz]?|ee?s?|ent|ait|aient)=5
            decupl(?:e[srz]?|ee?s?|ent|ait|aient)=10""",
        "times": "fois",
        "among": "sur",
        "ones": "un une",
        "articles": "le la",
        "of": "de des du d",
        "by": "d environ presque pres plus moins",
        "ignored": r"par-?seconde",
    },
    "es": {
        "half": "mitad mitades",
        "half_of": "medio media",
        "parts": "tercio=3 tercios=3",
        "plural": """terceras=3 cuartos=4 cuartas=4 quintos=5 quintas=5 sextos=6 sextas=6 septimos=7 octavos=8 novenos=9
            decimos=10 decimas=10 centesimos=100""",
        "multiples": r"""dobles?=2 duplic\w+=2 dupl[ao]s?=2 triples?=3 triplic\w+=3 cuadruples?=4 cuadruplic\w+=4
            quintuplic\w+=5 decuplic\w+=10""",
        "times": "veces",
        "among": "de cada|de|sobre",
        "ones": "un uno una",
        "of": "de del",
        "part": "parte partes",
        "ignored": r"por-?segundo",
    },
    "pt": {
        "half": "metade metades",
        "half_of": "meio meia",
        "parts": "terco=3 tercos=3",
        "plural": "tercas=3 quartos=4 quartas=4 quintos=5 quintas=5 sextos=6 setimos=7 oitavos=8 nonos=9 decimos=10",
        "multiples": r"""dobr(?:o|ou|ar|aram|a|ando|ad[ao]s?|aria|ara)=2 duplic\w+=2 duplo=2 triplo=3 triplic\w+=3
            quadruplo=4 quadruplic\w+=4 quintuplic\w+=5 decuplic\w+=10""",
        "times": "vezes",
        "among": "em cada|em|de cada",
        "ones": "um uma",
        "of": "de do da dos das",
        "part": "parte partes",
        # `segundo o relatório`: according to.
        "ignored": r"""por-?segundo segundo-?(?:os?|as?|um|uma|dados|ele|ela|este|esta)
            (?:segunda|terca|quarta|quinta|sexta)-?feira""",
    },
    "ar": {
        "half": "(?:و|ب|ل)?(?:ال)?نصف",
        "parts": "ثلث=3 الثلث=3 بثلث=3 ربع=4 بربع=4",
        "plural": "أرباع=4 أخماس=5 أعشار=10",
        "two_thirds": "ثلثا ثلثي ثلثين الثلثين الثلثان",
        "multiples": "[يت]?تضاعف(?:ت|وا)?=2 مضاعفة=2 ضعفي=2 ضعفين=2 ضعفا=2 مرتين=2 مرتان=2",
        "times": "مرات أضعاف",
        "among": "من كل|من أصل|من بين",
        "ones": "واحد واحدة",
        "ignored": "(?:كانون|تشرين|ربيع)-?الثاني جمادى-?الثانية",
    },
    "sw": {
        "half": "nusu",
        "parts": "theluthi=3 thuluthi=3 robo=4",
        "multiples": "maradufu=2",
        "before_times": "mara",
        "among": "kati ya|katika",
        "ones": "moja mmoja",
        "ignored": r"robo-?ya-?(?:kwanza|pili|tatu|nne)",
    },
    "am": {
        "half": "[የበለከ]?ግማሽ(?:ው|ዋ|ውን)?",
        "parts": "ሩብ=4 ሲሶ=3",
        "multiples": "በእጥፍ=2",
        "times": "እጥፍ ጊዜ",
        "ones": "አንድ",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RatioWords:
    """The words of one language, see the module; *half_of* are halves only before a scale: `medio millón`."""

    language: str
    half: re.Pattern[str]
    half_of: frozenset[str]
    parts: dict[str, int]
    counted: dict[str, int]
    plural: dict[str, int]
    two_thirds: frozenset[str]
    multiples: tuple[tuple[re.Pattern[str], int], ...]
    times: frozenset[str]
    before_times: frozenset[str]
    among: frozenset[tuple[str, ...]]
    every: frozenset[str]
    ones: frozenset[str]
    articles: frozenset[str]
    of: frozenset[str]
    by: frozenset[str]
    part: frozenset[str]
    ignored: re.Pattern[str] | None

    def multiple_of(self, word: str) -> int:
        """Return how many times a word such as `doubled` says; 0 if it is none."""
        return next((value for pattern, value in self.multiples if pattern.fullmatch(word)), 0)


@functools.cache
def ratio_words(language: str) -> RatioWords:
    """Return the words of fractions and multiples of a language with number words."""
    table = _TABLES[language]

    def words(name: str) -> frozenset[str]:
        return frozenset(folded(one) for one in table.get(name, "").split())

    def values(name: str) -> dict[str, int]:
        pairs = (one.rpartition("=") for one in table.get(name, "").split())
        return {folded(word): int(value) for word, _, value in pairs}

    ignored = "|".join(folded(one) for one in table.get("ignored", "").split())
    return RatioWords(
        language=language,
        half=re.compile("|".join(folded(one) for one in table["half"].split())),
        half_of=words("half_of"),
        parts=values("parts"),
        counted=values("counted"),
        plural=values("plural"),
        two_thirds=words("two_thirds"),
        multiples=tuple((re.compile(word), value) for word, value in values("multiples").items()),
        times=words("times"),
        before_times=words("before_times"),
        among=frozenset(
            tuple(folded(one).split()) for one in table.get("among", "").split("|") if one
        ),
        every=words("every"),
        ones=words("ones"),
        articles=words("articles"),
        of=words("of"),
        by=words("by"),
        part=words("part"),
        ignored=re.compile(ignored) if ignored else None,
    )
