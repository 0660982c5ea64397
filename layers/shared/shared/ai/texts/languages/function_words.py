"""
The most likely language of a text, by frequent function words; none for a text without enough of them.

A wrong guess costs little where this is used: in the choice of a fixed text. `certain_languages` refuses answers.
"""

import re
import unicodedata
from collections.abc import Mapping

_SMALL: Mapping[str, str] = {
    "en": """the a an and or but is are was were be been do does did have has had you your i my me we our they it its
        this that these of to in on at for with from by not what when where how who which will would can could should
        please there here if so about any am""",
    "de": """der die das den dem ein eine einen einem einer und oder aber ist sind war waren sein haben hat hatte habe
        ich mein meine mir mich wir uns unser sie ihr ihre ihnen es dies diese dieser von zu zum zur in im an am auf
        für mit aus bei nicht kein keine was wann wo wie wer welche wird werden würde kann können könnte bitte hier
        wenn über auch noch nur schon du dich dein bin""",
    "fr": """le la les un une des et ou mais est sont était être avoir ont ai avez je j mon ma mes me moi nous notre
        nos vous votre vos il elle ils elles on ce cette ces c de d du à au aux en dans sur pour avec par ne n pas que
        qu quoi quand où comment qui quel quelle sera serait peut pouvez pourriez ici si suis très bien plaît""",
    "es": """el la los las un una unos y o pero es son era ser estar está estoy haber ha he tengo tiene yo mi mis me
        nosotros nuestro usted ustedes su sus tu él ella ellos eso este esta estos de del a al en sobre para por con
        sin no que cuando donde como quien cual será puede puedo podría favor aquí si hay muy más también""",
    "it": """il lo la i gli le un uno una e o ma è sono era essere avere ha ho hai io mio mia mi noi nostro voi vostro
        lei lui loro questo questa questi di del della dei delle a al alla in nel nella su per con da dal non che cosa
        quando dove come chi quale sarà può posso potrebbe favore qui se molto più anche""",
    "pt": """o a os as um uma e ou mas é são era ser estar está estou ter tem tenho eu meu minha me nós nosso você
        vocês seu sua ele ela eles isso este esta esse de do da dos das ao em no na nos nas para por com sem não que
        quando onde como quem qual será pode posso poderia favor aqui se há muito mais também já""",
}
_WORD = re.compile(r"[^\W_]+")
_FEWEST_HITS = 2


def plain_words(text: str) -> list[str]:
    """Return the words of *text* without case and accents, for comparison with word lists."""
    if text.isascii():
        return _WORD.findall(text.casefold())
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return _WORD.findall("".join(sign for sign in folded if not unicodedata.combining(sign)))


SMALL_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(plain_words(words)) for language, words in _SMALL.items()
}


def language_of(text: str) -> str | None:
    """Return the language of *text* if it is in SMALL_WORDS; None for another language or too short a text."""
    first, second = sorted(_hits(text).items(), key=lambda entry: -entry[1])[:2]
    return first[0] if first[1] >= _FEWEST_HITS and first[1] > second[1] else None


def _hits(text: str) -> dict[str, int]:
    words = plain_words(text)
    return {
        language: sum(1 for word in words if word in small)
        for language, small in SMALL_WORDS.items()
    }
