"""
The language of a text where it is certain, and None in all other cases: an answer is refused on it.

Letters decide for scripts other than Latin, and languages of one such script are not distinguished. For Latin letters
frequent function words decide: a quarter of the text's words, at least three different ones, and almost none that only
another known language has. That leaves out short texts, lists of names and prices, mixtures of two languages, and
languages without a list. Languages that share most of their function words are one: see `_RELATED`.
"""

import functools
import unicodedata
from collections import Counter
from collections.abc import Mapping

from shared.ai.texts.languages.function_words import SMALL_WORDS, plain_words

_MORE: Mapping[str, str] = {
    "nl": """de het een en of maar is zijn was waren ben bent heb hebt heeft hebben had ik je jij jouw u uw mijn me
        mij we wij ons onze hij zij ze hun dit dat deze die van in op te aan bij voor met uit om door naar niet geen
        wat wanneer waar hoe wie welke zal zult wordt worden kan kunt kunnen kon zou graag hier er als ook nog al dan
        moet over""",
    "pl": """i a ale lub albo jest są był była było być nie tak to ten ta te tego tej tym w we na do z ze od po za dla
        o u przez przy jak co kto gdzie kiedy czy że się mnie mi ja ty my wy on ona ono oni pan pani państwa mój moja
        jego jej ich już może można mogę proszę będzie ma mam masz tylko także również jeśli aby który która które
        jeszcze""",
    "cs": """a ale nebo je jsou byl byla bylo být není ne ano to ten ta tento tato toto v ve na do z ze od po za pro o
        u s se si k ke při jak co kdo kde kdy že mě mi já ty my vy on ona oni váš vaše můj moje jeho její jejich už
        může můžete mohu prosím bude má mám máte jen také pokud aby který která které jako ještě jsem jste jsme by""",
    "sk": """a ale alebo je sú bol bola bolo byť nie áno to ten tá tento táto toto v vo na do z zo od po za pre o u s
        so sa si k ku pri ako čo kto kde kedy že ma mi ja ty my vy on ona oni váš vaše môj moje jeho jej ich už môže
        môžete môžem prosím bude má mám máte len tiež ak aby ktorý ktorá ktoré ešte som ste sme by""",
    "ro": """și sau dar este sunt era erau fi fost nu da un o unui unei cel cea cei cele acest această acesta aceasta
        de la în din pe cu pentru prin despre până fără ca că să ce cine unde când cum care eu tu noi voi el ea ei ele
        dumneavoastră meu mea său sa mi vă îmi își se ne le am ai are avem aveți au poate pot puteți putem vrea va vor
        mai doar dacă foarte bine încă""",
    "hu": """a az és vagy de hogy nem igen van vannak volt lesz lenni egy ez ezt azt ezek mi ki hol mikor hogyan miért
        én te ő mi ti ők ön önnek önt nekem neki meg már még csak is ha mert mint itt ott kell lehet tud tudom
        szeretnék kérem után előtt alatt között által való sem ezért akkor minden""",
    "sv": """och eller men är var vara varit inte nej det den de dem detta denna dessa en ett i på till från av för
        med om vid hos hur vad vem när som att jag du vi ni han hon min mitt mina din ditt er ert vår sin sig mig dig
        oss kan kunde ska skulle vill har hade här där också bara än då så finns måste inga ingen utan efter""",
    "da": """og eller men er var være været ikke nej det den de dem dette denne disse en et i på til fra af for med om
        ved hos hvordan hvad hvem hvor hvornår som at jeg du vi han hun min mit mine din dit jeres vores sin sig mig
        dig os kan kunne skal skulle vil har havde her der også kun end så findes må ingen uden efter deres""",
    "no": """og eller men er var være vært ikke nei det den de dem dette denne disse en et ei i på til fra av for med
        om ved hos hvordan hva hvem hvor når som at jeg du vi dere han hun min mitt mine din ditt deres vår sin seg
        meg deg oss kan kunne skal skulle vil har hadde her der også bare enn så finnes må ingen uten etter""",
    "fi": """ja tai mutta on ovat oli olivat olla ei en et emme että se ne tämä nämä tuo jos kun niin kuin mitä mikä
        kuka missä milloin miten minä sinä hän me te he minun sinun teidän meidän minulla teillä voi voit voitte voin
        voiko myös vain vielä nyt sitten kanssa jälkeen ennen sekä joka jotka hyvin ole olen olette kiitos täällä""",
    "tr": """ve veya ama bir bu şu o ne için ile de da mi m\u0131 mu mü ki gibi daha çok en var yok değil evet
        hay\u0131r ben sen biz siz onlar benim sizin bizim bana size bize kim nerede nas\u0131l zaman neden olan
        olarak olduğu olabilir lütfen her kadar sonra önce göre ancak ise eğer şimdi hâlâ m\u0131s\u0131n\u0131z
        misiniz musunuz""",
    "vi": """và hoặc nhưng là có không được của cho với trong ngoài trên dưới từ đến này đó kia một các những tôi bạn
        anh chị em chúng ta họ ông bà gì khi nào đâu như thế ai sẽ đã đang vẫn còn thì mà vì nếu để ở ra vào rất cũng
        phải hãy xin vui lòng bao nhiêu hay về""",
    "id": """dan atau tetapi tapi adalah ialah ini itu yang di ke dari untuk dengan pada dalam oleh tidak bukan ya
        saya aku kamu anda dia kami kita mereka apa siapa kapan bagaimana mengapa berapa bisa dapat akan sudah telah
        belum masih juga hanya jika kalau karena silakan tolong ada sebagai lebih bila boleh""",
    "tl": """ang ng mga sa na at o ay si ni kay ko mo niya namin natin ninyo nila ako ikaw ka siya kami tayo kayo sila
        ito iyan iyon hindi oo po opo ba pa lang din rin kung kapag kailan saan sino ano paano bakit may mayroon wala
        para mula dahil pero gusto maaari maaaring nang""",
    "hr": """i ili ali je su bio bila bilo biti nije nisu da ne to taj ta ovaj ova ovo u na do iz od po za s sa o kod
        pri kako što tko ko gdje gde kada kad da se mi ja ti vi on ona oni vaš vaše moj moja njegov njen njihov već
        može možete mogu molim će ću bit ima imam imate samo također takođe ako koji koja koje još sam ste smo bi""",
    "sl": """in ali pa je so bil bila bilo biti ni niso da ne to ta v na do iz od po za z s o pri kako kaj kdo kje
        kdaj ker se mi jaz ti vi on ona oni vaš vaše moj moja njegov njen njihov že lahko prosim bo bom ima imam imate
        samo tudi če ki kot še sem ste smo bi""",
    "ca": """el la els les un una uns unes i o però és són era ser estar està estic haver ha he tinc té jo el meu la
        meva nosaltres vostè vostès seu seva tu ell ella això aquest aquesta aquests de del dels d al als a en amb per
        sobre sense no que quan on com qui quin quina serà pot puc podria aquí si hi molt més també què perquè l s""",
    "gl": """o a os as un unha uns unhas e ou pero é son era ser estar está estou haber hai ten teño eu o meu a miña
        nós vostede vostedes seu súa ti el ela isto este esta de do da dos das ao á en no na nos nas con por para sen
        non que cando onde como quen cal será pode podo podería aquí se moi máis tamén xa""",
    "af": """die n en of maar is was het had ek jy jou u my ons hy sy hulle dit dat hierdie daardie van in op te aan
        by vir met uit om deur na nie geen wat wanneer waar hoe wie watter sal word kan kon sou asseblief hier daar as
        ook nog al dan moet oor""",
    "sw": """na au lakini ni si kwa ya wa la za cha katika kutoka hii hiyo hizi huu huo mimi wewe yeye sisi nyinyi wao
        nini nani wapi lini vipi je ndiyo hapana tafadhali kama pia tu bado sana hapa kuna ana una nina wangu yako
        wetu wenu""",
}
# Languages whose texts can be taken for each other, by the name of the one that stands for them.
_RELATED: Mapping[str, str] = {
    "no": "da", "nb": "da", "nn": "da", "sk": "cs", "ms": "id", "bs": "hr", "gl": "pt", "af": "nl", "fil": "tl",
}  # fmt: skip
# Scripts by the beginning of their letters' Unicode names. Japanese is written in three of them.
_SCRIPTS: Mapping[str, str] = {
    "LATIN": "Latn", "CYRILLIC": "Cyrl", "GREEK": "Grek", "ARABIC": "Arab", "HEBREW": "Hebr", "DEVANAGARI": "Deva",
    "CJK": "Hani", "HIRAGANA": "Hani", "KATAKANA": "Hani", "KATAKANA-HIRAGANA": "Hani", "HANGUL": "Hang",
    "THAI": "Thai", "GEORGIAN": "Geor", "ARMENIAN": "Armn", "BENGALI": "Beng", "GURMUKHI": "Guru",
    "GUJARATI": "Gujr", "TAMIL": "Taml", "TELUGU": "Telu", "KANNADA": "Knda", "MALAYALAM": "Mlym",
    "SINHALA": "Sinh", "KHMER": "Khmr", "LAO": "Laoo", "MYANMAR": "Mymr", "ETHIOPIC": "Ethi", "TIBETAN": "Tibt",
}  # fmt: skip
_SCRIPT_OF: Mapping[str, str] = {
    "am": "Ethi", "ar": "Arab", "be": "Cyrl", "bg": "Cyrl", "bn": "Beng", "el": "Grek", "fa": "Arab", "gu": "Gujr",
    "he": "Hebr", "hi": "Deva", "hy": "Armn", "ja": "Hani", "ka": "Geor", "km": "Khmr", "kn": "Knda", "ko": "Hang",
    "lo": "Laoo", "mk": "Cyrl", "ml": "Mlym", "mr": "Deva", "my": "Mymr", "ne": "Deva", "ru": "Cyrl", "si": "Sinh",
    "ta": "Taml", "te": "Telu", "th": "Thai", "uk": "Cyrl", "ur": "Arab", "zh": "Hani",
}  # fmt: skip
# Names of languages: a text with one may ask for another language than its own.
_NAMES = """english englisch englische englischen anglais inglés inglese inglês engels engelska engelsk angielski
    angielsku anglicky angličtina anglicky englanti englanniksi angol angolul engleză engleza ingilizce inggris
    engleski angleščina anglès ingles kiingereza german deutsch deutsche deutschen allemand alemán tedesco
    alemão duits niemiecki niemiecku tyska tysk německy saksa saksaksi német németül germană almanca jerman french
    französisch français francés francese francês frans francuski francusku franska fransk francouzsky ranska
    francia franciául franceză frans\u0131zca spanish spanisch espagnol español castellano spagnolo espanhol spaans
    hiszpański hiszpańsku spanska spansk španělsky spanyol spaniolă ispanyolca italian italienisch italien italiano
    italiaans włoski portuguese portugiesisch portugais portugués português portoghese portugees polish polnisch
    polonais polaco polski polsku pools polacco romanian rumänisch roumain rumano română rumeno romeno russian
    russisch russe ruso russo rosyjski rosyjsku ukrainian ukrainisch ukrainien ucraniano ukraiński arabic arabisch
    arabe árabe arabo chinese chinesisch chinois chino cinese chinês mandarin hindi urdu punjabi turkish türkisch
    turc turco türkçe dutch holländisch niederländisch néerlandais holandés nederlands greek griechisch czech
    tschechisch česky hungarian ungarisch magyar magyarul swedish svenska danish dansk norwegian norsk finnish
    suomi suomeksi japanese korean vietnamese thai hebrew tagalog indonesian català galego hrvatski srpski"""
_PARTS_OF_NAMES = (
    "tiếng anh", "tiếng việt",
    "англи", "немецк", "русск", "українськ", "украинск", "испанск", "французск", "польск", "английск", "німецьк",
    "αγγλικ", "ελληνικ", "γερμανικ", "إنجليزي", "انجليزي", "انكليزي", "عربي", "اردو", "فارسی", "אנגלית", "עברית",
    "英语", "英文", "英語", "中文", "中国語", "汉语", "日语", "日文", "日本語", "한국어", "영어", "ภาษา",
    "अंग्रेज", "इंग्लिश", "हिंदी", "हिन्दी",
)  # fmt: skip
_FEWEST_WORDS = 4
_FEWEST_DIFFERENT = 3
_PART_OF_WORDS = 0.25
_PART_OF_LETTERS = 0.85
_FEWEST_OWN = 2
_OWN_TO_OTHERS = 5
# More letters than one word or a polite phrase has; a Chinese, Japanese or Korean one is a syllable or a word.
_FEWEST_LETTERS: Mapping[str, int] = {"Hani": 11, "Hang": 8}
_FEWEST_LETTERS_OF_OTHERS = 16


def certain_language(text: str) -> str | None:
    """Return the language (or related languages, or script) of *text*; None unless it is certain."""
    scripts = Counter(_script(sign) for sign in text if sign.isalpha())
    if not scripts:
        return None
    script, letters = scripts.most_common(1)[0]
    if script is None or letters < _PART_OF_LETTERS * scripts.total():
        return None
    if script == "Latn":
        return _in_latin_letters(plain_words(text))
    fewest = _FEWEST_LETTERS.get(script, _FEWEST_LETTERS_OF_OTHERS)
    return script if letters >= fewest else None


def known_language(tag: str) -> str | None:
    """Return the value of `certain_language` for a BCP 47 tag; None for a language that it does not know."""
    language = primary_of(tag)
    related = _RELATED.get(language, language)
    return related if related in _small_words() else _SCRIPT_OF.get(language)


def primary_of(tag: str) -> str:
    """Return the primary subtag of a BCP 47 tag in lower case: `pt` for `pt-BR`."""
    return tag.replace("_", "-").partition("-")[0].casefold()


def names_a_language(text: str) -> bool:
    """Return whether *text* names a language: another language than its own may be wanted."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return not _names().isdisjoint(plain_words(text)) or any(n in folded for n in _PARTS_OF_NAMES)


@functools.cache
def _small_words() -> Mapping[str, frozenset[str]]:
    """Return the function words of each language. Built at the first check, not at a cold start."""
    more = {language: frozenset(plain_words(words)) for language, words in _MORE.items()}
    return {**SMALL_WORDS, **more}


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(plain_words(_NAMES))


def _in_latin_letters(words: list[str]) -> str | None:
    found = {
        language: [w for w in words if w in small] for language, small in _small_words().items()
    }
    best = max(found, key=lambda language: len(found[language]))
    hits = found[best]
    is_enough = (
        len(words) >= _FEWEST_WORDS
        and len(set(hits)) >= _FEWEST_DIFFERENT
        and len(hits) >= _PART_OF_WORDS * len(words)
    )
    others = (language for language in found if _family(language) != _family(best))
    if not is_enough or not all(_is_clear(best, hits, other, found[other]) for other in others):
        return None
    return _family(best)


def _is_clear(best: str, hits: list[str], other: str, other_hits: list[str]) -> bool:
    """Whether the words that only one of two languages has are almost all of *best*."""
    small_words = _small_words()
    own = {word for word in hits if word not in small_words[other]}
    others = [word for word in other_hits if word not in small_words[best]]
    return len(own) >= _FEWEST_OWN and len(own) >= _OWN_TO_OTHERS * len(others)


def _family(language: str) -> str:
    return _RELATED.get(language, language)


def _script(sign: str) -> str | None:
    return _SCRIPTS.get(unicodedata.name(sign, "").partition(" ")[0])
